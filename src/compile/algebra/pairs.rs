//! Both values of an index combined at once, as text.
//!
//! In: a goal that is computed so. Out: one operation of its reduction, of the elements at the first and the second value of the index.

use super::goals::{Combination, GoalId, Value};
use super::scans::{combined, scalar};
use super::text::{Image, Texts};
use crate::rewrite::{Monoid, Symbol};
use std::collections::BTreeMap;
use systole_base::integer::Affine;

impl Texts<'_> {
    /// The value of a goal whose index takes two values; `monoid` is the one by which it is reduced, where that is declared.
    pub fn paired(&self, goal: GoalId, monoid: Option<&Monoid>) -> Option<String> {
        let (Value::Paired(fold), children, _) = self.way(goal)? else { return None };
        let (low, high) = self.frame.ends(Symbol::from(&*fold.index))?;
        let at =
            |child: &GoalId, value: &Affine| self.value(*child, &Image::from([(fold.index.clone(), value.clone())]));
        let component = match &fold.operator {
            Combination::Built(operator) => {
                let child = children.first()?;
                return combined(*operator, &at(child, &low)?, &at(child, &high)?);
            }
            Combination::Declared(_, component) => *component,
        };
        let monoid = monoid?;
        let mut names: BTreeMap<&str, String> = BTreeMap::new();
        for (argument, child) in fold.arguments.iter().zip(children) {
            names.insert(&monoid.left[*argument], at(child, &low)?);
            names.insert(&monoid.right[*argument], at(child, &high)?);
        }
        scalar(&monoid.values[component], &names)
    }
}
