//! Kernels that ship, untiled and tiled, and programs over tiles that are written by hand.

use super::folder::{Folder, compilers};
use crate::programs::{Way, inputs, program, same_bits, shown, sizes};
use crate::share::share;
use crate::tiled::programs::cases;
use systole::array::{Program, Tensors};
use systole::exec::{Settings, execute};
use systole::integer::Bindings;

/// A few that have, together, every instruction: streams, buses of lines, a memory of all, scratchpads, several spaces, cells.
pub const FEW: [(&str, &[&str]); 8] = [
    ("matmul", &["--schedule", "cannon"]),
    ("matmul", &["--schedule", "summa"]),
    ("trisolve", &["--schedule", "memory"]),
    ("trisolve", &["--schedule", "prefetch-b"]),
    ("jacobi2d", &["--size", "N=6,T=3"]),
    ("trisolve", &["--schedule", "row", "--tile", "i=3"]),
    ("cholesky", &["--schedule", "timed", "--tile", "i=3"]),
    ("polybench/jacobi_1d", &["--tile", "t=2,i=3"]),
];

/// The sizes of the parameters, in their order.
pub const SIZES: [[i64; 4]; 3] = [[5, 7, 4, 3], [1, 1, 1, 1], [10, 9, 3, 5]];

pub fn way(kernel: &str, flags: &[&str]) -> Way {
    Way { kernel: kernel.to_owned(), flags: flags.iter().map(|flag| (*flag).to_owned()).collect() }
}

/// The sizes that a program may have.
pub fn bindings(program: &Program, values: [i64; 4]) -> Option<Bindings> {
    let names: Vec<&str> = program.parameters.iter().map(|name| &**name).collect();
    assert!(names.len() <= values.len(), "{names:?}");
    let bound = sizes(&names.into_iter().zip(values).collect::<Vec<_>>());
    program.parameters.broken_at(&bound).is_none().then_some(bound)
}

/// Holds the C of a program, built by every compiler, to `exec`.
pub fn hold(program: &Program, runs: &[(Bindings, Tensors)]) {
    let folder = Folder::of(program);
    for compiler in compilers() {
        folder.make(compiler, "all");
        for (sizes, inputs) in runs {
            let expected = execute(program, sizes, inputs, &Settings::default());
            let expected = expected.unwrap_or_else(|faults| panic!("{}", shown(&faults))).outputs;
            for threads in 1..=3 {
                let found = folder.run(sizes, inputs, threads);
                assert!(
                    same_bits(&found, &expected),
                    "{} at {sizes:?} on {threads} threads by {compiler:?}",
                    program.kernel
                );
            }
        }
    }
}

fn hold_way(way: &Way) {
    let (program, system) = (program(&way.emit()), way.system());
    let sizes = SIZES.iter().filter_map(|values| bindings(&program, *values));
    let runs: Vec<(Bindings, Tensors)> = sizes.map(|sizes| (sizes.clone(), inputs(&system, &sizes))).collect();
    hold(&program, &runs);
}

#[test]
fn a_few_kernels_have_the_bits_of_exec() {
    share(FEW, 2).for_each(|(kernel, flags)| hold_way(&way(kernel, flags)));
}

#[test]
fn tiles_have_the_bits_of_direct_loops() {
    let mut cases = cases();
    // One program after the other, each built once.
    cases.sort_by_key(|case| case.text);
    for same in cases.chunk_by(|one, other| one.text == other.text) {
        let program = same[0].program();
        let folder = Folder::of(&program);
        folder.make(&compilers()[0], "all");
        for case in same {
            let found = folder.run(&case.sizes, &case.inputs, 2);
            assert!(same_bits(&found, &case.outputs), "{} at {:?}", program.kernel, case.sizes);
        }
    }
}

/// Where the library is there: what it multiplies is as near as sums in another order are; what is no product, as before.
#[cfg(feature = "openblas")]
#[test]
fn products_by_a_library_are_near_those_by_loops() {
    use systole::native::{NativeBackend, NativeLeaves};

    let some = [("matmul", "cannon"), ("cholesky", "timed"), ("trsm", "grid")];
    for (kernel, flags) in some.into_iter().take(if cfg!(feature = "long-tests") { 3 } else { 1 }) {
        let tiles = if kernel == "trsm" { "r=2,i=3" } else { "i=3" };
        let way = way(kernel, &["--schedule", flags, "--tile", tiles]);
        let (program, system) = (program(&way.emit()), way.system());
        let (loops, blas) = (Folder::of(&program), Folder::with(&program, NativeLeaves::Blas, NativeBackend::Threads));
        [&loops, &blas].into_iter().for_each(|folder| folder.make(&compilers()[0], "all"));
        for sizes in SIZES.iter().filter_map(|values| bindings(&program, *values)) {
            let inputs = inputs(&system, &sizes);
            let (by_loops, found) = (loops.run(&sizes, &inputs, 2), blas.run(&sizes, &inputs, 2));
            for (name, expected) in &by_loops {
                let far = expected.iter().zip(&found[name]).find(|(a, b)| (*a - *b).abs() > 1e-12 * (1.0 + a.abs()));
                assert_eq!(far, None, "{kernel} at {sizes:?}");
            }
        }
    }
}

#[cfg(feature = "long-tests")]
mod long {
    use super::{hold_way, way};
    use crate::programs::{kernels, ways};

    /// Tiles of kernels, as `systole emit` is asked for them.
    const TILED: [(&str, &[&str]); 24] = [
        ("matmul", &["--schedule", "cannon", "--tile", "i=4,j=3,k=2"]),
        ("matmul", &["--schedule", "weight-stationary", "--tile", "i=4,j=3,k=2"]),
        ("matmul", &["--schedule", "input-stationary", "--tile", "i=4,j=3,k=2"]),
        ("matmul", &["--schedule", "summa", "--tile", "i=4,j=3,k=2"]),
        ("matmul", &["--schedule", "pumma", "--tile", "i=4,j=3,k=2"]),
        ("matmul", &["--schedule", "kung-leiserson", "--tile", "i=4,j=3,k=2"]),
        ("cholesky", &["--schedule", "grid", "--tile", "i=3"]),
        ("cholesky", &["--schedule", "row-and-sum", "--tile", "i=3"]),
        ("cholesky", &["--schedule", "block-cyclic", "--tile", "i=3"]),
        ("trsm", &["--schedule", "grid", "--tile", "r=2,i=3"]),
        ("trsm", &["--schedule", "split", "--tile", "r=2,i=3"]),
        ("trisolve", &["--schedule", "column", "--tile", "i=3"]),
        ("trisolve", &["--schedule", "folded", "--tile", "i=3"]),
        ("trisolve", &["--schedule", "stream", "--tile", "i=3"]),
        ("trisolve", &["--schedule", "broadcast-b", "--tile", "i=3"]),
        ("trisolve", &["--schedule", "memory", "--tile", "i=3"]),
        ("lu", &["--tile", "i=3"]),
        ("edit_distance", &["--tile", "i=3,j=4"]),
        ("smith_waterman", &["--tile", "i=3,j=4"]),
        ("prefix_sum", &["--tile", "i=4"]),
        ("divergences", &["--tile", "i=3,j=3"]),
        ("minkowski", &["--tile", "i=3,j=2"]),
        ("polybench/gemm", &["--tile", "i=3,j=2,k=4"]),
        ("jacobi2d", &["--tile", "i=3,j=4"]),
    ];

    #[test]
    fn every_kernel_and_schedule_has_the_bits_of_exec() {
        let ways: Vec<_> = kernels().iter().flat_map(|kernel| ways(kernel)).collect();
        assert!(ways.len() > 40);
        ways.iter().for_each(hold_way);
    }

    #[test]
    fn tiles_of_kernels_have_the_bits_of_exec() {
        TILED.iter().for_each(|(kernel, flags)| hold_way(&way(kernel, flags)));
    }
}
