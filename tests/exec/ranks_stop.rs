//! What goes wrong on ranks: one message, all ranks end with code 1, or with 2 for wrong usage, and no file is written.

use super::command::Emitted;
use super::deadlocks::{expected, words};
use super::mpirun::{Ran, mpirun, mpirun_of};
use super::share::share;
use std::path::Path;
use std::process::Command;

/// A run that must be refused, with these words said once.
fn refused(ranks: usize, arguments: &[&str], part: &str) -> Ran {
    refused_with(1, ranks, arguments, part)
}

/// What is wrong with the command line itself is code 2 on all ranks.
fn misused(ranks: usize, arguments: &[&str], part: &str) -> Ran {
    refused_with(2, ranks, arguments, part)
}

fn refused_with(code: i32, ranks: usize, arguments: &[&str], part: &str) -> Ran {
    let ran = mpirun(ranks, arguments);
    assert_eq!(ran.code, Some(code), "{arguments:?}: {}", ran.stderr);
    assert_eq!(words(&ran.stderr).join(" ").matches(part).count(), 1, "no single `{part}` in {}", ran.stderr);
    ran
}

#[test]
fn every_deadlock_is_reported_by_one_rank() {
    let folder = Path::new(env!("SYSTOLE_ROOT")).join("tests/sim/deadlocks");
    let names = ["full-ring", "missing-driver", "far-from-its-cause", "crossed-order", "through-a-bus", "two-cycles"];
    for (number, name) in names.into_iter().enumerate() {
        let path = folder.join(format!("{name}.pe"));
        for ranks in share([1, 2, 3].into_iter().cycle().skip(number).take(3), 3) {
            let arguments = [path.to_str().expect("text"), "--distribution", "cyclic"];
            let has_size = std::fs::read_to_string(&path).expect("a program").contains("(parameters N)");
            let size: &[&str] = if has_size { &["--size", "N=4"] } else { &[] };
            refused(ranks, &[&arguments[..], size].concat(), &words(&expected(&path)).join(" "));
        }
    }
}

#[test]
fn another_number_of_ranks_than_the_wanted_one() {
    let emitted = Emitted::new("matmul");
    let size = ["--size", "M=3,N=3,K=3", "--ranks", "2"];
    misused(3, &[&[&*emitted.program], &size[..]].concat(), "2 ranks wanted, but MPI has 3 ranks");
}

/// The launcher of another MPI: it tells the processes that they are two, MPI tells each that it is alone.
#[test]
fn two_worlds_of_one_rank_each() {
    let emitted = Emitted::new("matmul");
    let run = |rank: &str| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_systole"));
        command.args(["exec", &emitted.program, "--size", "M=3,N=3,K=3", "--backend", "mpi"]);
        command.env("NO_COLOR", "1").env("PMI_SIZE", "2").env("PMI_RANK", rank).env("OMPI_ALLOW_RUN_AS_ROOT", "1");
        command.output().expect("the program starts")
    };
    let (first, second) = (run("0"), run("1"));
    assert_eq!((first.status.code(), second.status.code()), (Some(1), Some(1)));
    let message = String::from_utf8(first.stderr).expect("text");
    assert!(
        message.contains("2 processes were started together, but MPI shows each of them itself alone"),
        "{message}"
    );
    assert!(second.stderr.is_empty(), "one of them says it");
}

#[test]
fn inputs_and_flags_that_do_not_fit() {
    let emitted = Emitted::new("matmul");
    let refused = |arguments: &[&str], part: &str| {
        refused(2, &[&[&*emitted.program], arguments].concat(), part);
    };
    let misused = |arguments: &[&str], part: &str| {
        misused(2, &[&[&*emitted.program], arguments].concat(), part);
    };
    misused(&["--size", "M=3,N=3"], "the size of `K` is missing");
    misused(&["--size", "M=3,N=3,K=3", "--distribution", "spiral"], "there is no distribution `spiral`");
    misused(&["--size", "M=3,N=3,K=3", "--capacity", "0"], "at least 1");
    let missing = format!("A={}", emitted.path("missing.npy"));
    refused(&["--size", "M=3,N=3,K=3", "--input", &missing], "cannot read");
}

/// Sizes that differ would be two runs that send to each other, and `--threads` means nothing to ranks.
#[test]
fn ranks_that_were_started_with_different_flags() {
    let emitted = Emitted::new("matmul");
    let with = |size: &'static str| ["--size", size, "--backend", "mpi"];
    for other in ["M=3,N=4,K=3", "M=3,N=3,K=2"] {
        let first = [&[&*emitted.program], &with("M=3,N=3,K=3")[..], &[":", "-n", "1"]].concat();
        let second = [env!("CARGO_BIN_EXE_systole"), "exec", &emitted.program, "--size", other];
        let ran = misused(1, &[&first[..], &second].concat(), "the ranks were started with different flags");
        let said = words(&ran.stderr).join(" ");
        assert!(["rank 0: exec", "rank 1: exec", other].iter().all(|part| said.contains(part)), "{said}");
    }
    misused(2, &[&emitted.program, "--size", "M=3,N=3,K=3", "--threads", "2"], "`--threads` is for");
    let program = env!("CARGO_BIN_EXE_systole");
    let first = [&[&*emitted.program], &with("M=3,N=3,K=3")[..], &[":", "-n", "1", program, "calibrate"]].concat();
    let ran = misused(1, &first, "the ranks were started with different flags");
    assert!(words(&ran.stderr).join(" ").contains("rank 1: calibrate"), "{}", ran.stderr);
    let calibrate = ["--tile", "8", "--work", "1000", "--leaves", "loops", "--runs"];
    let more = [&calibrate[..], &["1", "--backend", "mpi", ":", "-n", "1", program, "calibrate"], &calibrate, &["2"]];
    let ran = mpirun_of("calibrate", 1, &more.concat());
    assert_eq!(ran.code, Some(2), "{}", ran.stderr);
    assert_eq!(words(&ran.stderr).join(" ").matches("the ranks were started with different flags").count(), 1);
}

#[test]
fn a_file_that_cannot_be_written_is_code_1_on_all_ranks() {
    let emitted = Emitted::new("matmul");
    let target = format!("C={}", emitted.path("no-such-folder/c.npy"));
    refused(3, &[&emitted.program, "--size", "M=3,N=3,K=3", "--output", &target], "cannot write");
}

/// A fault on the last rank ends the others, who wait for it.
#[test]
fn a_fault_on_one_rank_ends_all() {
    let (emitted, output) = (Emitted::new("matmul"), "y.npy");
    let text =
        "(program line (version 1) (array Y out (4)) (grid (p 0 3)) (channel right (offset 1) (latency 1) (depth 2))
        (channel left (offset -1) (latency 1) (depth 2)) (bus all (direction 1))
        (class first (guard (= p 0)) (let x 1) (store (Y 0) x) (recv x left))
        (class inner (guard (>= p 1) (<= p 2)) (let x 1) (store (Y p) x) (recv x left) (send left x)
          (if ((>= p 3)) ((recv x right) (listen x all (1))) ()))
        (class last (guard (= p 3)) (let x 1) FAULT (if ((= p 9)) ((send right x) (drive all x (1))) ())
          (send left x)))";
    let faults = [
        ("(store (Y (+ p 1)) x)", "PE (3) reaches for `Y(4)`, outside the shape [4]"),
        ("(store (Y p) x) (send right x)", "PE (3) sends on `right` to PE (4), which does not receive on it"),
        ("(store (Y p) x) (drive all x (1)) (drive all x (1))", "PE (3) drives tag (1) of bus `all`"),
        ("(store (Y 0) x)", "two ranks store `Y(0)`"),
        ("(tick 1)", "element `Y(3)` of output `Y` is never stored"),
    ];
    for ((fault, part), ranks) in faults.into_iter().zip([2, 4].into_iter().cycle()) {
        std::fs::write(&emitted.program, text.replace("FAULT", fault)).expect("written");
        let target = format!("Y={}", emitted.path(output));
        refused(ranks, &[&emitted.program, "--output", &target], part);
        assert!(!Path::new(&emitted.path(output)).exists());
    }
}

/// The same tag of one line, driven on two ranks.
#[test]
fn a_tag_driven_on_two_ranks_is_noticed() {
    let emitted = Emitted::new("matmul");
    let text = "(program twice (version 1) (grid (p 0 3)) (bus all (direction 1))
                  (class pe (guard) (let x 1) (if ((>= p 2)) ((drive all x (7))) ((listen x all (7))))))";
    std::fs::write(&emitted.program, text).expect("written");
    for (ranks, fold) in [(2, "cyclic"), (4, "block")] {
        refused(
            ranks,
            &[&emitted.program, "--distribution", fold],
            "drives tag (7) of bus `all`, which was driven before",
        );
    }
}
