//! Saturation stops by itself, and the choices are exactly those expected.

use crate::kernels;
use systole::recurrence::Space;
use systole::rewrite::{Choices, Limits, Lowered, load_rules, saturate};

pub fn lower(space: &Space) -> Lowered {
    saturate(space, &load_rules(None).unwrap(), &Limits::default()).unwrap()
}

/// `A: stream <-j>, stream <j>; C: <-k> | <k>`, one line an operand.
pub fn show(space: &Space, choices: &Choices) -> Vec<String> {
    let mut lines: Vec<String> = space
        .operands
        .iter()
        .zip(&choices.transports)
        .map(|(operand, list)| {
            let words: Vec<String> = list.iter().map(|transport| transport.show(space)).collect();
            format!("{}: {}", operand.tensor, words.join(", "))
        })
        .collect();
    let chains: Vec<String> = choices
        .chains
        .iter()
        .map(|chain| chain.directions.iter().map(|d| space.show_direction(d)).collect::<Vec<_>>().join(" "))
        .collect();
    lines.push(format!("{}: {}", space.output, chains.join(", ")));
    lines
}

#[test]
fn print() {
    for space in [
        kernels::matmul(),
        kernels::matvec(),
        kernels::fir(),
        kernels::wide_fir(),
        kernels::polynomial(),
        kernels::mttkrp(),
        kernels::ttm(),
        kernels::elementwise(),
        kernels::scaled(),
        kernels::convolution(),
        kernels::syrk(),
        kernels::outer(),
    ] {
        let lowered = lower(&space);
        println!("{} {:?}", space.kernel, lowered.report);
        println!("{:#?}", show(&space, &lowered.choices().unwrap()));
    }
}
