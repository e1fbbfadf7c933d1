//! Why a search found nothing, as one of the kinds of [`Refusal`].
//!
//! In: a question of which nothing came, and the schedule behind it. Out: the kind, with the lines of the schedule that clash
//! ([`inquiry`]), what a machine would take, or that there is no affine order ([`order`]). Searches are asked again for that, with
//! fewer lines or a larger machine. Invariant: that there cannot be a design is said only of what was searched to the end, where no
//! limit left anything out.

mod clash;

mod order;

mod times;

mod inquiry;

pub use inquiry::Inquiry;
pub use order::{Order, affine_order};
