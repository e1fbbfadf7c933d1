//! The numbers of a class's instructions: from 0 in the order of the text, a loop or an `if` before what it holds.

use super::{Class, Instruction};

impl Class {
    /// The instruction with this number.
    pub fn instruction(&self, number: usize) -> Option<&Instruction> {
        find(&self.body, &mut { number })
    }
}

/// Counts `left` down on the way.
fn find<'a>(body: &'a [Instruction], left: &mut usize) -> Option<&'a Instruction> {
    for instruction in body {
        if *left == 0 {
            return Some(instruction);
        }
        *left -= 1;
        let found = match instruction {
            Instruction::Loop { body, .. } => find(body, left),
            Instruction::If { then, otherwise, .. } => find(then, left).or_else(|| find(otherwise, left)),
            _ => None,
        };
        if found.is_some() {
            return found;
        }
    }
    None
}
