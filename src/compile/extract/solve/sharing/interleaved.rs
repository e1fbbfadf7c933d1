//! Spaces that share PEs in turns.
//!
//! In: a dataflow under whose shortest steps spaces meet on PEs. Out: of steps to try, each with the array they are for, the shortest that are
//! taken. With `n` turns, a space whose turn is `k` runs at the times `k` modulo `n`, on a PE later in the array as much later as turns move from PE to
//! PE, by one at most. Spaces that meet may also run beside each other, one link away from where their values come from.

use super::apart::{MOST_QUESTIONS, pairs_under};
use super::slanted::{InterleavedApart, InterleavedSteps, Interleaving};
use crate::extract::solve::Task;
use crate::extract::solve::search::{conditions, joined_handoffs};
use crate::extract::solve::steps::Conditions;
use crate::extract::solve::task::Work;
use crate::mapping::candidates::combined;
use crate::mapping::{Design, Handoff, SpaceDesign};
use crate::smt::Series;
use std::collections::BTreeSet;
use systole_base::integer::{Affine, Matrix, Vector};

/// All ways to have families beside each other may take one part in so many of the budget.
const SHARE: u64 = 64;

/// More ways than this to have families beside each other, each with every move of the turns, are not looked at.
const MOST_BESIDE: usize = 81;

/// Steps to try, and the handoffs of their array.
pub struct Tried {
    cycles: i64,
    /// The parts with the steps.
    pub parts: Vec<SpaceDesign>,
    /// The handoffs.
    pub handoffs: Vec<Handoff>,
}

/// Spaces that meet, each two once.
type Met = BTreeSet<(usize, usize)>;

/// A dataflow on an array, with its handoffs and the conditions on its steps.
pub type Laid<'a, 'b> = (&'a Design<'b>, &'a [Handoff], &'a Conditions);

/// Of what is tried, where spaces meet, the first that is `taken`: the shortest at the sizes asked for, last all spaces slowed down alike; where
/// families have moved for that, which takes more PEs, also the first for which none has. And whether there are too many ways to have families
/// beside each other, so that of these only the first is looked at, in turns that do not move from PE to PE.
pub fn take_turns<T>(
    task: &Task,
    laid: Laid,
    shortest: &[SpaceDesign],
    taken: impl Fn(&Tried) -> Option<T>,
) -> (Vec<T>, bool) {
    let met = pairs_under(task, shortest);
    let turns = turns_taken(task, shortest, met.clone());
    let count = count_of(&turns);
    let first = first_taken(under_slants(task, laid, (count, &turns)), &taken);
    let beside = besides(task, laid.0, &met.unwrap_or_default(), MOST_BESIDE / slants(laid.0, count).len());
    let are_more = beside.is_none();
    let (ways, slants) = match beside {
        Some(ways) => (ways, slants(laid.0, count)),
        None => (vec![laid.0.clone()], vec![vec![0; laid.0.rank()]]),
    };
    let mut less_than = first.as_ref().map(|(cycles, _)| *cycles);
    let mut room = task.limits.budget / SHARE;
    let mut shorter_of = |ways: &[Design]| {
        let mut tried: Vec<Tried> = vec![];
        for way in ways {
            if room == 0 {
                break;
            }
            tried.extend(in_any_turns(task, way, count, (&slants, less_than), &mut room));
            less_than = tried.iter().map(|tried| tried.cycles).chain(less_than).min();
        }
        first_taken(tried, &taken)
    };
    let (stay, move_on) = ways.split_at(ways.len().min(1));
    let stayed = shorter_of(stay).or(first);
    let found: Vec<T> = shorter_of(move_on).into_iter().chain(stayed).map(|(_, found)| found).collect();
    if room == 0 {
        task.work.fell_short();
    }
    let are_more = are_more || room == 0;
    // A schedule that says a time does not have it slowed down.
    if found.is_empty() && !task.constraint.fixes_a_step() {
        let slowed = Tried { cycles: i64::MAX, parts: slowed(shortest, &turns), handoffs: laid.1.to_vec() };
        return (taken(&slowed).into_iter().collect(), are_more);
    }
    (found, are_more)
}

/// The shortest that is taken, with its cycles.
fn first_taken<T>(mut tried: Vec<Tried>, taken: impl Fn(&Tried) -> Option<T>) -> Option<(i64, T)> {
    tried.sort_by_key(|tried| tried.cycles);
    tried.iter().find_map(|tried| Some((tried.cycles, taken(tried)?)))
}

/// The shortest steps with these turns, for each way in which they move; spaces of one turn may meet.
fn under_slants(task: &Task, laid: Laid, (count, turns): (i64, &[usize])) -> Vec<Tried> {
    let (design, handoffs, conditions) = laid;
    let mut series = Series::default();
    let in_turns = |slant: Vector| {
        let turning = Interleaving { count, slant: &slant, turns: Some(turns), sizes: &task.sizes, less_than: None };
        let InterleavedSteps { span, parts, .. } = conditions.in_turns(design, turning, &[], &mut series)?;
        Some(Tried { cycles: span.evaluate(&task.sizes)?, parts, handoffs: handoffs.to_vec() })
    };
    let tried = slants(design, count).into_iter().filter_map(in_turns).collect();
    task.work.add(Work::in_numbers(series.work()));
    tried
}

/// Shorter and shorter steps for an array in which families have moved, whoever's turns, for each way in which these move, as long as
/// there is room for what it takes.
fn in_any_turns(
    task: &Task,
    moved: &Design,
    count: i64,
    (slants, mut less_than): (&[Vector], Option<i64>),
    room: &mut u64,
) -> Vec<Tried> {
    task.work.add(Work::JOINED);
    *room = room.saturating_sub(Work::JOINED);
    let Ok(handoffs) = joined_handoffs(task, moved) else { return vec![] };
    let Some(conditions) = conditions(task, moved, &handoffs) else { return vec![] };
    let mut series = Series::default();
    let mut found = vec![];
    for slant in slants {
        if *room == 0 {
            break;
        }
        let turning = Interleaving { count, slant, turns: None, sizes: &task.sizes, less_than };
        let (before, mut looks) = (series.work(), 0);
        if let Some((cycles, parts)) = apart_in_turns(task, (moved, &conditions), turning, (&mut series, &mut looks)) {
            less_than = Some(cycles);
            found.push(Tried { cycles, parts, handoffs: handoffs.clone() });
        }
        let solved = Work::in_numbers(series.work() - before);
        task.work.add(solved);
        *room = room.saturating_sub(solved + Work::in_points(looks * task.meetings.points()));
    }
    found
}

/// The shortest steps under which no two spaces meet, and their cycles: turns are asked for anew while spaces that have the same one meet.
/// It is counted how often it is looked whether any do.
fn apart_in_turns(
    task: &Task,
    (design, conditions): (&Design, &Conditions),
    turning: Interleaving,
    (series, looks): (&mut Series, &mut u64),
) -> Option<(i64, Vec<SpaceDesign>)> {
    let mut apart: Vec<InterleavedApart> = vec![];
    for _ in 0..MOST_QUESTIONS {
        let InterleavedSteps { span, turns, parts } = conditions.in_turns(design, turning, &apart, series)?;
        *looks += 1;
        let met = pairs_under(task, &parts)?;
        if met.is_empty() {
            return span.evaluate(&task.sizes).map(|cycles| (cycles, parts));
        }
        apart.extend(met.into_iter().map(|(one, other)| ((one, other), turns[one] - turns[other])));
    }
    None
}

/// How the turn of a space moves from a PE to the next one along each axis of the array: by one at most, up to whole rounds of turns.
fn slants(design: &Design, count: i64) -> Vec<Vector> {
    let moves: &[i64] = match count {
        1 => &[0],
        2 => &[0, 1],
        _ => &[0, 1, -1],
    };
    combined(&vec![moves.to_vec(); design.rank()])
}

/// The arrays in which families of spaces that meet, all but the first, are moved by a link at most, first the one in which none is; `None` where
/// there are too many.
fn besides<'a>(task: &Task<'a>, design: &Design<'a>, met: &Met, most: usize) -> Option<Vec<Design<'a>>> {
    let family = |space: usize| task.system.members[space].family;
    let families: BTreeSet<usize> = met.iter().flat_map(|(one, other)| [family(*one), family(*other)]).collect();
    let free: Vec<usize> = families.into_iter().skip(1).collect();
    let network = task.machine.links.network;
    let mut links = combined(&vec![vec![0, 1, -1]; design.rank()]);
    links.retain(|moved| network.hops(moved).is_some_and(|hops| hops <= 1));
    links.len().checked_pow(free.len() as u32).filter(|count| *count <= most)?;
    let ways = combined(&vec![links; free.len()]);
    Some(ways.iter().map(|way| moved(task, design, &free, way)).collect())
}

/// The array with each of these families moved.
fn moved<'a>(task: &Task<'a>, design: &Design<'a>, families: &[usize], way: &[Vector]) -> Design<'a> {
    let mut design = design.clone();
    for (member, part) in task.system.members.iter().zip(&mut design.parts) {
        let by = families.iter().zip(way).find(|(family, _)| **family == member.family).map(|(_, by)| by);
        for (origin, by) in part.origin.iter_mut().zip(by.into_iter().flatten()) {
            *origin = origin.clone() + Affine::constant(*by);
        }
    }
    design
}

/// The turn of each space, where all are slowed alike; `met` are those that meet before. Spaces that do not meet then may share a turn, so whoever
/// asks looks again.
fn turns_taken(task: &Task, parts: &[SpaceDesign], mut met: Option<Met>) -> Vec<usize> {
    let count = parts.len();
    while let Some(known) = &mut met {
        let turns = turns(known, count);
        match pairs_under(task, &slowed(parts, &turns)) {
            Some(more) if more.is_empty() => return turns,
            Some(more) if !more.is_subset(known) => known.extend(more),
            _ => met = None,
        }
    }
    (0..count).collect()
}

/// A turn for each space, the smallest that no space before it has that it meets.
fn turns(met: &Met, count: usize) -> Vec<usize> {
    let mut turns: Vec<usize> = vec![];
    for space in 0..count {
        let taken = |turn: &usize| (0..space).any(|other| met.contains(&(other, space)) && turns[other] == *turn);
        let free = (0..).find(|turn| !taken(turn)).unwrap_or(space);
        turns.push(free);
    }
    turns
}

/// How many turns there are.
fn count_of(turns: &[usize]) -> i64 {
    1 + turns.iter().max().copied().unwrap_or(0) as i64
}

/// The steps of all spaces slowed down alike: a gap of `g >= 1` steps becomes one of at least `n*g - (n - 1) >= g`.
fn slowed(parts: &[SpaceDesign], turns: &[usize]) -> Vec<SpaceDesign> {
    let count = count_of(turns);
    let slow = |(part, turn): (&SpaceDesign, &usize)| {
        let mut part = part.clone();
        let rows = part.map.step.rows().iter().map(|row| row.iter().map(|entry| entry * count).collect()).collect();
        part.map.step = Matrix::new(rows, part.map.step.columns());
        part.shift(|start| start * count + Affine::constant(*turn as i64));
        part
    };
    parts.iter().zip(turns).map(slow).collect()
}
