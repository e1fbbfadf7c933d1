//! The ways to combine the two values of an index at once.
//!
//! In: nodes of the e-graph that say so. Out: ways for `compile`: one operation of a reduction at each point. A component by a declared
//! monoid needs of both values all components that its own value takes from either side, and nothing runs beside it.

use super::compile::Compiler;
use super::goals::{Combination, ComponentReduction, GoalId, Value, Way};
use crate::rewrite::{Id, Monoid};
use std::collections::BTreeSet;
use systole_base::integer::Name;
use systole_equations::recurrence::Operator;

impl Compiler<'_> {
    /// Two values combined by a built-in operator.
    pub fn paired(&mut self, goal: GoalId, operator: Id, index: Id, body: Id) -> Vec<Way> {
        let (Some(operator), Some(index)) = (self.name(operator), self.name(index)) else { return vec![] };
        let Some(built) = Operator::from_keyword(&operator) else { return vec![] };
        vec![self.pair(goal, (Combination::Built(built), index), (vec![0], &[body]), 1)]
    }

    /// A component of two tuples combined by a declared monoid.
    pub fn paired_component(
        &mut self,
        goal: GoalId,
        monoid: &Monoid,
        component: usize,
        index: &Name,
        arguments: &[Id],
    ) -> Way {
        let sides = [true, false].map(|left| monoid.uses(component, left));
        let taken: Vec<usize> = sides.into_iter().flatten().collect::<BTreeSet<usize>>().into_iter().collect();
        let classes: Vec<Id> = taken.iter().map(|argument| arguments[*argument]).collect();
        let combination = Combination::Declared(monoid.name.clone(), component);
        self.pair(goal, (combination, index.clone()), (taken, &classes), monoid.operations_alone(component))
    }

    fn pair(
        &mut self,
        goal: GoalId,
        (operator, index): (Combination, Name),
        (arguments, classes): (Vec<usize>, &[Id]),
        each: u64,
    ) -> Way {
        let operations = self.points(&self.goals.goals[goal].indices) * u128::from(each);
        let children = classes.iter().map(|class| self.class(*class)).collect();
        let pass = self.axis(&index);
        let fold = ComponentReduction { operator, index, backward: false, arguments, beside: vec![] };
        Way { pass, ..Way::of(Value::Paired(fold), operations, children) }
    }
}
