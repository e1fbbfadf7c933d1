//! Reductions by declared monoids as joint equations.
//!
//! In: the components that a selection computes along one index, those that need each other together. Out: the declaration of their
//! product, and the joint equation by which all of them are reduced in one pass. A component that two reductions share, such as
//! the greatest score so far, is there once. Paper: Cyclotron section 10.3, where this product is written by hand.

use super::goals::{Combination, ComponentReduction, GoalId, Value};
use super::scans::scalar;
use super::text::{Image, Texts, access, number_text};
use crate::rewrite::Monoid;
use std::collections::{BTreeMap, BTreeSet};
use systole_base::integer::{Name, unused};

/// Components that are reduced together.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Group {
    /// Each goal with the component of the monoid that it is.
    pub members: BTreeMap<GoalId, usize>,
    pub monoid: String,
    pub index: Option<Name>,
}

impl Texts<'_> {
    /// The groups of all components among `goals` that are reduced from their first term.
    pub fn groups(&self, goals: &BTreeSet<GoalId>) -> Vec<Group> {
        let mut groups: Vec<Group> = vec![];
        for goal in goals {
            let Some((Value::Fold(fold), _, beside)) = self.way(*goal) else { continue };
            let Combination::Declared(monoid, component) = &fold.operator else { continue };
            if fold.backward {
                continue;
            }
            let mut group = Group { monoid: monoid.clone(), index: Some(fold.index.clone()), ..Group::default() };
            group.members.insert(*goal, *component);
            group.members.extend(beside.iter().copied().zip(fold.beside.iter().copied()));
            let shares = |other: &Group| other.members.keys().any(|member| group.members.contains_key(member));
            let (joined, apart) = groups.into_iter().partition(shares);
            groups = apart;
            joined.into_iter().for_each(|other: Group| group.members.extend(other.members));
            groups.push(group);
        }
        groups
    }

    /// The declaration of a group's product, called `called`, and its joint equation.
    pub fn joint(&self, group: &Group, monoid: &Monoid, called: &str, taken: &[Name]) -> Option<[String; 2]> {
        let mut taken = taken.to_vec();
        let mut fresh = |wanted: &String| {
            let chosen = unused(wanted, &taken);
            taken.push(chosen.clone());
            chosen
        };
        let names: BTreeMap<GoalId, (Name, Name)> = group
            .members
            .iter()
            .map(|(goal, component)| (*goal, (fresh(&monoid.left[*component]), fresh(&monoid.right[*component]))))
            .collect();
        let (mut left, mut right, mut values, mut neutral) = (vec![], vec![], vec![], vec![]);
        let (mut targets, mut terms) = (vec![], vec![]);
        for (goal, component) in &group.members {
            let (own, next) = &names[goal];
            left.push(own.to_string());
            right.push(next.to_string());
            values.push(self.combined(*goal, *component, monoid, &names)?);
            neutral.push(number_text(monoid.neutral[*component]));
            let place = self.places.get(goal)?;
            targets.push(access(&place.tensor, &place.subscripts, &Image::new()));
            terms.push(self.own_term(*goal, *component)?);
        }
        let list = |texts: &[String]| texts.join(", ");
        let range = self.range(group.index.as_ref()?, &Image::new())?;
        Some([
            format!(
                "reduction {called}({}) with ({}) = ({}) from ({})",
                list(&left),
                list(&right),
                list(&values),
                list(&neutral)
            ),
            format!("({}) = {called}({range}) ({})", list(&targets), list(&terms)),
        ])
    }

    /// The term of a component itself.
    fn own_term(&self, goal: GoalId, component: usize) -> Option<String> {
        self.value(self.own_argument(goal, component)?, &Image::new())
    }

    /// What a component alone takes of what is reduced.
    pub fn own_argument(&self, goal: GoalId, component: usize) -> Option<GoalId> {
        let (Value::Fold(fold), children, _) = self.way(goal)? else { return None };
        let own = match &fold.operator {
            Combination::Built(_) => 0,
            Combination::Declared(..) => fold.arguments.iter().position(|argument| *argument == component)?,
        };
        children.get(own).copied()
    }

    /// The value of a component by the names of those that it needs.
    fn combined(
        &self,
        goal: GoalId,
        component: usize,
        monoid: &Monoid,
        names: &BTreeMap<GoalId, (Name, Name)>,
    ) -> Option<String> {
        let (Value::Fold(ComponentReduction { beside, .. }), _, goals) = self.way(goal)? else { return None };
        let needed = beside.iter().copied().zip(goals.iter().copied()).chain([(component, goal)]);
        let mut texts: BTreeMap<&str, String> = BTreeMap::new();
        for (component, goal) in needed {
            let (left, right) = names.get(&goal)?;
            texts.insert(&monoid.left[component], left.to_string());
            texts.insert(&monoid.right[component], right.to_string());
        }
        scalar(&monoid.values[component], &texts)
    }
}

/// A name for the product.
pub(super) fn product_name(group: &Group, taken: &[Name]) -> Name {
    unused(&group.monoid.replace('-', "_"), taken)
}
