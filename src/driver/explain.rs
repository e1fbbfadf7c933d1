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
    let Some(winner) = pipeline::prove_best(&loaded, &searched, &arguments.space, 10_000, output)? else {
        return Ok(Verdict::Unknown);
    };
    let (map, dataflow, proofs) = (winner.design.map.clone(), winner.design.dataflow.clone(), winner.proofs.len());
    let space = loaded.space.clone();
    let place = format!("{:?}", map.place);
    let step = format!("{:?}", map.step);
    loaded.lowered.record(&dataflow, &place, &step, &format!("proved-by-{proofs}-obligations"));
    let steps = loaded.lowered.explain_scheduled(&dataflow, &place, &step);
    output.line(&format!("{}   {}", space.kernel, show::map(&space, &map)));
    show_dataflow(&space, &dataflow).iter().for_each(|line| output.line(&format!("  {line}")));
    output.line("");
    for (number, step) in steps.iter().enumerate() {
        output.line(&format!("  {:>3}. {}", number + 1, step.rule));
        output.line(&format!("       {}\n    -> {}", step.before, step.after));
    }
    output.object(&json!({
        "recurrences": show_dataflow(&space, &dataflow),
        "steps": steps.iter().map(step_json).collect::<Vec<_>>(),
    }));
    Ok(Verdict::Good)
}

fn step_json(step: &Step) -> Value {
    json!({ "rule": step.rule, "before": step.before, "after": step.after })
}
