//! Tiles from the command line and from schedules.

use super::start::{good, json, misused, object, refused, systole, systole_under};
use ndarray::{ArrayD, Dimension, IxDyn};
use ndarray_npy::{read_npy, write_npy};
use serde_json::json;
use std::cmp::Ordering;

/// A matrix product whose schedule says how it is tiled.
const TILED: &str = "kernel product(M, N, K)\nin A[M, K], B[K, N]\nout C[M, N]\nC[i, j] = sum(k) A[i, k] * B[k, j]\n\n\
    schedule blocked\ntile i 4   tile j 4   tile k 4\nplace (i, j)   time i + j + k\nstream A along j   stream B along i\n";

fn file(text: &str) -> (tempfile::TempDir, String) {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("product.rec");
    std::fs::write(&path, text).expect("written");
    let path = path.display().to_string();
    (folder, path)
}

/// 3 tiles along each side of 9 by 10 by 11: the 3n - 2 steps of an array of 3 by 3.
#[test]
fn a_schedule_with_tiles_is_an_array_of_tiles() {
    let (_folder, path) = file(TILED);
    let ran = json(&["run", &path, "--schedule", "blocked", "--size", "M=9,N=10,K=11"]);
    assert_eq!((&ran["sim"]["cycles"], &ran["sim"]["pes"]), (&json!(7), &json!(9)));
    assert_eq!(ran["sim"]["matches_reference"], true);
    assert!(ran["prove"]["obligations"].as_array().expect("a list").iter().all(|one| one["result"] == "proved"));
}

/// A flag stands in for the size of the schedule: tiles of 5 make 2 along each side.
#[test]
fn the_flag_stands_in_for_the_schedule() {
    let (_folder, path) = file(TILED);
    let flags = ["--schedule", "blocked", "--tile", "i=5,j=5,k=6", "--size", "M=9,N=10,K=11"];
    let ran = json(&[&["run", &path][..], &flags].concat());
    assert_eq!((&ran["sim"]["cycles"], &ran["sim"]["pes"]), (&json!(4), &json!(4)));
}

/// `i` and `j` are compared, so both have the less of their sides; a warning says so, with the line of the schedule.
#[test]
fn the_least_side_holds_and_a_warning_says_so() {
    let solve = "kernel solve(N)\nin L[N, N], B[N]\nout X[N]\nX[i] = (B[i] - sum(j in 0..i) L[i, j] * X[j]) / L[i, i]\n\n\
        schedule blocked\ntile i 4   tile j 3\n";
    let (_solve, path) = file(solve);
    let words = "`i` is in tiles of 3, not of 4, like what it is divided with";
    let ended = systole(&["run", &path, "--schedule", "blocked", "--size", "N=7", "--json"]);
    assert!(ended.code == 0 && ended.stderr.contains(words), "{}", ended.stderr);
    let ran = object(&ended.stdout);
    assert_eq!(ran["sim"]["matches_reference"], true);
    let said = &ran["diagnostics"][0];
    assert_eq!(said["severity"], "warning");
    assert_eq!((&said["message"], &ran["diagnostics"][1]), (&json!(words), &json!(null)));
    let alike = json(&["run", &path, "--schedule", "blocked", "--tile", "i=3", "--size", "N=7"]);
    assert_eq!((&alike["sim"]["cycles"], &alike["diagnostics"]), (&ran["sim"]["cycles"], &json!(null)));
}

#[test]
fn what_is_no_tile_is_refused_in_the_words_of_flag_or_file() {
    let (_folder, path) = file(TILED);
    for (text, part) in [
        ("i", "`i` is not a size of tiles"),
        ("i=0", "`i=0` is not a size of tiles"),
        ("i=x", "`i=x` is not a size of tiles"),
        ("l=4", "no equation has an index `l` to be tiled"),
    ] {
        let message = misused(&["search", &path, "--tile", text]);
        assert!(message.contains(part), "{message}");
    }
}

/// Two equations meet within a tile, where no run would see that one ends too early or begins too early.
#[test]
fn elements_that_are_not_computed_once_are_not_tiled() {
    let halves = |last: i64| {
        file(&format!(
            "kernel halves(N)\nin A[N], B[N]\nout C[N]\nC[i] = A[i] where i <= {last}\nC[i] = B[i] where i >= 64\n"
        ))
    };
    let tiled = ["--tile", "i=64", "--distribution", "cyclic"];
    let (_folder, path) = halves(63);
    let text = good(&[&["prove", &path][..], &tiled].concat());
    let covered = text.lines().filter(|line| line.contains("element-")).filter(|line| line.contains(" proved "));
    assert_eq!(covered.count(), 4, "{text}");
    assert!(text.contains("element-cover   C tiles"), "{text}");
    for (last, broken, example) in
        [(62, "by no equation", "N = 64, i = 63"), (64, "by two equations", "N = 65, i = 64")]
    {
        let (folder, path) = halves(last);
        let program = folder.path().join("halves.pe");
        for flags in [vec!["prove", &path], vec!["emit", &path, "-o", program.to_str().expect("a path")]] {
            let message = refused(&[&flags, &tiled[..2]].concat());
            let parts = [broken, example, "a tile is stored as a whole", "C[i] = B[i] where i >= 64"];
            assert!(parts.iter().all(|part| message.contains(part)), "{message}");
        }
        assert!(!program.exists());
    }
}

/// The steps over tiles are those over elements: the derived steps of Cholesky's factor, 3n - 2 cycles for n tiles a side.
#[test]
fn steps_over_tiles_are_derived_as_over_elements() {
    let ran = json(&["run", "kernels/cholesky.rec", "--schedule", "grid", "--tile", "i=4", "--size", "N=14"]);
    assert_eq!((&ran["sim"]["cycles"], &ran["sim"]["pes"]), (&json!(10), &json!(10)));
    assert_eq!(ran["sim"]["matches_reference"], true);
}

/// `exec` takes a library for the products that it knows, and is then held to closeness in place of bits.
#[test]
fn leaves_are_run_by_loops_or_by_a_library() {
    let (folder, path) = file(TILED);
    let program = folder.path().join("product.pe").display().to_string();
    good(&["emit", &path, "--schedule", "blocked", "-o", &program]);
    for leaves in ["loops", "faer"] {
        let flags = ["--size", "M=9,N=10,K=11", "--threads", "2", "--leaves", leaves, "--reference", &path];
        let ran = json(&[&["exec", &program][..], &flags].concat());
        assert_eq!((&ran["matches_reference"], &ran["calls"]), (&json!(true), &json!(27)), "{leaves}");
        // Two operations for each of 9 x 10 x 11 terms, whoever does them.
        let served = if leaves == "loops" { json!({}) } else { json!({"gemm": 27}) };
        assert_eq!((&ran["applied"], &ran["served"]), (&json!(1980), &served), "{leaves}");
    }
    let message = misused(&["exec", &program, "--size", "M=9,N=10,K=11", "--leaves", "mkl"]);
    assert!(message.contains("there is no library for leaves `mkl`"), "{message}");
    let other = "kernel product(M, N, K)\nin A[M, K], B[K, N]\nout C[M, N]\nC[i, j] = sum(k) 2 * A[i, k] * B[k, j]\n";
    let (_other, other) = file(other);
    let flags = ["--size", "M=9,N=10,K=11", "--leaves", "faer", "--reference", &other];
    assert_eq!(systole(&[&["exec", &program][..], &flags].concat()).code, 1);
}

/// What the library does of a factor in 4 tiles a side: 4 on the diagonal, 6 below, and what these are brought up to date with.
#[test]
fn a_factor_says_what_the_library_did() {
    let (folder, kernel) = (tempfile::tempdir().expect("a folder"), "kernels/cholesky.rec");
    let program = folder.path().join("cholesky.pe").display().to_string();
    good(&["emit", kernel, "--tile", "i=4", "--schedule", "grid", "-o", &program]);
    let flags = ["exec", &program, "--size", "N=14", "--threads", "2", "--leaves", "faer", "--reference", kernel];
    let ran = json(&flags);
    let served = json!({"gemm": 4, "syrk": 6, "trsm": 6, "potrf": 4});
    assert_eq!((&ran["matches_reference"], &ran["served"]), (&json!(true), &served));
    let told = systole(&flags).stdout;
    assert!(told.contains("calls of faer: 4 gemm, 6 syrk, 6 trsm, 4 potrf"), "{told}");
    assert!(told.contains("GFLOP/s"), "{told}");
}

/// `--leaves openblas` is for builds with the feature `openblas`. Kernels for a processor that is older than this one are warned of, with
/// those that it runs; under these there is no warning.
#[test]
fn openblas_runs_leaves_where_it_is_built_in() {
    let (folder, path) = file(TILED);
    let program = folder.path().join("product.pe").display().to_string();
    good(&["emit", &path, "--schedule", "blocked", "-o", &program]);
    let flags = ["exec", &program, "--size", "M=9,N=10,K=11", "--leaves", "openblas", "--reference", &path, "--json"];
    if !cfg!(feature = "openblas") {
        let message = misused(&flags);
        assert!(message.contains("cargo build --release --features openblas"), "{message}");
        return;
    }
    let under = |kernels: &str| {
        let ran = systole_under(&[("OPENBLAS_CORETYPE", kernels)], &flags);
        let object = object(&ran.stdout);
        assert_eq!((&object["matches_reference"], &object["served"]), (&json!(true), &json!({"gemm": 27})));
        ran.stderr
    };
    let warning = under("Prescott");
    let wider = warning.split_once("set OPENBLAS_CORETYPE=").map(|(_, rest)| rest.split(',').next().unwrap_or(rest));
    assert!(
        wider.is_none() || warning.starts_with("warning: OpenBLAS with kernels for Prescott, and this processor runs"),
        "{warning}"
    );
    #[cfg(target_arch = "x86_64")]
    assert_eq!(wider.is_some(), is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma"), "{warning}");
    assert_eq!(wider.map_or(String::new(), under), "");
}

/// A kernel over `M` from `a` to `X`, with what an element is.
type Meant = (&'static str, &'static str, fn(usize) -> Vec<usize>, fn(&ArrayD<f64>, &[usize], usize) -> f64);

/// Tensors that are cut differently and read by one index; a difference of two indices of one tile; sums that several cells read.
const MEANT: [Meant; 5] = [
    (
        "kernel k(M)\nin a[M + 1, 2*M + 2]\nout X[2]\nX[i] = a[i, i] where 0 <= i <= 1\n",
        "i=2",
        |m| vec![m + 1, 2 * m + 2],
        |a, x, _| a[[x[0], x[0]]],
    ),
    (
        "kernel k(M)\nin a[M + 1, 2*M + 2]\nout X[2]\nX[i] = a[1, i + 2] - a[i, 0] where 0 <= i <= 1\n",
        "i=3",
        |m| vec![m + 1, 2 * m + 2],
        |a, x, _| a[[1, x[0] + 2]] - a[[x[0], 0]],
    ),
    (
        "kernel k(M)\nin a[M]\nout X[M, M]\nX[i, j] = a[i - j + M - 1] where i <= 0\nX[i, j] = X[i - 1, j] where 1 <= i\n",
        "i=2,j=2",
        |m| vec![m],
        |a, x, m| a[[m - 1 - x[1]]],
    ),
    (
        "kernel k(M)\nin a[M]\nout X[M, M]\nX[i, j] = (sum(k in 0..M) a[k]) + 3 where j + 1 <= i\nX[i, i] = 1\n\
            X[i, j] = a[j - 1] where i + 1 <= j\n",
        "i=2",
        |m| vec![m],
        below_a_diagonal,
    ),
    // Three sums that are one, each read at an element of its own; in tiles of one element too.
    (
        "kernel k(M)\nin a[M]\nout X[M, M]\nX[0, 0] = (sum(k in 0..M) a[k]) + 1\n\
            X[i, i] = (sum(k in 0..M) a[k]) + 2 where 1 <= i\nX[i, j] = (sum(k in 0..M) a[k]) + 3 where j + 1 <= i\n\
            X[i, j] = a[j] where i + 1 <= j\n",
        "i=1",
        |m| vec![m],
        |a, x, _| match (x[0], x[1]) {
            (0, 0) => a.sum() + 1.0,
            (i, j) if i == j => a.sum() + 2.0,
            (i, j) if i > j => a.sum() + 3.0,
            (_, j) => a[[j]],
        },
    ),
];

fn below_a_diagonal(a: &ArrayD<f64>, x: &[usize], _: usize) -> f64 {
    match x[0].cmp(&x[1]) {
        Ordering::Greater => a.sum() + 3.0,
        Ordering::Equal => 1.0,
        Ordering::Less => a[[x[1] - 1]],
    }
}

#[test]
fn an_element_is_read_from_whichever_tile_it_is_in() {
    for (text, tile, shape, element) in MEANT {
        let (folder, path) = file(text);
        let (program, output) = (folder.path().join("k.pe"), folder.path().join("X.npy"));
        let (input, program) = (folder.path().join("a.npy"), program.display().to_string());
        good(&["emit", &path, "--tile", tile, "--budget", "100000", "-o", &program]);
        for m in 1..7 {
            let shape = IxDyn(&shape(m));
            let a =
                ArrayD::from_shape_fn(shape, |at| (0..at.ndim()).fold(1.0, |sum, axis| sum * 11.0 + at[axis] as f64));
            write_npy(&input, &a).expect("an input");
            let flags = [format!("M={m}"), format!("a={}", input.display()), format!("X={}", output.display())];
            let flags = ["--size", &flags[0], "--input", &flags[1], "--output", &flags[2]];
            for command in
                [&["run", &path, "--tile", tile, "--budget", "100000"][..], &["exec", &program, "--threads", "2"]]
            {
                let _ = std::fs::remove_file(&output);
                good(&[command, &flags].concat());
                for (at, value) in read_npy::<_, ArrayD<f64>>(&output).expect("an output").indexed_iter() {
                    assert_eq!(*value, element(&a, at.slice(), m), "{text} {command:?} at {m}, {at:?}");
                }
            }
        }
    }
}

/// A range that goes along with another index is tiled where it is counted from its beginning. Where an element is read by the index itself
/// it is not, and has two ends over tiles; the message says what to write, which the last range of those that are tiled is.
#[test]
fn ranges_within_ranges_are_tiled_or_refused_with_what_to_write() {
    let sums = |range: &str, read: &str| {
        let sum = format!("X[i] = sum(k in 0..i + 1) sum(l in {range}) A[i, k] * {read}");
        file(&format!("kernel sums(N)\nin A[N, N], B[N, 2*N]\nout X[N]\n{sum}\n"))
    };
    for (range, read) in [("k - N..k", "B[k, l + N - k]"), ("k..k + N", "B[k, l - k]"), ("0..N", "B[k, l + k]")] {
        let (_folder, path) = sums(range, read);
        let ran = json(&["run", &path, "--size", "N=5", "--tile", "k=2,l=2"]);
        assert_eq!(ran["sim"]["matches_reference"], true, "{range}");
    }
    let (_folder, path) = sums("k..k + N", "B[k, l]");
    let message = refused(&["run", &path, "--size", "N=5", "--tile", "k=2,l=2"]);
    let message = message.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(message.contains("`sum(l in 0..N)` with `l + k` for `l in k..k + N`"), "{message}");
}

/// Recurrences from the last element to the first, along one coordinate or two, a back substitution, and two that need each other.
const BACKWARD: [(&str, &str, [&str; 3]); 5] = [
    (
        "kernel suffix(N)\nin x[N]\nout y[N]\ny[i] = x[i] where i == N - 1\ny[i] = y[i + 1] + x[i] where i <= N - 2\n",
        "i=3",
        ["N=1", "N=7", "N=9"],
    ),
    (
        "kernel far(N)\nin a[N + 3]\nout X[N + 3]\nX[i] = a[i] where i >= N\nX[i] = X[i + 3] / 2 - a[i] where i < N\n",
        "i=4",
        ["N=1", "N=4", "N=9"],
    ),
    (
        "kernel corner(M, N)\nin a[M, N]\nout X[M, N]\nX[i, j] = a[i, j] where i == 0\n\
         X[i, j] = a[i, j] where i >= 1, j == N - 1\n\
         X[i, j] = a[i, j] + X[i - 1, j + 1] / 2 - X[i, j + 1] / 4 where i >= 1, j <= N - 2\n",
        "i=2,j=3",
        ["M=1,N=1", "M=5,N=7", "M=4,N=6"],
    ),
    (
        "kernel up(N)\nin U[N, N] is dominant, b[N]\nout X[N]\n\
         X[i] = (b[i] - sum(j in i + 1..N) U[i, j] * X[j]) / U[i, i]\n",
        "i=3",
        ["N=1", "N=7", "N=6"],
    ),
    (
        "kernel both(N)\nin L[N, N] is dominant, b[N]\nout X[N]\nlocal Y[N]\n\
         Y[i] = (b[i] - sum(j in 0..i) L[i, j] * Y[j]) / L[i, i]\n\
         X[i] = (Y[i] - sum(j in i + 1..N) L[i, j] * X[j]) / L[i, i]\n",
        "i=2",
        ["N=2", "N=5", "N=8"],
    ),
];

#[test]
fn recurrences_run_backward_within_a_tile() {
    for (text, tile, all) in BACKWARD {
        let (folder, path) = file(text);
        let program = folder.path().join("k.pe").display().to_string();
        good(&["emit", &path, "--tile", tile, "-o", &program]);
        let body = std::fs::read_to_string(&program).expect("a program");
        assert!(body.contains("(loop-down i") || body.contains("(loop-down j"), "{text}\n{body}");
        for sizes in all {
            let ran = json(&["run", &path, "--tile", tile, "--size", sizes]);
            assert_eq!((&ran["prove"]["result"], &ran["sim"]["matches_reference"]), (&json!("proved"), &json!(true)));
            let threads = good(&["exec", &program, "--size", sizes, "--threads", "2", "--reference", &path]);
            assert!(threads.contains("matches the reference"), "{text} at {sizes}\n{threads}");
        }
        // The twin: gone through from the first element on, a tile reads what is not there yet.
        std::fs::write(&program, body.replace("(loop-down ", "(loop ")).expect("written");
        let changed = systole(&["exec", &program, "--size", all[1], "--reference", &path]);
        assert_ne!(changed.code, 0, "{text}\n{}", changed.stdout);
    }
}

/// The first tile of `X` and the others are spaces of their own that call one leaf. In this design the products of the first run along `l`
/// first, those of the others along `k`: each has the bits of its own order.
#[test]
fn spaces_that_call_one_leaf_are_held_to_their_own_orders() {
    let text = "kernel powers(M)\nin c\nout X[M]\nX[0] = 1\nX[i] = prod(k in 0..M) (prod(l in 0..i) c) where 1 <= i\n";
    let (folder, path) = file(text);
    for c in [4.507, 1.1, -1.3, 0.7] {
        let input = folder.path().join("c.npy").display().to_string();
        write_npy(&input, &ArrayD::from_elem(IxDyn(&[]), c)).expect("written");
        let given = ["--tile", "i=2", "--size", "M=3", "--input", &format!("c={input}")];
        let ran = json(&[&["run", &path][..], &given].concat());
        assert_eq!(ran["sim"]["matches_reference"], true, "{c}");
    }
}
