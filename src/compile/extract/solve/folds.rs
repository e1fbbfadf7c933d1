//! Folds of designs that the search has found: neighbouring PEs that are busy by turns become one PE.
//!
//! In: a legal design with its cost. Out: its legal folds with theirs. Cycles, ports and storage stay, PEs become fewer, and
//! words that change between PEs of a block no longer travel.

use super::Task;
use super::tally::{AllSlots, Moves, is_in};
use super::task::Work;
use crate::cost::Cost;
use crate::mapping::{Design, Flow, Fold, Handoff};
use std::collections::BTreeMap;
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
        task.work.add(Work::PRICED);
        let folded = Design { fold, ..design.clone() };
        folded.check_fold(handoffs).ok()?;
        let cost = price(task, &folded, handoffs, cost).filter(|cost| !beaten(cost))?;
        task.meetings.are_none(&folded).then_some((cost, folded.fold))
    };
    asked.into_iter().filter_map(legal).collect()
}

/// The cost of a fold, given that of the design.
fn price(task: &Task, folded: &Design, handoffs: &[Handoff], cost: &Cost) -> Option<Cost> {
    let slots = AllSlots::of(&task.sizes, folded, &task.points)?;
    let pes = slots.occupied(task.machine.links.cell)?.pes;
    let saved = (0..folded.parts.len()).map(|space| saved_by_flows(task, folded, space)).sum::<Option<u64>>()?
        + handoffs.iter().map(|handoff| saved_by_handoff(task, folded, handoff)).sum::<Option<u64>>()?;
    let channel_words = cost.channel_words.saturating_sub(saved);
    // Rounds of an array that is folded do not overlap.
    let cycles = match folded.rounds() {
        0 => cost.cycles,
        _ => {
            let calendar = folded.calendar(handoffs, &task.machine.links, &task.sizes)?;
            slots.cycles(&calendar)?
        }
    };
    Some(Cost { pes, channel_words, cycles, ..*cost })
}

/// The hops that the streams and the reduction of a space save.
fn saved_by_flows(task: &Task, folded: &Design, space: usize) -> Option<u64> {
    let flows = folded.alone(space).flows()?;
    let of_flow = |flow: &Flow| saved(task, folded, (space, &flow.set, Some(&flow.direction)), &flow.displacement);
    flows.iter().map(of_flow).sum()
}

fn saved_by_handoff(task: &Task, folded: &Design, handoff: &Handoff) -> Option<u64> {
    let Some(displacement) = handoff.displacement() else { return Some(0) };
    saved(task, folded, (handoff.reader, &handoff.set, None), displacement)
}

/// The hops saved by words that move by `displacement` to the points of a set of a space; with a direction, to those of them whose
/// point before is one of them too.
fn saved(
    task: &Task,
    folded: &Design,
    (space, set, along): (usize, &Polyhedron, Option<&Vector>),
    displacement: &[i64],
) -> Option<u64> {
    let network = task.machine.links.network;
    let all = network.hops(displacement)?;
    let part = &folded.parts[space];
    let origin: Vector = part.origin.iter().map(|form| form.evaluate(&task.sizes)).collect::<Option<_>>()?;
    let key = (space, part.map.place.clone(), set.clone(), along.cloned());
    let of_place = |(place, takers): &(Vector, u64)| {
        let pe = place.iter().zip(&origin).map(|(row, start)| row.checked_add(*start)).collect::<Option<Vector>>()?;
        let residue = folded.fold.residue(&pe);
        let left = network.hops(&folded.fold.turn(displacement, &residue).displacement)?;
        (all - left).unsigned_abs().checked_mul(*takers)
    };
    task.costs.of_moves(key, |key| by_place(task, key)).iter().map(of_place).sum()
}

/// How many points that are moved to there are at each place.
fn by_place(task: &Task, (space, place, set, along): &Moves) -> Vec<(Vector, u64)> {
    let before = |point: &Vector| -> Option<Vector> {
        along.as_ref().map(|along| point.iter().zip(along).map(|(x, by)| x - by).collect())
    };
    let is_in = |point: &Vector| is_in(task, *space, set, point);
    let takers = task.points[*space].iter().filter(|point| is_in(point) && before(point).is_none_or(|one| is_in(&one)));
    let mut counts: BTreeMap<Vector, u64> = BTreeMap::new();
    takers.for_each(|point| *counts.entry(place.apply(point)).or_default() += 1);
    counts.into_iter().collect()
}
