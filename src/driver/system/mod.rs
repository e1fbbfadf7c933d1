//! The commands for kernels of several spaces: the same stages in the same order, each over all spaces at once.

mod commands;

pub use commands::{emit, explain, prove, run, search};

mod pipeline;

mod words;

mod refusal;

mod setting;

mod show;

use super::arguments::KernelArguments;
use crate::diagnostic::Checked;
use crate::recurrence;

/// Whether a kernel needs more than one space, or reads its own output.
pub fn is_needed(kernel: &KernelArguments) -> Checked<bool> {
    let system = recurrence::load(&super::pipeline::source(&kernel.kernel)?)?;
    Ok(recurrence::one_space(&system).is_err())
}
