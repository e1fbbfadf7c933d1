//! Empty tiles around inputs whose readers' tiles do not line up with theirs, such as `x[i - k]` with tiles of `i` and of `k`.
//!
//! Which tile of `x` an element lies in depends on the sizes there, so a leaf is given each tile that it may be. At the ends
//! that is one too many, which has no elements but has to be a tile.

use super::Axis;
use super::axes::Axes;
use super::coarse::{tiles_met, tiles_of, within};
use super::source::Contribution;
use super::writer::within_axis;
use crate::recurrence::{RecurrenceSystem, Role};
use systole_base::integer::{Affine, Name, Polyhedron};

/// No input has more empty tiles at an end.
const MOST: i64 = 4;

impl Axes {
    /// Gives inputs the empty tiles that their readers ask for; `sizes` is what holds of the numbers of tiles.
    pub fn add_margins(&mut self, system: &RecurrenceSystem, parts: &[Contribution], sizes: &Polyhedron) {
        let inputs: Vec<&Name> = system.tensors_with(Role::Input).map(|tensor| &tensor.name).collect();
        for (number, part) in parts.iter().enumerate() {
            let tiles = tiles_of(&part.set, self.of(number)).intersect(sizes);
            let along = within(&tiles, self.of(number));
            for read in part.reads.iter().filter(|read| inputs.contains(&&read.tensor)) {
                for (dimension, form) in read.access.iter().enumerate() {
                    let axis = &mut self.of_tensor_mut(&read.tensor)[dimension];
                    let met = tiles_met(form, &Axis { margin: 0, ..axis.clone() }, &along);
                    axis.margin =
                        (axis.margin..=MOST).find(|margin| fits(&met, axis, *margin, &tiles)).unwrap_or(axis.margin);
                }
            }
        }
    }
}

/// Whether these tiles, counted from the first that has elements, are all there with so many empty ones at either end.
fn fits(met: &[Affine], axis: &Axis, margin: i64, cell: &Polyhedron) -> bool {
    let axis = Axis { margin, ..axis.clone() };
    let within = |tile: &Affine| within_axis(&(tile.clone() + Affine::constant(margin)), &axis);
    met.iter().flat_map(within).all(|form| cell.implies(&form))
}
