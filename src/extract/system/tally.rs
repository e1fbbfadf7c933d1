//! What a design of several spaces costs at given sizes, counted point by point.

use super::SystemProblem;
use super::meetings::{Slots, slot};
use crate::cost::Cost;
use crate::extract::Checker;
use crate::extract::verify::route;
use crate::integer::{Bindings, Vector};
use crate::mapping::{Giver, Handoff, Part, SystemDesign};
use crate::recurrence::Space;
use crate::rewrite::{Dataflow, Transport};
use std::collections::BTreeSet;

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
    let shared = handoffs.iter().try_fold(base(problem, design)?, |sum, handoff| {
        Ok::<Cost, String>(sum.join(&of_handoff(problem, design, handoff)?))
    })?;
    let mut all = vec![];
    for diagonal in diagonals(problem, design, handoffs) {
        for priced in with_inputs(problem, design, shared, diagonal)? {
            if !all.contains(&priced) {
                all.push(priced);
            }
        }
    }
    Ok(best(all))
}

/// The diagonals that an array can have for what is computed; inputs must do with one of them.
fn diagonals(problem: &SystemProblem, design: &SystemDesign, handoffs: &[Handoff]) -> Vec<i64> {
    let ways = without_inputs(problem, design).ways(handoffs);
    problem.machine.links.network.diagonals(ways.iter().map(|(_, moved)| moved.as_slice()))
}

/// The design with each input fed, so that only computed values move.
fn without_inputs<'a>(problem: &SystemProblem, design: &SystemDesign<'a>) -> SystemDesign<'a> {
    let mut computed = design.clone();
    for (part, sources) in computed.parts.iter_mut().zip(&problem.system.sources) {
        let transports = part.dataflow.transports.iter_mut().zip(sources);
        transports.filter(|(_, sources)| sources.is_empty()).for_each(|(choice, _)| *choice = Transport::Feed);
    }
    computed
}

/// Every best way to move the inputs in an array with this diagonal, with the costs of the whole; `shared` is what the
/// points and the handoffs cost.
fn with_inputs(
    problem: &SystemProblem,
    design: &SystemDesign,
    shared: Cost,
    diagonal: i64,
) -> Result<Vec<(Cost, Vec<Part>)>, String> {
    let mut front = vec![(shared, vec![])];
    for space in 0..design.parts.len() {
        front = longer(&front, &of_space(problem, design, space, diagonal)?);
    }
    Ok(front)
}

/// Every best way to go on: each list with each of the next choices.
fn longer<T: Clone>(front: &[(Cost, Vec<T>)], next: &[(Cost, T)]) -> Vec<(Cost, Vec<T>)> {
    let joined = front.iter().flat_map(|(cost, list)| {
        next.iter().map(move |(more, choice)| (cost.join(more), [list.clone(), vec![choice.clone()]].concat()))
    });
    best(joined.collect())
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
        let of_space = Slots::new(&problem.sizes, design, space);
        for point in all {
            slots.insert(of_space.as_ref().and_then(|slots| slots.of(point)).ok_or("a coordinate does not fit")?);
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

/// Every best choice for the inputs of a space in an array with this diagonal, with what its streams and its reduction cost.
fn of_space(
    problem: &SystemProblem,
    design: &SystemDesign,
    space: usize,
    diagonal: i64,
) -> Result<Vec<(Cost, Part)>, String> {
    let part = &design.parts[space];
    let points = &problem.system.spaces[space];
    let checker = Checker::new(points, problem.machine, &problem.sizes, &part.map)?;
    let slant = |along: &Vector| problem.machine.links.network.diagonal(&part.map.displacement(along));
    let fits = |choice: &Transport| choice.directions().iter().all(|along| [0, diagonal].contains(&slant(along)));
    let mut front = vec![(checker.chain(&part.dataflow.chain)?, vec![])];
    for operand in 0..points.operands.len() {
        let own = match problem.system.sources[space][operand].is_empty() {
            true => inputs(problem, (space, operand), &checker, fits),
            false => computed(&checker, operand, &part.dataflow.transports[operand])?,
        };
        front = longer(&front, &own);
    }
    let chain = part.dataflow.chain.clone();
    let with = |transports| Part { dataflow: Dataflow { transports, chain: chain.clone() }, ..part.clone() };
    Ok(front.into_iter().map(|(cost, transports)| (cost, with(transports))).collect())
}

/// The parts with each input moved in the first way that is legal, beside what moves already if there is one, or else in
/// the first way.
pub fn nearest_inputs(problem: &SystemProblem, design: &SystemDesign, handoffs: &[Handoff]) -> Vec<Part> {
    let mut near = without_inputs(problem, design);
    for space in 0..near.parts.len() {
        for operand in 0..problem.system.sources[space].len() {
            let choice = match problem.system.sources[space][operand].is_empty() {
                true => nearest_input(problem, &near, handoffs, (space, operand)),
                false => None,
            };
            choice.into_iter().for_each(|choice| near.parts[space].dataflow.transports[operand] = choice);
        }
    }
    near.parts
}

fn nearest_input(
    problem: &SystemProblem,
    near: &SystemDesign,
    handoffs: &[Handoff],
    (space, operand): (usize, usize),
) -> Option<Transport> {
    let (network, map) = (problem.machine.links.network, &near.parts[space].map);
    let checker = Checker::new(&problem.system.spaces[space], problem.machine, &problem.sizes, map).ok();
    let legal = |choice: &&Transport| checker.as_ref().is_some_and(|checker| checker.operand(operand, choice).is_ok());
    let ways: Vec<Vector> = near.ways(handoffs).into_iter().map(|(_, moved)| moved).collect();
    let joins = |choice: &&Transport| {
        let moved: Vec<Vector> = choice.directions().iter().map(|along| map.displacement(along)).collect();
        network.joins(ways.iter().chain(&moved).map(Vec::as_slice))
    };
    let offered = &problem.choices[space].transports[operand];
    let beside = offered.iter().find(|choice| legal(choice) && joins(choice));
    beside.or_else(|| offered.iter().find(legal)).or(offered.first()).cloned()
}

fn inputs(
    problem: &SystemProblem,
    (space, operand): (usize, usize),
    checker: &Checker,
    fits: impl Fn(&Transport) -> bool,
) -> Vec<(Cost, Transport)> {
    let offered = problem.choices[space].transports[operand].iter().filter(|choice| fits(choice));
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
    if handoff.is_within_point(&problem.system.spaces[*space]) {
        return Ok(Cost::default());
    }
    let reader = &problem.system.spaces[handoff.reader];
    let mut takers = problem.points[handoff.reader].clone();
    takers.retain(|point| is_in(reader, &problem.sizes, handoff, point));
    check_route(problem, design, handoff, &takers)?;
    let places: BTreeSet<Vector> =
        takers.iter().map(|point| design.parts[handoff.reader].map.place.apply(point)).collect();
    let hops = problem.machine.links.network.hops(displacement).ok_or("the network has no such link")?;
    let depth = design.handoff_depth(handoff, &problem.machine.links).ok_or("a FIFO grows with the sizes")?;
    Ok(Cost {
        channel_words: takers.len() as u64 * hops.unsigned_abs(),
        buffers: depth * places.len() as u64,
        fanout: 1,
        ..Cost::default()
    })
}

/// No two words of a handoff are on one link at one time; those that move by a hop along each axis at most have links of
/// their own.
fn check_route(
    problem: &SystemProblem,
    design: &SystemDesign,
    handoff: &Handoff,
    takers: &[Vector],
) -> Result<(), String> {
    let Giver::Point { space, at, displacement, .. } = &handoff.giver else { return Ok(()) };
    if displacement.iter().all(|entry| entry.abs() <= 1) {
        return Ok(());
    }
    let reader = &problem.system.spaces[handoff.reader];
    let mut carried = BTreeSet::new();
    for taker in takers {
        let bindings = reader.bind(&problem.sizes, taker);
        let giver: Option<Vector> = at.iter().map(|form| form.evaluate(&bindings)).collect();
        let left = giver.and_then(|giver| slot(&problem.sizes, design, *space, &giver));
        let (pe, time) = left.ok_or("a coordinate does not fit")?;
        for (hop, link) in (0..).zip(route(&pe, displacement)) {
            if !carried.insert((link, time + hop * problem.machine.links.latency)) {
                return Err("two words of a handoff meet on their way".to_owned());
            }
        }
    }
    Ok(())
}

fn is_in(reader: &Space, sizes: &Bindings, handoff: &Handoff, point: &[i64]) -> bool {
    handoff.set.contains(&reader.bind(sizes, point))
}
