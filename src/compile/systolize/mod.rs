//! Systolizing compilation: from a linear step and place to asynchronous processes in closed form.
//!
//! In: a one-space kernel, a [`SpaceTimeMap`] whose place has rank one less than the space, and loading and recovery vectors
//! for streams that stay. Out: a [`Scheme`]: the box of processes; for each process its first and last statement and their
//! number; for each stream its flow, its pipes and their contents, and how many elements a process soaks, drains, loads,
//! recovers or only passes. Everything is closed over coordinates and sizes: a new size needs evaluation only.
//!
//! Paper: Barnett and Lengauer, *A Systolizing Compilation Scheme* (ECS-LFCS-91-134, 1991), sections 6 and 7. The index space
//! is any polyhedron, increments and index maps have any integer entries, index maps may have constants, elements may go
//! unused, and the place need not be onto; `admission` says what is still refused.
//!
//! All of it rests on one numbering. Point `base + k * increment` of process `p` has number `k`, whether or not it lies
//! in the space, and so has the element that it would use. Then the statements of a process are a range of numbers, the
//! elements of the pipe through it are another, and soak and drain are differences of their ends. For a stream that
//! stays, an element has the number of hops to the process that holds it. A range is a polyhedron in the number, so its
//! ends are closed in coordinates and sizes (`range`). Divisions become named quotients, so every guard stays linear.

mod admission;

mod cases;

mod context;

mod design;

mod lattice;

mod process_space;

mod range;

mod scheme;

mod show;

mod stream;

pub use cases::{Case, Cases};
pub use context::Quotient;
pub use design::scheme_of;
pub use lattice::Chart;
pub use process_space::{ProcessSpace, row_bounds};
pub use range::Range;
pub use scheme::Scheme;
pub use show::{show_guard, show_point};
pub use stream::{Pipe, Stream};

use crate::mapping::SpaceTimeMap;
use systole_base::diagnostic::Checked;
use systole_base::integer::{Name, Vector};
use systole_base::span::Span;
use systole_equations::recurrence::Space;

/// Along which direction of the array a stationary stream is loaded and recovered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Loading {
    /// The stream.
    pub tensor: Name,
    /// To a neighbour: entries of -1, 0 and 1, not all 0.
    pub along: Vector,
    /// Where it is said.
    pub span: Option<Span>,
}

/// Derives the scheme of a map. A stationary stream that `loading` does not name is loaded along the first axis, forwards.
///
/// # Errors
/// Every restriction of the scheme that the space, the map or a loading vector breaks.
pub fn systolize(space: &Space, map: &SpaceTimeMap, loading: &[Loading]) -> Checked<Scheme> {
    Scheme::derive(space, map, loading)
}
