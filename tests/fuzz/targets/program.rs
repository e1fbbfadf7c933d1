//! Arbitrary text through `entries::program`.
#![no_main]

#[path = "../entries.rs"]
mod entries;

libfuzzer_sys::fuzz_target!(|text: &str| entries::program(text));
