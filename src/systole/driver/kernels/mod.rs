//! Kernels on their way through the pipeline, and their forms.
//!
//! In: equations. Out: what each stage takes of them. `kernel` is a list of spaces, one or several, on its way through the stages.

pub mod kernel;

pub mod partitioned;

pub mod both_ways;

pub mod distributed;

pub mod origin;

pub mod searched;

pub mod designed;

pub mod recurrences;

pub mod stages;

pub mod limits;

pub mod shape;

pub mod left_out;

pub mod described;

pub mod border;

pub mod refusal;

pub mod forms;

pub mod together;

pub mod design_text;

pub mod written;

pub mod room;

pub mod mistaken;
