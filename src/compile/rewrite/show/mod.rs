//! What is shown of an e-graph: explanations, dumps, dataflow recurrences.
//!
//! In: a saturated e-graph, dataflows. Out: text, the same whatever the numbers of classes are.

mod explain;

pub use explain::Scheduled;

mod dump;

mod recurrences;

pub use recurrences::show_dataflow;

mod system_recurrences;

pub use system_recurrences::show_system;
