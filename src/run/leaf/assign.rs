//! The value of a `let` over tiles.
//!
//! In: an expression, and what slots and registers hold. Out: its tile. A function of tiles is applied element by element,
//! where a uniform tile stands for any box. Parts are evaluated from the left to the right, and what a leaf's result is begun
//! with after its arguments.

use super::routine::Few;
use super::{Buffer, Element, Leaves, Tile};
use std::sync::Arc;
use systole_base::scalar::Function;
use systole_program::array::{Assignment, Call, Scalar, Trouble};

/// No function has more arguments.
const MOST_ARGUMENTS: usize = 3;

/// Computes a `let`. Where a leaf works onto the register that is written anyway, the tile is taken out of it, so that it
/// is worked on in place unless somebody else holds it.
///
/// # Errors
/// Numbers that do not fit, tiles of different boxes.
pub fn assign<E: Element>(
    leaves: &Leaves,
    assignment: Assignment<'_>,
    slots: &[i64],
    registers: &mut [Tile<E>],
) -> Result<Tile<E>, Trouble> {
    begin(leaves, (assignment.value, assignment.register), slots, registers)
}

/// Evaluates what stands at the root of a `let`, or is the tile that its root is begun with: nothing is read after it.
fn begin<E: Element>(
    leaves: &Leaves,
    (value, target): (&Scalar, usize),
    slots: &[i64],
    registers: &mut [Tile<E>],
) -> Result<Tile<E>, Trouble> {
    let Scalar::Call(call) = value else { return read(leaves, value, slots, registers) };
    let Call { leaf, onto, at, arguments } = &**call;
    let mut tiles = Few::<Tile<E>>::new();
    for argument in arguments {
        tiles.push(read(leaves, argument, slots, registers)?);
    }
    let onto = match onto {
        Some(Scalar::Register(register)) if *register == target => {
            Some(std::mem::replace(&mut registers[target], Tile::Uniform(E::NAN)))
        }
        Some(onto) => Some(begin(leaves, (onto, target), slots, registers)?),
        None => None,
    };
    let mut coordinates = Few::<i64>::new();
    for entry in at {
        coordinates.push(entry.value(slots).ok_or(Trouble::Overflow)?);
    }
    leaves.call(*leaf, &coordinates, onto, &tiles)
}

fn read<E: Element>(leaves: &Leaves, value: &Scalar, slots: &[i64], registers: &[Tile<E>]) -> Result<Tile<E>, Trouble> {
    evaluate(leaves, value, &|slot: usize| slots[slot], &|register: usize| registers[register].clone())
}

/// The tile of an expression where `slot` and `register` give slots and registers.
///
/// # Errors
/// As for [`assign`].
pub fn evaluate<E: Element>(
    leaves: &Leaves,
    value: &Scalar,
    slot: &impl Fn(usize) -> i64,
    register: &impl Fn(usize) -> Tile<E>,
) -> Result<Tile<E>, Trouble> {
    let part = |part: &Scalar| evaluate(leaves, part, slot, register);
    match value {
        Scalar::Number(number) => Ok(Tile::Uniform(E::rounded(*number))),
        Scalar::Register(number) => Ok(register(*number)),
        Scalar::Index(index) => Ok(Tile::Uniform(E::rounded(index.value_of(slot).ok_or(Trouble::Overflow)? as f64))),
        Scalar::Unary(function, operand) => apply(*function, &[part(operand)?]),
        Scalar::Binary(function, parts) => apply(*function, &[part(&parts[0])?, part(&parts[1])?]),
        Scalar::Ternary(function, parts) => apply(*function, &[part(&parts[0])?, part(&parts[1])?, part(&parts[2])?]),
        Scalar::Call(call) => {
            let arguments = call.arguments.iter().map(part).collect::<Result<Vec<Tile<E>>, Trouble>>()?;
            let onto = call.onto.as_ref().map(part).transpose()?;
            let at: Option<Vec<i64>> = call.at.iter().map(|entry| entry.value_of(slot)).collect();
            leaves.call(call.leaf, &at.ok_or(Trouble::Overflow)?, onto, &arguments)
        }
    }
}

/// A function of tiles, element by element.
fn apply<E: Element>(function: Function, tiles: &[Tile<E>]) -> Result<Tile<E>, Trouble> {
    let mut operands =
        tiles.iter().filter_map(|tile| if let Tile::Values(values) = tile { Some(values) } else { None });
    let Some(first) = operands.next() else { return Ok(Tile::Uniform(apply_at(function, tiles, 0))) };
    let needed = first.len();
    if let Some(other) = operands.find(|other| other.len() != needed) {
        return Err(Trouble::OtherBox { needed, found: other.len() });
    }
    let values: Buffer<E> = (0..needed).map(|at| apply_at(function, tiles, at)).collect();
    Ok(Tile::Values(Arc::new(values.over(first.lengths()))))
}

fn apply_at<E: Element>(function: Function, tiles: &[Tile<E>], at: usize) -> E {
    let mut operands = [0.0; MOST_ARGUMENTS];
    for (operand, tile) in operands.iter_mut().zip(tiles) {
        *operand = tile.at(at).double();
    }
    E::rounded(function.apply(&operands[..tiles.len()]))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tile(values: &[f64]) -> Tile {
        Tile::Values(Arc::new(values.into()))
    }

    #[test]
    fn a_uniform_tile_stands_for_any_box() {
        let (two, three) = (Tile::Uniform(2.0), tile(&[1.0, -3.0, 0.5]));
        assert_eq!(apply(Function::Multiply, &[two.clone(), three.clone()]), Ok(tile(&[2.0, -6.0, 1.0])));
        assert_eq!(apply(Function::Subtract, &[three.clone(), two.clone()]), Ok(tile(&[-1.0, -5.0, -1.5])));
        assert_eq!(apply(Function::Add, &[two.clone(), two]), Ok(Tile::Uniform(4.0)));
        let refused = apply(Function::Add, &[three, tile(&[1.0])]);
        assert_eq!(refused, Err(Trouble::OtherBox { needed: 3, found: 1 }));
    }
}
