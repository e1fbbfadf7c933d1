//! `systole search`: the Pareto front, or every legal design.

use super::arguments::SearchArguments;
use super::output::Output;
use super::pipeline::{self, Loaded, Searched};
use super::{Done, Verdict, show};
use crate::extract::Found;

/// Runs the command.
pub fn run(arguments: &SearchArguments, output: &Output) -> Done {
    let loaded = pipeline::load(&arguments.kernel)?;
    let searched = pipeline::search(&loaded, &arguments.space, arguments.all, output)?;
    if searched.front.is_empty() {
        return Err(pipeline::why_nothing(&loaded, &searched, &arguments.space, 10_000)?.into());
    }
    print_search(&loaded, &searched, output);
    let designs = if arguments.all { &searched.survey.all } else { &searched.front };
    print_table(&loaded, designs, arguments.most, output);
    let winner = designs.iter().position(|found| *found == searched.front[0]);
    output.object(&show::search_json(&loaded, &searched, arguments.all, winner));
    Ok(Verdict::Good)
}

/// The lines on rewriting and searching.
pub fn print_search(loaded: &Loaded, searched: &Searched, output: &Output) {
    let report = &loaded.lowered.report;
    let (nodes, classes, rounds) = (report.nodes, report.classes, report.iterations);
    let milliseconds = report.seconds * 1e3;
    let stop = report.stop.to_lowercase();
    output.line(&format!(
        "  rewrite   {nodes} e-nodes, {classes} classes, {stop} in {rounds} rounds{milliseconds:>21.0} ms"
    ));
    let survey = &searched.survey;
    output.line(&format!(
        "  search    {} maps, {} legal, {} designs, {} on the front{:>12.0} ms",
        show::grouped(survey.maps),
        show::grouped(survey.legal),
        show::grouped(survey.designs),
        searched.front.len(),
        searched.elapsed.as_secs_f64() * 1e3,
    ));
}

fn print_table(loaded: &Loaded, designs: &[Found], most: usize, output: &Output) {
    output.line("");
    output.line("  cycles   PEs  channel  memory  buffers  fanout   design");
    for found in designs.iter().take(most) {
        let cost = &found.cost;
        output.line(&format!(
            "  {:>6} {:>5} {:>8} {:>7} {:>8} {:>7}   {}   {}",
            cost.cycles,
            cost.pes,
            cost.channel_words,
            cost.memory_words,
            cost.buffers,
            cost.fanout,
            show::map(&loaded.space, &found.map),
            show::dataflow(&loaded.space, &found.map, &found.dataflow),
        ));
    }
    if designs.len() > most {
        output.line(&format!("  and {} more: --most {}, or --json", designs.len() - most, designs.len()));
    }
}
