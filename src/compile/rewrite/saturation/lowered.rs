//! The saturated e-graph of one space, and of all spaces of a system.
//!
//! In: a [`Space`] or a [`SpaceSystem`], and a [`RuleSet`]. Out: a [`Lowered`] or a [`LoweredSystem`]. One space is a system of
//! one: both are the same e-graph. Invariant: only whole equations are put in; the term of a reduction inside one gets a
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
pub struct LoweredSystem {
    /// What saturation did.
    pub report: Report,
    pub(crate) equations: Equations,
    pub(crate) graph: Graph,
    pub(crate) inputs: Vec<RecExpr<Term>>,
}

impl LoweredSystem {
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

/// The e-graph of every lowered form of a space.
pub struct Lowered {
    /// What saturation did.
    pub report: Report,
    pub(crate) system: LoweredSystem,
}

impl Lowered {
    fn alone(system: LoweredSystem) -> Lowered {
        Lowered { report: system.report.clone(), system }
    }

    /// The space that was lowered.
    pub fn space(&self) -> &Space {
        &self.system.equations.spaces[0]
    }

    /// The term that saturation started with.
    pub fn input(&self) -> &RecExpr<Term> {
        &self.system.inputs[0]
    }

    /// Whether `term` was found to be equal to the input.
    pub fn contains(&self, term: &RecExpr<Term>) -> bool {
        self.system.contains(0, term)
    }
}

/// Runs `rules` on the term of `space` within `limits`.
///
/// # Errors
///
/// Fibres that are not lines, coefficients beyond [`MAX_COEFFICIENTS`](crate::rewrite::MAX_COEFFICIENTS), and a rule that makes two different leaves
/// equal. Reaching a limit is no error: [`Report::stop`] says so, and what has been found until then is still right.
pub fn saturate(space: &Space, rules: &RuleSet, limits: &Limits) -> Checked<Lowered> {
    check_space(space)?;
    saturate_equations(Equations::of_space(space), rules, limits).map(Lowered::alone)
}

/// Runs `rules` on the terms of all equations of `system` in one e-graph; see [`saturate`].
///
/// # Errors
///
/// Those of [`saturate`], for each space.
pub fn saturate_system(system: &SpaceSystem, rules: &RuleSet, limits: &Limits) -> Checked<LoweredSystem> {
    let wrong: Diagnostics = system.spaces.iter().filter_map(|space| check_space(space).err()).flatten().collect();
    if !wrong.is_empty() {
        return Err(wrong);
    }
    saturate_equations(Equations::of_system(system), rules, limits)
}

/// Runs `rules` on any term over the names of `space`; see [`saturate`].
///
/// # Errors
///
/// A rule that makes two different leaves equal.
pub fn saturate_term(space: &Space, input: RecExpr<Term>, rules: &RuleSet, limits: &Limits) -> Checked<Lowered> {
    saturate_alone(Equations::of_space(space), input, rules, limits).map(Lowered::alone)
}

/// Runs `rules` on any term over the names of `system`, which then stands for the input of its first space.
///
/// # Errors
///
/// A rule that makes two different leaves equal.
pub fn saturate_system_term(
    system: &SpaceSystem,
    input: RecExpr<Term>,
    rules: &RuleSet,
    limits: &Limits,
) -> Checked<LoweredSystem> {
    saturate_alone(Equations::of_system(system), input, rules, limits)
}

fn saturate_alone(
    equations: Equations,
    input: RecExpr<Term>,
    rules: &RuleSet,
    limits: &Limits,
) -> Checked<LoweredSystem> {
    let start = Start { term: &input, result: None };
    let (report, graph) = saturate_terms(Context::new(&equations), &[start], rules, limits)?;
    Ok(LoweredSystem { report, equations, graph, inputs: vec![input] })
}

fn saturate_equations(equations: Equations, rules: &RuleSet, limits: &Limits) -> Checked<LoweredSystem> {
    let inputs: Vec<RecExpr<Term>> = equations.spaces.iter().map(|space| equation_term(&equations, space)).collect();
    let spaces = equations.spaces.iter().zip(&inputs);
    let starts: Vec<Start> = spaces
        .filter(|(space, _)| equations.is_whole(space))
        .map(|(space, term)| Start { term, result: reads_itself(space).then(|| result_term(space)) })
        .collect();
    let (report, graph) = saturate_terms(Context::new(&equations), &starts, rules, limits)?;
    Ok(LoweredSystem { report, equations, graph, inputs })
}

/// Whether a point of the space reads what one at a constant distance writes.
fn reads_itself(space: &Space) -> bool {
    space.operands.iter().any(|operand| own_offset(space, operand).is_some())
}
