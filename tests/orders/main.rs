//! Random affine systems: each that has an affine order has a design with its values, and each with a cycle is refused with it.
//!
//! Whether there is an order is decided by a program that shares no code with the search (`order.rs`), what a system means by another
//! (`evaluate.rs`). What is not so today is listed in `limits.rs`. `make fuzz-orders` runs as many as asked for. `ORDERS_FOUND` names a
//! folder for the systems that are not right, `ORDERS_FILE` one such file, which is judged alone.

#[path = "../fuzz_kernels/choices.rs"]
mod choices;

#[path = "../fuzz_kernels/process.rs"]
mod process;

mod systems;

mod text;

mod evaluate;

mod order;

mod templates;

mod random;

mod growth;

mod judge;

mod limits;

mod worker;

mod table;

mod checks;

use judge::Kind;
use process::Asked;
use std::io::Write;
use std::path::Path;
use table::judge_all;

const TEST: &str = "systems_with_an_order_have_a_design";

/// How many systems a test takes: about half a minute on two slow cores. `make fuzz-orders` takes as many as it is asked for.
const CASES: u64 = if cfg!(debug_assertions) { 10 } else { 24 };

/// How long a process may work on one, in milliseconds.
const LIMIT: u64 = if cfg!(debug_assertions) { 30_000 } else { 10_000 };

#[test]
fn systems_with_an_order_have_a_design() {
    if let Some(seed) = worker::JUDGE.seed() {
        return worker::answer_all(seed);
    }
    let tell = |text: &str| _ = writeln!(std::io::stdout(), "{text}");
    if let Ok(file) = std::env::var("ORDERS_FILE") {
        let judged = judge::judge_text(&std::fs::read_to_string(&file).expect("a file"));
        return tell(&format!(
            "{file}: {:?}, {:?} rows, {}\n{}",
            judged.kind, judged.rows, judged.reason, judged.detail
        ));
    }
    let table = judge_all(Asked::of("ORDERS", CASES, LIMIT));
    tell(&format!("\n{table}"));
    table.tell(tell);
    if let Some(folder) = std::env::var_os("ORDERS_FOUND") {
        table.write(Path::new(&folder));
    }
    let failures = table.failures();
    assert!(failures == 0, "{failures} failures, which are told above");
    assert!(4 * table.count(Kind::NoAnswer) <= table.answers.len(), "many systems have no answer in time:\n{table}");
    assert!(2 * table.count(Kind::Right) >= table.answers.len(), "few systems come through:\n{table}");
}
