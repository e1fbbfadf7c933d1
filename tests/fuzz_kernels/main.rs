//! Random kernels through the whole pipeline, held to an evaluator that shares no code with the library.
//!
//! `make fuzz-kernels` runs as many as asked for. What a kernel may be is in `growth.rs`, `in_place.rs` and `expressions.rs`, what is compared in
//! `judge.rs`, what may be refused in `refusals.rs`.

mod choices;

mod kernel;

mod value;

mod meaning;

mod context;

mod growth;

mod expressions;

mod in_place;

mod given;

mod judge;

mod shrink;

mod refusals;

mod process;

mod worker;

mod table;

mod checks;

use judge::Kind;
use process::Asked;
use std::io::Write;
use table::judge_all;

const TEST: &str = "random_kernels_have_their_meaning";

/// How many kernels a test takes: about half a minute on two slow cores. `make fuzz-kernels` takes as many as it is asked for.
const CASES: u64 = if cfg!(debug_assertions) { 20 } else { 75 };

/// How long one may take, in milliseconds.
const LIMIT: u64 = if cfg!(debug_assertions) { 20_000 } else { 5_000 };

#[test]
fn random_kernels_have_their_meaning() {
    if let Some(seed) = worker::JUDGE.seed() {
        return worker::answer_all(seed);
    }
    let table = judge_all(Asked::of("FUZZ_KERNELS", CASES, LIMIT));
    let tell = |text: &str| _ = writeln!(std::io::stdout(), "{text}");
    tell(&format!("\n{table}"));
    let failures = table.failures();
    let in_place = |kind: Kind| table.count_in_place(kind);
    let are_few = in_place(Kind::Right) < in_place(Kind::Refused);
    assert!(!are_few, "more kernels that replace in place are refused than are right:\n{table}");
    table.tell_unanswered(tell);
    table.tell_failures(tell);
    assert!(failures.is_empty(), "{} kinds of failures, which are told above", failures.len());
    assert!(6 * table.count(Kind::NoAnswer) <= table.answers.len(), "many kernels have no answer in time:\n{table}");
    assert!(3 * table.count(Kind::Right) >= table.answers.len(), "few kernels come through:\n{table}");
}
