//! One instance of the left side of a rule: what each variable stands for.
//!
//! In: a rule's pattern, and texts for its variables. Out: the term of either side.

use super::sorts::Sort;
use crate::check::semantics::Heads;
use crate::rewrite::terms::Term;
use egg::{ENodeOrVar, Id, Language, PatternAst, RecExpr};
use std::collections::BTreeMap;

/// What a variable stands for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::check) struct Bound {
    pub text: String,
    pub sort: Sort,
    /// The space that it is on, for expressions and fields.
    pub face: Option<Heads>,
}

/// The variables of a left side, by their names, and the space that the whole term is on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::check) struct Instance {
    pub bound: BTreeMap<String, Bound>,
    pub space: usize,
}

impl Instance {
    /// The instance of a pattern that a term is, by its text.
    pub fn of(pattern: &PatternAst<Term>, term: &RecExpr<Term>) -> Option<Instance> {
        let mut instance = Instance { bound: BTreeMap::new(), space: 0 };
        instance.bind(pattern, pattern.root(), term, term.root())?;
        Some(instance)
    }

    fn bind(&mut self, pattern: &PatternAst<Term>, at: Id, term: &RecExpr<Term>, id: Id) -> Option<()> {
        let node = match &pattern[at] {
            ENodeOrVar::Var(variable) => {
                let text = term[id].build_recexpr(|child| term[child].clone()).to_string();
                let bound = Bound { text: text.clone(), sort: Sort::Any, face: None };
                let known = self.bound.entry(variable.to_string()).or_insert(bound);
                return (known.text == text).then_some(());
            }
            ENodeOrVar::ENode(node) => node,
        };
        let children = node.children().iter().zip(term[id].children());
        let all: Vec<(Id, Id)> = children.map(|(one, other)| (*one, *other)).collect();
        let is_alike = node.matches(&term[id]) && node.children().len() == all.len();
        all.into_iter().filter(|_| is_alike).try_for_each(|(one, other)| self.bind(pattern, one, term, other))?;
        is_alike.then_some(())
    }

    /// A side of the rule with its variables replaced.
    pub fn term(&self, pattern: &PatternAst<Term>) -> Option<RecExpr<Term>> {
        self.text(pattern, pattern.root())?.parse().ok()
    }

    fn text(&self, pattern: &PatternAst<Term>, id: Id) -> Option<String> {
        match &pattern[id] {
            ENodeOrVar::Var(variable) => self.bound.get(&variable.to_string()).map(|bound| bound.text.clone()),
            ENodeOrVar::ENode(node) if node.is_leaf() => Some(node.to_string()),
            ENodeOrVar::ENode(node) => {
                let children: Option<Vec<String>> =
                    node.children().iter().map(|child| self.text(pattern, *child)).collect();
                Some(format!("({node} {})", children?.join(" ")))
            }
        }
    }
}
