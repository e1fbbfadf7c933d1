//! Words for designs: one line for people, one object for programs.

use super::pipeline::{Loaded, Searched};
use crate::diagnostic::Diagnostic;
use crate::extract::{Found, Rejections};
use crate::integer::{Affine, Matrix, Name};
use crate::mapping::SpaceTimeMap;
use crate::recurrence::Space;
use crate::rewrite::{Dataflow, Transport};
use crate::smt::{Discharged, Verdict};
use serde_json::{Map, Value, json};

/// `t = i + j + k   PE (i, j)`.
pub fn map(space: &Space, map: &SpaceTimeMap) -> String {
    format!("t = {}   PE ({})", step(space, &map.step), forms(space, &map.place).join(", "))
}

/// `i + j + k`, or `(j, i + k)` for vector time.
pub fn step(space: &Space, step: &Matrix) -> String {
    match &forms(space, step)[..] {
        [single] => single.clone(),
        several => format!("({})", several.join(", ")),
    }
}

/// Place and step as the text of `sched` nodes.
pub fn rows(space: &Space, map: &SpaceTimeMap) -> (String, String) {
    let text = |rows: &Matrix| format!("[{}]", forms(space, rows).join(",").replace(' ', ""));
    (text(&map.place), text(&map.step))
}

fn forms(space: &Space, rows: &Matrix) -> Vec<String> {
    rows.rows().iter().map(|row| Affine::from_row(space.indices(), row).to_string()).collect()
}

/// `A streams east, B streams south, C stays`.
pub fn dataflow(space: &Space, map: &SpaceTimeMap, dataflow: &Dataflow) -> String {
    let operands = space.operands.iter().zip(&dataflow.transports);
    let mut words: Vec<String> = operands.map(|(operand, choice)| moves(&operand.tensor, choice, map)).collect();
    for along in &dataflow.chain.directions {
        words.push(moves(&space.output, &Transport::Stream(along.clone()), map));
    }
    words.join(", ")
}

fn moves(tensor: &str, transport: &Transport, map: &SpaceTimeMap) -> String {
    match transport {
        Transport::Stream(along) => match compass(&map.displacement(along)) {
            None => format!("{tensor} stays"),
            Some(way) => format!("{tensor} streams {way}"),
        },
        Transport::Broadcast(along) => match compass(&map.displacement(along)) {
            None => format!("{tensor} is shared"),
            Some(way) => format!("{tensor} is broadcast {way}"),
        },
        Transport::Prefetch => format!("{tensor} is prefetched"),
        Transport::Feed => format!("{tensor} is fed"),
        Transport::Bus => format!("{tensor} comes over one bus"),
        Transport::Handoff => format!("{tensor} is handed over"),
    }
}

/// The first coordinate grows southwards, the second eastwards; a row of PEs runs east.
fn compass(displacement: &[i64]) -> Option<String> {
    let word = |value: i64, plus: &'static str, minus: &'static str| match value.signum() {
        1 => plus,
        -1 => minus,
        _ => "",
    };
    match displacement {
        [] => None,
        [0] | [0, 0] => None,
        [x @ (1 | -1)] => Some(word(*x, "east", "west").to_owned()),
        [y @ -1..=1, x @ -1..=1] => Some(format!("{}{}", word(*y, "south", "north"), word(*x, "east", "west"))),
        other if other.iter().all(|entry| *entry == 0) => None,
        other => Some(format!("by {other:?}")),
    }
}

/// A design as the JSON object of `systole search`.
pub fn found_json(space: &Space, found: &Found) -> Value {
    let steps = found.map.step.rows();
    let step = if steps.len() == 1 { json!(steps[0]) } else { json!(steps) };
    json!({
        "place": { "S": found.map.place.rows() },
        "step": { "S": step },
        "cycles": found.cost.cycles,
        "pes": found.cost.pes,
        "transport": transport_json(space, &found.dataflow),
        "channel_words": found.cost.channel_words,
        "memory_words": found.cost.memory_words,
        "buffers": found.cost.buffers,
        "fanout": found.cost.fanout,
    })
}

/// Transports by tensor; a tensor that is read, or reduced, more than once has `#2` and so on after its name.
fn transport_json(space: &Space, dataflow: &Dataflow) -> Value {
    let mut transports = Map::new();
    let mut insert = |tensor: &Name, transport: String| {
        let keys = std::iter::once(tensor.to_string()).chain((2..).map(|count| format!("{tensor}#{count}")));
        if let Some(key) = keys.take(1000).find(|key| !transports.contains_key(key)) {
            transports.insert(key, json!(transport));
        }
    };
    for (operand, choice) in space.operands.iter().zip(&dataflow.transports) {
        insert(&operand.tensor, choice.show(space));
    }
    for along in &dataflow.chain.directions {
        insert(&space.output, Transport::Stream(along.clone()).show(space));
    }
    Value::Object(transports)
}

/// The search as JSON.
pub fn search_json(loaded: &Loaded, searched: &Searched, all: bool, winner: Option<usize>) -> Value {
    let report = &loaded.lowered.report;
    let designs = if all { &searched.survey.all } else { &searched.front };
    let list: Vec<Value> = designs.iter().map(|found| found_json(&loaded.space, found)).collect();
    let mut object = json!({});
    object[if all { "all" } else { "front" }] = json!(list);
    object["winner"] = json!(winner);
    object["maps"] = json!(searched.survey.maps);
    object["legal"] = json!(searched.survey.legal);
    object["designs"] = json!(searched.survey.designs);
    object["seconds"] = json!(searched.elapsed.as_secs_f64());
    object["saturation"] = json!({
        "nodes": report.nodes, "classes": report.classes, "iterations": report.iterations, "stop": report.stop,
        "seconds": report.seconds,
    });
    object
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
    let result = match super::pipeline::verdict(proofs) {
        super::Verdict::Good => "proved",
        super::Verdict::Refuted => "refuted",
        super::Verdict::Unknown => "unknown",
    };
    json!({ "obligations": proofs.iter().map(one).collect::<Vec<_>>(), "result": result })
}

/// `9,750` for 9750.
pub fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let groups: Vec<&str> =
        digits.as_bytes().rchunks(3).rev().filter_map(|group| std::str::from_utf8(group).ok()).collect();
    groups.join(",")
}

/// The message for an empty front: what stood in the way, most frequent first, and what to relax.
pub fn nothing_found(loaded: &Loaded, searched: &Searched) -> Diagnostic {
    let space = &loaded.space;
    let links = &searched.machine.links;
    let message = format!("no design of `{}` is legal among {} maps", space.kernel, grouped(searched.survey.maps));
    let mut diagnostic = Diagnostic::new(message);
    if let Some(span) = searched.constraint.span {
        diagnostic = diagnostic.label(&space.source, span, "with what this schedule fixes");
    }
    let reasons =
        reasons(&searched.survey.rejections, links.network.keyword(), links.latency, searched.constraint.boundary_io);
    let help = reasons.first().map_or("widen --steps or --bound", |(_, _, help)| *help).to_owned();
    reasons.into_iter().fold(diagnostic, |diagnostic, (_, text, _)| diagnostic.note(text)).help(help)
}

fn reasons(rejections: &Rejections, network: &str, latency: i64, boundary: bool) -> Vec<(u64, String, &'static str)> {
    let mut reasons = vec![];
    let conflicts = format!("{} maps give two points of a PE the same time", grouped(rejections.conflicts));
    reasons.push((
        rejections.conflicts,
        conflicts,
        "change the place or the time so that [place; time] is non-singular",
    ));
    let oversized = format!("{} maps need a larger array than the machine has", grouped(rejections.oversized));
    reasons.push((rejections.oversized, oversized, "smaller sizes, a lower rank, or a machine with a larger `extent`"));
    let unclocked = format!("{} maps have rows of unequal length", grouped(rejections.unclocked));
    reasons.push((rejections.unclocked, unclocked, "choose another order of the leading rows of the time"));
    for (tensor, count) in &rejections.unreachable {
        let inside = if boundary { ", or values would cross inside the array" } else { "" };
        let text = format!("at {} places the {network} network has no link for `{tensor}`{inside}", grouped(*count));
        reasons.push((*count, text, "choose another --network, or let the tensor stay"));
    }
    for (tensor, count) in &rejections.late {
        let text = format!("under {} maps `{tensor}` has no time to travel at latency {latency}", grouped(*count));
        reasons.push((*count, text, "give the direction the tensor moves along a larger coefficient in the time"));
    }
    reasons.retain(|(count, ..)| *count > 0);
    reasons.sort_by_key(|(count, ..)| std::cmp::Reverse(*count));
    reasons
}
