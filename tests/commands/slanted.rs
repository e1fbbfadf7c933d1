//! Several sweeps of a stencil in a tile: proved, run, and with how many messages between workers.

use super::share::share;
use super::start::{good, json, refused};
use serde_json::{Value, json};
use tempfile::TempDir;

/// A stencil of PolyBench, with a schedule that says where its tiles are.
struct Stencil {
    kernel: &'static str,
    lines: &'static str,
    folder: TempDir,
}

impl Stencil {
    fn new(kernel: &'static str, lines: &'static str) -> Stencil {
        let folder = tempfile::tempdir().expect("a folder");
        let path = format!("{}/kernels/polybench/{kernel}.rec", env!("SYSTOLE_ROOT"));
        let text = std::fs::read_to_string(path).expect("a kernel");
        let text = format!("{text}\nschedule line\n{lines}\n");
        std::fs::write(folder.path().join("stencil.rec"), text).expect("written");
        Stencil { kernel, lines, folder }
    }

    fn path(&self, name: &str) -> String {
        self.folder.path().join(name).display().to_string()
    }

    fn run(&self, size: &str, tile: &str) -> Value {
        json(&["run", &self.path("stencil.rec"), "--schedule", "line", "--size", size, "--tile", tile])
    }

    /// How many messages and words pass between so many threads.
    fn sent(&self, (small, large): (&str, &str), tile: &str, threads: &str) -> (u64, u64) {
        let (kernel, program) = (self.path("stencil.rec"), self.path("stencil.pe"));
        let emit = ["emit", &kernel, "--schedule", "line", "--size", small, "--tile", tile, "-o", &program];
        good(&emit);
        let ran = json(&["exec", &program, "--reference", &kernel, "--size", large, "--threads", threads]);
        assert_eq!(ran["matches_reference"], true, "{} by {tile}", self.kernel);
        let count = |key: &str| ran[key].as_u64().expect("a number");
        (count("packets"), count("words"))
    }
}

#[test]
fn stencils_with_several_sweeps_in_a_tile_are_proved_and_keep_their_bits() {
    // More than 3,000 questions to the solver.
    let long = ("jacobi_2d", "place (i, j)", "TSTEPS=5,N=8", "t=4,i=4,j=4");
    let all = [
        ("jacobi_1d", "place (i)", "TSTEPS=6,N=12", "t=2,i=5"),
        ("jacobi_1d", "place (t)", "TSTEPS=9,N=5", "t=4,i=3"),
        ("seidel_2d", "place (i, j)", "TSTEPS=6,N=7", "t=4,i=3,j=3"),
        ("fdtd_2d", "place (i, j)", "TMAX=4,NX=5,NY=6", "t=3,i=4,j=4"),
        ("heat_3d", "place (i, j, k)", "TSTEPS=2,N=4", "t=2,i=2,j=2,k=2"),
    ];
    for (kernel, lines, size, tile) in all.into_iter().chain(cfg!(feature = "long-tests").then_some(long)) {
        let stencil = Stencil::new(kernel, lines);
        let ran = stencil.run(size, tile);
        assert_eq!(ran["sim"]["matches_reference"], true, "{kernel} {}", stencil.lines);
        let proofs = ran["prove"]["obligations"].as_array().expect("a list");
        assert!(proofs.iter().all(|one| one["result"] == json!("proved")), "{kernel}");
    }
}

/// Eight sweeps in a tile need an eighth of the messages of single sweeps, however many sweeps there are: tiles are counted
/// from where the elements of their sweeps begin. In place, single sweeps lie aslant already and send few, so it is a
/// fifth, of tiles that pass through memory; over links it is a third. With the feature `long-tests` those of `jacobi_2d`, too.
#[test]
fn workers_talk_once_in_several_sweeps() {
    let seidel = (Stencil::new("seidel_2d", "place (i)\nmemory U"), ("TSTEPS=9,N=12", "TSTEPS=32,N=48"), "i=8,j=8", 5);
    let links = (Stencil::new("seidel_2d", "place (i)"), ("TSTEPS=9,N=12", "TSTEPS=32,N=48"), "i=8,j=8", 3);
    let fdtd = (Stencil::new("fdtd_2d", "place (i)"), ("TMAX=9,NX=12,NY=13", "TMAX=32,NX=48,NY=50"), "i=8,j=8", 8);
    let jacobi = (Stencil::new("jacobi_2d", "place (i)"), ("TSTEPS=9,N=18", "TSTEPS=64,N=96"), "i=16,j=16", 8);
    let line = (Stencil::new("jacobi_1d", "place (i)"), ("TSTEPS=16,N=32", "TSTEPS=64,N=128"), "i=16", 8);
    let long = cfg!(feature = "long-tests").then_some(jacobi);
    for (stencil, sizes, tile, fewer) in [line, seidel, links, fdtd].into_iter().chain(long) {
        for threads in share(["3", "2"], 2) {
            let [single, several] = [1, 8].map(|sweeps| stencil.sent(sizes, &format!("t={sweeps},{tile}"), threads));
            let name = stencil.kernel;
            assert!(several.0 * fewer <= single.0 && several.1 < single.1, "{name}: {several:?} of {single:?}");
        }
    }
}

/// What goes around a ring in each sweep needs all tiles of the sweep before.
#[test]
fn a_ring_is_refused_with_the_tiles_that_wait_for_each_other() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("ring.rec").display().to_string();
    let ring = "kernel ring(T, N)\nin A[N]\nout U[T + 1, N]\nU[0, i] = A[i]\nU[t, 0] = U[t - 1, N - 1]   where 1 <= t\n\
                U[t, i] = U[t - 1, i - 1] + U[t - 1, i]   where 1 <= t, 1 <= i\n";
    std::fs::write(&path, ring).expect("written");
    let message = refused(&["run", &path, "--tile", "t=2,i=4"]);
    assert!(message.contains("among tiles: element `U[1,0]` is defined by itself"), "{message}");
    good(&["run", &path, "--tile", "i=4", "--size", "T=5,N=9"]);
}
