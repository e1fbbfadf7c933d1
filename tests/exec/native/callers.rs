//! A program of somebody else calls two kernels, twice, from two threads, and with what is wrong.

use super::folder::{Folder, compilers, expect_well};
use crate::programs::{Way, program};
use std::process::Command;

fn folder(kernel: &str, schedule: &str) -> Folder {
    let flags = vec!["--schedule".to_owned(), schedule.to_owned()];
    Folder::of(&program(&Way { kernel: kernel.to_owned(), flags }.emit()))
}

#[test]
fn two_kernels_are_called_from_two_threads() {
    let (product, solve) = (folder("matmul", "cannon"), folder("trisolve", "row"));
    for compiler in compilers() {
        let mut command = Command::new(compiler.name);
        command.args("-std=c11 -Wall -Wextra -pthread -ffp-contract=off".split(' '));
        command.args(compiler.flags.split(' ')).arg("-I").arg(product.path("")).arg("-I").arg(solve.path(""));
        command.arg(format!("{}/tests/exec/native/caller.c", env!("SYSTOLE_ROOT")));
        command.arg(product.path("matmul.c")).arg(solve.path("trisolve.c"));
        let built = product.path("caller");
        expect_well(&command.arg("-lm").arg("-o").arg(&built).output().expect("it starts"), compiler.name);
        expect_well(&Command::new(&built).output().expect("it starts"), "the caller");
    }
}
