//! One instance of the left side of a rule: what each variable stands for.
//!
//! In: a rule's pattern, and texts for its variables. Out: the term of either side.

use super::sorts::Sort;
use super::world::Face;
use crate::rewrite::language::Term;
use egg::{ENodeOrVar, Id, Language, PatternAst, RecExpr};
use std::collections::BTreeMap;

/// What a variable stands for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Bound {
    pub text: String,
    pub sort: Sort,
    /// The space that it is on, for expressions and fields.
    pub face: Option<Face>,
}

/// The variables of a left side, by their names, and the space that the whole term is on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Instance {
    pub bound: BTreeMap<String, Bound>,
    pub space: usize,
}

impl Instance {
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
