//! Streams of inputs that ask for steps of their own.
//!
//! In: a dataflow of computed values with each input fed, and the steps tried for it. Out: the same dataflow with inputs that stream, wherever
//! these steps leave a stream no time. Where they do, steps that were asked for it would be no shorter, since these are the shortest
//! without it. Where spaces are apart in turns only, no streams are asked for.

use super::Task;
use crate::mapping::{Design, SpaceDesign, SpaceTimeMap};
use crate::rewrite::{Dataflow, Transport};
use std::collections::{BTreeSet, VecDeque};
use systole_base::integer::lexicographic_sign;
use systole_base::network::Links;

/// The steps that were tried for a dataflow.
type Steps = [Vec<SpaceDesign>; 2];

/// Sees a dataflow with each choice of streams that asks for steps of its own, those of fewer streams first; `steps` looks at a dataflow
/// and tells the steps that it tried, if there are any. Whether there are more choices than the limit.
pub fn see_asked<'a>(
    task: &Task,
    (design, tried): (&Design<'a>, Steps),
    mut steps: impl FnMut(&Design<'a>) -> Option<Steps>,
) -> bool {
    let mut known: BTreeSet<Vec<Dataflow>> = BTreeSet::new();
    let mut open = VecDeque::from([(design.clone(), tried)]);
    while let Some((design, tried)) = open.pop_front() {
        for more in asked(task, &design, &tried) {
            if !known.insert(more.parts.iter().map(|part| part.dataflow.clone()).collect()) {
                continue;
            }
            if known.len() > task.limits.asked {
                return true;
            }
            let tried = steps(&more);
            open.extend(tried.map(|tried| (more, tried)));
        }
    }
    false
}

/// The design with one more input that streams, where some steps that were tried leave it no time.
fn asked<'a>(task: &Task, design: &Design<'a>, tried: &Steps) -> Vec<Design<'a>> {
    let mut found = vec![];
    for (space, operand) in fed(task, design) {
        for stream in task.moving_streams(space, operand, &design.parts[space].map.place) {
            let in_time = |parts: &Vec<SpaceDesign>| is_in_time(&parts[space], stream, &task.machine.links);
            if !tried.iter().all(in_time) {
                let mut more = design.clone();
                more.parts[space].dataflow.transports[operand] = stream.clone();
                found.push(more);
            }
        }
    }
    found
}

/// The inputs that are fed, each by space and operand.
fn fed(task: &Task, design: &Design) -> Vec<(usize, usize)> {
    let is_fed = |(space, operand): &(usize, usize)| {
        let is_input = task.system.sources[*space][*operand].is_empty();
        is_input && design.parts[*space].dataflow.transports[*operand] == Transport::Feed
    };
    let operands = |space: usize| (0..task.system.sources[space].len()).map(move |operand| (space, operand));
    (0..design.parts.len()).flat_map(operands).filter(is_fed).collect()
}

fn is_in_time(part: &SpaceDesign, stream: &Transport, links: &Links) -> bool {
    stream.direction().is_none_or(|along| has_time(&part.map, along, links))
}

/// Whether a word that moves along a direction has the time for it, within a round or from one to a later one.
pub(super) fn has_time(map: &SpaceTimeMap, along: &[i64], links: &Links) -> bool {
    let delay = map.delay(along);
    let hops = links.network.hops(&map.displacement(along));
    let Some((step, rounds)) = delay.split_last() else { return false };
    let within = || hops.is_some_and(|hops| *step >= (hops * links.latency).max(1));
    match lexicographic_sign(rounds) {
        0 => within(),
        sign => sign > 0,
    }
}
