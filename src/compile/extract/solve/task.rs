//! What a search over systems is given: the spaces, what the e-graph offers for each, bounds, a machine, sizes; with what is
//! found out on the way and serves all designs.

use super::places::{Axes, GivenRows, Room};
use super::sharing::Meetings;
use super::steps::RowCache;
use super::tally::{CostCache, ListedPoints};
use crate::extract::at_once::heard_at_once;
use crate::extract::constraint::place_of;
use crate::extract::enumerate::Points;
use crate::extract::limits::MAPS_OF_A_DATAFLOW;
use crate::extract::partition::axis_of;
use crate::extract::{Constraint, Limits, MOST_FREE};
use crate::mapping::candidates::{Bounds, Leading};
use crate::mapping::{TakerSets, candidates};
use crate::rewrite::{Choices, Transport};
use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use systole_base::diagnostic::{Checked, Diagnostic};
use systole_base::integer::{Affine, Bindings, Matrix, Name, Vector};
use systole_base::machine::Machine;
use systole_equations::recurrence::spaces::{Origin, Source, SpaceSystem, last_point};
use systole_equations::recurrence::{Chain, Space};

/// Designs are costed at sizes with no more points than this in all.
const MOST_POINTS: u64 = 20_000;

/// Sizes at which no space has a point are raised to this at most.
const LARGEST_RAISED: i64 = 6;

/// An array of so many axes can be laid out flat.
const FLAT: usize = 2;

/// What is searched.
pub struct Task<'a> {
    /// The spaces.
    pub system: &'a SpaceSystem,
    /// What the e-graph offers for each, after the schedule's restrictions; memories left out where nothing asks for them.
    pub choices: Vec<Choices>,
    /// The same with memories.
    offered: Vec<Choices>,
    /// The bounds on places and steps.
    pub bounds: Bounds,
    /// The machine.
    pub machine: &'a Machine,
    /// The sizes at which designs are costed; legality does not depend on them.
    pub sizes: Bindings,
    /// What the schedule fixes.
    pub constraint: Constraint,
    /// How far to go.
    pub limits: Limits,
    /// The points of each space at these sizes.
    pub points: Vec<Arc<ListedPoints>>,
    /// The same, each of which is found by its number.
    pub(super) numbered: Vec<Arc<Points>>,
    /// What is known of spaces that share PEs.
    pub(super) meetings: Meetings,
    /// Whether arrays fit the machine.
    pub(super) room: Room<'a>,
    /// The points that take each operand, under each transport.
    pub(super) takers: Arc<TakerSets>,
    /// The family whose inputs are free to move in any way, where those of the others have theirs; with none all are free.
    pub(super) newest: Option<usize>,
    /// The conditions on steps that were met so far.
    pub(super) known: RowCache,
    /// A number for each space, the same for those that depend on each other.
    pub connected: Vec<usize>,
    /// What was counted so far.
    pub(super) costs: CostCache,
    /// What the search took so far, for this task and those made of it.
    pub(super) work: Arc<Work>,
}

/// Lines of places, each with what it says of each family.
pub(super) struct Lines<'a> {
    /// The lines, one after the other: there may be hundreds of thousands.
    pub each: Box<dyn Iterator<Item = GivenRows> + 'a>,
    /// How many there are.
    pub count: u64,
    /// How many are left out since they are not along the axes.
    pub slanted: u64,
}

impl Lines<'_> {
    /// What a schedule gives.
    fn one(given: GivenRows) -> Self {
        Lines { each: Box::new(std::iter::once(given)), count: 1, slanted: 0 }
    }
}

/// What a search takes, in maps of one space that could be looked at meanwhile. It is counted by what is done, so it is the same on
/// every machine.
#[derive(Debug, Default)]
pub struct Work {
    sum: AtomicU64,
    /// Whether something was left out for the budget.
    is_short: AtomicBool,
}

impl Work {
    /// It is found out what hands the values of a dataflow on, or whether a row keeps an order.
    pub const JOINED: u64 = 60;
    /// Steps of a dataflow are solved for.
    pub const SOLVED: u64 = MAPS_OF_A_DATAFLOW;
    /// The shortest steps of a draft are solved for, and what they cost is counted.
    pub const DRAFTED: u64 = 200;
    /// Some steps are looked at for what they cost, and whether they are legal.
    pub const PRICED: u64 = 200;
    /// The spaces of a dataflow are kept apart; the linear problems of turns are counted beside.
    pub const KEPT_APART: u64 = 1000;
    /// Meanwhile a linear problem writes so many numbers.
    const NUMBERS: u64 = 1500;

    /// Meanwhile so many points are looked at for where and when they run.
    const POINTS: u64 = 24;
    /// Rounds of a design that follow each other are numbered, each for all sizes.
    pub const NUMBERED: u64 = 500;
    /// Meanwhile it is found where so many rounds of a space begin.
    const ROUNDS: u64 = 2;
    /// Meanwhile so many ways to move inputs are compared.
    const WAYS: u64 = 4;

    /// What it takes to look at points for where and when they run.
    pub fn in_points(points: u64) -> u64 {
        points / Work::POINTS
    }

    /// What it takes to find where so many rounds begin: each is as long as the longest of so many spaces in it.
    pub fn in_rounds(rounds: usize, spaces: usize) -> u64 {
        (rounds as u64).saturating_mul(spaces as u64) / Work::ROUNDS
    }

    /// What it takes to compare ways to move inputs.
    pub fn in_ways(ways: u64) -> u64 {
        ways / Work::WAYS
    }

    /// What it takes to write the numbers of linear problems.
    pub fn in_numbers(numbers: u64) -> u64 {
        numbers / Work::NUMBERS
    }

    /// A search begins, of which nothing is done.
    pub fn begin(&self) {
        self.sum.store(0, Relaxed);
        self.is_short.store(false, Relaxed);
    }

    /// Counts something that was done.
    pub fn add(&self, work: u64) {
        self.sum.fetch_add(work, Relaxed);
    }

    /// The sum.
    pub fn sum(&self) -> u64 {
        self.sum.load(Relaxed)
    }

    /// Whether so much was done. Then something is left out, which a larger budget has room for.
    pub fn has_reached(&self, limit: u64) -> bool {
        let has = self.sum() >= limit;
        if has {
            self.fell_short();
        }
        has
    }

    /// Something is left out for the budget.
    pub fn fell_short(&self) {
        self.is_short.store(true, Relaxed);
    }

    /// Whether something was left out for the budget: where nothing was, a larger one finds the same.
    pub fn is_short(&self) -> bool {
        self.is_short.load(Relaxed)
    }
}

impl<'a> Task<'a> {
    /// Sets a task up.
    ///
    /// # Errors
    /// Restrictions that leave nothing, spaces that are not bounded, sizes too large to count at.
    pub fn new(
        system: &'a SpaceSystem,
        choices: &[Choices],
        bounds: Bounds,
        machine: &'a Machine,
        sizes: &Bindings,
        constraint: Constraint,
    ) -> Checked<Task<'a>> {
        let left = system.spaces.iter().zip(constraint.restrict(system, choices)?);
        let choices =
            left.map(|(space, choices)| heard_at_once(space, choices, machine)).collect::<Checked<Vec<Choices>>>()?;
        let offered = with_last_points(system, choices);
        let denied = |choice: &Transport| choice.is_stored() || choice.is_bus();
        let choices = leaving(system, &offered, denied);
        let room = Room::new(system, machine, sizes);
        let (sizes, points) = countable(system, sizes)?;
        let takers = Arc::default();
        let known = RowCache::default();
        let meetings = Meetings::new(system, (sizes.clone(), points.clone()), machine.links.cell);
        let limits = Limits::default();
        let numbered = points.iter().map(|points| Arc::new(Points::new(points.to_vec()))).collect();
        Ok(Task {
            system,
            choices,
            offered,
            bounds,
            machine,
            sizes,
            constraint,
            limits,
            points,
            numbered,
            meetings,
            room,
            takers,
            connected: system.connected(),
            newest: None,
            known,
            costs: CostCache::default(),
            work: Arc::default(),
        })
    }

    /// The task of these families alone, whose system is given; what others compute is there without a cost.
    pub(super) fn among<'b>(&self, system: &'b SpaceSystem, families: &[usize]) -> Task<'b>
    where
        'a: 'b,
    {
        let spaces = self.system.spaces_among(families);
        let choices: Vec<Choices> = spaces.iter().map(|space| self.choices_among(families, *space)).collect();
        let points: Vec<Arc<ListedPoints>> = spaces.iter().map(|space| self.points[*space].clone()).collect();
        Task {
            system,
            bounds: self.bounds.clone(),
            machine: self.machine,
            sizes: self.sizes.clone(),
            constraint: self.constraint.among(families, &spaces),
            limits: self.limits,
            meetings: self.meetings.among(system, &spaces, (self.sizes.clone(), points.clone())),
            points,
            numbered: spaces.iter().map(|space| self.numbered[*space].clone()).collect(),
            room: self.room.of(system),
            takers: Arc::default(),
            connected: system.connected(),
            newest: None,
            known: RowCache::default(),
            costs: CostCache::default(),
            work: self.work.clone(),
            offered: choices.clone(),
            choices,
        }
    }

    /// The same task with these choices.
    fn offering(&self, choices: Vec<Choices>) -> Task<'a> {
        let families: Vec<usize> = (0..self.system.families.len()).collect();
        // It is the same system.
        let takers = self.takers.clone();
        Task { takers, choices, ..self.among(self.system, &families) }
    }

    /// The same task within other limits.
    pub(super) fn within(&self, limits: Limits) -> Task<'a> {
        let (offered, constraint) = (self.offered.clone(), self.constraint.clone());
        Task { limits, offered, constraint, ..self.offering(self.choices.clone()) }
    }

    /// The task in which what is computed may be broadcast as well, where that offers something more.
    pub(super) fn driving(&self) -> Option<Task<'a>> {
        let choices = leaving(self.system, &self.offered, Transport::is_stored);
        (self.limits.rounds > 0 && choices != self.choices).then(|| self.offering(choices))
    }

    /// The tasks in which what is computed may be stored as well: first each PE keeps it for itself, then all share a memory too. Only
    /// those that offer something more.
    pub(super) fn storing(&self) -> Vec<Task<'a>> {
        if self.limits.rounds == 0 {
            return vec![];
        }
        let mut tasks: Vec<Task> = vec![];
        let denials: [fn(&Transport) -> bool; 2] =
            [|choice| *choice == Transport::Memory || choice.is_bus(), Transport::is_bus];
        for denied in denials {
            let choices = leaving(self.system, &self.offered, denied);
            if choices != *tasks.last().map_or(&self.choices, |task| &task.choices) {
                tasks.push(self.offering(choices));
            }
        }
        tasks
    }

    /// For each family a place where its points may run one after the other: the one that a schedule gives, else the axes along which the
    /// kernel is divided as far as the family has their indices, else one PE. None where a schedule says when, or where a PE has nothing
    /// to run in rounds.
    pub(super) fn places_in_order(&self) -> Option<Vec<Matrix>> {
        let (axes, places) = (&self.constraint.divided, &self.constraint.places);
        let is_open = !axes.is_empty() || !self.constraint.says_when();
        let rank = self.constraint.rank().unwrap_or(axes.len());
        let is_asked = self.constraint.rank().is_some() || !axes.is_empty() || self.bounds.ranks.contains(&0);
        if self.limits.rounds == 0 || !is_open || !is_asked || self.dimension() < 2 + rank {
            return None;
        }
        let place = |(number, given): (usize, &Option<Matrix>)| {
            let indices = &self.system.families[number].indices;
            let along = |axis: usize| {
                let row = axes.get(axis).and_then(|axis| axis_of(self.system, number, axis));
                row.map_or(vec![0; indices.len()], |row| row.row(indices))
            };
            given.clone().unwrap_or_else(|| Matrix::new((0..rank).map(along).collect(), indices.len()))
        };
        Some(places.iter().enumerate().map(place).collect())
    }

    /// The tasks in which each PE keeps all that it computes for itself, or a memory has it, and each reduction has one order: the first
    /// that is offered, or for one of them another.
    pub(super) fn keeping_all(&self) -> Vec<Task<'a>> {
        let ways = [Transport::Local, Transport::Memory, Transport::Handoff];
        let all = [&ways[..], &ways[1..]].map(|ways| self.offered_one(ways));
        let differ = all[0] != all[1];
        all.into_iter()
            .take(1 + usize::from(differ))
            .flat_map(|kept| orders(&kept))
            .map(|choices| self.offering(choices))
            .collect()
    }

    /// What each space is offered, with the first of these ways for what is computed. What can be kept nowhere, such as the result of a
    /// reduction within an equation, is handed on.
    fn offered_one(&self, ways: &[Transport]) -> Vec<Choices> {
        let of_space = |(space, offered): (usize, &Choices)| {
            let mut kept = offered.clone();
            for (operand, offered) in kept.transports.iter_mut().enumerate() {
                if !self.system.sources[space][operand].is_empty() {
                    let way = ways.iter().find(|way| offered.contains(way)).cloned();
                    way.into_iter().for_each(|way| *offered = vec![way]);
                }
            }
            kept
        };
        self.offered.iter().enumerate().map(of_space).collect()
    }

    fn choices_among(&self, families: &[usize], space: usize) -> Choices {
        let mut choices = self.choices[space].clone();
        let operands = choices.transports.iter_mut().enumerate();
        let open = operands.filter(|(operand, _)| !self.system.is_within(families, (space, *operand)));
        open.for_each(|(_, offered)| *offered = vec![Transport::Handoff]);
        choices
    }

    /// The streams of an operand that move from PE to PE under a place of its space.
    pub(super) fn moving_streams(
        &self,
        space: usize,
        operand: usize,
        place: &Matrix,
    ) -> impl Iterator<Item = &Transport> {
        let network = self.machine.links.network;
        let moves = move |choice: &&Transport| match choice {
            Transport::Stream(along) => network.hops(&place.apply(along)).is_some_and(|hops| hops > 0),
            _ => false,
        };
        self.choices[space].transports[operand].iter().filter(moves)
    }

    /// The arrays whose times are plain: each PE has one dimension of the largest space at most.
    pub(super) fn plain_arrays(&self) -> Vec<Axes> {
        let dimension = self.dimension();
        match (self.constraint.rounds(), self.constraint.rank()) {
            (Some(rounds), _) if rounds > 0 => vec![],
            (_, Some(rank)) => self.carried(vec![rank], |_| 0),
            (_, None) => {
                let fits = |rank: &usize| *rank + 1 >= dimension && *rank <= dimension;
                self.carried(self.bounds.ranks.iter().copied().filter(fits).collect(), |_| 0)
            }
        }
    }

    /// The arrays whose times are vectors, with as many rows as a PE has dimensions of the largest space; the largest first.
    pub(super) fn arrays_in_rounds(&self) -> Vec<Axes> {
        let dimension = self.dimension();
        let mut ranks = self.constraint.rank().map_or_else(|| self.bounds.ranks.clone(), |rank| vec![rank]);
        ranks.sort_unstable_by(|a, b| b.cmp(a));
        match self.constraint.rounds() {
            Some(rounds) => self.carried(ranks.into_iter().filter(|_| rounds > 0).collect(), |_| rounds),
            None if self.limits.rounds == 0 => vec![],
            None => {
                let open = ranks.into_iter().filter(|rank| *rank + 1 < dimension).collect();
                self.carried(open, |rank| dimension - 1 - rank)
            }
        }
    }

    /// Whether arrays in rounds are looked at together with those of plain times, not only where these lead to nothing.
    pub(super) fn has_rounds_at_once(&self) -> bool {
        self.constraint.rounds().is_some() || self.system.spaces.len() <= self.limits.rounds
    }

    /// Whether PEs of a design may be folded onto one.
    pub(super) fn has_folds(&self) -> bool {
        self.limits.fold > 1 || self.constraint.fold.is_some()
    }

    /// The largest number of indices of a space.
    pub(super) fn dimension(&self) -> usize {
        self.system.dimension()
    }

    /// Whether arrays with plain times have more than two axes. Then flat ones in rounds are looked at as well, and the cost decides.
    pub(super) fn is_stacked(&self) -> bool {
        self.constraint.rank().is_none() && self.plain_arrays().iter().any(|axes| axes.rank > FLAT)
    }

    /// The arrays of these ranks that the network has.
    fn carried(&self, ranks: Vec<usize>, rounds: impl Fn(usize) -> usize) -> Vec<Axes> {
        let carried = ranks.into_iter().filter(|rank| self.machine.links.network.carries_rank(*rank));
        carried.map(|rank| Axes { rank, rounds: rounds(rank) }).collect()
    }

    /// What one line of places, and of rounds, can say in an array: for each family the rows where it has all indices of the line.
    pub(super) fn lines(&self, axes: Axes) -> Lines<'_> {
        if self.constraint.places.iter().any(Option::is_some) {
            return Lines::one(self.constraint.fixed_rows());
        }
        let families = &self.system.families;
        let Some(largest) = families.iter().rev().max_by_key(|family| family.indices.len()) else {
            return Lines { each: Box::new(std::iter::empty()), count: 0, slanted: 0 };
        };
        let names = &largest.indices;
        let of_families = |rows: &[Vector]| -> Vec<Option<Matrix>> {
            let rows: Vec<Affine> = rows.iter().map(|row| Affine::from_row(names, row)).collect();
            families.iter().map(|family| place_of(family, &rows)).collect()
        };
        let count = candidates::count_places(names.len(), axes.rank, self.bounds.bound);
        let are_all = self.system.spaces.len() <= self.limits.spaces && axes.rounds == 0 && count <= MOST_FREE;
        let kept = candidates::places_or_axes(names.len(), axes.rank, self.bounds.bound, !are_all);
        // Of those that are counted, some are not kept though all are looked at: their rows depend on each other.
        let counted = u64::try_from(count).unwrap_or(u64::MAX);
        let slanted = if are_all { 0 } else { counted.saturating_sub(kept.len() as u64) };
        if axes.rounds == 0 || self.constraint.rounds.iter().any(Option::is_some) {
            let rounds = self.constraint.fixed_rows().rounds;
            let count = kept.len() as u64;
            let each = kept.into_iter();
            let each = each.map(move |place| GivenRows { places: of_families(place.rows()), rounds: rounds.clone() });
            return Lines { each: Box::new(each), count, slanted };
        }
        // Where nothing that is computed is read, rounds may as well count upwards.
        let is_upwards = !self.system.sources.iter().flatten().any(|sources| !sources.is_empty());
        // Places are along the axes here, and rounds count the other indices.
        let leading = move |place: &Matrix| Leading::new(place.columns(), axes.rounds, is_upwards).beside(place);
        let count = kept.iter().map(|place| leading(place).ways()).fold(0, u64::saturating_add);
        let each = kept.into_iter().flat_map(move |place| {
            let places = of_families(place.rows());
            let rounds = leading(&place).rows();
            rounds.map(move |rounds| GivenRows { places: places.clone(), rounds: of_families(&rounds) })
        });
        Lines { each: Box::new(each), count, slanted }
    }

    /// The box for the steps: a latency of more than one makes room for steps as much longer.
    pub(super) fn steps(&self) -> (i64, i64) {
        let (low, high) = self.bounds.steps;
        (low, high + self.machine.links.latency - 1)
    }
}

/// What is offered, without the orders of a reduction that leave its result at no one point, where it is read: `sum(k in max(0, i - 1)..N)`
/// that runs downwards ends at 0 or at `i - 1`, and nobody could say who hands it on. Where no order is left, all are.
fn with_last_points(system: &SpaceSystem, mut offered: Vec<Choices>) -> Vec<Choices> {
    let sources = system.sources.iter().flatten().flatten();
    let read: BTreeSet<usize> = sources
        .filter_map(|source| match source.origin {
            Origin::Space { space, .. } => Some(space),
            Origin::Known(_) => None,
        })
        .collect();
    for space in read {
        let giver = &system.spaces[space];
        let has_one = |chain: &Chain| last_point(giver, chain, &giver.element()).is_some();
        let (left, others) = std::mem::take(&mut offered[space].chains).into_iter().partition(has_one);
        offered[space].chains = if Vec::is_empty(&left) { others } else { left };
    }
    offered
}

/// Choices with one order for each reduction: the first that is offered, or for one of them another.
fn orders(choices: &[Choices]) -> Vec<Vec<Choices>> {
    let first: Vec<Choices> = choices.iter().map(|choices| choices.in_order(0)).collect();
    let mut all = vec![first.clone()];
    for (space, offered) in choices.iter().enumerate() {
        for order in 1..offered.chains.len() {
            let mut other = first.clone();
            other[space] = offered.in_order(order);
            all.push(other);
        }
    }
    all
}

/// The sizes at which designs are costed, and the points there: those asked for, made smaller where there would be too many points to
/// count, or larger where no space has any. Without a point all designs cost nothing, so every one of them would be on the front.
fn countable(system: &SpaceSystem, asked: &Bindings) -> Checked<(Bindings, Vec<Arc<ListedPoints>>)> {
    let raised = if points(system, asked) == Some(0) { larger(system, asked) } else { None };
    let mut sizes = raised.unwrap_or_else(|| asked.clone());
    while points(system, &sizes).is_none_or(|total| total > MOST_POINTS) {
        let Some(largest) = sizes.values_mut().max().filter(|size| **size > 1) else {
            return Diagnostic::new(format!("the spaces of `{}` are not bounded at these sizes", system.kernel))
                .alone();
        };
        *largest = (*largest / 2).min(64);
    }
    let all: Option<Vec<Arc<ListedPoints>>> =
        system.spaces.iter().map(|space| ListedPoints::of(space, &sizes)).collect();
    let all = all.ok_or_else(|| vec![Diagnostic::new(format!("the spaces of `{}` are not bounded", system.kernel))])?;
    Ok((sizes, all))
}

/// How many points all spaces have together.
fn points(system: &SpaceSystem, sizes: &Bindings) -> Option<u64> {
    let count = |space: &Space| space.domain.set.count(space.indices(), sizes);
    system.spaces.iter().try_fold(0u64, |sum, space| sum.checked_add(count(space)?))
}

/// Sizes that are not much larger, at which as many spaces as possible have two points: all raised to the same number, or one alone.
fn larger(system: &SpaceSystem, sizes: &Bindings) -> Option<Bindings> {
    let all = |least: i64| sizes.iter().map(move |(size, value)| (size.clone(), least.max(*value))).collect();
    let one = |raised: &Name, least: i64| {
        let value = |size: &Name, value: i64| if size == raised { least.max(value) } else { value };
        sizes.iter().map(|(size, old)| (size.clone(), value(size, *old))).collect()
    };
    let tried = (2..=LARGEST_RAISED).flat_map(|least| {
        std::iter::once(all(least)).chain(sizes.keys().map(move |raised| one(raised, least))).collect::<Vec<Bindings>>()
    });
    // One point says nothing yet of how far a value is carried.
    let filled = |sizes: &Bindings| -> u64 {
        let count = |space: &Space| space.domain.set.count(space.indices(), sizes).unwrap_or(0);
        system.spaces.iter().map(|space| count(space).min(2)).sum()
    };
    let counted = tried
        .filter(|sizes| points(system, sizes).is_some_and(|total| total <= MOST_POINTS))
        .map(|sizes| (filled(&sizes), sizes));
    let best = counted.reduce(|best, next| if next.0 > best.0 { next } else { best });
    best.filter(|(filled, _)| *filled > 0).map(|(_, sizes)| sizes)
}

/// What is offered of computed values but for what is denied, where there is something else. To store values takes room, or words of
/// memory, and to broadcast them a bus, where a stream would pass them on.
fn leaving(system: &SpaceSystem, offered: &[Choices], denied: impl Fn(&Transport) -> bool) -> Vec<Choices> {
    let without = |transports: &Vec<Transport>| -> Vec<Transport> {
        let left: Vec<Transport> = transports.iter().filter(|choice| !denied(choice)).cloned().collect();
        if left.is_empty() { transports.clone() } else { left }
    };
    let of_space = |(offered, sources): (&Choices, &Vec<Vec<Source>>)| {
        let operands = offered.transports.iter().zip(sources);
        let transports = operands.map(|(offered, sources)| match sources.is_empty() {
            true => offered.clone(),
            false => without(offered),
        });
        Choices { transports: transports.collect(), chains: offered.chains.clone() }
    };
    offered.iter().zip(&system.sources).map(of_space).collect()
}
