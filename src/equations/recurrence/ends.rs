//! Where the lines of a reduction end.

use super::Space;
use systole_base::integer::{Affine, Polyhedron, dot};

/// The points of `set` whose successor along `direction` leaves it, where that is a single face.
pub fn ends(space: &Space, set: &Polyhedron, direction: &[i64]) -> Option<Polyhedron> {
    let slope = |form: &Affine| dot(&form.row(space.indices()), direction);
    let mut falling = set.constraints().iter().filter(|form| slope(form) < 0);
    let (face, none) = (falling.next()?, falling.next());
    if none.is_some() {
        return None;
    }
    let mut end = set.clone();
    end.add(-face.clone() - Affine::constant(slope(face) + 1));
    Some(end)
}
