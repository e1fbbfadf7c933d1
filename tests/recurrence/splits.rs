//! Reductions that are split: the same values in any nesting, parts whose lines end on one face, and splits that are none.

use crate::support::{filled, sizes, system, tensors};
use systole_base::diagnostic::render;
use systole_base::span::Source as Text;
use systole_equations::recurrence::spaces::{SpaceSystem, evaluate_system_in_order, last_point, spaces_under};
use systole_equations::recurrence::{Chain, Role, Space, Tensors, evaluate, load};

const CNN: &str = "kernel cnn(F, C, M, N, K, L)\nin W[F, C, K, L], X[C, M + K - 1, N + L - 1]\nout Y[F, M, N]\n\
                   Y[f, i, j] = sum(c, k, l) W[f, c, k, l] * X[c, i + k, j + l]\n";

const PRODUCT: &str = "kernel p(M, N, K)\nin A[M, K], B[K, N]\nout C[M, N]\nC[i, j] = sum(k) A[i, k] * B[k, j]\n";

/// Two sums within one expression, of which one is over a triangle.
const TRIANGLE: &str = "kernel t(N)\nin A[N, N], b[N]\nout y[N]\n\
                        y[i] = 2 * (sum(j in 0..i + 1) A[i, j] * b[j]) - max(k) A[i, k]\n";

fn split(text: &str, lines: &str) -> SpaceSystem {
    let system = system(&format!("{text}\nschedule s\n{lines}\n"));
    let schedule = system.schedule("s").expect("the schedule");
    spaces_under(&system, schedule).unwrap_or_else(|errors| panic!("{lines}: {}", render(&errors, false)))
}

/// Split or whole, values are the same; here they are exact. Each part leaves its results at points that have a closed form.
fn hold(text: &str, lines: &str, pairs: &[(&str, i64)], inputs: &Tensors) {
    let (whole, cut) = (system(text), split(text, lines));
    let is_read =
        |space: &&Space| cut.tensors.iter().all(|tensor| tensor.name != space.output || tensor.role != Role::Output);
    for space in cut.spaces.iter().filter(is_read) {
        let last = last_point(space, &Chain::as_written(space), &space.element());
        assert!(last.is_some(), "{lines}: {} ends on several faces\n{cut}", space.name);
    }
    let chains: Vec<Chain> = cut.spaces.iter().map(Chain::as_written).collect();
    let found = evaluate_system_in_order(&whole, &cut, &chains, &sizes(pairs), inputs);
    let found = found.unwrap_or_else(|errors| panic!("{lines}: {}", render(&errors, false)));
    assert_eq!(found, evaluate(&whole, &sizes(pairs), inputs).expect("the reference"), "{lines} at {pairs:?}");
}

#[test]
fn a_sum_over_three_indices_is_split_in_any_nesting() {
    for [f, c, m, n, k, l] in [[2, 3, 2, 3, 2, 1], [1, 1, 1, 1, 1, 1], [3, 2, 4, 2, 3, 2]] {
        let shape = |sides: &[i64]| sides.iter().map(|side| *side as usize).collect::<Vec<usize>>();
        let inputs =
            tensors(&[("W", filled(1, &shape(&[f, c, k, l]))), ("X", filled(2, &shape(&[c, m + k - 1, n + l - 1])))]);
        for levels in [
            "sum(k, l) sum(c)",
            "sum(c) sum(k, l)",
            "sum(l) sum(k) sum(c)",
            "sum(c, l) sum(k)",
            "sum(c div 2, k, l) sum(c mod 2)",
            "sum(c div 2, k div 2, l) sum(c mod 2, k mod 2)",
        ] {
            let pairs = [("F", f), ("C", c), ("M", m), ("N", n), ("K", k), ("L", l)];
            hold(CNN, &format!("split sum(c, k, l) as {levels}"), &pairs, &inputs);
        }
    }
}

/// What lies along an axis in strips is split without a line that says so; the last strip may be short.
#[test]
fn an_index_in_strips_that_is_reduced_over_is_split() {
    for [m, n, k] in [[2, 3, 8], [3, 2, 7], [1, 1, 1], [2, 2, 3], [1, 2, 9]] {
        let [rows, columns, inner] = [m, n, k].map(|side| side as usize);
        let inputs = tensors(&[("A", filled(1, &[rows, inner])), ("B", filled(2, &[inner, columns]))]);
        let pairs = [("M", m), ("N", n), ("K", k)];
        for lines in [
            "place (k mod 4, j mod 2)",
            "place (k mod 4)",
            "split sum(k) as sum(k mod 4) sum(k div 4)",
            "split sum(k) as sum(k div 3) sum(k mod 3)\nplace (i mod 2, k mod 3)",
        ] {
            hold(PRODUCT, lines, &pairs, &inputs);
        }
    }
    let names: Vec<String> =
        split(PRODUCT, "place (k mod 4)").spaces.iter().map(|space| space.name.to_string()).collect();
    assert_eq!(names, ["C.k.sum", "C.k.sum.2", "C.sum"]);
}

#[test]
fn reductions_over_triangles_and_within_expressions_are_split() {
    for n in [1, 3, 4, 9] {
        let side = n as usize;
        let inputs = tensors(&[("A", filled(1, &[side, side])), ("b", filled(2, &[side]))]);
        for lines in ["place (j mod 4)", "place (k mod 4)", "place (j mod 2)\ntime (k div 2, i)"] {
            hold(TRIANGLE, lines, &[("N", n)], &inputs);
        }
    }
}

/// A split is a line of a design as well, and the same when it is read again.
#[test]
fn a_split_is_written_as_it_is_read() {
    for line in ["split sum(c, k, l) as sum(k, l) sum(c)", "split sum(c, k, l) as sum(c div 4, k, l) sum(c mod 4)"] {
        assert_eq!(split(CNN, line).splits.iter().map(ToString::to_string).collect::<Vec<_>>(), [line]);
    }
    let implied = split(PRODUCT, "place (k mod 4)").splits;
    assert_eq!(implied[0].to_string(), "split sum(k) as sum(k div 4) sum(k mod 4)");
}

fn refused(text: &str, lines: &str) -> String {
    let loaded = load(&Text::new("test.rec", format!("{text}\nschedule s\n{lines}\n")));
    let cut = loaded.and_then(|system| spaces_under(&system, system.schedule("s").expect("the schedule")));
    cut.map_or_else(|errors| render(&errors, false), |_| String::new())
}

#[test]
fn what_is_no_split_of_a_reduction_is_refused() {
    for (lines, part) in [
        ("split sum(c, k) as sum(k) sum(c)", "no equation has a sum over (c, k)"),
        ("split max(c, k, l) as max(k, l) max(c)", "no equation has a max over (c, k, l)"),
        ("split sum(c, k, l) as sum(k) sum(c)", "a sum over (c, k, l) is split into other indices"),
        ("split sum(c, k, l) as sum(k, l) sum(c, l)", "a sum over (c, k, l) is split into other indices"),
        ("split sum(c, k, l) as sum(k, l) sum(c mod 4)", "a sum over (c, k, l) is split into other indices"),
        ("split sum(c, k, l) as sum(k, l) max(c)", "a sum is not one of `max`"),
        ("split sum(c, k, l) as sum(l, k, c)", "a reduction that is split into one is whole"),
        ("split mean(c, k, l) as mean(k, l) mean(c)", "`mean` cannot be split"),
        ("split sum(c, k, x) as sum(k, x) sum(c)", "unknown index or parameter `x`"),
        (
            "split sum(c, k, l) as sum(k, l) sum(c)\nsplit sum(c, k, l) as sum(c) sum(k, l)",
            "schedule `s` splits this reduction twice",
        ),
        ("memory Y.c", "unknown tensor `Y.c`"),
    ] {
        let said = refused(CNN, lines);
        assert!(said.contains(part), "{lines}\n{said}");
    }
    // The twins.
    assert_eq!(refused(CNN, "split sum(c, k, l) as sum(l, k) sum(c)\nmemory Y.c"), "");
    // Each equation has tensors of its own.
    let twice = "kernel t(N)\nin A[N, N]\nout y[N], z[N]\ny[i] = sum(k) A[i, k]\nz[i] = 1 + sum(k) A[k, i]\n";
    assert_eq!(refused(twice, "place (k mod 4)\nmemory y.k\nmemory z.k"), "");
    // A reduction over the fibres of its target has no parts that are rectangles.
    let scattered = "kernel s(M, N)\nin a[M], b[N]\nout c[M + N - 1]\nc[i + j] = sum(i, j) a[i] * b[j]\n";
    let said = refused(scattered, "split sum(i, j) as sum(i) sum(j)");
    assert!(said.contains("cannot be split: its target names indices of it"), "{said}");
}

#[test]
fn what_a_split_adds_may_stay_on_its_pe() {
    let kernel = "kernel t(C, K, N)\nin A[C, K, N]\nout Y[N]\nY[i] = sum(c, k) A[c, k, i]\n\n\
                  schedule s\nsplit sum(c, k) as sum(k) sum(c)\nlocal Y";
    crate::support::system(&format!("{kernel}.c\n"));
    let said = crate::support::refusal(&format!("{kernel}.z\n"));
    assert!(said.contains("`Y.z`"), "{said}");
}
