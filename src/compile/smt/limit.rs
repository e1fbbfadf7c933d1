//! What each question to the solver is asked with.

use solver::z3::{Params, set_global_param};
use std::sync::Once;
use std::time::Duration;

/// A limit in whole milliseconds, one at least, and as many as fit. Z3 is told once to leave Ctrl-C alone: else it hears it in place of
/// whoever called us, gives up what it is asked just then, and nobody else knows of it.
pub(super) fn within(limit: Duration) -> Params {
    static TOLD: Once = Once::new();
    TOLD.call_once(|| set_global_param("ctrl_c", "false"));
    // The largest number would be no limit.
    let milliseconds = u32::try_from(limit.as_millis()).unwrap_or(u32::MAX - 1).max(1);
    let mut parameters = Params::new();
    parameters.set_u32("timeout", milliseconds);
    parameters
}
