//! What is shown to a user: lines for people, objects for programs, tables, pictures, pages.
//!
//! In: what stages and runs gave. Out: text; nothing is decided here.

pub mod output;

pub mod signs;

pub mod unused_keys;

pub mod columns;

pub mod diagnostic_json;

pub mod refusal_json;

pub mod closure;

pub mod show;

pub mod layouts;

pub mod steps;

pub mod closed_form;

pub mod bound;

pub mod energy;

pub mod picture;

pub mod reporting;
