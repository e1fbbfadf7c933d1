//! Words for designs of one space.

use crate::driver::shown::show::{bracketed, list};
use crate::report::LaidOut;
use serde_json::{Map, Value, json};
use systole_base::integer::{Affine, Matrix};
use systole_compile::mapping::{Design, Fold, SpaceTimeMap};
use systole_compile::rewrite::{Dataflow, Transport};
use systole_equations::recurrence::Space;

/// `t = i + j + k   PE (i, j)`.
pub fn map(space: &Space, map: &SpaceTimeMap) -> String {
    format!("t = {}   PE ({})", step(&forms(space, &map.step)), list(&forms(space, &map.place)))
}

/// `i + j + k`, or `(j, i + k)` for vector time.
fn step(forms: &[Affine]) -> String {
    match forms {
        [single] => single.to_string(),
        several => format!("({})", list(several)),
    }
}

/// Place and step as the text of `sched` nodes.
pub fn rows(space: &Space, map: &SpaceTimeMap) -> (String, String) {
    (bracketed(&forms(space, &map.place)), bracketed(&forms(space, &map.step)))
}

fn forms(space: &Space, rows: &Matrix) -> Vec<Affine> {
    rows.rows().iter().map(|row| Affine::from_row(space.indices(), row)).collect()
}

/// `A streams east, B streams south, C stays`.
pub fn dataflow(space: &Space, map: &SpaceTimeMap, dataflow: &Dataflow) -> String {
    all_moves(space, map, dataflow).join(", ")
}

/// Place and time of the points of a design.
pub fn laid_out<'a>(design: &'a Design<'_>) -> LaidOut<'a> {
    let (space, map) = (design.space, &design.map);
    LaidOut {
        space,
        place: forms(space, &map.place),
        fold: Fold::default(),
        time: forms(space, &map.step),
        moves: all_moves(space, map, &design.dataflow),
    }
}

fn all_moves(space: &Space, map: &SpaceTimeMap, dataflow: &Dataflow) -> Vec<String> {
    let operands = space.operands.iter().zip(&dataflow.transports);
    let mut words: Vec<String> = operands.map(|(operand, choice)| moves(&operand.tensor, choice, map)).collect();
    for along in &dataflow.chain.directions {
        words.push(moves(&space.output, &Transport::Stream(along.clone()), map));
    }
    words
}

fn moves(tensor: &str, transport: &Transport, map: &SpaceTimeMap) -> String {
    match transport {
        Transport::Tree(directions) => {
            let way = |along: &Vec<i64>| compass(&map.displacement(along));
            let ways = directions.iter().map(|along| way(along).map_or("stays".into(), |way| format!("streams {way}")));
            format!("{tensor} {}", ways.rev().collect::<Vec<_>>().join(", then "))
        }
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

/// Place and step as an object; the one space is called `S`.
pub fn map_json(map: &SpaceTimeMap) -> Map<String, Value> {
    let steps = map.step.rows();
    let step = if steps.len() == 1 { json!(steps[0]) } else { json!(steps) };
    [("place", json!({ "S": map.place.rows() })), ("step", json!({ "S": step }))]
        .map(|(key, value)| (key.to_owned(), value))
        .into_iter()
        .collect()
}
