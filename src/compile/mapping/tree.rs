//! Trees of streams: the sets that the streams of an operand run over when the heads of one are reached by the next.
//!
//! In: a space and the directions of a tree. Out: for each direction the points its stream runs over: the whole space for the
//! first, then the points without a predecessor along the one before. These are faces of the set before, and disjoint. A
//! later direction runs within them, so no line is cut where two of them meet. Paper: Cyclotron section 8 (ChooseStream and
//! Inject, applied again to what is injected).

use super::takers::heads;
use systole_base::integer::{Polyhedron, Vector, dot};
use systole_equations::recurrence::Space;

/// The sets of each direction of a tree, those without points left out.
pub fn tree_sets(space: &Space, directions: &[Vector]) -> Vec<Vec<Polyhedron>> {
    let mut levels: Vec<Vec<Polyhedron>> = vec![];
    for (level, _) in directions.iter().enumerate() {
        let sets = match level.checked_sub(1).and_then(|before| Some((directions.get(before)?, levels.last()?))) {
            None => vec![space.domain.set.clone()],
            Some((along, sets)) => heads_of(space, sets, along),
        };
        levels.push(sets);
    }
    levels
}

/// The points of disjoint sets without a predecessor along a direction in their own set, as disjoint sets.
pub fn heads_of(space: &Space, sets: &[Polyhedron], along: &[i64]) -> Vec<Polyhedron> {
    let sizes = Polyhedron::sizes(&space.parameters);
    let faces = sets.iter().flat_map(|set| heads(space, set, along));
    faces.filter(|set| !set.intersect(&sizes).is_empty()).collect()
}

/// The first direction of a tree that does not run within the heads of one before it, with that one.
pub fn first_astray(space: &Space, directions: &[Vector]) -> Option<(Vector, Vector)> {
    let within = |head: &Vector, along: &Vector| {
        let rows = space.domain.set.constraints().iter().map(|form| form.row(space.indices()));
        rows.into_iter().all(|row| dot(&row, head) <= 0 || dot(&row, along) == 0)
    };
    let pairs = directions
        .iter()
        .enumerate()
        .flat_map(|(level, along)| directions[..level].iter().map(move |head| (along, head)));
    pairs.filter(|(along, head)| !within(head, along)).map(|(along, head)| (along.clone(), head.clone())).next()
}
