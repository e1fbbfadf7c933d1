//! Which part of the tiles on each channel anybody reads.
//!
//! In: a program over tiles. Out: for each channel the face of its tiles that leaves read, at the receiver or wherever it sends them on
//! to; none where that may be all of a tile. Every body is looked at once, then what channels need is handed back from who receives to
//! who sends until nothing changes. What is stored, driven, worked onto or computed with otherwise is needed whole.
//!
//! The receiver has a tile of the full box, whose lengths it knows; the rest of it holds anything, and NaN in debug
//! builds. So programs, leaves, depths and proofs know of whole tiles alone, and the stated memory is theirs. Threads
//! share tiles; inputs are loaded whole, so all is sent.

use crate::leaf::Face;
use systole_program::array::{ClassCode, Code, Op, Program, Scalar};

/// What is needed of a tile.
#[derive(Clone, Debug, PartialEq)]
enum Need {
    Nothing,
    Part(Face),
    Whole,
}

impl Need {
    /// Adds to it; whether it is more than before.
    fn add(&mut self, other: &Need) -> bool {
        let sum = match (&*self, other) {
            (Need::Whole, _) | (_, Need::Whole) => Need::Whole,
            (need, Need::Nothing) | (Need::Nothing, need) => need.clone(),
            (Need::Part(one), Need::Part(other)) => Need::Part(one.join(other)),
        };
        let is_more = sum != *self;
        *self = sum;
        is_more
    }
}

/// For each channel of the program what is read of its tiles.
pub fn faces(program: &Program, code: &Code) -> Vec<Option<Face>> {
    let mut channels = vec![Need::Nothing; program.channels.len()];
    let mut registers: Vec<Vec<Need>> = code.classes.iter().map(|class| by_leaves(program, class)).collect();
    let mut has_changed = true;
    while has_changed {
        has_changed = false;
        for (class, needs) in code.classes.iter().zip(&mut registers) {
            for op in &class.ops {
                has_changed |= hand_back(class, op, needs, &mut channels);
            }
        }
    }
    let part =
        |need| if let Need::Part(face) = need { Some(face).filter(|face: &Face| !face.is_whole()) } else { None };
    channels.into_iter().map(part).collect()
}

/// What a body itself needs of the tile in each of its registers.
fn by_leaves(program: &Program, class: &ClassCode) -> Vec<Need> {
    let mut needs = vec![Need::Nothing; class.registers];
    for op in &class.ops {
        match op {
            Op::Store { register, .. } | Op::Fill { register, .. } | Op::Drive { register, .. } => {
                _ = needs[*register].add(&Need::Whole);
            }
            Op::Let { value, .. } => visit(program, value, &mut needs),
            _ => {}
        }
    }
    needs
}

fn visit(program: &Program, value: &Scalar, needs: &mut [Need]) {
    match value {
        Scalar::Number(_) | Scalar::Index(_) => {}
        Scalar::Register(register) => _ = needs[*register].add(&Need::Whole),
        Scalar::Unary(_, part) => visit(program, part, needs),
        Scalar::Binary(_, parts) => parts.iter().for_each(|part| visit(program, part, needs)),
        Scalar::Ternary(_, parts) => parts.iter().for_each(|part| visit(program, part, needs)),
        Scalar::Call(call) => {
            let leaf = &program.leaves[call.leaf];
            for (argument, given) in leaf.arguments.iter().zip(&call.arguments) {
                match given {
                    Scalar::Register(register) => _ = needs[*register].add(&Need::Part(Face::of(leaf, argument))),
                    other => visit(program, other, needs),
                }
            }
            call.onto.iter().for_each(|onto| visit(program, onto, needs));
        }
    }
}

/// What one op hands back: from a register to the channel that it comes from, from a channel to the register that is sent.
fn hand_back(class: &ClassCode, op: &Op, needs: &mut [Need], channels: &mut [Need]) -> bool {
    match op {
        Op::Receive { register, port } => channels[class.ports[*port].channel].add(&needs[*register]),
        Op::Send { port, register } => needs[*register].add(&channels[class.ports[*port].channel]),
        _ => false,
    }
}
