//! What a build without features refuses, and with which features it would not.
#![cfg(not(feature = "mpi"))]

use std::path::Path;
use std::process::{Command, Output};

fn systole(arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_systole"));
    command.args(arguments).current_dir(env!("SYSTOLE_ROOT")).output().expect("the program starts")
}

/// The program of the matrix product, in a folder.
fn product(folder: &Path) -> String {
    let program = folder.join("matmul.pe").to_string_lossy().into_owned();
    let emitted = systole(&["emit", "kernels/matmul.rec", "--schedule", "cannon", "-o", &program]);
    assert!(emitted.status.success(), "{}", String::from_utf8_lossy(&emitted.stderr));
    program
}

#[test]
fn a_build_without_mpi_says_so() {
    let folder = tempfile::tempdir().expect("a folder");
    let program = product(folder.path());
    let run = |backend| systole(&["exec", &program, "--size", "M=2,N=2,K=2", "--backend", backend]);
    let refused = run("mpi");
    let message = String::from_utf8_lossy(&refused.stderr);
    assert_eq!(refused.status.code(), Some(2));
    assert!(message.contains("this build of systole knows no MPI") && message.contains("--features mpi"), "{message}");
    assert!(run("threads").status.success(), "on threads the same program runs");
}
