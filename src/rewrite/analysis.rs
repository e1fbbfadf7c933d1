//! What egg keeps for each e-class: its constant, its free indices; and the folding of direction lists.
//!
//! In: e-nodes. Out: [`Facts`]; a node `(nulls s g)` or `(signs s k)` is made equal to its list `(dir d1 (dir d2 end))`
//! under the name `fold-directions`. Invariant: a class never holds two different leaves. A rule that breaks this is
//! unsound; the analysis notes the leaves, and saturation stops with a message.

use super::context::Context;
use super::language::{DirectionText, Term};
use egg::{Analysis, DidMerge, EGraph, Id, Justification, Language, Symbol};
use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, PoisonError};

/// The e-graph of fields.
pub type Graph = EGraph<Term, FieldAnalysis>;

/// The name under which explanations show the folding of directions.
pub const FOLD_DIRECTIONS: &str = "fold-directions";

/// The analysis: the registry and the first contradiction that was met.
#[derive(Clone, Debug)]
pub struct FieldAnalysis {
    /// What names stand for.
    pub context: Arc<Context>,
    contradiction: Arc<Mutex<Option<Contradiction>>>,
}

/// Two different leaves that rules made equal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Contradiction {
    /// One leaf.
    pub one: Term,
    /// The other.
    pub other: Term,
}

/// What is known of an e-class.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Facts {
    /// The leaf in the class, if there is one.
    pub constant: Option<Term>,
    /// Indices on which the value may depend; an index that is not here is one it does not depend on.
    pub free: BTreeSet<Symbol>,
}

impl FieldAnalysis {
    /// An analysis over `context`.
    pub fn new(context: Arc<Context>) -> FieldAnalysis {
        FieldAnalysis { context, contradiction: Arc::new(Mutex::new(None)) }
    }

    /// The first contradiction met, if any.
    pub fn contradiction(&self) -> Option<Contradiction> {
        self.contradiction.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn note(&self, contradiction: Contradiction) {
        let mut slot = self.contradiction.lock().unwrap_or_else(PoisonError::into_inner);
        slot.get_or_insert(contradiction);
    }
}

/// The name that the class of `id` stands for, if it is a plain name.
pub fn name_of(graph: &Graph, id: Id) -> Option<Symbol> {
    match &graph[id].data.constant {
        Some(Term::Other(name, _)) => Some(*name),
        _ => None,
    }
}

impl Analysis<Term> for FieldAnalysis {
    type Data = Facts;

    fn make(graph: &mut Graph, node: &Term, _id: Id) -> Facts {
        Facts { constant: node.is_leaf().then(|| node.clone()), free: free_indices(graph, node) }
    }

    fn merge(&mut self, into: &mut Facts, from: Facts) -> DidMerge {
        let constant = egg::merge_option(&mut into.constant, from.constant, |_, _| DidMerge(false, false));
        let size = into.free.len();
        into.free.retain(|index| from.free.contains(index));
        constant | DidMerge(into.free.len() != size, into.free.len() != from.free.len())
    }

    fn pre_union(graph: &Graph, one: Id, other: Id, _reason: &Option<Justification>) {
        let constants = (&graph[one].data.constant, &graph[other].data.constant);
        let (Some(first), Some(second)) = constants else { return };
        if first != second {
            graph.analysis.note(Contradiction { one: first.clone(), other: second.clone() });
        }
    }

    fn modify(graph: &mut Graph, id: Id) {
        // Runs at every union: a class that already holds its list is left alone.
        if graph[id].nodes.iter().any(|node| matches!(node, Term::Dir(_) | Term::End)) {
            return;
        }
        let Some(directions) = folded_directions(graph, id) else { return };
        let list = add_list(graph, &directions);
        graph.union_trusted(id, list, FOLD_DIRECTIONS);
    }
}

/// The directions that the node first added as `id` folds to, if it is a folding node.
fn folded_directions(graph: &Graph, id: Id) -> Option<Vec<DirectionText>> {
    let context = &graph.analysis.context;
    match graph.id_to_node(id) {
        Term::Nulls([_, access]) => match graph[*access].data.constant {
            Some(Term::Access(text)) => context.nulls(text).map(<[_]>::to_vec),
            _ => None,
        },
        Term::Signs([_, index]) => context.signs(name_of(graph, *index)?).map(<[_]>::to_vec),
        _ => None,
    }
}

fn add_list(graph: &mut Graph, directions: &[DirectionText]) -> Id {
    let mut list = graph.add_uncanonical(Term::End);
    for direction in directions.iter().rev() {
        let leaf = graph.add_uncanonical(Term::Direction(*direction));
        list = graph.add_uncanonical(Term::Dir([leaf, list]));
    }
    list
}

fn free_indices(graph: &Graph, node: &Term) -> BTreeSet<Symbol> {
    if let Term::Access(text) = node {
        return graph.analysis.context.indices(*text).cloned().unwrap_or_default();
    }
    let mut free: BTreeSet<Symbol> =
        node.children().iter().flat_map(|child| graph[*child].data.free.iter().copied()).collect();
    if let Term::Reduce([_, _, index, _]) = node
        && let Some(bound) = name_of(graph, *index)
    {
        free.remove(&bound);
    }
    free
}
