//! Which maps are looked at: all within the bounds where the budget has room for them, else the plainest.
//!
//! In: a task. Out: places, and the steps for each. With five indices there are thousands of millions of maps. Then times are
//! *compact*: the rows above the last are indices that the place leaves to a PE, and the last row does without these, as
//! closed weights ask of places along the axes anyway ([`clock`](crate::mapping::clock)). Places along the axes come first,
//! those of the largest arrays before others, with so few entries in the last row that all of them have room. Slanted
//! places follow, as far as the budget goes.
//!
//! The budget counts maps, so the same ones are looked at on every machine and by any number of threads; and what a budget
//! sees a larger one sees too.

use super::Task;
use super::symmetry::{Candidate, Reflections};
use crate::extract::Limits;
use crate::mapping::candidates;
use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::sync::OnceLock;
use systole_base::integer::{Matrix, Vector};

/// Where there would be more places than this only those along the axes are listed.
const MOST_PLACES: u128 = 300_000;

/// Of a budget that is too small for all maps slanted places get one part in so many: a compact time is legal far more often,
/// and what is legal takes most of the work.
const SLANTED_SHARE: u128 = 20;

/// The ways to move all operands that a usual kernel has fewer of.
const USUAL_WAYS: usize = 200;

/// The maps that are looked at.
pub struct Maps<'a> {
    /// The places.
    pub places: Vec<Matrix>,
    /// How many maps lie within the bounds, at most: places that are one array twice over are counted too.
    pub all: u64,
    /// How many of these are left out.
    pub left_out: u64,
    /// The steps for places of each rank, made when the first such place is looked at: there may be millions.
    steps: BTreeMap<usize, OnceLock<Vec<Rounds>>>,
    steps_of_rank: Box<dyn Fn(usize) -> Vec<Rounds> + Send + Sync + 'a>,
}

/// Steps that have their rows above the last in common.
struct Rounds {
    /// These rows, where only places that leave them to a PE have the steps; else none.
    outer: Matrix,
    steps: Vec<Candidate>,
}

impl Rounds {
    fn are_of(&self, place: &Matrix) -> bool {
        let count = self.outer.rows().len();
        count == 0 || place.above(&self.outer).rank() == place.rows().len() + count
    }
}

/// How plain compact times are: the entries of the last row, and whether rounds count upwards only.
#[derive(Clone)]
struct Plainness {
    entries: Vec<i64>,
    is_upwards: bool,
}

impl<'a> Maps<'a> {
    fn new(
        task: &Task,
        places: Vec<Matrix>,
        steps_of_rank: impl Fn(usize) -> Vec<Rounds> + Send + Sync + 'a,
    ) -> Maps<'a> {
        let steps = task.ranks().into_iter().map(|rank| (rank, OnceLock::new())).collect();
        Maps { places, all: 0, left_out: 0, steps, steps_of_rank: Box::new(steps_of_rank) }
    }

    /// The steps for a place.
    pub fn at(&self, place: &Matrix) -> impl Iterator<Item = &Candidate> {
        let rank = place.rows().len();
        let rounds = self.steps[&rank].get_or_init(|| (self.steps_of_rank)(rank)).iter();
        rounds.filter(|rounds| rounds.are_of(place)).flat_map(|rounds| &rounds.steps)
    }

    /// Those of a task, one of each class of reflections.
    pub fn of(task: &'a Task, reflections: &'a Reflections) -> Maps<'a> {
        let entries = task.entries();
        // A step that leaves the box where it is reflected is looked at as it is.
        let is_closed = entries.iter().all(|entry| entries.contains(&-entry));
        let thinned = |rank: usize| match is_closed {
            true => reflections.count_classes(|reflected| task.count_steps(rank, entries.len(), reflected)),
            false => task.count_steps(rank, entries.len(), 0),
        };
        let of_rank = |rank: &usize| task.count_places(*rank).saturating_mul(thinned(*rank));
        let all = task.ranks().iter().map(of_rank).fold(0, u128::saturating_add);
        let whole = move |rank: usize| {
            let steps = match task.constraint.only_step() {
                Some(step) => reflections.thin_out([step.clone()], &entries),
                None => reflections.thin_out(candidates::steps(rank, task.space.dimension(), &entries), &entries),
            };
            vec![Rounds { outer: Matrix::new(vec![], task.space.dimension()), steps }]
        };
        let budget = u128::from(task.budget / weight(task));
        let is_whole = all <= budget || task.constraint.only_step().is_some();
        let mut maps = match is_whole {
            true => Maps::new(task, task.places(), whole),
            false => compact(task, reflections, budget),
        };
        if is_whole && all > u128::from(Limits::default().budget) {
            // It may be stopped before it ends.
            plain_first(&mut maps.places);
        }
        let seen: u128 =
            if is_whole { all } else { maps.places.iter().map(|place| maps.at(place).count() as u128).sum() };
        let clamped = |count: u128| u64::try_from(count).unwrap_or(u64::MAX);
        Maps { all: clamped(all), left_out: clamped(all.saturating_sub(seen)), ..maps }
    }
}

/// How many maps of a usual kernel take as long as one of this: with many trees there are thousands of ways to move an operand.
fn weight(task: &Task) -> u64 {
    let choices = &task.choices;
    let ways: usize = choices.transports.iter().map(Vec::len).sum::<usize>() + choices.chains.len();
    1 + (ways / USUAL_WAYS) as u64
}

/// The maps with compact times that a budget has room for.
fn compact<'a>(task: &'a Task, reflections: &'a Reflections, budget: u128) -> Maps<'a> {
    let all = task.ranks().iter().map(|rank| task.count_places(*rank)).fold(0, u128::saturating_add);
    let along_axes = |rank| candidates::places_along_axes(task.space.dimension(), rank);
    let mut places = match all <= MOST_PLACES {
        true => task.places(),
        false => task.ranks().into_iter().flat_map(along_axes).collect(),
    };
    plain_first(&mut places);
    let axes = places.iter().filter(|place| candidates::is_along_axes(place)).count();
    let entries = task.entries();
    let levels = [(2, false), (1, false), (1, true)].map(|(most, is_upwards)| {
        let scale = task.machine.links.latency;
        let least = if is_upwards { 0 } else { -most * scale };
        let entries = entries.iter().copied().filter(|entry| (least..=most * scale).contains(entry)).collect();
        Plainness { entries, is_upwards }
    });
    let count = |level: &Plainness| -> u128 {
        places[..axes].iter().map(|place| count_compact(task, place.rows().len(), level)).sum()
    };
    let fitting = levels.iter().position(|level| count(level) <= budget);
    let [.., last] = &levels;
    let level = fitting.map_or(last, |fitting| &levels[fitting]).clone();
    // Slanted places are for the largest entries alone, so that a larger budget sees all that a smaller one does.
    let slanted = if fitting == Some(0) { budget / SLANTED_SHARE } else { 0 };
    let mut maps = Maps::new(task, vec![], move |rank| compact_steps(task, reflections, rank, &level));
    let mut seen = 0;
    for (number, place) in places.into_iter().enumerate() {
        let room = if number < axes { budget } else { slanted };
        let count = maps.at(&place).count() as u128;
        // The first place is looked at whatever it takes: there is always an answer.
        if number > 0 && seen + count > room {
            break;
        }
        seen += count;
        maps.places.push(place);
    }
    maps
}

/// Orders places: along the axes, of the largest arrays first; then the slanted ones.
fn plain_first(places: &mut [Matrix]) {
    let slant = |place: &Matrix| place.rows().iter().flatten().map(|entry| entry.abs()).sum::<i64>();
    places.sort_by_cached_key(|place| {
        (slant(place) - place.rows().len() as i64, Reverse(place.rows().len()), candidates::order_of_place(place))
    });
}

/// How many compact times a place of this rank along the axes has.
fn count_compact(task: &Task, rank: usize, level: &Plainness) -> u128 {
    let left = task.space.dimension() - rank;
    let orders: u128 = (2..=left as u128).product();
    let rows = left.saturating_sub(1) as u32;
    let signs = if level.is_upwards { 1 } else { 1u128.checked_shl(rows).unwrap_or(u128::MAX) };
    let last = (level.entries.len() as u128).saturating_pow(task.space.dimension() as u32 - rows);
    orders.saturating_mul(signs).saturating_mul(last)
}

/// The compact times for places of a rank.
fn compact_steps(task: &Task, reflections: &Reflections, rank: usize, level: &Plainness) -> Vec<Rounds> {
    let dimension = task.space.dimension();
    let leading = candidates::leading_rows(dimension, (dimension - rank).saturating_sub(1), level.is_upwards);
    let of = |outer: Vec<Vector>| {
        let is_outer = |index: usize| outer.iter().any(|row| row[index] != 0);
        let entries = |index: usize| if is_outer(index) { vec![0] } else { level.entries.clone() };
        let last = candidates::combined(&(0..dimension).map(entries).collect::<Vec<_>>());
        let step = |last: Vector| Matrix::new(outer.iter().cloned().chain([last]).collect(), dimension);
        let steps = reflections.thin_out(last.into_iter().map(step), &level.entries);
        Rounds { outer: Matrix::new(outer, dimension), steps }
    };
    leading.into_iter().map(of).collect()
}
