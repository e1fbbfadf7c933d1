//! Each kernel of `kernels/naive` comes to the form of the textbook: its passes, its operations, its equations, its laws.
//!
//! Operations are counted by hand here, at 8 for every size, from the form that the source named in the kernel gives.

use crate::common::{algebra, derived, has, laws, naive, sizes};
use systole::algebra::{Derivation, Form, Wanted, derive};
use systole::recurrence::load;
use systole::rewrite::{Limits, Tag};
use systole::span::Source;

fn forms(kernel: &str) -> Derivation {
    derived(&naive(kernel), &algebra())
}

/// The passes along the axis of an index.
fn passes(form: &Form, index: &str) -> u32 {
    form.passes.iter().find(|(name, _)| &**name == index).unwrap().1
}

const N: u128 = 8;

/// The steps of the online recurrence for one score: max 1, and for each sum two differences, two exponentials, two products, a sum
/// and whether all are masked so far, with the choice that follows.
const RESCALED: u128 = 9;

#[test]
fn attention_has_one_pass_with_a_running_maximum() {
    let found = forms("attention");
    assert!(found.report.is_saturated());
    assert!(found.report.nodes < 500, "{}", found.report.nodes);
    let [online, two_passes] = found.forms.as_slice() else { panic!("{found:?}") };
    assert_eq!((passes(online, "j"), passes(two_passes, "j")), (1, 2));
    assert_eq!(laws(online), ["factor-div-mul", "rescale", "rescale-one"]);
    assert_eq!(online.tag, Tag::Real);
    let scores = 2 * N * N * N + N * N + 1;
    assert_eq!(online.cost.operations, scores + N * N + RESCALED * N * N + RESCALED * N * N * N + N * N);
    has(
        online,
        &[
            "= rescaled(j in 0..M) (S[i, j], 1, V[j, d_2])",
            "select(max(m_, x) == -infinity, 0, exp(m_ - max(m_, x)) * a + exp(x - max(m_, x)) * v)",
        ],
    );
    assert!(online.difference < 1e-13, "{}", online.difference);
}

#[test]
fn attention_without_the_shift_comes_to_the_same_recurrence() {
    let found = forms("softmax_attention");
    assert_eq!(found.written.overflows, 1);
    let [online, _, unsafe_one] = found.forms.as_slice() else { panic!("{found:?}") };
    assert_eq!((online.cost.overflows, passes(online, "j")), (0, 1));
    assert_eq!((unsafe_one.cost.overflows, passes(unsafe_one, "j")), (1, 1));
    let shifted = forms("attention");
    assert_eq!(online.cost, shifted.forms[0].cost);
    assert!(laws(online).contains(&"rescale-exp") && laws(online).contains(&"cancel-exp"));
    has(online, &["= rescaled(j in 0..M) (S[i, j], 1, V[j, d_2])"]);
}

#[test]
fn mean_and_variance_have_one_pass() {
    let found = forms("mean_variance");
    let form = &found.forms[0];
    assert_eq!(passes(form, "k"), 1);
    // A sum, a sum of squares; then a quotient, a product, a difference, a quotient a row.
    assert_eq!(form.cost.operations, 3 * N * N + 4 * N);
    assert_eq!(form.tag, Tag::Assume);
    assert!(form.difference < 1e-11, "{}", form.difference);
}

#[test]
fn the_logarithm_of_a_sum_of_exponentials_has_one_pass() {
    let found = forms("log_sum_exp");
    let [online, written] = found.forms.as_slice() else { panic!("{found:?}") };
    assert_eq!((passes(online, "k"), passes(written, "k")), (1, 2));
    assert_eq!(online.cost.operations, N * N + RESCALED * N * N + 2 * N);
    assert_eq!((written.cost.clone(), written.tag), (found.written, Tag::Exact));
    has(online, &["= rescaled(k in 0..M) (X[i, k], 1)", "Y[i] = m[i] + log("]);
}

#[test]
fn the_place_of_the_greatest_travels_with_it() {
    let found = forms("argmax");
    let [online, written] = found.forms.as_slice() else { panic!("{found:?}") };
    // A key that is not a number makes a difference, so the law is not exact.
    assert_eq!((passes(online, "k"), passes(written, "k"), online.tag), (1, 2, Tag::Real));
    assert_eq!(online.difference, 0.0);
    assert_eq!(laws(online), ["arg-greatest"]);
}

#[test]
fn cross_entropy_has_one_pass() {
    let found = forms("cross_entropy");
    let form = &found.forms[0];
    assert_eq!((form.cost.overflows, passes(form, "k"), found.written.passes - form.cost.passes), (0, 1, 2));
    assert!(laws(form).contains(&"log-exp-div") && laws(form).contains(&"rescale-one"));
}

#[test]
fn a_sum_of_powers_is_a_recurrence_from_its_last_term() {
    let found = forms("polynomial");
    assert_eq!(found.written.operations, 3 * N * N);
    let form = &found.forms[0];
    assert_eq!(form.cost.operations, 2 * N * N);
    assert_eq!(laws(form), ["powers"]);
    has(form, &["[i, K - 1] = a[K - 1]", "[i, k] = a[k] + x[i] * f1[i, k + 1] where k + 2 <= K", "p[i] = f1[i, 0]"]);
}

#[test]
fn a_window_that_slides_is_a_running_difference() {
    let found = forms("sliding_sum");
    assert_eq!(found.written.operations, N * N);
    assert_eq!(found.forms[0].cost.operations, 2 * N + N);
    has(&found.forms[0], &["s[0] = sum(k in 0..K) x[k]", "s[i] = s[i - 1] + x[K + i - 1] - x[i - 1] where 1 <= i"]);
}

#[test]
fn sums_that_grow_are_one_running_sum() {
    let found = forms("prefix_sum");
    assert_eq!((found.written.operations, found.forms[0].cost.operations), (N * (N + 1) / 2, N));
    assert_eq!((found.forms[0].tag, found.forms[0].difference), (Tag::Exact, 0.0));
    has(&found.forms[0], &["P[0] = A[0]", "P[i] = P[i - 1] + A[i] where 1 <= i"]);
}

#[test]
fn a_product_with_its_own_transpose_is_computed_by_half() {
    let found = forms("gram");
    assert_eq!(found.written.operations, 2 * N * N * N);
    assert_eq!(found.forms[0].cost.operations, 2 * N * N * (N + 1) / 2);
    assert!(laws(&found.forms[0]).contains(&"mirror"));
    assert_eq!((found.forms[0].tag, found.forms[0].difference), (Tag::Exact, 0.0));
    has(&found.forms[0], &["where i <= j", "G[i, j] = G[j, i] where j < i"]);
}

#[test]
fn a_product_with_an_inverse_is_a_solve() {
    let found = forms("inverse_times");
    assert!(found.report.is_saturated() && found.report.nodes < 200, "{:?}", found.report);
    // The inverse has a comparison, a choice, a difference, a quotient an element, and its sums.
    assert_eq!(found.written.operations, 4 * N * N + N * N * (N - 1) + 2 * N * N * N);
    let [solve] = found.forms.as_slice() else { panic!("{found:?}") };
    assert_eq!(solve.cost.operations, N * N * (N - 1) + 2 * N * N);
    assert_eq!((solve.tag, passes(solve, "j")), (Tag::Real, 0));
    has(solve, &["X[i, r] = (B[i, r] - sum(k in 0..i) L[i, k] * X[k, r]) / L[i, i]"]);
    assert!(!solve.text.contains("Y["), "{}", solve.text);
    assert!(solve.difference < 1e-11, "{}", solve.difference);
}

#[test]
fn the_normal_matrix_is_never_built() {
    let found = forms("normal_product");
    assert_eq!((found.written.operations, found.forms[0].cost.operations), (2 * N * N * N + 2 * N * N, 4 * N * N));
    assert!(laws(&found.forms[0]).contains(&"associate"));
}

#[test]
fn linear_algebra_of_polybench_goes_through_its_matrix_once() {
    for (kernel, index) in [("atax", "i"), ("bicg", "i"), ("mvt", "i"), ("gesummv", "i"), ("gemver", "j")] {
        let found = forms(kernel);
        assert_eq!(passes(&found.forms[0], index), 1, "{kernel}");
        assert!(found.forms[0].cost <= found.written, "{kernel}");
    }
    // The updates of rank one are applied to vectors: two products with the matrix, and a few of vectors.
    let gemver = &forms("gemver").forms[0];
    assert!(gemver.cost.operations < 4 * N * N + 20 * N, "{:?}", gemver.cost);
}

#[test]
fn small_kernels_lose_what_is_there_twice() {
    let operations = |kernel: &str| {
        let found = forms(kernel);
        (found.written.operations, found.forms[0].cost.operations)
    };
    assert_eq!(operations("two_terms"), (3 * N, 2 * N));
    assert_eq!(operations("biased_sum"), (2 * N * N, N * N + 2 * N));
    assert_eq!(operations("two_factors"), (2 * N * N * N + 2 * N * N, 4 * N * N));
    // One product of matrices, two sums of squares, three differences an element.
    assert_eq!(operations("distances"), (3 * N * N * N, 2 * N * N * N + 4 * N * N + 3 * N * N));
    let soft_maximum = forms("soft_maximum");
    assert_eq!((soft_maximum.written.overflows, soft_maximum.forms[0].cost.overflows), (1, 0));
    assert_eq!(soft_maximum.forms[0].cost, forms("log_sum_exp").forms[0].cost);
}

/// The best order of a chain by the recurrence over its pieces, which knows nothing of terms.
fn best_order(sizes: &[u128]) -> u128 {
    let count = sizes.len() - 1;
    let mut cost = vec![vec![0; count]; count];
    for length in 1..count {
        for first in 0..count - length {
            let last = first + length;
            let split =
                |at: usize| cost[first][at] + cost[at + 1][last] + 2 * sizes[first] * sizes[at + 1] * sizes[last + 1];
            cost[first][last] = (first..last).map(split).min().unwrap();
        }
    }
    cost[0][count - 1]
}

#[test]
fn a_chain_of_products_has_the_best_order_for_its_sizes() {
    let parameters = ["P", "Q", "R", "S", "T", "U", "V", "W"];
    for (count, values) in [
        (2, [5, 3, 7, 2, 9, 4, 6, 8]),
        (5, [5, 3, 7, 2, 9, 4, 6, 8]),
        (8, [8, 6, 2, 7, 3, 9, 2, 5]),
        (12, [3, 9, 2, 8, 4, 7, 5, 6]),
    ] {
        let dimension = |place: usize| (place * 5) % 8;
        let factors: Vec<String> = (1..=count)
            .map(|f| format!("A{f}[{}, {}]", parameters[dimension(f - 1)], parameters[dimension(f)]))
            .collect();
        let mut text = format!(
            "kernel chain({})\nin {}\nout Y[P, {}]\n",
            parameters.join(", "),
            factors.join(", "),
            parameters[dimension(count)]
        );
        for f in 2..count {
            text += &format!("local T{f}[P, {}]\n", parameters[dimension(f)]);
        }
        for f in 2..=count {
            let (target, before) = (
                if f == count { "Y".to_owned() } else { format!("T{f}") },
                if f == 2 { "A1".to_owned() } else { format!("T{}", f - 1) },
            );
            text += &format!("{target}[i, j] = sum(k) {before}[i, k] * A{f}[k, j]\n");
        }
        let system = load(&Source::new("chain.rec", text)).unwrap();
        let given: Vec<(&str, i64)> = parameters.iter().copied().zip(values).collect();
        let limits = Limits::of(30, 5000);
        let found = derive(&system, &algebra(), &Wanted { sizes: &sizes(&given), limits, all: None }).unwrap();
        // A reduction for each part of the chain and each place to cut it, with its product both ways round; elements, tensors and accesses of
        // the factors, an index between two of them, the frame and `sum`. No more than 907.
        let cuts = (count + 1) * count * (count - 1) / 6;
        assert_eq!(found.report.nodes, 3 * cuts + 3 * count + (count - 1) + 2);
        assert_eq!((found.report.is_saturated(), found.report.nodes < 1000), (true, true), "{:?}", found.report);
        let sides: Vec<u128> = (0..=count).map(|place| values[dimension(place)] as u128).collect();
        assert_eq!((found.forms[0].cost.operations, found.forms[0].is_least), (best_order(&sides), true), "{count}");
    }
}

/// Recurrences stay what they are: what needs itself is a name in its own equations, and what is computed in part is stored nowhere else.
#[test]
fn every_kernel_that_ships_has_a_form() {
    let folder = std::fs::read_dir(concat!(env!("SYSTOLE_ROOT"), "/kernels")).unwrap();
    for path in folder.map(|entry| entry.unwrap().path()).filter(|path| path.is_file()) {
        let system = load(&Source::new("kernel.rec", std::fs::read_to_string(&path).unwrap())).unwrap();
        if &*system.name == "polynomial_product" {
            continue;
        }
        let found = derived(&system, &algebra());
        assert!(!found.forms.is_empty() && found.report.is_saturated(), "{}", system.name);
        assert!(found.report.nodes < 1000 && found.forms[0].cost <= found.written, "{}", system.name);
    }
}

/// A range that reaches as far as the index around it, over a body that does not name that index.
#[test]
fn terms_are_counted_where_a_range_follows_the_index_around_it() {
    // At N = 8 the differences below the diagonal, and seven numbers whose magnitude is taken.
    let below = N * (N - 1) / 2;
    for (term, operations) in
        [("sum(j in 0..i) abs(x[j])", below + N - 1), ("max(j in i..N) (x[j] * x[j])", below + 2 * N)]
    {
        let text = format!("kernel triangle(N)\nin x[N]\nout y[N]\ny[i] = {term}");
        let system = load(&Source::new("triangle.rec", text)).unwrap();
        let at = sizes(&[("N", 8)]);
        let wanted = Wanted { sizes: &at, limits: Limits::of(40, 50_000), all: None };
        assert_eq!(derive(&system, &algebra(), &wanted).unwrap().written.operations, operations, "{term}");
    }
}
