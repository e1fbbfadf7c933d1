//! What a design of several spaces costs at given sizes, counted point by point.

use super::SystemProblem;
use crate::cost::Cost;
use crate::extract::Checker;
use crate::integer::{Affine, Bindings, Vector};
use crate::mapping::{Giver, Handoff, Part, SystemDesign};
use crate::recurrence::Space;
use crate::rewrite::{Dataflow, Transport};
use std::collections::{BTreeMap, BTreeSet};

/// The parts of every best way to move the inputs under these steps, with the costs; nothing where the design is not legal
/// at these sizes.
pub fn price(problem: &SystemProblem, design: &SystemDesign, handoffs: &[Handoff]) -> Vec<(Cost, Vec<Part>)> {
    price_all(problem, design, handoffs).unwrap_or_default()
}

fn price_all(
    problem: &SystemProblem,
    design: &SystemDesign,
    handoffs: &[Handoff],
) -> Result<Vec<(Cost, Vec<Part>)>, String> {
    let mut front = vec![(base(problem, design)?, vec![])];
    for space in 0..design.parts.len() {
        let own = of_space(problem, design, space)?;
        let joined = front.iter().flat_map(|(cost, parts)| {
            own.iter().map(move |(more, part)| (cost.join(more), [parts.clone(), vec![part.clone()]].concat()))
        });
        front = best(joined.collect());
    }
    let handed = handoffs.iter().try_fold(Cost::default(), |sum, handoff| {
        Ok::<Cost, String>(sum.join(&of_handoff(problem, design, handoff)?))
    })?;
    Ok(front.into_iter().map(|(cost, parts)| (cost.join(&handed), parts)).collect())
}

/// Those that no other beats in one entry without losing in another; ties stay.
fn best<T>(priced: Vec<(Cost, T)>) -> Vec<(Cost, T)> {
    let costs: Vec<Cost> = priced.iter().map(|(cost, _)| *cost).collect();
    let beaten = |cost: &Cost| costs.iter().any(|other| other != cost && other.is_within(cost));
    priced.into_iter().filter(|(cost, _)| !beaten(cost)).collect()
}

/// Cycles and PEs over all spaces.
fn base(problem: &SystemProblem, design: &SystemDesign) -> Result<Cost, String> {
    let mut slots = BTreeSet::new();
    let mut points = 0;
    for (space, all) in problem.points.iter().enumerate() {
        for point in all {
            let at = slot(&problem.sizes, design, space, point).ok_or("a coordinate does not fit")?;
            slots.insert(at);
            points += 1;
        }
    }
    if slots.len() < points {
        return Err("two points share a PE and a time".to_owned());
    }
    let pes: BTreeSet<&Vector> = slots.iter().map(|(pe, _)| pe).collect();
    let times = || slots.iter().map(|(_, time)| *time);
    let span = times().max().zip(times().min()).map_or(0, |(last, first)| last - first + 1);
    Ok(Cost { cycles: span.unsigned_abs(), pes: pes.len() as u64, fanout: 1, ..Cost::default() })
}

/// Whether no two points share a PE and a time at the other sizes that the problem lists. Points of two spaces may meet at
/// some sizes only, where the proof would find them; such a design must not stand in the way of a sound one.
pub fn is_apart(problem: &SystemProblem, design: &SystemDesign) -> bool {
    problem.others.iter().all(|(sizes, points)| {
        let mut slots = BTreeSet::new();
        points.iter().enumerate().all(|(space, all)| {
            all.iter().all(|point| slot(sizes, design, space, point).is_some_and(|at| slots.insert(at)))
        })
    })
}

/// The PE and the time of a point.
fn slot(sizes: &Bindings, design: &SystemDesign, space: usize, point: &[i64]) -> Option<(Vector, i64)> {
    let part = &design.parts[space];
    let shift = |form: &Affine| form.evaluate(sizes);
    let rows = part.map.place.apply(point).into_iter().zip(&part.origin);
    let pe: Option<Vector> = rows.map(|(value, origin)| value.checked_add(shift(origin)?)).collect();
    let time = part.map.step.apply(point).last()?.checked_add(shift(&part.start)?)?;
    Some((pe?, time))
}

/// Every best choice for the inputs of a space, with what its streams and its reduction cost.
fn of_space(problem: &SystemProblem, design: &SystemDesign, space: usize) -> Result<Vec<(Cost, Part)>, String> {
    let part = &design.parts[space];
    let points = &problem.system.spaces[space];
    let checker = Checker::new(points, problem.machine, &problem.sizes, &part.map)?;
    let mut front = vec![(checker.chain(&part.dataflow.chain)?, vec![])];
    for operand in 0..points.operands.len() {
        let own = match problem.system.sources[space][operand].is_empty() {
            true => inputs(problem, space, operand, &checker),
            false => computed(&checker, operand, &part.dataflow.transports[operand])?,
        };
        let joined = front.iter().flat_map(|(cost, transports): &(Cost, Vec<Transport>)| {
            own.iter()
                .map(move |(more, transport)| (cost.join(more), [transports.clone(), vec![transport.clone()]].concat()))
        });
        front = best(joined.collect());
    }
    let chain = part.dataflow.chain.clone();
    let with = |transports| Part { dataflow: Dataflow { transports, chain: chain.clone() }, ..part.clone() };
    Ok(front.into_iter().map(|(cost, transports)| (cost, with(transports))).collect())
}

fn inputs(problem: &SystemProblem, space: usize, operand: usize, checker: &Checker) -> Vec<(Cost, Transport)> {
    let offered = problem.choices[space].transports[operand].iter();
    let priced = offered.filter_map(|transport| Some((checker.operand(operand, transport).ok()?, transport.clone())));
    best(priced.collect())
}

/// A computed operand is never loaded: its heads are handed over.
fn computed(checker: &Checker, operand: usize, transport: &Transport) -> Result<Vec<(Cost, Transport)>, String> {
    let cost = Cost { memory_words: 0, ..checker.operand(operand, transport)? };
    Ok(vec![(cost, transport.clone())])
}

/// The words of a handoff, and the slots of its channels.
fn of_handoff(problem: &SystemProblem, design: &SystemDesign, handoff: &Handoff) -> Result<Cost, String> {
    let Giver::Point { space, displacement, .. } = &handoff.giver else { return Ok(Cost::default()) };
    let reader = &problem.system.spaces[handoff.reader];
    if handoff.is_within_point(&problem.system.spaces[*space]) {
        return Ok(Cost::default());
    }
    let takers: Vec<&Vector> =
        problem.points[handoff.reader].iter().filter(|point| is_in(reader, &problem.sizes, handoff, point)).collect();
    let places: BTreeMap<Vector, u64> = takers.iter().fold(BTreeMap::new(), |mut counts, point| {
        *counts.entry(design.parts[handoff.reader].map.place.apply(point)).or_default() += 1;
        counts
    });
    let hops: i64 = displacement.iter().map(|entry| entry.abs()).sum();
    let depth = design.handoff_depth(handoff, &problem.machine.links).ok_or("a FIFO grows with the sizes")?;
    Ok(Cost {
        channel_words: takers.len() as u64 * hops.unsigned_abs(),
        buffers: depth * places.len() as u64,
        fanout: 1,
        ..Cost::default()
    })
}

fn is_in(reader: &Space, sizes: &Bindings, handoff: &Handoff, point: &[i64]) -> bool {
    handoff.set.contains(&reader.bind(sizes, point))
}
