//! The checker of designs of several spaces, from what the equations say alone.
//!
//! At given sizes each value that a point reads is looked up by its element: who completes it, where and when. No handoff,
//! no row and no generator is used. It confirms that every value is computed or known and can have come in time, that each
//! reduction ends where its order says, that the streams have links beside each other, and the cycles and PEs.

use super::Task;
use crate::extract::Found;
use crate::extract::enumerate::most_within;
use crate::mapping::{Fold, SpaceDesign};
use crate::rewrite::Transport;
use std::collections::{BTreeMap, BTreeSet};
use systole_base::integer::{Affine, Bindings, Name, Vector, dot};
use systole_equations::recurrence::Space;

/// Where and when something happens: a PE, and a clock.
type Slot = (Vector, i64);

/// A PE and a time, by rounds and the step within one.
type Dated = (Vector, Vector);

/// So many numbers of idle cycles are tried, from the fewest that there can be.
const MOST_TRIED: i64 = 64;

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
    let run = clocked(&dated, found)?;
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

/// The rounds one after the other, each as long as a PE needs, so that the claimed cycles come out: under some skew of the PEs, and so
/// many idle cycles after each round, the same for every one. Which skew and how many is found by trying, since the design does not say.
fn clocked(dated: &[Vec<(Bindings, Dated)>], found: &Found) -> Result<Vec<SlottedPoints>, String> {
    let all = || dated.iter().flatten().map(|(_, dated)| dated);
    let claimed = i64::try_from(found.cost.cycles).unwrap_or(i64::MAX);
    let mut nearest = None;
    for skew in skews(found) {
        let mut rounds: BTreeMap<&[i64], (i64, i64)> = BTreeMap::new();
        for (pe, time) in all() {
            let (step, round) = time.split_last().ok_or("a point has no time")?;
            let step = step - dot(&skew, pe);
            let ends = rounds.entry(round).or_insert((step, step));
            *ends = (ends.0.min(step), ends.1.max(step));
        }
        let between = (rounds.len() as i64 - 1).max(0);
        let busy = span(all(), &zeros(&rounds, 0));
        let fewest = if between > 0 { (claimed - busy) / between } else { 0 };
        for slack in fewest.max(0)..=fewest.max(0).saturating_add(MOST_TRIED) {
            let zeros = zeros(&rounds, slack);
            let counted = span(all(), &zeros);
            nearest.get_or_insert((rounds.len(), counted));
            if counted == claimed {
                return Ok(dated.iter().map(|run| run.iter().map(|point| clock(point, &zeros)).collect()).collect());
            }
            if counted > claimed || between == 0 {
                break;
            }
        }
    }
    match nearest {
        Some((1, counted)) => Err(format!("{counted} cycles are counted")),
        Some((rounds, counted)) => Err(format!("{rounds} rounds of {counted} cycles in all are counted")),
        None => Ok(dated.iter().map(|_| vec![]).collect()),
    }
}

/// The skews that steps may have: along each axis an entry of one, either way. No skew first, then the smallest.
fn skews(found: &Found) -> Vec<Vector> {
    let rank = found.parts.first().map_or(0, |part| part.map.rank());
    let has_rounds = found.parts.first().is_some_and(|part| part.map.step.rows().len() > 1);
    let mut entries = BTreeSet::from([0]);
    if has_rounds && found.fold.is_none() {
        let last = found.parts.iter().filter_map(|part| part.map.step.rows().last()).flatten();
        entries.extend(last.flat_map(|entry| [*entry, -entry]));
    }
    let mut all: Vec<Vector> = vec![vec![]];
    for _ in 0..rank {
        let longer = |skew: Vector| -> Vec<Vector> {
            entries.iter().map(|entry| skew.iter().copied().chain([*entry]).collect()).collect()
        };
        all = all.into_iter().flat_map(longer).collect();
    }
    all.sort_by_key(|skew| skew.iter().map(|entry| entry.abs()).sum::<i64>());
    all
}

/// The clock at which step 0 of each round would be.
fn zeros<'a>(rounds: &BTreeMap<&'a [i64], (i64, i64)>, slack: i64) -> BTreeMap<&'a [i64], i64> {
    let mut start = 0;
    let mut zero = |(round, (first, last)): (&&'a [i64], &(i64, i64))| {
        let zero = start - first;
        start += last - first + 1 + slack;
        (*round, zero)
    };
    rounds.iter().map(&mut zero).collect()
}

/// From the first clock to the last, with both.
fn span<'a>(dated: impl Iterator<Item = &'a Dated>, zeros: &BTreeMap<&[i64], i64>) -> i64 {
    let clock = |(_, time): &Dated| {
        let (step, round) = time.split_last()?;
        Some(zeros.get(round)? + step)
    };
    let (low, high) = dated.filter_map(clock).fold((i64::MAX, i64::MIN), |(low, high), at| (low.min(at), high.max(at)));
    if low > high { 0 } else { high - low + 1 }
}

fn clock((bindings, (pe, time)): &(Bindings, Dated), zeros: &BTreeMap<&[i64], i64>) -> (Bindings, Slot) {
    let (step, round) = time.split_last().map_or((0, &[][..]), |(step, round)| (*step, round));
    (bindings.clone(), (pe.clone(), zeros.get(round).copied().unwrap_or(0) + step))
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
