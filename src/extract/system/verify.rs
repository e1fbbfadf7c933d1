//! The checker of designs of several spaces, from what the equations say alone.
//!
//! At given sizes each value that a point reads is looked up by its element: who computed it, where and when. No handoff,
//! no row and no generator is used. It confirms that every value can have come in time, and the cycles and PEs.

use super::{SystemFound, SystemProblem};
use crate::integer::{Affine, Bindings, Name, Vector};
use crate::mapping::Part;
use crate::recurrence::Space;
use std::collections::{BTreeMap, BTreeSet};

/// Where and when something happens.
type Slot = (Vector, i64);

/// Confirms a design at the sizes of the problem.
///
/// # Errors
/// One sentence naming what is wrong.
pub fn verify_system(problem: &SystemProblem, found: &SystemFound) -> Result<(), String> {
    let run: Vec<Vec<(Bindings, Slot)>> = (0..found.parts.len())
        .map(|space| slots(&problem.system.spaces[space], &found.parts[space], problem))
        .collect::<Option<_>>()
        .ok_or("a number does not fit")?;
    let all: Vec<&Slot> = run.iter().flatten().map(|(_, slot)| slot).collect();
    let distinct: BTreeSet<&&Slot> = all.iter().collect();
    if distinct.len() < all.len() {
        return Err("two points share a PE and a time".to_owned());
    }
    let times = || all.iter().map(|(_, time)| *time);
    let span = times().max().zip(times().min()).map_or(0, |(last, first)| last - first + 1);
    let pes: BTreeSet<&Vector> = all.iter().map(|(pe, _)| pe).collect();
    if (span.unsigned_abs(), pes.len() as u64) != (found.cost.cycles, found.cost.pes) {
        return Err(format!("{span} cycles on {} PEs are counted", pes.len()));
    }
    let written = written(problem, &run)?;
    (0..run.len()).try_for_each(|space| check_reads(problem, space, &run[space], &written))
}

/// For each element when it is complete, and where: the last point that adds to it.
fn written(problem: &SystemProblem, run: &[Vec<(Bindings, Slot)>]) -> Result<BTreeMap<(Name, Vector), Slot>, String> {
    let mut written: BTreeMap<(Name, Vector), Slot> = BTreeMap::new();
    for (space, points) in problem.system.spaces.iter().zip(run) {
        for (bindings, slot) in points {
            let element = element(&space.output_access, bindings).ok_or("a subscript does not fit")?;
            let known = written.entry((space.output.clone(), element)).or_insert_with(|| slot.clone());
            if slot.1 > known.1 {
                *known = slot.clone();
            }
        }
    }
    Ok(written)
}

/// Each point runs after all that it reads is complete, by the latency of the way from there.
fn check_reads(
    problem: &SystemProblem,
    space: usize,
    run: &[(Bindings, Slot)],
    written: &BTreeMap<(Name, Vector), Slot>,
) -> Result<(), String> {
    let reader = &problem.system.spaces[space];
    let computed = (0..reader.operands.len()).filter(|operand| !problem.system.sources[space][*operand].is_empty());
    for operand in computed.map(|operand| &reader.operands[operand]) {
        for (bindings, (pe, time)) in run {
            let element = element(&operand.access, bindings).ok_or("a subscript does not fit")?;
            let Some((from, done)) = written.get(&(operand.tensor.clone(), element)) else { continue };
            let way: i64 = pe.iter().zip(from).map(|(a, b)| (a - b).abs()).max().unwrap_or(0);
            let least = way.min(1) * problem.machine.links.latency;
            if *time < done + least.max(1) {
                return Err(format!("`{}` reads `{}` before it is there", reader.name, operand.tensor));
            }
        }
    }
    Ok(())
}

fn slots(space: &Space, part: &Part, problem: &SystemProblem) -> Option<Vec<(Bindings, Slot)>> {
    let points = space.domain.set.points(space.indices(), &problem.sizes)?;
    let slot = |point: Vector| {
        let origin = part.origin.iter().map(|form| form.evaluate(&problem.sizes));
        let rows = part.map.place.rows().iter().zip(origin);
        let pe: Option<Vector> = rows.map(|(row, origin)| Some(crate::integer::dot(row, &point) + origin?)).collect();
        let step = part.map.step.rows().last()?;
        let time = crate::integer::dot(step, &point) + part.start.evaluate(&problem.sizes)?;
        Some((space.bind(&problem.sizes, &point), (pe?, time)))
    };
    points.into_iter().map(slot).collect()
}

fn element(access: &[Affine], bindings: &Bindings) -> Option<Vector> {
    access.iter().map(|form| form.evaluate(bindings)).collect()
}
