//! The memory of all threads together: what is stated before a run, what is held in it, and what does not fit.

use super::command::{Emitted, exec, refused};
use super::programs::{program, sizes};
use serde_json::Value;
use systole::array::Tensors;
use systole::exec::{Settings, execute};

const SIZE: [&str; 2] = ["--size", "M=4,N=6,K=5"];

fn object(emitted: &Emitted, flags: &[&str]) -> Value {
    let output = exec(emitted, &[&SIZE[..], &["--json"], flags].concat());
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).expect("JSON")
}

/// Whole arrays of doubles; three registers a PE; the wires of A cross 5 borders of columns in 4 rows, those of B 3 borders
/// of rows in 6 columns, two slots each.
#[test]
fn threads_share_whole_arrays() {
    let emitted = Emitted::new("matmul");
    for threads in ["1", "3"] {
        let memory = &object(&emitted, &["--threads", threads])["memory"];
        assert_eq!(memory.as_array().expect("one process").len(), 1);
        let stated =
            ["inputs", "outputs", "registers", "channels"].map(|part| memory[0][part].as_u64().expect("bytes"));
        let doubles = [4 * 5 + 5 * 6, 4 * 6, 3 * 24, 2 * (4 * 5 + 6 * 3)];
        assert_eq!(stated, doubles.map(|doubles| 8 * doubles), "{threads} threads");
        let held = ["inputs", "outputs", "channels"].map(|part| memory[0]["held"][part].as_u64().expect("bytes"));
        assert_eq!(held[..2], stated[..2]);
        assert!(held[2] > 0 && held[2] <= stated[3], "{held:?}");
        let total = stated.iter().sum::<u64>() + memory[0]["bookkeeping"].as_u64().expect("bytes");
        assert_eq!(memory[0]["stated"], total);
        assert!(memory[0]["peak"].as_u64() >= memory[0]["before"].as_u64());
    }
}

/// Thousands of PEs, whose elements take less than they do: a process grows by no more than it has stated. Without buses and with them.
#[test]
fn a_process_grows_by_no_more_than_it_states() {
    for schedule in ["cannon", "summa"] {
        let emitted = Emitted::of("kernels/matmul.rec", &["--schedule", schedule]);
        for (size, threads) in [("M=64,N=64,K=64", "2"), ("M=128,N=128,K=4", "1")] {
            let output = exec(&emitted, &["--size", size, "--threads", threads, "--json"]);
            let found: Value = serde_json::from_slice(&output.stdout).expect("JSON");
            let bytes = |part: &str| found["memory"][0][part].as_u64().expect("bytes");
            let (grown, stated) = (bytes("peak") - bytes("before"), bytes("stated"));
            assert!(grown <= stated, "{schedule} at {size} on {threads}: {grown} of {stated}");
        }
    }
}

#[test]
fn what_fits_to_the_byte_runs_and_one_byte_less_is_refused() {
    let emitted = Emitted::new("matmul");
    let stated = object(&emitted, &["--threads", "2"])["memory"][0]["stated"].as_u64().expect("bytes");
    object(&emitted, &["--threads", "2", "--memory", &stated.to_string()]);
    let less = (stated - 1).to_string();
    let message = refused(&emitted, &[&SIZE[..], &["--threads", "2", "--memory", &less]].concat());
    let parts =
        ["the process would hold", "and may hold", "inputs 400 bytes, outputs 192 bytes", "allow more: `--memory"];
    parts.iter().for_each(|part| assert!(message.contains(part), "no `{part}` in {message}"));
}

/// More than a simulated run may hold: what the flag says, and nothing else, decides.
#[test]
fn what_a_run_may_hold_is_what_the_flag_says() {
    let emitted = Emitted::of("kernels/matmul.rec", &["--tile", "i=256,j=256,k=256", "--schedule", "cannon"]);
    let size = ["--size", "M=20000,N=20000,K=20000", "--memory", "1GB"];
    let message = refused(&emitted, &size);
    let parts = ["the process would hold", "and may hold 1.0 GB", "inputs 6.4 GB, outputs 3.2 GB", "`--memory"];
    parts.iter().for_each(|part| assert!(message.contains(part), "no `{part}` in {message}"));
    // No bytes are counted beyond 64 bits.
    let message = refused(&emitted, &["--size", "M=400000000,N=400000000,K=400000000", "--memory", "1GB"]);
    assert!(message.contains("MiB, more than the limit"), "{message}");
}

/// A bus keeps what is driven on it: here 7 words on each of 2 lines, heard by one worker, or by two.
#[test]
fn buses_hold_what_is_driven() {
    let program = program(
        "(program rows (version 1) (grid (p 0 1) (q 0 2)) (bus row (direction 0 1))
           (class driver (guard (= q 0)) (loop i 0 6 (let x (index i)) (drive row x (i))))
           (class hearer (guard (>= q 1)) (loop i 0 6 (listen x row (i)))))",
    );
    for (workers, copies) in [(1, 1), (2, 1), (6, 3)] {
        let settings = Settings { workers, ..Settings::default() };
        let execution = execute(&program, &sizes(&[]), &Tensors::new(), &settings).expect("a run");
        let [usage] = &execution.memory[..] else { panic!("one process") };
        assert_eq!((usage.stated.channels, usage.held.channels), (8 * 14 * copies, 8 * 14 * copies), "{workers}");
    }
}

/// Tiles of A have 2 x 4 elements, those of B 4 x 3, those of C 2 x 3. Each of 2 x 2 PEs has a register for each, and a leaf begins another
/// of the largest; A crosses one border in 2 rows, B one in 2 columns, two slots each.
#[test]
fn a_register_and_a_slot_hold_the_tiles_that_get_there() {
    let emitted = Emitted::of("kernels/matmul.rec", &["--tile", "i=2,j=3,k=4", "--schedule", "cannon"]);
    let output = exec(&emitted, &["--size", "M=4,N=6,K=8", "--threads", "1", "--json"]);
    let found: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let bytes = |part: &str| found["memory"][0][part].as_u64().expect("bytes");
    assert_eq!(bytes("registers"), 8 * (4 * (2 * 4 + 4 * 3 + 2 * 3) + 4 * 3));
    assert_eq!(bytes("channels"), 8 * 2 * (2 * 2 * 4 + 2 * 4 * 3));
    assert!(found["memory"][0]["held"]["channels"].as_u64().expect("bytes") <= bytes("channels"));
}
