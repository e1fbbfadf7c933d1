//! Runs of all back ends, as far as they are looked at alike: their outputs, their verdict, what they are held against.

use crate::array::Tensors;
use crate::diagnostic::{Checked, Diagnostic, render};
use crate::driver::Verdict;
use crate::driver::shown::output::Output;
use crate::exec::Execution;
use crate::integer::Name;
use crate::sim::{Deadlock, Outcome};
use ndarray::{ArrayD, Dimension};

/// A run that has ended.
pub trait Finished {
    /// The output arrays.
    fn outputs(&self) -> &Tensors;

    /// Who waits for whom, where it could not go on.
    fn deadlock(&self) -> Option<&Deadlock>;
}

impl Finished for Outcome {
    fn outputs(&self) -> &Tensors {
        &self.outputs
    }

    fn deadlock(&self) -> Option<&Deadlock> {
        self.deadlock.as_ref()
    }
}

impl Finished for Execution {
    fn outputs(&self) -> &Tensors {
        &self.outputs
    }

    fn deadlock(&self) -> Option<&Deadlock> {
        self.deadlock.as_ref()
    }
}

/// Whether a run came to its end with these outputs, bit for bit.
pub fn agrees(expected: &Tensors, outcome: &impl Finished) -> bool {
    outcome.deadlock().is_none() && expected.iter().all(|(name, array)| same_bits(outcome.outputs().get(name), array))
}

/// How far a library that sums in an order of its own may be off, relative to the largest magnitude of an array.
const CLOSE: f64 = 1e-10;

/// Whether a run came to its end with nearly these outputs.
pub fn agrees_closely(expected: &Tensors, outcome: &impl Finished) -> bool {
    let is_close = |mine: &ArrayD<f64>, theirs: &ArrayD<f64>| {
        let scale = theirs.iter().fold(0.0_f64, |largest, value| largest.max(value.abs()));
        mine.shape() == theirs.shape() && mine.iter().zip(theirs.iter()).all(|(a, b)| (a - b).abs() <= CLOSE * scale)
    };
    let found = |name: &Name, array| outcome.outputs().get(name).is_some_and(|mine| is_close(mine, array));
    outcome.deadlock().is_none() && expected.iter().all(|(name, array)| found(name, array))
}

/// Refuses a reference that holds what is not a number, which would equal nothing, or anything.
pub fn check_numbers(output: &str, expected: &ArrayD<f64>) -> Checked<()> {
    let Some((at, _)) = expected.indexed_iter().find(|(_, value)| value.is_nan()) else { return Ok(()) };
    let element = at.slice().iter().map(usize::to_string).collect::<Vec<_>>().join(", ");
    Diagnostic::new(format!(
        "`{output}[{element}]` is not a number for these inputs, so nothing can be compared with it"
    ))
    .help("give other inputs, or say what they are, as in `in A[N, N] is positive_definite`")
    .alone()
}

/// Whether an array is there with the same shape and the same bits.
fn same_bits(mine: Option<&ArrayD<f64>>, theirs: &ArrayD<f64>) -> bool {
    mine.is_some_and(|mine| {
        mine.shape() == theirs.shape() && mine.iter().zip(theirs.iter()).all(|(a, b)| a.to_bits() == b.to_bits())
    })
}

/// Says how a run compares with the reference, where there is one.
pub fn say_agreement(agrees: Option<bool>, output: &Output) {
    if let Some(agrees) = agrees {
        output.line(&format!("  {} the reference", if agrees { "matches" } else { "DIFFERS from" }));
    }
}

/// A deadlock is said on standard error; it, and values that differ, refute the run.
pub fn verdict(outcome: &impl Finished, agrees: Option<bool>, output: &Output) -> Verdict {
    if let Some(deadlock) = outcome.deadlock() {
        output.error(&render(&[deadlock.to_diagnostic()], output.has_colour()));
    }
    if outcome.deadlock().is_some() || agrees == Some(false) { Verdict::Refuted } else { Verdict::Good }
}
