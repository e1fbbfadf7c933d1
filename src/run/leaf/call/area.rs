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

    /// Whether each of its elements is in one of these boxes, of which no two meet in it.
    pub fn is_covered(&self, boxes: &[&Area]) -> bool {
        let meets: Vec<Area> = boxes.iter().filter_map(|other| self.meet(other)).collect();
        let meet = |(place, one): (usize, &Area)| meets[..place].iter().any(|other| one.meet(other).is_some());
        let is_disjoint = !meets.iter().enumerate().any(meet);
        is_disjoint && meets.iter().map(|meet| meet.volume).sum::<usize>() == self.volume
    }

    /// How far apart neighbours along each dimension lie.
    pub fn strides(&self) -> Few<i64> {
        let mut strides = Few::from_elem(1, self.lengths.len());
        for dimension in (1..self.lengths.len()).rev() {
            strides[dimension - 1] = strides[dimension] * self.lengths[dimension] as i64;
        }
        strides
    }

    /// What two boxes have in common; `None` where that is nothing.
    pub fn meet(&self, other: &Area) -> Option<Area> {
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
    let first: Few<i64> = common.spans.iter().map(|span| span.0).collect();
    let strides = common.lengths.iter().zip(from.strides()).zip(to.strides());
    let steps = steps(strides.map(|((length, source), target)| (*length, [source as usize, target as usize])));
    copy(&steps, (&values[from.address(&first)..], &mut into[to.address(&first)..]));
}

/// So many neighbours, and how far apart they lie on either side.
type Neighbours = (usize, [usize; 2]);

/// The dimensions of a copy, the innermost last. Those that follow each other on both sides are one; where few lie side by side, the
/// longest is the innermost.
fn steps(dimensions: impl Iterator<Item = Neighbours>) -> Few<Neighbours> {
    let mut steps: Few<Neighbours> = Few::new();
    for (length, strides) in dimensions.filter(|(length, _)| *length != 1) {
        match steps.last_mut() {
            Some((outer, beside)) if *beside == strides.map(|stride| length * stride) => {
                (*outer, *beside) = (*outer * length, strides);
            }
            _ => steps.push((length, strides)),
        }
    }
    const FEW: usize = 8;
    let longest = (0..steps.len()).max_by_key(|step| steps[*step].0);
    if let (Some(longest), Some((length, _))) = (longest, steps.last())
        && *length < FEW
    {
        let step = steps.remove(longest);
        steps.push(step);
    }
    steps
}

fn copy<E: Copy>(steps: &[Neighbours], (values, into): (&[E], &mut [E])) {
    match steps {
        [] => into[0] = values[0],
        [(length, [1, 1])] => into[..*length].copy_from_slice(&values[..*length]),
        [(length, [source, target])] => {
            let values = values.iter().step_by(*source).take(*length);
            into.iter_mut().step_by(*target).zip(values).for_each(|(into, value)| *into = *value);
        }
        [(length, [source, target]), inner @ ..] => {
            (0..*length).for_each(|round| copy(inner, (&values[round * source..], &mut into[round * target..])));
        }
    }
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
