//! Arbitrary text through `entries::parser`.
#![no_main]

#[path = "../entries.rs"]
mod entries;

libfuzzer_sys::fuzz_target!(|text: &str| entries::parser(text));
