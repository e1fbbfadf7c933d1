//! Equalities among the indices of a reduction: values, bit for bit and in the order of the terms, against loops that look at every point.

use crate::support::{filled, refusal, system, values};

/// What a kernel and loops compute: its reduction, with two indices or three of which some are not there, in this order.
struct Case {
    reduction: &'static str,
    /// The indices in order, each with its range at these sizes, N = 4 and K = 3.
    loops: &'static [(char, i64, i64)],
    /// Whether there is a term at `i`, `j`, `k` and `l`.
    is_there: fn(i64, i64, i64, i64) -> bool,
}

const CASES: &[Case] = &[
    Case {
        reduction: "j in 0..N, k in 0..K where 2*j + k == i",
        loops: &[('j', 0, 4), ('k', 0, 3)],
        is_there: |i, j, k, _| 2 * j + k == i,
    },
    Case {
        reduction: "k in 0..K, j in 0..N where 2*j + k == i",
        loops: &[('k', 0, 3), ('j', 0, 4)],
        is_there: |i, j, k, _| 2 * j + k == i,
    },
    Case { reduction: "j, k where j + k == i", loops: &[('j', 0, 4), ('k', 0, 3)], is_there: |i, j, k, _| j + k == i },
    Case { reduction: "k, j where i == j + k", loops: &[('k', 0, 3), ('j', 0, 4)], is_there: |i, j, k, _| j + k == i },
    Case {
        reduction: "k in 0..K, j in 0..N where k == 3*j - i",
        loops: &[('k', 0, 3), ('j', 0, 4)],
        is_there: |i, j, k, _| k == 3 * j - i,
    },
    Case {
        reduction: "k in 0..K, j in k..N where k + 2*j == i",
        loops: &[('k', 0, 3), ('j', 0, 4)],
        is_there: |i, j, k, _| j >= k && k + 2 * j == i,
    },
    Case {
        reduction: "j in 0..N, k in 0..K where j + k == i, 2*k <= j",
        loops: &[('j', 0, 4), ('k', 0, 3)],
        is_there: |i, j, k, _| j + k == i && 2 * k <= j,
    },
    Case {
        reduction: "j in 0..N, k in 0..K where j + k == i, j + k != 3, j + k < 5",
        loops: &[('j', 0, 4), ('k', 0, 3)],
        is_there: |i, j, k, _| j + k == i && i != 3 && i < 5,
    },
    Case {
        reduction: "j in 0..N, k in 0..K step 2 where j + k == i",
        loops: &[('j', 0, 4), ('k', 0, 3)],
        is_there: |i, j, k, _| k % 2 == 0 && j + k == i,
    },
    Case {
        reduction: "j in N-1..-1 step -1, k in 0..K where j + k == i",
        loops: &[('J', 0, 4), ('k', 0, 3)],
        is_there: |i, j, k, _| j + k == i,
    },
    Case {
        reduction: "j in 0..N, k in 0..K, l in 0..2 where j + k + l == i",
        loops: &[('j', 0, 4), ('k', 0, 3), ('l', 0, 2)],
        is_there: |i, j, k, l| j + k + l == i,
    },
    Case {
        reduction: "j in 0..N, k in 0..K, l in 0..2 where j == i - k, l == k",
        loops: &[('j', 0, 4), ('k', 0, 3), ('l', 0, 2)],
        is_there: |i, j, k, l| j == i - k && l == k,
    },
    Case {
        reduction: "j in 0..N, k in 0..1 where 2*j == i",
        loops: &[('j', 0, 4), ('k', 0, 1)],
        is_there: |i, j, _, _| 2 * j == i,
    },
    Case {
        reduction: "j in 1..N, k in 0..1 where 3*j - 1 == i",
        loops: &[('j', 1, 4), ('k', 0, 1)],
        is_there: |i, j, _, _| 3 * j - 1 == i,
    },
    Case {
        reduction: "j in 0..N, k in 0..K where 2*j == i, 2*k == j",
        loops: &[('j', 0, 4), ('k', 0, 3)],
        is_there: |i, j, k, _| 2 * j == i && 2 * k == j,
    },
    Case {
        reduction: "j in 0..N, k in 0..K where j == i, k == i",
        loops: &[('j', 0, 4), ('k', 0, 3)],
        is_there: |i, j, k, _| j == i && k == i,
    },
];

/// All values of the indices in the order of the loops.
fn points(loops: &[(char, i64, i64)]) -> Vec<[i64; 3]> {
    let mut all = vec![[0; 3]];
    for (index, low, high) in loops {
        let place = "jkl".find(index.to_ascii_lowercase()).unwrap();
        let values: Vec<i64> =
            if index.is_uppercase() { (*low..*high).rev().collect() } else { (*low..*high).collect() };
        let with = |point: [i64; 3]| {
            values.clone().into_iter().map(move |value| {
                let mut point = point;
                point[place] = value;
                point
            })
        };
        all = all.into_iter().flat_map(with).collect();
    }
    all
}

#[test]
fn equalities_say_indices() {
    let (x, h) = (filled(4, &[4]), filled(7, &[3]));
    for word in ["sum", "max"] {
        for Case { reduction, loops, is_there } in CASES {
            let text = format!("kernel t(N, K)\nin x[N], h[K]\nout y[9]\ny[i] = {word}({reduction}) (x[j] / 3 + h[k])");
            let found = values(&text, &[("N", 4), ("K", 3)], &[("x", &x), ("h", &h)]);
            let join = |a: f64, b: f64| if word == "sum" { a + b } else { a.max(b) };
            let wanted: Vec<f64> = (0..9)
                .map(|i| {
                    let points = points(loops).into_iter().filter(|[j, k, l]| is_there(i, *j, *k, *l));
                    let terms = points.map(|[j, k, _]| x[[j as usize]] / 3.0 + h[[k as usize]]);
                    terms.reduce(join).unwrap_or(if word == "sum" { 0.0 } else { f64::NEG_INFINITY })
                })
                .collect();
            assert_eq!(found, wanted, "{word}({reduction})");
        }
    }
}

/// A term for each pair, and no other: the index that is gone does not leave its range.
#[test]
fn what_an_equality_says_stays_in_its_range() {
    let said = |body: &str| {
        refusal(&format!("kernel t(N)\nin x[N]\nout y[2*N]\ny[i] = sum(j in 0..N, k in 0..N where j + k == i) {body}"))
    };
    assert!(said("x[k + 1]").contains("access to `x` can leave its bounds"), "{}", said("x[k + 1]"));
    system("kernel t(N)\nin x[N]\nout y[2*N]\ny[i] = sum(j in 0..N, k in 0..N where j + k == i) x[k]");
    let apart =
        refusal("kernel t(N)\nin x[N]\nout y[N]\ny[i] = sum(k in 0..N) (sum(j in 0..N where 2*j == k + i) x[j])");
    assert!(
        apart.contains("whether there is such a `j` depends on an index that is reduced or divided elsewhere"),
        "{apart}"
    );
    system("kernel t(N)\nin x[N]\nout y[N]\ny[i] = sum(k in 0..N, j in 0..N where 2*j == k + i) x[j]");
    // The rest of a size is any.
    let of_size = refusal("kernel t(N)\nin x[N]\nout y[N]\ny[i] = sum(j in 0..N where 2*j == N - i) x[j]");
    assert!(of_size.contains("depends on the rest of `N`"), "{of_size}");
}
