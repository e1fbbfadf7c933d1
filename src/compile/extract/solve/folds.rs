//! Folds of designs that the search has found: neighbouring PEs that are busy by turns become one PE.
//!
//! In: a legal design with its cost. Out: its legal folds with theirs. Cycles, ports and storage stay, PEs become fewer, and
//! words that change between PEs of a block no longer travel.

use super::Task;
use super::tally::{cycles, occupied};
use crate::cost::Cost;
use crate::mapping::{Design, Flow, Fold, Handoff};
use systole_base::integer::{Polyhedron, Vector};

/// The legal folds of a legal design, itself among them, but for those whose cost is `beaten`: those that the schedule asks
/// for, or else all within the limits of the task.
pub fn folds(
    task: &Task,
    design: &Design,
    handoffs: &[Handoff],
    cost: &Cost,
    beaten: impl Fn(&Cost) -> bool,
) -> Vec<(Cost, Fold)> {
    let asked = match &task.constraint.fold {
        Some((factors, _)) => Fold::by(factors),
        None => Fold::all(design.rank(), task.limits.fold),
    };
    let legal = |fold: Fold| {
        if fold.is_none() {
            return Some((*cost, fold));
        }
        let folded = Design { fold, ..design.clone() };
        folded.check_fold(handoffs).ok()?;
        let cost = price(task, &folded, handoffs, cost).filter(|cost| !beaten(cost))?;
        task.meetings.are_none(&folded).then_some((cost, folded.fold))
    };
    asked.into_iter().filter_map(legal).collect()
}

/// The cost of a fold, given that of the design.
fn price(task: &Task, folded: &Design, handoffs: &[Handoff], cost: &Cost) -> Option<Cost> {
    let pes = occupied(&task.sizes, folded, &task.points)?.pes;
    let saved = (0..folded.parts.len()).map(|space| saved_by_flows(task, folded, space)).sum::<Option<u64>>()?
        + handoffs.iter().map(|handoff| saved_by_handoff(task, folded, handoff)).sum::<Option<u64>>()?;
    let channel_words = cost.channel_words.saturating_sub(saved);
    // Rounds of an array that is folded do not overlap.
    let cycles = match folded.rounds() {
        0 => cost.cycles,
        _ => {
            let calendar = folded.calendar(handoffs, &task.machine.links, &task.sizes)?;
            cycles(&task.sizes, folded, &task.points, &calendar)?
        }
    };
    Some(Cost { pes, channel_words, cycles, ..*cost })
}

/// The hops that the streams and the reduction of a space save.
fn saved_by_flows(task: &Task, folded: &Design, space: usize) -> Option<u64> {
    let flows = folded.alone(space).flows()?;
    let of_flow = |flow: &Flow| {
        let before = |point: &Vector| point.iter().zip(&flow.direction).map(|(x, by)| x - by).collect::<Vector>();
        let is_in = |point: &Vector| is_in(task, space, &flow.set, point);
        let takers = task.points[space].iter().filter(|point| is_in(point) && is_in(&before(point)));
        saved(task, folded, space, &flow.displacement, takers)
    };
    flows.iter().map(of_flow).sum()
}

fn saved_by_handoff(task: &Task, folded: &Design, handoff: &Handoff) -> Option<u64> {
    let Some(displacement) = handoff.displacement() else { return Some(0) };
    let reader = handoff.reader;
    let takers = task.points[reader].iter().filter(|point| is_in(task, reader, &handoff.set, point));
    saved(task, folded, reader, displacement, takers)
}

/// The hops saved by words that move by `displacement` to these points of a space.
fn saved<'a>(
    task: &Task,
    folded: &Design,
    space: usize,
    displacement: &[i64],
    takers: impl Iterator<Item = &'a Vector>,
) -> Option<u64> {
    let network = task.machine.links.network;
    let all = network.hops(displacement)?;
    let of_one = |taker: &Vector| {
        let residue = folded.fold.residue(&place(task, folded, space, taker)?);
        let left = network.hops(&folded.fold.turn(displacement, &residue).displacement)?;
        Some((all - left).unsigned_abs())
    };
    takers.map(of_one).sum()
}

/// The PE of the map that a point runs on.
fn place(task: &Task, design: &Design, space: usize, point: &[i64]) -> Option<Vector> {
    let part = &design.parts[space];
    let rows = part.map.place.apply(point).into_iter().zip(&part.origin);
    rows.map(|(value, origin)| value.checked_add(origin.evaluate(&task.sizes)?)).collect()
}

fn is_in(task: &Task, space: usize, set: &Polyhedron, point: &[i64]) -> bool {
    set.contains(&task.system.spaces[space].bind(&task.sizes, point))
}
