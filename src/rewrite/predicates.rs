//! The conditions that rules may ask for, by name.
//!
//! In: the e-graph and the classes bound to a rule's variables. Out: yes or no. Invariant: a predicate looks only at
//! facts that further unions cannot change from yes to no: leaves, the registry, and free indices, which only get fewer.

use super::analysis::{Graph, access_of, face_of, name_of};
use super::language::Term;
use egg::Id;

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
}

/// All conditions.
pub const PREDICATES: &[Predicate] = &[
    Predicate { name: "input", arity: 1, meaning: "the tensor is given by the user", holds: input },
    Predicate {
        name: "produced",
        arity: 1,
        meaning: "some space computes the tensor, or it is known",
        holds: produced,
    },
    Predicate { name: "nullary", arity: 1, meaning: "the access is the same at all points", holds: nullary },
    Predicate { name: "whole", arity: 1, meaning: "the space is a whole one, not the heads of another", holds: whole },
    Predicate {
        name: "reused",
        arity: 3,
        meaning: "on the heads of the space along the direction the access still has a direction of reuse",
        holds: reused,
    },
    Predicate { name: "extended", arity: 1, meaning: "the points of the space differ in some index", holds: extended },
    Predicate { name: "number", arity: 1, meaning: "the term is a literal number", holds: number },
    Predicate { name: "free_of", arity: 2, meaning: "the value does not depend on the index", holds: free_of },
    Predicate { name: "differ", arity: 2, meaning: "the two are different leaves", holds: differ },
    Predicate {
        name: "boxed",
        arity: 2,
        meaning: "in the space, the range of the index depends on no other reduction index, nor theirs on it",
        holds: boxed,
    },
    Predicate {
        name: "independent",
        arity: 3,
        meaning: "in the space, the range of neither reduction index depends on the other",
        holds: independent,
    },
    Predicate {
        name: "uniform",
        arity: 3,
        meaning: "a point of the space reads what the point at a constant distance writes",
        holds: uniform,
    },
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
    name_of(graph, *index).is_some_and(|name| !graph[*term].data.free.contains(&name))
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
