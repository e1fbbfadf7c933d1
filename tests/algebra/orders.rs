//! Reductions in another order: in blocks that are merged one after the other (a chain) or in pairs (a tree), and from another element on at
//! each place (a ring). The merge of partial results is written nowhere: it is what `split` makes of the reduction itself.

use crate::common::{LIMITS, algebra, has, laws, naive, sizes};
use std::collections::BTreeMap;
use systole::algebra::{CoordinateCount, Coordinates, Derivation, Form, Wanted, derive_recast, recast};
use systole::diagnostic::Checked;
use systole::integer::{Bindings, name};
use systole::recurrence::{RecurrenceSystem, Role, Tensors, evaluate, load};
use systole::rewrite::{RuleSet, Tag};
use systole::span::Source;

/// `k` in parts such as `2x2xW`.
fn split(index: &str, parts: &str) -> Coordinates {
    let part = |text: &str| text.parse().map_or_else(|_| CoordinateCount::Size(name(text)), CoordinateCount::Number);
    Coordinates::Split { index: name(index), parts: parts.split('x').map(part).collect() }
}

fn turn(index: &str, with: &str) -> Coordinates {
    Coordinates::Rotate { index: name(index), with: name(with) }
}

/// The forms, counted where each size is 8.
fn forms_by(kernel: &str, wanted: &[Coordinates], rules: &RuleSet) -> Checked<Derivation> {
    let recast = recast(&naive(kernel), wanted)?;
    let sizes: Bindings = recast.system.parameters.iter().map(|size| (size.clone(), 8)).collect();
    derive_recast(&recast, rules, &Wanted { sizes: &sizes, limits: LIMITS, all: None })
}

fn best(kernel: &str, wanted: &[Coordinates]) -> Form {
    forms_by(kernel, wanted, &algebra()).unwrap().forms[0].clone()
}

const N: u128 = 8;

/// Operations of the online recurrence for one element: 1 of the maximum, 9 of each sum.
const MAXIMUM: u128 = 1;
const RESCALED: u128 = 9;

/// Of two tuples without a maximum beside them: it is computed three times.
const RESCALED_ALONE: u128 = 12;

#[test]
fn partial_results_of_blocks_are_merged_by_the_reduction_itself() {
    let form = best("soft_average", &[split("j", "PxW")]);
    assert_eq!(laws(&form), ["factor-div-mul", "rescale", "split", "rescale-one", "split"]);
    // In each block and over all blocks (m, l, o): scores, and a quotient a query.
    let state = MAXIMUM + 2 * RESCALED;
    assert_eq!(form.cost.operations, N * N * N + N * N * N * state + N * N * state + N);
    assert_eq!((form.cost.overflows, form.tag), (0, Tag::Real));
    has(
        &form,
        &["= rescaled(j1 in 0..P) (m1[i, j1], f1[i, j1], f3[i, j1])", "(j2 in 0..W) (S[i, j1, j2], 1, v[j1, j2])"],
    );
    assert!(form.difference < 1e-13, "{}", form.difference);
}

#[test]
fn attention_is_split_over_its_keys() {
    let form = best("attention", &[split("j", "RxW")]);
    let scores = 2 * N * N * N * N + N * N * N + 1;
    let blocks = N * N * N * (MAXIMUM + RESCALED) + N * N * N * N * RESCALED;
    let merges = N * N * (MAXIMUM + RESCALED) + N * N * N * RESCALED;
    assert_eq!(form.cost.operations, scores + blocks + merges + N * N);
    assert_eq!(
        form.passes.iter().filter(|(index, _)| index.starts_with('j')).map(|(_, passes)| *passes).max(),
        Some(1)
    );
    has(
        &form,
        &[
            "(m[i], l[i], f2[i, d_2]) = rescaled(j1 in 0..R) (m1[i, j1], f1[i, j1], f3[i, j1, d_2])",
            "(m1[i, j1], f1[i, j1], f3[i, j1, d_2]) = rescaled_(j2 in 0..W) (S[i, j1, j2], 1, V[j1, j2, d_2])",
        ],
    );
    // The same where e^S may overflow as it is written: one law brings its sum to the maximum and to the reduction that rescales.
    let unshifted = best("softmax_attention", &[split("j", "RxW")]);
    assert_eq!(unshifted.cost, form.cost);
    assert!(laws(&unshifted).iter().any(|law| law.starts_with("rescale-exp")) && laws(&unshifted).contains(&"split"));
}

/// FlashAttention-2 in blocks: within a block the softmax as it is written, whose last pass is a product of matrices; over the blocks one
/// pass that rescales. It takes about as many operations as the text does.
#[test]
fn blocks_of_keys_are_products_of_matrices() {
    let wanted = [split("j", "RxW")];
    let forms = forms_by("attention", &wanted, &algebra()).unwrap().forms;
    let form = &forms[1];
    let passes = |index: &str| form.passes.iter().find(|(known, _)| &**known == index).map(|(_, passes)| *passes);
    assert_eq!((passes("j1"), passes("j2"), form.cost.overflows), (Some(1), Some(2), 0));
    let scores = 2 * N * N * N * N + N * N * N + 1;
    // Where all keys of a block are masked, which is asked once, its sums are 0.
    let masks = N * N * (1 + 1);
    let blocks = N * N * N * (1 + 2 + 1) + 2 * N * N * N * N + masks;
    let merges = N * N * (MAXIMUM + RESCALED) + N * N * N * RESCALED;
    assert_eq!(form.cost.operations, scores + blocks + merges + N * N);
    assert!(laws(form).contains(&"block-by-parts") && laws(form).contains(&"block-by-parts-one"), "{:?}", laws(form));
    has(
        form,
        &[
            "m1[i, j1] = max(j2 in 0..W) S[i, j1, j2]",
            "= sum(j2 in 0..W) V[j1, j2, d_2] * e1[i, j1, j2]",
            "= rescaled(j1 in 0..R) (m1[i, j1], ",
        ],
    );
    assert!(form.difference < 1e-12, "{}", form.difference);
    // Without its law there is no form with two passes over the keys of a block and one over blocks.
    let less = forms_by("attention", &wanted, &algebra().without("block-by-parts").without("block-by-parts-one"))
        .unwrap()
        .forms;
    let fewest = |forms: &[Form]| forms.iter().map(|form| form.cost.operations).collect::<Vec<_>>();
    assert!(!fewest(&less).contains(&form.cost.operations) && less.len() < forms.len());
}

#[test]
fn blocks_in_pairs_are_a_tree() {
    let form = best("soft_average", &[split("j", "2x2xW")]);
    let state = MAXIMUM + 2 * RESCALED;
    // Four blocks of W keys; then for each query two merges, and one that has no use for the maximum but within its sums.
    let merges = 2 * N * (MAXIMUM + 2 * RESCALED_ALONE) + N * 2 * RESCALED_ALONE;
    assert_eq!(form.cost.operations, 4 * N * N + 4 * N * N * state + merges + N);
    assert_eq!(laws(&form).iter().filter(|law| **law == "pair-up").count(), 4);
    has(&form, &["(j3 in 0..W) (S[i, j1, j2, j3], 1, v[j1, j2, j3])", "f1[i, j1] = max(m1[i, j1, 0], m1[i, j1, 1])"]);
    assert!(!form.text.contains("j1 in") && !form.text.contains("j2 in"), "{}", form.text);
    // In a chain each of the four is an element of the reduction.
    let chain = best("soft_average", &[split("j", "4xW")]);
    assert_eq!(chain.cost.operations, 4 * N * N + 4 * N * N * state + 4 * N * state + N);
}

#[test]
fn keys_go_round_in_a_ring() {
    let form = best("attention", &[turn("j", "i")]);
    assert_eq!(laws(&form), ["factor-div-mul", "rescale", "turn", "rescale-one", "turn"]);
    // What each query does is what it did: the form costs what attention in one pass costs.
    assert_eq!(form.cost.operations, crate::common::derived(&naive("attention"), &algebra()).forms[0].cost.operations);
    has(
        &form,
        &[
            "= rescaled(t in 0..N) (S[i, t], 1, V_turned[i, t, d__3])",
            "K_turned[i, t, d_] = K[i + t, d_] where i + t + 1 <= N",
            "= K[i_2 + t_2 - N, d__2] where N <= i_2 + t_2",
        ],
    );
    assert!(form.difference < 1e-13, "{}", form.difference);
}

/// Blocks of queries, and blocks of keys that go round: what ring attention does.
#[test]
fn blocks_of_keys_go_round_blocks_of_queries() {
    let form = best("soft_average", &[split("i", "PxU"), split("j", "RxW"), turn("j1", "i1")]);
    assert_eq!(laws(&form).iter().filter(|law| **law == "turn").count(), 2);
    has(&form, &["kernel soft_average(P, U, W)", "k_turned[i1, t, d] = k[i1 + t, d] where i1 + t + 1 <= P"]);
}

#[test]
fn other_reductions_are_cut_as_well() {
    // A place in the array is a number, so it is told from block and number in the block.
    let greatest = best("argmax", &[split("k", "PxW")]);
    assert_eq!((greatest.difference, laws(&greatest)), (0.0, vec!["split", "arg-greatest", "split"]));
    has(&greatest, &["k1 * W + k2"]);
    let product = best("normal_product", &[split("l", "PxW")]);
    assert!(laws(&product).contains(&"split") && product.difference < 1e-12);
}

#[test]
fn without_its_law_an_order_is_gone() {
    for (kernel, wanted, law) in [
        ("soft_average", split("j", "PxW"), "split"),
        ("soft_average", split("j", "2xW"), "split"),
        ("soft_average", turn("j", "i"), "turn"),
    ] {
        // Blocks that the softmax has by parts come without `split`.
        let left = algebra().without(law).without("block-by-parts").without("block-by-parts-one");
        let why = forms_by(kernel, std::slice::from_ref(&wanted), &left).unwrap_err();
        assert!(
            why[0].to_string().contains("no form of `soft_average` follows in these coordinates"),
            "{law}: {why:?}"
        );
        assert!(forms_by(kernel, &[wanted], &algebra()).is_ok());
    }
    for law in ["rescale", "rescale-one", "factor-div-mul", "pair-up"] {
        let wanted = [split("j", "2xW")];
        let (whole, less) = (algebra(), algebra().without(law));
        let cost = |rules: &RuleSet| forms_by("soft_average", &wanted, rules).unwrap().forms[0].cost.clone();
        assert!(cost(&less) > cost(&whole), "{law}");
    }
}

/// The twin of `split`: blocks that change places, which no order of maps bears.
#[test]
fn wrong_orders_are_refused() {
    let wrong = "# law real: the blocks change places\n\
                 swap: (reduce ?s ?o (both ?p ?q) ?a) => (reduce ?s ?o ?q (reduce ?s ?o ?p ?a))\n";
    let swap = RuleSet::from_sources(&[Source::new("swap.rules", wrong)]).unwrap();
    let system = load(&Source::new("total.rec", TOTAL)).unwrap();
    let plain = recast(&system, &[split("k", "PxW")]).unwrap();
    let sizes = sizes(&[("P", 4), ("W", 3)]);
    let wanted = Wanted { sizes: &sizes, limits: LIMITS, all: None };
    // Of a sum the order does not matter; of what goes on from the one before it does.
    let swapped = derive_recast(&plain, &swap, &wanted).unwrap().forms[0].clone();
    assert!(swapped.text.contains("t1[k2] = sum(k1 in 0..P) x[k1, k2]") && swapped.difference < 1e-13);
    let ordered = "# law real: maps a + x y of y, one after the other, are such a map; so composition is associative\n\
                   ordered monoid affine: (a x) (b y) => ((add a (mul x b)) (mul x y)) from (0 1)\n\n\
                   # law real: none, the terms are no maps\n\
                   maps: (reduce ?s sum ?k (at ?x ?g)) => (part 0 (reduce ?s affine ?k (pair (at ?x ?g) 1)))\n\n";
    let rules = RuleSet::from_sources(&[Source::new("swap.rules", format!("{ordered}{wrong}"))]).unwrap();
    assert!(derive_recast(&plain, &rules, &wanted).is_ok(), "maps y + a commute");
    let steep = ordered.replace("(pair (at ?x ?g) 1)", "(pair (at ?x ?g) (at ?x ?g))");
    let rules = RuleSet::from_sources(&[Source::new("swap.rules", format!("{steep}{wrong}"))]).unwrap();
    let why = derive_recast(&plain, &rules, &Wanted { all: Some(8), ..wanted }).unwrap_err();
    assert!(why[0].to_string().contains("differs from it"), "{why:?}");
}

#[test]
fn a_block_that_misses_its_last_element_is_refused() {
    let system = load(&Source::new("total.rec", TOTAL)).unwrap();
    let recast = recast(&system, &[split("k", "PxW")]).unwrap();
    let sizes = sizes(&[("P", 4), ("W", 3)]);
    let wanted = Wanted { sizes: &sizes, limits: LIMITS, all: None };
    let text = derive_recast(&recast, &algebra(), &wanted).unwrap().forms[0].text.clone();
    let short = text.replace("(k2 in 0..W)", "(k2 in 0..W - 1)");
    assert_ne!(short, text);
    assert!(apart(&recast.system, &text, &sizes) < 1e-13);
    assert!(apart(&recast.system, &short, &sizes) > 1e-3);
    // A declared reduction of a block that may be empty is one as well, of other elements.
    let average = systole::algebra::recast(&naive("soft_average"), &[split("j", "PxW")]).unwrap();
    let text = best("soft_average", &[split("j", "PxW")]).text;
    let short = text.replace("(j2 in 0..W)", "(j2 in 0..W - 1)");
    assert_ne!(short, text);
    let sizes = crate::common::sizes(&[("N", 3), ("P", 4), ("W", 3)]);
    assert!(apart(&average.system, &text, &sizes) < 1e-13);
    assert!(apart(&average.system, &short, &sizes) > 1e-3);
}

const TOTAL: &str = "kernel total(M)\nin x[M]\nout y\ny = sum(k) x[k]\n";

#[test]
fn axes_that_are_not_whole_are_refused() {
    let refused = |kernel: &str, wanted: Coordinates| {
        let why = recast(&naive(kernel), &[wanted]).unwrap_err();
        why[0].to_string()
    };
    assert!(refused("prefix_sum", split("j", "PxW")).contains("`j` of `prefix_sum`"));
    assert!(refused("sliding_sum", split("i", "PxW")).contains("`i` of `sliding_sum`"));
    assert!(refused("attention", split("j", "PxW")).contains("`P` is a name of the kernel already"));
    assert!(refused("attention", split("j", "1xW")).contains("a part of 1 cuts nothing"));
    assert!(refused("attention", split("jj", "RxW")).contains("`attention` has no index `jj`"));
    assert!(refused("gram", turn("i", "j")).contains("cannot turn along its own axis"));
}

/// The largest relative difference of a text to a system, for numbers that differ from element to element.
fn apart(system: &RecurrenceSystem, text: &str, sizes: &Bindings) -> f64 {
    let other = load(&Source::new("form.rec", text.to_owned())).unwrap();
    let mut rank = 0.0;
    let mut next = || {
        rank += 1.0;
        0.5 + (rank * 0.618_033_988_749_895_f64).fract()
    };
    let shape = |tensor: &systole::recurrence::Tensor| -> Vec<usize> {
        tensor.shape.iter().map(|form| form.evaluate(sizes).unwrap() as usize).collect()
    };
    let inputs: Tensors = system
        .tensors_with(Role::Input)
        .map(|tensor| (tensor.name.clone(), ndarray::ArrayD::from_shape_simple_fn(shape(tensor), &mut next)))
        .collect();
    let (one, two) = (evaluate(system, sizes, &inputs).unwrap(), evaluate(&other, sizes, &inputs).unwrap());
    let all: BTreeMap<_, _> = one.into_iter().collect();
    let differences = all.iter().flat_map(|(name, array)| array.iter().zip(two[name].iter()));
    differences.map(|(a, b)| (a - b).abs() / a.abs().max(1.0)).fold(0.0, f64::max)
}
