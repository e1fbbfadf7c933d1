//! Runs of all back ends, as far as they are looked at alike: their outputs, their verdict, what they are held against.

use super::agreement::Agreement;
use crate::driver::Verdict;
use crate::driver::shown::output::Output;
use systole_base::diagnostic::Diagnostic;
use systole_program::array::Tensors;
use systole_run::exec::Execution;
use systole_run::shared::Deadlock;
use systole_run::sim::Outcome;

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

/// Says how a run compares with the reference, where there is one.
pub fn say_agreement(agreement: Option<&Agreement>, output: &Output) {
    if let Some(agreement) = agreement {
        output.line(&format!("  {agreement}"));
    }
}

/// A deadlock is said on standard error; it, and values that differ, refute the run. In what way they differ is a line of the table, and a
/// message where there is none.
pub fn verdict(outcome: &impl Finished, differs: Option<&str>, output: &Output) -> Verdict {
    match (outcome.deadlock(), differs) {
        (Some(deadlock), _) => output.diagnostics(&[deadlock.to_diagnostic()]),
        (None, Some(how)) if output.is_json() => {
            output.diagnostics(&[Diagnostic::new(format!("the run {how}"))]);
        }
        (None, _) => {}
    }
    if outcome.deadlock().is_some() || differs.is_some() { Verdict::Refuted } else { Verdict::Good }
}
