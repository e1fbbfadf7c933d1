//! In which order a PE runs the points of several spaces in one step.
//!
//! In: a design with steps, under which what a PE computes may be read in the step in which it is computed. Out: a position for each space.
//! A space that reads so comes behind the one it reads from. Where spaces read from each other so, some of these readings go
//! against the order; they need a step of their own, which the conditions on the steps then say.

use crate::mapping::{Design, Handoff};
use systole_base::integer::{Affine, Polyhedron};

/// The positions of the spaces within a step.
pub fn positions(timed: &Design, handoffs: &[Handoff]) -> Vec<usize> {
    let count = timed.parts.len();
    let within = handoffs.iter().filter(|handoff| is_within_step(timed, handoff));
    let read: Vec<(usize, usize)> = within.filter_map(|handoff| Some((handoff.given()?.0, handoff.reader))).collect();
    let mut positions: Vec<Option<usize>> = vec![None; count];
    for _ in 0..count {
        let left = (0..count).filter(|space| positions[*space].is_none());
        let givers = |space: usize| read.iter().filter(move |(_, reader)| *reader == space).map(|(giver, _)| *giver);
        let open = |space: &usize| givers(*space).filter(|giver| positions[*giver].is_none()).count();
        let Some(next) = left.min_by_key(open) else { break };
        positions[next] =
            Some(givers(next).filter_map(|giver| positions[giver]).map(|last| last + 1).max().unwrap_or(0));
    }
    positions.into_iter().map(Option::unwrap_or_default).collect()
}

/// Whether some point reads in the step, and on the PE, in which another space computes.
fn is_within_step(timed: &Design, handoff: &Handoff) -> bool {
    let Some(delay) = timed.handoff_delay(handoff) else { return false };
    if !timed.may_share_step(handoff) {
        return false;
    }
    let both = |form: &Affine| [form.clone(), -form.clone()];
    let sizes = Polyhedron::sizes(&timed.system.parameters);
    let mut within = handoff.divided_set().intersect(&sizes);
    delay.iter().flat_map(both).for_each(|form| within.add(form));
    !within.is_empty()
}
