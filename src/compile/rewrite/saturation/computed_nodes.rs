//! Nodes that stand for what the analysis works out: lists of directions, counts, elements by their equations, components of tuples.
//!
//! In: a class to which a node was added. Out: the class of what the node folds to, made equal to it under a name of its own, which
//! explanations show: `(nulls s g)`, `(signs s k)` and `(axes s)` to a list `(dir d1 (dir d2 end))`, `(offset s X g)` to a direction. No rule
//! computes: a rule names such a node.

use super::analysis::{Graph, access_of, face_of, name_of};
use crate::rewrite::registry::{folded_definition, folded_pick, folded_where};
use crate::rewrite::rules::FOLD_PART;
use crate::rewrite::terms::{DirectionText, Literal, Term};
use egg::{Id, RecExpr};
use std::sync::Arc;

/// The name under which explanations show the folding of directions.
pub const FOLD_DIRECTIONS: &str = "fold-directions";

/// The name under which explanations show that how many values an index takes is a form.
pub const FOLD_COUNT: &str = "fold-count";

/// The name under which explanations show what an equation says of an element.
pub const FOLD_DEFINITION: &str = "fold-definition";

/// The name under which explanations show that a form stands in place of an index.
pub const FOLD_PICK: &str = "fold-pick";

/// The name under which explanations show that an index of its own has the values at which a condition holds.
pub const FOLD_WHERE: &str = "fold-where";

/// Folds the node first added as `id`, if it is to be folded and was not.
pub(super) fn modify(graph: &mut Graph, id: Id) {
    // Runs at every union: most nodes have nothing to fold.
    match graph.id_to_node(id) {
        Term::Reduce(_) => return fold_parts(graph, id),
        Term::Nulls(_) | Term::Signs(_) | Term::Axes(_) | Term::Count(_) | Term::Offset(_) => {
            if is_folded(graph, id) {
                return;
            }
        }
        Term::Defined(_) | Term::Pick(_) | Term::Where(_) => {}
        _ => return,
    }
    let Some(folded) = fold(graph, id) else { return };
    if graph.find(id) != graph.find(folded) {
        let name = fold_name(graph.id_to_node(id));
        graph.union_trusted(id, folded, name);
    }
}

/// Whether the class of a list, a direction or a count has what it folds to.
fn is_folded(graph: &Graph, id: Id) -> bool {
    let is_result = |node: &Term| matches!(node, Term::Dir(_) | Term::End | Term::Direction(_) | Term::Index(_));
    graph[id].nodes.iter().any(is_result)
}

/// The name under which explanations show that a node is folded.
fn fold_name(node: &Term) -> &'static str {
    match node {
        Term::Count(_) => FOLD_COUNT,
        Term::Defined(_) => FOLD_DEFINITION,
        Term::Pick(_) => FOLD_PICK,
        Term::Where(_) => FOLD_WHERE,
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
        node @ (Term::Defined(_) | Term::Pick(_) | Term::Where(_)) => {
            let term = folded_element(graph, &node)?;
            Some(graph.add_expr_uncanonical(&term))
        }
        _ => None,
    }
}

/// What a node `(defined X g)`, `(pick s k g e)` or `(where s o k c e)` is; `None` where that is not known.
pub(crate) fn folded_element(graph: &Graph, node: &Term) -> Option<RecExpr<Term>> {
    folded_definition(graph, node).or_else(|| folded_pick(graph, node)).or_else(|| folded_where(graph, node))
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

fn add_list(graph: &mut Graph, directions: &[DirectionText]) -> Id {
    let mut list = graph.add_uncanonical(Term::End);
    for direction in directions.iter().rev() {
        let leaf = graph.add_uncanonical(Term::Direction(*direction));
        list = graph.add_uncanonical(Term::Dir([leaf, list]));
    }
    list
}
