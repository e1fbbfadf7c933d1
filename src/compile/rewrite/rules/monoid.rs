//! Monoids that rule files declare: operators on tuples, for reductions.
//!
//! In: the declaration in a rule file. Out: a [`Monoid`]. `(reduce s rescaled k (pair x v))` is a tuple; `(part n ..)` is one of its
//! components. A component whose value is a built-in operator of itself and of one component of what comes next is a reduction
//! of its own ([`Monoid::alone`]); the analysis makes the two equal, under the name `fold-part`.

use super::rule_text::Tag;
use crate::rewrite::terms::Term;
use egg::{Id, Language, RecExpr, Symbol};
use std::collections::BTreeSet;
use std::sync::Arc;
use systole_base::scalar::Function;
use systole_base::span::{Source, Span};
use systole_equations::recurrence::Operator;

/// The name under which explanations show that a component of a reduction is a reduction of its own.
pub const FOLD_PART: &str = "fold-part";

/// A declared operator on tuples: associative, with a neutral tuple.
#[derive(Clone, Debug, PartialEq)]
pub struct Monoid {
    /// Its name.
    pub name: String,
    /// Why it is associative.
    pub law: String,
    /// How far that holds.
    pub tag: Tag,
    /// The file and line it comes from.
    pub origin: String,
    /// Whether the order of what is combined matters.
    pub ordered: bool,
    /// The names for what has been combined.
    pub left: Vec<String>,
    /// The names for what comes next.
    pub right: Vec<String>,
    /// The components of the two combined, over these names.
    pub values: Vec<RecExpr<Term>>,
    /// The tuple that changes nothing.
    pub neutral: Vec<f64>,
    /// The name, as it stands in terms.
    pub(crate) symbol: Symbol,
    pub(crate) source: Arc<Source>,
    pub(crate) span: Span,
}

impl Monoid {
    /// How many components a tuple has.
    pub fn width(&self) -> usize {
        self.left.len()
    }

    /// Which components of what has been combined (`left`), or of what comes next, the value of `component` uses.
    pub fn uses(&self, component: usize, left: bool) -> BTreeSet<usize> {
        let names = if left { &self.left } else { &self.right };
        let used = |name: &String| {
            let value = self.values.get(component);
            value.is_some_and(|value| value.as_ref().iter().any(|node| *node == Term::name(name)))
        };
        (0..names.len()).filter(|position| used(&names[*position])).collect()
    }

    /// The built-in operator, and the component of what comes next, of which `component` is a reduction of its own.
    pub fn alone(&self, component: usize) -> Option<(Operator, usize)> {
        let value = self.values.get(component)?;
        let Term::Other(word, children) = &value[value.root()] else { return None };
        let operator = Operator::ALL.iter().find(|(operator, _)| operator.function().keyword() == word.as_str())?.0;
        let [first, second] = children[..] else { return None };
        let position = |names: &[String], id: Id| names.iter().position(|name| value[id] == Term::name(name));
        let own = position(&self.left, first) == Some(component);
        own.then(|| position(&self.right, second)).flatten().map(|argument| (operator, argument))
    }

    /// How many scalar functions the value of `component` applies where no other component is at hand.
    pub fn operations_alone(&self, component: usize) -> u64 {
        let applies =
            |node: &&Term| matches!(node, Term::Other(word, _) if Function::from_keyword(word.as_str()).is_some());
        self.values.get(component).map_or(0, |value| value.as_ref().iter().filter(applies).count() as u64)
    }

    /// How many it applies beside the other components; what is another component whole is computed there.
    pub fn operations(&self, component: usize) -> u64 {
        self.values.get(component).map_or(0, |value| self.applied(component, value, value.root()))
    }

    fn applied(&self, component: usize, value: &RecExpr<Term>, id: Id) -> u64 {
        let Term::Other(word, children) = &value[id] else { return 0 };
        if children.is_empty() || Function::from_keyword(word.as_str()).is_none() {
            return 0;
        }
        let whole = value[id].build_recexpr(|child| value[child].clone());
        let is_another = (0..self.width()).any(|other| other != component && is_same(&self.values[other], &whole));
        if is_another {
            0
        } else {
            1 + children.iter().map(|child| self.applied(component, value, *child)).sum::<u64>()
        }
    }
}

/// Whether two expressions are one, however their nodes are shared.
fn is_same(one: &RecExpr<Term>, other: &RecExpr<Term>) -> bool {
    one.to_string() == other.to_string()
}
