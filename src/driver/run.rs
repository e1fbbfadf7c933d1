//! `systole run`: the main job, from equations to a checked run.

use super::arguments::RunArguments;
use super::border::{self, Border};
use super::output::Output;
use super::pipeline::{self, Loaded, Searched, Winner};
use super::search::print_search;
use super::sim::{check_numbers, same_bits, verdict, with_match, write_outputs};
use super::{Done, files, inputs, show};
use crate::array::{self, Program, Tensors};
use crate::diagnostic::Checked;
use crate::recurrence::{self, RecurrenceSystem};
use crate::sim::{self, Outcome, Settings};
use serde_json::json;
use std::time::Instant;

/// Runs the command.
pub fn run(arguments: &RunArguments, output: &Output) -> Done {
    let mut loaded = pipeline::load(&arguments.kernel)?;
    inputs::sizes(&arguments.space.size, &loaded.system.parameters, None)?;
    let searched = pipeline::search(&loaded, &arguments.space, false, output)?;
    print_kernel(&loaded.system, output);
    print_search(&loaded, &searched, output);
    let winner = pipeline::prove_best(&mut loaded, &searched, &arguments.space, arguments.limit, output)?;
    print_winner(&loaded, &winner, output);
    let program = border::program(&winner.design(&loaded.space, &searched), &searched)?;
    array::validate(&program)?;
    let text = array::print(&program);
    if let Some(path) = &arguments.program {
        files::write(path, &text)?;
    }
    print_program(&program, &text, arguments, output);
    let arrays = &arguments.arrays;
    let tensors = inputs::tensors(&program, Some(&loaded.system), &searched.sizes, &arrays.input, arrays.seed)?;
    let start = Instant::now();
    let outcome = sim::simulate(&program, &searched.sizes, &tensors, &settings(&searched))?;
    let elapsed = start.elapsed().as_secs_f64() * 1e3;
    let agrees = agrees(&loaded, &searched, &winner, &tensors, &outcome)?;
    write_outputs(&program, &outcome, &arguments.arrays.output)?;
    print_run(&winner, &searched.border, &outcome, agrees, elapsed, output);
    output.object(&json!({
        "search": show::search_json(&loaded, &searched, false, Some(winner.index)),
        "prove": show::proofs_json(&winner.proofs),
        "sim": with_match(&outcome, Some(agrees)),
        "record": winner.record,
        "program": { "classes": program.classes.iter().filter(|class| !class.thin).count(), "lines": text.lines().count() },
    }));
    Ok(verdict(&outcome, Some(agrees), output))
}

/// The equations.
pub fn print_kernel(system: &RecurrenceSystem, output: &Output) {
    let parameters = system.parameters.iter().map(|name| name.to_string()).collect::<Vec<_>>().join(", ");
    for equation in &system.equations {
        let text = system.source.slice(equation.span).split_whitespace().collect::<Vec<_>>().join(" ");
        output.line(&format!("{}({parameters})   {text}", system.name));
    }
}

fn settings(searched: &Searched) -> Settings {
    let machine = &searched.machine;
    Settings { response: machine.links.response.unsigned_abs(), capacity: machine.capacity, ..Settings::default() }
}

/// Bit for bit the meaning of the equations, with the reduction in the order of the design.
fn agrees(loaded: &Loaded, searched: &Searched, winner: &Winner, inputs: &Tensors, outcome: &Outcome) -> Checked<bool> {
    let chain = &winner.found.dataflow.chain;
    let expected = recurrence::evaluate_in_order(&loaded.space, chain, &searched.sizes, inputs)?;
    check_numbers(&loaded.space.output, &expected)?;
    Ok(outcome.deadlock.is_none() && same_bits(outcome.outputs.get(&loaded.space.output), &expected))
}

fn print_winner(loaded: &Loaded, winner: &Winner, output: &Output) {
    let (space, found, cost) = (&loaded.space, &winner.found, &winner.found.cost);
    output.line(&format!(
        "  winner    {}   {}",
        show::map(space, &found.map),
        show::dataflow(space, &found.map, &found.dataflow)
    ));
    output.line(&format!(
        "            {} cycles on {} PEs, {} words moved, {} loaded",
        show::grouped(cost.cycles),
        show::grouped(cost.pes),
        show::grouped(cost.channel_words),
        show::grouped(cost.memory_words)
    ));
    let parameters = space.parameters.iter().map(|name| name.to_string()).collect::<Vec<_>>().join(", ");
    let milliseconds: f64 = winner.proofs.iter().map(|proof| proof.milliseconds).sum();
    output.line(&format!(
        "  proofs    {0} of {0} proved for all {parameters} >= 1{milliseconds:>33.0} ms",
        winner.proofs.len()
    ));
}

/// What was written.
pub fn print_program(program: &Program, text: &str, arguments: &RunArguments, output: &Output) {
    let wide = program.classes.iter().filter(|class| !class.thin).count();
    let depth = program.channels.iter().map(|channel| channel.depth).max();
    let fifo = depth.map_or_else(String::new, |depth| format!(", FIFO depth {depth} is enough"));
    let file = arguments.program.as_ref().map_or_else(String::new, |path| format!("   {}", path.display()));
    output.line(&format!("  program   {wide} classes of PE, {} lines{fifo}{file}", text.lines().count()));
}

fn print_run(winner: &Winner, border: &Border, outcome: &Outcome, agrees: bool, milliseconds: f64, output: &Output) {
    let predicted = winner.found.cost.cycles;
    let compared = match border {
        Border::Loads => format!("{predicted} and the ways from and to the border"),
        _ if predicted == outcome.cycles => "as predicted".to_owned(),
        _ => format!("predicted {predicted}"),
    };
    let value = if agrees { "matches reference bit for bit" } else { "DIFFERS from the reference" };
    output.line(&format!(
        "  simulate  {} cycles ({compared}) on {} PEs, {:.0}% busy, {value}{milliseconds:>10.0} ms",
        outcome.cycles,
        outcome.pes,
        outcome.utilisation() * 100.0
    ));
    output.line("next: systole explain .. | systole emit .. -o FILE.pe | systole sim FILE.pe --size ..");
}
