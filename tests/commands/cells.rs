//! Cells: operations that share a step of a PE, from the search to threads.

use super::start::{good, json, misused, refused, systole};

/// The field in two dimensions after T steps, as PolyBench has it.
const FDTD: &str = "kernel fdtd2d(T, M, N)
in  ex0[M, N], ey0[M, N], hz0[M, N], f[T]
out ex[T + 1, M, N], ey[T + 1, M, N], hz[T + 1, M, N]
ex[0, i, j] = ex0[i, j]
ey[0, i, j] = ey0[i, j]
hz[0, i, j] = hz0[i, j]
ey[t, 0, j] = f[t - 1]   where 1 <= t
ey[t, i, j] = ey[t - 1, i, j] - 0.5 * (hz[t - 1, i, j] - hz[t - 1, i - 1, j])   where 1 <= t, 1 <= i
ex[t, i, 0] = ex[t - 1, i, 0]   where 1 <= t
ex[t, i, j] = ex[t - 1, i, j] - 0.5 * (hz[t - 1, i, j] - hz[t - 1, i, j - 1])   where 1 <= t, 1 <= j
hz[t, i, j] = hz[t - 1, i, j] - 0.7 * (ex[t, i, j + 1] - ex[t, i, j] + ey[t, i + 1, j] - ey[t, i, j])
    where 1 <= t, i < M - 1, j < N - 1
hz[t, M - 1, j] = hz[t - 1, M - 1, j]   where 1 <= t
hz[t, i, N - 1] = hz[t - 1, i, N - 1]   where 1 <= t, i < M - 1
";

/// Cycles and PEs of the winner, which the simulator confirms, with the values of the reference.
fn run(kernel: &str, size: &str, flags: &[&str]) -> (u64, u64) {
    let found = json(&[&["run", kernel, "--size", size], flags].concat());
    let (sim, winner) = (&found["sim"], &found["search"]["front"][0]);
    assert_eq!(sim["matches_reference"], true);
    assert_eq!(sim["cycles"], winner["cycles"], "predicted and simulated");
    (sim["cycles"].as_u64().expect("cycles"), sim["pes"].as_u64().expect("PEs"))
}

/// M + 2N - 2 cycles on N(N + 1)/2 PEs, as Gentleman and Kung's array takes.
#[test]
fn a_rotation_is_one_step_of_a_cell() {
    for n in [4, 6, 8] {
        let size = format!("M={n},N={n}");
        let cells = run("kernels/qr_givens.rec", &size, &["--machine", "machines/cells.toml"]);
        assert_eq!(cells, (3 * n - 2, n * (n + 1) / 2), "{size}");
    }
    assert_eq!(run("kernels/qr_givens.rec", "M=5,N=3", &["--cell", "all"]), (9, 6));
    assert_eq!(run("kernels/qr_givens.rec", "M=4,N=4", &["--cell", "1"]), run("kernels/qr_givens.rec", "M=4,N=4", &[]));
}

/// Both electric fields in one step, the magnetic one in the next.
#[test]
fn a_step_of_time_of_fdtd_takes_two_of_a_cell() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("fdtd2d.rec");
    std::fs::write(&file, FDTD).expect("written");
    let file = file.to_string_lossy();
    assert_eq!(run(&file, "T=3,M=4,N=5", &["--machine", "machines/cells.toml"]), (7, 20));
    assert_eq!(run(&file, "T=3,M=4,N=5", &["--cell", "3"]), (7, 20));
    let cycles = |cell: &str| run(&file, "T=3,M=4,N=5", &["--cell", cell]).0;
    let two = cycles("2");
    assert!(7 < two, "{two}");
    // A search of nine seconds.
    if cfg!(feature = "long-tests") {
        assert!(two < cycles("1"), "{two}");
    }
}

#[test]
fn a_design_says_the_order_within_a_step() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = |name: &str| folder.path().join(name).display().to_string();
    let (design, first, second) = (path("qr.design"), path("a.pe"), path("b.pe"));
    let flags = ["--size", "M=3,N=3", "--cell", "all"];
    good(&[&["emit", "kernels/qr_givens.rec"], &flags[..], &["--stop-after", "design", "-o", &design]].concat());
    let text = std::fs::read_to_string(&design).expect("a design");
    assert!(text.contains("space c   place (k, k)   time 2*k + m   position 1\n"), "{text}");
    good(&[&["emit", "kernels/qr_givens.rec"], &flags[..], &["-o", &first]].concat());
    good(&["emit", &design, "--cell", "all", "-o", &second]);
    let program = |path: &str| std::fs::read_to_string(path).expect("a program");
    assert_eq!(program(&first), program(&second));
    good(&["prove", &design, "--cell", "all", "--distribution", "cyclic"]);
    // Five operations share a step, in which the rotation comes after what it rotates.
    let crowded = refused(&["prove", &design, "--cell", "4"]);
    assert!(
        crowded.contains("a PE runs points of `X`, `c`, `s`, `G`, `R` in one step, and its cell holds 4"),
        "{crowded}"
    );
    std::fs::write(&design, text.replace("   position 1", "").replace("   position 2", "   position 1"))
        .expect("written");
    good(&["prove", &design, "--cell", "all"]);
    std::fs::write(&design, text.replace("time j + m\n", "time j + m   position 5\n")).expect("written");
    let late = refused(&["prove", &design, "--cell", "all", "--distribution", "cyclic"]);
    assert!(late.contains("`c` takes X[m,k,k] before `X` has given it"), "{late}");
    assert!(late.contains("`c` takes X[m,k,k] no later than `X` gives it"), "{late}");
    std::fs::write(&design, text.replace("position 2", "position 1.5")).expect("written");
    assert!(refused(&["prove", &design]).contains("a space cannot have position `1.5` within a step"));
}

/// The simulator reports a step with more operations than its machine holds; threads have no steps.
#[test]
fn a_program_says_how_much_its_steps_hold() {
    let folder = tempfile::tempdir().expect("a folder");
    let program = folder.path().join("qr.pe").display().to_string();
    good(&["emit", "kernels/qr_givens.rec", "--size", "M=4,N=4", "--cell", "all", "-o", &program]);
    let sim = |more: &[&str]| systole(&[&["sim", &program, "--size", "M=4,N=4"], more].concat());
    let well = [
        &[][..],
        &["--cell", "5"],
        &["--machine", "machines/cells.toml"],
        &["--machine", "machines/ideal.toml", "--cell", "all"],
    ];
    for more in well {
        let ran = sim(more);
        let first: Vec<&str> = ran.stdout.lines().next().unwrap_or_default().split_whitespace().collect();
        assert!(ran.code == 0 && first == ["cycles", "10"], "{more:?}: {}{}", ran.stdout, ran.stderr);
    }
    for more in [&["--cell", "4"][..], &["--machine", "machines/ideal.toml"]] {
        let ran = sim(more);
        let said = format!(
            "PE (0, 0) does {} operations in one step, more than its cell holds",
            if more[0] == "--cell" { 5 } else { 2 }
        );
        assert!(ran.code != 0 && ran.stderr.contains(&said), "{more:?}: {}{}", ran.stdout, ran.stderr);
    }
    for threads in ["1", "3"] {
        good(&["exec", &program, "--size", "M=5,N=4", "--reference", "kernels/qr_givens.rec", "--threads", threads]);
    }
}

#[test]
fn a_step_holds_a_number_of_operations_or_all() {
    for word in ["0", "none", "-1"] {
        let said = misused(&["search", "kernels/qr_givens.rec", &format!("--cell={word}")]);
        assert!(said.contains(&format!("a step cannot hold `{word}` operations")), "{said}");
    }
    let swept = misused(&["explore", "kernels/qr_givens.rec", "--sweep", "cell.operations=1,2", "--cell", "2"]);
    assert!(swept.contains("`cell.operations` is swept and fixed by --cell"), "{swept}");
}

/// Warshall's closure, of which all PEs of a line hear a value in the step in which it is computed: no bus is as fast as that.
const AT_ONCE: &str = "kernel warshall(N)
in A[N, N] is bits
out C[N, N]
local R[N + 1, N, N]
R[0, i, j] = A[i, j]
R[k, i, j] = max(R[k - 1, i, j], min(R[k - 1, i, k - 1], R[k - 1, k - 1, j])) where 1 <= k
C[i, j] = R[N, i, j]

schedule design
space R   place (i, j)   time 0
  feed A
space R.2   place (i, j)   time k - 1   position 1
  handoff R   broadcast R along j   broadcast R along i
space C   place (i, j)   time N   position 2
  handoff R
";

/// What a bus carries is there a step before it is driven, in a cell too: else PEs of a line would use it in the step in which another
/// computes it. A step later it is right.
#[test]
fn a_bus_is_driven_a_step_after_its_value_is_there() {
    for cell in ["1", "2", "all"] {
        let flags = ["--objective", "cycles", "--cell", cell];
        // The copies that come before and after share a step with what they copy.
        let cycles = if cell == "1" { 5 } else { 4 };
        assert_eq!(run("tests/textbook/warshall.rec", "N=3", &flags), (cycles, 9), "{cell}");
    }
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("x.design").display().to_string();
    std::fs::write(&path, AT_ONCE).expect("written");
    let why = refused(&["prove", &path, "--cell", "all"]);
    assert!(why.contains("`R.2` takes `R` too early") || why.contains("refuted"), "{why}");
    let later = AT_ONCE.replace("time k - 1", "time k").replace("time N ", "time N + 1 ");
    std::fs::write(&path, later).expect("written");
    assert!(good(&["prove", &path, "--cell", "all"]).contains("proved"));
}

/// Several operations of a PE share a step, so the bound on cycles is less, and no run takes fewer.
#[test]
fn no_run_of_a_cell_is_below_the_bound() {
    let kernels = [("kernels/qr_givens.rec", "M=3,N=3"), ("kernels/lu.rec", "N=4"), ("kernels/trisolve.rec", "N=5")];
    for (kernel, size) in kernels {
        for cell in ["1", "2", "all"] {
            let flags = ["search", kernel, "--size", size, "--cell", cell, "--objective", "cycles", "--seconds", "5"];
            let found = json(&flags);
            let (cycles, bound) = (&found["front"][0]["cycles"], &found["bound"]["cycles"]);
            assert!(cycles.as_u64() >= bound.as_u64() && bound.as_u64() > Some(0), "{kernel} {cell}: {cycles} {bound}");
        }
    }
}
