//! Random kernels through the whole pipeline, held to an evaluator that shares no code with the library.
//!
//! `make fuzz-kernels` runs as many as asked for. What a kernel may be is in `growth.rs` and `expressions.rs`, what is compared in
//! `judge.rs`, what may be refused in `refusals.rs`.

mod choices;

mod kernel;

mod value;

mod meaning;

mod context;

mod growth;

mod expressions;

mod given;

mod judge;

mod shrink;

mod refusals;

mod worker;

mod table;

mod checks;

use judge::Kind;
use std::io::Write;
use std::time::Duration;
use table::{Asked, judge_all};

const TEST: &str = "random_kernels_have_their_meaning";

/// How many kernels a test takes: about a minute.
const CASES: u64 = if cfg!(debug_assertions) { 20 } else { 150 };

/// How long one may take, in milliseconds.
const LIMIT: u64 = if cfg!(debug_assertions) { 20_000 } else { 5_000 };

/// A number from the environment.
fn number(name: &str, default: u64) -> u64 {
    std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(default)
}

#[test]
fn random_kernels_have_their_meaning() {
    if let Some(seed) = worker::seed_of_worker() {
        return worker::serve(seed);
    }
    let asked = Asked {
        seed: number("FUZZ_KERNELS_SEED", 1),
        first: number("FUZZ_KERNELS_FIRST", 0),
        cases: number("FUZZ_KERNELS_CASES", CASES),
        seconds: number("FUZZ_KERNELS_SECONDS", 100_000),
        limit: Duration::from_millis(number("FUZZ_KERNELS_LIMIT", LIMIT)),
    };
    let table = judge_all(asked, TEST);
    let tell = |text: &str| _ = writeln!(std::io::stdout(), "{text}");
    tell(&format!("\n{table}"));
    let failures = table.failures();
    table.tell_unanswered(tell);
    table.tell_failures(TEST, tell);
    assert!(failures.is_empty(), "{} kinds of failures, which are told above", failures.len());
    assert!(6 * table.count(Kind::NoAnswer) <= table.answers.len(), "many kernels have no answer in time:\n{table}");
    assert!(3 * table.count(Kind::Right) >= table.answers.len(), "few kernels come through:\n{table}");
}
