//! What a kernel is run on: sizes and inputs, which follow from the seed, the kernel's number and the names alone, so that a kernel
//! that is made smaller keeps them.

use crate::choices::Choices;
use crate::kernel::{Kernel, Scope};
use crate::meaning::{Array, Arrays, extents};
use crate::value::Number;

/// At how many sizes a kernel is run.
pub const RUNS: usize = 3;

/// The sizes of one run; at the last one all are 1.
pub fn sizes(kernel: &Kernel, seed: u64, number: u64, run: usize) -> Scope {
    let size = |name: &String| match run {
        0 => *choices(seed, number, name, run).pick(&[2, 3, 3, 4, 5]),
        1 => *choices(seed, number, name, run).pick(&[1, 2, 4, 6]),
        _ => 1,
    };
    kernel.parameters.iter().map(|name| (name.clone(), size(name))).collect()
}

/// What the elements of a kernel's inputs are.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Elements {
    /// Small whole numbers, both zeros among them, whose sums are the same in every order.
    Whole,
    /// The same with infinities and NaN among them.
    Special,
    /// Numbers whose sums are rounded.
    Rounded,
}

/// The inputs of one run.
pub fn inputs(kernel: &Kernel, seed: u64, number: u64, run: usize, sizes: &Scope) -> Arrays {
    let weights = [(68, Elements::Whole), (16, Elements::Special), (16, Elements::Rounded)];
    let elements = Choices::new(seed ^ 0x5eed, number).weighted(&weights);
    let fill = |name: &str, extents: Vec<usize>| {
        let choices = &mut choices(seed, number, name, run);
        let values = (0..extents.iter().product()).map(|_| Number::exact(element(elements, choices))).collect();
        Array { extents, values }
    };
    kernel.given().map(|tensor| (tensor.name.clone(), fill(&tensor.name, extents(&tensor.shape, sizes)))).collect()
}

fn element(elements: Elements, choices: &mut Choices) -> f64 {
    let whole = choices.choose(8) as f64 - 3.0;
    match elements {
        Elements::Special if choices.percent(30) => {
            *choices.pick(&[f64::NAN, f64::INFINITY, f64::NEG_INFINITY, -0.0, 0.0])
        }
        Elements::Rounded => whole + choices.choose(1000) as f64 / 1000.0,
        _ if choices.percent(4) => -0.0,
        _ => whole,
    }
}

fn choices(seed: u64, number: u64, name: &str, run: usize) -> Choices {
    let hash = name.bytes().fold(run as u64 + 7, |hash, byte| hash.wrapping_mul(31).wrapping_add(u64::from(byte)));
    Choices::new(seed ^ hash, number)
}
