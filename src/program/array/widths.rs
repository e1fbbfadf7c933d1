//! How many elements a word has at most, by where it is.
//!
//! In: code, the most elements of what its leaves give, and its arrays. Out: the most elements of a word in each register, on each
//! channel and on each bus: what is loaded or given there, and whatever goes on from there. A number has one.

use super::code::{Call, ClassCode, Layout, Op, Scalar};

/// The most elements of a word, at least 1 everywhere.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Widths {
    /// For each class its registers.
    pub registers: Vec<Vec<u64>>,
    /// For each channel of the program.
    pub channels: Vec<u64>,
    /// For each bus of the program.
    pub buses: Vec<u64>,
    /// For each scratchpad.
    pub scratchpads: Vec<u64>,
    /// For each array.
    pub arrays: Vec<u64>,
    /// For each leaf what it gives.
    pub leaves: Vec<u64>,
}

impl Widths {
    /// Follows words from where they begin until none grows.
    pub(super) fn of(
        classes: &[ClassCode],
        arrays: &[Layout],
        leaves: Vec<u64>,
        [channels, buses, scratchpads]: [usize; 3],
    ) -> Widths {
        let mut widths = Widths {
            registers: classes.iter().map(|class| vec![1; class.registers]).collect(),
            channels: vec![1; channels],
            buses: vec![1; buses],
            scratchpads: vec![1; scratchpads],
            arrays: arrays.iter().map(|layout| layout.largest_word().max(1) as u64).collect(),
            leaves,
        };
        loop {
            let before = widths.clone();
            classes.iter().enumerate().for_each(|(number, class)| widths.follow(number, class));
            if widths == before {
                return widths;
            }
        }
    }

    /// The most elements of all.
    pub fn largest(&self) -> u64 {
        self.arrays.iter().chain(&self.leaves).copied().max().unwrap_or(1)
    }

    /// The most elements of a word that goes from PE to PE.
    pub fn largest_moved(&self) -> u64 {
        self.channels.iter().chain(&self.buses).copied().max().unwrap_or(1)
    }

    /// The most elements of a word that is loaded or stored.
    pub fn largest_loaded(&self) -> u64 {
        self.arrays.iter().copied().max().unwrap_or(1)
    }

    /// Each word of a class once more to where its ops bring it.
    fn follow(&mut self, number: usize, class: &ClassCode) {
        for op in &class.ops {
            let registers = &mut self.registers[number];
            match op {
                Op::Load { register, array, .. } | Op::Local { register, array, .. } => {
                    widen(&mut registers[*register], self.arrays[*array]);
                }
                Op::Receive { register, port } => {
                    widen(&mut registers[*register], self.channels[class.ports[*port].channel]);
                }
                Op::Listen { register, tap, .. } => widen(&mut registers[*register], self.buses[class.taps[*tap]]),
                Op::Let { register, value, .. } => {
                    let width = width(value, registers, &self.leaves);
                    widen(&mut registers[*register], width);
                }
                Op::Recall { register, pad, .. } => widen(&mut registers[*register], self.scratchpads[*pad]),
                Op::Keep { pad, register, .. } => widen(&mut self.scratchpads[*pad], registers[*register]),
                Op::Send { port, register } => {
                    widen(&mut self.channels[class.ports[*port].channel], registers[*register]);
                }
                Op::Drive { tap, register, .. } => widen(&mut self.buses[class.taps[*tap]], registers[*register]),
                _ => {}
            }
        }
    }
}

fn widen(width: &mut u64, to: u64) {
    *width = to.max(*width);
}

/// The most elements of an expression: functions of tiles are taken element by element.
fn width(value: &Scalar, registers: &[u64], leaves: &[u64]) -> u64 {
    let widest = |parts: &[Scalar]| parts.iter().map(|part| width(part, registers, leaves)).max().unwrap_or(1);
    match value {
        Scalar::Number(_) | Scalar::Index(_) => 1,
        Scalar::Register(register) => registers[*register],
        Scalar::Unary(_, part) => width(part, registers, leaves),
        Scalar::Binary(_, parts) => widest(&parts[..]),
        Scalar::Ternary(_, parts) => widest(&parts[..]),
        Scalar::Call(call) => {
            let Call { leaf, onto, .. } = &**call;
            onto.as_ref().map_or(1, |onto| width(onto, registers, leaves)).max(leaves[*leaf])
        }
    }
}
