//! The steps of a proof that two terms are equal.
//!
//! In: an e-graph and two terms of one class. Out: [`Step`]s, each the name of a rule with the subterm it changed. Side
//! conditions belong to a rule and are not steps of their own.

use super::analysis::Graph;
use super::computed_nodes::FOLD_DIRECTIONS;
use crate::rewrite::terms::{AccessText, DirectionText, Term};
use egg::{FlatTerm, RecExpr, Symbol};
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
///
/// Direction lists and offsets are shown folded, so that unfolding one again, where the e-graph does so, is no step.
pub(crate) fn explain_equality(graph: &mut Graph, from: &RecExpr<Term>, to: &RecExpr<Term>) -> Vec<Step> {
    let mut explanation = graph.explain_equivalence(from, to);
    let flat = explanation.make_flat_explanation();
    let mut seen = BTreeSet::new();
    let steps = flat.windows(2).filter_map(|pair| changed(graph, &pair[0], &pair[1]));
    let steps = steps.filter(|step| !(step.backward && step.rule == FOLD_DIRECTIONS));
    steps.filter(|step| !seen.contains(&step.turned()) && seen.insert(step.clone())).collect()
}

/// The rewrite that leads from one flat term to the next, with the subterm at which it happened.
fn changed(graph: &Graph, before: &FlatTerm<Term>, after: &FlatTerm<Term>) -> Option<Step> {
    let backward = after.backward_rule.is_some();
    if let Some(rule) = after.forward_rule.or(after.backward_rule) {
        let (before, after) = (show(graph, before, None), show(graph, after, None));
        return Some(Step { rule: rule.to_string(), backward, before, after });
    }
    before.children.iter().zip(&after.children).find_map(|(before, after)| changed(graph, before, after))
}

/// A term as text, below the node `parent`; a folding node that is not at the top nor of that parent's own is folded.
fn show(graph: &Graph, term: &FlatTerm<Term>, parent: Option<&FlatTerm<Term>>) -> String {
    let folded = parent.filter(|parent| !is_own(parent, term)).and_then(|_| folded_text(graph, term));
    if let Some(folded) = folded {
        return folded;
    }
    if term.children.is_empty() {
        return term.node.to_string();
    }
    let children: Vec<String> = term.children.iter().map(|child| show(graph, child, Some(term))).collect();
    format!("({} {})", term.node, children.join(" "))
}

/// Whether `child` is the direction list with which the read or the reduction `parent` begins.
fn is_own(parent: &FlatTerm<Term>, child: &FlatTerm<Term>) -> bool {
    let same = |one: usize, other: usize| parent.children[one].node == child.children[other].node;
    match (&parent.node, &child.node) {
        (Term::Read(_), Term::Nulls(_)) => same(0, 0) && same(2, 1),
        (Term::Read(_), Term::Axes(_)) | (Term::Red(_), Term::Nulls(_) | Term::Signs(_)) => same(0, 0),
        _ => false,
    }
}

/// What a folding node folds to; `None` for other nodes.
fn folded_text(graph: &Graph, term: &FlatTerm<Term>) -> Option<String> {
    let context = &graph.analysis.context;
    let name = |child: usize| Symbol::from(term.children[child].node.to_string());
    match &term.node {
        Term::Nulls(_) => {
            let (space, heads) = face(&term.children[0])?;
            context.nulls(space, &heads, AccessText(name(1))).map(|list| list_text(&list))
        }
        Term::Axes(_) => {
            let (space, heads) = face(&term.children[0])?;
            context.axes(space, &heads).map(|list| list_text(&list))
        }
        Term::Signs(_) => context.signs(name(0), name(1)).map(list_text),
        Term::Offset(_) => context.offset(name(0), name(1), AccessText(name(2))).map(|direction| direction.to_string()),
        _ => None,
    }
}

/// The name of a space, with the directions whose heads are left of it.
fn face(term: &FlatTerm<Term>) -> Option<(Symbol, Vec<DirectionText>)> {
    let Term::Heads(_) = term.node else { return Some((Symbol::from(term.node.to_string()), vec![])) };
    let (name, mut heads) = face(term.children.first()?)?;
    let Term::Direction(along) = term.children.get(1)?.node else { return None };
    heads.push(along);
    Some((name, heads))
}

fn list_text(directions: &[DirectionText]) -> String {
    directions.iter().rev().fold("end".to_owned(), |rest, direction| format!("(dir {direction} {rest})"))
}
