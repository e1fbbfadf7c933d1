//! The shape of a design in words and as data: where and when the points of each space run, and how values move.
//!
//! A design of one space that is not folded takes one line, and its directions are those of a compass; else each space has a
//! line of its own.

use crate::driver::kernels::design_text::DesignText;
use crate::driver::shown::show::{bracketed, list};
use crate::report::LaidOut;
use serde_json::{Map, Value, json};
use systole_base::diagnostic::WIDEST;
use systole_base::integer::Affine;
use systole_compile::mapping::{Design, MappedSpace, SpaceDesign, SpaceTimeMap};
use systole_compile::rewrite::{Dataflow, Lowered, Scheduled, Step, Transport};
use systole_equations::recurrence::Space;

/// A design in words.
pub fn words(design: &Design) -> DesignText {
    let Some(alone) = alone(design) else { return DesignText::Spaces(parts(design)) };
    let point = design.point(0);
    let (time, place) = (design.time(0, &point), list(&design.place(0, &point)));
    let time = if time.len() == 1 { list(&time) } else { format!("({})", list(&time)) };
    DesignText::Line { map: format!("t = {time}   PE ({place})"), dataflow: all_moves(&alone).join(", ") }
}

/// A design in one line of words, its spaces side by side.
pub fn line(design: &Design) -> String {
    let words = words(design);
    let plain = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    match words.line() {
        Some(line) => plain(&line),
        None => words.spaces().iter().map(|line| plain(line)).collect::<Vec<_>>().join("; "),
    }
}

/// The only space of a design that is not folded.
fn alone<'a>(design: &'a Design) -> Option<MappedSpace<'a>> {
    design.system.only_space().filter(|_| design.fold.is_none()).map(|_| design.alone(0))
}

/// The spaces of a design, each with how its values move.
pub fn dataflows<'a>(design: &'a Design<'_>) -> Vec<(&'a Space, &'a Dataflow)> {
    design.system.spaces.iter().zip(design.parts.iter().map(|part| &part.dataflow)).collect()
}

/// Enters a proved design into the e-graph; the union's reason is the name of the proof record.
pub fn record(lowered: &mut Lowered, design: &Design, proof: &str) {
    lowered.record(&scheduled(design, &texts(design)), proof);
}

/// The steps from the equations to a recorded design.
pub fn explain(lowered: &mut Lowered, design: &Design) -> Vec<Step> {
    let texts = texts(design);
    let parts = scheduled(design, &texts).into_iter().enumerate();
    parts.flat_map(|(space, part)| lowered.explain_scheduled(space, part)).collect()
}

/// The parts with the texts of their places and steps.
fn scheduled<'a>(design: &'a Design, texts: &'a [(String, String)]) -> Vec<Scheduled<'a>> {
    let parts = design.parts.iter().zip(texts);
    parts.map(|(part, (place, step))| Scheduled { dataflow: &part.dataflow, place, step }).collect()
}

/// `X.sum: t = i + j  PE (i)`, one line a space; behind the time the position within a step, where it is not the first.
fn parts(design: &Design) -> Vec<String> {
    let spaces = &design.system.spaces;
    let width = spaces.iter().map(|space| space.name.len()).max().unwrap_or(0).min(WIDEST);
    let line = |(position, space): (usize, &Space)| {
        let point = design.point(position);
        let within = match design.parts[position].position {
            0 => String::new(),
            within => format!(", position {within}"),
        };
        let time = list(&design.time(position, &point)) + &within;
        let place = design.fold.show(&design.place(position, &point)).join(", ");
        let moves = moves(space, &design.parts[position]).join(", ");
        format!("{:width$}  t = {time}   PE ({place})   {moves}", space.name)
    };
    spaces.iter().enumerate().map(line).collect()
}

/// Place and time of the points of each space.
pub fn laid_out<'a>(design: &'a Design<'_>) -> Vec<LaidOut<'a>> {
    let part = |(position, space): (usize, &'a Space)| {
        let point = design.point(position);
        let (place, time) = (design.place(position, &point), design.time(position, &point));
        let moves = alone(design).map_or_else(|| moves(space, &design.parts[position]), |alone| all_moves(&alone));
        let fold = design.fold.clone();
        LaidOut { space, place, fold, time, moves }
    };
    design.system.spaces.iter().enumerate().map(part).collect()
}

/// Place and step of each space as the text of `sched` nodes.
fn texts(design: &Design) -> Vec<(String, String)> {
    let part = |space: usize| {
        let point = design.point(space);
        let place = design.fold.show(&design.place(space, &point)).join(",").replace(' ', "");
        (format!("[{place}]"), bracketed(&design.time(space, &point)))
    };
    (0..design.parts.len()).map(part).collect()
}

fn moves(space: &Space, part: &SpaceDesign) -> Vec<String> {
    let operands = space.operands.iter().zip(&part.dataflow.transports);
    let results = part.dataflow.chain.directions.iter().map(|along| Transport::Stream(along.clone()));
    let own = results.map(|along| format!("{} {}", space.output, along.show(space)));
    operands.map(|(operand, choice)| format!("{} {}", operand.tensor, choice.show(space))).chain(own).collect()
}

/// Places, steps and shifts as an object, each keyed by space, with the fold and the positions within a step where there are any.
pub fn map_json(design: &Design) -> Map<String, Value> {
    // The one space of a kernel is called `S`.
    let is_one = design.system.only_space().is_some();
    let name = |space: &Space| if is_one { "S".to_owned() } else { space.name.to_string() };
    let keyed = |value: &dyn Fn(&SpaceDesign) -> Value| -> Value {
        let spaces = design.system.spaces.iter().zip(&design.parts);
        Value::Object(spaces.map(|(space, part)| (name(space), value(part))).collect())
    };
    let origin = |part: &SpaceDesign| part.origin.iter().map(Affine::to_string).collect::<Value>();
    let step = |part: &SpaceDesign| match part.map.step.rows() {
        [row] => json!(row),
        rows => json!(rows),
    };
    let start = |part: &SpaceDesign| match part.starts.as_slice() {
        [start] => json!(start.to_string()),
        starts => starts.iter().map(Affine::to_string).collect::<Value>(),
    };
    let mut map = Map::new();
    if !design.fold.is_none() {
        let axis = |axis| json!({ "factor": design.fold.axis(axis).factor, "phase": design.fold.axis(axis).phase });
        map.insert("fold".to_owned(), (0..design.rank()).map(axis).collect());
    }
    map.insert("place".to_owned(), keyed(&|part| json!(part.map.place.rows())));
    map.insert("step".to_owned(), keyed(&step));
    if design.parts.iter().any(|part| part.position > 0) {
        map.insert("position".to_owned(), keyed(&|part| json!(part.position)));
    }
    if alone(design).is_none() {
        map.insert("origin".to_owned(), keyed(&origin));
        map.insert("start".to_owned(), keyed(&start));
    }
    map
}

/// `A streams east`, `B streams south`, `C stays`.
fn all_moves(design: &MappedSpace) -> Vec<String> {
    let MappedSpace { space, map, dataflow, .. } = design;
    let operands = space.operands.iter().zip(&dataflow.transports);
    let mut words: Vec<String> = operands.map(|(operand, choice)| goes(&operand.tensor, choice, map)).collect();
    for along in &dataflow.chain.directions {
        words.push(goes(&space.output, &Transport::Stream(along.clone()), map));
    }
    words
}

fn goes(tensor: &str, transport: &Transport, map: &SpaceTimeMap) -> String {
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
        Transport::Local => format!("{tensor} is kept"),
        Transport::Memory => format!("{tensor} passes through memory"),
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
