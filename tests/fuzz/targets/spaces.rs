//! Arbitrary text through `entries::spaces`.
#![no_main]

#[path = "../entries.rs"]
mod entries;

libfuzzer_sys::fuzz_target!(|text: &str| entries::spaces(text));
