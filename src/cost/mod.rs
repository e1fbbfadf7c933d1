//! Machines, and what a design costs on one.
//!
//! In: a machine file, sizes, and a design's flows. Out: a [`Cost`] vector whose entries say in words what one unit is.
//! Everything is counted exactly, from the inequalities of the space and not point by point where the space is a box, so
//! the cost of costing does not grow with the array. Paper: R-Stream's machine models; Cyclotron section 9.1.

mod bandwidth;

mod cluster;

mod energy;

mod images;

mod machine;

mod rate;

mod region;

mod times;

mod vector;

mod work;

pub use bandwidth::Bandwidth;
pub use cluster::{Cluster, LIBRARIES, OTHER, TASKS, library};
pub use energy::Energy;
pub use images::Images;
pub use machine::{Buses, Key, Machine, Slot, keys};
pub use rate::{Rate, Warmth};
pub use region::Region;
pub use times::{OperationTime, Times};
pub use vector::{Cost, Objective};
pub use work::{Operations, Work};
