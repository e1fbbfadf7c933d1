//! Recurrence systems: what the user's equations mean, with no thought of hardware.
//!
//! In: the syntax tree. Out: a [`RecurrenceSystem`] (parameters, tensors, equations over integer sets, named schedules),
//! its sequential meaning [`evaluate`](fn@evaluate), which is the oracle of every test, and, for a system of one equation, the
//! [`Space`] that the rest of the pipeline maps. Paper: Cyclotron section 2, Figure 3.

mod assumption;

pub use assumption::Assumption;

mod distribution;

pub use distribution::Distribution;

mod leaf_order;

pub use leaf_order::LeafOrder;

mod strip;

pub use strip::Strip;

mod system;

pub use system::{
    Directive, Domain, Equation, Expr, Move, Operator, PlacedSpace, RecurrenceSystem, Role, Schedule, Tensor, TwoSided,
};

mod space;

pub use space::{Chain, Operand, Scalar, Space};

mod lower;

pub use lower::lower;

mod conditions;

mod enumeration;

mod sizes;

pub use sizes::{check_assumed, check_sizes};

mod table;

pub use table::{Tensors, other_shape};

mod resolved;

mod expression;

mod gather;

pub use gather::{gather, outer_reductions, scattered_indices};

mod split;

pub use split::Split;

mod division;

mod empties;

pub use empties::{Settled, settle};
pub use empties::{WithoutTerms, depends, lines, without_terms};

mod evaluate;

pub use evaluate::{evaluate, evaluate_in};

mod one_space;

pub use one_space::{leaves_elements, one_space};

mod ends;

pub use ends::ends;

mod in_order;

pub use in_order::evaluate_in_order;

pub mod spaces;

mod validate;

pub use validate::{cycle_of_groups, validate};

mod guards;

mod show;

pub use crate::syntax::number_text;

mod load;

pub use load::load;
