//! Streams of inputs that ask for steps of their own.
//!
//! In: a dataflow of computed values with each input fed, and the steps tried for it. Out: the same dataflow with inputs that stream, wherever
//! these steps leave a stream no time. Where they do, steps that were asked for it would be the same ones, since they are the shortest
//! without it. Where spaces are apart in turns only, no streams are asked for.

use super::SystemProblem;
use crate::integer::Vector;
use crate::mapping::{Links, Part, SystemDesign};
use crate::rewrite::{Dataflow, Transport};
use std::collections::{BTreeSet, VecDeque};

/// The steps that were tried for a dataflow.
type Steps = [Vec<Part>; 2];

/// Sees a dataflow with each choice of streams that asks for steps of its own, those of fewer streams first; `steps` looks at a dataflow
/// and tells the steps that it tried, if there are any. Whether there are more choices than the limit.
pub fn see_asked<'a>(
    problem: &SystemProblem,
    (design, tried): (&SystemDesign<'a>, Steps),
    mut steps: impl FnMut(&SystemDesign<'a>) -> Option<Steps>,
) -> bool {
    let mut known: BTreeSet<Vec<Dataflow>> = BTreeSet::new();
    let mut open = VecDeque::from([(design.clone(), tried)]);
    while let Some((design, tried)) = open.pop_front() {
        for more in asked(problem, &design, &tried) {
            if !known.insert(more.parts.iter().map(|part| part.dataflow.clone()).collect()) {
                continue;
            }
            if known.len() > problem.limits.asked {
                return true;
            }
            let tried = steps(&more);
            open.extend(tried.map(|tried| (more, tried)));
        }
    }
    false
}

/// The design with one more input that streams, where some steps that were tried leave it no time.
fn asked<'a>(problem: &SystemProblem, design: &SystemDesign<'a>, tried: &Steps) -> Vec<SystemDesign<'a>> {
    let late = |(space, operand, along): &(usize, usize, Vector)| {
        tried.iter().any(|parts| !is_in_time(&parts[*space], along, &problem.machine.links)).then(|| {
            let mut more = design.clone();
            more.parts[*space].dataflow.transports[*operand] = Transport::Stream(along.clone());
            more
        })
    };
    streams(problem, design).iter().filter_map(late).collect()
}

/// The streams from PE to PE of inputs that are fed, with space and operand.
fn streams(problem: &SystemProblem, design: &SystemDesign) -> Vec<(usize, usize, Vector)> {
    let network = problem.machine.links.network;
    let mut found = vec![];
    for (space, part) in design.parts.iter().enumerate() {
        let moves = |along: &&Vector| network.hops(&part.map.place.apply(along)).is_some_and(|hops| hops > 0);
        for (operand, choice) in part.dataflow.transports.iter().enumerate() {
            if *choice == Transport::Feed && problem.system.sources[space][operand].is_empty() {
                let offered = problem.choices[space].transports[operand].iter();
                let streams = offered.filter_map(|choice| match choice {
                    Transport::Stream(along) => Some(along),
                    _ => None,
                });
                found.extend(streams.filter(moves).map(|along| (space, operand, along.clone())));
            }
        }
    }
    found
}

fn is_in_time(part: &Part, along: &Vector, links: &Links) -> bool {
    let delay = part.map.step.apply(along);
    let hops = links.network.hops(&part.map.place.apply(along));
    hops.is_some_and(|hops| delay.last().is_some_and(|delay| *delay >= (hops * links.latency).max(1)))
}
