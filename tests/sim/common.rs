//! Programs, sizes, arrays, and the textbook product.

use ndarray::{Array2, ArrayD, Ix2};
use systole_base::integer::{Bindings, name};
use systole_equations::recurrence::Role;
use systole_program::array::{Loads, Program, Tensors, parse};
use systole_run::sim::{Outcome, Settings, simulate};

/// A program that must parse.
pub fn program(text: &str) -> Program {
    parse("test.pe", text).unwrap_or_else(|faults| panic!("{}", systole_base::diagnostic::render(&faults, false)))
}

/// The program on channels and buses that take so many cycles.
pub fn linked(mut program: Program, latency: u64, bus_latency: u64) -> Program {
    program.channels.iter_mut().for_each(|channel| channel.latency = latency);
    program.buses.iter_mut().for_each(|bus| bus.latency = bus_latency);
    program
}

/// The program with the words of its inputs asked for ahead, as if so many loads were proved to be enough at this latency.
pub fn asked_ahead(mut program: Program, latency: u64, outstanding: u64) -> Program {
    let inputs = program.arrays.iter_mut().filter(|array| array.role == Role::Input);
    inputs.for_each(|array| array.loads = Some(Loads { latency, outstanding }));
    program
}

/// Sizes by name.
pub fn sizes(pairs: &[(&str, i64)]) -> Bindings {
    pairs.iter().map(|(key, value)| (name(key), *value)).collect()
}

/// Whole numbers in no pattern, so that sums are exact in any order.
pub fn matrix(rows: usize, columns: usize, seed: u64) -> ArrayD<f64> {
    let entry = |(row, column): (usize, usize)| ((row as u64 * 31 + column as u64 * 17 + seed * 13) % 23) as f64 - 11.0;
    Array2::from_shape_fn((rows, columns), entry).into_dyn()
}

/// Arrays by name.
pub fn tensors(pairs: Vec<(&str, ArrayD<f64>)>) -> Tensors {
    pairs.into_iter().map(|(key, value)| (name(key), value)).collect()
}

/// The product of `A` and `B`.
pub fn product(inputs: &Tensors) -> ArrayD<f64> {
    let plain = |key: &str| inputs[&name(key)].clone().into_dimensionality::<Ix2>().unwrap();
    plain("A").dot(&plain("B")).into_dyn()
}

/// A run that must not be refused.
pub fn run(program: &Program, sizes: &Bindings, inputs: &Tensors, settings: &Settings) -> Outcome {
    simulate(program, sizes, inputs, settings)
        .unwrap_or_else(|faults| panic!("{}", systole_base::diagnostic::render(&faults, false)))
}

/// The messages of a run that must be refused.
pub fn refusal(text: &str, sizes: &Bindings, inputs: &Tensors) -> String {
    let faults = simulate(&program(text), sizes, inputs, &Settings::default()).expect_err("the run must be refused");
    faults.iter().map(|fault| format!("{fault}\n")).collect()
}
