//! The saturated e-graph of all spaces of a system.
//!
//! In: a [`SpaceSystem`] and a [`RuleSet`]. Out: a [`Lowered`]. Invariant: only whole equations are put in; the term of a reduction inside one gets a
//! space of its own by `outer-send` alone. Paper: Cyclotron section 8.

use super::analysis::Graph;
use super::saturate::{Limits, Report, Start, saturate_terms};
use crate::rewrite::dataflows::{check_space, equation_term, result_term};
use crate::rewrite::registry::{Context, Equations, own_offset};
use crate::rewrite::rules::RuleSet;
use crate::rewrite::terms::Term;
use egg::RecExpr;
use systole_base::diagnostic::{Checked, Diagnostics};
use systole_equations::recurrence::Space;
use systole_equations::recurrence::spaces::SpaceSystem;

/// The e-graph of every lowered form of all spaces of a system.
pub struct Lowered {
    /// What saturation did.
    pub report: Report,
    pub(crate) equations: Equations,
    pub(crate) graph: Graph,
    pub(crate) inputs: Vec<RecExpr<Term>>,
}

impl Lowered {
    /// The spaces, in the order of the system.
    pub fn spaces(&self) -> &[Space] {
        &self.equations.spaces
    }

    /// The term that says what the space at `position` computes; `None` beyond the last one.
    pub fn input(&self, position: usize) -> Option<&RecExpr<Term>> {
        self.inputs.get(position)
    }

    /// Whether `term` was found to be equal to what the space at `position` computes.
    pub fn contains(&self, position: usize, term: &RecExpr<Term>) -> bool {
        let class = |term: &RecExpr<Term>| self.graph.lookup_expr(term).map(|id| self.graph.find(id));
        let root = self.input(position).and_then(class);
        root.is_some() && root == class(term)
    }
}

/// Runs `rules` on the terms of all equations of `system` in one e-graph, within `limits`.
///
/// # Errors
///
/// Fibres that are not lines, coefficients beyond [`MAX_COEFFICIENTS`](crate::rewrite::MAX_COEFFICIENTS), for each space; and a
/// rule that makes two different leaves equal. Reaching a limit is no error: [`Report::stop`] says so, and what has been found
/// until then is still right.
pub fn saturate(system: &SpaceSystem, rules: &RuleSet, limits: &Limits) -> Checked<Lowered> {
    let wrong: Diagnostics = system.spaces.iter().filter_map(|space| check_space(space).err()).flatten().collect();
    if !wrong.is_empty() {
        return Err(wrong);
    }
    saturate_equations(Equations::of_system(system), rules, limits)
}

/// Runs `rules` on any term over the names of `system`, which then stands for the input of its first space.
///
/// # Errors
///
/// A rule that makes two different leaves equal.
pub fn saturate_term(system: &SpaceSystem, input: RecExpr<Term>, rules: &RuleSet, limits: &Limits) -> Checked<Lowered> {
    let (equations, start) = (Equations::of_system(system), Start { term: &input, result: None });
    let (report, graph) = saturate_terms(Context::new(&equations), &[start], rules, limits)?;
    Ok(Lowered { report, equations, graph, inputs: vec![input] })
}

fn saturate_equations(equations: Equations, rules: &RuleSet, limits: &Limits) -> Checked<Lowered> {
    let inputs: Vec<RecExpr<Term>> = equations.spaces.iter().map(|space| equation_term(&equations, space)).collect();
    let spaces = equations.spaces.iter().zip(&inputs);
    let starts: Vec<Start> = spaces
        .filter(|(space, _)| equations.is_whole(space))
        .map(|(space, term)| Start { term, result: reads_itself(space).then(|| result_term(space)) })
        .collect();
    let (report, graph) = saturate_terms(Context::new(&equations), &starts, rules, limits)?;
    Ok(Lowered { report, equations, graph, inputs })
}

/// Whether a point of the space reads what one at a constant distance writes.
fn reads_itself(space: &Space) -> bool {
    space.operands.iter().any(|operand| own_offset(space, operand).is_some())
}
