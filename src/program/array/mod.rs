//! The per-PE program: one text for every size, run by the simulator, by threads and by MPI ranks alike.
//!
//! In: a proved design. Out: a [`Program`]. It prints, parses back and is validated on its own; the back ends know
//! nothing else of the kernel. For given sizes it compiles to flat [`Code`] without any notion of time, which every back
//! end runs through [`resume`] with its own [`Environment`]. Paper: Cyclotron section 6, Figure 14.
//!
//! * **Thin classes** (`thin-class`) occur only if some extent is 1, such as a row that is first and last at once. They
//!   are needed for *all sizes*, and a reader may skip them; counts for people leave them out.
//! * **Tags on buses.** A word is driven with the tag of its element and stays readable, so a listener need not listen
//!   in the cycle of the drive. That keeps a bus from being a rendezvous that could deadlock; that the timing fits is
//!   the matter of `link-conflict`.
//! * **The digest is a warning.** A text that was changed runs, with a warning that its proofs do not cover the run.
//!   People learn by dropping a `send` and reading the deadlock. The parser and the validator trust neither kind of
//!   text.
//! * **`fill`** names an element that the equations know, such as `H[0, j] = 0`. It stands in the text of the first PE
//!   of the grid, reads no register, costs no cycle and passes no port; back ends without clocks store it.

mod program;

pub use program::{
    ArrayDecl, Bus, Channel, Class, Comparison, Condition, Coordinate, IndexExpr, Instruction, Joins, Loads, Program,
    ScalarExpr, Scratchpad,
};

pub use systole_equations::tiles::TileCount;

mod index;

mod linear;

mod numbering;

mod printer;

mod print_leaf;

pub use printer::{class_lines, print};

mod digest;

pub use digest::{changed, is_untouched};

mod s_expression;

mod reader;

mod read_expression;

mod read_body;

mod read_leaf;

mod parser;

pub use parser::parse;

mod relink;

pub use relink::{on_buses, on_links};

mod validate;

mod validate_body;

mod validate_leaf;

pub use validate::validate;

mod code;

pub use code::{Call, ClassCode, Code, Entry, Grid, Index, Layout, Op, Pad, Pe, Port, Scalar, Test, unflatten};

mod boxes;

mod widths;

pub mod elements;

mod compile_body;

mod room;

pub use room::MEMORY_LIMIT;

mod calls;

mod compile;

pub use compile::{bind_tiles, check, compile, compile_shared, show_point};

mod demand;

pub use demand::{Demand, demands};

mod stores;

pub use stores::{outputs_without_obligations, store_obligations, unstated_stores};

mod wiring;

pub use wiring::{NOWHERE, Wire, Wiring};

mod interpret;

pub use interpret::{Assignment, Environment, State, Stop, Trouble, entry_of, recalled, resume};

/// The version of the text form that this crate writes and reads.
pub const VERSION: u64 = 1;

pub use systole_equations::recurrence::Tensors;
