//! Runs of all back ends, as far as they are looked at alike.

use crate::array::Tensors;
use crate::exec::Execution;
use crate::sim::{Deadlock, Outcome};

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
