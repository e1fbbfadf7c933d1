//! Reductions without terms and reductions that read nothing: a value, the same on the simulator, on threads and in tiles.
//!
//! Each case has a model of its own here, which knows the definition and nothing of the project: terms are combined one after the
//! other, and of no terms the value is 0, 1, minus infinity or infinity.

use super::share::share;
use super::start::{good, systole};
use ndarray::{ArrayD, IxDyn};
use ndarray_npy::{read_npy, write_npy};
use tempfile::TempDir;

/// A kernel of sizes `N` and `K` from `x`, and `A` where it reads it, to `y`.
struct Case {
    name: &'static str,
    equations: &'static str,
    /// What `y[i]`, or `y[i, j]`, is at these sizes.
    model: fn(&Given, usize, usize) -> f64,
    /// A tiling, where the equations can be tiled.
    tile: Option<&'static str>,
}

/// The sizes and inputs of a run.
struct Given {
    n: usize,
    k: usize,
    x: Vec<f64>,
    a: Vec<f64>,
}

impl Given {
    fn new(n: usize, k: usize) -> Given {
        let number = |at: usize, seed: usize| ((at * 7919 + seed * 104_729 + 11) % 13) as f64 - 6.0;
        let x = (0..n).map(|at| number(at, 1)).collect();
        Given { n, k, x, a: (0..n * n).map(|at| number(at, 2)).collect() }
    }

    fn a(&self, i: usize, j: usize) -> f64 {
        self.a[i * self.n + j]
    }
}

fn sum(terms: impl Iterator<Item = f64>) -> f64 {
    terms.fold(0.0, |all, term| all + term)
}

const CASES: &[Case] = &[
    Case {
        name: "exclusive prefix",
        equations: "y[i] = sum(k in 0..i) x[k]",
        model: |g, i, _| sum((0..i).map(|k| g.x[k])),
        tile: Some("i=2"),
    },
    Case {
        name: "exclusive suffix",
        equations: "y[i] = sum(k in i+1..N) x[k]",
        model: |g, i, _| sum((i + 1..g.n).map(|k| g.x[k])),
        tile: Some("i=2"),
    },
    Case {
        name: "between the strides",
        equations: "y[i] = sum(j in 0..N where 0 <= i - 2*j < K) x[j]",
        model: |g, i, _| sum((0..g.n).filter(|j| 2 * j <= i && i - 2 * j < g.k).map(|j| g.x[j])),
        tile: None,
    },
    Case {
        name: "every second one from here",
        equations: "y[i] = max(j in 0..N where 1 <= 2*j - i < N) x[2*j - i]",
        model: |g, i, _| {
            let there = (0..g.n).filter(|j| 2 * j > i && 2 * j - i < g.n);
            there.map(|j| g.x[2 * j - i]).fold(f64::NEG_INFINITY, f64::max)
        },
        tile: None,
    },
    Case {
        name: "an equality with strides",
        equations: "y[i] = sum(j in 0..N, k in 0..K where 3*j + k == i) x[j]",
        model: |g, i, _| sum((0..g.n).filter(|j| 3 * j <= i && i - 3 * j < g.k).map(|j| g.x[j])),
        tile: None,
    },
    Case {
        name: "read by strides",
        equations: "local s[N]\ns[i] = sum(j in 0..N where 0 <= i - 2*j < K) x[j]\ny[i] = s[i] + 2*(s[i - 1] else 0)",
        model: |g, i, _| {
            let s = |i: usize| sum((0..g.n).filter(|j| 2 * j <= i && i - 2 * j < g.k).map(|j| g.x[j]));
            s(i) + if i > 0 { 2.0 * s(i - 1) } else { 0.0 }
        },
        tile: None,
    },
    Case {
        name: "a quotient",
        equations: "y[i] = min(j in 0..N where 2*j == i) x[j]",
        model: |g, i, _| if i % 2 == 0 && i / 2 < g.n { g.x[i / 2] } else { f64::INFINITY },
        tile: None,
    },
    Case {
        name: "empty products",
        equations: "y[i] = prod(k in 0..i) x[k]",
        model: |g, i, _| (0..i).fold(1.0, |all, k| all * g.x[k]),
        tile: Some("i=2"),
    },
    Case {
        name: "the largest of those behind K",
        equations: "y[i] = max(k in K..N) x[k]",
        model: |g, _, _| (g.k..g.n).fold(f64::NEG_INFINITY, |all, k| all.max(g.x[k])),
        tile: Some("i=2"),
    },
    Case {
        name: "the least of those before K",
        equations: "y[i] = min(k in K..i) x[k]",
        model: |g, i, _| (g.k..i).fold(f64::INFINITY, |all, k| all.min(g.x[k])),
        tile: None,
    },
    Case {
        name: "in an expression",
        equations: "y[i] = x[i] + 2 * sum(k in K..N) x[k]",
        model: |g, i, _| g.x[i] + 2.0 * sum((g.k..g.n).map(|k| g.x[k])),
        tile: None,
    },
    Case {
        name: "strict triangle",
        equations: "y[i] = sum(j in 0..i) A[i, j] * x[j]",
        model: |g, i, _| sum((0..i).map(|j| g.a(i, j) * g.x[j])),
        tile: Some("i=2"),
    },
    Case { name: "never a term", equations: "y[i] = sum(k in 3..2) x[k]", model: |_, _, _| 0.0, tile: Some("i=2") },
    Case {
        name: "never a term in an expression",
        equations: "y[i] = max(x[i], max(k in 0..0) x[k])",
        model: |g, i, _| g.x[i],
        tile: Some("i=2"),
    },
    Case {
        name: "nothing for all but some",
        equations: "y[i] = sum(k in 0..i) x[k] where i >= 1\ny[i] = max(k in 0..i) x[k] where i < 1",
        model: |g, i, _| if i == 0 { f64::NEG_INFINITY } else { sum((0..i).map(|k| g.x[k])) },
        tile: None,
    },
    Case { name: "counts", equations: "y[i] = sum(k in 0..i) 1", model: |_, i, _| i as f64, tile: Some("i=2") },
    Case {
        name: "sums of indices",
        equations: "y[i] = sum(k in 0..N) (k + 2 * i)",
        model: |g, i, _| sum((0..g.n).map(|k| (k + 2 * i) as f64)),
        tile: Some("i=2"),
    },
    Case {
        name: "one over a count",
        equations: "y[i] = 1 / sum(k in 0..N) 1",
        model: |g, _, _| 1.0 / g.n as f64,
        tile: Some("i=2"),
    },
    Case {
        name: "a mean",
        equations: "y[i] = (sum(k in 0..N) A[i, k]) / (sum(k in 0..N) 1)",
        model: |g, i, _| sum((0..g.n).map(|k| g.a(i, k))) / g.n as f64,
        tile: Some("i=2"),
    },
    Case {
        name: "nested, the inner range by the outer index",
        equations: "y[i] = sum(k in 0..N) sum(l in 0..k) (k + l)",
        model: |g, _, _| sum((0..g.n).flat_map(|k| (0..k).map(move |l| (k + l) as f64))),
        tile: None,
    },
    Case {
        name: "nested with reads",
        equations: "y[i] = sum(k in 0..i, l in 0..k) x[l]",
        model: |g, i, _| sum((0..i).flat_map(|k| (0..k).map(move |l| g.x[l]))),
        tile: None,
    },
    Case {
        name: "an equation without points",
        equations: "y[i] = x[i] where i < N\ny[i] = 2 * x[i] where i >= N",
        model: |g, i, _| g.x[i],
        tile: Some("i=2"),
    },
    Case {
        name: "nothing but closed forms",
        equations: "y[i] = 2 * i where i < 1\ny[i] = i where i >= 1",
        model: |_, i, _| i as f64,
        tile: None,
    },
    Case {
        name: "cut by a size that no axis has",
        equations: "y[i] = x[N - i - 1]   where K - 1 <= i\ny[i] = 0   where i < K - 1",
        model: |g, i, _| if g.k <= i + 1 { g.x[g.n - i - 1] } else { 0.0 },
        tile: Some("i=2"),
    },
    Case {
        name: "an index below 0 that reads nothing",
        equations: "y[i] = sum(k in N - i - 3..N) (k + 1)",
        model: |g, i, _| sum((0..i + 3).map(|back| (g.n as f64) - (back as f64))),
        tile: Some("i=2"),
    },
    Case {
        name: "an index below 0 that reads",
        equations: "y[i] = sum(k in -2..N - 2) (k * x[k + 2])",
        model: |g, _, _| sum((0..g.n).map(|k| (k as f64 - 2.0) * g.x[k])),
        tile: Some("i=2"),
    },
    Case {
        name: "an index below 0 by a size, beside one in tiles",
        equations: "y[j] = sum(k in -K..N) (k + x[j])",
        model: |g, j, _| sum((0..g.n + g.k).map(|k| k as f64 - g.k as f64 + g.x[j])),
        tile: Some("j=2"),
    },
    Case {
        name: "a range that may be shorter than nothing",
        equations: "y[i] = max(k in 0..N - 2*K) (k + x[i])",
        model: |g, i, _| (2 * g.k..g.n).fold(f64::NEG_INFINITY, |all, k| all.max((k - 2 * g.k) as f64 + g.x[i])),
        tile: Some("i=2,k=2"),
    },
    Case {
        name: "a difference of two indices in one tile",
        equations: "y[i] = min(k in 0..i) A[k - i + N, 2*k] where i <= 1\ny[i] = 3 where 2 <= i",
        model: |g, i, _| match i {
            0 => f64::INFINITY,
            1 => g.a(g.n - 1, 0),
            _ => 3.0,
        },
        tile: Some("i=2"),
    },
];

/// Sizes at which some, all, or none of the reductions are empty.
const SIZES: [(usize, usize); 4] = [(1, 1), (4, 2), (5, 3), (2, 5)];

fn text(case: &Case) -> String {
    let inputs =
        [("A[N, N]", "A["), ("x[N]", "x[")].map(|(declared, read)| case.equations.contains(read).then_some(declared));
    let inputs: Vec<&str> = inputs.into_iter().flatten().collect();
    let inputs = if inputs.is_empty() { String::new() } else { format!("in {}\n", inputs.join(", ")) };
    format!("kernel k(N, K)\n{inputs}out y[N]\n{}\n", case.equations)
}

struct Bench {
    folder: TempDir,
}

impl Bench {
    fn path(&self, name: &str) -> String {
        self.folder.path().join(name).to_str().unwrap().to_owned()
    }

    /// The flags for sizes, inputs and the output.
    fn flags(&self, case: &Case, given: &Given) -> Vec<String> {
        let mut flags = vec!["--size".to_owned(), format!("N={},K={}", given.n, given.k)];
        for (name, values, shape) in [("x", &given.x, vec![given.n]), ("A", &given.a, vec![given.n, given.n])] {
            if case.equations.contains(&format!("{name}[")) {
                let path = self.path(&format!("{name}.npy"));
                write_npy(&path, &ArrayD::from_shape_vec(IxDyn(&shape), values.clone()).unwrap()).unwrap();
                flags.extend(["--input".to_owned(), format!("{name}={path}")]);
            }
        }
        flags.extend(["--output".to_owned(), format!("y={}", self.path("y.npy"))]);
        flags
    }

    fn run(&self, command: &[&str], flags: &[String]) -> Vec<f64> {
        let _ = std::fs::remove_file(self.path("y.npy"));
        let all: Vec<&str> = command.iter().copied().chain(flags.iter().map(String::as_str)).collect();
        let ran = systole(&all);
        assert_eq!(ran.code, 0, "{all:?}\n{}{}", ran.stdout, ran.stderr);
        read_npy::<_, ArrayD<f64>>(self.path("y.npy")).unwrap().into_iter().collect()
    }
}

/// The program of a kernel, with these flags.
fn emit(kernel: &str, flags: &[&str], program: &str) {
    let emitted = systole(&[&["emit", kernel, "--size", "N=4,K=2", "-o", program], flags].concat());
    assert_eq!(emitted.code, 0, "{flags:?}: {}", emitted.stderr);
}

/// The program of a case runs at all sizes. `run`, which searches and proves for itself, does so at one of them in turn.
#[test]
fn an_empty_reduction_and_one_that_reads_nothing_have_their_value_everywhere() {
    for (number, case) in share(CASES.iter().enumerate(), 2) {
        let bench = Bench { folder: tempfile::tempdir().unwrap() };
        let (kernel, program, over_tiles) = (bench.path("k.rec"), bench.path("k.pe"), bench.path("t.pe"));
        std::fs::write(&kernel, text(case)).unwrap();
        emit(&kernel, &[], &program);
        case.tile.into_iter().for_each(|tile| emit(&kernel, &["--tile", tile], &over_tiles));
        for (turn, (n, k)) in SIZES.into_iter().enumerate() {
            let given = Given::new(n, k);
            let flags = bench.flags(case, &given);
            let expected: Vec<f64> = (0..n).map(|i| (case.model)(&given, i, 0)).collect();
            let here = || format!("{} at N = {n}, K = {k}", case.name);
            if turn == number % SIZES.len() {
                assert_eq!(bench.run(&["run", &kernel], &flags), expected, "run: {}", here());
            }
            // The reference has the inputs that no reduction is left to read.
            let sim = ["sim", &program, "--reference", &kernel];
            assert_eq!(bench.run(&sim, &flags), expected, "sim: {}", here());
            let exec = ["exec", &program, "--reference", &kernel, "--threads", "2"];
            assert_eq!(bench.run(&exec, &flags), expected, "exec: {}", here());
            if let Some(tile) = case.tile {
                let runs = ["run", &kernel, "--tile", tile];
                let sims = ["sim", &over_tiles, "--reference", &kernel];
                let command = if turn == number / SIZES.len() % SIZES.len() { runs } else { sims };
                assert_eq!(bench.run(&command, &flags), expected, "{command:?}: {}", here());
            }
        }
    }
}

/// A tuple of nothing is the neutral one, where the range ends by a size and where it ends by an index.
#[test]
fn a_declared_reduction_of_nothing_is_its_neutral_tuple() {
    let declared = "reduction r(a, b) with (c, d) = (max(a, c), b + d) from (-infinity, 0)";
    type Range = fn(&Given, usize) -> std::ops::Range<usize>;
    let cases: [(&str, Range); 4] = [
        ("k in K..N", |g, _| g.k..g.n),
        ("k in 0..i", |_, i| 0..i),
        ("k in i+1..N", |g, i| i + 1..g.n),
        ("k in K..i", |g, i| g.k..i),
    ];
    for (number, (range, values)) in cases.into_iter().enumerate() {
        let bench = Bench { folder: tempfile::tempdir().unwrap() };
        let (kernel, program) = (bench.path("k.rec"), bench.path("k.pe"));
        let equation = format!("(y[i], z[i]) = r({range}) (x[k], x[k])");
        std::fs::write(&kernel, format!("kernel k(N, K)\nin x[N]\nout y[N], z[N]\n{declared}\n{equation}\n")).unwrap();
        emit(&kernel, &[], &program);
        for (turn, (n, k)) in SIZES.into_iter().enumerate() {
            let given = Given::new(n, k);
            let case = Case { name: "declared", equations: "x[", model: |_, _, _| 0.0, tile: None };
            let mut flags = bench.flags(&case, &given);
            flags.extend(["--output".to_owned(), format!("z={}", bench.path("z.npy"))]);
            let found = if turn == number {
                bench.run(&["run", &kernel], &flags)
            } else {
                bench.run(&["sim", &program, "--reference", &kernel], &flags)
            };
            let counted: Vec<f64> = read_npy::<_, ArrayD<f64>>(bench.path("z.npy")).unwrap().into_iter().collect();
            let of = |i: usize| values(&given, i).map(|k| given.x[k]);
            let largest: Vec<f64> = (0..n).map(|i| of(i).fold(f64::NEG_INFINITY, f64::max)).collect();
            let sums: Vec<f64> = (0..n).map(|i| sum(of(i))).collect();
            assert_eq!((found, counted), (largest, sums), "{range} at N = {n}, K = {k}");
        }
    }
}

/// No term is read at the index alone: how many values it has follows from its range, whatever the sizes.
#[test]
fn a_declared_reduction_says_how_many_values_its_index_has() {
    let declared = "reduction r(a, b) with (c, d) = (a + c, b + d) from (0, 0)";
    type Range = fn(&Given, usize) -> std::ops::Range<usize>;
    type Second = fn(&Given, usize, usize) -> f64;
    let cases: [(&str, &str, Range, Second); 4] = [
        ("k in 0..i", "(1, i)", |_, i| 0..i, |_, i, _| i as f64),
        ("k in 0..i + 1", "(1, x[k])", |_, i| 0..i + 1, |g, _, k| g.x[k]),
        ("k in 0..N - K", "(1, x[k + K])", |g, _| 0..g.n.saturating_sub(g.k), |g, _, k| g.x[k + g.k]),
        ("k in 0..N - i", "(1, x[i + k])", |g, i| 0..g.n - i, |g, i, k| g.x[i + k]),
    ];
    for (range, terms, values, second) in cases {
        let bench = Bench { folder: tempfile::tempdir().unwrap() };
        let kernel = bench.path("k.rec");
        let equation = format!("(y[i], z[i]) = r({range}) {terms}");
        std::fs::write(&kernel, format!("kernel k(N, K)\nin x[N]\nout y[N], z[N]\n{declared}\n{equation}\n")).unwrap();
        for (n, k) in SIZES {
            let given = Given::new(n, k);
            let case = Case { name: "declared", equations: "x[", model: |_, _, _| 0.0, tile: None };
            let mut flags = bench.flags(&case, &given);
            flags.extend(["--output".to_owned(), format!("z={}", bench.path("z.npy"))]);
            let counts = bench.run(&["run", &kernel, "--budget", "100000"], &flags);
            let sums: Vec<f64> = read_npy::<_, ArrayD<f64>>(bench.path("z.npy")).unwrap().into_iter().collect();
            let expected: Vec<f64> = (0..n).map(|i| values(&given, i).len() as f64).collect();
            let seconds: Vec<f64> = (0..n).map(|i| sum(values(&given, i).map(|k| second(&given, i, k)))).collect();
            assert_eq!((counts, sums), (expected, seconds), "{range} at N = {n}, K = {k}");
        }
    }
}

/// At the first value of `k` the second term is read at `i` alone, whose range is that of the target all the same.
#[test]
fn a_declared_reduction_ranges_over_its_targets() {
    let declared = "reduction r(a, b) with (c, d) = (a + c, b + d) from (0, 0)";
    let bench = Bench { folder: tempfile::tempdir().unwrap() };
    let kernel = bench.path("k.rec");
    let text =
        format!("kernel k(N, K)\nin x[N]\nout y[1], z[1]\n{declared}\n(y[i], z[i]) = r(k in 0..N) (1, x[i + k])\n");
    std::fs::write(&kernel, text).unwrap();
    for (n, k) in SIZES {
        let given = Given::new(n, k);
        let case = Case { name: "declared", equations: "x[", model: |_, _, _| 0.0, tile: None };
        let mut flags = bench.flags(&case, &given);
        flags.extend(["--output".to_owned(), format!("z={}", bench.path("z.npy"))]);
        let counts = bench.run(&["run", &kernel, "--budget", "100000"], &flags);
        let sums: Vec<f64> = read_npy::<_, ArrayD<f64>>(bench.path("z.npy")).unwrap().into_iter().collect();
        assert_eq!((counts, sums), (vec![n as f64], vec![sum(given.x.iter().copied())]), "N = {n}");
    }
}

/// An equation without points is all that reads `x`: the program has it for whoever gives it, and so have run, simulator and threads.
#[test]
fn an_input_that_no_point_reads_may_be_given_everywhere() {
    let bench = Bench { folder: tempfile::tempdir().unwrap() };
    let (kernel, program) = (bench.path("k.rec"), bench.path("k.pe"));
    let text =
        "kernel k(N, K)\nin x[N]\nout y[N]\ny[i] = x[i]   where i + 1 <= 0, 0 <= i < N\ny[i] = 1   where 0 <= i\n";
    std::fs::write(&kernel, text).unwrap();
    let emitted = systole(&["emit", &kernel, "-o", &program]);
    assert_eq!(emitted.code, 0, "{}", emitted.stderr);
    let case = Case { name: "unread", equations: "x[", model: |_, _, _| 0.0, tile: None };
    for (n, k) in SIZES {
        let flags = bench.flags(&case, &Given::new(n, k));
        for command in [&["run", &kernel][..], &["sim", &program], &["exec", &program, "--threads", "2"]] {
            assert_eq!(bench.run(command, &flags), vec![1.0; n], "{command:?} at N = {n}");
        }
    }
}

/// The last element of `0..2*K - 1` is even: no class of PE has it beside one of the elements 1. At K = 1 it is the first.
#[test]
fn a_declared_reduction_over_an_odd_number_of_terms() {
    let declared = "reduction r(a, b) with (c, d) = (a + c, b + d) from (0, 0)";
    let equations = "(y[i], z[i]) = r(k in 0..2*K - 1) (A[k, k], 1)\nc[i, j] = sum(k in 0..K) 1";
    let bench = Bench { folder: tempfile::tempdir().unwrap() };
    let kernel = bench.path("k.rec");
    let text = "kernel k(N, K)\nin A[2*K - 1, 2*K - 1]\nout y[N], z[N], c[N, N]";
    std::fs::write(&kernel, format!("{text}\n{declared}\n{equations}\n")).unwrap();
    for (n, k) in [(1, 1), (2, 2), (3, 1), (1, 3)] {
        let side = 2 * k - 1;
        let a = Given::new(side, 1);
        write_npy(bench.path("a.npy"), &ArrayD::from_shape_vec(IxDyn(&[side, side]), a.a.clone()).unwrap()).unwrap();
        let output = |name: &str| format!("{name}={}", bench.path(&format!("{name}.npy")));
        let given =
            ["--size".to_owned(), format!("N={n},K={k}"), "--input".to_owned(), format!("A={}", bench.path("a.npy"))];
        let outputs = ["y", "z", "c"].into_iter().flat_map(|name| ["--output".to_owned(), output(name)]);
        let flags: Vec<String> = given.into_iter().chain(outputs).collect();
        let traces = bench.run(&["run", &kernel, "--budget", "100000"], &flags);
        let other = |name: &str| -> Vec<f64> {
            read_npy::<_, ArrayD<f64>>(bench.path(&format!("{name}.npy"))).unwrap().into_iter().collect()
        };
        assert_eq!(traces, vec![sum((0..side).map(|at| a.a(at, at))); n], "N = {n}, K = {k}");
        assert_eq!((other("z"), other("c")), (vec![side as f64; n], vec![k as f64; n * n]), "N = {n}, K = {k}");
    }
}

/// Scattered products leave elements that no product has: the first is given no points at these sizes, the others are beyond all.
#[test]
fn elements_that_no_term_is_scattered_to_are_neutral() {
    let bench = Bench { folder: tempfile::tempdir().unwrap() };
    let kernel = bench.path("k.rec");
    let equation = "y[i + j] = sum(i in 0..N, j in 0..N) x[i] * x[j]";
    std::fs::write(&kernel, format!("kernel k(N, K)\nin x[N]\nout y[2*N + 3]\n{equation}\n")).unwrap();
    for (n, k) in SIZES {
        let given = Given::new(n, k);
        let case = Case { name: "scattered", equations: "x[", model: |_, _, _| 0.0, tile: None };
        let found = bench.run(&["run", &kernel], &bench.flags(&case, &given));
        let pairs = |at: usize| (0..n).filter(move |i| at >= *i && at - i < n).map(move |i| (i, at - i));
        let expected: Vec<f64> =
            (0..2 * n + 3).map(|at| sum(pairs(at).map(|(i, j)| given.x[i] * given.x[j]))).collect();
        assert_eq!(found, expected, "N = {n}");
    }
}

#[test]
fn an_equation_without_points_is_named() {
    let bench = Bench { folder: tempfile::tempdir().unwrap() };
    let kernel = bench.path("k.rec");
    std::fs::write(&kernel, "kernel k(N)\nin x[N]\nout y[N]\ny[i] = x[i]\ny[i] = 2 * x[i] where i >= N\n").unwrap();
    let ran = systole(&["run", &kernel, "--size", "N=3"]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert!(ran.stderr.contains("k.rec:5: the equation defines no element of `y` at any size"), "{}", ran.stderr);
}

/// What is stored is proved of the program: of every run, not of one that is distributed alone.
#[test]
fn every_proof_says_that_each_element_is_stored_once() {
    let text = good(&["prove", "kernels/cholesky.rec", "--schedule", "grid"]);
    for line in ["element-cover   L        proved", "element-apart   L        proved"] {
        assert!(text.contains(line), "no `{line}` in {text}");
    }
    let tiled = good(&["prove", "kernels/matmul.rec", "--schedule", "cannon", "--tile", "i=4,j=4,k=4"]);
    assert!(tiled.contains("element-cover   C tiles  proved"), "{tiled}");
}

/// A kernel without indices is one point at time 0.
#[test]
fn a_kernel_of_numbers_alone_runs() {
    let bench = Bench { folder: tempfile::tempdir().unwrap() };
    let (kernel, program) = (bench.path("k.rec"), bench.path("k.pe"));
    std::fs::write(&kernel, "kernel k(N)\nin a, b\nout c, d\nc = a * b\nd = c + 1\n").unwrap();
    let numbers = [("a", 3.0), ("b", -2.0)].map(|(name, value)| {
        let path = bench.path(&format!("{name}.npy"));
        write_npy(&path, &ArrayD::from_elem(IxDyn(&[]), value)).unwrap();
        format!("{name}={path}")
    });
    good(&["emit", &kernel, "-o", &program]);
    for command in [&["run", &kernel][..], &["sim", &program], &["exec", &program]] {
        let output = format!("d={}", bench.path("d.npy"));
        let flags = ["--size", "N=2", "--input", &numbers[0], "--input", &numbers[1], "--output", &output];
        let ran = systole(&[command, &flags].concat());
        assert_eq!(ran.code, 0, "{command:?}: {}", ran.stderr);
        assert_eq!(read_npy::<_, ArrayD<f64>>(bench.path("d.npy")).unwrap(), ArrayD::from_elem(IxDyn(&[]), -5.0));
    }
}

/// What a declared reduction is written out as may be empty where the equation is not: no warning speaks of it, and it is shown once.
#[test]
fn a_prefix_of_a_declared_reduction_is_one_equation() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("prefix.rec").display().to_string();
    let text = "kernel prefix(N)\nin s[N], v[N]\nout m[N], p[N]\nreduction later(a, i) with (b, j) = \
                (max(a, b), select(a < b, j, select(b < a, i, max(i, j)))) from (-infinity, -infinity)\n\
                (m[i], p[i]) = later(j in 0..i + 1) (s[j], v[j])\n";
    std::fs::write(&path, text).unwrap();
    let ran = systole(&["run", &path, "--size", "N=3", "--budget", "100000"]);
    assert_eq!((ran.code, &*ran.stderr), (0, ""));
    assert_eq!(ran.stdout.lines().filter(|line| line.starts_with("prefix(N)")).count(), 1, "{}", ran.stdout);
}

/// Of a store whose point no element tells, a run says that it is not proved for all sizes, as `prove` does.
#[test]
fn what_is_not_stated_of_stores_is_said_by_run() {
    let flags = ["tests/textbook/forward_backward.rec", "--size", "T=2,S=2"];
    let said = "that each element of `g` is stored once is not stated for all sizes: each run looks";
    let ran = systole(&[&["run"], &flags[..]].concat());
    let is_stated = !systole(&[&["prove"], &flags[..]].concat()).stdout.contains("not stated");
    assert_eq!(ran.stdout.contains(said), !is_stated, "{}", ran.stdout);
    assert!(!is_stated);
    for (kernel, sizes) in [("kernels/matvec.rec", "M=2,N=2"), ("kernels/trisolve.rec", "N=3")] {
        assert!(!systole(&["run", kernel, "--size", sizes]).stdout.contains("not stated"), "{kernel}");
    }
}

/// A PE that only stores what is known without an operation is not among those that the search counts, and the run says so.
#[test]
fn a_pe_that_computes_nothing_is_told_apart() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("known.rec").display().to_string();
    let text = "kernel known(N)\nin X[N]\nout a[N], c[N]\na[i] = 1 / sum(k in 0..i) 1\n\
                c[i] = max(k in 0..i) min(k2 in i..N) X[k]\n";
    std::fs::write(&path, text).unwrap();
    let found = super::start::json(&["run", &path, "--size", "N=4"]);
    let (computing, all) = (&found["search"]["front"][0]["pes"], &found["sim"]["pes"]);
    let ran = systole(&["run", &path, "--size", "N=4"]);
    let is_said = ran.stdout.contains(&format!(" on {all} PEs ({computing} of them compute), "));
    assert_eq!(is_said, computing != all, "{}", ran.stdout);
    assert!(is_said);
}
