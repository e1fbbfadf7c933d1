//! In which order one PE runs the points of several spaces.
//!
//! Where all points of a space on a PE come before all points of another, their loops stand one after the other; spaces
//! that interleave are groups, to be run by the clock, and so are those that share steps. A word that the PE feeds to a bus
//! comes before whatever else it does in the same step, so that who needs it never waits for that.

use super::body::Body;
use super::work::Work;
use std::collections::BTreeMap;
use systole_base::integer::{Affine, Name, Polyhedron, name};

/// The groups of spaces, in the order of time, for the PEs of `set`; `times` are over coordinates and loop indices.
pub fn groups(work: &Work, present: &[usize], set: &Polyhedron) -> Vec<Vec<usize>> {
    let Work { bodies, times, .. } = work;
    let precedes = |a: usize, b: usize| {
        let earlier = || has_earlier(&bodies[a], &times[a], &bodies[b], &times[b], set);
        a != b && (work.share_step(a, b, set) || earlier())
    };
    let size = present.len();
    let mut before: Vec<Vec<bool>> =
        present.iter().map(|a| present.iter().map(|b| precedes(*a, *b)).collect()).collect();
    for middle in 0..size {
        for from in 0..size {
            for to in 0..size {
                before[from][to] |= before[from][middle] && before[middle][to];
            }
        }
    }
    let mut left: Vec<usize> = (0..size).collect();
    let mut groups = vec![];
    while let Some(first) = left.iter().copied().find(|to| is_free(&before, &left, *to)) {
        let (group, rest) =
            left.into_iter().partition(|other| *other == first || (before[first][*other] && before[*other][first]));
        groups.push(group);
        left = rest;
    }
    groups.into_iter().map(|group: Vec<usize>| group.into_iter().map(|member| present[member]).collect()).collect()
}

/// Whether all that comes before `to` also comes after it.
fn is_free(before: &[Vec<bool>], left: &[usize], to: usize) -> bool {
    left.iter().all(|from| !before[*from][to] || before[to][*from])
}

/// Whether some PE of `set` has a point of the first space earlier than one of the second, or in the same step where the first
/// is fed to a bus.
fn has_earlier(one: &Body, time: &Affine, other: &Body, other_time: &Affine, set: &Polyhedron) -> bool {
    let (mut both, later) = both_on_pe((one, time), (other, other_time), set);
    let least = Affine::constant(i64::from(one.feeds.is_none()));
    both.add(later - least);
    !both.is_empty()
}

/// Whether some PE of `set` has a point of each in one step.
pub fn meet(one: (&Body, &Affine), other: (&Body, &Affine), set: &Polyhedron) -> bool {
    let (mut both, later) = both_on_pe(one, other, set);
    [later.clone(), -later].into_iter().for_each(|form| both.add(form));
    !both.is_empty()
}

/// A point of each on a PE of `set`, and how much later that of the second is.
fn both_on_pe(
    (one, time): (&Body, &Affine),
    (other, other_time): (&Body, &Affine),
    set: &Polyhedron,
) -> (Polyhedron, Affine) {
    let marked = |index: &Name| (index.clone(), Affine::variable(&name(&format!("{index} of the other"))));
    let image: BTreeMap<Name, Affine> = other.scan.loops.iter().map(marked).collect();
    let both = one.scan.domain.intersect(&one.scan.ties).intersect(&other.scan.domain.substitute(&image));
    (both.intersect(&other.scan.ties).intersect(set), other_time.substitute(&image) - time.clone())
}
