//! What editors show of kernels, rules and programs, by the language server protocol.
//!
//! Messages are those of the command line, word for word; nothing is found out here that a stage has not said.
#![warn(missing_docs)]

pub mod editor;
