//! `systole explain`: the chain of rules from the equations to the schedule.

use super::arguments::ExplainArguments;
use super::output::Output;
use super::{Done, Verdict, pipeline, show};
use crate::rewrite::{Step, show_dataflow};
use serde_json::{Value, json};

/// Runs the command.
pub fn run(arguments: &ExplainArguments, output: &Output) -> Done {
    let mut loaded = pipeline::load(&arguments.kernel)?;
    let searched = pipeline::search(&loaded, &arguments.space, false, output)?;
    let winner = pipeline::prove_best(&mut loaded, &searched, &arguments.space, 10_000, output)?;
    let (space, found) = (loaded.space.clone(), winner.found);
    let (place, step) = show::rows(&space, &found.map);
    let steps = loaded.lowered.explain_scheduled(&found.dataflow, &place, &step);
    output.line(&format!("{}   {}", space.kernel, show::map(&space, &found.map)));
    show_dataflow(&space, &found.dataflow).iter().for_each(|line| output.line(&format!("  {line}")));
    output.line("");
    for (number, step) in steps.iter().enumerate() {
        output.line(&format!("  {:>3}. {}", number + 1, step.rule));
        output.line(&format!("       {}\n    -> {}", step.before, step.after));
    }
    output.object(&json!({
        "recurrences": show_dataflow(&space, &found.dataflow),
        "steps": steps.iter().map(step_json).collect::<Vec<_>>(),
    }));
    Ok(Verdict::Good)
}

fn step_json(step: &Step) -> Value {
    json!({ "rule": step.rule, "before": step.before, "after": step.after })
}
