//! Linear forms over slots, with the parameters' values folded in.
//!
//! In: a form over names. Out: numbers and positions only. Forms of a leaf's body are refused where a value may come near
//! the ends of 64 bits for indices within their extents, so that their arithmetic needs no checks in loops.

use smallvec::SmallVec;
use systole_base::integer::{Affine, Bindings, Name};

/// No value of a form exceeds this, so that products with strides fit 64 bits.
const LIMIT: i128 = 1 << 29;

/// The first and last value of an index or a subscript, both included; nothing where the last is less.
pub type Span = (i64, i64);

/// One for each index of a leaf, or for each dimension of a window: calls make many of them, and have few indices.
pub type Few<T> = SmallVec<[T; 4]>;

/// `constant + sum of coefficient * slot`.
#[derive(Clone, Debug, PartialEq)]
pub struct SlotAffine {
    pub constant: i64,
    /// Slots with their coefficients, none of which is zero, in rising order.
    pub terms: Vec<(usize, i64)>,
}

impl SlotAffine {
    /// The form over the positions of `names`; `None` where another name has no value or a number does not fit.
    pub fn resolve(form: &Affine, names: &[Name], sizes: &Bindings) -> Option<SlotAffine> {
        let mut resolved = SlotAffine { constant: form.constant_term(), terms: vec![] };
        for (name, coefficient) in form.terms() {
            match names.iter().position(|known| known == name) {
                Some(slot) => resolved.terms.push((slot, coefficient)),
                None => {
                    let value = coefficient.checked_mul(*sizes.get(name)?)?;
                    resolved.constant = resolved.constant.checked_add(value)?;
                }
            }
        }
        resolved.terms.sort_unstable();
        Some(resolved)
    }

    /// A number.
    pub fn constant(constant: i64) -> SlotAffine {
        SlotAffine { constant, terms: vec![] }
    }

    /// A slot by itself.
    pub fn slot(slot: usize) -> SlotAffine {
        SlotAffine { constant: 0, terms: vec![(slot, 1)] }
    }

    /// This form less another; both are moderate, so it fits 64 bits.
    pub fn minus(&self, other: &SlotAffine) -> SlotAffine {
        let mut difference = self.clone();
        difference.constant -= other.constant;
        for (slot, coefficient) in &other.terms {
            match difference.terms.iter_mut().find(|(known, _)| known == slot) {
                Some((_, held)) => *held -= coefficient,
                None => difference.terms.push((*slot, -coefficient)),
            }
        }
        difference.terms.retain(|(_, coefficient)| *coefficient != 0);
        difference.terms.sort_unstable();
        difference
    }

    /// This form and another one so many times; `None` where a number does not fit 64 bits.
    pub fn plus(mut self, other: &SlotAffine, times: i64) -> Option<SlotAffine> {
        self.constant = self.constant.checked_add(other.constant.checked_mul(times)?)?;
        for (slot, coefficient) in &other.terms {
            let added = coefficient.checked_mul(times)?;
            match self.terms.iter_mut().find(|(known, _)| known == slot) {
                Some((_, held)) => *held = held.checked_add(added)?,
                None => self.terms.push((*slot, added)),
            }
        }
        self.terms.retain(|(_, coefficient)| *coefficient != 0);
        self.terms.sort_unstable();
        Some(self)
    }

    /// Whether this form is at least 0 wherever the other one is.
    pub fn follows_from(&self, other: &SlotAffine) -> bool {
        self.terms == other.terms && self.constant >= other.constant
    }

    /// The same with other slots; `None` where one has no other.
    pub fn renamed(&self, slots: &[Option<usize>]) -> Option<SlotAffine> {
        let terms = self.terms.iter().map(|(slot, coefficient)| Some(((*slots.get(*slot)?)?, *coefficient)));
        let mut terms: Vec<(usize, i64)> = terms.collect::<Option<_>>()?;
        terms.sort_unstable();
        Some(SlotAffine { constant: self.constant, terms })
    }

    /// Whether all values and all their parts keep away from the ends of 64 bits, for slots within these spans.
    pub fn is_moderate(&self, spans: &[Span]) -> bool {
        let magnitude = |(slot, coefficient): &(usize, i64)| {
            let (first, last) = spans[*slot];
            i128::from(*coefficient).abs() * i128::from(first).abs().max(i128::from(last).abs())
        };
        self.terms.iter().map(magnitude).sum::<i128>() + i128::from(self.constant).abs() <= LIMIT
    }

    /// The value; for moderate forms only.
    pub fn value(&self, slots: &[i64]) -> i64 {
        self.terms.iter().fold(self.constant, |sum, (slot, coefficient)| sum + coefficient * slots[*slot])
    }

    /// The value where slots that have moved are given as they were, and how far each has moved.
    pub fn value_moved(&self, slots: &[i64], moved: &[i64]) -> i64 {
        self.value(slots) + self.value(moved) - self.constant
    }

    /// The value, `None` where it does not fit 64 bits.
    pub fn checked_value(&self, slots: &[i64]) -> Option<i64> {
        self.terms
            .iter()
            .try_fold(self.constant, |sum, (slot, coefficient)| sum.checked_add(coefficient.checked_mul(slots[*slot])?))
    }

    /// The coefficient of a slot.
    pub fn coefficient(&self, slot: usize) -> i64 {
        self.terms.iter().find(|(known, _)| *known == slot).map_or(0, |(_, coefficient)| *coefficient)
    }

    /// Whether any of these slots occurs.
    pub fn mentions(&self, slots: &[usize]) -> bool {
        self.terms.iter().any(|(slot, _)| slots.contains(slot))
    }

    /// The least and the greatest value over boxes of the slots; `None` where one that occurs has no value.
    pub fn interval(&self, spans: &[Span]) -> Option<Span> {
        self.terms.iter().try_fold((self.constant, self.constant), |(low, high), (slot, coefficient)| {
            let (first, last) = spans[*slot];
            let (a, b) = (coefficient * first, coefficient * last);
            (first <= last).then(|| (low + a.min(b), high + a.max(b)))
        })
    }
}
