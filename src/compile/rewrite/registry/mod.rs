//! What the names in a term stand for.
//!
//! In: the equations of spaces, or the indices of a [`Frame`] and what equations say of elements. Out: the answers that the analysis
//! folds nodes by and conditions look into. Invariant: it never changes while rules run.

mod equations;

pub(crate) use equations::Equations;

mod frame;

pub use frame::{Frame, FrameIndex};

mod definitions;

pub(crate) use definitions::{Order, WholeDefinition, folded_definition};

mod picks;

pub(crate) use picks::folded_pick;

mod ranges;

pub(crate) use ranges::{compared, folded_where};

mod context;

pub use context::{MAX_COMBINED, access_text, null_directions};

pub(crate) use context::{Context, direction_text, own_offset};
