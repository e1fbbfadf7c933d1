//! The cheapest selection, exactly: branch and bound over an and-or graph with sharing.
//!
//! In: [`Goals`], and for each axis how many passes there may be. Out: a selection with the fewest operations, or none. What every
//! selection must pay is bounded from below by the goals that are needed whatever is chosen (`must`), each at its cheapest way; a branch
//! that cannot get below the best known is cut. Invariant: of selections that cost the same the first in the order of ways is kept,
//! so the answer does not depend on chance.

use super::goals::{FormCost, GoalId, Goals, Selection, Way, raise};
use fixedbitset::FixedBitSet;
use std::collections::BTreeSet;

/// How many choices are tried before the search gives up proving that it has the cheapest.
const MOST_STEPS: u64 = 400_000;

/// The cheapest selection that was found.
#[derive(Clone, Debug, PartialEq)]
pub struct Least {
    /// For each goal that is needed its way.
    pub selection: Selection,
    /// What it costs.
    pub cost: FormCost,
    /// Whether no other is cheaper.
    pub is_proved: bool,
}

/// What a selection has to keep to.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Limit {
    /// For each axis the most passes.
    pub passes: Vec<u32>,
    /// Whether exponentials may overflow.
    pub overflows: bool,
}

/// A selection with the fewest operations among those that keep to a limit.
pub fn least(goals: &Goals, limit: &Limit) -> Option<Least> {
    let passes = limit.passes.as_slice();
    let allowed = allowed_ways(goals, limit)?;
    let mut search = Search::new(goals, allowed);
    search.best = search.greedy().and_then(|selection| search.judged(selection, passes));
    let mut open: BTreeSet<GoalId> = goals.roots.iter().copied().collect();
    search.branch(&mut Selection::new(), &mut open, 0, passes);
    let is_proved = search.steps < MOST_STEPS;
    search.best.map(|(selection, cost)| Least { selection, cost, is_proved })
}

/// For each goal the ways that some selection within the passes may use; `None` where a root has none.
fn allowed_ways(goals: &Goals, limit: &Limit) -> Option<Vec<Vec<usize>>> {
    let passes = limit.passes.as_slice();
    let is_safe = |way: &Way| limit.overflows || !way.may_overflow;
    let safe = |ways: &[Way]| (0..ways.len()).filter(|way| is_safe(&ways[*way])).collect();
    let mut allowed: Vec<Vec<usize>> = goals.goals.iter().map(|goal| safe(&goal.options)).collect();
    loop {
        let lowest = lowest_levels(goals, &allowed);
        let mut changed = false;
        for (goal, ways) in allowed.iter_mut().enumerate() {
            let before = ways.len();
            ways.retain(|way| {
                let levels = way_levels(&goals.goals[goal].options[*way], &lowest);
                levels.is_some_and(|levels| fits(&levels, goals.goals[goal].axes, passes))
            });
            changed |= ways.len() != before;
        }
        if !changed {
            return goals.roots.iter().all(|root| !allowed[*root].is_empty()).then_some(allowed);
        }
    }
}

fn fits(levels: &[u32], axes: u64, passes: &[u32]) -> bool {
    levels.iter().zip(passes).enumerate().all(|(axis, (level, most))| axes & (1 << axis) == 0 || level < most)
}

/// For each goal the lowest level along each axis; `None` where it cannot be computed.
fn lowest_levels(goals: &Goals, allowed: &[Vec<usize>]) -> Vec<Option<Vec<u32>>> {
    let mut lowest: Vec<Option<Vec<u32>>> = vec![None; goals.goals.len()];
    loop {
        let mut changed = false;
        for (goal, ways) in allowed.iter().enumerate() {
            for way in ways {
                let Some(levels) = way_levels(&goals.goals[goal].options[*way], &lowest) else { continue };
                let least = match &lowest[goal] {
                    None => levels,
                    Some(known) => known.iter().zip(&levels).map(|(a, b)| *a.min(b)).collect(),
                };
                changed |= lowest[goal].as_ref() != Some(&least);
                lowest[goal] = Some(least);
            }
        }
        if !changed {
            return lowest;
        }
    }
}

fn way_levels(way: &Way, lowest: &[Option<Vec<u32>>]) -> Option<Vec<u32>> {
    let axes = lowest.iter().flatten().next().map_or(64, Vec::len);
    let mut levels = vec![0; axes];
    for child in &way.children {
        raise(&mut levels, lowest[*child].as_ref()?);
    }
    levels.iter_mut().enumerate().for_each(|(axis, level)| *level += u32::from(way.pass & (1 << axis) != 0));
    for beside in &way.beside {
        raise(&mut levels, lowest[*beside].as_ref()?);
    }
    Some(levels)
}

struct Search<'g> {
    goals: &'g Goals,
    allowed: Vec<Vec<usize>>,
    /// For each goal its cheapest way.
    cheapest: Vec<u128>,
    /// For each goal those that are needed where it is.
    must: Vec<FixedBitSet>,
    best: Option<(Selection, FormCost)>,
    steps: u64,
}

impl<'g> Search<'g> {
    fn new(goals: &'g Goals, mut allowed: Vec<Vec<usize>>) -> Search<'g> {
        allowed.iter_mut().enumerate().for_each(|(goal, ways)| drop_dominated(goals, goal, ways));
        let operations = |goal: GoalId, way: usize| goals.goals[goal].options[way].operations;
        let least = |(goal, ways): (usize, &Vec<usize>)| ways.iter().map(|way| operations(goal, *way)).min();
        let cheapest = allowed.iter().enumerate().map(|entry| least(entry).unwrap_or_default()).collect();
        let must = musts(goals, &allowed);
        Search { goals, allowed, cheapest, must, best: None, steps: 0 }
    }

    fn needs(&self, goal: GoalId, way: usize) -> impl Iterator<Item = GoalId> + 'g {
        self.goals.goals[goal].options[way].needs()
    }

    fn before(&self, goal: GoalId, way: usize) -> impl Iterator<Item = GoalId> + 'g {
        self.goals.goals[goal].options[way].before()
    }

    /// A selection by the cheapest trees, without a thought of sharing.
    fn greedy(&self) -> Option<Selection> {
        let mut trees: Vec<Option<(u128, usize)>> = vec![None; self.goals.goals.len()];
        loop {
            let mut changed = false;
            for (goal, ways) in self.allowed.iter().enumerate() {
                for way in ways {
                    let below = self.before(goal, *way).map(|child| trees[child].map(|(cost, _)| cost));
                    let Some(below) = below.sum::<Option<u128>>() else { continue };
                    let cost = below + 1 + self.goals.goals[goal].options[*way].operations;
                    if trees[goal].is_none_or(|(known, _)| cost < known) {
                        trees[goal] = Some((cost, *way));
                        changed = true;
                    }
                }
            }
            if !changed {
                break;
            }
        }
        let mut selection = Selection::new();
        let mut open = self.goals.roots.clone();
        while let Some(goal) = open.pop() {
            let (_, way) = trees[goal]?;
            if selection.insert(goal, way).is_none() {
                open.extend(self.needs(goal, way));
            }
        }
        Some(selection)
    }

    /// The selection with its cost, where it is an answer.
    fn judged(&self, selection: Selection, passes: &[u32]) -> Option<(Selection, FormCost)> {
        let cost = self.goals.cost(&selection)?;
        self.goals.keeps(&selection, passes).then_some((selection, cost))
    }

    /// Tries all ways for the goals that are open.
    fn branch(&mut self, chosen: &mut Selection, open: &mut BTreeSet<GoalId>, spent: u128, passes: &[u32]) {
        if self.steps >= MOST_STEPS
            || self.best.as_ref().is_some_and(|(_, best)| self.bound(chosen, open, spent) >= best.operations)
        {
            return;
        }
        let Some(goal) = self.next(open) else {
            if let Some(found) = self.judged(chosen.clone(), passes)
                && self.best.as_ref().is_none_or(|(_, best)| found.1.operations < best.operations)
            {
                self.best = Some(found);
            }
            return;
        };
        open.remove(&goal);
        for way in self.allowed[goal].clone() {
            self.steps += 1;
            if self.closes_circle(goal, way, chosen) {
                continue;
            }
            chosen.insert(goal, way);
            let fresh: Vec<GoalId> =
                self.needs(goal, way).filter(|child| !chosen.contains_key(child) && open.insert(*child)).collect();
            self.branch(chosen, open, spent + self.goals.goals[goal].options[way].operations, passes);
            fresh.iter().for_each(|child| {
                open.remove(child);
            });
            chosen.remove(&goal);
        }
        open.insert(goal);
    }

    /// The open goal with the fewest ways.
    fn next(&self, open: &BTreeSet<GoalId>) -> Option<GoalId> {
        open.iter().copied().min_by_key(|goal| self.allowed[*goal].len())
    }

    /// What is spent at least once all open goals are computed.
    fn bound(&self, chosen: &Selection, open: &BTreeSet<GoalId>, spent: u128) -> u128 {
        let mut needed = FixedBitSet::with_capacity(self.must.len());
        open.iter().for_each(|goal| needed.union_with(&self.must[*goal]));
        spent + needed.ones().filter(|goal| !chosen.contains_key(goal)).map(|goal| self.cheapest[goal]).sum::<u128>()
    }

    /// Whether a goal would need itself.
    fn closes_circle(&self, goal: GoalId, way: usize, chosen: &Selection) -> bool {
        let mut seen = BTreeSet::new();
        let mut open: Vec<GoalId> = self.before(goal, way).collect();
        while let Some(next) = open.pop() {
            if next == goal {
                return true;
            }
            if let Some(way) = chosen.get(&next).filter(|_| seen.insert(next)) {
                open.extend(self.before(next, *way));
            }
        }
        false
    }
}

/// Leaves out ways that cost no less than another and need all that it needs, no earlier.
fn drop_dominated(goals: &Goals, goal: GoalId, ways: &mut Vec<usize>) {
    let all = ways.clone();
    let option = |way: usize| &goals.goals[goal].options[way];
    let is_better = |one: usize, other: usize| {
        let (first, second) = (option(one), option(other));
        dominates(first, second) && (!dominates(second, first) || one < other)
    };
    ways.retain(|way| !all.iter().any(|other| other != way && is_better(*other, *way)));
}

fn dominates(one: &Way, other: &Way) -> bool {
    let needs = other.children.iter().chain(&other.beside);
    one.operations <= other.operations
        && one.may_overflow <= other.may_overflow
        && one.pass & !other.pass == 0
        && one.children.iter().all(|child| other.children.contains(child))
        && one.beside.iter().all(|child| needs.clone().any(|need| need == child))
        && one.elsewhere.iter().all(|goal| other.elsewhere.contains(goal))
        && one.value.bound().is_none_or(|index| other.value.bound() == Some(index))
}

/// For each goal the goals that every way to compute it needs first. A recurrence needs more, elsewhere.
fn musts(goals: &Goals, allowed: &[Vec<usize>]) -> Vec<FixedBitSet> {
    let count = goals.goals.len();
    let none = FixedBitSet::with_capacity(count);
    let mut all = none.clone();
    all.insert_range(..);
    let mut must = vec![all; count];
    loop {
        let mut changed = false;
        for (goal, ways) in allowed.iter().enumerate() {
            let needed = ways.iter().map(|way| {
                let mut before = none.clone();
                goals.goals[goal].options[*way].before().for_each(|child| before.union_with(&must[child]));
                before
            });
            let shared = needed.reduce(|mut one, other| {
                one.intersect_with(&other);
                one
            });
            let mut next = shared.unwrap_or_else(|| none.clone());
            next.insert(goal);
            changed |= next != must[goal];
            must[goal] = next;
        }
        if !changed {
            return must;
        }
    }
}
