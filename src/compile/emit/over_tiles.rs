//! A program of equations over tiles, made one for the user's sizes and arrays.
//!
//! In: a program whose sizes are numbers of tiles and whose leaves are named by their numbers. Out: the same with the leaves,
//! what the numbers of tiles are, and how each array is cut.

use super::body::leaf_name;
use systole_base::integer::Name;
use systole_equations::recurrence::RecurrenceSystem;
use systole_equations::tiles::Tiled;
use systole_program::array::{IndexExpr, Instruction, Program, ScalarExpr};

/// The program over tiles for the sizes and arrays of `system`, the equations that were tiled.
pub fn over_tiles(mut program: Program, tiled: &Tiled, system: &RecurrenceSystem) -> Program {
    let name = |called: &Name| -> Name {
        let known = tiled.leaves.iter().enumerate().find(|(number, _)| leaf_name(*number as u16) == *called);
        known.map_or_else(|| called.clone(), |(_, leaf)| leaf.name.clone())
    };
    program.classes.iter_mut().for_each(|class| rename(&mut class.body, &name));
    program.parameters.clone_from(&system.parameters);
    program.tiles.clone_from(&tiled.counts);
    program.leaves.clone_from(&tiled.leaves);
    for array in &mut program.arrays {
        array.axes = tiled.axes.get(&array.name).cloned().unwrap_or_default();
        array.slant = tiled.slants.get(&array.name).map(|(slant, _)| slant.clone());
        array.straight = tiled.straight.get(&array.name).cloned();
        let shape = system.tensor(&array.name).map_or(&[][..], |tensor| &tensor.shape);
        array.shape = shape.iter().map(IndexExpr::affine).collect();
    }
    program
}

fn rename(body: &mut [Instruction], name: &impl Fn(&Name) -> Name) {
    for instruction in body {
        match instruction {
            Instruction::Loop { body, .. } => rename(body, name),
            Instruction::If { then, otherwise, .. } => {
                rename(then, name);
                rename(otherwise, name);
            }
            Instruction::Let(_, value) | Instruction::Fill(_, _, value) => rename_calls(value, name),
            _ => {}
        }
    }
}

fn rename_calls(value: &mut ScalarExpr, name: &impl Fn(&Name) -> Name) {
    match value {
        ScalarExpr::Number(_) | ScalarExpr::Register(_) | ScalarExpr::Index(_) => {}
        ScalarExpr::Apply(_, arguments) => arguments.iter_mut().for_each(|argument| rename_calls(argument, name)),
        ScalarExpr::Call { leaf, onto, arguments, .. } => {
            *leaf = name(leaf);
            onto.iter_mut().for_each(|onto| rename_calls(onto, name));
            arguments.iter_mut().for_each(|argument| rename_calls(argument, name));
        }
    }
}
