//! One HTML file that shows a run, a schedule with its proofs, or what went wrong.
//!
//! In: a program with a recorded run, a design with its proofs, whichever there is. Out: the text of a page that needs
//! nothing else: its data stand inside as JSON, its style and script too, and it asks no network for anything.
//! Invariant: the data are bounded whatever the sizes are, and what a bound leaves out is said on the page.
//!
//! `page` puts data, style and script into one template; `data` is all that a page shows. A `Recorder` watches a run
//! and keeps a film of it: what each PE does, each word with the cycles in which it is sent and received. It keeps at
//! most 2^17 cycles of all PEs together, of arrays of up to 32 by 32; the heat map and the counters cover the rest.
//! `work` has the points of each PE in order, which the page pairs with the clocks at which the PE began its steps, so a
//! cell says what it computes; `lit` has which lines of the program ran in which cycle, `front` the designs of the plot. For
//! a refuted schedule an obligation has *moments* beside its words: where and when both sides are, as forms, evaluated
//! at the counterexample and drawn among the points of the design at those sizes. The script is plain and draws SVG, so
//! tests read the picture from the document. No text of a user is markup.

mod lit;

mod record;

mod recorder;

mod heat;

mod waits;

mod listing;

mod run;

mod schedule;

mod work;

mod clash;

mod front;

mod data;

mod page;

pub use clash::{Clash, Running, Side};
pub use data::{Bound, Fact, MachineKey, Report, SourceText};
pub use front::{Front, FrontRow, MOST as MOST_OF_FRONT};
pub use heat::Heat;
pub use listing::{ListingClass, ListingRow};
pub use lit::Lit;
pub use page::page;
pub use record::{Access, BusRead, Doing, Film, Line, Number, Span, Wire, Word};
pub use recorder::Recorder;
pub use run::{Array, BusRow, ChannelRow, MemoryRow, PeRow, Run};
pub use schedule::{LaidOut, Proof, Rule, SpaceSchedule};
pub use waits::{Wait, Waits};
pub use work::{Piece, SpaceText, Work, Worked, Worker};
