//! Words for designs of several spaces.

use super::pipeline::{Loaded, Searched};
use crate::driver::show::grouped;
use crate::extract::SystemFound;
use crate::integer::Affine;
use crate::mapping::{Part, SystemDesign};
use crate::recurrence::Space;
use crate::rewrite::Transport;
use serde_json::{Map, Value, json};

/// `X.sum: t = i + j  PE (i)`, one line a space.
pub fn parts(loaded: &Loaded, found: &SystemFound) -> Vec<String> {
    let design = SystemDesign { system: &loaded.cut, parts: found.parts.clone() };
    let width = loaded.cut.spaces.iter().map(|space| space.name.len()).max().unwrap_or(0);
    let line = |(position, space): (usize, &Space)| {
        let point = design.point(position);
        let time = list(&design.time(position, &point));
        let place = list(&design.place(position, &point));
        let moves = moves(space, &found.parts[position]).join(", ");
        format!("{:width$}  t = {time}   PE ({place})   {moves}", space.name)
    };
    loaded.cut.spaces.iter().enumerate().map(line).collect()
}

/// Place and step of each space as the text of `sched` nodes.
pub fn texts(loaded: &Loaded, found: &SystemFound) -> Vec<(String, String)> {
    let design = SystemDesign { system: &loaded.cut, parts: found.parts.clone() };
    let text = |forms: &[Affine]| format!("[{}]", list(forms).replace(' ', ""));
    let part = |space: usize| {
        let point = design.point(space);
        (text(&design.place(space, &point)), text(&design.time(space, &point)))
    };
    (0..loaded.cut.spaces.len()).map(part).collect()
}

fn list(forms: &[Affine]) -> String {
    forms.iter().map(Affine::to_string).collect::<Vec<String>>().join(", ")
}

fn moves(space: &Space, part: &Part) -> Vec<String> {
    let operands = space.operands.iter().zip(&part.dataflow.transports);
    let results = part.dataflow.chain.directions.iter().map(|along| Transport::Stream(along.clone()));
    let results: Vec<Transport> = results.collect();
    let own = results.iter().map(|along| format!("{} {}", space.output, along.show(space)));
    operands.map(|(operand, choice)| format!("{} {}", operand.tensor, choice.show(space))).chain(own).collect()
}

/// A design as the JSON object of `systole search`: maps keyed by space.
pub fn found_json(loaded: &Loaded, found: &SystemFound) -> Value {
    let design = SystemDesign { system: &loaded.cut, parts: found.parts.clone() };
    let (mut place, mut step, mut origin, mut start) = (Map::new(), Map::new(), Map::new(), Map::new());
    let mut transport = Map::new();
    for (position, (space, part)) in loaded.cut.spaces.iter().zip(&design.parts).enumerate() {
        let name = space.name.to_string();
        place.insert(name.clone(), json!(part.map.place.rows()));
        step.insert(name.clone(), json!(part.map.step.rows().first()));
        let shift: Vec<String> = part.origin.iter().map(Affine::to_string).collect();
        origin.insert(name.clone(), json!(shift));
        start.insert(name.clone(), json!(part.start.to_string()));
        insert_transports(&mut transport, space, &design.parts[position]);
    }
    json!({
        "place": place, "step": step, "origin": origin, "start": start,
        "cycles": found.cost.cycles,
        "pes": found.cost.pes,
        "transport": transport,
        "channel_words": found.cost.channel_words,
        "memory_words": found.cost.memory_words,
        "buffers": found.cost.buffers,
        "fanout": found.cost.fanout,
    })
}

/// Transports by tensor; a tensor that is read more than once has `#2` and so on after its name.
fn insert_transports(transports: &mut Map<String, Value>, space: &Space, part: &Part) {
    let mut insert = |tensor: &str, text: String| {
        let keys = std::iter::once(tensor.to_owned()).chain((2..).map(|count| format!("{tensor}#{count}")));
        if let Some(key) = keys.take(1000).find(|key| !transports.contains_key(key)) {
            transports.insert(key, json!(text));
        }
    };
    for (operand, choice) in space.operands.iter().zip(&part.dataflow.transports) {
        insert(&operand.tensor, choice.show(space));
    }
    for along in &part.dataflow.chain.directions {
        insert(&space.output, Transport::Stream(along.clone()).show(space));
    }
}

fn left_out_json(searched: &Searched) -> Value {
    let left_out = &searched.survey.left_out;
    json!({
        "slanted_places": left_out.slanted,
        "crowded_places": left_out.crowded,
        "dataflows": left_out.dataflows,
    })
}

/// What the search did not look at, in words; nothing where it looked at all within its bounds.
pub fn left_out(searched: &Searched) -> Option<String> {
    let (left_out, limits) = (&searched.survey.left_out, &searched.limits);
    let (placements, dataflows) = (grouped(limits.placements as u64), grouped(limits.dataflows as u64));
    let parts = [
        (left_out.slanted, format!("places not along the axes (more than {} spaces)", limits.spaces)),
        (left_out.crowded, format!("places cut short at {placements} placements")),
        (left_out.dataflows, format!("dataflows beyond {dataflows} for one placement")),
    ];
    let said = parts.iter().filter(|(count, _)| *count > 0);
    let said: Vec<String> = said.map(|(count, what)| format!("{} {what}", grouped(*count))).collect();
    (!said.is_empty()).then(|| said.join(", "))
}

/// The search as JSON.
pub fn search_json(loaded: &Loaded, searched: &Searched, winner: Option<usize>) -> Value {
    let report = &loaded.lowered.report;
    let counted: Map<String, Value> =
        searched.counted.iter().map(|(size, value)| (size.to_string(), json!(value))).collect();
    json!({
        "front": searched.front.iter().map(|found| found_json(loaded, found)).collect::<Vec<_>>(),
        "winner": winner,
        "maps": searched.survey.maps,
        "legal": searched.survey.legal,
        "designs": searched.survey.designs,
        "left_out": left_out_json(searched),
        "counted_at": counted,
        "seconds": searched.elapsed.as_secs_f64(),
        "saturation": {
            "nodes": report.nodes, "classes": report.classes, "iterations": report.iterations, "stop": report.stop,
            "seconds": report.seconds,
        },
    })
}
