//! The conditions that rules may ask for, by name.
//!
//! In: the e-graph and the classes bound to a rule's variables. Out: yes or no. Invariant: a predicate looks only at
//! facts that further unions cannot change from yes to no: leaves, the registry, and free indices, which only get fewer.

use super::frame_predicates::{
    apart, countable, counts, earlier, filled, grows, has_growing, has_sliding, has_two, picks, slides, swapped, two,
    written,
};
use crate::rewrite::registry::Context;
use crate::rewrite::saturation::{Graph, access_of, all_bound, face_of, name_of};
use crate::rewrite::terms::{Literal, Term};
use egg::Id;
use systole_equations::recurrence::Operator;

/// A named condition.
#[derive(Clone, Copy, Debug)]
pub struct Predicate {
    /// The word for it in rules.
    pub name: &'static str,
    /// How many arguments it takes.
    pub arity: usize,
    /// What it says, in one sentence.
    pub meaning: &'static str,
    /// Whether it holds.
    pub holds: fn(&Graph, &[Id]) -> bool,
    /// Whether it may hold of anything, by what names stand for alone: rules that need one that may not are never tried.
    pub may_hold: fn(&Context) -> bool,
}

/// The most arguments that a condition takes.
pub(super) const MOST_ARGUMENTS: usize = 4;

/// A condition that may hold of something whatever names stand for.
const fn predicate(
    name: &'static str,
    arity: usize,
    meaning: &'static str,
    holds: fn(&Graph, &[Id]) -> bool,
) -> Predicate {
    Predicate { name, arity, meaning, holds, may_hold: |_| true }
}

/// All conditions.
pub const PREDICATES: &[Predicate] = &[
    predicate("input", 1, "the tensor is given by the user", input),
    predicate("produced", 1, "some space computes the tensor, or it is known", produced),
    predicate("nullary", 1, "the access is the same at all points", nullary),
    predicate("whole", 1, "the space is a whole one, not the heads of another", whole),
    predicate(
        "reused",
        3,
        "on the heads of the space along the direction the access still has a direction of reuse",
        reused,
    ),
    predicate("extended", 1, "the points of the space differ in some index", extended),
    predicate("number", 1, "the term is a literal number", number),
    predicate("free_of", 2, "the value does not depend on the index", free_of),
    predicate("differ", 2, "the two are different leaves", differ),
    predicate(
        "boxed",
        2,
        "in the space, the range of the index depends on no other reduction index, nor theirs on it",
        boxed,
    ),
    predicate("independent", 3, "in the space, the range of neither reduction index depends on the other", independent),
    predicate("uniform", 3, "a point of the space reads what the point at a constant distance writes", uniform),
    predicate("counts", 3, "in the frame, the index starts from 0 and the access is the index itself", counts),
    predicate("countable", 2, "in the frame, how many values the index takes is one form", countable),
    Predicate {
        may_hold: has_two,
        ..predicate("two", 2, "in the frame, the index takes two values, whatever the sizes are", two)
    },
    predicate("filled", 2, "in the frame, the index has a value whatever the sizes and the other indices are", filled),
    Predicate {
        may_hold: has_growing,
        ..predicate(
            "grows",
            3,
            "the range of the index grows by one value with another one on which the term does not depend",
            grows,
        )
    },
    Predicate {
        may_hold: has_sliding,
        ..predicate(
            "slides",
            3,
            "the term is the same one step further along another index and one step back along this one",
            slides,
        )
    },
    predicate("swapped", 3, "the exchange of two indices of one axis makes one access of the other", swapped),
    predicate("commutes", 1, "the order of what the operator combines does not matter", commutes),
    predicate(
        "written",
        2,
        "in the frame, the tensor needs itself, and what its equation says of this element is written out",
        written,
    ),
    predicate(
        "earlier",
        2,
        "in the frame, the element comes before that which the tensor's equation is about, whatever the sizes are",
        earlier,
    ),
    predicate(
        "picks",
        4,
        "in the frame, the second form is the index, and the first is always one of its values",
        picks,
    ),
    predicate("shifted", 1, "the term is a difference to its own maximum, over whatever indices", shifted),
    predicate("few", 3, "the three together are few enough terms, or factors, to try them in every order", few),
    predicate("apart", 2, "neither index occurs in the range of the other", apart),
];

/// The predicate that `word` names.
pub fn find(word: &str) -> Option<&'static Predicate> {
    PREDICATES.iter().find(|predicate| predicate.name == word)
}

fn input(graph: &Graph, arguments: &[Id]) -> bool {
    let [tensor] = arguments else { return false };
    name_of(graph, *tensor).is_some_and(|name| graph.analysis.context.is_input(name))
}

fn produced(graph: &Graph, arguments: &[Id]) -> bool {
    let [tensor] = arguments else { return false };
    name_of(graph, *tensor).is_some_and(|name| graph.analysis.context.is_produced(name))
}

fn nullary(graph: &Graph, arguments: &[Id]) -> bool {
    let [access] = arguments else { return false };
    access_of(graph, *access).is_some_and(|text| graph.analysis.context.is_nullary(text))
}

fn whole(graph: &Graph, arguments: &[Id]) -> bool {
    let [space] = arguments else { return false };
    name_of(graph, *space).is_some()
}

fn extended(graph: &Graph, arguments: &[Id]) -> bool {
    let axes = |space: Id| {
        let (space, heads) = face_of(graph, space)?;
        graph.analysis.context.axes(space, &heads)
    };
    matches!(arguments, [space] if axes(*space).is_some_and(|axes| !axes.is_empty()))
}

fn reused(graph: &Graph, arguments: &[Id]) -> bool {
    let [space, along, access] = arguments else { return false };
    let (Some((space, mut heads)), Some(access)) = (face_of(graph, *space), access_of(graph, *access)) else {
        return false;
    };
    let Some(Term::Direction(along)) = graph[*along].data.constant else { return false };
    heads.push(along);
    let context = &graph.analysis.context;
    let list =
        if context.is_nullary(access) { context.axes(space, &heads) } else { context.nulls(space, &heads, access) };
    list.is_some_and(|directions| !directions.is_empty())
}

fn number(graph: &Graph, arguments: &[Id]) -> bool {
    let [term] = arguments else { return false };
    matches!(graph[*term].data.constant, Some(Term::Number(_)))
}

fn free_of(graph: &Graph, arguments: &[Id]) -> bool {
    let [index, term] = arguments else { return false };
    let free = &graph[*term].data.free;
    all_bound(graph, *index, &|index| !free.contains(&index))
}

fn differ(graph: &Graph, arguments: &[Id]) -> bool {
    let [one, other] = arguments else { return false };
    let constants = (&graph[*one].data.constant, &graph[*other].data.constant);
    matches!(constants, (Some(first), Some(second)) if first != second)
}

fn boxed(graph: &Graph, arguments: &[Id]) -> bool {
    let [space, index] = arguments else { return false };
    let names = (name_of(graph, *space), name_of(graph, *index));
    matches!(names, (Some(space), Some(index)) if graph.analysis.context.is_boxed(space, index))
}

fn independent(graph: &Graph, arguments: &[Id]) -> bool {
    let names: Option<Vec<_>> = arguments.iter().map(|id| name_of(graph, *id)).collect();
    let Some([space, first, second]) = names.as_deref() else { return false };
    graph.analysis.context.is_independent(*space, *first, *second)
}

fn uniform(graph: &Graph, arguments: &[Id]) -> bool {
    let [space, tensor, access] = arguments else { return false };
    let names = (name_of(graph, *space), name_of(graph, *tensor), access_of(graph, *access));
    let (Some(space), Some(tensor), Some(access)) = names else { return false };
    graph.analysis.context.offset(space, tensor, access).is_some()
}

fn commutes(graph: &Graph, arguments: &[Id]) -> bool {
    let [operator] = arguments else { return false };
    let Some(name) = name_of(graph, *operator) else { return false };
    let declared = graph.analysis.context.monoid(name);
    Operator::from_keyword(name.as_str()).is_some() || declared.is_some_and(|monoid| !monoid.ordered)
}

/// Sums and products of more terms keep the order in which they are written.
const MOST_IN_ANY_ORDER: usize = 6;

fn few(graph: &Graph, arguments: &[Id]) -> bool {
    ["add", "mul"].iter().all(|word| {
        let widths = arguments.iter().map(|id| graph[*id].data.width(word));
        widths.sum::<usize>() <= MOST_IN_ANY_ORDER
    })
}

fn shifted(graph: &Graph, arguments: &[Id]) -> bool {
    matches!(arguments, [term] if is_shifted(graph, *term))
}

/// How many maxima, each over another index, are taken for one: the maximum of all blocks is the greatest of their maxima.
const MOST_NESTED: usize = 4;

/// Whether a value is the maximum of another one over indices, one after the other.
fn is_maximum(graph: &Graph, greatest: Id, of: Id, depth: usize) -> bool {
    graph[graph.find(greatest)].nodes.iter().any(|node| match node {
        Term::Reduce([_, operator, _, body]) => {
            let is_max = name_of(graph, *operator).is_some_and(|name| name.as_str() == Operator::Max.keyword());
            let is_whole = graph.find(*body) == graph.find(of);
            is_max && (is_whole || depth > 1 && is_maximum(graph, *body, of, depth - 1))
        }
        _ => false,
    })
}

/// Whether a term is a difference to its own maximum, and so never above 0, whichever of its indices is reduced over.
pub fn is_shifted(graph: &Graph, term: Id) -> bool {
    graph[term].nodes.iter().any(|node| match node {
        Term::Other(word, children) if word.as_str() == "sub" => {
            matches!(children[..], [of, greatest] if is_reference(graph, greatest, of))
        }
        _ => false,
    })
}

/// Whether a value is the maximum of another one, or 0 where that is `-infinity` and so all of it is.
fn is_reference(graph: &Graph, reference: Id, of: Id) -> bool {
    let mut nodes = graph[graph.find(reference)].nodes.iter();
    is_maximum(graph, reference, of, MOST_NESTED)
        || nodes.any(|node| match node {
            Term::Other(word, children) if word.as_str() == "select" => {
                matches!(children[..], [masked, zero, greatest] if is_number(graph, zero, 0.0)
                    && is_masked(graph, masked, greatest)
                    && is_maximum(graph, greatest, of, MOST_NESTED))
            }
            _ => false,
        })
}

/// Whether a condition asks if a value is `-infinity`.
fn is_masked(graph: &Graph, condition: Id, value: Id) -> bool {
    let is = |one: Id, other: Id| graph.find(one) == graph.find(value) && is_number(graph, other, f64::NEG_INFINITY);
    graph[graph.find(condition)].nodes.iter().any(|node| match node {
        Term::Other(word, children) if word.as_str() == "eq" => {
            matches!(children[..], [one, other] if is(one, other) || is(other, one))
        }
        _ => false,
    })
}

fn is_number(graph: &Graph, term: Id, value: f64) -> bool {
    graph[graph.find(term)].data.constant == Some(Term::Number(Literal::new(value)))
}
