//! Recurrences that laws have made, held to one order of elements.
//!
//! In: goals, a selection. Out: whether some tensor whose elements laws may read stands on a circle with reads of another one, or reads its
//! own where its indices are bound. Each such tensor is computed in an order of its own, in which what it reads of itself comes before; two
//! orders together need not be one, and before a bound index is not before the point. What the user's own equations read of each other is the
//! user's affair, and was looked at when the kernel was read.

use super::goals::{GoalId, Goals, Selection, Way};
use std::collections::BTreeSet;
use systole_base::integer::Name;

impl Goals {
    /// Whether a tensor is computed from itself by way of another one, or from elements before those of a bound index.
    pub(super) fn mixes_orders(&self, selection: &Selection) -> bool {
        let needed: BTreeSet<GoalId> = self.roots.iter().flat_map(|root| self.below(*root, selection)).collect();
        let mut folded = self.folded.iter().filter(|(goal, _)| needed.contains(goal));
        folded.any(|(goal, own)| self.is_mixed(*goal, selection) || self.is_hidden(*goal, own, selection))
    }

    /// Whether a goal reads what it computes within a reduction over one of its own indices.
    fn is_hidden(&self, goal: GoalId, own: &[Name], selection: &Selection) -> bool {
        let reads = |next: GoalId| self.taken(next, selection).is_some_and(|way| way.elsewhere.contains(&goal));
        let binds = |next: &GoalId| {
            let bound = self.taken(*next, selection).and_then(|way| way.value.bound());
            bound.is_some_and(|index| own.contains(index))
        };
        let hiding = self.first(goal, selection).into_iter().filter(binds);
        hiding.into_iter().any(|next| self.first(next, selection).into_iter().any(reads))
    }

    fn is_mixed(&self, goal: GoalId, selection: &Selection) -> bool {
        let leads_back = |from: GoalId| self.below(from, selection).contains(&goal);
        let mut others = self.below(goal, selection).into_iter().flat_map(|next| {
            let way = self.taken(next, selection);
            way.into_iter().flat_map(|way| way.elsewhere.iter().copied()).filter(|other| *other != goal)
        });
        others.any(leads_back)
    }

    /// Whether what is computed from a goal is read by it, elsewhere: it stands in the recurrence then.
    pub(super) fn is_recurrent(&self, goal: GoalId, selection: &Selection) -> bool {
        let first = self.first(goal, selection);
        let ways = first.iter().filter_map(|next| self.taken(*next, selection));
        let mut elsewhere = ways.flat_map(|way| way.elsewhere.iter().copied());
        elsewhere.any(|equation| self.first(equation, selection).contains(&goal))
    }

    /// A goal and all that it needs first, at the same point.
    fn first(&self, goal: GoalId, selection: &Selection) -> BTreeSet<GoalId> {
        self.reached(goal, selection, &|way| way.before().collect())
    }

    /// A goal and all that it needs.
    fn below(&self, goal: GoalId, selection: &Selection) -> BTreeSet<GoalId> {
        self.reached(goal, selection, &|way| way.needs().collect())
    }

    fn reached(&self, goal: GoalId, selection: &Selection, next: &dyn Fn(&Way) -> Vec<GoalId>) -> BTreeSet<GoalId> {
        let (mut met, mut open) = (BTreeSet::new(), vec![goal]);
        while let Some(goal) = open.pop() {
            if met.insert(goal) {
                open.extend(self.taken(goal, selection).into_iter().flat_map(next));
            }
        }
        met
    }

    fn taken(&self, goal: GoalId, selection: &Selection) -> Option<&Way> {
        self.goals.get(goal)?.options.get(*selection.get(&goal)?)
    }
}
