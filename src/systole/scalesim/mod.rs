//! Files of SCALE-Sim, a simulator of systolic arrays whose counts the field compares with.
//!
//! In: a configuration (`.cfg`) and a topology (`.csv`). Out: a machine with its dataflow, layers as products of matrices, what of a
//! layer fits the array at once, the cycles of our design for all of it, and those that SCALE-Sim counts.
//!
//! A layer is a product of M by N by K, where a convolution has M places of its filters, N filters, and K weights in each.
//! A *fold* is the part of it that fits an array of R by C PEs; T is the extent that streams past. SCALE-Sim walks the whole array for
//! every fold, and fills it first where something stays, so its last cycle has the number `folds (T + R + C - 2 + fill) - 1`.
//! Source: Samajdar et al., ISPASS 2020, section III; `tests/oracles/scalesim.csv` and `scalesim_layers.csv` have what it counted.

mod lines;

mod configuration;

mod topology;

mod portions;

mod design;

pub use configuration::Configuration;
pub use design::FoldedDesign;
pub use portions::{Dataflow, Portions};
pub use topology::{Layer, topology};
