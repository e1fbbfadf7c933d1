//! Saturation: runs the rules until nothing new is learnt.
//!
//! In: a [`Space`] and a [`RuleSet`]. Out: a [`Lowered`], whose e-graph holds every lowered form the rules reach.
//! Invariant: limits count iterations and e-nodes, never time, so the same input gives the same graph.
//! Paper: Cyclotron section 8.

use super::analysis::{Contradiction, FieldAnalysis, Graph};
use super::context::Context;
use super::input::{check_space, input_term};
use super::language::Term;
use super::rules::RuleSet;
use super::step::{Step, explain_equality};
use crate::diagnostic::{Checked, Diagnostic};
use crate::recurrence::Space;
use egg::{Id, RecExpr, Rewrite, Runner, SimpleScheduler, StopReason};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// When to give up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Rounds of all rules.
    pub iterations: usize,
    /// E-nodes.
    pub nodes: usize,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits { iterations: 100, nodes: 100_000 }
    }
}

/// What saturation did.
#[derive(Clone, Debug, PartialEq)]
pub struct Report {
    /// E-nodes at the end.
    pub nodes: usize,
    /// E-classes at the end.
    pub classes: usize,
    /// Rounds of all rules.
    pub iterations: usize,
    /// Why it stopped: `Saturated`, `NodeLimit`, `IterationLimit`.
    pub stop: String,
    /// How often each rule taught something new, in the order of their names; rules that never did are left out.
    pub fired: BTreeMap<String, usize>,
    /// Time taken, in seconds.
    pub seconds: f64,
}

impl Report {
    /// Whether the rules had nothing left to say.
    pub fn is_saturated(&self) -> bool {
        self.stop == "Saturated"
    }
}

/// The e-graph of every lowered form of a space.
pub struct Lowered {
    /// What saturation did.
    pub report: Report,
    pub(super) space: Space,
    pub(super) graph: Graph,
    pub(super) root: Id,
    pub(super) input: RecExpr<Term>,
}

impl Lowered {
    /// The space that was lowered.
    pub fn space(&self) -> &Space {
        &self.space
    }

    /// The term that saturation started with.
    pub fn input(&self) -> &RecExpr<Term> {
        &self.input
    }

    /// Whether `term` was found to be equal to the input.
    pub fn contains(&self, term: &RecExpr<Term>) -> bool {
        self.graph.lookup_expr(term).is_some_and(|id| self.graph.find(id) == self.graph.find(self.root))
    }
}

/// Runs `rules` on the term of `space` within `limits`.
///
/// # Errors
///
/// Fibres that are not lines, coefficients beyond [`super::MAX_COEFFICIENTS`], and a rule that makes two different leaves
/// equal. Reaching a limit is no error: [`Report::stop`] says so, and what has been found until then is still right.
pub fn saturate(space: &Space, rules: &RuleSet, limits: &Limits) -> Checked<Lowered> {
    check_space(space)?;
    saturate_term(space, input_term(space), rules, limits)
}

/// Runs `rules` on any term over the names of `space`; see [`saturate`].
///
/// # Errors
///
/// A rule that makes two different leaves equal.
pub fn saturate_term(space: &Space, input: RecExpr<Term>, rules: &RuleSet, limits: &Limits) -> Checked<Lowered> {
    let started = Instant::now();
    let mut runner = run(space, &input, rules, limits);
    if let Some(contradiction) = runner.egraph.analysis.contradiction() {
        return contradicted(&mut runner.egraph, &contradiction, rules).alone();
    }
    let report = Report {
        nodes: runner.egraph.total_number_of_nodes(),
        classes: runner.egraph.number_of_classes(),
        iterations: runner.iterations.len(),
        stop: stop_word(runner.stop_reason.as_ref()),
        fired: count_fired(&runner),
        seconds: started.elapsed().as_secs_f64(),
    };
    let root = runner.roots.first().map_or_else(Id::default, |root| runner.egraph.find(*root));
    Ok(Lowered { report, space: space.clone(), graph: runner.egraph, root, input })
}

fn run(space: &Space, input: &RecExpr<Term>, rules: &RuleSet, limits: &Limits) -> Runner<Term, FieldAnalysis> {
    let analysis = FieldAnalysis::new(Arc::new(Context::new(space)));
    let rewrites: Vec<&Rewrite<Term, FieldAnalysis>> = rules.rules().iter().map(|rule| &rule.rewrite).collect();
    Runner::new(analysis)
        .with_explanations_enabled()
        .with_iter_limit(limits.iterations)
        .with_node_limit(limits.nodes)
        .with_time_limit(Duration::MAX)
        .with_scheduler(SimpleScheduler)
        .with_hook(|runner| match runner.egraph.analysis.contradiction() {
            Some(_) => Err("Contradiction".to_owned()),
            None => Ok(()),
        })
        .with_expr(input)
        .run(rewrites)
}

fn count_fired(runner: &Runner<Term, FieldAnalysis>) -> BTreeMap<String, usize> {
    let mut fired = BTreeMap::new();
    for (rule, count) in runner.iterations.iter().flat_map(|iteration| &iteration.applied) {
        *fired.entry(rule.to_string()).or_insert(0) += count;
    }
    fired
}

fn stop_word(reason: Option<&StopReason>) -> String {
    match reason {
        Some(StopReason::Saturated) => "Saturated".to_owned(),
        Some(StopReason::IterationLimit(_)) => "IterationLimit".to_owned(),
        Some(StopReason::NodeLimit(_)) => "NodeLimit".to_owned(),
        Some(StopReason::TimeLimit(_)) => "TimeLimit".to_owned(),
        Some(StopReason::Other(text)) => text.clone(),
        None => "NotRun".to_owned(),
    }
}

/// Names the rules by whose proof the two leaves became equal.
fn contradicted(graph: &mut Graph, contradiction: &Contradiction, rules: &RuleSet) -> Diagnostic {
    let Contradiction { one, other } = contradiction;
    let leaf = |term: &Term| RecExpr::from(vec![term.clone()]);
    let names = distinct_rules(&explain_equality(graph, &leaf(one), &leaf(other)));
    let quoted: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
    let message = match quoted.as_slice() {
        [name] => format!("rule {name} makes `{one}` equal to `{other}`"),
        _ => format!("rules {} make `{one}` equal to `{other}`", quoted.join(" and ")),
    };
    let help = "two different leaves never stand for one field: a rule is unsound, or its condition too weak";
    let known = names.iter().filter_map(|name| rules.find(name));
    known.fold(Diagnostic::new(message).help(help), |diagnostic, rule| {
        diagnostic.note(format!("{}: `{}`: {}", rule.origin, rule.name, rule.law))
    })
}

fn distinct_rules(steps: &[Step]) -> Vec<String> {
    let names: BTreeSet<String> = steps.iter().map(|step| step.rule.clone()).collect();
    names.into_iter().collect()
}
