//! Reductions that are one and the same on neighbouring sets become one space.
//!
//! In Cholesky's factorisation the diagonal reduces `L[i,k] * L[i,k]` and the rest `L[i,k] * L[j,k]`: the first is the second
//! at `i = j`. Their union is convex, so one space, with one schedule and one set of streams, computes both.

use super::{SpaceSystem, last_point, solve};
use crate::recurrence::{Chain, Domain, Operand, Scalar, Space};
use std::collections::BTreeMap;
use systole_base::integer::{Affine, Name, Polyhedron};

/// Merges what can be merged; every read of a local tensor that is gone reads the one that stayed.
pub(super) fn merge_reductions(cut: &mut SpaceSystem) {
    while let Some((part, whole, set)) = find_pair(cut) {
        redirect(cut, part, whole);
        cut.spaces[whole].domain.set = set;
        cut.spaces.remove(part);
        cut.members.remove(part);
    }
}

/// A reduction that another one contains at its edge, that other one, and the union of their points.
fn find_pair(cut: &SpaceSystem) -> Option<(usize, usize, Polyhedron)> {
    let pairs = (0..cut.spaces.len()).flat_map(|part| (0..cut.spaces.len()).map(move |whole| (part, whole)));
    pairs.filter(|(part, whole)| part != whole).find_map(|(part, whole)| {
        let set = union_of(cut, part, whole)?;
        Some((part, whole, set))
    })
}

fn union_of(cut: &SpaceSystem, part: usize, whole: usize) -> Option<Polyhedron> {
    let (small, large) = (&cut.spaces[part], &cut.spaces[whole]);
    let local = |space: &Space| cut.tensors.iter().all(|tensor| tensor.name != space.output);
    let kin = cut.members[part].family == cut.members[whole].family && small.reduction == large.reduction;
    if !kin || small.reduction.is_none() || !local(small) || !local(large) {
        return None;
    }
    let image = embed(cut, part, whole)?;
    if !is_same(&small.body, small, &large.body, large, &image) {
        return None;
    }
    let targets: Vec<Affine> = large.indices().iter().map(Affine::variable).collect();
    let embedding: Vec<Affine> = large.indices().iter().map(|index| image[index].clone()).collect();
    let pushed = solve(&embedding, small.indices(), &targets)?.image(&small.domain.set);
    let set = convex_union(&pushed, &large.domain.set)?.irredundant(&Polyhedron::sizes(&cut.parameters));
    let both = Space { domain: Domain { set: set.clone(), ..large.domain.clone() }, ..large.clone() };
    // Below and above a diagonal sums may end on two faces; each side is a space of its own then.
    last_point(&both, &Chain::as_written(&both), &both.output_access)?;
    Some(set)
}

/// The indices of `whole` over those of `part`, where the coordinates of `whole` are its indices.
fn embed(cut: &SpaceSystem, part: usize, whole: usize) -> Option<BTreeMap<Name, Affine>> {
    let names: Option<Vec<Name>> =
        cut.members[whole].embedding.iter().map(|form| form.as_variable().cloned()).collect();
    let image: BTreeMap<Name, Affine> = names?.into_iter().zip(cut.members[part].embedding.iter().cloned()).collect();
    cut.spaces[whole].indices().iter().all(|index| image.contains_key(index)).then_some(image)
}

/// Whether two bodies are the same expression of the same elements at the points of the first.
fn is_same(mine: &Scalar, small: &Space, theirs: &Scalar, large: &Space, image: &BTreeMap<Name, Affine>) -> bool {
    let element =
        |operand: &Operand| -> Vec<Affine> { operand.access.iter().map(|form| form.substitute(image)).collect() };
    match (mine, theirs) {
        (Scalar::Number(a), Scalar::Number(b)) => a.to_bits() == b.to_bits(),
        (Scalar::Index(a), Scalar::Index(b)) => *a == b.substitute(image),
        (Scalar::Operand(a), Scalar::Operand(b)) => {
            let (a, b) = (&small.operands[*a], &large.operands[*b]);
            a.tensor == b.tensor && a.access == element(b)
        }
        (Scalar::Apply(f, a), Scalar::Apply(g, b)) => {
            f == g && a.len() == b.len() && a.iter().zip(b).all(|(a, b)| is_same(a, small, b, large, image))
        }
        _ => false,
    }
}

/// The union of two sets, where that is convex over the integers.
pub fn convex_union(one: &Polyhedron, other: &Polyhedron) -> Option<Polyhedron> {
    let shared = one.constraints().iter().filter(|form| other.implies(form));
    let hull = Polyhedron::new(shared.chain(other.constraints().iter().filter(|form| one.implies(form))).cloned());
    let outside_other = other.constraints().iter().filter(|form| !one.implies(form));
    let covered = outside_other.into_iter().all(|form| {
        let mut rest = hull.clone();
        rest.add(-form.clone() - Affine::constant(1));
        one.constraints().iter().all(|form| rest.implies(form))
    });
    covered.then_some(hull)
}

/// Every read of the local tensor of `part` becomes a read of that of `whole`, each at the element that it reads.
fn redirect(cut: &mut SpaceSystem, part: usize, whole: usize) {
    let Some(image) = embed(cut, part, whole) else { return };
    let (gone, stays) = (&cut.spaces[part], &cut.spaces[whole]);
    let element: Vec<Affine> = stays.output_access.iter().map(|form| form.substitute(&image)).collect();
    let own: Vec<Option<Name>> = gone.output_access.iter().map(|form| form.as_variable().cloned()).collect();
    let (gone, stays) = (gone.output.clone(), stays.output.clone());
    for operand in cut.spaces.iter_mut().flat_map(|space| &mut space.operands) {
        if operand.tensor == gone {
            let read = own.iter().cloned().zip(operand.access.iter().cloned());
            let at: BTreeMap<Name, Affine> = read.filter_map(|(index, form)| Some((index?, form))).collect();
            operand.tensor = stays.clone();
            operand.access = element.iter().map(|form| form.substitute(&at)).collect();
        }
    }
}
