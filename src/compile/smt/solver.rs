//! Whether there is a solver, and which.

use solver::{Missing, WAYS, load, z3};
use systole_base::diagnostic::{Checked, Diagnostic, MessageCode};

/// Why nothing is decided where there is none.
pub(super) const NOT_FOUND: &str = "Z3 was not found";

/// Loads the solver, where it is not part of the program. Whoever begins work that asks it calls this first: later it is only said that
/// questions were not decided.
///
/// # Errors
/// There is none: where it was looked for, and what to do.
pub fn find_solver() -> Checked<()> {
    load().map_err(|Missing { reasons }| {
        let missing =
            Diagnostic::new(format!("{NOT_FOUND}, which proofs and searches need")).about(MessageCode::Solver);
        let looked_at = reasons.join("\n");
        vec![missing.note(looked_at).help(format!("any one of these is enough:\n{}", WAYS.join("\n")))]
    })
}

/// Whether there is one to ask.
pub(super) fn is_there() -> bool {
    load().is_ok()
}

/// Which solver answers: `Z3` and its version. None is there where there is no solver.
pub fn version() -> Option<String> {
    is_there().then(|| format!("Z3 {}", z3::full_version()))
}
