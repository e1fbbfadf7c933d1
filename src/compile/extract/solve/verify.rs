//! The checker of designs of several spaces, from what the equations say alone.
//!
//! At given sizes each value that a point reads is looked up by its element: who completes it, where and when. No handoff,
//! no row and no generator is used. When rounds begin is the design's own claim; each PE must have ended a round before it begins
//! the next. It confirms that every value is computed or known and can have come in time, that each reduction ends where its
//! order says, that the streams have links beside each other, and the cycles and PEs.

use super::Task;
use crate::extract::Found;
use crate::extract::enumerate::most_within;
use crate::mapping::{Calendar, Fold, SpaceDesign};
use crate::rewrite::Transport;
use std::collections::{BTreeMap, BTreeSet};
use systole_base::integer::{Affine, Bindings, Name, Vector, dot};
use systole_equations::recurrence::Space;

/// Where and when something happens: a PE, and a clock.
type Slot = (Vector, i64);

/// A PE and a time, by rounds and the step within one.
type Dated = (Vector, Vector);

/// A tensor and its subscripts.
type Element = (Name, Vector);

/// When each element is complete and where, and by which space; nothing for those that are known without an operation.
type Written = BTreeMap<Element, Option<(Slot, usize)>>;

/// The points of a space, as values of its indices and the sizes, with the slots.
type SlottedPoints = Vec<(Bindings, Slot)>;

/// Confirms a design at the sizes of the task.
///
/// # Errors
/// One sentence naming what is wrong.
pub fn verify(task: &Task, found: &Found) -> Result<(), String> {
    let dated: Vec<Vec<(Bindings, Dated)>> = (0..found.parts.len())
        .map(|space| slots(&task.system.spaces[space], &found.parts[space], (task, &found.fold)))
        .collect::<Option<_>>()
        .ok_or("a number does not fit")?;
    let run = clocked(task, &dated, found)?;
    check_counts(task, &run, found)?;
    check_loads(task, found, &run)?;
    let diagonals = task.machine.links.network.diagonals(moves(found).iter().map(Vec::as_slice));
    let written = written(task, found, &run)?;
    let check = |diagonal: &i64| {
        let reads = Reads { task, found, written: &written, diagonal: *diagonal };
        let mut parts = found.parts.iter().zip(&run).enumerate();
        parts.try_for_each(|(space, (part, run))| reads.check(space, &part.dataflow.transports, run))
    };
    let tried: Vec<Result<(), String>> = diagonals.iter().map(check).collect();
    let nowhere = Err("the network has no such links together".to_owned());
    tried.iter().find(|tried| tried.is_ok()).or(tried.first()).cloned().unwrap_or(nowhere)
}

/// No more points share a PE and a time than a step holds, each of another space, and the cycles and PEs are those of the design's cost.
fn check_counts(task: &Task, run: &[SlottedPoints], found: &Found) -> Result<(), String> {
    let cell = task.machine.links.cell;
    let all: Vec<&Slot> = run.iter().flatten().map(|(_, slot)| slot).collect();
    let mut sharing: BTreeMap<&Slot, BTreeSet<usize>> = BTreeMap::new();
    for (space, slot) in run.iter().enumerate().flat_map(|(space, run)| run.iter().map(move |(_, slot)| (space, slot)))
    {
        let here = sharing.entry(slot).or_default();
        if !here.insert(space) || !cell.has_room_for(here.len() as u64) {
            let few = if cell.is_shared() { "more points than a step holds" } else { "two points" };
            return Err(format!("{few} share a PE and a time"));
        }
    }
    let times = || all.iter().map(|(_, time)| *time);
    let span = times().max().zip(times().min()).map_or(0, |(last, first)| last - first + 1);
    let pes: BTreeSet<&Vector> = all.iter().map(|(pe, _)| pe).collect();
    if (span.unsigned_abs(), pes.len() as u64) != (found.cost.cycles, found.cost.pes) {
        return Err(format!("{span} cycles on {} PEs are counted", pes.len()));
    }
    Ok(())
}

/// No PE takes more words of an array while memory answers than the design says that it has outstanding. The words of one bus are
/// loaded one after the other by the PE that feeds it.
fn check_loads(task: &Task, found: &Found, run: &[SlottedPoints]) -> Result<(), String> {
    let (latency, design) = (task.machine.links.load_latency(), found.design(task.system));
    if latency == 0 {
        return Ok(());
    }
    let mut clocks: BTreeMap<(&Name, Option<&Vector>), Vec<i64>> = BTreeMap::new();
    for (space, operand) in design.loads() {
        let (of, transport) = (&task.system.spaces[space], &found.parts[space].dataflow.transports[operand]);
        let points: Option<BTreeSet<Vector>> = run[space].iter().map(|(bindings, _)| point(of, bindings)).collect();
        let points = points.ok_or("an index has no value")?;
        for (bindings, (pe, clock)) in &run[space] {
            let at = point(of, bindings).ok_or("an index has no value")?;
            let before = |along: &Vector| at.iter().zip(along).map(|(x, by)| x - by).collect::<Vector>();
            if !transport.directions().iter().any(|along| points.contains(&before(along))) {
                let pe = (*transport != Transport::Bus).then_some(pe);
                clocks.entry((&of.operands[operand].tensor, pe)).or_default().push(*clock);
            }
        }
    }
    for ((of, _), clocks) in clocks {
        let (most, promised) = (most_within(clocks, latency), design.outstanding(of, latency));
        if most > promised {
            return Err(format!("`{of}` has {most} loads outstanding where {promised} were promised"));
        }
    }
    Ok(())
}

/// By how many PEs streams and running values move.
fn moves(found: &Found) -> Vec<Vector> {
    let of_part = |part: &SpaceDesign| {
        let streams = part.dataflow.transports.iter().flat_map(Transport::streams);
        let along = streams.chain(&part.dataflow.chain.directions);
        along.map(|along| part.map.displacement(along)).collect::<Vec<_>>()
    };
    found.parts.iter().flat_map(of_part).collect()
}

/// For each element when it is complete, and where: at the last point that adds to it.
fn written(task: &Task, found: &Found, run: &[SlottedPoints]) -> Result<Written, String> {
    let mut written = known(task)?;
    for (number, ((space, part), points)) in task.system.spaces.iter().zip(&found.parts).zip(run).enumerate() {
        let mut adding: BTreeMap<Vector, BTreeMap<Vector, &Slot>> = BTreeMap::new();
        for (bindings, slot) in points {
            let point = point(space, bindings).ok_or("an index has no value")?;
            let element = element(&space.output_access, bindings).ok_or("a subscript does not fit")?;
            adding.entry(element).or_default().insert(point, slot);
        }
        for (element, points) in adding {
            let end = end(&points, &part.dataflow.chain.directions);
            let later = |slot: &&Slot| end.is_none_or(|end| slot.1 >= end.1 && **slot != *end);
            if points.values().copied().any(|slot| later(&slot)) {
                return Err(format!("the reduction of `{}` does not end at its last point in time", space.output));
            }
            written.insert((space.output.clone(), element), end.cloned().map(|slot| (slot, number)));
        }
    }
    Ok(written)
}

/// Where a reduction along `directions`, one after the other, ends: `None` where that is no point, or several.
fn end<'a>(points: &BTreeMap<Vector, &'a Slot>, directions: &[Vector]) -> Option<&'a Slot> {
    let mut ends = points.clone();
    for along in directions {
        let after = |point: &Vector| point.iter().zip(along).map(|(x, by)| x + by).collect::<Vector>();
        let level = ends.clone();
        ends.retain(|point, _| !level.contains_key(&after(point)));
    }
    ends.values().next().copied().filter(|_| ends.len() == 1)
}

/// The elements that closed forms define.
fn known(task: &Task) -> Result<Written, String> {
    let mut written = Written::new();
    for known in &task.system.known {
        let indices = &known.domain.indices;
        let points = known.domain.set.points(indices, &task.sizes).ok_or("a closed form is not bounded")?;
        for point in points {
            let mut bindings = task.sizes.clone();
            bindings.extend(indices.iter().cloned().zip(point));
            let element = element(&known.subscripts, &bindings).ok_or("a subscript does not fit")?;
            written.insert((known.tensor.clone(), element), None);
        }
    }
    Ok(written)
}

/// Whether a tensor is that of a reduction inside an equation: an element that nothing adds to is neutral.
fn is_reduction(task: &Task, tensor: &Name) -> bool {
    task.system.tensors.iter().all(|declared| declared.name != *tensor)
}

/// What is read, against what is written.
struct Reads<'a> {
    task: &'a Task<'a>,
    found: &'a Found,
    written: &'a Written,
    /// The diagonal that the array has; see [`Network::diagonals`](systole_base::network::Network::diagonals).
    diagonal: i64,
}

impl Reads<'_> {
    /// Each point of a space runs after all that it reads is complete.
    fn check(&self, space: usize, transports: &[Transport], run: &[(Bindings, Slot)]) -> Result<(), String> {
        let (reader, sources) = (&self.task.system.spaces[space], &self.task.system.sources[space]);
        let operands = reader.operands.iter().zip(transports);
        let computed = operands.zip(sources).filter(|(_, sources)| !sources.is_empty());
        for (((operand, transport), _), (bindings, slot)) in
            computed.flat_map(|read| run.iter().map(move |point| (read, point)))
        {
            let element = element(&operand.access, bindings).ok_or("a subscript does not fit")?;
            self.check_one(&operand.tensor, &element, (space, slot, transport))
                .map_err(|why| format!("`{}` reads `{}` {why}, at {element:?}", reader.name, operand.tensor))?;
        }
        Ok(())
    }

    fn check_one(&self, tensor: &Name, element: &Vector, read: (usize, &Slot, &Transport)) -> Result<(), &'static str> {
        match self.written.get(&(tensor.clone(), element.clone())) {
            Some(Some(giver)) if !self.is_in_time(giver, read) => Err("before it is there"),
            None if !is_reduction(self.task, tensor) => Err("where nothing computes it"),
            _ => Ok(()),
        }
    }

    /// By the latency of every hop of the shortest way, and by one step at least; or by that of memory. In a cell what a PE computes may be
    /// read in the same step, by a space that comes later in it.
    fn is_in_time(
        &self,
        ((from, done), giver): &(Slot, usize),
        (reader, (pe, time), transport): (usize, &Slot, &Transport),
    ) -> bool {
        let links = &self.task.machine.links;
        let position = |space: usize| (self.found.parts[space].position, space);
        if links.cell.is_shared()
            && *transport != Transport::Memory
            && !transport.is_bus()
            && pe == from
            && position(*giver) < position(reader)
        {
            return time >= done;
        }
        if *transport == Transport::Memory {
            return *time >= done + links.memory;
        }
        if transport.is_bus() {
            // Who computes it drives it a step later at the earliest, and all hear it at once.
            return *time > *done;
        }
        let apart: Vector = pe.iter().zip(from).map(|(a, b)| a - b).collect();
        *time >= done + (links.network.distance(&apart, self.diagonal) * links.latency).max(1)
    }
}

/// The points with their clocks, by the rounds as the design says them.
fn clocked(task: &Task, dated: &[Vec<(Bindings, Dated)>], found: &Found) -> Result<Vec<SlottedPoints>, String> {
    let (design, links) = (found.design(task.system), &task.machine.links);
    let calendar = match design.rounds() {
        0 => Some(Calendar::default()),
        _ => {
            let handoffs = design.handoffs_among(links.network, &task.takers).map_err(|_| "a value has no way")?;
            design.calendar(&handoffs, links, &task.sizes)
        }
    };
    let calendar = calendar.ok_or("rounds have no beginning")?;
    let clocked =
        |(bindings, (pe, time)): &(Bindings, Dated)| Some((bindings.clone(), (pe.clone(), calendar.clock(time)?)));
    let run: Option<Vec<SlottedPoints>> =
        dated.iter().map(|points| points.iter().map(clocked).collect::<Option<_>>()).collect();
    let run = run.ok_or("a point is in a round that does not begin")?;
    let on_pes = dated.iter().flatten().zip(run.iter().flatten());
    match are_in_order(on_pes.map(|((_, (pe, time)), (_, (_, clock)))| (pe, &time[..], *clock))) {
        true => Ok(run),
        false => Err("a PE begins a round before it has ended the one before".to_owned()),
    }
}

/// Whether on each PE what has a later time has a later clock.
fn are_in_order<'a>(all: impl Iterator<Item = (&'a Vector, &'a [i64], i64)>) -> bool {
    let mut of_pes: BTreeMap<&Vector, BTreeSet<(&[i64], i64)>> = BTreeMap::new();
    all.for_each(|(pe, time, clock)| _ = of_pes.entry(pe).or_default().insert((time, clock)));
    of_pes.values().all(|times| {
        times.iter().zip(times.iter().skip(1)).all(|((time, clock), (next, later))| time == next || clock < later)
    })
}

fn slots(space: &Space, part: &SpaceDesign, (task, fold): (&Task, &Fold)) -> Option<Vec<(Bindings, Dated)>> {
    let points = space.domain.set.points(space.indices(), &task.sizes)?;
    let slot = |point: Vector| {
        let at = |rows: &[Vector], shifts: &[Affine]| -> Option<Vector> {
            let shifts = shifts.iter().map(|form| form.evaluate(&task.sizes));
            rows.iter().zip(shifts).map(|(row, shift)| Some(dot(row, &point) + shift?)).collect()
        };
        let pe = at(part.map.place.rows(), &part.origin)?;
        let time = at(part.map.step.rows(), &part.starts)?;
        Some((space.bind(&task.sizes, &point), (fold.pe(pe), time)))
    };
    points.into_iter().map(slot).collect()
}

/// The coordinates of a point.
fn point(space: &Space, bindings: &Bindings) -> Option<Vector> {
    space.indices().iter().map(|index| bindings.get(index).copied()).collect()
}

fn element(access: &[Affine], bindings: &Bindings) -> Option<Vector> {
    access.iter().map(|form| form.evaluate(bindings)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// PE 0 runs steps 0 to 2 of round 0, then round 1 from step -1 on.
    #[test]
    fn a_pe_ends_a_round_before_it_begins_the_next() {
        let (here, there) = (vec![0], vec![1]);
        let round_from = |zero: i64| {
            let first = (0..3).map(|step| (vec![0, step], step));
            first.chain((-1..2).map(move |step| (vec![1, step], zero + step))).collect::<Vec<_>>()
        };
        let holds = |points: &[(Vector, i64)], other: (Vector, i64)| {
            let mine = points.iter().map(|(time, clock)| (&here, &time[..], *clock));
            are_in_order(mine.chain([(&there, &other.0[..], other.1)]))
        };
        // Another PE may be a round ahead.
        assert!(holds(&round_from(4), (vec![1, 0], 0)));
        assert!(!holds(&round_from(3), (vec![1, 0], 0)));
        assert!(!holds(&round_from(0), (vec![1, 0], 9)));
    }
}
