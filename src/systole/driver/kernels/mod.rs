//! Kernels on their way through the pipeline: of one space, of several, of several forms.
//!
//! In: equations. Out: what each stage takes of them. `kernel` is the trait behind which one space and several look alike.

pub mod kernel;

pub mod dealt;

pub mod origin;

pub mod limits;

pub mod one_space;

pub mod system;

pub mod forms;

pub mod together;

pub mod words;

pub mod written;

pub mod room;

pub mod mistaken;
