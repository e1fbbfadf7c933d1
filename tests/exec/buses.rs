//! Buses whose line lies on several workers.

use super::programs::{Way, filled, program, same_bits, settings, shown, sizes};
use ndarray::Array2;
use systole::array::{Program, Tensors};
use systole::exec::{Broadcast, Execution, Settings, execute};
use systole::integer::name;
use systole::recurrence::Distribution;
use systole::sim;
use systole::sim::simulate;

/// Each PE of the diagonal drives a row; all others listen to their rows, the later words first.
const ROWS: &str = "(program rows (version 1) (parameters N) (array X in (N N)) (array Y out (N N))
     (grid (p 0 (- N 1)) (q 0 (- N 1)))
     (bus row (direction 0 1))
     (class driver (guard (= p q)) (loop i 0 (- N 1) (load x (X p i)) (drive row x (i 5))) (store (Y p q) x))
     (class above (guard (>= q (+ p 1))) (listen x row (q 5)) (listen x row (0 5)) (store (Y p q) x))
     (class below (guard (>= p (+ q 1))) (listen x row ((- N 1) 5)) (listen x row (q 5)) (store (Y p q) x)))";

/// All settings, with every shape of broadcasts.
fn shapes() -> impl Iterator<Item = Settings> {
    let shaped = |settings: Settings| Broadcast::ALL.map(|broadcast| Settings { broadcast, ..settings.clone() });
    settings().into_iter().flat_map(shaped)
}

fn run(text: &str, n: usize, settings: &Settings) -> Execution {
    let inputs = Tensors::from([(name("X"), filled(2, &[n, n]))]);
    let execution = execute(&program(text), &sizes(&[("N", n as i64)]), &inputs, settings);
    execution.unwrap_or_else(|faults| panic!("{}", shown(&faults)))
}

#[test]
fn a_word_is_heard_on_every_worker_of_its_line() {
    for n in [1, 2, 5, 8] {
        let x = filled(2, &[n, n]);
        let expected = Array2::from_shape_fn((n, n), |(p, q)| match p.cmp(&q) {
            std::cmp::Ordering::Equal => x[[p, n - 1]],
            std::cmp::Ordering::Less => x[[p, 0]],
            std::cmp::Ordering::Greater => x[[p, q]],
        });
        for settings in shapes() {
            let execution = run(ROWS, n, &settings);
            assert_eq!(execution.deadlock, None);
            assert_eq!(execution.outputs["Y"], expected.clone().into_dyn(), "{n} {settings:?}");
        }
    }
}

/// What one PE does for the triangular solve by columns, B on one bus: it feeds and sums in one step.
fn columns() -> Program {
    let path = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join("columns.rec");
    let kernel = std::fs::read_to_string("kernels/trisolve.rec").expect("a kernel");
    let schedule = "schedule fed\nplace (j)   time i + j   broadcast B\n";
    std::fs::write(&path, format!("{kernel}{schedule}")).expect("written");
    let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_systole"));
    let output = command.arg("emit").arg(path).args(["--schedule", "fed"]).output().expect("the program starts");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    program(&String::from_utf8(output.stdout).expect("text"))
}

#[test]
fn a_pe_that_feeds_a_bus_and_operates_is_the_same_without_clocks() {
    let fed = columns();
    for n in [1, 2, 6] {
        let side = n as usize;
        let inputs = [(name("L"), filled(1, &[side, side])), (name("B"), filled(2, &[side]))];
        let inputs = Tensors::from(inputs);
        let simulated = simulate(&fed, &sizes(&[("N", n)]), &inputs, &sim::Settings::default()).expect("a run");
        assert_eq!((simulated.cycles, simulated.deadlock), (2 * n as u64 - 1, None));
        for settings in shapes() {
            let execution = execute(&fed, &sizes(&[("N", n)]), &inputs, &settings);
            let execution = execution.unwrap_or_else(|faults| panic!("{}", shown(&faults)));
            assert!(same_bits(&execution.outputs, &simulated.outputs), "N = {n} {settings:?}");
        }
    }
}

/// The twin of the rows: one tag is not driven.
#[test]
fn a_tag_that_is_not_driven_is_a_deadlock_on_every_worker() {
    let text = ROWS.replace("(drive row x (i 5))", "(if ((>= i 1)) ((drive row x (i 5))) ())");
    for settings in shapes() {
        let deadlock = run(&text, 5, &settings).deadlock.expect("a deadlock");
        let waiting: Vec<Vec<i64>> = deadlock.blocked.iter().map(|blocked| blocked.pe.clone()).collect();
        // Whoever listens for tag 0: all above the diagonal, and the first column below it.
        let expected: Vec<Vec<i64>> = (0..5)
            .flat_map(|p| (0..5).map(move |q| vec![p, q]))
            .filter(|pe| pe[1] > pe[0] || (pe[1] == 0 && pe[0] > 0))
            .collect();
        assert_eq!(waiting, expected, "{settings:?}");
    }
}

/// Each worker of a line but the one that drives is sent a word once, whatever the shape: rows of 7 PEs on 7 workers.
#[test]
fn a_word_crosses_as_often_as_there_are_others_on_its_line() {
    for broadcast in Broadcast::ALL {
        let settings = Settings { workers: 7, arrangement: Some(vec![1, 7]), broadcast, ..Settings::default() };
        assert_eq!(run(ROWS, 7, &settings).counts.words, 7 * 7 * 6, "{broadcast:?}");
    }
}

/// PEs below the diagonal drive a tag that the driver of their row drives too. Whoever has both first says so.
#[test]
fn a_tag_that_two_workers_drive_is_refused_in_every_shape() {
    let text = ROWS.replace("(listen x row ((- N 1) 5))", "(load x (X p q)) (drive row x ((- N 1) 5))");
    let inputs = Tensors::from([(name("X"), filled(2, &[7, 7]))]);
    for settings in shapes().filter(|settings| settings.distribution == Some(Distribution::Block)) {
        let faults = execute(&program(&text), &sizes(&[("N", 7)]), &inputs, &settings).expect_err("a refusal");
        assert!(shown(&faults).contains("was driven before on this line"), "{settings:?}: {}", shown(&faults));
    }
}

/// Eight lines with 4 words each: a tile that all have heard is not kept, so there are no more than those of a step at a time.
#[test]
fn tiles_that_all_have_heard_are_given_back() {
    let flags = ["--tile", "i=4,j=4,k=4", "--schedule", "summa"].map(str::to_owned).to_vec();
    let program = program(&Way { kernel: "matmul".to_owned(), flags }.emit());
    let inputs = Tensors::from([(name("A"), filled(1, &[16, 16])), (name("B"), filled(2, &[16, 16]))]);
    let execution = execute(&program, &sizes(&[("M", 16), ("N", 16), ("K", 16)]), &inputs, &Settings::default());
    let [usage] = &execution.unwrap_or_else(|faults| panic!("{}", shown(&faults))).memory[..] else {
        panic!("one process")
    };
    let tile = 8 * 4 * 4;
    assert_eq!(usage.stated.channels, 32 * tile);
    assert!((1..=8 * tile).contains(&usage.held.channels), "{usage:?}");
}
