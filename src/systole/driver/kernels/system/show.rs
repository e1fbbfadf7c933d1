//! Words for designs of several spaces.

use crate::driver::kernels::kernel::LeftOut;
use crate::driver::shown::show::{bracketed, grouped, list};
use crate::report::LaidOut;
use serde_json::{Map, Value, json};
use systole_base::diagnostic::WIDEST;
use systole_base::integer::Affine;
use systole_compile::extract::{LeftOut as Seen, SystemLimits};
use systole_compile::mapping::{Part, SystemDesign};
use systole_compile::rewrite::Transport;
use systole_equations::recurrence::Space;

/// `X.sum: t = i + j  PE (i)`, one line a space.
pub fn parts(design: &SystemDesign) -> Vec<String> {
    let spaces = &design.system.spaces;
    let width = spaces.iter().map(|space| space.name.len()).max().unwrap_or(0).min(WIDEST);
    let line = |(position, space): (usize, &Space)| {
        let point = design.point(position);
        let time = list(&design.time(position, &point));
        let place = design.fold.show(&design.place(position, &point)).join(", ");
        let moves = moves(space, &design.parts[position]).join(", ");
        format!("{:width$}  t = {time}   PE ({place})   {moves}", space.name)
    };
    spaces.iter().enumerate().map(line).collect()
}

/// Place and time of the points of each space.
pub fn laid_out<'a>(design: &'a SystemDesign<'_>) -> Vec<LaidOut<'a>> {
    let part = |(position, space): (usize, &'a Space)| {
        let point = design.point(position);
        let (place, time) = (design.place(position, &point), design.time(position, &point));
        let (fold, moves) = (design.fold.clone(), moves(space, &design.parts[position]));
        LaidOut { space, place, fold, time, moves }
    };
    design.system.spaces.iter().enumerate().map(part).collect()
}

/// Place and step of each space as the text of `sched` nodes.
pub fn texts(design: &SystemDesign) -> Vec<(String, String)> {
    let part = |space: usize| {
        let point = design.point(space);
        let place = design.fold.show(&design.place(space, &point)).join(",").replace(' ', "");
        (format!("[{place}]"), bracketed(&design.time(space, &point)))
    };
    (0..design.parts.len()).map(part).collect()
}

fn moves(space: &Space, part: &Part) -> Vec<String> {
    let operands = space.operands.iter().zip(&part.dataflow.transports);
    let results = part.dataflow.chain.directions.iter().map(|along| Transport::Stream(along.clone()));
    let own = results.map(|along| format!("{} {}", space.output, along.show(space)));
    operands.map(|(operand, choice)| format!("{} {}", operand.tensor, choice.show(space))).chain(own).collect()
}

/// What a search over several spaces left out, in words.
pub fn left_out(limits: &SystemLimits, seen: &Seen) -> Vec<LeftOut> {
    let (placements, dataflows) = (grouped(limits.placements as u64), grouped(limits.dataflows as u64));
    let slanted = format!("places not along the axes (more than {} spaces)", limits.spaces);
    let crowded = match seen.partial {
        0 => format!("places cut short at {placements} placements"),
        _ => format!("partial designs beside which no more than {} places were looked at", limits.next),
    };
    let beyond = format!("dataflows beyond {dataflows} for one placement");
    let beside = "dataflows whose spaces take turns (too many ways to be beside each other)".to_owned();
    let streams = format!("dataflows with more than {} ways to stream inputs in steps of their own", limits.asked);
    let unlisted = "lines of a place not looked at to the end (too many placements)".to_owned();
    let partial = "partial designs (too many to look at all: the spaces were searched one after the other)".to_owned();
    vec![
        LeftOut { key: "partial_designs", count: seen.partial, what: partial },
        LeftOut { key: "slanted_places", count: seen.slanted, what: slanted },
        LeftOut { key: "crowded_places", count: seen.crowded, what: crowded },
        LeftOut { key: "unlisted_places", count: seen.unlisted, what: unlisted },
        LeftOut { key: "dataflows", count: seen.dataflows, what: beyond },
        LeftOut { key: "beside", count: seen.beside, what: beside },
        LeftOut { key: "streams", count: seen.streams, what: streams },
    ]
}

/// Places, steps and shifts as an object, each keyed by space, and the fold where there is one.
pub fn map_json(design: &SystemDesign) -> Map<String, Value> {
    let keyed = |value: &dyn Fn(&Part) -> Value| -> Value {
        let spaces = design.system.spaces.iter().zip(&design.parts);
        Value::Object(spaces.map(|(space, part)| (space.name.to_string(), value(part))).collect())
    };
    let origin = |part: &Part| part.origin.iter().map(Affine::to_string).collect::<Value>();
    let mut map = Map::new();
    if !design.fold.is_none() {
        let axis = |axis| json!({ "factor": design.fold.axis(axis).factor, "phase": design.fold.axis(axis).phase });
        map.insert("fold".to_owned(), (0..design.rank()).map(axis).collect());
    }
    let keyed = [
        ("place", keyed(&|part| json!(part.map.place.rows()))),
        ("step", keyed(&|part| json!(part.map.step.rows().first()))),
        ("origin", keyed(&origin)),
        ("start", keyed(&|part| json!(part.start.to_string()))),
    ];
    map.extend(keyed.map(|(key, value)| (key.to_owned(), value)));
    map
}
