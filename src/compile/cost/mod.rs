//! What a design costs on a machine.
//!
//! In: a machine, sizes, and a design's flows. Out: a [`Cost`] vector whose entries say in words what one unit is.
//! Everything is counted exactly, from the inequalities of the space and not point by point where the space is a box, so
//! the cost of costing does not grow with the array. Paper: R-Stream's machine models; Cyclotron section 9.1.

mod images;

mod region;

mod vector;

mod work;

pub use images::Images;
pub use region::Region;
pub use vector::{Cost, Objective, unbeaten};
pub use work::predicted_work;
