//! Spaces that share PEs, kept from running there at one time.
//!
//! In: a design whose spaces would meet on a PE ([`Meetings`]), and the conditions on its steps. Out: steps under which they do not: one
//! space is over on a PE before the other begins ([`apart()`]), or they take turns ([`take_turns`]); or PEs of their own
//! ([`side_by_side()`]).

mod meetings;

pub use meetings::{Meetings, words_are_apart};

mod successive;

mod apart;

pub use apart::{Successive, apart, in_order, pairs_under};

mod side_by_side;

pub use side_by_side::side_by_side;

mod slanted;

mod interleaved;

pub use interleaved::{Laid, Tried, take_turns};
