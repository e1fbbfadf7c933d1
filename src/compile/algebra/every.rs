//! All selections, for searches in which fewer operations are not what is best.
//!
//! In: [`Goals`]. Out: every selection once, those that differ in the order of operands alone counted as one; or the first of them, and that
//! there are more. Invariant: selections come in the order of ways, so the first ones are the same every time.

use super::goals::{GoalId, Goals, Selection, Way};
use std::collections::BTreeSet;

/// How many choices are followed before it is said that there are more.
const MOST_STEPS: u64 = 200_000;

/// Up to `most` selections, and whether these are all.
pub fn every(goals: &Goals, most: usize) -> (Vec<Selection>, bool) {
    let ways = goals.goals.iter().map(|goal| distinct(&goal.options)).collect();
    let mut walk = Walk { goals, ways, found: vec![], most, steps: 0, is_cut: false };
    let open = goals.roots.iter().copied().collect();
    walk.choose(&mut Selection::new(), &open);
    let is_whole = !walk.is_cut;
    (walk.found, is_whole)
}

/// The ways without those that say the same of the same goals in another order.
fn distinct(ways: &[Way]) -> Vec<usize> {
    let said = |way: &Way| {
        let mut children = way.children.clone();
        children.sort_unstable();
        (format!("{:?}", way.value), children, way.beside.clone(), way.elsewhere.clone())
    };
    let mut seen = BTreeSet::new();
    (0..ways.len()).filter(|way| seen.insert(said(&ways[*way]))).collect()
}

struct Walk<'g> {
    goals: &'g Goals,
    ways: Vec<Vec<usize>>,
    found: Vec<Selection>,
    most: usize,
    steps: u64,
    is_cut: bool,
}

impl Walk<'_> {
    fn choose(&mut self, chosen: &mut Selection, open: &BTreeSet<GoalId>) {
        let Some(goal) = open.iter().copied().find(|goal| !chosen.contains_key(goal)) else {
            if self.goals.cost(chosen).is_some() {
                self.found.push(chosen.clone());
            }
            return;
        };
        for way in self.ways[goal].clone() {
            self.steps += 1;
            if self.found.len() >= self.most || self.steps > MOST_STEPS {
                self.is_cut = true;
                return;
            }
            let option = &self.goals.goals[goal].options[way];
            let others = open.iter().copied().filter(|other| *other != goal);
            let next: BTreeSet<GoalId> = others.chain(option.needs()).collect();
            chosen.insert(goal, way);
            self.choose(chosen, &next);
            chosen.remove(&goal);
        }
    }
}
