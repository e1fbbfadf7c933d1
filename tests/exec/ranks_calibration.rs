//! `systole calibrate` and `exec --machine` on ranks.

use super::mpirun::{mpirun, mpirun_of};
use super::traces::{SIZE, tiled};
use std::path::Path;
use systole::machine::TASKS;

#[test]
fn two_ranks_are_calibrated_and_a_run_of_theirs_is_predicted() {
    let emitted = tiled();
    let path = emitted.path("cluster.toml");
    let flags = ["--tile", "4", "--runs", "2", "--work", "1", "--leaves", "loops", "--json", "--output", &path];
    let ran = mpirun_of("calibrate", 2, &flags);
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    let found = ran.object();
    assert_eq!((&found["backend"], found["figures"].as_array().map(Vec::len)), (&"mpi".into(), Some(5 + TASKS.len())));
    assert!(std::fs::read_to_string(&path).expect("a file").contains("between two ranks"));
    let ran = mpirun(2, &[&[&*emitted.program], &SIZE[..], &["--machine", &path]].concat());
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    let found = ran.object();
    let predicted = &found["predicted"];
    assert_eq!((&predicted["words"], &predicted["applied"]), (&found["words"], &found["applied"]));
    assert!(predicted["seconds"].as_f64().is_some_and(|seconds| seconds > 0.0));
}

#[test]
fn another_number_of_ranks_is_refused_and_nothing_is_written() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("cluster.toml").display().to_string();
    for ranks in [1, 3] {
        let ran = mpirun_of("calibrate", ranks, &["--tile", "4", "--output", &path]);
        assert_eq!(ran.code, Some(2));
        let message = format!("messages are measured between 2 ranks, but MPI has {ranks}");
        assert_eq!(ran.stderr.matches(&message).count(), 1, "{}", ran.stderr);
    }
    assert!(!Path::new(&path).exists());
}
