//! Tiled kernels on threads: proved for all numbers of tiles, the bits of the simulator and of the equations, at sizes that do
//! not divide, at sizes smaller than a tile or than the grid of workers, and at size 1.

use super::programs::{Way, inputs, program, same_bits, settings, shown};
use super::singles::{hold_singles, is_close};
use systole::exec::{Settings, execute};
use systole::integer::Bindings;
use systole::leaf::LeafBackend;
use systole::scalar::Precision;
use systole::sim::simulate;
use systole::{recurrence, sim};

/// Kernels, flags, and whether sums run in the written order, so that the bits are those of the equations as they stand. A narrow beam spares
/// searches of many seconds: any right design will do here.
const TILED: [(&str, &[&str], bool); 31] = [
    ("matmul", &["--tile", "i=4,j=4,k=4", "--schedule", "cannon"], true),
    ("matmul", &["--tile", "i=4,j=4,k=4", "--schedule", "weight-stationary"], true),
    ("matmul", &["--tile", "i=4,j=4,k=4", "--schedule", "summa"], true),
    ("matmul", &["--tile", "i=4,j=4,k=4", "--schedule", "pumma"], true),
    ("matmul", &["--tile", "i=3,j=2"], true),
    ("trisolve", &["--tile", "i=4", "--schedule", "row"], true),
    ("trsm", &["--tile", "r=4,i=3", "--schedule", "grid"], true),
    ("cholesky", &["--tile", "i=4", "--schedule", "grid"], true),
    ("triangular_inverse", &["--tile", "i=4", "--schedule", "grid"], true),
    ("prefix_sum", &["--tile", "i=4"], true),
    ("prefix_sum_by_definition", &["--tile", "i=4"], false),
    ("fir", &["--tile", "i=4,k=4"], false),
    ("conv2d", &["--tile", "i=4,k=4", "--rank", "2", "--steps", "0..1"], false),
    ("flash_attention", &["--tile", "i=4,j=4,d=4"], false),
    ("smith_waterman", &["--tile", "i=4,j=3"], true),
    ("edit_distance", &["--tile", "i=4,j=4"], true),
    ("jacobi1d", &["--tile", "i=4", "--schedule", "cells"], true),
    ("jacobi2d", &["--tile", "i=4,j=3", "--schedule", "cells"], true),
    ("divergences", &["--tile", "i=4,j=3,k=4", "--schedule", "output-stationary"], true),
    ("minkowski", &["--tile", "i=4,j=3,k=4", "--schedule", "output-stationary"], true),
    ("ranks", &["--tile", "i=4", "--schedule", "counting"], true),
    ("matvec", &["--tile", "i=4,j=3"], true),
    ("ttm", &["--tile", "i=2,j=3,k=2,l=3", "--rank", "2", "--steps", "0..1"], true),
    ("lu", &["--tile", "i=4"], true),
    ("lu", &["--tile", "i=3,j=3,k=3"], true),
    ("qr_givens", &["--tile", "m=3,k=2,j=2", "--budget", "100000"], true),
    ("transitive_closure", &["--tile", "i=4,j=4", "--budget", "100000"], true),
    ("conv1d", &["--tile", "i=4,k=4"], false),
    ("polynomial_product", &["--tile", "i=4,j=4"], false),
    ("mttkrp", &["--tile", "i=2,j=3,k=2,l=3", "--rank", "2", "--steps", "0..1"], false),
    ("blocks/attention", &["--tile", "i=4,j=128,d=64", "--schedule", "streamed", "--budget", "100000"], true),
];

/// The libraries of this build.
const LIBRARIES: &[LeafBackend] = &[
    LeafBackend::Faer,
    #[cfg(feature = "openblas")]
    LeafBackend::OpenBlas,
];

/// The sizes of the parameters, in their order.
const SIZES: [[i64; 4]; 4] = [[7, 13, 11, 5], [1, 1, 1, 1], [2, 3, 1, 4], [8, 4, 12, 6]];

/// All tiled kernels as `systole emit` takes them, each with whether its sums run in the written order.
pub fn tiled() -> Vec<(Way, bool)> {
    let way = |kernel: &str, flags: &[&str]| Way {
        kernel: kernel.to_owned(),
        flags: flags.iter().map(|flag| (*flag).to_owned()).collect(),
    };
    TILED.iter().map(|(kernel, flags, written)| (way(kernel, flags), *written)).collect()
}

fn hold(way: &Way, is_as_written: bool) {
    let (program, system) = (program(&way.emit()), way.system());
    for sizes in SIZES {
        let sizes: Bindings = program.parameters.iter().cloned().zip(sizes).collect();
        let inputs = inputs(&system, &sizes);
        let simulated = simulate(&program, &sizes, &inputs, &sim::Settings::default());
        let simulated = simulated.unwrap_or_else(|faults| panic!("{way:?} at {sizes:?}: {}", shown(&faults)));
        let meaning =
            recurrence::evaluate(&system, &sizes, &inputs).unwrap_or_else(|faults| panic!("{}", shown(&faults)));
        assert!(!is_as_written || same_bits(&simulated.outputs, &meaning), "{way:?} at {sizes:?}");
        for (name, array) in &meaning {
            let pairs = simulated.outputs[name].iter().zip(array);
            pairs.for_each(|(found, wanted)| {
                assert!((found - wanted).abs() <= 1e-12 * wanted.abs().max(1.0), "{way:?}")
            });
        }
        for settings in settings() {
            let execution = execute(&program, &sizes, &inputs, &settings);
            let execution = execution.unwrap_or_else(|faults| panic!("{way:?} {settings:?} {}", shown(&faults)));
            assert_eq!(execution.deadlock, None, "{way:?} at {sizes:?} with {settings:?}");
            assert!(same_bits(&execution.outputs, &simulated.outputs), "{way:?} at {sizes:?} with {settings:?}");
        }
        hold_singles((way, &program, &system), &sizes, is_as_written);
    }
}

#[test]
fn one_half_of_the_tiled_kernels() {
    tiled().iter().step_by(2).for_each(|(way, is_as_written)| hold(way, *is_as_written));
}

#[test]
fn the_other_half_of_the_tiled_kernels() {
    tiled().iter().skip(1).step_by(2).for_each(|(way, is_as_written)| hold(way, *is_as_written));
}

/// The text does not grow with the sizes of tiles or arrays.
#[test]
fn a_program_over_tiles_is_as_long_for_tiles_of_any_size() {
    let lines = |size: &str| {
        let flags = ["--tile".to_owned(), size.to_owned(), "--schedule".to_owned(), "cannon".to_owned()];
        Way { kernel: "matmul".to_owned(), flags: flags.to_vec() }.emit().lines().count()
    };
    assert_eq!(lines("i=4,j=4,k=4"), lines("i=256,j=512,k=128"));
}

/// What a library computes is what the equations mean, but for rounding.
fn hold_closely(way: &Way) {
    let (program, system) = (program(&way.emit()), way.system());
    for (sizes, workers) in SIZES.into_iter().zip([2, 1, 3, 4]) {
        let sizes: Bindings = program.parameters.iter().cloned().zip(sizes).collect();
        let inputs = inputs(&system, &sizes);
        let meaning =
            recurrence::evaluate(&system, &sizes, &inputs).unwrap_or_else(|faults| panic!("{}", shown(&faults)));
        for (leaves, precision) in
            LIBRARIES.iter().flat_map(|leaves| Precision::ALL.map(|precision| (*leaves, precision)))
        {
            let settings = Settings { workers, leaves, precision, ..Settings::default() };
            let execution = execute(&program, &sizes, &inputs, &settings);
            let execution = execution.unwrap_or_else(|faults| panic!("{way:?} {settings:?} {}", shown(&faults)));
            let tolerance = if precision == Precision::Double { 1e-11 } else { 1e-4 };
            assert!(is_close(&execution.outputs, &meaning, tolerance), "{way:?} at {sizes:?} with {settings:?}");
        }
    }
}

#[test]
fn libraries_run_the_leaves_of_all_tiled_kernels() {
    tiled().iter().for_each(|(way, _)| hold_closely(way));
}
