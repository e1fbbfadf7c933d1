//! What is shown of an e-graph: explanations, dumps.
//!
//! In: a saturated e-graph, dataflows. Out: text, the same whatever the numbers of classes are.

mod explain;

pub use explain::Scheduled;

mod dump;
