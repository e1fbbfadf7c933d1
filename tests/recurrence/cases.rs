//! Equations that say several: ranges between the greatest and the least of some bounds, and `i != j`.
//!
//! What is right is computed here by loops that know the definition and nothing of the project.

use crate::support::{filled, sizes, system, tensors};
use systole_base::diagnostic::render;
use systole_base::span::Source;
use systole_equations::recurrence::{RecurrenceSystem, evaluate, load};

const BAND: &str = "kernel band(N, W)\nin A[N, N], x[N]\nout y[N]\n\
                    y[i] = sum(k in max(0, i - W)..min(N, i + W + 1)) A[i, k] * x[k]\n";

fn refused(text: &str) -> String {
    match load(&Source::new("test.rec", text)) {
        Ok(system) => panic!("accepted as\n{system}"),
        Err(errors) => render(&errors, false),
    }
}

fn at(system: &RecurrenceSystem, pairs: &[(&str, i64)], shapes: &[(&str, Vec<usize>)]) -> Vec<f64> {
    let filled: Vec<_> =
        shapes.iter().enumerate().map(|(seed, (name, shape))| (*name, filled(seed + 1, shape))).collect();
    let found = evaluate(system, &sizes(pairs), &tensors(&filled));
    found.unwrap_or_else(|errors| panic!("{}", render(&errors, false))).into_values().flatten().collect()
}

#[test]
fn a_sum_over_a_band_has_the_terms_of_both_bounds() {
    let system = system(BAND);
    assert_eq!(system.equations.len(), 4, "each end is cut off or not\n{system}");
    for (n, w) in [(1, 1), (2, 1), (5, 1), (5, 2), (4, 4), (3, 7)] {
        let found = at(&system, &[("N", n), ("W", w)], &[("A", vec![n as usize; 2]), ("x", vec![n as usize])]);
        let (a, x) = (filled(1, &[n as usize; 2]), filled(2, &[n as usize]));
        for i in 0..n {
            let terms = (0.max(i - w)..n.min(i + w + 1)).map(|k| a[[i as usize, k as usize]] * x[k as usize]);
            assert_eq!(found[i as usize], terms.sum::<f64>(), "y[{i}] at N = {n}, W = {w}");
        }
    }
}

/// One bound of three, the same bounds twice in an equation, a case that no size has, and bounds of an inner reduction.
#[test]
fn bounds_are_taken_apart_wherever_they_stand() {
    let three = system(
        "kernel k(N, M)\nin x[N]\nout y[N]\ny[i] = x[i] + sum(k in 0..min(i, min(M, N))) x[k] - max(k in 0..min(i, min(M, N))) x[k]\n",
    );
    assert_eq!(three.equations.len(), 2, "i is less than N\n{three}");
    let twice = system(
        "kernel k(N)\nin A[N + 1, N]\nout y[N]\ny[i] = sum(l in 0..2) sum(k in max(0, i - 2)..i + 1) A[i, k] * max(q in max(0, i - 2)..i + 1) A[l, q]\n",
    );
    assert_eq!(twice.equations.len(), 2, "one choice for both ranges\n{twice}");
}

#[test]
fn what_is_unequal_is_less_or_greater() {
    let system = system("kernel k(N)\nin x[N]\nout y[N, N]\ny[i, j] = x[i] / x[j] where i != j\ny[i, i] = 1\n");
    assert_eq!(system.equations.len(), 3);
    let found = at(&system, &[("N", 3)], &[("x", vec![3])]);
    let x = filled(1, &[3]);
    let wanted: Vec<f64> =
        (0..9).map(|place| if place / 3 == place % 3 { 1.0 } else { x[[place / 3]] / x[[place % 3]] }).collect();
    assert_eq!(found, wanted);
}

/// A subscript that is kept within its tensor, and conditions of several bounds.
#[test]
fn subscripts_and_conditions_choose_among_forms() {
    let text = "kernel k(N)\nin x[N]\nout y[N]\ny[i] = x[max(0, i - 1)] + x[min(N - 1, i + 1)] where min(i, 2) < 2\n\
                y[i] = 0 where 2 <= min(i, N)\n";
    let found = at(&system(text), &[("N", 4)], &[("x", vec![4])]);
    let x = filled(1, &[4]);
    assert_eq!(found, [x[[0]] + x[[1]], x[[0]] + x[[2]], 0.0, 0.0]);
    let said = refused("kernel k(N)\nin x[N]\nout y[N]\ny[i] = sum(k in 0..3) x[min(N - 1, i + k)]\n");
    assert!(said.contains("depends on `k`, which a reduction binds"), "{said}");
}

/// The smallest of an interval with two ends, and where it stands; of a range that runs down, the last.
#[test]
fn a_declared_reduction_runs_over_an_interval() {
    let least = "reduction least(v, p) with (u, q) = \
                 (min(v, u), select(v < u, p, select(u < v, q, min(p, q)))) from (infinity, infinity)\n";
    let over = |range: &str| {
        let text = format!("kernel k(N)\nin x[N]\nout v[N], p[N]\n{least}(v[i], p[i]) = least({range}) (x[j], j)\n");
        at(&system(&text), &[("N", 6)], &[("x", vec![6])])
    };
    let x = filled(1, &[6]);
    let wanted = |interval: &dyn Fn(usize) -> std::ops::Range<usize>| -> Vec<f64> {
        let least = |i: usize| interval(i).min_by(|a, b| x[[*a]].total_cmp(&x[[*b]]));
        let places = (0..6).map(|i| least(i).map_or(f64::INFINITY, |at| at as f64));
        places.chain((0..6).map(|i| least(i).map_or(f64::INFINITY, |at| x[[at]]))).collect()
    };
    assert_eq!(over("j in max(0, i - 2)..min(N, i + 2)"), wanted(&|i| i.saturating_sub(2)..(i + 2).min(6)));
    assert_eq!(over("j in 0..i"), wanted(&|i| 0..i));
    assert_eq!(over("j in N-1..-1 step -1"), wanted(&|_| 0..6));
    let halves = format!("kernel k(N)\nin x[N]\nout v, p\n{least}(v, p) = least(j in 0..2*N) (x[j div 2], j)\n");
    let found = at(&system(&halves), &[("N", 6)], &[("x", vec![6])]);
    assert_eq!(found, [2.0 * wanted(&|_| 0..6)[0], wanted(&|_| 0..6)[6]]);
    let text = format!("kernel k(N)\nin x[N]\nout v, p\n{least}(v, p) = least(j in 0..N step 2) (x[j], j)\n");
    assert!(refused(&text).contains("how many steps there are is no form of sizes"), "{}", refused(&text));
}

/// The twins: bounds from the wrong side, and bounds over what another reduction binds.
#[test]
fn other_bounds_are_refused_with_their_place() {
    let with = |range: &str| BAND.replace("max(0, i - W)..min(N, i + W + 1)", range);
    for (range, part) in [("min(0, i - W)..N", "min(0, i - W)"), ("0..max(N, i)", "max(N, i)")] {
        let said = refused(&with(range));
        assert!(said.contains("affine") && said.contains(part), "{range}\n{said}");
    }
    let said = refused("kernel k(N)\nin A[N, N]\nout y[N]\ny[i] = sum(l in 0..N) sum(k in 0..min(l, i)) A[l, k]\n");
    assert!(said.contains("depends on `l`, which a reduction binds"), "{said}");
    let many = "max(0, max(i - W, max(i - 2, max(i - 3, i - 4))))..min(N, min(i + 1, min(i + 2, min(i + 3, min(i + 4, min(i + 5, i + 6))))))";
    assert!(refused(&with(many)).contains("more than 32 cases"), "{}", refused(&with(many)));
}
