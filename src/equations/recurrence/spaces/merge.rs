//! Spaces that are one and the same on neighbouring sets become one.
//!
//! In Cholesky's factorisation the diagonal reduces `L[i,k] * L[i,k]` and the rest `L[i,k] * L[j,k]`: the first is the second
//! at `i = j`. Their union is convex, so one space, with one schedule and one set of streams, computes both.
//!
//! `2 * (sum(k in max(0, i - 1)..min(N, i + 2)) x[k])` is divided by the ends of its range. Sums that end on one face become one space, and
//! then so do the parts that read it.

use super::{SpaceSystem, last_point, solve};
use crate::recurrence::{Chain, Domain, Operand, Scalar, Space};
use std::collections::{BTreeMap, BTreeSet};
use systole_base::integer::{Affine, Name, Polyhedron};

/// Merges what can be merged; every read of a local tensor that is gone reads the one that stayed.
pub(super) fn merge_spaces(cut: &mut SpaceSystem) {
    while let Some((parts, whole, set)) = find_parts(cut).or_else(|| find_pair(cut)) {
        parts.iter().for_each(|part| redirect(cut, *part, whole));
        cut.spaces[whole].domain.set = set;
        for part in parts.into_iter().rev() {
            cut.spaces.remove(part);
            cut.members.remove(part);
        }
    }
}

/// Spaces that are to be one, in ascending order, the one that stays, and the union of their points.
type Mergeable = (Vec<usize>, usize, Polyhedron);

/// Mergeable of one equation that are one space together, though no two of them may be: such as four around a fifth.
fn find_parts(cut: &SpaceSystem) -> Option<Mergeable> {
    (0..cut.spaces.len()).find_map(|whole| {
        let is_of_one_equation = |part: &usize| *part != whole && cut.spaces[*part].span == cut.spaces[whole].span;
        let others = (0..cut.spaces.len()).filter(is_of_one_equation);
        let own = &cut.spaces[whole].domain.set;
        let ends_alike = |set: &Polyhedron| ends(cut, whole, set) == ends(cut, whole, own);
        let parts = others.filter_map(|part| Some((part, pushed(cut, part, whole)?)));
        let (parts, sets): (Vec<usize>, Vec<Polyhedron>) = parts.filter(|(_, set)| ends_alike(set)).unzip();
        // Of two the pairs tell.
        if parts.len() < 2 {
            return None;
        }
        let all: Vec<&Polyhedron> = sets.iter().chain([own]).collect();
        Some((parts, whole, united(cut, whole, &convex_union(&all)?)?))
    })
}

/// What bounds the indices of the reduction of a space from above.
fn ends<'a>(cut: &SpaceSystem, whole: usize, set: &'a Polyhedron) -> BTreeSet<&'a Affine> {
    let reduced = &cut.spaces[whole].reduced;
    set.constraints().iter().filter(|form| reduced.iter().any(|index| form.coefficient(index) < 0)).collect()
}

/// A space that another one contains at its edge, that other one, and the union of their points.
fn find_pair(cut: &SpaceSystem) -> Option<Mergeable> {
    let pairs = (0..cut.spaces.len()).flat_map(|part| (0..cut.spaces.len()).map(move |whole| (part, whole)));
    pairs.filter(|(part, whole)| part != whole).find_map(|(part, whole)| {
        let set = convex_union(&[&pushed(cut, part, whole)?, &cut.spaces[whole].domain.set])?;
        Some((vec![part], whole, united(cut, whole, &set)?))
    })
}

/// The points of `part` as points of `whole`, which says the same of them.
fn pushed(cut: &SpaceSystem, part: usize, whole: usize) -> Option<Polyhedron> {
    let (small, large) = (&cut.spaces[part], &cut.spaces[whole]);
    let local = |space: &Space| cut.tensors.iter().all(|tensor| tensor.name != space.output);
    let are_local_sums = small.reduction.is_some() && local(small) && local(large);
    let are_of_one_equation = small.span == large.span && small.output == large.output;
    let kin = cut.members[part].family == cut.members[whole].family && small.reduction == large.reduction;
    if !kin || !(are_local_sums || are_of_one_equation) {
        return None;
    }
    let image = embed(cut, part, whole)?;
    if !is_same(&small.body, small, &large.body, large, &image) {
        return None;
    }
    let targets: Vec<Affine> = large.indices().iter().map(Affine::variable).collect();
    let embedding: Vec<Affine> = large.indices().iter().map(|index| image[index].clone()).collect();
    Some(solve(&embedding, small.indices(), &targets)?.image(&small.domain.set))
}

/// The points of a space that has others too, where its lines end on one face then.
fn united(cut: &SpaceSystem, whole: usize, set: &Polyhedron) -> Option<Polyhedron> {
    let (set, large) = (set.irredundant(&Polyhedron::sizes(&cut.parameters)), &cut.spaces[whole]);
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

/// The union of some sets, where that is convex over the integers.
pub fn convex_union(sets: &[&Polyhedron]) -> Option<Polyhedron> {
    let all = sets.iter().flat_map(|set| set.constraints());
    let hull = Polyhedron::new(all.filter(|form| sets.iter().all(|set| set.implies(form))).cloned());
    let outside = |rest: Vec<Polyhedron>, set: &&Polyhedron| -> Vec<Polyhedron> {
        rest.iter().flat_map(|part| part.outside(set)).filter(|part| !part.is_empty()).collect()
    };
    sets.iter().fold(vec![hull.clone()], outside).is_empty().then_some(hull)
}

/// Every read of the local tensor of `part` becomes a read of that of `whole`, each at the element that it reads.
fn redirect(cut: &mut SpaceSystem, part: usize, whole: usize) {
    let Some(image) = embed(cut, part, whole) else { return };
    let (gone, stays) = (&cut.spaces[part], &cut.spaces[whole]);
    let element: Vec<Affine> = stays.output_access.iter().map(|form| form.substitute(&image)).collect();
    let own: Vec<Option<Name>> = gone.output_access.iter().map(|form| form.as_variable().cloned()).collect();
    let (gone, stays) = (gone.output.clone(), stays.output.clone());
    // Equations of one tensor: whoever reads an element names that.
    if gone == stays {
        return;
    }
    for operand in cut.spaces.iter_mut().flat_map(|space| &mut space.operands) {
        if operand.tensor == gone {
            let read = own.iter().cloned().zip(operand.access.iter().cloned());
            let at: BTreeMap<Name, Affine> = read.filter_map(|(index, form)| Some((index?, form))).collect();
            operand.tensor = stays.clone();
            operand.access = element.iter().map(|form| form.substitute(&at)).collect();
        }
    }
}
