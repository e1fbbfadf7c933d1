//! What egg keeps for each e-class: its constant, its free indices; and the folding of direction lists.
//!
//! In: e-nodes. Out: [`Facts`]; a node `(nulls s g)`, `(signs s k)` or `(axes s)` is made equal to its list
//! `(dir d1 (dir d2 end))`, and `(offset s X g)` to its direction, under the name `fold-directions`. Invariant: a class never holds two different leaves. A rule that breaks this is
//! unsound; the analysis notes the leaves, and saturation stops with a message.

use super::context::Context;
use super::language::{AccessText, DirectionText, Term};
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

/// The access map that the class of `id` stands for.
pub fn access_of(graph: &Graph, id: Id) -> Option<AccessText> {
    match graph[id].data.constant {
        Some(Term::Access(text)) => Some(text),
        _ => None,
    }
}

/// The space that the class of `id` stands for: a whole one by its name, with the directions whose heads are left of it,
/// outermost first.
pub fn face_of(graph: &Graph, id: Id) -> Option<(Symbol, Vec<DirectionText>)> {
    if let Some(name) = name_of(graph, id) {
        return Some((name, vec![]));
    }
    let (space, along) = graph[id].nodes.iter().find_map(|node| match node {
        Term::Heads([space, along]) => Some((*space, *along)),
        _ => None,
    })?;
    let Some(Term::Direction(along)) = graph[along].data.constant else { return None };
    let (name, mut before) = face_of(graph, space)?;
    before.push(along);
    Some((name, before))
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
        // Runs at every union: a class that has been folded is left alone.
        if graph[id].nodes.iter().any(|node| matches!(node, Term::Dir(_) | Term::End | Term::Direction(_))) {
            return;
        }
        let Some(folded) = fold(graph, id) else { return };
        graph.union_trusted(id, folded, FOLD_DIRECTIONS);
    }
}

/// What the node first added as `id` folds to, if it is a folding node.
fn fold(graph: &mut Graph, id: Id) -> Option<Id> {
    let context = Arc::clone(&graph.analysis.context);
    match graph.id_to_node(id).clone() {
        Term::Nulls([space, access]) => {
            let (space, heads) = face_of(graph, space)?;
            let directions = context.nulls(space, &heads, access_of(graph, access)?)?;
            Some(add_list(graph, &directions))
        }
        Term::Signs([space, index]) => {
            let directions = context.signs(name_of(graph, space)?, name_of(graph, index)?)?;
            Some(add_list(graph, directions))
        }
        Term::Axes(space) => {
            let (space, heads) = face_of(graph, space)?;
            Some(add_list(graph, &context.axes(space, &heads)?))
        }
        Term::Offset([space, tensor, access]) => {
            let (space, tensor) = (name_of(graph, space)?, name_of(graph, tensor)?);
            let direction = context.offset(space, tensor, access_of(graph, access)?)?;
            Some(graph.add_uncanonical(Term::Direction(direction)))
        }
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
    let free = |id: Id| graph[id].data.free.iter().copied();
    match node {
        Term::Access(text) => graph.analysis.context.indices(*text).cloned().unwrap_or_default(),
        Term::Reduce([_, _, index, _]) => {
            let bound = name_of(graph, *index);
            node.children().iter().flat_map(|child| free(*child)).filter(|index| Some(*index) != bound).collect()
        }
        Term::Result(space) | Term::Head([space, _]) => face_of(graph, *space)
            .map(|(space, _)| graph.analysis.context.indices_of(space).collect())
            .unwrap_or_default(),
        // What is reduced speaks of the indices of another space.
        Term::Inner([_, _, access, _]) | Term::Handoff([_, _, _, access, _]) => free(*access).collect(),
        _ => node.children().iter().flat_map(|child| free(*child)).collect(),
    }
}
