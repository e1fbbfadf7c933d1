//! Whether there is a solver, and which.

use solver::{Missing, WAYS, load, z3};
use systole_base::diagnostic::{Checked, Diagnostic, MessageCode};

/// Loads the solver, where it is not part of the program. Whoever begins work that asks it calls this first: later there is
/// nobody to tell.
///
/// # Errors
/// There is none: where it was looked for, and what to do.
pub fn find_solver() -> Checked<()> {
    load().map_err(|Missing { reasons }| {
        let missing = Diagnostic::new("Z3 is not there, which proofs and searches need").about(MessageCode::Solver);
        let looked_at = reasons.join("\n");
        vec![missing.note(looked_at).help(format!("any one of these is enough:\n{}", WAYS.join("\n")))]
    })
}

/// Which solver answers: `Z3` and its version. None is there where there is no solver.
pub fn version() -> Option<String> {
    load().is_ok().then(|| format!("Z3 {}", z3::full_version()))
}
