//! Reductions of tuples by declared monoids: one tuple after the other, from the neutral one on.

use super::evaluation::Evaluation;
use super::meaning::Folded;
use super::numbers::Value;
use crate::recurrence::Function;
use crate::rewrite::language::Term;
use egg::{Id, RecExpr};

impl Evaluation<'_> {
    /// A component of what the tuples around a point give.
    pub fn fold(&self, component: usize, folded: &Folded, x: &[i64]) -> Value {
        let mut state: Vec<Option<f64>> = folded.monoid.neutral.iter().map(|number| Some(*number)).collect();
        for point in self.around(&folded.face, &folded.index, x) {
            let next: Vec<Option<f64>> = folded.components.iter().map(|part| self.number(part, &point)).collect();
            let values = folded.monoid.values.iter();
            state = values.map(|value| self.combined(folded, value, value.root(), (&state, &next))).collect();
        }
        state.get(component).copied().flatten().map_or(Value::Undefined, Value::Number)
    }

    /// The value of an expression over what has been combined and what comes next.
    fn combined(
        &self,
        folded: &Folded,
        value: &RecExpr<Term>,
        id: Id,
        (state, next): (&[Option<f64>], &[Option<f64>]),
    ) -> Option<f64> {
        let Term::Other(word, children) = &value[id] else {
            return match &value[id] {
                Term::Number(literal) => Some(literal.value()),
                _ => None,
            };
        };
        let named = |names: &[String]| names.iter().position(|name| name == word.as_str());
        if children.is_empty() {
            let own = named(&folded.monoid.left).and_then(|position| state[position]);
            return own.or_else(|| named(&folded.monoid.right).and_then(|position| next[position]));
        }
        let parts = children.iter().map(|child| self.combined(folded, value, *child, (state, next)));
        let parts = parts.map(|part| part.map_or(Value::Undefined, Value::Number)).collect();
        self.arithmetic.number(self.arithmetic.apply(Function::from_keyword(word.as_str())?, parts))
    }
}
