//! Explanations: the chain of rules from the equations to a dataflow, and on to its schedule.
//!
//! In: a [`Lowered`] and a [`Dataflow`]. Out: [`Step`]s. A schedule that has been proved is recorded in the root class as
//! `(sched P t term)` under the name of its proof, so that the explanation runs on to it. Paper: Cyclotron section 8.

use super::dataflow::Dataflow;
use super::input::scheduled_term;
use super::language::Term;
use super::saturate::Lowered;
use super::step::{Step, explain_equality};
use egg::RecExpr;

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
        explain_equality(&mut self.graph, &self.input, term)
    }
}
