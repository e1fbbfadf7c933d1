//! Indices that equations divide: each meaning against hand-written loops, with twins that are refused.

use crate::support::{filled, refusal, values};

/// What a kernel of `N` makes of `x[2*N]`, beside what loops say of each element of `y`.
fn check(extents: &str, equations: &str, n: i64, wanted: impl Fn(&[f64]) -> Vec<f64>) {
    let text = format!("kernel k(N)\nin x[2*N]\nout y[{extents}]\n{equations}");
    let x = filled(5, &[2 * n as usize]);
    let found = values(&text, &[("N", n)], &[("x", &x)]);
    assert_eq!(found, wanted(x.as_slice().expect("in rows")), "{text} at N = {n}");
}

#[test]
fn quotients_and_rests_are_those_of_loops() {
    for n in 1..6 {
        let size = n as usize;
        let each = |of: &dyn Fn(usize) -> f64| (0..size).map(of).collect::<Vec<f64>>();
        check("N", "y[i] = x[i div 2]", n, |x| each(&|i| x[i / 2]));
        check("N", "y[i] = x[i mod 2] + x[i]", n, |x| each(&|i| x[i % 2] + x[i]));
        check("N", "y[i] = select(i mod 3 == 1, x[i], i div 3)", n, |x| {
            each(&|i| if i % 3 == 1 { x[i] } else { (i / 3) as f64 })
        });
        check("N", "y[i] = x[(i + N - N) div 2] * x[(i + 1) div 2]", n, |x| each(&|i| x[i / 2] * x[i.div_ceil(2)]));
        check("N", "y[i] = x[i] where i mod 2 == 0\ny[i] = 0 where i mod 2 == 1", n, |x| {
            each(&|i| if i % 2 == 0 { x[i] } else { 0.0 })
        });
        check("N, 2", "y[i div 2, i mod 2] = x[i]", n, |x| x.to_vec());
        check("N", "y[i] = sum(k in 0..i div 2) x[k]", n, |x| each(&|i| x[..i / 2].iter().sum()));
        check("N", "y[i] = sum(k in 0..N) x[k div 2] / 3", n, |x| {
            each(&|_| (0..size).map(|k| x[k / 2] / 3.0).reduce(|a, b| a + b).unwrap_or(0.0))
        });
        check("N", "y[i] = sum(k in i..N where k mod 2 == 0) x[k] / 3", n, |x| {
            each(&|i| (i..size).filter(|k| k % 2 == 0).map(|k| x[k] / 3.0).reduce(|a, b| a + b).unwrap_or(0.0))
        });
    }
}

#[test]
fn a_board_of_two_colours_is_divided_by_the_sum_of_its_indices() {
    let text = "kernel board(N)\nin x[N, N]\nout y[N, N]\n\
                y[i, j] = x[i, j] where (i + j) mod 2 == 0\ny[i, j] = 0 - x[i, j] where (i + j) mod 2 != 0";
    let x = filled(1, &[5, 5]);
    let found = values(text, &[("N", 5)], &[("x", &x)]);
    let wanted: Vec<f64> = x.indexed_iter().map(|(at, x)| if (at[0] + at[1]) % 2 == 0 { *x } else { -x }).collect();
    assert_eq!(found, wanted);
}

#[test]
fn what_cannot_be_divided_is_refused() {
    let kernel = |extent: &str, value: &str| refusal(&format!("kernel k(N)\nin x[N]\nout y[{extent}]\ny[i] = {value}"));
    assert!(kernel("N div 2", "x[i]").contains("`N div 2` cannot stand here"));
    assert!(kernel("N", "x[(i + N) div 2]").contains("depends on the rest of `N`"));
    assert!(kernel("N", "x[i div 0]").contains("a division by 0"));
    assert!(kernel("N", "x[i mod 64]").contains("an equation with more than 32 cases"));
    let said = kernel("N", "sum(k in 0..N) x[(i + k) mod 2]");
    assert!(said.contains("divides what a reduction binds in more than one way"), "{said}");
    let said = kernel("N", "x[i mod 2 + 1]");
    assert!(said.contains("access to `x` can leave its bounds") && said.contains("reaches `x[1]`"), "{said}");
    let said = kernel("N", "sum(k in 0..N step 2) x[k div 2]");
    assert!(said.contains("divides an index that has a step"), "{said}");
}
