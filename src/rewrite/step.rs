//! The steps of a proof that two terms are equal.
//!
//! In: an e-graph and two terms of one class. Out: [`Step`]s, each the name of a rule with the subterm it changed. Side
//! conditions belong to a rule and are not steps of their own.

use super::analysis::Graph;
use super::language::Term;
use egg::{FlatTerm, RecExpr};
use std::collections::BTreeSet;
use std::fmt;

/// One application of a rule.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Step {
    /// The rule, `fold-directions`, or the name of a proof.
    pub rule: String,
    /// Whether the rule was used from right to left.
    pub backward: bool,
    /// The subterm before.
    pub before: String,
    /// The subterm after.
    pub after: String,
}

impl Step {
    /// The same equation, used the other way.
    fn turned(&self) -> Step {
        Step {
            rule: self.rule.clone(),
            backward: !self.backward,
            before: self.after.clone(),
            after: self.before.clone(),
        }
    }
}

impl fmt::Display for Step {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let arrow = if self.backward { "<=" } else { "=>" };
        write!(f, "{}: {} {arrow} {}", self.rule, self.before, self.after)
    }
}

/// The equations by which two terms of one class are equal, each once.
pub(super) fn explain_equality(graph: &mut Graph, from: &RecExpr<Term>, to: &RecExpr<Term>) -> Vec<Step> {
    let mut explanation = graph.explain_equivalence(from, to);
    let flat = explanation.make_flat_explanation();
    let mut seen = BTreeSet::new();
    let steps = flat.windows(2).filter_map(|pair| changed(&pair[0], &pair[1]));
    steps.filter(|step| !seen.contains(&step.turned()) && seen.insert(step.clone())).collect()
}

/// The rewrite that leads from one flat term to the next, with the subterm at which it happened.
fn changed(before: &FlatTerm<Term>, after: &FlatTerm<Term>) -> Option<Step> {
    let backward = after.backward_rule.is_some();
    if let Some(rule) = after.forward_rule.or(after.backward_rule) {
        return Some(Step { rule: rule.to_string(), backward, before: show(before), after: show(after) });
    }
    before.children.iter().zip(&after.children).find_map(|(before, after)| changed(before, after))
}

fn show(term: &FlatTerm<Term>) -> String {
    term.remove_rewrites().to_string()
}
