//! Explanations: the chain of rules from the equations to a dataflow, and on to its schedule.
//!
//! In: a [`Lowered`] and [`Dataflow`]s. Out: [`Step`]s. A schedule that has been proved is recorded
//! beside each space's term as `(sched P t term)` under the name of its proof, so that the explanation runs on to it. Paper:
//! Cyclotron section 8.

use crate::rewrite::dataflows::{Dataflow, scheduled_term};
use crate::rewrite::saturation::{Lowered, Step, explain_equality};
use crate::rewrite::terms::Term;
use egg::RecExpr;

/// A space's part of a design: its dataflow, and the texts of its place and step.
#[derive(Clone, Copy, Debug)]
pub struct Scheduled<'a> {
    /// How the operands move and the reduction runs.
    pub dataflow: &'a Dataflow,
    /// The place, such as `(i, j)`.
    pub place: &'a str,
    /// The step, such as `i + j + k`.
    pub step: &'a str,
}

impl Lowered {
    /// The steps from what the space at `position` computes to the term of `dataflow`; empty where the e-graph does not
    /// hold it.
    ///
    /// The list holds each equation that the proof uses once, where it is used first: what is done again at another
    /// place, or undone there, is not repeated.
    pub fn explain(&mut self, position: usize, dataflow: &Dataflow) -> Vec<Step> {
        let term = self.term(position, dataflow);
        term.map_or_else(Vec::new, |term| self.explain_term(position, &term))
    }

    /// Notes that the spaces run as `parts` say, one part a space, which the proof called `proof` allows.
    ///
    /// Adds a node `sched` to the class of each space; false, with nothing noted, where a part is missing or the e-graph
    /// does not hold its dataflow.
    pub fn record(&mut self, parts: &[Scheduled], proof: &str) -> bool {
        let terms = parts.iter().enumerate().map(|(position, part)| self.term(position, part.dataflow));
        let Some(terms) = terms.collect::<Option<Vec<_>>>() else { return false };
        if terms.len() != self.spaces().len() {
            return false;
        }
        for (term, part) in terms.iter().zip(parts) {
            let lowered = self.graph.add_expr_uncanonical(term);
            let scheduled = self.graph.add_expr_uncanonical(&scheduled_term(term, part.place, part.step));
            self.graph.union_trusted(lowered, scheduled, proof);
        }
        self.graph.rebuild();
        true
    }

    /// The steps from what the space at `position` computes to its recorded schedule; empty where nothing of the kind was
    /// recorded.
    pub fn explain_scheduled(&mut self, position: usize, part: Scheduled) -> Vec<Step> {
        let term = self.term(position, part.dataflow).map(|term| scheduled_term(&term, part.place, part.step));
        term.filter(|term| self.contains(position, term))
            .map_or_else(Vec::new, |term| self.explain_term(position, &term))
    }

    fn explain_term(&mut self, position: usize, term: &RecExpr<Term>) -> Vec<Step> {
        let input = self.inputs.get(position);
        input.map_or_else(Vec::new, |input| explain_equality(&mut self.graph, input, term))
    }
}
