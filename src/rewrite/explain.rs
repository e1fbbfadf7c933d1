//! Explanations: the chain of rules from the equations to a dataflow, and on to its schedule.
//!
//! In: a [`Lowered`] and a [`Dataflow`]. Out: [`Step`]s, each the name of a rule with the subterm it changed. Side
//! conditions and folded directions are part of a rule, not steps of their own. Paper: Cyclotron section 8.

use super::dataflow::Dataflow;
use super::input::scheduled_term;
use super::language::Term;
use super::saturate::Lowered;
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

impl Lowered {
    /// The steps from the input to the term of `dataflow`; empty where the e-graph does not hold it.
    ///
    /// The list holds each equation that the proof uses once, where it is used first: what is done again at another
    /// place, or undone there, is not repeated.
    pub fn explain(&mut self, dataflow: &Dataflow) -> Vec<Step> {
        let term = self.term(dataflow);
        term.map_or_else(Vec::new, |term| self.explain_term(&term))
    }

    /// Notes that `dataflow` runs at `place` and `step`, which the proof called `proof` allows.
    ///
    /// Adds `(sched place step term)` to the root class; false where the e-graph does not hold the dataflow.
    pub fn record(&mut self, dataflow: &Dataflow, place: &str, step: &str, proof: &str) -> bool {
        let Some(term) = self.term(dataflow) else { return false };
        let lowered = self.graph.add_expr_uncanonical(&term);
        let scheduled = self.graph.add_expr_uncanonical(&scheduled_term(&term, place, step));
        self.graph.union_trusted(lowered, scheduled, proof);
        self.graph.rebuild();
        self.root = self.graph.find(self.root);
        true
    }

    /// The steps from the input to the recorded schedule; empty where nothing of the kind was recorded.
    pub fn explain_scheduled(&mut self, dataflow: &Dataflow, place: &str, step: &str) -> Vec<Step> {
        let term = self.term(dataflow).map(|term| scheduled_term(&term, place, step));
        term.filter(|term| self.contains(term)).map_or_else(Vec::new, |term| self.explain_term(&term))
    }

    fn explain_term(&mut self, term: &RecExpr<Term>) -> Vec<Step> {
        let mut explanation = self.graph.explain_equivalence(&self.input, term);
        let flat = explanation.make_flat_explanation();
        let mut seen = BTreeSet::new();
        let steps = flat.windows(2).filter_map(|pair| changed(&pair[0], &pair[1]));
        steps.filter(|step| !seen.contains(&step.turned()) && seen.insert(step.clone())).collect()
    }
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
