//! Reductions of tuples by declared monoids: one tuple after the other, from the first one on.

use super::evaluation::Evaluation;
use super::meaning::TupleReduction;
use super::numbers::{Arithmetic, Value};
use crate::rewrite::rules::Monoid;
use crate::rewrite::terms::Term;
use egg::{Id, RecExpr};
use systole_base::scalar::Function;

/// How far a component may be from what it was for rounding's sake, relative to the larger of them and 1.
const TOLERANCE: f64 = 1e-9;

/// A tuple; `None` where a component is undefined.
pub(in crate::check) type State = Vec<Option<f64>>;

/// The tuple that changes nothing.
pub(in crate::check) fn neutral(monoid: &Monoid) -> State {
    monoid.neutral.iter().map(|number| Some(*number)).collect()
}

impl Evaluation<'_> {
    /// A component of what the tuples around a point give.
    pub fn fold(&self, component: usize, folded: &TupleReduction, x: &[i64]) -> Value {
        let around = self.around(&folded.face, &folded.index, x);
        let tuple = |point: &Vec<i64>| folded.components.iter().map(|part| self.number(part, point)).collect();
        let state = self.arithmetic.folded(&folded.monoid, around.iter().map(tuple));
        state.get(component).copied().flatten().map_or(Value::Undefined, Value::Number)
    }
}

impl Arithmetic {
    /// What tuples give one after the other; the neutral one where there are none.
    pub fn folded(&self, monoid: &Monoid, mut tuples: impl Iterator<Item = State>) -> State {
        let Some(first) = tuples.next() else { return neutral(monoid) };
        tuples.fold(self.started(monoid, first), |state, next| self.merged(monoid, &state, &next))
    }

    /// The first tuple. Of a mask, which has an infinity of the neutral tuple, a component is combined with that one where this makes it
    /// another number.
    fn started(&self, monoid: &Monoid, first: State) -> State {
        let is_mask = |(own, neutral): (&Option<f64>, &f64)| neutral.is_infinite() && *own == Some(*neutral);
        if !first.iter().zip(&monoid.neutral).any(is_mask) {
            return first;
        }
        let is_same = |own: &Option<f64>, changed: &Option<f64>| match (own, changed) {
            (Some(own), Some(changed)) => {
                own == changed || (own - changed).abs() <= TOLERANCE * own.abs().max(changed.abs()).max(1.0)
            }
            _ => true,
        };
        let combined = self.merged(monoid, &neutral(monoid), &first);
        let pairs = first.into_iter().zip(combined);
        pairs.map(|(own, changed)| if is_same(&own, &changed) { own } else { changed }).collect()
    }

    /// Two tuples combined.
    pub fn merged(&self, monoid: &Monoid, left: &State, right: &State) -> State {
        let combined = |value: &RecExpr<Term>| self.combined(monoid, value, value.root(), (left, right));
        monoid.values.iter().map(combined).collect()
    }

    /// The value of an expression over what has been combined and what comes next.
    fn combined(&self, monoid: &Monoid, value: &RecExpr<Term>, id: Id, (left, right): (&State, &State)) -> Option<f64> {
        let Term::Other(word, children) = &value[id] else {
            return match &value[id] {
                Term::Number(literal) => Some(literal.value()),
                _ => None,
            };
        };
        let named = |names: &[String]| names.iter().position(|name| name == word.as_str());
        if children.is_empty() {
            let own = named(&monoid.left).and_then(|position| left[position]);
            return own.or_else(|| named(&monoid.right).and_then(|position| right[position]));
        }
        let parts = children.iter().map(|child| self.combined(monoid, value, *child, (left, right)));
        let parts = parts.map(|part| part.map_or(Value::Undefined, Value::Number)).collect();
        self.number(self.apply(Function::from_keyword(word.as_str())?, parts))
    }
}
