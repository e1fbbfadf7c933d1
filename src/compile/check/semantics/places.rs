//! The points at which the sides of a law have to agree.
//!
//! In: a world and meanings. Out: all points of a space; over a frame all values of the indices that occur free, which is read off the
//! meanings themselves.

use super::meaning::{Around, Local, Meaning};
use super::ranges::Ranges;
use super::texts::AffineRow;
use super::world::World;
use std::collections::BTreeSet;

/// Positions of indices.
type Places = BTreeSet<usize>;

/// The points at which `terms` on `space` have to agree.
pub(in crate::check) fn places(world: &World, space: usize, terms: &[&Meaning]) -> Vec<Vec<i64>> {
    match world.ranges() {
        Some(ranges) => ranges.points(&terms.iter().flat_map(|term| free(term, ranges)).collect()),
        None => world.points(space).iter().cloned().collect(),
    }
}

/// The free indices of a term: those of its reads, without those that it reduces over, with those on which their ranges depend.
fn free(meaning: &Meaning, ranges: &Ranges) -> Places {
    let all = |parts: &[Meaning]| parts.iter().flat_map(|part| free(part, ranges)).collect();
    match meaning {
        Meaning::Number(_) | Meaning::Neutral(_) => Places::new(),
        Meaning::Form(form) => indices(form).collect(),
        Meaning::At(place, form, value) => {
            let inside = free(value, ranges).into_iter().filter(|index| index != place);
            inside.chain(indices(form)).collect()
        }
        Meaning::Element(_, forms) | Meaning::Defined(_, forms) | Meaning::Given(_, _, forms, _) => {
            forms.iter().flat_map(indices).collect()
        }
        Meaning::Combine(_, parts) | Meaning::Call(parts) => all(&parts[..]),
        Meaning::If(parts) => all(&parts[..]),
        Meaning::Apply(_, parts) => all(parts),
        Meaning::Part(_, folded) => bound(all(&folded.components), &folded.index, ranges),
        Meaning::OnFace(_, local) => match &**local {
            Local::Itself(value) => free(value, ranges),
            Local::Over(_, sets, value) => {
                sets.iter().fold(free(value, ranges), |inside, set| bound(inside, set, ranges))
            }
            // What looks at other points depends on where it stands; no term over a frame does.
            _ => Places::new(),
        },
    }
}

fn bound(mut inside: Places, set: &Around, ranges: &Ranges) -> Places {
    let (indices, also) = match set {
        Around::Differing(indices) => (indices.clone(), None),
        Around::Turned(index, first) => (vec![*index], Some(*first)),
        _ => (vec![], None),
    };
    for index in indices.into_iter().rev() {
        inside.remove(&index);
        inside.extend(ranges.depends(index));
    }
    inside.extend(also);
    inside
}

fn indices(form: &AffineRow) -> impl Iterator<Item = usize> {
    form.row.iter().enumerate().filter(|(_, coefficient)| **coefficient != 0).map(|(place, _)| place)
}
