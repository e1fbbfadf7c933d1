//! Equations by the remainders of forms: `x[2*i + 1]` has the same position in a pair wherever the equation is, `x[i]` has not.
//!
//! In: forms of the indices of an equation, each with a number. Out: what the indices are in each part of the equation, so that a form
//! has one remainder by its number at all points of a part: `i` is `2*i`, and `2*i + 1`.

use std::collections::BTreeMap;
use systole_base::integer::{Affine, Name, gcd};

/// An equation is divided into no more than this.
pub(super) const MOST_PARTS: i64 = 64;

/// How the indices of an equation are divided: `i` becomes `modulus * i + first`, and one equation has each of the remainders that
/// is added to that.
#[derive(Clone, Default)]
pub(super) struct Division {
    indices: BTreeMap<Name, (i64, Affine)>,
}

impl Division {
    /// Divides indices, which are `own`, until a form has one remainder by `length` in each of the parts; all else in it has one value in an
    /// equation. `None` where it has none for all sizes, or there are too many parts: then nothing is divided.
    pub(super) fn settle(&mut self, form: &Affine, length: i64, own: &[Name]) -> Option<()> {
        let mut settled = self.clone();
        settled.divide(form, length, own)?;
        *self = settled;
        Some(())
    }

    fn divide(&mut self, form: &Affine, length: i64, own: &[Name]) -> Option<()> {
        if length == 1 {
            return Some(());
        }
        let is_open = |name: &Name, factor: i64| {
            let known = self.indices.get(name).map_or(1, |(modulus, _)| *modulus);
            (factor * known) % length != 0
        };
        let (own, other): (Vec<_>, Vec<_>) = form.terms().partition(|(name, _)| own.contains(name));
        let open: Vec<(Name, i64)> = own
            .into_iter()
            .filter(|(name, factor)| is_open(name, *factor))
            .map(|(name, factor)| (name.clone(), factor))
            .collect();
        // What is not divisible of the sizes is made up for by where an index begins.
        let mut rest = other
            .into_iter()
            .fold(Affine::default(), |rest, (name, factor)| rest + Affine::term(name, factor.rem_euclid(length)));
        for (index, (_, first)) in &self.indices {
            rest = rest + first.clone() * form.coefficient(index);
        }
        if open.iter().any(|(index, _)| self.indices.contains_key(index)) {
            return None;
        }
        for (number, (index, factor)) in open.iter().enumerate() {
            let modulus = length / gcd(*factor, length);
            if modulus > MOST_PARTS {
                return None;
            }
            let first = match number + 1 == open.len() && !is_divisible(&rest, length) {
                true => rest.clone() * -inverse(*factor, length)?,
                false => Affine::default(),
            };
            rest = rest + first.clone() * *factor;
            self.indices.insert(index.clone(), (modulus, first));
        }
        is_divisible(&rest, length).then_some(())
    }

    /// Whether no index is divided.
    pub(super) fn is_empty(&self) -> bool {
        self.indices.is_empty()
    }

    /// What the indices are over those of each part; `None` where there are too many.
    pub(super) fn images(&self) -> Option<Vec<BTreeMap<Name, Affine>>> {
        let mut parts: Vec<BTreeMap<Name, Affine>> = vec![BTreeMap::new()];
        for (index, (modulus, first)) in &self.indices {
            let value = |rest: i64| first.clone() + Affine::term(index, *modulus) + Affine::constant(rest);
            let with = |part: BTreeMap<Name, Affine>| {
                (0..*modulus).map(move |rest| part.clone().into_iter().chain([(index.clone(), value(rest))]).collect())
            };
            parts = parts.into_iter().flat_map(with).collect();
            if parts.len() as i64 > MOST_PARTS {
                return None;
            }
        }
        Some(parts)
    }
}

fn is_divisible(form: &Affine, by: i64) -> bool {
    form.terms().all(|(_, factor)| factor % by == 0)
}

/// What a factor is multiplied by to leave 1 when it is divided by `modulus`.
fn inverse(factor: i64, modulus: i64) -> Option<i64> {
    (1..modulus).find(|inverse| (factor.rem_euclid(modulus) * inverse) % modulus == 1)
}
