//! A selection as terms of the e-graph, for explanations.
//!
//! In: goals with the nodes that they come from, a selection. Out: for each root the term that the selection computes. A component of a
//! reduction by a declared monoid is the part of a whole tuple there.

use super::goals::{Combination, ComponentReduction, GoalId, Goals, Selection, Value};
use crate::rewrite::{Forms, Id, Language, RecExpr, Term, part_of};
use std::collections::{BTreeMap, BTreeSet};
use systole_base::integer::Name;

/// How many components of a tuple are looked at.
const MOST_COMPONENTS: usize = 8;

/// The terms of these goals; `None` where the selection does not say one, as it does not where it needs none.
pub(super) fn selected_terms(
    forms: &Forms,
    (goals, wanted): (&Goals, &[GoalId]),
    selection: &Selection,
) -> Vec<Option<RecExpr<Term>>> {
    let whole = |goal: GoalId| Builder::new(forms, goals, selection).whole(goal);
    wanted.iter().map(|goal| selection.get(goal).and_then(|_| whole(*goal))).collect()
}

/// A component that is reduced by a declared monoid.
struct Reduced<'a> {
    /// Whether both values of the index are combined at once.
    is_paired: bool,
    index: &'a Name,
    /// What is reduced.
    values: &'a [GoalId],
}

struct Builder<'a> {
    forms: &'a Forms,
    goals: &'a Goals,
    selection: &'a Selection,
    term: RecExpr<Term>,
    known: BTreeMap<Id, Id>,
    open: BTreeSet<Id>,
}

impl<'a> Builder<'a> {
    fn new(forms: &'a Forms, goals: &'a Goals, selection: &'a Selection) -> Builder<'a> {
        Builder { forms, goals, selection, term: RecExpr::default(), known: BTreeMap::new(), open: BTreeSet::new() }
    }

    fn whole(mut self, root: GoalId) -> Option<RecExpr<Term>> {
        let class = self.goals.goals[root].class?;
        self.class(class)?;
        Some(self.term)
    }

    /// The term of a class: the node that the selection takes, or the smallest one where it takes none.
    fn class(&mut self, class: Id) -> Option<Id> {
        let class = self.forms.graph.find(class);
        if let Some(known) = self.known.get(&class) {
            return Some(*known);
        }
        let goal = self.goals.goals.iter().position(|goal| goal.class == Some(class));
        let way = goal.and_then(|goal| Some(&self.goals.goals[goal].options[*self.selection.get(&goal)?]));
        // What is within itself, as the whole within its mirrored half, is what it was before.
        let is_open = !self.open.insert(class);
        let chosen = way.and_then(|way| way.node.clone()).filter(|_| !is_open);
        // Several tuples may have a component; a way does not say which of them the selection comes from.
        let is_said = chosen.as_ref().is_some_and(|node| !matches!(node, Term::Part(_)));
        let found = if is_said { None } else { self.tuple(class).or_else(|| self.part(class)) };
        let node = found.or(chosen).or_else(|| self.smallest(class))?;
        let mut children = vec![];
        for child in Language::children(&node) {
            children.push(self.class(*child)?);
        }
        let mut position = 0;
        let built = Language::map_children(node, |_| {
            position += 1;
            children[position - 1]
        });
        let id = self.term.add(built);
        if !is_open {
            self.known.insert(class, id);
            self.open.remove(&class);
        }
        Some(id)
    }

    /// The node of a tuple that says how its components are reduced.
    fn tuple(&self, class: Id) -> Option<Term> {
        let graph = &self.forms.graph;
        let mut parts = (0..MOST_COMPONENTS).filter_map(|component| part_of(graph, class, component));
        parts.find_map(|part| self.reduction(class, &self.reduced(part)?))
    }

    /// A component of the tuple whose node says how the selection reduces it.
    fn part(&self, class: Id) -> Option<Term> {
        let wanted = self.reduced(class)?;
        let parts = self.forms.graph[class].nodes.iter().filter_map(|node| match node {
            Term::Part([_, tuple]) => Some((node, self.reduction(self.forms.graph.find(*tuple), &wanted)?)),
            _ => None,
        });
        let best = parts.min_by_key(|(_, reduction)| self.is_of_tuples(reduction) != self.takes_tuples(&wanted));
        best.map(|(node, _)| node.clone())
    }

    /// A node of a tuple that reduces as the selection does; of several that whose tuples are reduced as it reduces them.
    fn reduction(&self, tuple: Id, wanted: &Reduced<'_>) -> Option<Term> {
        let fits = |node: &&Term| match node {
            Term::Reduce([_, _, bound, _]) => !wanted.is_paired && self.is_index(*bound, wanted.index),
            Term::Paired([_, _, bound, _]) => wanted.is_paired && self.is_index(*bound, wanted.index),
            _ => false,
        };
        let found = self.forms.graph[tuple].nodes.iter().filter(fits);
        found.min_by_key(|node| self.is_of_tuples(node) != self.takes_tuples(wanted)).cloned()
    }

    /// How the selection reduces a class, if by a declared monoid.
    fn reduced(&self, class: Id) -> Option<Reduced<'_>> {
        let goal = self.goals.goals.iter().position(|goal| goal.class == Some(class))?;
        self.reduced_by(goal)
    }

    /// Whether the selection reduces what comes from a reduction by a declared monoid itself.
    fn takes_tuples(&self, reduced: &Reduced<'_>) -> bool {
        reduced.values.iter().any(|value| self.reduced_by(*value).is_some())
    }

    /// Whether what is reduced are tuples that come from a reduction.
    fn is_of_tuples(&self, node: &Term) -> bool {
        let is_reduced = |node: &Term| matches!(node, Term::Reduce(_) | Term::Paired(_));
        Language::children(node).last().is_some_and(|body| self.forms.graph[*body].nodes.iter().any(is_reduced))
    }

    fn is_index(&self, class: Id, index: &Name) -> bool {
        self.forms.graph[class].nodes.contains(&Term::name(index))
    }

    /// How the selection reduces a component, if by a declared monoid.
    fn reduced_by(&self, goal: GoalId) -> Option<Reduced<'_>> {
        let way = &self.goals.goals[goal].options[*self.selection.get(&goal)?];
        let reduced = |is_paired, index| Some(Reduced { is_paired, index, values: &way.children });
        match (&way.value, way.children.as_slice()) {
            (Value::Same, [child]) => self.reduced_by(*child),
            (Value::Paired(ComponentReduction { operator: Combination::Declared(..), index, .. }), _) => {
                reduced(true, index)
            }
            (Value::Fold(ComponentReduction { operator: Combination::Declared(..), index, .. }), _) => {
                reduced(false, index)
            }
            _ => None,
        }
    }

    fn smallest(&self, class: Id) -> Option<Term> {
        let graph = &self.forms.graph;
        let is_plain = |node: &&Term| Language::all(*node, |child| graph.find(child) != class);
        // A tuple, a leaf or a reduction whose parts are selected one by one.
        graph[class]
            .nodes
            .iter()
            .filter(is_plain)
            .min_by_key(|node| (Language::children(*node).len(), format!("{node}")))
            .cloned()
    }
}
