//! Reductions over triangles: causal attention as people write it, with ranges, with cases, with masks of -infinity. All lead to one form, with
//! one pass over half of the square; masks that hide nothing, or of which no range is known, lead nowhere.

use crate::common::{LIMITS, algebra, derived, has, laws, naive, sizes};
use systole::algebra::{Derivation, Wanted, derive};
use systole::recurrence::load;
use systole::rewrite::Tag;
use systole::span::Source;

/// Causal attention with these scores, each row reduced over `range`.
fn causal(scores: &str, range: &str) -> String {
    format!(
        "kernel causal(N, D)\nin Q[N, D], K[N, D], V[N, D], B[N, N]\nout O[N, D]\nlocal S[N, N], m[N], P[N, N], l[N]\n{scores}\n\
         m[i] = max({range}) S[i, j]\nP[i, j] = exp(S[i, j] - m[i])\nl[i] = sum({range}) P[i, j]\n\
         O[i, d] = sum({range}) (P[i, j] / l[i]) * V[j, d]\n"
    )
}

fn forms(text: &str) -> Derivation {
    derived(&load(&Source::new("own.rec", text)).unwrap(), &algebra())
}

const PRODUCT: &str = "(sum(d) Q[i, d] * K[j, d]) / sqrt(D)";

/// For 8 queries of width 8: 99 operations for each score, of which 16 are its product and one the quotient, and the rest reduce; the quotients of
/// the results, and a root.
const ON_THE_TRIANGLE: u128 = 99 * 8 * 9 / 2 + 64 + 1;
const ON_THE_SQUARE: u128 = 99 * 64 + 64 + 1;

#[test]
fn however_a_triangle_is_written_its_form_has_one_pass_over_half_of_the_square() {
    let masked = |mask: &str| causal(&format!("S[i, j] = {mask}"), "j");
    let cases = format!("S[i, j] = {PRODUCT} where j <= i\nS[i, j] = -infinity where j > i");
    for text in [
        causal(&format!("S[i, j] = {PRODUCT}"), "j in 0..i + 1"),
        causal(&format!("S[i, j] = {PRODUCT} where j <= i\nS[i, j] = 0 where j > i"), "j in 0..i + 1"),
        causal(&cases, "j"),
        masked(&format!("select(j <= i, {PRODUCT}, -infinity)")),
        masked(&format!("select(i < j, -infinity, {PRODUCT})")),
        masked(&format!("{PRODUCT} + select(j > i, -infinity, 0)")),
    ] {
        let found = forms(&text);
        let form = &found.forms[0];
        assert_eq!(form.cost.operations, ON_THE_TRIANGLE, "{text}\n{}", form.text);
        assert_eq!((form.cost.passes, form.cost.overflows, form.tag, &form.masked), (4, 0, Tag::Real, &None), "{text}");
        assert!(form.text.contains("in 0..i + 1) ((sum(d in 0..D) Q[i, d] * K[j"), "{}", form.text);
    }
}

/// About half: N (N + 1) / 2 of N^2 scores.
#[test]
fn the_triangle_takes_half_of_the_operations_of_the_square() {
    let system = naive("masked_attention");
    let at = sizes(&[("N", 64), ("D", 8)]);
    let operations = |rules| {
        let found = derive(&system, &rules, &Wanted { sizes: &at, limits: LIMITS, all: None }).unwrap();
        found.forms[0].cost.operations
    };
    let (half, whole) = (operations(algebra()), operations(algebra().without("max-where")));
    assert!((48 * whole..=52 * whole).contains(&(100 * half)), "{half} of {whole}");
}

/// The twins: scores of 0 weigh something, a mask of values has no range, and a row without a key has no first one to start from.
#[test]
fn other_masks_stay_on_the_square() {
    assert_eq!(forms(&causal(&format!("S[i, j] = {PRODUCT}"), "j")).forms[0].cost.operations, ON_THE_SQUARE);
    for (mask, hidden) in [("j <= i", "0"), ("B[i, j] < 1", "-infinity")] {
        let found = forms(&causal(&format!("S[i, j] = select({mask}, {PRODUCT}, {hidden})"), "j"));
        assert!(found.forms[0].cost.operations > ON_THE_SQUARE, "{}", found.forms[0].text);
        assert!(found.forms[0].text.contains("j in 0..N"), "{}", found.forms[0].text);
    }
    let found =
        forms("kernel strict(N)\nin X[N, N]\nout y[N]\ny[i] = sum(j in 0..i) exp(X[i, j] - max(k in 0..i) X[i, k])\n");
    assert!(found.forms.iter().all(|form| !form.text.contains("reduction")));
}

/// An element within one case is what that case says; beyond it, it stays what both say.
#[test]
fn an_element_of_one_of_several_cases_is_what_that_says() {
    let text = |range: &str| {
        format!(
            "kernel parts(N)\nin a[N], b[N]\nout y[N]\nlocal S[N, N]\nS[i, j] = a[i] * b[j] where j <= i\n\
             S[i, j] = b[i] where j > i\ny[i] = sum(j in {range}) S[i, j]\n"
        )
    };
    let within = &forms(&text("0..i + 1")).forms[0];
    has(within, &["y[i] = a[i] * r1[i]", "r1[i] = r1[i - 1] + b[i]"]);
    assert!(laws(within).contains(&"running"), "{:?}", laws(within));
    let beyond = forms(&text("0..N"));
    assert!(beyond.forms.iter().all(|form| form.text.contains("S[i, j]")), "{:?}", beyond.forms);
}

/// A part of a tensor that two others read is stored, with zeros that nobody reads beside it.
#[test]
fn what_is_computed_in_part_and_read_twice_is_stored() {
    let text = "kernel twice(N)\nin a[N], b[N]\nout y[N], z[N]\nlocal S[N, N]\nS[i, j] = exp(a[i] * b[j]) where j <= i\n\
                S[i, j] = 1 where j > i\ny[i] = sum(j in 0..i + 1) S[i, j]\nz[i] = max(j in 0..i + 1) S[i, j]\n";
    let found = forms(text);
    has(&found.forms[0], &["S[i, j", "where i + 1 <= j"]);
    assert_eq!(found.forms[0].text.matches("exp(").count(), 1, "{}", found.forms[0].text);
}

/// A band has two cases, for rows that begin at the first key and for later ones: each of them is computed in part, and stays as it is written.
#[test]
fn a_band_keeps_its_cases() {
    let band = causal(&format!("S[i, j] = {PRODUCT}"), "j in max(0, i - W)..i + 1").replace("(N, D)", "(N, W, D)");
    let found = forms(&band);
    assert!(found.forms[0].difference < 1e-9 && !found.forms[0].text.contains("reduction"), "{}", found.forms[0].text);
}
