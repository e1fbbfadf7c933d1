//! Conditions on the indices of a frame: how many values they take, how they depend on one another, which elements come before which.
//!
//! In: the e-graph and the classes bound to a rule's variables. Out: yes or no; no where there is no frame. The names are those of
//! [`PREDICATES`](super::PREDICATES).

use crate::rewrite::registry::Context;
use crate::rewrite::saturation::{Graph, access_of, all_bound, name_of};
use crate::rewrite::terms::AccessText;
use egg::{Id, Symbol};
use std::collections::BTreeSet;
use systole_base::integer::Affine;

fn index_of(graph: &Graph, frame: Id, index: Id) -> Option<Symbol> {
    let known = &graph.analysis.context.frame;
    let within = name_of(graph, frame).is_some_and(|name| known.name.as_deref() == Some(name.as_str()));
    name_of(graph, index).filter(|index| within && known.index(index.as_str()).is_some())
}

pub fn counts(graph: &Graph, arguments: &[Id]) -> bool {
    let [frame, index, access] = arguments else { return false };
    let known = (index_of(graph, *frame, *index), access_of(graph, *access));
    matches!(known, (Some(index), Some(access)) if graph.analysis.context.frame.counts(index, access))
}

pub fn countable(graph: &Graph, arguments: &[Id]) -> bool {
    let [frame, index] = arguments else { return false };
    let index = index_of(graph, *frame, *index);
    index.is_some_and(|index| graph.analysis.context.frame.count(index).is_some())
}

pub fn two(graph: &Graph, arguments: &[Id]) -> bool {
    let [frame, index] = arguments else { return false };
    let count = index_of(graph, *frame, *index).and_then(|index| graph.analysis.context.frame.count(index));
    count.is_some_and(|count| count == Affine::constant(2))
}

pub fn has_two(context: &Context) -> bool {
    let mut counts = context.frame.indices().iter().map(|index| context.frame.count(Symbol::from(&*index.name)));
    counts.any(|count| count == Some(Affine::constant(2)))
}

pub fn filled(graph: &Graph, arguments: &[Id]) -> bool {
    let [_, index] = arguments else { return false };
    all_bound(graph, *index, &|index| graph.analysis.context.frame.is_filled(index))
}

pub fn grows(graph: &Graph, arguments: &[Id]) -> bool {
    let [frame, index, term] = arguments else { return false };
    let free = &graph[*term].data.free;
    let index = index_of(graph, *frame, *index);
    index.is_some_and(|index| graph.analysis.context.frame.grows_with(index, free).is_some())
}

pub fn has_growing(context: &Context) -> bool {
    let frame = &context.frame;
    frame.indices().iter().any(|index| frame.grows_with(Symbol::from(&*index.name), &BTreeSet::new()).is_some())
}

pub fn slides(graph: &Graph, arguments: &[Id]) -> bool {
    let [frame, index, term] = arguments else { return false };
    let Some(index) = index_of(graph, *frame, *index) else { return false };
    let facts = &graph[*term].data;
    graph.analysis.context.frame.is_never_empty(index)
        && facts.free.contains(&index)
        && facts.sliding.iter().any(|(along, other)| *other == index && facts.free.contains(along))
}

pub fn has_sliding(context: &Context) -> bool {
    !context.frame.all_sliding().is_empty()
}

pub fn swapped(graph: &Graph, arguments: &[Id]) -> bool {
    let [_, one, other] = arguments else { return false };
    let accesses = (access_of(graph, *one), access_of(graph, *other));
    matches!(accesses, (Some(one), Some(other)) if graph.analysis.context.frame.swapped(one, other).is_some())
}

pub fn written(graph: &Graph, arguments: &[Id]) -> bool {
    element_of(graph, arguments).is_some_and(|(tensor, access)| graph.analysis.context.frame.recurs(tensor, access))
}

pub fn earlier(graph: &Graph, arguments: &[Id]) -> bool {
    element_of(graph, arguments).is_some_and(|(tensor, access)| graph.analysis.context.frame.is_earlier(tensor, access))
}

fn element_of(graph: &Graph, arguments: &[Id]) -> Option<(Symbol, AccessText)> {
    let [tensor, access] = arguments else { return None };
    Some((name_of(graph, *tensor)?, access_of(graph, *access)?))
}

pub fn picks(graph: &Graph, arguments: &[Id]) -> bool {
    let [frame, index, value, itself] = arguments else { return false };
    let known = (index_of(graph, *frame, *index), access_of(graph, *value), access_of(graph, *itself));
    let (Some(index), Some(value), Some(itself)) = known else { return false };
    graph.analysis.context.frame.picks(index, value, itself)
}

pub fn apart(graph: &Graph, arguments: &[Id]) -> bool {
    let [one, other] = arguments else { return false };
    let frame = &graph.analysis.context.frame;
    let is_apart = |first: Symbol, second: Symbol| !frame.depends(first, second) && !frame.depends(second, first);
    all_bound(graph, *one, &|first| all_bound(graph, *other, &|second| is_apart(first, second)))
}
