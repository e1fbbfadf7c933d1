//! The saturated e-graph of all forms of a kernel's equations.
//!
//! In: terms over a [`Frame`], one for each equation that may be rewritten, and the rules of the algebra. Out: [`Forms`]. Laws of
//! algebra multiply terms, so limits end this where it does not saturate; what has been found until then is right.

use super::analysis::Graph;
use super::context::Context;
use super::frame::Frame;
use super::language::Term;
use super::rules::RuleSet;
use super::saturate::{Limits, Report, Start, saturate_terms};
use super::step::{Step, explain_equality};
use crate::diagnostic::Checked;
use egg::{Id, RecExpr};

/// The e-graph of every form of some terms.
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

    /// The steps from one term to another of its class.
    pub fn explain(&mut self, from: &RecExpr<Term>, to: &RecExpr<Term>) -> Vec<Step> {
        explain_equality(&mut self.graph, from, to)
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
