//! Expressions of a selection as the text of kernels.
//!
//! In: goals, a selection, the tensors that some goals have. Out: text, fully bracketed; the printer of kernels takes out what the
//! grammar does not need. An index may be replaced on the way, so that what a recurrence takes at its ends can be written.

use super::goals::{Combination, ComponentReduction, GoalId, Goals, Selection, Value};
use crate::rewrite::{AccessText, Frame, Symbol};
use std::collections::BTreeMap;
use systole_base::integer::{Affine, Name, Polyhedron};
use systole_base::scalar::Function;
use systole_equations::syntax;

/// The tensor that a goal is stored in.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Place {
    pub tensor: Name,
    /// The element of a point: forms over the goal's indices.
    pub subscripts: Vec<Affine>,
}

/// What indices are replaced by.
pub(super) type Image = BTreeMap<Name, Affine>;

/// Writes expressions.
pub(super) struct Texts<'a> {
    pub goals: &'a Goals,
    pub selection: &'a Selection,
    pub frame: &'a Frame,
    pub places: BTreeMap<GoalId, Place>,
}

impl Texts<'_> {
    /// The goal whose value this one is.
    pub fn resolved(&self, goal: GoalId) -> GoalId {
        let mut goal = goal;
        while let Some(way) = self.selection.get(&goal).map(|way| &self.goals.goals[goal].options[*way]) {
            match (&way.value, way.children.as_slice()) {
                (Value::Same, [child]) => goal = *child,
                _ => break,
            }
        }
        goal
    }

    /// How a goal is computed, and from what.
    pub fn way(&self, goal: GoalId) -> Option<(&Value, &[GoalId], &[GoalId])> {
        let way = self.goals.goals.get(goal)?.options.get(*self.selection.get(&goal)?)?;
        Some((&way.value, &way.children, &way.beside))
    }

    /// The value of a goal: a read where it is stored, else its expression.
    pub fn value(&self, goal: GoalId, image: &Image) -> Option<String> {
        let goal = self.resolved(goal);
        match self.places.get(&goal) {
            Some(place) => Some(access(&place.tensor, &place.subscripts, image)),
            None => self.expression(goal, image),
        }
    }

    /// The expression of a goal, whether it is stored or not.
    pub fn expression(&self, goal: GoalId, image: &Image) -> Option<String> {
        let (value, children, _) = self.way(self.resolved(goal))?;
        match value {
            Value::Number(number) => Some(number_text(number.value())),
            Value::Index(text) => Some(format!("({})", self.forms(*text)?.first()?.substitute(image))),
            Value::Read(tensor, text) => Some(access(tensor, self.forms(*text)?, image)),
            Value::Count(index) => Some(format!("({})", self.frame.count(Symbol::from(&**index))?.substitute(image))),
            Value::Apply(function) => self.apply(*function, children, image),
            Value::Fold(ComponentReduction { operator: Combination::Built(operator), index, .. }) => {
                let range = self.range(index, image)?;
                Some(format!("({}({range}) {})", operator.keyword(), self.value(*children.first()?, image)?))
            }
            _ => None,
        }
    }

    fn forms(&self, text: AccessText) -> Option<&[Affine]> {
        self.frame.access(text)
    }

    /// `k in 0..K`.
    pub fn range(&self, index: &Name, image: &Image) -> Option<String> {
        let (low, high) = self.frame.ends(Symbol::from(&**index))?;
        let end = high + Affine::constant(1);
        Some(format!("{index} in {}..{}", low.substitute(image), end.substitute(image)))
    }

    fn apply(&self, function: Function, children: &[GoalId], image: &Image) -> Option<String> {
        let arguments: Vec<String> = children.iter().map(|child| self.value(*child, image)).collect::<Option<_>>()?;
        applied(function, &arguments)
    }
}

/// A function of its arguments.
pub(super) fn applied(function: Function, arguments: &[String]) -> Option<String> {
    let sign = match function {
        Function::Add => "+",
        Function::Subtract => "-",
        Function::Multiply => "*",
        Function::Divide => "/",
        Function::Less => "<",
        Function::LessEqual => "<=",
        Function::Equal => "==",
        Function::NotEqual => "!=",
        _ => "",
    };
    match (function, arguments) {
        (Function::Negate, [operand]) => Some(format!("(-{operand})")),
        (_, [left, right]) if !sign.is_empty() => Some(format!("({left} {sign} {right})")),
        (Function::Reciprocal, [operand]) => Some(format!("(1 / {operand})")),
        (Function::Leaf(_), _) => None,
        _ => Some(format!("{}({})", function.keyword(), arguments.join(", "))),
    }
}

/// `A[i, k + 1]`.
pub(super) fn access(tensor: &Name, subscripts: &[Affine], image: &Image) -> String {
    let list: Vec<String> = subscripts.iter().map(|form| form.substitute(image).to_string()).collect();
    if list.is_empty() { tensor.to_string() } else { format!("{tensor}[{}]", list.join(", ")) }
}

/// A number as the grammar has it.
pub(super) fn number_text(value: f64) -> String {
    let size = syntax::number_text(value.abs());
    if value < 0.0 { format!("(-{size})") } else { size }
}

/// ` where ..`: the constraints of `domain` that `known` does not imply.
pub(super) fn conditions(domain: &Polyhedron, known: &Polyhedron) -> String {
    let left = domain.irredundant(known);
    let texts: Vec<String> = left.constraints().iter().filter(|form| !known.implies(form)).map(condition).collect();
    if texts.is_empty() { String::new() } else { format!(" where {}", texts.join(", ")) }
}

/// A form that is not below 0, as a comparison of two forms without minus signs.
fn condition(form: &Affine) -> String {
    let [less, more] = sides(form);
    format!("{less} <= {more}")
}

/// Two forms without minus signs of which the second one is not less where `form` is not below 0.
pub(super) fn sides(form: &Affine) -> [Affine; 2] {
    let mut sides = [Affine::default(), Affine::default()];
    for (index, coefficient) in form.terms() {
        sides[usize::from(coefficient > 0)].add_term(index, coefficient.abs());
    }
    let constant = form.constant_term();
    sides[usize::from(constant > 0)] = sides[usize::from(constant > 0)].clone() + Affine::constant(constant.abs());
    sides
}
