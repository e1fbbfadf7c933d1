//! Random instances of a rule's left side.
//!
//! In: a rule, a seed. Out: a small world and what each variable stands for in it, by the [`Sort`]s of what stands where.

mod random;

pub(super) use random::{Random, mixed_text};

mod sorts;

pub use sorts::{CONDITIONS, Home, SIGNATURES, Signature, Sort};

pub(super) use sorts::{Sorts, is_obeyed, meet, signature_of};

mod spaces;

pub(super) use spaces::{describe, random_world};

mod recursions;

mod frames;

pub(super) use frames::{random_frame, rebuilt};

mod terms;

pub(super) use terms::Terms;

mod instance;

pub(super) use instance::{Bound, Instance};

mod maker;

pub(super) use maker::random_instance;

mod directions;
