//! Kernels for which no streams one way lead to an array: spaces are cut where values are computed, so that these stream both ways.
//!
//! In: the spaces of a kernel, and what a search of them has found. Out: the spaces that are cut, to be searched as well, where that
//! may lead to an array that passes all values over its links. The cost decides between both.

use super::{Found, Survey};
use crate::cost::{Cost, Objective};
use crate::rewrite::Transport;
use systole_equations::recurrence::spaces::SpaceSystem;

/// No more spaces than this come of a cut that nobody asked for: one equation in nine pieces, and what comes before and after it. With more
/// of them a search takes many seconds, however small its budget is.
const MOST_SPACES: usize = 11;

/// The search of the spaces that are cut gets one share in so many of the budget.
pub const SHARES_BOTH_WAYS: u64 = 8;

/// Whether a design of the spaces that are cut is better than the best before.
pub fn is_better_both_ways(objective: Objective, found: Option<&Cost>, before: Option<&Cost>) -> bool {
    found.is_some_and(|found| before.is_none_or(|before| objective.key(found) < objective.key(before)))
}

/// The spaces with all that can stream both ways; nothing where the search has an array already that passes all values over links.
pub fn both_ways(system: &SpaceSystem, survey: &Survey) -> Option<SpaceSystem> {
    let asked = system.read_on_both_sides();
    let is_open = !survey.is_stopped && !asked.is_empty();
    if !is_open || survey.front.designs().iter().any(is_array_on_links) {
        return None;
    }
    let cut = system.clone().on_both_sides(&asked).ok()?;
    (cut.spaces.len() <= MOST_SPACES).then_some(cut)
}

/// Whether a design has several PEs that keep nothing in a memory and share no bus.
fn is_array_on_links(found: &Found) -> bool {
    let mut choices = found.parts.iter().flat_map(|part| &part.dataflow.transports);
    found.cost.pes > 1 && found.cost.fanout <= 1 && !choices.any(Transport::is_stored)
}
