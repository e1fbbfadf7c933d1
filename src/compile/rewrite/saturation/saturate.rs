//! Saturation: runs the rules until nothing new is learnt.
//!
//! In: terms, the [`Context`] of their names, and a [`RuleSet`]. Out: one e-graph that holds every lowered form the rules reach.
//! Invariant: limits count iterations and e-nodes, so the same input gives the same graph; a limit of time has to be asked for, and the
//! stop reason says where it struck.
//! Paper: Cyclotron section 8.

use super::analysis::{Contradiction, FieldAnalysis, Graph};
use super::fresh::Fresh;
use super::step::{Step, explain_equality};
use crate::rewrite::registry::Context;
use crate::rewrite::rules::RuleSet;
use crate::rewrite::terms::Term;
use egg::{RecExpr, Rewrite, Runner, StopReason};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::{Duration, Instant};
use systole_base::diagnostic::{Checked, Diagnostic};

/// The name under which explanations say that a space's result is what its term computes.
pub const DEFINE_RESULT: &str = "define-result";

/// When to give up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Rounds of all rules.
    pub iterations: usize,
    /// E-nodes.
    pub nodes: usize,
    /// How long it may take.
    pub time: Duration,
}

impl Limits {
    /// So many rounds and e-nodes, however long they take.
    pub const fn of(iterations: usize, nodes: usize) -> Limits {
        Limits { iterations, nodes, time: Duration::MAX }
    }
}

impl Default for Limits {
    fn default() -> Limits {
        Limits::of(100, 100_000)
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
    /// Why it stopped: `Saturated`, `NodeLimit`, `IterationLimit`, `TimeLimit`.
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

    /// Why it stopped, in words.
    pub fn stop_text(&self) -> String {
        match self.stop.as_str() {
            "NodeLimit" => "stopped by the limit of e-nodes".to_owned(),
            "IterationLimit" => "stopped by the limit of rounds".to_owned(),
            "TimeLimit" => "stopped by the limit of time".to_owned(),
            word => word.to_lowercase(),
        }
    }
}

/// A term that saturation starts with.
pub(super) struct Start<'a> {
    /// What a space computes.
    pub term: &'a RecExpr<Term>,
    /// Its name, where the space reads its own results.
    pub result: Option<RecExpr<Term>>,
}

/// Runs `rules` on the terms of `starts`, over the names of `context`, until nothing new is learnt.
///
/// # Errors
///
/// A rule that makes two different leaves equal.
pub(super) fn saturate_terms(
    context: Context,
    starts: &[Start],
    rules: &RuleSet,
    limits: &Limits,
) -> Checked<(Report, Graph)> {
    let started = Instant::now();
    let analysis = FieldAnalysis::new(Arc::new(context));
    let mut runner = run(start_graph(analysis, starts), rules, limits, |_| false);
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
    Ok((report, runner.egraph))
}

/// The steps between two terms, by `rules` alone, from an e-graph that grows no further than until they meet; `None` where they do not.
pub(super) fn meet(
    context: &Arc<Context>,
    [from, to]: [&RecExpr<Term>; 2],
    rules: &RuleSet,
    limits: &Limits,
) -> Option<Vec<Step>> {
    let starts = [from, to].map(|term| Start { term, result: None });
    let graph = start_graph(FieldAnalysis::new(Arc::clone(context)), &starts);
    let ends = [graph.lookup_expr(from)?, graph.lookup_expr(to)?];
    let has_met = move |graph: &Graph| graph.find(ends[0]) == graph.find(ends[1]);
    let mut runner = run(graph, rules, limits, has_met);
    has_met(&runner.egraph).then(|| explain_equality(&mut runner.egraph, from, to))
}

fn start_graph(analysis: FieldAnalysis, starts: &[Start]) -> Graph {
    let mut graph = Graph::new(analysis).with_explanations_enabled();
    for start in starts {
        let root = graph.add_expr(start.term);
        if let Some(result) = &start.result {
            let result = graph.add_expr(result);
            graph.union_trusted(root, result, DEFINE_RESULT);
        }
    }
    for term in Arc::clone(&graph.analysis.context).frame.foldable() {
        graph.add_expr(&term);
    }
    graph.rebuild();
    graph
}

/// Runs `rules` until nothing new is learnt, a limit is reached, or nobody wants to know more.
fn run(
    graph: Graph,
    rules: &RuleSet,
    limits: &Limits,
    is_enough: impl Fn(&Graph) -> bool + 'static,
) -> Runner<Term, FieldAnalysis> {
    let analysis = graph.analysis.clone();
    let rewrites: Vec<&Rewrite<Term, FieldAnalysis>> = rules.rules().iter().map(|rule| &rule.rewrite).collect();
    let fresh = Fresh::new(rules, &analysis.context, limits);
    Runner::new(analysis)
        .with_egraph(graph)
        .with_iter_limit(limits.iterations)
        .with_node_limit(limits.nodes)
        .with_time_limit(limits.time)
        .with_scheduler(fresh)
        .with_hook(move |runner| match runner.egraph.analysis.contradiction() {
            Some(_) => Err("Contradiction".to_owned()),
            None if is_enough(&runner.egraph) => Err("Enough".to_owned()),
            None => Ok(()),
        })
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
