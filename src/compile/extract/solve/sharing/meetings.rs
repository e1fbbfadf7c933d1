//! Points that would share a PE and a time, more than a step holds.
//!
//! In: a design with times. Out: pairs of points that meet, each with the sizes at which they do, where a step holds more than one
//! operation two of those that are one too many; none only where the
//! obligation `pe-conflict` is proved for each two spaces, so for all sizes; where PEs are folded, a space meets itself too. Trial sizes are looked at first, point by point:
//! they refute nearly all that is wrong, and cheaply. Proofs are kept, as the same two parts come in many designs.

use crate::extract::solve::steps::SpacePoint;
use crate::extract::solve::tally::{ListedPoints, slot_numbers};
use crate::mapping::{Design, Fold, Handoff, SpaceDesign, SpaceTimeMap};
use crate::smt::{Counterexample, Verdict, settle};
use crate::timing::{handed_words_apart, points_apart};
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::Duration;
use systole_base::cell::Cell;
use systole_base::integer::{Affine, Bindings, Vector};
use systole_base::network::Links;
use systole_equations::recurrence::spaces::SpaceSystem;

/// So many meetings of two spaces at one trial are reported at once.
const MOST_MEETINGS: usize = 6;

/// So many points are looked at for one design at small sizes.
const MOST_TRIED: u64 = 20_000;

/// How long one proof may take; running out of it refuses the design, it never lets one pass.
const LIMIT: Duration = Duration::from_secs(10);

/// Sizes, and two points that share a PE and a time there.
pub type Meeting = (Bindings, [SpacePoint; 2]);

/// Sizes with the points of each space there.
pub type Trial = (Bindings, Vec<Arc<ListedPoints>>);

/// The points of a space at a trial, listed when they are first asked for; none where it is not bounded.
type WhenAsked = Arc<OnceLock<Option<Arc<ListedPoints>>>>;

fn points_of((_, points): &Trial) -> u64 {
    points.iter().map(|points| points.len() as u64).sum()
}

/// What decides where and when a space runs.
type Placement = (usize, SpaceTimeMap, Vec<Affine>, Vec<Affine>);

/// The numbers of the runs of a crowd, in an array that is folded so.
type Crowd = (Vec<usize>, Fold);

/// What the spaces of a crowd do; `None` where a proof was not decided.
type Answer = Option<Vec<Meeting>>;

/// The answers about one system.
pub struct Meetings {
    trials: Vec<Trial>,
    /// The small sizes, some of which are no trials, with the points of each space.
    small: Vec<(Bindings, Vec<WhenAsked>)>,
    /// What a step holds.
    cell: Cell,
    known: Mutex<Answers>,
}

/// The runs that came, each with its number, and the answers about some of them.
#[derive(Default)]
struct Answers {
    runs: FxHashMap<Placement, usize>,
    answers: FxHashMap<Crowd, Answer>,
}

impl Meetings {
    /// Nothing known yet; `counted` is looked at before the small sizes.
    pub fn new(system: &SpaceSystem, counted: Trial, cell: Cell) -> Meetings {
        let small = small_sizes(system).filter(|sizes| *sizes != counted.0);
        let unlisted = |_| WhenAsked::default();
        let small = small.map(|sizes| (sizes, system.spaces.iter().map(unlisted).collect())).collect();
        Meetings::at(system, counted, small, cell)
    }

    /// Nothing known yet of some of the spaces, which a system of their own has.
    pub fn among(&self, system: &SpaceSystem, spaces: &[usize], counted: Trial) -> Meetings {
        let of_these = |listed: &Vec<WhenAsked>| spaces.iter().map(|space| listed[*space].clone()).collect();
        let small = self.small.iter().map(|(sizes, listed)| (sizes.clone(), of_these(listed))).collect();
        Meetings::at(system, counted, small, self.cell)
    }

    fn at(system: &SpaceSystem, counted: Trial, small: Vec<(Bindings, Vec<WhenAsked>)>, cell: Cell) -> Meetings {
        let listed = small.iter().filter_map(|(sizes, listed)| {
            let all = system.spaces.iter().zip(listed);
            let all = all.map(|(space, listed)| listed.get_or_init(|| ListedPoints::of(space, sizes)).clone());
            all.collect::<Option<Vec<_>>>().map(|all| (sizes.clone(), all))
        });
        // Where constants make even small sizes large, proofs say the same sooner.
        let trials = listed.scan(0, |sum, trial| {
            *sum += points_of(&trial);
            Some(trial).filter(|_| *sum <= MOST_TRIED)
        });
        let trials: Vec<Trial> = trials.collect();
        Meetings { trials: std::iter::once(counted).chain(trials).collect(), small, cell, known: Mutex::default() }
    }

    /// How many points are looked at for one design.
    pub fn points(&self) -> u64 {
        self.trials.iter().map(points_of).sum()
    }

    /// Some pairs that meet; an empty list says that none do at any size, `None` that a proof was not decided.
    pub fn of(&self, design: &Design) -> Option<Vec<Meeting>> {
        if self.are_known_to_be_none(design) {
            return Some(vec![]);
        }
        let tried = self.at_trials(design);
        if tried.is_empty() { self.at_any_size(design) } else { Some(tried) }
    }

    /// Pairs that meet at the trial sizes, a few of each two spaces at each.
    pub fn at_trials(&self, design: &Design) -> Vec<Meeting> {
        self.trials.iter().flat_map(|trial| at_trial(trial, design, self.cell)).collect()
    }

    /// The smallest meeting of each two spaces that meet at any size, for folds of a space with itself too; `None` where a proof
    /// was not decided.
    pub fn at_any_size(&self, design: &Design) -> Answer {
        let runs = self.runs(design);
        let met: Option<Vec<Vec<Meeting>>> =
            design.crowds(self.cell)?.iter().map(|crowd| self.of_crowd(design, &runs, crowd)).collect();
        met.map(|met| met.concat())
    }

    /// Whether nothing meets at any size.
    pub fn are_none(&self, design: &Design) -> bool {
        let tried = |trial: &Trial| at_trial(trial, design, self.cell).is_empty();
        self.are_known_to_be_none(design)
            || (self.trials.iter().all(tried) && self.at_any_size(design).is_some_and(|met| met.is_empty()))
    }

    /// Whether it was proved before, of each two spaces.
    fn are_known_to_be_none(&self, design: &Design) -> bool {
        let runs = self.runs(design);
        let known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        let none = |crowd: &Vec<usize>| {
            let answer = known.answers.get(&(crowd_of(&runs, crowd), design.fold.clone()));
            answer.is_some_and(|answer| answer.as_ref().is_some_and(Vec::is_empty))
        };
        design.crowds(self.cell).is_some_and(|crowds| crowds.iter().all(none))
    }

    /// The number of each space's run.
    fn runs(&self, design: &Design) -> Vec<usize> {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        let parts = design.parts.iter().enumerate();
        let number = |(space, part): (usize, &SpaceDesign)| {
            let next = known.runs.len();
            let run = (space, part.map.clone(), part.origin.clone(), part.starts.clone());
            *known.runs.entry(run).or_insert(next)
        };
        parts.map(number).collect()
    }

    fn of_crowd(&self, design: &Design, runs: &[usize], crowd: &[usize]) -> Answer {
        let key = (crowd_of(runs, crowd), design.fold.clone());
        if let Some(known) = self.known.lock().unwrap_or_else(PoisonError::into_inner).answers.get(&key) {
            return known.clone();
        }
        let answer = match settle(&points_apart(design, crowd), LIMIT) {
            Verdict::Proved => Some(vec![]),
            Verdict::Refuted(case) => Some(vec![meeting(&case, crowd)]),
            Verdict::Unknown(_) => None,
        };
        self.known.lock().unwrap_or_else(PoisonError::into_inner).answers.insert(key, answer.clone());
        answer
    }
}

/// The runs of the spaces of a crowd.
fn crowd_of(runs: &[usize], crowd: &[usize]) -> Vec<usize> {
    crowd.iter().map(|space| runs[*space]).collect()
}

/// Whether it is proved that words of handoffs over several hops never meet on a link, which they may do at large sizes only.
pub fn words_are_apart(design: &Design, links: &Links, handoffs: &[Handoff]) -> bool {
    let mut owed = handoffs.iter().filter_map(|handoff| handed_words_apart(design, links, handoff));
    owed.all(|obligation| settle(&obligation, LIMIT) == Verdict::Proved)
}

/// Some small sizes: all alike, one longer than the others, and mixed.
fn small_sizes(system: &SpaceSystem) -> impl Iterator<Item = Bindings> {
    let count = system.parameters.len();
    let least: Vec<i64> = system.parameters.iter().map(|name| system.parameters.least(name)).collect();
    let of = |size: &dyn Fn(usize) -> i64| -> Bindings {
        let sizes = least.iter().enumerate().map(|(position, least)| least - 1 + size(position));
        system.parameters.iter().cloned().zip(sizes).collect()
    };
    let alike = [1, 2, 3, 5].map(|size| of(&|_| size));
    let longer = (0..count).map(|long| of(&|position| if position == long { 6 } else { 2 }));
    let mixed = [of(&|position| [3, 5, 2, 4][position % 4]), of(&|position| [4, 2, 5, 3][position % 4])];
    let all: Vec<Bindings> = alike.into_iter().chain(longer).chain(mixed).collect();
    all.into_iter().filter(|sizes| system.parameters.broken_at(sizes).is_none())
}

/// Pairs that meet at one trial, a few of each two spaces; none where a number does not fit, which a proof finds out.
fn at_trial((sizes, points): &Trial, design: &Design, cell: Cell) -> Vec<Meeting> {
    let Some(numbers) = slot_numbers(sizes, design, points) else { return vec![] };
    // Points of one slot are next to each other, in their order.
    let shared = numbers.shared();
    if shared.is_empty() {
        return vec![];
    }
    let all = points.iter().enumerate().flat_map(|(space, points)| points.iter().map(move |point| (space, point)));
    let all: Vec<(usize, &Vector)> = all.collect();
    let mut met: BTreeMap<(usize, usize), Vec<[usize; 2]>> = BTreeMap::new();
    for slot in shared.chunk_by(|one, other| one.0 == other.0) {
        let mut sharing: Vec<usize> = vec![];
        for (_, point) in slot {
            let (space, is_full) = (all[*point].0, !cell.has_room_for(sharing.len() as u64 + 1));
            let itself = sharing.iter().find(|other| all[**other].0 == space);
            match itself.or(sharing.last().filter(|_| is_full)) {
                Some(there) => met.entry((all[*there].0, space)).or_default().push([*there, *point]),
                None => sharing.push(*point),
            }
        }
    }
    let first = |mut pairs: Vec<[usize; 2]>| {
        pairs.sort_unstable_by_key(|[_, later]| *later);
        pairs.into_iter().take(MOST_MEETINGS)
    };
    let whole = |number: usize| (all[number].0, all[number].1.clone());
    met.into_values().flat_map(first).map(|pair| (sizes.clone(), pair.map(whole))).collect()
}

/// The sizes of a counterexample, and its first and last point.
fn meeting(case: &Counterexample, crowd: &[usize]) -> Meeting {
    let sizes = case.sizes().iter().cloned().collect();
    let coordinates: Vector = case.values.iter().skip(case.parameters).map(|(_, value)| *value).collect();
    let space = |crowded: Option<&usize>| crowded.copied().unwrap_or(0);
    let length = |points: Option<&usize>| points.copied().unwrap_or(0).min(coordinates.len());
    let (first, last) = (length(case.points.first()), length(case.points.last()));
    let before: usize = case.points.iter().take(crowd.len().saturating_sub(1)).sum();
    let last_point = coordinates.iter().skip(before).take(last).copied().collect();
    (sizes, [(space(crowd.first()), coordinates[..first].to_vec()), (space(crowd.last()), last_point)])
}
