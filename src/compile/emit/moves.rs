//! When a point has a predecessor or a successor along a direction, as conditions on coordinates and loop indices.

use super::scan::Scan;
use systole_base::integer::{Affine, Polyhedron, dot};
use systole_equations::recurrence::Space;

/// The conditions under which `x - direction` lies in `set` for a point `x` of `set`.
pub fn has_previous(space: &Space, scan: &Scan, set: &Polyhedron, direction: &[i64]) -> Vec<Affine> {
    has_neighbour(space, scan, set, direction, -1)
}

/// The conditions under which `x + direction` lies in `set` for a point `x` of `set`.
pub fn has_next(space: &Space, scan: &Scan, set: &Polyhedron, direction: &[i64]) -> Vec<Affine> {
    has_neighbour(space, scan, set, direction, 1)
}

/// Only constraints that the step brings nearer to zero can fail at the neighbour.
fn has_neighbour(space: &Space, scan: &Scan, set: &Polyhedron, direction: &[i64], sign: i64) -> Vec<Affine> {
    let change = |form: &Affine| sign * dot(&form.row(space.indices()), direction);
    let falling = set.constraints().iter().filter(|form| change(form) < 0);
    falling.map(|form| scan.image(form) + Affine::constant(change(form))).collect()
}
