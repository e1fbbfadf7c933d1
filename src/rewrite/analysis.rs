//! What egg keeps for each e-class: its constant, its free indices; and the folding of direction lists.
//!
//! In: e-nodes. Out: [`Facts`]; a node `(nulls s g)`, `(signs s k)` or `(axes s)` is made equal to its list
//! `(dir d1 (dir d2 end))`, and `(offset s X g)` to its direction, under the name `fold-directions`. Invariant: a class never holds two different leaves. A rule that breaks this is
//! unsound; the analysis notes the leaves, and saturation stops with a message.

use super::context::Context;
use super::definitions::folded_element;
use super::language::{AccessText, DirectionText, Literal, Term};
use super::monoid::FOLD_PART;
use egg::{Analysis, DidMerge, EGraph, Id, Justification, Language, Symbol};
use std::collections::BTreeSet;
use std::sync::{Arc, LazyLock, Mutex, PoisonError};

/// The e-graph of fields.
pub type Graph = EGraph<Term, FieldAnalysis>;

/// The name under which explanations show the folding of directions.
pub const FOLD_DIRECTIONS: &str = "fold-directions";

/// The name under which explanations show that how many values an index takes is a form.
pub const FOLD_COUNT: &str = "fold-count";

/// The name under which explanations show what an equation says of an element.
pub const FOLD_DEFINITION: &str = "fold-definition";

/// The name under which explanations show that a form stands in place of an index.
pub const FOLD_PICK: &str = "fold-pick";

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
        // Runs at every union: most nodes have nothing to fold, and a class that has been folded is left alone.
        match graph.id_to_node(id) {
            Term::Reduce(_) => return fold_parts(graph, id),
            Term::Nulls(_) | Term::Signs(_) | Term::Axes(_) | Term::Count(_) | Term::Offset(_) => {}
            _ => return,
        }
        if graph[id]
            .nodes
            .iter()
            .any(|node| matches!(node, Term::Dir(_) | Term::End | Term::Direction(_) | Term::Index(_)))
        {
            return;
        }
        let Some(folded) = fold(graph, id) else { return };
        if graph.find(id) != graph.find(folded) {
            let name = fold_name(graph.id_to_node(id));
            graph.union_trusted(id, folded, name);
        }
    }
}

/// The name under which explanations show that a node is folded.
fn fold_name(node: &Term) -> &'static str {
    match node {
        Term::Count(_) => FOLD_COUNT,
        Term::Defined(_) => FOLD_DEFINITION,
        Term::Pick(_) => FOLD_PICK,
        _ => FOLD_DIRECTIONS,
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
        Term::Count([_, index]) => {
            let access = context.frame.count_access(name_of(graph, index)?)?;
            let access = graph.add_uncanonical(Term::Access(access));
            Some(graph.add_uncanonical(Term::Index(access)))
        }
        Term::Offset([space, tensor, access]) => {
            let (space, tensor) = (name_of(graph, space)?, name_of(graph, tensor)?);
            let direction = context.offset(space, tensor, access_of(graph, access)?)?;
            Some(graph.add_uncanonical(Term::Direction(direction)))
        }
        node @ (Term::Defined(_) | Term::Pick(_)) => {
            let term = folded_element(graph, &node)?;
            Some(graph.add_expr_uncanonical(&term))
        }
        _ => None,
    }
}

/// Makes each component of a reduction by a declared monoid that is a reduction of its own equal to it.
fn fold_parts(graph: &mut Graph, id: Id) {
    let Term::Reduce([space, operator, index, tuple]) = *graph.id_to_node(id) else { return };
    let Some(name) = name_of(graph, operator).filter(|name| graph.analysis.context.monoid(*name).is_some()) else {
        return;
    };
    let context = Arc::clone(&graph.analysis.context);
    let Some(monoid) = context.monoid(name) else { return };
    add_parts(graph, tuple, monoid.width());
    let Some(arguments) = components(graph, tuple, monoid.width()) else { return };
    for component in 0..monoid.width() {
        let Some((operator, argument)) = monoid.alone(component) else { continue };
        let number = graph.add_uncanonical(Term::Number(Literal::new(component as f64)));
        let part = graph.add_uncanonical(Term::Part([number, id]));
        let operator = graph.add_uncanonical(Term::operator(operator));
        let own = graph.add_uncanonical(Term::Reduce([space, operator, index, arguments[argument]]));
        if graph.find(part) != graph.find(own) {
            graph.union_trusted(part, own, FOLD_PART);
        }
    }
}

/// A tuple that is a reduction of tuples itself has its components by their numbers.
fn add_parts(graph: &mut Graph, tuple: Id, width: usize) {
    let is_reduced = graph[tuple].nodes.iter().any(|node| matches!(node, Term::Reduce(_)));
    if width == 1 || !is_reduced || components(graph, tuple, width).is_some() {
        return;
    }
    for component in 0..width {
        let number = graph.add_uncanonical(Term::Number(Literal::new(component as f64)));
        graph.add_uncanonical(Term::Part([number, tuple]));
    }
}

/// The component of a tuple with this number, where the e-graph has a class for it.
pub fn part_of(graph: &Graph, tuple: Id, component: usize) -> Option<Id> {
    let number = graph.lookup(Term::Number(Literal::new(component as f64)))?;
    graph.lookup(Term::Part([number, graph.find(tuple)])).map(|id| graph.find(id))
}

/// The components of a tuple of this width; `None` where the class holds none.
pub fn components(graph: &Graph, tuple: Id, width: usize) -> Option<Vec<Id>> {
    if width == 1 {
        return Some(vec![graph.find(tuple)]);
    }
    let is_reduced = graph[graph.find(tuple)].nodes.iter().any(|node| matches!(node, Term::Reduce(_)));
    if is_reduced {
        return (0..width).map(|component| part_of(graph, tuple, component)).collect();
    }
    let pair = graph[graph.find(tuple)].nodes.iter().find_map(|node| match node {
        Term::Pair([first, rest]) => Some((*first, *rest)),
        _ => None,
    })?;
    let mut all = vec![graph.find(pair.0)];
    all.extend(components(graph, pair.1, width - 1)?);
    Some(all)
}

fn sliding_pairs(graph: &Graph, node: &Term) -> BTreeSet<(Symbol, Symbol)> {
    let frame = &graph.analysis.context.frame;
    match node {
        Term::Access(text) => frame.sliding(*text),
        _ if node.is_leaf() => frame.all_sliding(),
        // Within a reduction its index is another one.
        Term::Reduce([_, _, index, _])
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

fn add_list(graph: &mut Graph, directions: &[DirectionText]) -> Id {
    let mut list = graph.add_uncanonical(Term::End);
    for direction in directions.iter().rev() {
        let leaf = graph.add_uncanonical(Term::Direction(*direction));
        list = graph.add_uncanonical(Term::Dir([leaf, list]));
    }
    list
}

/// The indices on which the value of a node may depend, given those of its parts.
fn free_indices(graph: &Graph, node: &Term) -> BTreeSet<Symbol> {
    let context = &graph.analysis.context;
    let free = |id: Id| graph[id].data.free.iter().copied();
    let parts = || node.children().iter().flat_map(|child| free(*child));
    match node {
        Term::Access(text) => context.indices(*text).cloned().unwrap_or_else(|| words(text.0.as_str())),
        Term::Reduce([space, _, index, _])
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
