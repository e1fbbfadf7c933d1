//! What the commands print of any kernel: lines for people, objects for programs.

use crate::driver::flags::limit_arguments::{to_json, told};
use crate::driver::kernels::kernel::Kernel;
use crate::driver::kernels::left_out::left_out;
use crate::driver::kernels::searched::Searched;
use crate::driver::kernels::shape;
use crate::driver::pipeline::verdict;
use crate::driver::shown::closure::Closure;
use crate::driver::shown::energy;
use crate::driver::shown::output::Output;
use serde_json::{Map, Value, json};
use systole_base::diagnostic::plural;
use systole_base::integer::{Affine, Bindings, Name, Parameters};
use systole_base::span::Span;
use systole_compile::cost::Cost;
use systole_compile::extract::Found;
use systole_compile::extract::{Strategy, Survey};
use systole_compile::rewrite::{Dataflow, Report, Transport};
use systole_compile::smt::{Discharged, Verdict};
use systole_equations::recurrence::{RecurrenceSystem, Space};
use systole_equations::tiles::Tiled;

/// The lines on tiles, rewriting and searching.
pub fn print_search(report: &Report, searched: &Searched, output: &Output) {
    if let Some(moved) = searched.kernel.origin.tiled().and_then(moved) {
        output.line(&format!("  tiles     {moved}, so that no tile waits for itself through others"));
    }
    output.line(&format!("  rewrite   {}{:>21.0} ms", told(report), report.seconds * 1e3));
    if let Some(divided) = &searched.kernel.partition {
        output.line(&format!("  divided   {}", divided.said));
    }
    if searched.is_given() {
        return output.line("  search    none, as the schedule is a whole design");
    }
    let (what, width) = match searched.problem.strategy() {
        Strategy::Enumerate => ("map", 12),
        Strategy::Solve => ("placement", 7),
    };
    let Survey { maps, legal, designs, .. } = searched.survey;
    output.line(&format!(
        "  search    {}, {} legal, {}, {} on the front{:>width$.0} ms{}",
        grouped_count(maps, what),
        grouped(legal),
        grouped_count(designs, "design"),
        searched.front.len(),
        searched.elapsed.as_secs_f64() * 1e3,
        counted_elsewhere(searched).map_or_else(String::new, |at| format!(", counted at {at}")),
    ));
    let left_out = left_out(searched).into_iter().filter(|left| left.count > 0);
    let said: Vec<String> = left_out.map(|left| left.said()).collect();
    if !said.is_empty() {
        output.line(&format!("  left out  {}", said.join(", ")));
    }
    if let Some(why) = stopped(searched) {
        output.line(&format!("  stopped   {why}"));
    }
}

/// What is in tiles in place of the subscripts of slanted tensors, if there are any.
fn moved(tiled: &Tiled) -> Option<String> {
    let moved: Vec<String> = tiled.moved.iter().map(|(form, size)| format!("{form} by {size}")).collect();
    (!moved.is_empty()).then(|| moved.join(", "))
}

/// Why a search ended before it was done.
fn stopped(searched: &Searched) -> Option<&'static str> {
    searched.survey.is_stopped.then(|| match searched.setting.end.token.is_cancelled() {
        true => "these are the best so far",
        false => "--seconds are over: these are the best so far, which depends on the machine",
    })
}

/// The sizes at which designs were costed, where these are not those asked for: there the spaces have too many points to count, or none.
pub fn counted_elsewhere(searched: &Searched) -> Option<String> {
    let counted = searched.counted()?;
    (*counted != searched.setting.sizes).then(|| sizes_text(counted))
}

/// `M=4,N=8`.
pub fn sizes_text(sizes: &Bindings) -> String {
    let list: Vec<String> = sizes.iter().map(|(size, value)| format!("{size}={value}")).collect();
    list.join(",")
}

/// ` for all M, N >= 1`, with what is assumed beyond that; of a kernel without sizes nothing.
pub fn for_all(parameters: &Parameters) -> String {
    if parameters.is_empty() {
        " (there are no sizes)".to_owned()
    } else {
        format!(" for all {} >= 1{}", parameters.join(", "), parameters.assumptions())
    }
}

/// The equations as written, each on one line.
pub fn equations(system: &RecurrenceSystem) -> Vec<String> {
    let text = |span| system.source.slice(span).split_whitespace().collect::<Vec<_>>().join(" ");
    let spans: Vec<Span> = system.equations.iter().map(|equation| equation.span).collect();
    // What one equation of the user is written out as stands within it, or is it again.
    let is_first = |(position, span): &(usize, &Span)| {
        !spans[..*position].contains(span) && !spans.iter().any(|other| other != *span && other.holds(**span))
    };
    spans.iter().enumerate().filter(is_first).map(|(_, span)| text(*span)).collect()
}

/// `4 cycles on 2 PEs, 3 words moved, 8 loaded`.
pub fn cost(cost: &Cost) -> String {
    format!(
        "{} on {}, {} moved, {} loaded",
        grouped_count(cost.cycles, "cycle"),
        grouped_count(cost.pes, "PE"),
        grouped_count(cost.channel_words, "word"),
        grouped(cost.memory_words)
    )
}

/// The search as JSON: these designs under `key`, and which of them is the winner. There may be tens of thousands, so they are only listed where
/// the output is JSON.
pub fn search_json(
    report: &Report,
    searched: &Searched,
    (key, designs): (&str, &[Found]),
    (winner, output): (Option<usize>, &Output),
) -> Value {
    let Survey { maps, legal, designs: count, .. } = searched.survey;
    let listed = if output.is_json() { designs } else { &[] };
    let list: Vec<Value> = listed.iter().map(|found| found_json(searched, found)).collect();
    let mut object = json!({ key: list, "winner": winner, "maps": maps, "legal": legal, "designs": count });
    let left_out = left_out(searched);
    if !left_out.is_empty() {
        object["left_out"] = left_out.iter().map(|left| (left.key.to_owned(), json!(left.count))).collect();
    }
    object["closed"] = Closure::of(searched).to_json();
    if searched.survey.is_stopped {
        object["stopped"] = json!(true);
    }
    let strips = searched.kernel.cut.strips();
    if !strips.is_empty() {
        let strips = strips.iter().map(|strip| (strip.index.to_string(), json!(strip.size)));
        object["strips"] = Value::Object(strips.collect());
    }
    if let Some(sizes) = searched.counted() {
        object["counted_at"] = sizes_json(sizes);
    }
    object["seconds"] = json!(searched.elapsed.as_secs_f64());
    object["saturation"] = saturation_json(searched.kernel, report);
    object["saturation"]["seconds"] = json!(report.seconds);
    object
}

/// What saturation did, and how far laws of algebra were followed before.
pub fn saturation_json(kernel: &Kernel, report: &Report) -> Value {
    let mut object = to_json(report);
    if let Some(followed) = &kernel.origin.followed {
        object["laws"] = to_json(followed);
    }
    object
}

/// Sizes as an object.
pub fn sizes_json(sizes: &Bindings) -> Value {
    Value::Object(sizes.iter().map(|(size, value)| (size.to_string(), json!(value))).collect())
}

/// The titles of the columns that [`design_rows`] has.
pub const TITLES: &str = "cycles   PEs  channel  memory  buffers  fanout   design";

/// A design in a table: its costs, and the design beside them where it takes no more than one row; else a row for each space below.
pub fn design_rows(searched: &Searched, found: &Found) -> Vec<String> {
    let (cost, words) = (&found.cost, shape::words(&searched.design(found)));
    let line = words.line().map_or_else(String::new, |line| format!("   {line}"));
    let first = format!(
        "{:>6} {:>5} {:>8} {:>7} {:>8} {:>7}{line}",
        cost.cycles, cost.pes, cost.channel_words, cost.memory_words, cost.buffers, cost.fanout
    );
    std::iter::once(first).chain(words.spaces().iter().map(|line| format!("         {line}"))).collect()
}

/// The titles of the columns that [`front_row`] has.
pub const FRONT: [&str; 7] = ["cycles", "pes", "channel_words", "memory_words", "buffers", "fanout", "design"];

/// A design in a table for other programs: its costs, and the design in one line.
pub fn front_row(cost: &Cost, design: &str) -> Vec<String> {
    let numbers = [
        cost.cycles.to_string(),
        cost.pes.to_string(),
        cost.channel_words.to_string(),
        cost.memory_words.to_string(),
        cost.buffers.to_string(),
        cost.fanout.to_string(),
    ];
    numbers.into_iter().chain([design.to_owned()]).collect()
}

/// A design in one line, its spaces side by side.
pub fn design_line(searched: &Searched, found: &Found) -> String {
    shape::line(&searched.design(found))
}

/// How many of `count` designs a table of `most` leaves out, if any.
pub fn print_rest(count: usize, most: usize, output: &Output) {
    if count > most {
        output.line(&format!("  and {} more: --most {count}, or --json", count - most));
    }
}

/// A design as the JSON object of `systole search`.
pub fn found_json(searched: &Searched, found: &Found) -> Value {
    let (design, cost) = (searched.design(found), &found.cost);
    let mut object = Value::Object(shape::map_json(&design));
    object["cycles"] = json!(cost.cycles);
    object["pes"] = json!(cost.pes);
    object["transport"] = transports_json(&shape::dataflows(&design));
    object["channel_words"] = json!(cost.channel_words);
    object["memory_words"] = json!(cost.memory_words);
    object["buffers"] = json!(cost.buffers);
    object["fanout"] = json!(cost.fanout);
    object["design"] = json!(shape::line(&design));
    if let Some(energy) = energy::predicted(searched, found) {
        object["energy"] = json!(energy);
    }
    object
}

/// Transports by tensor; a tensor that is read, or reduced, more than once has `#2` and so on after its name.
fn transports_json(dataflows: &[(&Space, &Dataflow)]) -> Value {
    let mut transports = Map::new();
    let mut insert = |tensor: &Name, transport: String| {
        let keys = std::iter::once(tensor.to_string()).chain((2..).map(|count| format!("{tensor}#{count}")));
        if let Some(key) = keys.take(1000).find(|key| !transports.contains_key(key)) {
            transports.insert(key, json!(transport));
        }
    };
    for (space, dataflow) in dataflows {
        for (operand, choice) in space.operands.iter().zip(&dataflow.transports) {
            insert(&operand.tensor, choice.show(space));
        }
        for along in &dataflow.chain.directions {
            insert(&space.output, Transport::Stream(along.clone()).show(space));
        }
    }
    Value::Object(transports)
}

/// The proofs as JSON.
pub fn proofs_json(proofs: &[Discharged]) -> Value {
    let one = |proof: &Discharged| {
        let mut object = json!({
            "kind": proof.obligation.kind.keyword(),
            "of": &*proof.obligation.of,
            "result": proof.verdict.keyword(),
            "ms": proof.milliseconds,
        });
        match &proof.verdict {
            Verdict::Refuted(example) => {
                let values = example.values.iter().map(|(name, value)| (name.to_string(), json!(value)));
                object["counterexample"] = Value::Object(values.collect());
                object["reason"] = json!(proof.obligation.reason.broken);
            }
            Verdict::Unknown(why) => object["reason"] = json!(why),
            Verdict::Proved => {}
        }
        object
    };
    let result = match verdict(proofs) {
        crate::driver::Verdict::Good => "proved",
        crate::driver::Verdict::Refuted | crate::driver::Verdict::Misused => "refuted",
        crate::driver::Verdict::Unknown => "unknown",
    };
    json!({ "obligations": proofs.iter().map(one).collect::<Vec<_>>(), "result": result })
}

/// Place or step as the text of `sched` nodes.
pub fn bracketed(forms: &[Affine]) -> String {
    format!("[{}]", list(forms).replace(' ', ""))
}

/// Forms with commas between them.
pub fn list(forms: &[Affine]) -> String {
    forms.iter().map(Affine::to_string).collect::<Vec<String>>().join(", ")
}

/// `9,750 words` for 9750, with the word for so many.
pub fn grouped_count(number: u64, noun: &str) -> String {
    format!("{} {}", grouped(number), plural(number, noun))
}

/// `9,750` for 9750.
pub fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let groups: Vec<&str> =
        digits.as_bytes().rchunks(3).rev().filter_map(|group| std::str::from_utf8(group).ok()).collect();
    groups.join(",")
}
