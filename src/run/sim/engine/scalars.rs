//! Scalar expressions for up to 64 PEs of one class at once.
//!
//! In: an expression, slots and registers lane by lane, the lanes that count. Out: its value in each of these lanes, the
//! same bits as [`Scalar::value`] gives. A node of the tree is computed for all lanes before its parent, so that walking
//! the tree costs little and the loops are plain.

use super::lanes::{Fault, LANES, Lanes, each_lane, evaluate, is_sparse, try_each_lane};
use systole_base::scalar::{Function, Real};
use systole_program::array::{Scalar, Trouble};

/// Writes the value of `scalar` into `target` in the lanes of the mask.
pub(super) fn assign(
    scalar: &Scalar,
    slots: &[Lanes<i64>],
    registers: &mut [Lanes<f64>],
    target: usize,
    mask: u64,
) -> Result<(), Fault> {
    if is_sparse(mask) {
        return try_each_lane(mask, |lane| {
            let value = scalar.value_of(&|slot: usize| slots[slot][lane], &|register: usize| registers[register][lane]);
            registers[target][lane] = value.ok_or(Trouble::Overflow)?;
            Ok(())
        });
    }
    let mut values = [0.0; LANES];
    fill(&mut values, scalar, slots, registers, mask)?;
    let register = &mut registers[target];
    each_lane(mask, |lane| register[lane] = values[lane]);
    Ok(())
}

/// The value in all lanes, where it is kept or else in the room for it: 64 numbers are too many to be handed about.
fn value<'v>(
    room: &'v mut Lanes<f64>,
    scalar: &Scalar,
    slots: &[Lanes<i64>],
    registers: &'v [Lanes<f64>],
    mask: u64,
) -> Result<&'v Lanes<f64>, Fault> {
    if let Scalar::Register(register) = scalar {
        return Ok(&registers[*register]);
    }
    fill(room, scalar, slots, registers, mask)?;
    Ok(room)
}

/// Writes the value in all lanes.
fn fill(
    values: &mut Lanes<f64>,
    scalar: &Scalar,
    slots: &[Lanes<i64>],
    registers: &[Lanes<f64>],
    mask: u64,
) -> Result<(), Fault> {
    match scalar {
        Scalar::Number(value) => values.fill(*value),
        Scalar::Register(register) => *values = registers[*register],
        Scalar::Index(index) => *values = evaluate(index, slots, mask)?.map(|value| value as f64),
        Scalar::Unary(function, operand) => {
            fill(values, operand, slots, registers, mask)?;
            each_lane(mask, |lane| values[lane] = function.apply(&[values[lane]]));
        }
        Scalar::Binary(function, parts) => {
            let mut rooms = [[0.0; LANES]; 2];
            let [first, second] = &mut rooms;
            let first = value(first, &parts[0], slots, registers, mask)?;
            let second = value(second, &parts[1], slots, registers, mask)?;
            combine(*function, values, [first, second], mask);
        }
        Scalar::Ternary(function, parts) => {
            let [mut second, mut third] = [[0.0; LANES]; 2];
            fill(values, &parts[0], slots, registers, mask)?;
            fill(&mut second, &parts[1], slots, registers, mask)?;
            fill(&mut third, &parts[2], slots, registers, mask)?;
            each_lane(mask, |lane| values[lane] = function.apply(&[values[lane], second[lane], third[lane]]));
        }
        Scalar::Call(_) => values.fill(f64::NAN),
    }
    Ok(())
}

/// Applies a function to two operands. The cheap functions have a loop each, in which the function is known and all lanes
/// are computed.
fn combine(function: Function, values: &mut Lanes<f64>, [first, second]: [&Lanes<f64>; 2], mask: u64) {
    match function {
        Function::Add => pairs(values, first, second, |a, b| a + b),
        Function::Subtract => pairs(values, first, second, |a, b| a - b),
        Function::Multiply => pairs(values, first, second, |a, b| a * b),
        Function::Maximum => pairs(values, first, second, f64::larger),
        Function::Minimum => pairs(values, first, second, f64::smaller),
        _ => each_lane(mask, |lane| values[lane] = function.apply(&[first[lane], second[lane]])),
    }
}

#[inline(always)]
fn pairs(values: &mut Lanes<f64>, first: &Lanes<f64>, second: &Lanes<f64>, apply: impl Fn(f64, f64) -> f64) {
    (0..LANES).for_each(|lane| values[lane] = apply(first[lane], second[lane]));
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The loops of their own compute what the functions do.
    #[test]
    fn every_binary_function_is_itself_in_every_lane() {
        let specials = [0.0, -0.0, 1.5, -3.0, f64::NAN, f64::INFINITY, f64::NEG_INFINITY, 1e308];
        let a: Lanes<f64> = std::array::from_fn(|lane| specials[lane % 8]);
        let b: Lanes<f64> = std::array::from_fn(|lane| specials[lane / 8]);
        for function in Function::ALL.iter().filter(|function| function.arity() == 2) {
            let mut values = [0.0; LANES];
            combine(*function, &mut values, [&a, &b], u64::MAX);
            for lane in 0..LANES {
                let expected = function.apply(&[a[lane], b[lane]]);
                let same = values[lane].to_bits() == expected.to_bits() || (values[lane].is_nan() && expected.is_nan());
                assert!(same, "{function:?} of {} and {}", a[lane], b[lane]);
            }
        }
    }
}
