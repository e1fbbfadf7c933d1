//! What each question to the solver is asked with.

use std::sync::Once;
use z3::{Params, set_global_param};

/// So many milliseconds. Z3 is told once to leave Ctrl-C alone: else it hears it in place of whoever called us, gives up what it is asked just
/// then, and nobody else knows of it.
pub(super) fn within(milliseconds: u32) -> Params {
    static TOLD: Once = Once::new();
    TOLD.call_once(|| set_global_param("ctrl_c", "false"));
    let mut limit = Params::new();
    limit.set_u32("timeout", milliseconds);
    limit
}
