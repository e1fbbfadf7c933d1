//! Arbitrary text through `entries::rules`.
#![no_main]

#[path = "../entries.rs"]
mod entries;

libfuzzer_sys::fuzz_target!(|text: &str| entries::rules(text));
