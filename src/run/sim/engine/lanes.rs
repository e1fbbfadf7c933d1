//! Integer expressions, conditions and addresses for up to 64 PEs of one class at once.
//!
//! In: an expression, the slots of a block's PEs (slot by slot, a lane for each PE), and a mask of the lanes that count.
//! Out: its value in each of these lanes; or the first lane where it does not fit 64 bits. Where many lanes count, all are
//! computed in plain loops; what an idle lane holds is never looked at, and an overflow there is no fault.

use systole_program::array::{Comparison, Index, Layout, Test, Trouble};

/// How many PEs a block holds: the bits of a mask.
pub(super) const LANES: usize = 64;

/// A value for each PE of a block.
pub(super) type Lanes<T> = [T; LANES];

/// Fewer lanes than this are computed one by one.
const FEW: u32 = 8;

/// A lane and what went wrong in it.
pub(super) type Fault = (usize, Trouble);

/// Whether so few lanes count that loops over all would be a waste.
pub(super) fn is_sparse(mask: u64) -> bool {
    mask.count_ones() < FEW
}

/// Does something for every lane of the mask, in ascending order.
#[inline(always)]
pub(super) fn each_lane(mask: u64, act: impl FnMut(usize)) {
    if mask == u64::MAX {
        return (0..LANES).for_each(act);
    }
    for_each_lane(mask, act);
}

/// Does something long for every lane of the mask, in ascending order, in one loop for all masks.
#[inline(always)]
pub(super) fn for_each_lane(mask: u64, mut act: impl FnMut(usize)) {
    let mut left = mask;
    while left != 0 {
        act(left.trailing_zeros() as usize % LANES);
        left &= left - 1;
    }
}

/// Does something for every lane of the mask until it fails.
#[inline(always)]
pub(super) fn try_each_lane(mask: u64, mut act: impl FnMut(usize) -> Result<(), Trouble>) -> Result<(), Fault> {
    let mut left = mask;
    while left != 0 {
        let lane = left.trailing_zeros() as usize % LANES;
        act(lane).map_err(|trouble| (lane, trouble))?;
        left &= left - 1;
    }
    Ok(())
}

/// Does something that harms no idle lane, for every lane of the mask at least.
#[inline(always)]
pub(super) fn cover_lanes(mask: u64, act: impl FnMut(usize)) {
    each_lane(if is_sparse(mask) { mask } else { u64::MAX }, act);
}

/// The lanes, among those of the mask, where something holds.
#[inline(always)]
pub(super) fn lanes_where(mask: u64, holds: impl Fn(usize) -> bool) -> u64 {
    let mut found = 0;
    cover_lanes(mask, |lane| found |= u64::from(holds(lane)) << lane);
    found & mask
}

/// The value of an expression.
pub(super) fn evaluate(index: &Index, slots: &[Lanes<i64>], mask: u64) -> Result<Lanes<i64>, Fault> {
    let mut values = [0; LANES];
    if is_sparse(mask) || !fill_all(&mut values, index, slots) {
        try_each_lane(mask, |lane| {
            values[lane] = index.value_of(&|slot: usize| slots[slot][lane]).ok_or(Trouble::Overflow)?;
            Ok(())
        })?;
    }
    Ok(values)
}

/// Writes the value in all lanes; false where the form is not linear, or where some lane, idle or not, overflows.
fn fill_all(values: &mut Lanes<i64>, index: &Index, slots: &[Lanes<i64>]) -> bool {
    match index {
        Index::Constant(value) => values.fill(*value),
        Index::Shifted(slot, shift) => {
            values.fill(*shift);
            return add(values, &slots[*slot]);
        }
        Index::Linear(constant, terms) => {
            values.fill(*constant);
            return terms.iter().all(|(slot, coefficient)| match coefficient {
                1 => add(values, &slots[*slot]),
                _ => add_multiple(values, &slots[*slot], *coefficient),
            });
        }
        _ => return false,
    }
    true
}

/// Whether nothing overflowed.
fn add(values: &mut Lanes<i64>, terms: &Lanes<i64>) -> bool {
    let mut overflows = 0;
    for lane in 0..LANES {
        let sum = values[lane].wrapping_add(terms[lane]);
        // The sign of a sum differs from that of both its parts only where it does not fit.
        overflows |= (sum ^ values[lane]) & (sum ^ terms[lane]);
        values[lane] = sum;
    }
    overflows >= 0
}

/// Whether nothing overflowed.
fn add_multiple(values: &mut Lanes<i64>, terms: &Lanes<i64>, factor: i64) -> bool {
    let mut overflows = false;
    for lane in 0..LANES {
        let (product, wraps) = terms[lane].overflowing_mul(factor);
        let (sum, exceeds) = values[lane].overflowing_add(product);
        values[lane] = sum;
        overflows |= wraps | exceeds;
    }
    !overflows
}

/// The lanes of the mask where all tests hold, each test asked only where those before it hold.
pub(super) fn holding(tests: &[Test], slots: &[Lanes<i64>], mask: u64) -> Result<u64, Fault> {
    tests.iter().try_fold(mask, |holding, test| match holding {
        0 => Ok(0),
        _ => {
            let (left, right) = (evaluate(&test.left, slots, holding)?, evaluate(&test.right, slots, holding)?);
            Ok(match test.comparison {
                Comparison::Equal => lanes_where(holding, |lane| left[lane] == right[lane]),
                Comparison::AtLeast => lanes_where(holding, |lane| left[lane] >= right[lane]),
                Comparison::AtMost => lanes_where(holding, |lane| left[lane] <= right[lane]),
            })
        }
    })
}

/// The row-major address of an element; every subscript must be in range.
pub(super) fn addresses(
    (array, layout): (usize, &Layout),
    at: &[Index],
    slots: &[Lanes<i64>],
    mask: u64,
) -> Result<Lanes<usize>, Fault> {
    let mut addresses = [0usize; LANES];
    let mut outside = 0;
    for (index, extent) in at.iter().zip(&layout.shape) {
        let subscripts = evaluate(index, slots, mask)?;
        outside |= lanes_where(mask, |lane| subscripts[lane] as u64 >= *extent as u64);
        cover_lanes(mask, |lane| {
            addresses[lane] = addresses[lane].wrapping_mul(*extent).wrapping_add(subscripts[lane] as usize);
        });
    }
    match outside {
        0 => Ok(addresses),
        _ => Err(out_of_range(array, at, slots, outside.trailing_zeros() as usize)),
    }
}

fn out_of_range(array: usize, at: &[Index], slots: &[Lanes<i64>], lane: usize) -> Fault {
    let subscripts = at.iter().map(|index| index.value_of(&|slot: usize| slots[slot][lane]));
    let trouble = subscripts.collect::<Option<_>>().map(|subscripts| Trouble::OutOfRange { array, subscripts });
    (lane, trouble.unwrap_or(Trouble::Overflow))
}
