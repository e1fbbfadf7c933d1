//! `x[i - 1] else 0`, and `L[i, j] = 0 elsewhere`: each meaning against hand-written loops, with twins that are refused.

use crate::support::{filled, refusal, system, values};
use systole_equations::recurrence::Expr;

/// Points of a guard that begin at larger sizes, and an index with a step or in two.
#[test]
fn what_is_guarded_may_have_no_points_at_small_sizes() {
    let kernel = |value: &str| {
        format!("kernel k(N)\nin x[N]\nout y[N, N]\ny[i, j] = {value} where i + 2 <= j\ny[i, j] = 0 elsewhere")
    };
    for n in [1, 2, 5] {
        let x = filled(1, &[n]);
        let each = |of: &dyn Fn(usize, usize) -> f64| -> Vec<f64> {
            (0..n * n).map(|at| (at / n, at % n)).map(|(i, j)| if i + 2 <= j { of(i, j) } else { 0.0 }).collect()
        };
        let sum = |ks: Vec<usize>| ks.into_iter().map(|k| if k < n { x[[k]] } else { 1.0 }).sum::<f64>();
        let check = |value: &str, wanted: Vec<f64>| {
            assert_eq!(values(&kernel(value), &[("N", n as i64)], &[("x", &x)]), wanted, "{value} at {n}");
        };
        check("sum(k in 0..N) (x[j + k] else 1)", each(&|_, j| sum((0..n).map(|k| j + k).collect())));
        check("sum(k in 0..N step 2) (x[j + k] else 1)", each(&|_, j| sum((0..n).step_by(2).map(|k| j + k).collect())));
        check("sum(k in 0..N) (x[j + k div 2] else 1)", each(&|_, j| sum((0..n).map(|k| j + k / 2).collect())));
    }
}

/// The convolution of layers as people write it: padded, with strides and holes.
#[test]
fn a_padded_strided_dilated_convolution_is_that_of_loops() {
    let text = "kernel conv(H, P) where H == 2*P\nin X[2, H, H], W[2, 2, 3, 3]\nout Y[2, P, P]\n\
                Y[k, p, q] = sum(c, r, s) (X[c, 2*p + 2*r - 1, 2*q + 2*s - 1] else 0) * W[k, c, r, s]";
    let (x, w) = (filled(3, &[2, 6, 6]), filled(4, &[2, 2, 3, 3]));
    let found = values(text, &[("H", 6), ("P", 3)], &[("X", &x), ("W", &w)]);
    let pixel = |c: usize, u: i64, v: i64| match (0..6).contains(&u) && (0..6).contains(&v) {
        true => x[[c, u as usize, v as usize]],
        false => 0.0,
    };
    let mut wanted = vec![];
    for (k, p, q) in (0..2).flat_map(|k| (0..3).flat_map(move |p| (0..3).map(move |q| (k, p, q)))) {
        let mut terms = vec![];
        for (c, r, s) in (0..2).flat_map(|c| (0..3).flat_map(move |r| (0..3).map(move |s| (c, r, s)))) {
            let at = |place: usize, tap: usize| (2 * place + 2 * tap) as i64 - 1;
            terms.push(pixel(c, at(p, r), at(q, s)) * w[[k, c, r, s]]);
        }
        wanted.extend(terms.into_iter().reduce(|a, b| a + b));
    }
    assert_eq!(found, wanted);
}

#[test]
fn each_element_has_what_stands_for_it_outside() {
    let x = filled(2, &[4]);
    let at = |i: i64| (0..4).contains(&i).then(|| x[[i as usize]]);
    let head = "kernel k(N)\nin x[N]\nout y[N]\n";
    let found =
        values(&format!("{head}y[i] = x[i - 1] else -1 + x[i + 1] else x[i + 2] else 2"), &[("N", 4)], &[("x", &x)]);
    let wanted: Vec<f64> = (0..4).map(|i| at(i - 1).unwrap_or(-1.0) + at(i + 1).unwrap_or(2.0)).collect();
    assert_eq!(found, wanted);
    // A choice around it is another one.
    let found = values(&format!("{head}y[i] = select(0, x[0] else 5, 3)"), &[("N", 4)], &[("x", &x)]);
    assert_eq!(found, [3.0; 4]);
    // An element that is always there needs nothing to stand for it.
    let plain = system(&format!("{head}y[i] = x[i] else 7"));
    assert!(matches!(plain.equations[0].value, Expr::Read { .. }));
}

#[test]
fn what_else_cannot_stand_behind_is_refused() {
    let kernel = |value: &str| refusal(&format!("kernel k(N)\nin x[N]\nout y[N]\ny[i] = {value}"));
    let said = kernel("(x[i] + x[i + 1]) else 0");
    assert!(said.contains("`else` stands behind one element"), "{said}");
    let said = kernel("x[i + 1] else x[i + 2]");
    assert!(said.contains("access to `x` can leave its bounds") && said.contains("reaches `x[2]`"), "{said}");
}

#[test]
fn elements_that_nothing_else_defines_have_a_default() {
    let a = filled(6, &[4, 4]);
    let text = "kernel k(N)\nin A[N, N]\nout L[N, N], y[N]\nL[i, j] = A[i, j] where j < i\nL[i, i] = 1\n\
                L[i, j] = 0 elsewhere\ny[i] = sum(j) L[i, j]";
    let wanted: Vec<f64> = (0..16)
        .map(|at| (at / 4, at % 4))
        .map(|(i, j)| match i.cmp(&j) {
            std::cmp::Ordering::Greater => a[[i, j]],
            std::cmp::Ordering::Equal => 1.0,
            std::cmp::Ordering::Less => 0.0,
        })
        .collect();
    assert_eq!(values(text, &[("N", 4)], &[("A", &a)]), wanted);
    let halves =
        "kernel k(N)\nin A[N, N]\nout L[N, N]\nL[i, j] = A[i, j] where j < i\nL[i, j] = A[i div 2, j] elsewhere";
    let wanted: Vec<f64> =
        (0..16).map(|at| (at / 4, at % 4)).map(|(i, j)| a[[if j < i { i } else { i / 2 }, j]]).collect();
    assert_eq!(values(halves, &[("N", 4)], &[("A", &a)]), wanted);
    let both = "kernel k(N)\nin A[N, N]\nout L[N, N]\nL[i, j] = A[i, j mod 2] where 1 <= j < i\nL[i, j] = A[i div 2, j] elsewhere";
    let wanted: Vec<f64> = (0..16)
        .map(|at| (at / 4, at % 4))
        .map(|(i, j)| if 1 <= j && j < i { a[[i, j % 2]] } else { a[[i / 2, j]] })
        .collect();
    assert_eq!(values(&both.replace("kernel k(N)", "kernel k(N) where N >= 2"), &[("N", 4)], &[("A", &a)]), wanted);
    let ring = "kernel k(N)\nin A[N, N]\nout L[N, N]\nL[i, j] = A[i, j] where 0 < i < N - 1, 0 < j < N - 1\n\
                L[i, j] = A[j, i] elsewhere";
    let wanted: Vec<f64> = (0..16)
        .map(|at| (at / 4, at % 4))
        .map(|(i, j)| {
            let is_inner = (1..3).contains(&i) && (1..3).contains(&j);
            if is_inner { a[[i, j]] } else { a[[j, i]] }
        })
        .collect();
    assert_eq!(values(ring, &[("N", 4)], &[("A", &a)]), wanted);
}

/// Elements between strides: of every other one, of a chessboard with a border, and of strides of two lengths.
#[test]
fn what_strides_leave_is_defined_elsewhere() {
    let (x, g) = (filled(5, &[4]), filled(6, &[5, 5]));
    let even = "kernel k(N)\nin x[N]\nout y[2*N]\ny[2*i] = x[i]\ny[i] = -i elsewhere";
    let wanted: Vec<f64> = (0..8).map(|i| if i % 2 == 0 { x[[i / 2]] } else { -(i as f64) }).collect();
    assert_eq!(values(even, &[("N", 4)], &[("x", &x)]), wanted);
    let odd = "kernel k(N)\nin x[N]\nout y[N]\ny[i] = x[i] where i mod 2 == 1, 1 < i\ny[i] = i elsewhere";
    assert_eq!(values(odd, &[("N", 4)], &[("x", &x)]), [0.0, 1.0, 2.0, x[[3]]]);
    let both = "kernel k(N)\nin x[N]\nout y[N]\ny[2*i] = x[i] where 2*i < N\n\
                y[i] = 9 where i mod 3 == 1, i mod 2 == 1\ny[i] = -i elsewhere";
    assert_eq!(values(both, &[("N", 4)], &[("x", &x)]), [x[[0]], 9.0, x[[1]], -3.0]);
    let board = "kernel k(N)\nin g[N, N]\nout y[N, N]\n\
                 y[i, j] = -g[i, j] where (i + j) mod 2 == 0, 1 <= i < N - 1, 1 <= j < N - 1\n\
                 y[i, j] = g[i, j] elsewhere";
    let is_turned = |i: usize, j: usize| (i + j).is_multiple_of(2) && (1..4).contains(&i) && (1..4).contains(&j);
    let at = |at: usize| (at / 5, at % 5);
    let wanted: Vec<f64> = (0..25).map(at).map(|(i, j)| if is_turned(i, j) { -g[[i, j]] } else { g[[i, j]] }).collect();
    assert_eq!(values(board, &[("N", 5)], &[("g", &g)]), wanted);
}

#[test]
fn a_default_of_elements_that_cannot_be_said_is_refused() {
    let kernel = |equations: &str| refusal(&format!("kernel k(N)\nin x[N]\nout y[2*N]\n{equations}"));
    let said = kernel("y[2*N - 2 - 2*i + N - 1] = x[i] where N <= 2*i + 1\ny[i] = 0 elsewhere");
    assert!(said.contains("cannot be said by inequalities") && said.contains("by strides"), "{said}");
    let said = kernel("y[2*i] = 0 elsewhere");
    assert!(said.contains("one index in each place"), "{said}");
    let said = kernel("y[i] = x[i] where i < N");
    assert!(said.contains("element `y[1]` is never defined") && said.contains("elsewhere"), "{said}");
}
