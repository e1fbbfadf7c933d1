//! Boxes of elements and what is copied between them.
//!
//! A box holds its elements row-major. Two boxes of one tensor meet in a box; rows of it are copied or filled at a time.

use crate::leaf::Element;
use crate::leaf::routine::{Few, Span};
use systole_equations::recurrence::Operator;

/// No box of a call has more elements.
const LARGEST_VOLUME: usize = 1 << 29;

/// A box of elements, one span a dimension.
#[derive(Clone, Debug, PartialEq)]
pub struct Area {
    pub spans: Few<Span>,
    pub lengths: Few<usize>,
    pub volume: usize,
}

impl Area {
    /// The box; `None` where it is too large to be held.
    pub fn new(spans: Few<Span>) -> Option<Area> {
        let length = |(first, last): &Span| usize::try_from((last - first).max(-1) + 1).ok();
        let lengths: Few<usize> = spans.iter().map(length).collect::<Option<_>>()?;
        let volume = lengths.iter().try_fold(1usize, |product, length| product.checked_mul(*length))?;
        (volume <= LARGEST_VOLUME).then_some(Area { spans, lengths, volume })
    }

    /// How far apart neighbours along each dimension lie.
    pub fn strides(&self) -> Few<i64> {
        let mut strides = Few::from_elem(1, self.lengths.len());
        for dimension in (1..self.lengths.len()).rev() {
            strides[dimension - 1] = strides[dimension] * self.lengths[dimension] as i64;
        }
        strides
    }

    fn meet(&self, other: &Area) -> Option<Area> {
        let spans = self.spans.iter().zip(&other.spans).map(|(a, b)| (a.0.max(b.0), a.1.min(b.1))).collect();
        Area::new(spans).filter(|area| area.volume > 0)
    }

    /// The address of the element with these subscripts, which lies within.
    fn address(&self, at: &[i64]) -> usize {
        let steps = at.iter().zip(&self.spans).zip(&self.lengths);
        steps.fold(0, |address, ((subscript, span), length)| address * length + (subscript - span.0) as usize)
    }

    /// The first subscripts of each row.
    fn each_row(&self, mut see: impl FnMut(&[i64])) {
        let mut at: Vec<i64> = self.spans.iter().map(|span| span.0).collect();
        loop {
            see(&at);
            let outer = (0..at.len().saturating_sub(1)).rev();
            let Some(next) = outer.into_iter().find(|dimension| at[*dimension] < self.spans[*dimension].1) else {
                return;
            };
            at[next] += 1;
            (next + 1..at.len()).for_each(|dimension| at[dimension] = self.spans[dimension].0);
        }
    }
}

/// Copies the elements that two boxes have in common.
pub fn copy_meeting<E: Copy>(from: &Area, values: &[E], to: &Area, into: &mut [E]) {
    if from == to {
        return into.copy_from_slice(values);
    }
    let Some(common) = from.meet(to) else { return };
    let length = common.lengths.last().copied().unwrap_or(1);
    common.each_row(|at| {
        let (source, target) = (from.address(at), to.address(at));
        into[target..target + length].copy_from_slice(&values[source..source + length]);
    });
}

/// Fills the elements that two boxes have in common.
pub(super) fn fill_meeting<E: Copy>(from: &Area, value: E, to: &Area, into: &mut [E]) {
    let Some(common) = from.meet(to) else { return };
    let length = common.lengths.last().copied().unwrap_or(1);
    common.each_row(|at| {
        let target = to.address(at);
        into[target..target + length].fill(value);
    });
}

/// What elements are before any tile gives them: under an operator what changes no bit of a value combined with it.
pub(super) fn start(operator: Option<Operator>) -> f64 {
    match operator {
        None => f64::NAN,
        Some(Operator::Sum) => -0.0,
        Some(operator) => operator.neutral(),
    }
}

/// What a uniform tile puts into a window.
pub(super) fn uniform<E: Element>(value: E, operator: Option<Operator>) -> E {
    let is_neutral = operator.is_some_and(|operator| value == E::rounded(operator.neutral()));
    if is_neutral { E::rounded(start(operator)) } else { value }
}
