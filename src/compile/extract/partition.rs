//! Partitions: what of a kernel lies along the axes of an array that is smaller than the kernel, and what comes round by round.
//!
//! In: the spaces, a machine whose array has an end, sizes. Out: ways to divide indices into strips as long as the axes are. The
//! position in a strip is the place; the number of the strip, and all other indices but one, number the rounds. Each way is a
//! constraint on the search like what a schedule says, so everything behind it is found and proved as ever. Literature: locally
//! parallel, globally sequential partitioning (Moldovan and Fortes, 1986).
//!
//! What one space reduces over, another may have along an axis: scores of attention lie at (query, key), and the result at (query,
//! column), summed over all keys there. So an axis has a list of indices, of which a family takes the first that it has and does
//! not reduce over. Between families that take different ones values pass through memory.

use super::Constraint;
use super::constraint::place_of;
use super::problem::{Problem, Question, Strategy, search, search_every_way};
use super::solve::range;
use crate::cost::{Cost, Objective};
use systole_base::diagnostic::Checked;
use systole_base::integer::{Affine, Bindings, Name};
use systole_base::machine::Machine;
use systole_base::span::Span;
use systole_equations::recurrence::spaces::SpaceSystem;
use systole_equations::recurrence::{Space, Strip};

/// An axis with more indices to choose from is not looked at.
const MOST_OF_AN_AXIS: usize = 3;

/// One way to divide a kernel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Partition {
    /// The indices that are divided.
    pub strips: Vec<Strip>,
    /// What lies along each axis: for each family the first of these that it has.
    pub axes: Vec<Vec<Affine>>,
    /// What numbers the rounds, the outermost first; searched for where there are none.
    pub rounds: Vec<Affine>,
}

impl Partition {
    /// The arrays that are divided for where nothing is said; the numbers of strips are dimensions that a PE has besides.
    pub const RANKS: [usize; 2] = [1, 2];

    /// All ways that some axis of the machine asks for at these sizes, those of the largest arrays first; none where its array has no
    /// end, or every index fits.
    pub fn all(system: &SpaceSystem, machine: &Machine, sizes: &Bindings, ranks: &[usize]) -> Vec<Partition> {
        let Some(extent) = &machine.extent else { return vec![] };
        let Some(largest) = system.spaces.iter().max_by_key(|space| space.dimension()) else { return vec![] };
        let is_reduced = |index: &Name| system.spaces.iter().any(|space| space.reduced.contains(index));
        let open: Vec<&Name> = largest.indices().iter().filter(|index| !is_reduced(index)).collect();
        // Where points wait for others of their space, the order of the rounds is not free.
        let waits = (0..system.spaces.len()).any(|space| system.depends(space, space));
        let longest = |index: &Name| system.spaces.iter().filter_map(|space| length(space, index, sizes)).max();
        let mut all: Vec<Partition> = vec![];
        let ranks = (1..=extent.len()).filter(|rank| ranks.contains(rank) && machine.links.network.carries_rank(*rank));
        for rank in ranks.rev() {
            for chosen in arrangements(&open, rank) {
                let axes = chosen.iter().zip(extent);
                let strips = axes.filter_map(|(index, side)| {
                    let side = i64::try_from(*side).ok()?;
                    (longest(index)? > side).then(|| Strip { index: (*index).clone(), size: side })
                });
                let strips: Vec<Strip> = strips.collect();
                if !strips.is_empty() {
                    all.extend(of(largest, &chosen, &strips, waits));
                }
            }
            all.extend(Partition::of_several_results(system, (&open, rank), extent, sizes));
        }
        let is_first = |number: usize| !all[..number].iter().any(|other| other.is_like(&all[number], extent));
        (0..all.len()).filter(|number| is_first(*number)).map(|number| all[number].clone()).collect()
    }

    /// The ways in which the last axis has another index in one space than in another, as where one reduces over what another has as
    /// results. All other axes have an index that no space reduces over. The rounds are searched for.
    fn of_several_results(
        system: &SpaceSystem,
        (open, rank): (&[&Name], usize),
        extent: &[u64],
        sizes: &Bindings,
    ) -> Vec<Partition> {
        let mut free: Vec<&Name> = system.spaces.iter().flat_map(free_indices).collect();
        free.sort();
        free.dedup();
        let mut ways = vec![];
        for first in arrangements(open, rank - 1) {
            let others: Vec<&Name> = free.iter().filter(|index| !first.contains(index)).copied().collect();
            let is_mixed = others.len() > 1 && others.iter().any(|index| !open.contains(index));
            if !is_mixed || others.len() > MOST_OF_AN_AXIS {
                continue;
            }
            for last in arrangements(&others, others.len()) {
                let lists: Vec<Vec<&Name>> = first.iter().map(|index| vec![*index]).chain([last]).collect();
                ways.extend(Partition::along(system, &lists, extent, sizes));
            }
        }
        ways
    }

    /// These indices along the axes, in strips where they are longer; nothing where none is.
    fn along(system: &SpaceSystem, lists: &[Vec<&Name>], extent: &[u64], sizes: &Bindings) -> Option<Partition> {
        let strip = |index: &Name, side: &u64| {
            let side = i64::try_from(*side).ok()?;
            let spaces = system.spaces.iter().filter(|space| free_indices(space).contains(&index));
            let longest = spaces.filter_map(|space| length(space, index, sizes)).max()?;
            (longest > side).then(|| Strip { index: index.clone(), size: side })
        };
        let mut strips = vec![];
        let mut row = |index: &Name, side: &u64| match strip(index, side) {
            None => Affine::variable(index),
            Some(strip) => {
                let position = strip.position();
                strips.push(strip);
                Affine::variable(&position)
            }
        };
        let axes = lists.iter().zip(extent);
        let axes = axes.map(|(list, side)| list.iter().map(|index| row(index, side)).collect()).collect();
        (!strips.is_empty()).then_some(Partition { strips, axes, rounds: vec![] })
    }

    /// Whether another way is this one with axes of one length exchanged.
    fn is_like(&self, other: &Partition, extent: &[u64]) -> bool {
        let alike = extent[..self.axes.len()].windows(2).all(|pair| pair[0] == pair[1]);
        let is_in = |axis: &Vec<Affine>| other.axes.contains(axis);
        alike && self.rounds_are_like(other) && self.axes.len() == other.axes.len() && self.axes.iter().all(is_in)
    }

    fn rounds_are_like(&self, other: &Partition) -> bool {
        self.rounds.len() == other.rounds.len() && self.rounds.iter().all(|row| other.rounds.contains(row))
    }

    /// The entries of a step that are looked at. Places are known, and to mirror an axis of the array changes no cost; longer steps that
    /// streams ask for are found as everywhere.
    pub fn steps((low, high): (i64, i64)) -> (i64, i64) {
        (low.max(0).min(high), high.min(1).max(low))
    }

    /// How many axes the array has.
    pub fn rank(&self) -> usize {
        self.axes.len()
    }

    /// The spaces of a kernel in these strips; nothing where they cannot be divided so.
    pub fn divide(&self, system: &SpaceSystem) -> Option<SpaceSystem> {
        let span = system.spaces.first()?.span;
        let strips: Vec<(Strip, Span)> = self.strips.iter().map(|strip| (strip.clone(), span)).collect();
        system.in_strips(&strips).ok()
    }

    /// Fixes the places and the rounds of those families, in strips, that have all indices of these. What is read in another strip than
    /// it was computed in passes through memory: it has to get from the end of an axis to its beginning.
    pub fn constrain(&self, system: &SpaceSystem, constraint: &mut Constraint) {
        constraint.through_memory = system.handed_between_strips();
        constraint.divided = self.axes.clone();
        let waits = !constraint.through_memory.is_empty();
        for (number, family) in system.families.iter().enumerate() {
            let place: Option<Vec<Affine>> = self.axes.iter().map(|axis| axis_of(system, number, axis)).collect();
            constraint.places[number] = place.as_ref().and_then(|place| place_of(family, place));
            // A family without an index, such as the result of the last step, has all its points in one round of it.
            let has = |row: &Affine| !row.terms().any(|(name, _)| !family.indices.contains(name));
            let level = |row: &Affine| if has(row) { row.clone() } else { Affine::default() };
            let is_placed = waits && place.is_some();
            let rounds = if is_placed { self.rounds.iter().map(level).collect() } else { self.rounds.clone() };
            constraint.rounds[number] = place_of(family, &rounds).filter(|_| !rounds.is_empty());
        }
    }
}

/// What a family has along an axis: the first of these forms whose indices it has, and does not reduce over.
pub(super) fn axis_of(system: &SpaceSystem, family: usize, axis: &[Affine]) -> Option<Affine> {
    let indices = &system.families[family].indices;
    let spaces = || system.spaces.iter().zip(&system.members).filter(|(_, member)| member.family == family);
    let is_free = |index: &Name| indices.contains(index) && !spaces().any(|(space, _)| space.reduced.contains(index));
    axis.iter().find(|row| row.terms().all(|(index, _)| is_free(index))).cloned()
}

/// A way to divide that was searched.
pub struct TriedPartition<T> {
    /// The way.
    pub partition: Partition,
    /// What its best design costs.
    pub cost: Cost,
    /// The sizes at which that was counted.
    pub counted: Bindings,
    /// What was found besides.
    pub found: T,
}

/// The best of these ways to divide, with how many of them have a design; nothing where none has. In a smaller array a PE does more: it is for
/// kernels that have no design in a larger one.
///
/// # Errors
/// What `search` refuses.
pub fn best_division<T>(
    ways: Vec<Partition>,
    objective: Objective,
    mut search: impl FnMut(&Partition) -> Checked<Option<(Cost, Bindings, T)>>,
) -> Checked<Option<(TriedPartition<T>, usize)>> {
    let (mut best, mut count): (Option<TriedPartition<T>>, usize) = (None, 0);
    for partition in ways {
        if best.as_ref().is_some_and(|best| best.partition.rank() > partition.rank()) {
            break;
        }
        let Some((cost, counted, found)) = search(&partition)? else { continue };
        count += 1;
        if best.as_ref().is_none_or(|best| objective.key(&cost) < objective.key(&best.cost)) {
            best = Some(TriedPartition { partition, cost, counted, found });
        }
    }
    Ok(best.map(|best| (best, count)))
}

/// Whether a divided kernel is better than the whole, if that has a design that fits. An array that is there is there to be used: where
/// nothing else is asked for, the design that takes less time wins, and not one PE that keeps all words for itself.
pub fn is_better_divided(objective: Objective, divided: &Cost, whole: Option<&Cost>) -> bool {
    let objective = if objective == Objective::Systolic { Objective::Cycles } else { objective };
    whole.is_none_or(|whole| objective.key(divided) < objective.key(whole))
}

/// What the best design costs that divides nothing and fits the machine, at the sizes at which others were counted; nothing where there is none, or
/// where it cannot be told.
///
/// # Errors
/// As for [`Problem::new`].
pub fn undivided(
    question: &Question,
    objective: Objective,
    counted: &Bindings,
    progress: &(dyn Fn(usize, usize) -> bool + Sync),
) -> Checked<Option<Cost>> {
    let (problem, survey) = search_every_way(question.clone(), false, progress)?;
    let front = survey.sorted(objective);
    let Some(found) = front.first() else { return Ok(None) };
    let at = if problem.strategy() == Strategy::Solve { problem.sizes() } else { question.sizes };
    if at == counted {
        return Ok(Some(found.cost));
    }
    // A kernel of one space is counted at the sizes asked for, where its design fits: the same design is counted again.
    let (Some(space), [part]) = (question.system.only_space(), &found.parts[..]) else { return Ok(None) };
    let mut again = Question { sizes: counted, ..question.clone() };
    again.constraint.places = vec![Some(part.map.place.clone())];
    again.constraint.steps = vec![Some((part.map.step.clone(), space.span))];
    let front = search(&Problem::new(again)?, false, progress).sorted(objective);
    Ok(front.first().map(|found| found.cost))
}

/// The ways that have these indices along the axes: one for each index whose points a PE runs one after the other in a round. Where
/// points wait for others, one more: strips follow each other within the rounds of the other indices, as where a time step of the
/// kernel has to be over in all strips before the next one begins.
fn of(space: &Space, chosen: &[&Name], strips: &[Strip], waits: bool) -> Vec<Partition> {
    let strip_of = |index: &Name| strips.iter().find(|strip| strip.index == *index);
    let along = |index: &&Name| {
        strip_of(index).map_or_else(|| Affine::variable(index), |strip| Affine::variable(&strip.position()))
    };
    let place: Vec<Affine> = chosen.iter().map(along).collect();
    let numbers: Vec<Name> = strips.iter().map(Strip::number).collect();
    let left: Vec<Name> = space.indices().iter().filter(|index| !chosen.contains(index)).cloned().collect();
    let with = |rounds: Vec<&Name>| Partition {
        strips: strips.to_vec(),
        axes: place.iter().map(|row| vec![row.clone()]).collect(),
        rounds: rounds.into_iter().map(Affine::variable).collect(),
    };
    let fine = if left.is_empty() { &numbers[numbers.len() - 1..] } else { &left[..] };
    let numbers_first =
        fine.iter().map(|fine| with(numbers.iter().chain(&left).filter(|index| *index != fine).collect()));
    let numbers_last = with(left.iter().chain(&numbers[..numbers.len() - 1]).collect());
    numbers_first.chain((waits && !left.is_empty()).then_some(numbers_last)).collect()
}

/// The indices of a space that it does not reduce over.
fn free_indices(space: &Space) -> Vec<&Name> {
    space.indices().iter().filter(|index| !space.reduced.contains(index)).collect()
}

/// All lists of so many different names.
fn arrangements<'a>(names: &[&'a Name], count: usize) -> Vec<Vec<&'a Name>> {
    let mut lists: Vec<Vec<&Name>> = vec![vec![]];
    for _ in 0..count {
        let longer = |list: Vec<&'a Name>| -> Vec<Vec<&'a Name>> {
            let rest = names.iter().filter(|name| !list.contains(*name));
            rest.map(|name| list.iter().copied().chain([*name]).collect()).collect()
        };
        lists = lists.into_iter().flat_map(longer).collect();
    }
    lists
}

/// How many values an index has in a space at these sizes, from the least to the greatest.
fn length(space: &Space, index: &Name, sizes: &Bindings) -> Option<i64> {
    let row: Vec<i64> = space.indices().iter().map(|other| i64::from(other == index)).collect();
    let is_in = row.contains(&1);
    let (low, high) = range(space, &row, sizes).filter(|_| is_in)?;
    Some(high - low + 1)
}
