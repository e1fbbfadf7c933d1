//! The sums that parts of one equation read become one tensor.
//!
//! `2 * (sum(k in max(0, i - 1)..min(N, i + 2)) x[k])` is divided by the ends of its range, and each part reads a sum of its own. Where the
//! parts differ in nothing else, these sums are elements of one tensor. Then one space can read it, at a place of its own, and memory may
//! have it as it has any tensor of the kernel.

use super::{SpaceSystem, last_point};
use crate::recurrence::{Chain, Role, Space, Tensor};
use std::collections::BTreeSet;
use systole_base::integer::{Affine, Name, Polyhedron, unused};

/// Joins sums wherever parts of an equation read one each.
pub(super) fn join_sums(cut: &mut SpaceSystem) {
    for first in 0..cut.spaces.len() {
        let parts: Vec<usize> = (first..cut.spaces.len()).filter(|other| is_part(cut, first, *other)).collect();
        let target = &cut.spaces[first].output;
        let shape = cut.tensors.iter().find(|tensor| tensor.name == *target).map(|tensor| tensor.shape.clone());
        let Some(shape) = shape else { continue };
        for operand in 0..cut.spaces[first].operands.len() {
            let sums: BTreeSet<Name> =
                parts.iter().map(|part| cut.spaces[*part].operands[operand].tensor.clone()).collect();
            if sums.len() > 1 && sums.iter().all(|sum| is_element_of_target(cut, sum, shape.len())) {
                join(cut, first, (&sums, &shape));
            }
        }
    }
}

/// Whether two spaces without a reduction are parts of one equation, which say the same of what they read.
fn is_part(cut: &SpaceSystem, first: usize, other: usize) -> bool {
    let (one, two) = (&cut.spaces[first], &cut.spaces[other]);
    let is_one_equation = one.span == two.span && one.output == two.output && one.reduction.is_none();
    let says_the_same = one.reduction == two.reduction && one.indices() == two.indices() && one.body == two.body;
    let accesses = |space: &Space| space.operands.iter().map(|operand| operand.access.clone()).collect::<Vec<_>>();
    is_one_equation && says_the_same && one.output_access == two.output_access && accesses(one) == accesses(two)
}

/// Whether a tensor is a sum within an equation that has the elements which the equation defines, and has terms wherever it is read. Elements of
/// the target are defined once, so no two such sums have an element in common.
fn is_element_of_target(cut: &SpaceSystem, sum: &Name, rank: usize) -> bool {
    let mut writers = cut.spaces.iter().enumerate().filter(|(_, space)| space.output == *sum);
    let (Some((writer, space)), None) = (writers.next(), writers.next()) else { return false };
    let is_declared = cut.tensors.iter().any(|tensor| tensor.name == *sum);
    let is_element = cut.members[writer].embedding.get(..rank) == Some(&space.output_access);
    let has_terms = |reader: &Space| {
        let points = reader.domain.set.intersect(&Polyhedron::sizes(&cut.parameters));
        reader.operands.iter().filter(|read| read.tensor == *sum).all(|read| {
            let last = last_point(space, &Chain::as_written(space), &read.access);
            last.is_some_and(|last| last.image(&space.domain.set).constraints().iter().all(|form| points.implies(form)))
        })
    };
    !is_declared && is_element && cut.spaces.iter().all(has_terms)
}

/// These sums become elements of one tensor, with the shape of the target.
fn join(cut: &mut SpaceSystem, reader: usize, (sums, shape): (&BTreeSet<Name>, &[Affine])) {
    let (target, span) = (cut.spaces[reader].output.clone(), cut.spaces[reader].span);
    let outputs = cut.spaces.iter().map(|space| &space.output);
    let taken = outputs.chain(cut.tensors.iter().map(|tensor| &tensor.name)).chain(&cut.parameters);
    let joined = unused(&format!("{target}_part"), taken);
    for space in &mut cut.spaces {
        let reads = space.operands.iter_mut().map(|operand| &mut operand.tensor);
        let mut names = reads.chain([&mut space.output]).filter(|name| sums.contains(*name)).peekable();
        if names.peek().is_some() {
            space.shapes.push((joined.clone(), shape.to_vec()));
        }
        names.for_each(|name| *name = joined.clone());
    }
    cut.tensors.push(Tensor { name: joined, role: Role::Local, shape: shape.to_vec(), assumption: None, span });
}
