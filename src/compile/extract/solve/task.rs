//! What a search over systems is given: the spaces, what the e-graph offers for each, bounds, a machine, sizes; with what is
//! found out on the way and serves all designs.

use super::places::Room;
use super::sharing::Meetings;
use super::steps::KnownRows;
use super::tally::KnownCosts;
use crate::extract::at_once::heard_at_once;
use crate::extract::constraint::place_of;
use crate::extract::{Constraint, Limits};
use crate::mapping::candidates::Bounds;
use crate::mapping::{TakerSets, candidates};
use crate::rewrite::{Choices, Transport};
use systole_base::diagnostic::{Checked, Diagnostic};
use systole_base::integer::{Affine, Bindings, Matrix, Name, Vector};
use systole_base::machine::Machine;
use systole_equations::recurrence::Space;
use systole_equations::recurrence::spaces::SpaceSystem;

/// Designs are costed at sizes with no more points than this in all.
const MOST_POINTS: u64 = 20_000;

/// Sizes at which no space has a point are raised to this at most.
const LARGEST_RAISED: i64 = 6;

/// What is searched.
pub struct Task<'a> {
    /// The spaces.
    pub system: &'a SpaceSystem,
    /// What the e-graph offers for each, after the schedule's restrictions.
    pub choices: Vec<Choices>,
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
    pub points: Vec<Vec<Vector>>,
    /// What is known of spaces that share PEs.
    pub(super) meetings: Meetings,
    /// Whether arrays fit the machine.
    pub(super) room: Room<'a>,
    /// The points that take each operand, under each transport.
    pub(super) takers: TakerSets,
    /// The family whose inputs are free to move in any way, where those of the others have theirs; with none all are free.
    pub(super) newest: Option<usize>,
    /// The conditions on steps that were met so far.
    pub(super) known: KnownRows,
    /// What was counted so far.
    pub(super) costs: KnownCosts,
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
        let room = Room::new(system, machine, sizes);
        let (sizes, points) = countable(system, sizes)?;
        let takers = TakerSets::new(system, &choices);
        let known = KnownRows::default();
        let meetings = Meetings::new(system, (sizes.clone(), points.clone()));
        let limits = Limits::default();
        Ok(Task {
            system,
            choices,
            bounds,
            machine,
            sizes,
            constraint,
            limits,
            points,
            meetings,
            room,
            takers,
            newest: None,
            known,
            costs: KnownCosts::default(),
        })
    }

    /// The task of these families alone, whose system is given; what others compute is there without a cost.
    pub(super) fn among<'b>(&self, system: &'b SpaceSystem, families: &[usize]) -> Task<'b>
    where
        'a: 'b,
    {
        let spaces = self.system.spaces_among(families);
        let choices: Vec<Choices> = spaces.iter().map(|space| self.choices_among(families, *space)).collect();
        let points: Vec<Vec<Vector>> = spaces.iter().map(|space| self.points[*space].clone()).collect();
        Task {
            system,
            bounds: self.bounds.clone(),
            machine: self.machine,
            sizes: self.sizes.clone(),
            constraint: self.constraint.among(families, &spaces),
            limits: self.limits,
            meetings: Meetings::new(system, (self.sizes.clone(), points.clone())),
            points,
            room: self.room.of(system),
            takers: TakerSets::new(system, &choices),
            newest: None,
            known: KnownRows::default(),
            costs: KnownCosts::default(),
            choices,
        }
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

    /// The ranks of the array: each PE has one dimension of the largest space at most, since times are plain.
    pub(super) fn ranks(&self) -> Vec<usize> {
        let carried = |rank: &usize| self.machine.links.network.carries_rank(*rank);
        if let Some(rank) = self.constraint.rank() {
            return vec![rank].into_iter().filter(carried).collect();
        }
        let dimension = self.system.spaces.iter().map(|space| space.dimension()).max().unwrap_or(0);
        self.bounds
            .ranks
            .iter()
            .copied()
            .filter(|rank| *rank + 1 >= dimension && *rank <= dimension)
            .filter(carried)
            .collect()
    }

    /// What one `place` line can say at this rank: for each family the place where it has all indices of the line. With it
    /// how many lines are left out.
    pub(super) fn lines(&self, rank: usize) -> (Vec<Vec<Option<Matrix>>>, u64) {
        if self.constraint.places.iter().any(Option::is_some) {
            return (vec![self.constraint.places.clone()], 0);
        }
        let families = &self.system.families;
        let Some(largest) = families.iter().rev().max_by_key(|family| family.indices.len()) else { return (vec![], 0) };
        let names = &largest.indices;
        let line = |place: &Matrix| {
            let rows: Vec<Affine> = place.rows().iter().map(|row| Affine::from_row(names, row)).collect();
            families.iter().map(|family| place_of(family, &rows)).collect()
        };
        let all = candidates::places(names.len(), rank, self.bounds.bound);
        let plain =
            |place: &&Matrix| place.rows().iter().all(|row| row.iter().filter(|entry| **entry != 0).count() == 1);
        let few = self.system.spaces.len() <= self.limits.spaces;
        let lines: Vec<Vec<Option<Matrix>>> = all.iter().filter(|place| few || plain(place)).map(line).collect();
        let left_out = all.len() - lines.len();
        (lines, left_out as u64)
    }

    /// The box for the steps: a latency of more than one makes room for steps as much longer.
    pub(super) fn steps(&self) -> (i64, i64) {
        let (low, high) = self.bounds.steps;
        (low, high + self.machine.links.latency - 1)
    }
}

/// The sizes at which designs are costed, and the points there: those asked for, made smaller where there would be too many points to
/// count, or larger where no space has any. Without a point all designs cost nothing, so every one of them would be on the front.
fn countable(system: &SpaceSystem, asked: &Bindings) -> Checked<(Bindings, Vec<Vec<Vector>>)> {
    let raised = if points(system, asked) == Some(0) { larger(system, asked) } else { None };
    let mut sizes = raised.unwrap_or_else(|| asked.clone());
    while points(system, &sizes).is_none_or(|total| total > MOST_POINTS) {
        let Some(largest) = sizes.values_mut().max().filter(|size| **size > 1) else {
            return Diagnostic::new(format!("the spaces of `{}` are not bounded at these sizes", system.kernel))
                .alone();
        };
        *largest = (*largest / 2).min(64);
    }
    let points = |space: &Space| space.domain.set.points(space.indices(), &sizes);
    let all: Option<Vec<Vec<Vector>>> = system.spaces.iter().map(points).collect();
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
