//! Whether a system means something: accesses in bounds, every element defined once, no element defined by itself.
//!
//! In: a lowered system. Out: nothing, or every failure with its smallest counterexample. Bounds are proved for all
//! sizes where projection can prove them; the rest is decided by enumeration of small sizes, so a failure that needs
//! larger ones is left for [`evaluate`](fn@super::evaluate) to report.

mod bounds;

pub(super) use bounds::{Context, can_leave};

mod definitions;

mod cycles;

pub use cycles::cycle_of_groups;

use super::RecurrenceSystem;
use systole_base::diagnostic::{Checked, Diagnostics};

/// Reports every access out of bounds, every element defined twice or never, and a cycle of definitions.
pub fn validate(system: &RecurrenceSystem) -> Checked<()> {
    let mut errors: Diagnostics = bounds::check_bounds(system);
    // Where elements are missing or double, the graph of their dependences says nothing.
    if errors.is_empty() {
        errors.extend(definitions::check_definitions(system));
    }
    if errors.is_empty() {
        errors.extend(cycles::check_cycles(system));
    }
    if errors.is_empty() { Ok(()) } else { Err(errors) }
}
