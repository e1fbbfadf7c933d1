//! PolyBench's kernels in tiles, on threads and on ranks: with loops the bits of the equations in the order of the tiles, with libraries as
//! near as sums in another order are. A few of them; with the feature `long-tests` all.
//!
//! Durbin's own recursion is refused: the number that a row is made with needs all of the row before, so tiles of several rows need each
//! other in a cycle. `kernels/polybench/durbin.rec` has the same numbers by Schur's.

use super::command::systole;
use super::mpirun::mpirun;
use super::programs::program;
use serde_json::Value;
use std::process::Command;
use systole::recurrence::Role;
use tempfile::TempDir;

/// How far from the bits of loops a product by a library may be.
const NEAR: f64 = 1e-9;

/// A kernel in two tilings, one of which does not divide its sizes.
#[derive(Clone, Copy)]
struct Tiled {
    kernel: &'static str,
    flags: &'static [&'static str],
    /// At which size a design is sought, and at which its program runs.
    sizes: [&'static str; 2],
    tiles: [&'static str; 2],
}

const fn tiled(kernel: &'static str, sizes: [&'static str; 2], tiles: [&'static str; 2]) -> Tiled {
    Tiled { kernel, flags: &[], sizes, tiles }
}

const fn scheduled(flags: &'static [&'static str], tiled: Tiled) -> Tiled {
    Tiled { flags, ..tiled }
}

/// The first tiling divides the sizes of the run wherever one side divides them all.
const KERNELS: [Tiled; 30] = [
    tiled("gemm", ["NI=5,NJ=4,NK=3", "NI=8,NJ=4,NK=6"], ["i=2,j=2,k=2", "i=3,j=3,k=4"]),
    tiled("jacobi_1d", ["TSTEPS=3,N=7", "TSTEPS=5,N=12"], ["t=2,i=2", "t=3,i=5"]),
    tiled("cholesky", ["N=5", "N=8"], ["i=2,j=2,k=2", "i=3,j=3,k=3"]),
    tiled("trmm", ["M=4,N=5", "M=8,N=6"], ["i=2,j=2,k=2", "i=3,j=4,k=3"]),
    tiled("atax", ["M=5,N=4", "M=8,N=6"], ["i=2,j=2", "i=3,j=4"]),
    tiled("bicg", ["M=5,N=4", "M=8,N=6"], ["i=2,j=2", "i=3,j=4"]),
    tiled("correlation", ["M=4,N=5", "M=6,N=8"], ["i=2,j=2,k=2", "i=3,j=3,k=3"]),
    tiled("covariance", ["M=4,N=5", "M=6,N=8"], ["i=2,j=2,k=2", "i=3,j=3,k=3"]),
    tiled("deriche", ["W=4,H=5", "W=8,H=6"], ["i=2,j=2", "i=3,j=4"]),
    tiled("doitgen", ["NR=3,NQ=2,NP=5", "NR=4,NQ=2,NP=6"], ["r=2,q=2,p=2,s=2", "r=3,q=3,p=4,s=4"]),
    tiled("durbin", ["N=5", "N=8"], ["i=2,j=2,k=2", "i=3,j=3,k=3"]),
    tiled("fdtd_2d", ["TMAX=2,NX=5,NY=6", "TMAX=4,NX=8,NY=6"], ["t=2,i=2,j=2", "t=3,i=3,j=4"]),
    tiled("floyd_warshall", ["N=4", "N=8"], ["i=2,j=2,k=2", "i=3,j=3,k=3"]),
    tiled("gemver", ["N=5", "N=8"], ["i=2,j=2", "i=3,j=3"]),
    tiled("gesummv", ["N=5", "N=8"], ["i=2,j=2", "i=3,j=3"]),
    tiled("gramschmidt", ["M=5,N=4", "M=8,N=5"], ["i=2", "i=3"]),
    scheduled(
        &["--schedule", "cells"],
        tiled("heat_3d", ["TSTEPS=2,N=4", "TSTEPS=4,N=6"], ["t=2,i=2,j=2,k=2", "t=2,i=4,j=4,k=4"]),
    ),
    tiled("jacobi_2d", ["TSTEPS=2,N=5", "TSTEPS=4,N=8"], ["t=2,i=2,j=2", "t=3,i=3,j=3"]),
    tiled("lu", ["N=5", "N=8"], ["i=2,j=2,k=2", "i=3,j=3,k=3"]),
    tiled("ludcmp", ["N=4", "N=8"], ["i=2,j=2,k=2", "i=3,j=3,k=3"]),
    tiled("mm2", ["NI=3,NJ=4,NK=3,NL=2", "NI=6,NJ=4,NK=4,NL=8"], ["i=2,j=2,k=2,l=2", "i=4,j=3,k=3,l=3"]),
    tiled(
        "mm3",
        ["NI=3,NJ=4,NK=3,NL=2,NM=3", "NI=4,NJ=4,NK=6,NL=6,NM=4"],
        ["i=2,j=2,k=2,l=2,m=2", "i=3,j=3,k=4,l=4,m=3"],
    ),
    tiled("mvt", ["N=5", "N=8"], ["i=2,j=2", "i=3,j=3"]),
    tiled("nussinov", ["N=5", "N=8"], ["i=2", "i=3"]),
    tiled("seidel_2d", ["TSTEPS=2,N=5", "TSTEPS=4,N=8"], ["t=2,i=2,j=2", "t=3,i=3,j=3"]),
    tiled("symm", ["M=4,N=5", "M=8,N=6"], ["i=2,j=2,k=2", "i=3,j=4,k=3"]),
    tiled("syr2k", ["M=4,N=5", "M=8,N=6"], ["i=2,j=2,k=2", "i=4,j=4,k=3"]),
    tiled("syrk", ["M=4,N=5", "M=8,N=6"], ["i=2,j=2,k=2", "i=4,j=4,k=3"]),
    tiled("trisolv", ["N=5", "N=8"], ["i=2,j=2", "i=3,j=3"]),
    scheduled(&["--schedule", "line"], tiled("adi", ["TSTEPS=2,N=5", "TSTEPS=2,N=6"], ["i=2,j=2", "i=4,j=4"])),
];

/// So many kernels, from the first on, are run without the feature `long-tests`.
const QUICK: usize = 3;

/// The object of a command that must end well.
fn object(arguments: &[&str]) -> Value {
    let mut command = Command::new(env!("CARGO_BIN_EXE_systole"));
    let output = command.args(arguments).arg("--json").current_dir(env!("SYSTOLE_ROOT")).output().expect("it starts");
    assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).expect("an object")
}

/// A program in files: its outputs are written beside it.
struct Emitted {
    folder: TempDir,
    outputs: Vec<String>,
}

impl Emitted {
    fn new(source: &str, size: &str, tile: &str, flags: &[&str]) -> Emitted {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("p.pe").display().to_string();
        object(&[&["emit", source, "--size", size, "--tile", tile, "-o", &path], flags].concat());
        let program = program(&std::fs::read_to_string(&path).expect("a program"));
        let outputs = program.arrays.iter().filter(|array| array.role == Role::Output);
        Emitted { outputs: outputs.map(|array| array.name.to_string()).collect(), folder }
    }

    fn path(&self, name: &str) -> String {
        self.folder.path().join(name).display().to_string()
    }

    /// The flags of a run that writes all outputs.
    fn flags(&self, source: &str, size: &str) -> Vec<String> {
        let outputs =
            self.outputs.iter().flat_map(|name| ["--output".to_owned(), format!("{name}={}", self.path(name))]);
        let first = [&*self.path("p.pe"), "--reference", source, "--size", size].map(str::to_owned);
        first.into_iter().chain(outputs).collect()
    }

    /// The files of the last run.
    fn written(&self) -> Vec<Vec<u8>> {
        self.outputs.iter().map(|name| std::fs::read(self.path(name)).expect("an output")).collect()
    }
}

#[test]
fn the_recursion_of_durbin_in_tiles_is_refused_with_the_smallest_cycle() {
    for tile in ["i=2,k=2", "i=3,k=3"] {
        let output = systole(&["prove", "tests/textbook/durbin.rec", "--size", "N=5", "--tile", tile]);
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(1), "{said}");
        let parts = ["among tiles: element `alpha[0]` is defined by itself", "(each is needed for the next) at N = 2"];
        assert!(parts.iter().all(|part| said.contains(part)), "{said}");
    }
}

#[test]
fn polybench_in_tiles_on_threads_and_ranks() {
    let few = if cfg!(feature = "long-tests") { &KERNELS[..] } else { &KERNELS[..QUICK] };
    for (Tiled { kernel, flags, sizes: [small, large], tiles }, tile) in
        few.iter().flat_map(|kernel| kernel.tiles.map(|tile| (kernel, tile)))
    {
        let source = format!("kernels/polybench/{kernel}.rec");
        let (emitted, title) = (Emitted::new(&source, small, tile, flags), format!("{kernel} by {tile} of {tiles:?}"));
        let run = emitted.flags(&source, large);
        let run: Vec<&str> = run.iter().map(String::as_str).collect();
        assert_eq!(object(&[&["sim"], &run[..]].concat())["matches_reference"], true, "{title}");
        let simulated = emitted.written();
        for (leaves, workers) in ["loops", "faer"].iter().flat_map(|leaves| [1, 2, 3].map(|one| (*leaves, one))) {
            let title = format!("{title} with {leaves}, {workers} workers");
            let hold = |ran: &Value| {
                assert_eq!(ran["matches_reference"], true, "{title}: {ran}");
                assert!(ran["rounding"].as_f64().is_some_and(|off| off <= NEAR), "{title}: {ran}");
                assert!(leaves != "loops" || emitted.written() == simulated, "{title}: other bits");
            };
            let run = [&run[..], &["--leaves", leaves]].concat();
            hold(&object(&[&["exec"], &run[..], &["--threads", &workers.to_string()]].concat()));
            let ranks = mpirun(workers, &[&run[..], &["--json"]].concat());
            assert_eq!(ranks.code, Some(0), "{title}: {}", ranks.stderr);
            hold(&ranks.object());
        }
    }
}
