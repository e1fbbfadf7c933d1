//! What the names in a term stand for.
//!
//! In: the equations of spaces, or the indices of a [`Frame`] and what equations say of elements. Out: the answers that the analysis
//! folds nodes by and conditions look into. Invariant: it never changes while rules run.

mod equations;

pub(super) use equations::Equations;

mod frame;

pub use frame::{Frame, FrameIndex};

mod definitions;

pub(super) use definitions::{Order, WholeDefinition, folded_definition};

mod picks;

pub(super) use picks::folded_pick;

mod context;

pub use context::{MAX_COMBINED, access_text, null_directions};

pub(super) use context::{Context, direction_text, own_offset};
