//! What happens to a run from outside: a rank is killed, the disk is full, an input is no array. All ranks end, one says it,
//! and whatever stood where an output was to go stands there still, with nothing beside it.

use super::command::Emitted;
use super::mpirun::{command, mpirun, ran};
use std::path::Path;
use std::process::{Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

/// What stood at a target before.
const BEFORE: &str = "what was here before";

/// A target that is there already, as `--output` names it.
fn target(emitted: &Emitted, name: &str) -> String {
    std::fs::write(emitted.path(name), BEFORE).expect("written");
    format!("{}={}", name.to_uppercase(), emitted.path(name))
}

/// The target is as it was, and the folder holds the program, it, and nothing that was begun.
fn check_untouched(emitted: &Emitted, name: &str) {
    assert_eq!(std::fs::read_to_string(emitted.path(name)).expect("still there"), BEFORE);
    let entries = std::fs::read_dir(emitted.folder.path()).expect("a folder");
    let names = entries.map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned());
    let begun: Vec<String> = names.filter(|name| name.starts_with(".systole-")).collect();
    assert!(begun.is_empty(), "{begun:?}");
}

/// The process of a rank of a run whose command names `folder`.
fn process_of(rank: usize, folder: &Path) -> Option<String> {
    let (rank, folder) = (format!("OMPI_COMM_WORLD_RANK={rank}"), folder.display().to_string());
    std::fs::read_dir("/proc").expect("processes").flatten().find_map(|entry| {
        let read = |name: &str| std::fs::read_to_string(entry.path().join(name)).ok();
        let is_it = read("cmdline")?.contains(&folder) && read("environ")?.split('\0').any(|entry| entry == rank);
        is_it.then(|| entry.file_name().to_string_lossy().into_owned())
    })
}

/// Two PEs that hand numbers to and fro far longer than the test takes.
const LONG: &str = "(program long (version 1) (parameters N) (array Y out (1)) (grid (p 0 1))
    (channel right (offset 1) (latency 1) (depth 1)) (channel left (offset -1) (latency 1) (depth 1))
    (class a (guard (= p 0)) (let x 1) (loop i 0 (- N 1) (send right x) (recv x left)) (store (Y 0) x))
    (class b (guard (= p 1)) (loop i 0 (- N 1) (recv x right) (send left x))))";

#[test]
fn a_rank_that_is_killed_ends_all() {
    let emitted = Emitted::new("matmul");
    std::fs::write(&emitted.program, LONG).expect("written");
    let target = target(&emitted, "y");
    let mut command = command(2, &[], &[&emitted.program, "--size", "N=4000000", "--output", &target]);
    let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("it starts");
    let (start, mut found) = (Instant::now(), None);
    while found.is_none() && start.elapsed() < Duration::from_secs(60) {
        sleep(Duration::from_millis(50));
        found = process_of(1, emitted.folder.path());
    }
    // By then it is past its beginning, wherever it is.
    sleep(Duration::from_secs(2));
    let killed = Command::new("kill").args(["-9", &found.expect("rank 1 runs")]).status().expect("`kill` is there");
    assert!(killed.success());
    let ran = ran(&child.wait_with_output().expect("it ends"));
    assert!(ran.code.is_some_and(|code| code != 0), "{:?}", ran.code);
    assert!(ran.stderr.contains("process rank 1") && ran.stderr.contains("exited on signal 9"), "{}", ran.stderr);
    assert!(ran.stdout.is_empty(), "{}", ran.stdout);
    check_untouched(&emitted, "y");
}

/// A file of C, 64 x 64, in a process that may write 16 KiB to a file; the writer is told so, as by a full disk.
#[test]
fn a_file_that_does_not_fit_on_the_disk() {
    let emitted = Emitted::new("matmul");
    let target = target(&emitted, "c");
    // Memory that ranks share is a file as well, so these ranks share none.
    let limited = ["sh", "-c", "trap '' XFSZ; export OMPI_MCA_btl=self,tcp; ulimit -f 32; exec \"$0\" \"$@\""];
    let run = |size: &str| {
        let arguments = [&*emitted.program, "--size", size, "--output", &*target];
        ran(&command(2, &limited, &arguments).output().expect("it starts"))
    };
    let refused = run("M=64,N=64,K=2");
    assert_eq!(refused.code, Some(1), "{}", refused.stderr);
    let part = format!("cannot write `{}`: File too large", emitted.path("c"));
    let message = refused.stderr.split_whitespace().collect::<Vec<_>>().join(" ");
    assert_eq!(message.matches(&part).count(), 1, "{message}");
    check_untouched(&emitted, "c");
    let fits = run("M=8,N=8,K=2");
    assert_eq!(fits.code, Some(0), "{}", fits.stderr);
    assert_eq!(std::fs::metadata(emitted.path("c")).expect("a file").len(), 128 + 8 * 8 * 8);
}

#[test]
fn inputs_that_are_no_such_arrays() {
    let emitted = Emitted::new("matmul");
    let (target, input) = (target(&emitted, "c"), emitted.path("a.npy"));
    let matrix = |rows: usize| ndarray::ArrayD::from_elem(vec![rows, 4], 0.5);
    ndarray_npy::write_npy(&input, &matrix(3)).expect("written");
    let whole = std::fs::read(&input).expect("a file");
    let refused = |part: &str| {
        let named =
            [&*emitted.program, "--size", "M=3,N=5,K=4", "--output", &*target, "--input", &format!("A={input}")];
        let ran = mpirun(3, &named);
        let message = ran.stderr.split_whitespace().collect::<Vec<_>>().join(" ");
        assert_eq!((ran.code, message.matches(part).count()), (Some(1), 1), "no single `{part}` in {message}");
        check_untouched(&emitted, "c");
    };
    std::fs::write(&input, &whole[..whole.len() - 8]).expect("written");
    refused("cannot be used as an array: it ends early");
    std::fs::write(&input, "no array at all").expect("written");
    refused("its header is not that of a `.npy` file");
    ndarray_npy::write_npy(&input, &matrix(2)).expect("written");
    refused("input `A` has shape [2, 4], expected [3, 4]");
    std::fs::remove_file(&input).expect("removed");
    std::fs::create_dir(&input).expect("a folder");
    refused("it is no regular file");
}
