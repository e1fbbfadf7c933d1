//! The per-PE program: one text for every size, run by the simulator, by threads and by MPI ranks alike.
//!
//! In: a proved design. Out: a [`Program`]. It prints, parses back and is validated on its own; the back ends know
//! nothing else of the kernel. Paper: Cyclotron section 6, Figure 14.

mod program;

mod index;

pub mod emit;

pub use program::{
    ArrayDecl, Bus, Channel, Class, Comparison, Condition, Coordinate, IndexExpr, Instruction, Program, ScalarExpr,
};
