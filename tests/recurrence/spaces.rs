//! Which kernels are one space, and what that space is.

use crate::support::{kernel, system};
use systole_base::integer::name;
use systole_equations::recurrence::spaces::spaces_of;
use systole_equations::recurrence::{Operator, one_space};

#[test]
fn matmul_is_a_cube() {
    let space = one_space(&kernel("matmul.rec")).unwrap();
    assert_eq!(space.indices(), [name("i"), name("j"), name("k")]);
    assert_eq!(space.reduced, [name("k")]);
    assert_eq!(space.reduction, Some(Operator::Sum));
    assert_eq!(space.operands.len(), 2);
    assert_eq!(space.domain.set.constraints().len(), 6);
    let sizes = crate::support::sizes(&[("M", 2), ("N", 3), ("K", 4)]);
    assert_eq!(space.domain.set.count(space.indices(), &sizes), Some(24));
}

#[test]
fn all_indices_of_the_polynomial_product_are_reduced() {
    let space = one_space(&kernel("polynomial_product.rec")).unwrap();
    assert_eq!(space.indices(), [name("i"), name("j")]);
    assert_eq!(space.reduced, space.indices());
    assert_eq!(space.output_access[0].to_string(), "i + j");
}

#[test]
fn reduced_indices_stand_outermost_first() {
    let space = one_space(&kernel("mttkrp.rec")).unwrap();
    assert_eq!(space.indices(), ["i", "j", "k", "l"].map(name));
    assert_eq!(space.reduced, ["k", "l"].map(name));
}

#[test]
fn a_pointwise_kernel_reduces_nothing() {
    let space = one_space(&system("kernel k(N)\nin a[N]\nout c[N]\nc[i] = select(a[i] > 0, a[i], i)")).unwrap();
    assert_eq!((space.reduction, space.reduced.len()), (None, 0));
}

#[test]
fn an_element_used_twice_at_a_point_comes_in_once() {
    let twice = "kernel k(N)\nin a[N + 1]\nout c[N]\nc[i] = a[i] * a[i] + a[i]   where 0 <= i < N";
    assert_eq!(one_space(&system(twice)).unwrap().operands.len(), 1);
    let apart = twice.replace("+ a[i]", "+ a[i + 1]");
    assert_eq!(one_space(&system(&apart)).unwrap().operands.len(), 2);
}

fn refusal(text: &str) -> String {
    one_space(&system(text)).expect_err("the kernel needs several spaces")[0].to_string()
}

#[test]
fn kernels_of_several_spaces_are_refused_with_their_spaces() {
    let solve = refusal(
        "kernel trisolve(N)\nin L[N, N], b[N]\nout x[N]\nx[i] = (b[i] - sum(j in 0..i) L[i, j] * x[j]) / L[i, i]",
    );
    assert!(solve.contains("needs 2 iteration spaces"), "{solve}");
    assert!(solve.contains("`x` over (i): pointwise") && solve.contains("`x` over (i, j): sum"), "{solve}");
    let two = refusal("kernel k(N)\nin a[N]\nout c[N], d[N]\nc[i] = a[i]\nd[i] = a[i]");
    assert!(two.contains("needs 2 iteration spaces"), "{two}");
    let mixed = refusal("kernel k(N)\nin a[N, N]\nout c\nc = max(i) sum(j) a[i, j]");
    assert!(mixed.contains("needs 2 iteration spaces"), "{mixed}");
    let own = refusal("kernel k(N)\nin a[N]\nout c[N]\nc[i] = sum(j in 0..i) a[j] * c[j]");
    assert!(own.contains("iteration spaces"), "{own}");
}

/// As where a function names its argument twice.
#[test]
fn a_sum_that_stands_twice_in_an_equation_is_one_space() {
    let spaces = |equation: &str| {
        let text = format!("kernel k(N)\nin a[N, N]\nout c[N]\nfunction twice(s) = s * s + s\n{equation}");
        spaces_of(&system(&text)).unwrap().spaces.len()
    };
    assert_eq!(spaces("c[i] = (sum(k) a[i, k]) * (sum(k) a[i, k])"), 2);
    assert_eq!(spaces("c[i] = twice(sum(k) a[i, k])"), 2);
    assert_eq!(spaces("c[i] = twice(max(k) (a[i, k] * (sum(l in 0..k + 1) a[i, l])))"), 3);
    // The twins: what they add, over what, and how.
    assert_eq!(spaces("c[i] = (sum(k) a[i, k]) * (sum(k) a[k, i])"), 3);
    assert_eq!(spaces("c[i] = (sum(k) a[i, k]) * (sum(k in 0..i + 1) a[i, k])"), 3);
    assert_eq!(spaces("c[i] = (sum(k) a[i, k]) * (max(k) a[i, k])"), 3);
}
