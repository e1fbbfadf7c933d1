//! The saturated e-graph of all forms of a kernel's equations.
//!
//! In: terms over a [`Frame`], one for each equation that may be rewritten, and the rules of the algebra. Out: [`Forms`]. Laws of
//! algebra multiply terms, so limits end this where it does not saturate; what has been found until then is right.

use super::analysis::Graph;
use super::saturate::{Limits, Report, Start, meet, saturate_terms};
use super::step::{Step, explain_equality};
use crate::rewrite::registry::{Context, Frame};
use crate::rewrite::rules::RuleSet;
use crate::rewrite::terms::Term;
use egg::{Id, RecExpr};
use systole_base::diagnostic::Checked;

/// The e-graph of every form of some terms.
#[derive(Clone, Debug)]
pub struct Forms {
    /// What saturation did.
    pub report: Report,
    /// The e-graph.
    pub graph: Graph,
    /// The terms that it started with.
    pub inputs: Vec<RecExpr<Term>>,
}

impl Forms {
    /// The class of a term that saturation started with; `None` beyond the last one.
    pub fn root(&self, position: usize) -> Option<Id> {
        self.inputs.get(position).and_then(|input| self.graph.lookup_expr(input)).map(|id| self.graph.find(id))
    }

    /// The steps from one term to another of its class. Explaining adds to the e-graph, so a copy of it is asked, lest the steps
    /// depend on what was explained before.
    pub fn explain(&self, from: &RecExpr<Term>, to: &RecExpr<Term>) -> Vec<Step> {
        explain_equality(&mut self.graph.clone(), from, to)
    }

    /// The fewest steps found from one term to another of its class: those of [`Forms::explain`], or fewer in an e-graph in which only
    /// rules of that chain run, and no longer than it takes both terms to meet. Rules that it can do without are left out.
    pub fn explain_briefly(&self, from: &RecExpr<Term>, to: &RecExpr<Term>, rules: &RuleSet) -> Vec<Step> {
        let mut best = self.explain(from, to);
        let context = &self.graph.analysis.context;
        let limits = Limits::of(self.report.iterations, self.report.nodes);
        let mut among = rules.clone().among(&best);
        let names: Vec<String> = among.rules().iter().map(|rule| rule.name.clone()).collect();
        for left_out in std::iter::once(None).chain(names.iter().map(Some)) {
            let fewer = left_out.map_or_else(|| among.clone(), |name| among.clone().without(name));
            let found = meet(context, [from, to], &fewer, &limits).filter(|steps| steps.len() < best.len());
            if let Some(steps) = found {
                (best, among) = (steps, fewer);
            }
        }
        best
    }
}

/// Runs `rules` on `inputs` within `limits`.
///
/// # Errors
/// A rule that makes two different leaves equal.
pub fn saturate_forms(frame: Frame, inputs: Vec<RecExpr<Term>>, rules: &RuleSet, limits: &Limits) -> Checked<Forms> {
    let starts: Vec<Start> = inputs.iter().map(|term| Start { term, result: None }).collect();
    let context = Context::of_frame(frame, rules.monoids());
    let (report, graph) = saturate_terms(context, &starts, rules, limits)?;
    Ok(Forms { report, graph, inputs })
}
