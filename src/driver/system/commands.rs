//! `search`, `prove`, `explain`, `emit` and `run` over several spaces.

use super::pipeline::{self, Loaded, Searched, Winner};
use super::{refusal, setting::Setting, show};
use crate::array::{self, Program, emit as emitter};
use crate::diagnostic::{Checked, render};
use crate::driver::arguments::{EmitArguments, ExplainArguments, ProveArguments, RunArguments, SearchArguments};
use crate::driver::output::Output;
use crate::driver::show::{grouped, proofs_json};
use crate::driver::sim::{same_bits, verdict, with_match, write_outputs};
use crate::driver::{Done, Verdict, files, inputs, pipeline as stages, prove as proving};
use crate::recurrence;
use crate::rewrite::{self, Dataflow, Step};
use crate::sim::{self, Outcome, Settings};
use crate::smt;
use crate::timing;
use serde_json::{Value, json};
use std::time::{Duration, Instant};

/// How long one obligation may take where the command has no flag for it, in milliseconds.
const LIMIT: u64 = 10_000;

/// `systole search`.
pub fn search(arguments: &SearchArguments, output: &Output) -> Done {
    let loaded = pipeline::load(&arguments.kernel)?;
    let searched = pipeline::search(&loaded, &arguments.space, output)?;
    if searched.front.is_empty() {
        return Err(refusal::nothing_found(&loaded, &searched, &Setting::new(&loaded, &arguments.space)?, LIMIT).into());
    }
    print_search(&loaded, &searched, output);
    output.line("");
    output.line("  cycles   PEs  channel  memory  buffers  fanout   design");
    for found in searched.front.iter().take(arguments.most) {
        let cost = &found.cost;
        output.line(&format!(
            "  {:>6} {:>5} {:>8} {:>7} {:>8} {:>7}",
            cost.cycles, cost.pes, cost.channel_words, cost.memory_words, cost.buffers, cost.fanout
        ));
        show::parts(&loaded, found).iter().for_each(|line| output.line(&format!("           {line}")));
    }
    output.object(&show::search_json(&loaded, &searched, Some(0)));
    Ok(Verdict::Good)
}

fn print_search(loaded: &Loaded, searched: &Searched, output: &Output) {
    let report = &loaded.lowered.report;
    let (nodes, classes, rounds) = (report.nodes, report.classes, report.iterations);
    let stop = report.stop.to_lowercase();
    let milliseconds = report.seconds * 1e3;
    output.line(&format!(
        "  rewrite   {nodes} e-nodes, {classes} classes, {stop} in {rounds} rounds{milliseconds:>21.0} ms"
    ));
    let survey = &searched.survey;
    output.line(&format!(
        "  search    {} placements, {} legal, {} designs, {} on the front{:>7.0} ms",
        grouped(survey.maps),
        grouped(survey.legal),
        grouped(survey.designs),
        searched.front.len(),
        searched.elapsed.as_secs_f64() * 1e3,
    ));
    if let Some(left_out) = show::left_out(searched) {
        output.line(&format!("  left out  {left_out}"));
    }
}

/// `systole prove`.
pub fn prove(arguments: &ProveArguments, output: &Output) -> Done {
    let loaded = pipeline::load(&arguments.kernel)?;
    let searched = pipeline::search(&loaded, &arguments.space, output)?;
    let Some(found) = searched.front.first() else {
        return Err(refusal::nothing_found(&loaded, &searched, &Setting::new(&loaded, &arguments.space)?, LIMIT).into());
    };
    let design = pipeline::design(&loaded, found);
    let obligations = timing::system_obligations(&design, &searched.machine.links)?;
    if let Some(path) = &arguments.dump_smt {
        files::write(path, &smt::dump(&obligations))?;
    }
    let proofs = smt::discharge_all(&obligations, Duration::from_millis(arguments.limit));
    output.line(&loaded.cut.kernel);
    show::parts(&loaded, found).iter().for_each(|line| output.line(&format!("  {line}")));
    proofs.iter().for_each(|proof| output.line(&proving::line(proof)));
    output.object(&proofs_json(&proofs));
    let messages = refusal::messages(&loaded, searched.span, &proofs);
    if !messages.is_empty() {
        output.error(&render(&messages, output.has_colour()));
    }
    Ok(stages::verdict(&proofs))
}

/// `systole explain`.
pub fn explain(arguments: &ExplainArguments, output: &Output) -> Done {
    let mut loaded = pipeline::load(&arguments.kernel)?;
    let searched = pipeline::search(&loaded, &arguments.space, output)?;
    let winner = pipeline::prove_best(&mut loaded, &searched, &arguments.space, LIMIT, output)?;
    output.line(&loaded.cut.kernel);
    show::parts(&loaded, &winner.found).iter().for_each(|line| output.line(&format!("  {line}")));
    let dataflows: Vec<Dataflow> = winner.found.parts.iter().map(|part| part.dataflow.clone()).collect();
    let recurrences = rewrite::show_system(&loaded.cut, &dataflows);
    recurrences.iter().for_each(|line| output.line(&format!("  {line}")));
    let texts = show::texts(&loaded, &winner.found);
    let parts = pipeline::scheduled(&winner.found, &texts);
    let steps: Vec<Step> =
        parts.iter().enumerate().flat_map(|(space, part)| loaded.lowered.explain_scheduled(space, *part)).collect();
    output.line("");
    for (number, step) in steps.iter().enumerate() {
        output.line(&format!("  {:>3}. {}", number + 1, step.rule));
        output.line(&format!("       {}\n    -> {}", step.before, step.after));
    }
    let steps: Vec<Value> =
        steps.iter().map(|step| json!({ "rule": step.rule, "before": step.before, "after": step.after })).collect();
    output.object(&json!({ "recurrences": recurrences, "steps": steps }));
    Ok(Verdict::Good)
}

/// `systole emit`.
pub fn emit(arguments: &EmitArguments, output: &Output) -> Done {
    let mut loaded = pipeline::load(&arguments.kernel)?;
    let searched = pipeline::search(&loaded, &arguments.space, output)?;
    let winner = pipeline::prove_best(&mut loaded, &searched, &arguments.space, arguments.limit, output)?;
    let (program, text) = program(&loaded, &searched, &winner)?;
    let wide = program.classes.iter().filter(|class| !class.thin).count();
    match &arguments.output {
        Some(path) => {
            files::write(path, &text)?;
            output.line(&format!("{}: {wide} classes of PE, {} lines", path.display(), text.lines().count()));
        }
        None => output.line(text.trim_end()),
    }
    output.object(&json!({
        "classes": wide,
        "thin_classes": program.classes.len() - wide,
        "lines": text.lines().count(),
        "program": if arguments.output.is_none() { json!(text) } else { json!(null) },
        "proofs": winner.proofs.len(),
    }));
    Ok(Verdict::Good)
}

fn program(loaded: &Loaded, searched: &Searched, winner: &Winner) -> Checked<(Program, String)> {
    let program = emitter::emit_system(&pipeline::design(loaded, &winner.found), &searched.machine.links)?;
    array::validate(&program)?;
    let text = array::print(&program);
    Ok((program, text))
}

/// `systole run`.
pub fn run(arguments: &RunArguments, output: &Output) -> Done {
    let mut loaded = pipeline::load(&arguments.kernel)?;
    inputs::sizes(&arguments.space.size, &loaded.system.parameters, None)?;
    let searched = pipeline::search(&loaded, &arguments.space, output)?;
    crate::driver::run::print_kernel(&loaded.system, output);
    print_search(&loaded, &searched, output);
    let winner = pipeline::prove_best(&mut loaded, &searched, &arguments.space, arguments.limit, output)?;
    print_winner(&loaded, &winner, output);
    let (program, text) = program(&loaded, &searched, &winner)?;
    if let Some(path) = &arguments.program {
        files::write(path, &text)?;
    }
    crate::driver::run::print_program(&program, &text, arguments, output);
    let tensors = inputs::tensors(
        &program,
        Some(&loaded.system),
        &searched.sizes,
        &arguments.arrays.input,
        arguments.arrays.seed,
    )?;
    let start = Instant::now();
    let outcome = sim::simulate(&program, &searched.sizes, &tensors, &settings(&searched))?;
    let elapsed = start.elapsed().as_secs_f64() * 1e3;
    let expected = recurrence::evaluate(&loaded.system, &searched.sizes, &tensors)?;
    let same = expected.iter().all(|(name, array)| same_bits(outcome.outputs.get(name), array));
    let agrees = outcome.deadlock.is_none() && same;
    write_outputs(&program, &outcome, &arguments.arrays.output)?;
    let predicted = (searched.counted == searched.sizes).then_some(winner.found.cost.cycles);
    print_outcome(predicted, &outcome, agrees, elapsed, output);
    output.object(&json!({
        "search": show::search_json(&loaded, &searched, Some(winner.index)),
        "prove": proofs_json(&winner.proofs),
        "sim": with_match(&outcome, Some(agrees)),
        "record": winner.record,
        "program": { "classes": program.classes.iter().filter(|class| !class.thin).count(), "lines": text.lines().count() },
    }));
    Ok(verdict(&outcome, Some(agrees), output))
}

fn settings(searched: &Searched) -> Settings {
    let machine = &searched.machine;
    Settings { response: machine.links.response.unsigned_abs(), capacity: machine.capacity, ..Settings::default() }
}

fn print_winner(loaded: &Loaded, winner: &Winner, output: &Output) {
    let cost = &winner.found.cost;
    output.line(&format!(
        "  winner    {} cycles on {} PEs, {} words moved, {} loaded",
        grouped(cost.cycles),
        grouped(cost.pes),
        grouped(cost.channel_words),
        grouped(cost.memory_words)
    ));
    show::parts(loaded, &winner.found).iter().for_each(|line| output.line(&format!("            {line}")));
    let parameters = loaded.cut.parameters.iter().map(|name| name.to_string()).collect::<Vec<_>>().join(", ");
    let milliseconds: f64 = winner.proofs.iter().map(|proof| proof.milliseconds).sum();
    let count = winner.proofs.len();
    output.line(&format!("  proofs    {count} of {count} proved for all {parameters} >= 1{milliseconds:>33.0} ms"));
}

fn print_outcome(predicted: Option<u64>, outcome: &Outcome, agrees: bool, milliseconds: f64, output: &Output) {
    let compared = match predicted {
        Some(cycles) if cycles == outcome.cycles => " (as predicted)".to_owned(),
        Some(cycles) => format!(" (predicted {cycles})"),
        None => String::new(),
    };
    let value = if agrees { "matches reference bit for bit" } else { "DIFFERS from the reference" };
    output.line(&format!(
        "  simulate  {} cycles{compared} on {} PEs, {:.0}% busy, {value}{milliseconds:>10.0} ms",
        outcome.cycles,
        outcome.pes,
        outcome.utilisation() * 100.0
    ));
    output.line("next: systole explain .. | systole emit .. -o FILE.pe | systole sim FILE.pe --size ..");
}
