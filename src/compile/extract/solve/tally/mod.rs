//! What a design of several spaces costs at given sizes, counted point by point.

use super::Task;
use super::asked::has_time;
use super::task::Work;
use crate::cost::{Cost, unbeaten};
use crate::extract::enumerate::Checker;
use crate::extract::enumerate::route;
use crate::mapping::{Calendar, Carrier, Design, Giver, Handoff, SpaceDesign};
use crate::rewrite::{Dataflow, Transport};
use crate::timing::DEEPEST;
use cost_cache::{Priced, ReadSet, Ways};
use rustc_hash::{FxHashMap, FxHashSet};
use slots::{Occupied, slot};
use std::cell::Cell;
use std::collections::BTreeSet;
use std::sync::Arc;
use systole_base::integer::{Polyhedron, Vector};

/// Of ways to move inputs that cost the same no more than this are gone on with.
const MOST_ALIKE: usize = 64;

mod cost_cache;

pub use cost_cache::{CostCache, Moves};

mod slots;

pub use slots::{AllSlots, ListedPoints, slot_numbers};

/// Every best way to move the inputs under some steps, with what the whole costs then. There may be hundreds of thousands, so their parts are made
/// when they are asked for.
#[derive(Default)]
pub struct Moved {
    /// The ways to move the inputs of each space, for each diagonal that the array can have.
    choices: Vec<Vec<Arc<Ways>>>,
    /// The costs, each with its diagonal and the way of each space.
    ways: Vec<(Cost, Way)>,
}

/// A diagonal, and the number of the way of each space.
type Way = (usize, Vec<usize>);

impl Moved {
    /// What each costs.
    pub fn costs(&self) -> impl Iterator<Item = &Cost> {
        self.ways.iter().map(|(cost, _)| cost)
    }

    /// The parts of a design, moved in each of these ways whose cost is wanted.
    pub fn parts(&self, parts: &[SpaceDesign], wanted: impl Fn(&Cost) -> bool) -> Vec<(Cost, Vec<SpaceDesign>)> {
        let with =
            |(part, dataflow): (&SpaceDesign, &Dataflow)| SpaceDesign { dataflow: dataflow.clone(), ..part.clone() };
        let of = |way| parts.iter().zip(self.dataflows(way)).map(with).collect();
        self.ways.iter().filter(|(cost, _)| wanted(cost)).map(|(cost, way)| (*cost, of(way))).collect()
    }

    fn dataflows(&self, (diagonal, way): &Way) -> impl Iterator<Item = &Dataflow> {
        self.choices[*diagonal].iter().zip(way).map(|(choices, number)| &choices[*number].1)
    }

    /// Adds those of another diagonal that are not there.
    fn add(&mut self, other: Moved) {
        let whole =
            |moved: &Moved, (cost, way): &(Cost, Way)| (*cost, moved.dataflows(way).cloned().collect::<Vec<_>>());
        let known: FxHashSet<(Cost, Vec<Dataflow>)> = self.ways.iter().map(|way| whole(self, way)).collect();
        let new = other.ways.iter().filter(|way| known.is_empty() || !known.contains(&whole(&other, way)));
        let diagonal = self.choices.len();
        let new: Vec<(Cost, Way)> = new.map(|(cost, (_, way))| (*cost, (diagonal, way.clone()))).collect();
        self.ways.extend(new);
        self.choices.extend(other.choices);
    }
}

/// Every best way to move the inputs under these steps; none where the design is not legal at these sizes.
pub fn price(task: &Task, design: &Design, handoffs: &[Handoff]) -> Moved {
    priced(task, design, handoffs, |occupied| occupied.is_apart).unwrap_or_default()
}

/// What every best way to move the inputs would cost under these steps, whether points share a PE and a time or not.
pub fn estimate(task: &Task, design: &Design, handoffs: &[Handoff]) -> Vec<Cost> {
    priced(task, design, handoffs, |_| true).unwrap_or_default().costs().copied().collect()
}

/// The same of a design that occupies the array in a way that is wanted; `None` of another one, and where a number does not fit.
fn priced(task: &Task, design: &Design, handoffs: &[Handoff], is_wanted: impl Fn(&Occupied) -> bool) -> Option<Moved> {
    let slots = AllSlots::of(&task.sizes, design, &task.points)?;
    let occupied = slots.occupied(task.machine.links.cell).filter(is_wanted)?;
    let points: usize = task.points.iter().map(|points| points.len()).sum();
    task.work.add(Work::in_points(points as u64) + if design.rounds() > 0 { Work::NUMBERED } else { 0 });
    let of_computed = without_inputs(task, design).calendar(handoffs, &task.machine.links, &task.sizes)?;
    task.work.add(Work::in_rounds(of_computed.rounds(), task.system.spaces.len()));
    let calendar = Arc::new(of_computed);
    let cycles = slots.cycles(&calendar)?;
    // What PEs keep takes room in each of them, what they share is stored once.
    let buffers = stored_words(task, design, &Transport::Local)?;
    let memory_words = stored_words(task, design, &Transport::Memory)?;
    let base = Cost { cycles, pes: occupied.pes, buffers, memory_words, fanout: 1, ..Cost::default() };
    let join = |sum: Cost, handoff| Some(sum.join(&of_handoff(task, design, handoff, &calendar)?));
    let shared = handoffs.iter().try_fold(base, join)?;
    let mut all = Moved::default();
    for diagonal in diagonals(task, design, handoffs) {
        all.add(with_inputs(task, design, shared, (diagonal, &calendar))?);
    }
    all.ways = best(all.ways);
    task.work.add(Work::in_ways(all.ways.len() as u64));
    Some(all)
}

/// The words that are stored for readers of this kind: all elements of each tensor that is read so. No two spaces compute the same one.
fn stored_words(task: &Task, design: &Design, transport: &Transport) -> Option<u64> {
    let spaces = task.system.spaces.iter().enumerate();
    let stored = spaces.filter(|(_, space)| design.reads_by(transport, &space.output));
    stored.map(|(space, _)| task.costs.of_elements(space, || elements(task, space))).sum()
}

/// How many elements the points of a space make.
fn elements(task: &Task, space: usize) -> Option<u64> {
    let (space, points) = (&task.system.spaces[space], &task.points[space]);
    let element = |point: &Vector| {
        let bindings = space.bind(&task.sizes, point);
        space.output_access.iter().map(|form| form.evaluate(&bindings)).collect::<Option<Vector>>()
    };
    let all: BTreeSet<Vector> = points.iter().map(element).collect::<Option<_>>()?;
    Some(all.len() as u64)
}

/// The diagonals that an array can have for what is computed; inputs must do with one of them.
fn diagonals(task: &Task, design: &Design, handoffs: &[Handoff]) -> Vec<i64> {
    let ways = without_inputs(task, design).ways(handoffs);
    task.machine.links.network.diagonals(ways.iter().map(|(_, moved)| moved.as_slice()))
}

/// The design with each input fed, so that only computed values move; but one for which nothing is offered but a bus from memory is on
/// that bus, which decides how rounds follow each other.
fn without_inputs<'a>(task: &Task, design: &Design<'a>) -> Design<'a> {
    let mut computed = design.clone();
    for (space, (part, sources)) in computed.parts.iter_mut().zip(&task.system.sources).enumerate() {
        let transports = part.dataflow.transports.iter_mut().zip(sources).enumerate();
        for (operand, (choice, _)) in transports.filter(|(_, (_, sources))| sources.is_empty()) {
            let offered = &task.choices[space].transports[operand];
            let has_bus = !offered.is_empty() && offered.iter().all(|offer| *offer == Transport::Bus);
            *choice = if has_bus { Transport::Bus } else { Transport::Feed };
        }
    }
    computed
}

/// The ways to move the inputs of each space in an array with this diagonal, and every best way to take one of each, with the costs of the whole;
/// `shared` is what the points and the handoffs cost.
fn with_inputs(
    task: &Task,
    design: &Design,
    shared: Cost,
    (diagonal, calendar): (i64, &Arc<Calendar>),
) -> Option<Moved> {
    let (mut choices, mut front) = (vec![], vec![(shared, vec![])]);
    for (space, part) in design.parts.iter().enumerate() {
        let (map, dataflow) = (part.map.clone(), part.dataflow.clone());
        let rounds = (design.rounds() > 0).then(|| (part.starts.clone(), calendar.clone()));
        let priced = Priced { space, map, dataflow, diagonal, rounds };
        let looked = Cell::new(0);
        let first = || task.work.add(Work::in_points(looked.get()));
        let ways = task.costs.of_space(priced, |priced| of_space(task, priced, &looked), first)?;
        let numbered: Vec<(Cost, usize)> = ways.iter().enumerate().map(|(number, (cost, _))| (*cost, number)).collect();
        front = longer(&front, &numbered);
        choices.push(ways);
    }
    Some(Moved { choices: vec![choices], ways: front.into_iter().map(|(cost, way)| (cost, (0, way))).collect() })
}

/// Every best way to go on: each list with each of the next choices. Of many that cost the same the first stay: what is added to them
/// costs the same again. There are far fewer costs than lists, so what is best is found out among costs.
fn longer<T: Clone>(front: &[(Cost, Vec<T>)], next: &[(Cost, T)]) -> Vec<(Cost, Vec<T>)> {
    let (lists, choices) =
        (Distinct::of(front.iter().map(|(cost, _)| *cost)), Distinct::of(next.iter().map(|(cost, _)| *cost)));
    let pairs = lists.costs.iter().flat_map(|list| choices.costs.iter().map(|choice| list.join(choice)));
    let joined = Distinct::of(pairs);
    let best = unbeaten(joined.costs.iter().copied());
    let mut room: Vec<usize> =
        joined.costs.iter().map(|cost| if best.binary_search(cost).is_ok() { MOST_ALIKE } else { 0 }).collect();
    let mut all = vec![];
    for ((_, list), first) in front.iter().zip(&lists.numbers) {
        for ((_, choice), second) in next.iter().zip(&choices.numbers) {
            let number = joined.numbers[first * choices.costs.len() + second];
            if room[number] > 0 {
                room[number] -= 1;
                all.push((joined.costs[number], list.iter().chain([choice]).cloned().collect()));
            }
        }
    }
    all
}

/// Costs without those that come again, in the order in which they come first, and for each that comes its number among these.
struct Distinct {
    costs: Vec<Cost>,
    numbers: Vec<usize>,
}

impl Distinct {
    fn of(all: impl Iterator<Item = Cost>) -> Distinct {
        let mut known: FxHashMap<Cost, usize> = FxHashMap::default();
        let (mut costs, mut numbers) = (vec![], vec![]);
        for cost in all {
            let number = *known.entry(cost).or_insert(costs.len());
            if number == costs.len() {
                costs.push(cost);
            }
            numbers.push(number);
        }
        Distinct { costs, numbers }
    }
}

/// Those that no other beats in one entry without losing in another; ties stay.
fn best<T>(priced: Vec<(Cost, T)>) -> Vec<(Cost, T)> {
    let distinct: FxHashSet<Cost> = priced.iter().map(|(cost, _)| *cost).collect();
    let best = unbeaten(distinct.into_iter());
    priced.into_iter().filter(|(cost, _)| best.binary_search(cost).is_ok()).collect()
}

/// Every best choice for the inputs of a space in an array with this diagonal, with what its streams and its reduction cost.
/// Rounds are as long as what is computed needs: an input that would need longer ones is not moved from round to round. `looked` hears how
/// often a point was looked at: once for its PE and time, and once for each way of an operand that is in time.
fn of_space(task: &Task, priced: &Priced, looked: &Cell<u64>) -> Option<Vec<(Cost, Dataflow)>> {
    let Priced { space, map, dataflow, diagonal, rounds } = priced;
    let points = &task.system.spaces[*space];
    let look = || looked.set(looked.get() + task.points[*space].len() as u64);
    look();
    let (numbered, of) = (&task.numbered[*space], (points, task.machine));
    let checker = match rounds {
        None => Checker::of(numbered, of, (&task.sizes, map)).ok()?,
        Some((starts, calendar)) => Checker::in_rounds(numbered, of, (&task.sizes, map), (starts, calendar)).ok()?,
    };
    let slant = |along: &Vector| task.machine.links.network.diagonal(&map.displacement(along));
    let is_waited_for = |choice: &Transport| match (rounds, choice) {
        (Some((_, calendar)), Transport::Broadcast(along)) => calendar.is_driven(&map.displacement(along)),
        (Some((_, calendar)), Transport::Bus) => calendar.is_level(),
        (Some((_, calendar)), _) => calendar.waits_for(points, map, choice.directions(), &task.machine.links),
        (None, _) => true,
    };
    // Looked at before any point is: of many choices most leave no time.
    let is_in_time =
        |choice: &Transport| choice.streams().iter().all(|along| has_time(map, along, &task.machine.links));
    let fits = |choice: &Transport| {
        let fits = is_in_time(choice)
            && choice.directions().iter().all(|along| [0, *diagonal].contains(&slant(along)))
            && is_waited_for(choice);
        fits.then(look).is_some()
    };
    let mut front = vec![(checker.chain(&dataflow.chain).ok()?, vec![])];
    for operand in 0..points.operands.len() {
        let own = match task.system.sources[*space][operand].is_empty() {
            true => inputs(task, (*space, operand), &dataflow.transports[operand], &checker, fits),
            false => {
                look();
                computed(&checker, operand, &dataflow.transports[operand])?
            }
        };
        front = longer(&front, &own);
    }
    let chain = &dataflow.chain;
    let with = |transports| Dataflow { transports, chain: chain.clone() };
    Some(front.into_iter().map(|(cost, transports)| (cost, with(transports))).collect())
}

/// The parts with each input moved in the first way that is legal, beside what moves already if there is one, or else in
/// the first way.
pub fn nearest_inputs(task: &Task, design: &Design, handoffs: &[Handoff]) -> Vec<SpaceDesign> {
    let mut near = without_inputs(task, design);
    for space in 0..near.parts.len() {
        for operand in 0..task.system.sources[space].len() {
            let choice = match task.system.sources[space][operand].is_empty() {
                true => nearest_input(task, &near, handoffs, (space, operand)),
                false => None,
            };
            choice.into_iter().for_each(|choice| near.parts[space].dataflow.transports[operand] = choice);
        }
    }
    near.parts
}

fn nearest_input(
    task: &Task,
    near: &Design,
    handoffs: &[Handoff],
    (space, operand): (usize, usize),
) -> Option<Transport> {
    let (network, map) = (task.machine.links.network, &near.parts[space].map);
    let of = (&task.system.spaces[space], task.machine);
    let checker = Checker::of(&task.numbered[space], of, (&task.sizes, map)).ok();
    let legal = |choice: &&Transport| checker.as_ref().is_some_and(|checker| checker.operand(operand, choice).is_ok());
    let ways: Vec<Vector> = near.ways(handoffs).into_iter().map(|(_, moved)| moved).collect();
    let joins = |choice: &&Transport| {
        let moved: Vec<Vector> = choice.directions().iter().map(|along| map.displacement(along)).collect();
        network.joins(ways.iter().chain(&moved).map(Vec::as_slice))
    };
    let offered = &task.choices[space].transports[operand];
    let beside = offered.iter().find(|choice| legal(choice) && joins(choice));
    beside.or_else(|| offered.iter().find(legal)).or(offered.first()).cloned()
}

/// The best ways to move an input: the one that it has already, or else all that are offered.
fn inputs(
    task: &Task,
    (space, operand): (usize, usize),
    has: &Transport,
    checker: &Checker,
    fits: impl Fn(&Transport) -> bool,
) -> Vec<(Cost, Transport)> {
    let price = |transport: &Transport| Some((checker.operand(operand, transport).ok()?, transport.clone()));
    let is_free = task.newest.is_none_or(|newest| task.system.members[space].family == newest);
    let is_given = matches!(has, Transport::Stream(_)) || !is_free;
    if let Some(given) = Some(has).filter(|has| is_given && fits(has)).and_then(price) {
        return vec![given];
    }
    let offered = task.choices[space].transports[operand].iter().filter(|choice| fits(choice));
    best(offered.filter_map(price).collect())
}

/// A computed operand is never loaded like an input: its heads are handed over.
fn computed(checker: &Checker, operand: usize, transport: &Transport) -> Option<Vec<(Cost, Transport)>> {
    let cost = Cost { memory_words: 0, ..checker.operand(operand, transport).ok()? };
    Some(vec![(cost, transport.clone())])
}

/// The words of a handoff, and the slots of its channels; `None` where it is not legal at these sizes.
fn of_handoff(task: &Task, design: &Design, handoff: &Handoff, calendar: &Calendar) -> Option<Cost> {
    let Giver::Point { space, carrier, .. } = &handoff.giver else { return Some(Cost::default()) };
    if handoff.is_within_point(&task.system.spaces[*space]) || *carrier == Carrier::Kept {
        return Some(Cost::default());
    }
    if !is_alone_on_its_way(task, design, handoff, calendar)? {
        return None;
    }
    let taken = (handoff.reader, design.parts[handoff.reader].map.place.clone(), handoff.set.clone());
    let (takers, pes) = task.costs.of_takers(taken, |taken| of_takers(task, taken));
    let Carrier::Links(displacement) = carrier else {
        return Some(Cost { memory_words: takers, fanout: 1, ..Cost::default() });
    };
    let hops = task.machine.links.network.hops(displacement)?;
    let depth = design.handoff_depth(handoff, &task.machine.links)?;
    // What is too deep to be proved is left to schedules, which hear why.
    if depth > DEEPEST as u64 && !task.constraint.fixes_a_step() {
        return None;
    }
    let channel_words = takers * hops.unsigned_abs();
    Some(Cost { channel_words, buffers: depth * pes, fanout: 1, ..Cost::default() })
}

/// How many points take, on how many PEs.
fn of_takers(task: &Task, (reader, place, set): &ReadSet) -> (u64, u64) {
    let takers = takers(task, *reader, set);
    let pes: BTreeSet<Vector> = takers.iter().map(|point| place.apply(point)).collect();
    (takers.len() as u64, pes.len() as u64)
}

fn takers<'a>(task: &'a Task, reader: usize, set: &Polyhedron) -> Vec<&'a Vector> {
    task.points[reader].iter().filter(|point| is_in(task, reader, set, point)).collect()
}

/// Whether a point of a space lies in a set at the sizes of the task.
pub fn is_in(task: &Task, space: usize, set: &Polyhedron, point: &[i64]) -> bool {
    set.contains(&task.system.spaces[space].bind(&task.sizes, point))
}

/// Whether no two words of a handoff are on one link at one time; those that move by a hop along each axis at most have links
/// of their own. `None` where a coordinate does not fit.
fn is_alone_on_its_way(task: &Task, design: &Design, handoff: &Handoff, calendar: &Calendar) -> Option<bool> {
    let Giver::Point { space, at, carrier: Carrier::Links(displacement), .. } = &handoff.giver else {
        return Some(true);
    };
    if displacement.iter().all(|entry| entry.abs() <= 1) {
        return Some(true);
    }
    let reader = &task.system.spaces[handoff.reader];
    let mut carried = BTreeSet::new();
    for taker in takers(task, handoff.reader, &handoff.set) {
        let bindings = reader.bind(&task.sizes, taker);
        let giver: Vector = at.iter().map(|form| form.evaluate(&bindings)).collect::<Option<_>>()?;
        let (pe, time) = slot(&task.sizes, design, *space, &giver)?;
        let time = calendar.clock(&time)?;
        for (hop, link) in (0..).zip(route(&pe, displacement)) {
            if !carried.insert((link, time + hop * task.machine.links.latency)) {
                return Some(false);
            }
        }
    }
    Some(true)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ways(words: &[(u64, u64)]) -> Vec<(Cost, usize)> {
        let cost = |(channel_words, memory_words)| Cost { channel_words, memory_words, ..Cost::default() };
        words.iter().zip(0..).map(|(words, number)| (cost(*words), number)).collect()
    }

    fn after(times: usize, next: &[(Cost, usize)]) -> Vec<(Cost, Vec<usize>)> {
        (0..times).fold(vec![(Cost::default(), vec![])], |front, _| longer(&front, next))
    }

    #[test]
    fn of_many_ways_that_cost_the_same_the_first_stay() {
        let alike = ways(&[(1, 1), (1, 1)]);
        assert_eq!(after(3, &alike).len(), 8);
        let many = after(20, &alike);
        assert_eq!(many.len(), MOST_ALIKE);
        assert_eq!(many[0].1, vec![0; 20]);
    }

    #[test]
    fn no_cost_is_lost_with_them_and_none_that_is_beaten_stays() {
        let many = after(12, &ways(&[(1, 1), (1, 1), (9, 0), (9, 1)]));
        let costs: FxHashSet<Cost> = many.iter().map(|(cost, _)| *cost).collect();
        assert_eq!(costs.len(), 13);
        assert!(many.iter().all(|(_, numbers)| !numbers.contains(&3)));
    }
}
