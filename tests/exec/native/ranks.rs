//! Programs as C on ranks of MPI, where there is a compiler for them: the bits of `exec`, and its deadlocks, on one, two and three.

use super::folder::{Compiler, Folder, SANITIZED, STRICT, expect_well};
use super::kernels::{FEW, bindings, way};
use crate::capacities::crossed_bursts;
use crate::programs::{Way, inputs, program, same_bits, shown, sizes};
use std::process::Output;
use systole::array::{Program, Tensors};
use systole::exec::{Settings, execute};
use systole::integer::Bindings;
use systole::native::{NativeBackend, NativeLeaves};

/// Everything that a compiler may say is an error, and so is what a run may do wrong; but Open MPI keeps memory to its end.
fn compiler() -> Option<Compiler> {
    let compiler = Compiler { name: "mpicc", flags: format!("{STRICT} {SANITIZED}") };
    let found = std::process::Command::new(compiler.name).arg("--version").output();
    found.is_ok_and(|output| output.status.success()).then_some(compiler)
}

fn folder(program: &Program, compiler: &Compiler) -> Folder {
    let folder = Folder::with(program, NativeLeaves::Loops, NativeBackend::Mpi);
    folder.make(compiler, "all");
    folder
}

/// Holds the C of a program on ranks to `exec`.
fn hold(program: &Program, runs: &[(Bindings, Tensors)]) {
    let Some(compiler) = compiler() else { return };
    let folder = folder(program, &compiler);
    for (sizes, inputs) in runs {
        let expected = execute(program, sizes, inputs, &Settings::default());
        let expected = expected.unwrap_or_else(|faults| panic!("{}", shown(&faults))).outputs;
        for ranks in 1..=3 {
            let output = folder.start_ranks(folder.name(), sizes, inputs, ranks);
            expect_well(&output, &format!("{} at {sizes:?} on {ranks} ranks", program.kernel));
            assert!(
                same_bits(&folder.outputs_written(), &expected),
                "{} at {sizes:?} on {ranks} ranks",
                program.kernel
            );
        }
    }
}

fn hold_way(way: &Way, values: &[[i64; 4]]) {
    let (program, system) = (program(&way.emit()), way.system());
    let sizes = values.iter().filter_map(|values| bindings(&program, *values));
    let runs: Vec<(Bindings, Tensors)> = sizes.map(|sizes| (sizes.clone(), inputs(&system, &sizes))).collect();
    hold(&program, &runs);
}

/// Buses of lines; tiles that go from rank to rank; a kernel that is called as a file could be.
#[test]
fn ranks_have_the_bits_of_exec() {
    let some: [(&str, &[&str]); 3] =
        [("matmul", &["--schedule", "summa"]), FEW[5], ("ranks", &["--schedule", "counting"])];
    for (kernel, flags) in some {
        hold_way(&way(kernel, flags), &[[5, 7, 4, 3]]);
    }
}

#[cfg(feature = "long-tests")]
#[test]
fn more_kernels_have_the_bits_of_exec_on_ranks() {
    FEW.iter().for_each(|(kernel, flags)| hold_way(&way(kernel, flags), &super::kernels::SIZES));
    let kernels = crate::programs::kernels();
    let ways = kernels.iter().flat_map(|kernel| crate::programs::ways(kernel));
    ways.for_each(|way| hold_way(&way, &[[4, 5, 3, 2]]));
}

/// What a run on two ranks says; nothing where it is well.
fn said(program: &Program, sizes: &Bindings, compiler: &Compiler) -> Option<String> {
    let folder = folder(program, compiler);
    let output: Output = folder.start_ranks(folder.name(), sizes, &Tensors::new(), 2);
    (!output.status.success()).then(|| String::from_utf8_lossy(&output.stderr).into_owned())
}

#[test]
fn one_slot_less_than_is_needed_is_a_deadlock_on_ranks_too() {
    let Some(compiler) = compiler() else { return };
    let at = |slots: u64| said(&program(&crossed_bursts(17, slots)), &sizes(&[]), &compiler);
    assert_eq!(at(17), None);
    let message = at(16).expect("a deadlock");
    assert_eq!(message.matches("no PE can go on").count(), 1, "{message}");
}
