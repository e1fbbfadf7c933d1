//! What egg keeps for each e-class: its constant and its free indices. What nodes fold to is the matter of `folding`.
//!
//! In: e-nodes. Out: [`Facts`]. Invariant: a class never holds two different leaves. A rule that breaks this is unsound; the analysis
//! notes the leaves, and saturation stops with a message.

use super::computed_nodes;
use crate::rewrite::registry::Context;
use crate::rewrite::terms::{AccessText, DirectionText, Term};
use egg::{Analysis, DidMerge, EGraph, Id, Justification, Language, Symbol};
use std::collections::BTreeSet;
use std::sync::{Arc, LazyLock, Mutex, PoisonError};

/// The e-graph of fields.
pub type Graph = EGraph<Term, FieldAnalysis>;

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
    /// Pairs of indices `(i, k)` of the frame such that the value is the same at `i + 1, k - 1`.
    pub sliding: BTreeSet<(Symbol, Symbol)>,
    /// Of how many terms it is a sum, and of how many factors a product, at least.
    pub widths: [usize; 2],
}

impl Facts {
    /// Of how many operands of `word`, `add` or `mul`, the value is made.
    pub fn width(&self, word: &str) -> usize {
        self.widths[usize::from(word == "mul")]
    }
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

/// The indices that a reduction over the class of `id` binds: one by its name, or those that stand in its place.
pub fn bound_indices(graph: &Graph, id: Id) -> Vec<Symbol> {
    if let Some(name) = name_of(graph, id) {
        return vec![name];
    }
    let several = graph[id].nodes.iter().find_map(|node| match node {
        Term::Both([first, second]) => Some(vec![*first, *second]),
        Term::Turned([index, _]) => Some(vec![*index]),
        _ => None,
    });
    several.into_iter().flatten().flat_map(|index| bound_indices(graph, index)).collect()
}

/// Whether a reduction over the class of `id` binds indices, all of which fit.
pub fn all_bound(graph: &Graph, id: Id, fits: &dyn Fn(Symbol) -> bool) -> bool {
    // Most often there is one, and rules ask all the time.
    name_of(graph, id).map_or_else(
        || {
            let several = bound_indices(graph, id);
            !several.is_empty() && several.into_iter().all(fits)
        },
        fits,
    )
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
        let constant = node.is_leaf().then(|| node.clone());
        Facts {
            constant,
            free: free_indices(graph, node),
            sliding: sliding_pairs(graph, node),
            widths: widths(graph, node),
        }
    }

    fn merge(&mut self, into: &mut Facts, from: Facts) -> DidMerge {
        let constant = egg::merge_option(&mut into.constant, from.constant, |_, _| DidMerge(false, false));
        let size = into.free.len();
        into.free.retain(|index| from.free.contains(index));
        let pairs = into.sliding.len();
        let (fewer, known) = (into.free.len() != size, from.sliding.len());
        into.sliding.extend(from.sliding);
        let narrower = [0, 1].map(|word| from.widths[word].min(into.widths[word]));
        let wider = from.widths != narrower;
        let more = into.sliding.len() != pairs || into.widths != narrower;
        into.widths = narrower;
        constant | DidMerge(fewer || more, into.free.len() != from.free.len() || into.sliding.len() != known || wider)
    }

    fn pre_union(graph: &Graph, one: Id, other: Id, _reason: &Option<Justification>) {
        let constants = (&graph[one].data.constant, &graph[other].data.constant);
        let (Some(first), Some(second)) = constants else { return };
        if first != second {
            graph.analysis.note(Contradiction { one: first.clone(), other: second.clone() });
        }
    }

    fn modify(graph: &mut Graph, id: Id) {
        computed_nodes::modify(graph, id);
    }
}

fn sliding_pairs(graph: &Graph, node: &Term) -> BTreeSet<(Symbol, Symbol)> {
    let frame = &graph.analysis.context.frame;
    match node {
        Term::Access(text) => frame.sliding(*text),
        _ if node.is_leaf() => frame.all_sliding(),
        // Within a reduction its index is another one.
        Term::Reduce([_, _, index, _])
        | Term::Where([_, _, index, ..])
        | Term::Count([_, index])
        | Term::Running([_, _, index, _])
        | Term::Paired([_, _, index, _]) => {
            let bound = bound_indices(graph, *index);
            let mut inside = of_children(graph, node);
            let fixed: BTreeSet<Symbol> = bound.iter().flat_map(|index| frame.range_depends(*index)).collect();
            inside.retain(|(one, other)| {
                ![one, other].iter().any(|index| bound.contains(index) || fixed.contains(index))
            });
            inside
        }
        // What slides before may not where one index is fixed.
        Term::Pick(_) => BTreeSet::new(),
        _ => of_children(graph, node),
    }
}

/// The functions whose operands [`Facts::widths`] counts.
static SUMS_AND_PRODUCTS: LazyLock<[Symbol; 2]> = LazyLock::new(|| ["add", "mul"].map(Symbol::from));

/// Of how many terms and factors a node is made.
fn widths(graph: &Graph, node: &Term) -> [usize; 2] {
    [0, 1].map(|place| match node {
        Term::Other(name, children) if *name == SUMS_AND_PRODUCTS[place] => {
            children.iter().map(|child| graph[*child].data.widths[place]).sum()
        }
        _ => 1,
    })
}

/// The pairs that slide in all children.
fn of_children(graph: &Graph, node: &Term) -> BTreeSet<(Symbol, Symbol)> {
    let mut children = node.children().iter().map(|child| &graph[*child].data.sliding);
    let first = children.next().cloned().unwrap_or_default();
    children.fold(first, |pairs, other| pairs.intersection(other).copied().collect())
}

/// The indices on which the value of a node may depend, given those of its parts.
fn free_indices(graph: &Graph, node: &Term) -> BTreeSet<Symbol> {
    let context = &graph.analysis.context;
    let free = |id: Id| graph[id].data.free.iter().copied();
    let parts = || node.children().iter().flat_map(|child| free(*child));
    match node {
        Term::Access(text) => context.indices(*text).cloned().unwrap_or_else(|| words(text.0.as_str())),
        Term::Reduce([space, _, index, _])
        | Term::Where([space, _, index, ..])
        | Term::Running([space, _, index, _])
        | Term::Paired([space, _, index, _])
        | Term::Sliding([space, index, _])
        | Term::Count([space, index]) => {
            let bound = bound_indices(graph, *index);
            let fixed = bound.iter().flat_map(|index| context.frame.range_depends(*index));
            let space = name_of(graph, *space);
            let range = bound.iter().filter_map(|index| Some(context.beside(space?, *index))).flatten();
            let mut all = of_parts(graph, node);
            all.extend(fixed.chain(range));
            all.retain(|index| !bound.contains(index));
            all
        }
        Term::Pick([_, index, form, value]) => {
            let bound = bound_indices(graph, *index);
            free(*value).filter(|index| !bound.contains(index)).chain(free(*form)).collect()
        }
        // What is reduced speaks of the indices of another space.
        Term::Inner([_, _, access, _]) | Term::Handoff([_, _, _, access, _]) => free(*access).collect(),
        // What looks at other points is another thing where there are none, whatever it looks at.
        Term::Result(space)
        | Term::Head([space, _])
        | Term::Shift([space, ..])
        | Term::Recv([space, ..])
        | Term::Load([space, ..])
        | Term::Xfer([space, ..])
        | Term::Fby([space, ..])
        | Term::Acc([space, ..])
        | Term::Last([space, ..])
        | Term::Red([space, ..]) => parts().chain(all_indices(graph, *space)).collect(),
        Term::Read([space, ..]) | Term::Stream([space, ..]) if name_of(graph, *space).is_none() => {
            parts().chain(all_indices(graph, *space)).collect()
        }
        _ => of_parts(graph, node),
    }
}

/// The free indices of all children.
fn of_parts(graph: &Graph, node: &Term) -> BTreeSet<Symbol> {
    let mut parts = node.children().iter().map(|child| &graph[*child].data.free).filter(|free| !free.is_empty());
    let mut all = parts.next().cloned().unwrap_or_default();
    parts.for_each(|free| all.extend(free));
    all
}

/// The indices of the space that a class stands for.
fn all_indices(graph: &Graph, space: Id) -> BTreeSet<Symbol> {
    let known = face_of(graph, space).map(|(space, _)| graph.analysis.context.indices_of(space).collect());
    known.unwrap_or_default()
}

/// The names in an access that no space has: more than it depends on, where some are sizes.
fn words(text: &str) -> BTreeSet<Symbol> {
    let words = text.split(|c: char| !(c.is_alphanumeric() || "_.'".contains(c)));
    words.filter(|word| word.starts_with(|c: char| c.is_alphabetic() || c == '_')).map(Symbol::from).collect()
}
