//! Monoids that are none, each found out with small tuples, beside a sound twin that passes.

use systole_base::span::Source;
use systole_compile::check::{MonoidLaw, MonoidReport, Settings, check_monoid};
use systole_compile::rewrite::{Phase, RuleSet};

const SETTINGS: Settings = Settings { cases: 500, seed: 1, phase: Phase::Algebra };

fn check(declaration: &str) -> MonoidReport {
    let text = format!("# law {declaration}\n");
    let rules = RuleSet::from_sources(&[Source::new("own.rules", text)]).unwrap();
    check_monoid(&rules.monoids()[0], &SETTINGS)
}

/// Refused for this law, with this in the message.
fn refused(declaration: &str, law: MonoidLaw, words: &[&str]) {
    let report = check(declaration);
    assert_eq!(report.broken, Some(law), "{declaration}");
    let message = report.refusal.unwrap().to_string();
    for word in words {
        assert!(message.contains(word), "no `{word}` in\n{message}");
    }
}

fn passes(declaration: &str) {
    let report = check(declaration);
    assert_eq!(report.refusal.map(|refusal| refusal.to_string()), None, "{declaration}");
    assert_eq!((report.passed, report.few), (SETTINGS.cases, false), "{declaration}");
}

#[test]
fn a_tuple_that_changes_something_is_not_neutral() {
    let largest = |from: &str| format!("real: the larger\nmonoid own: (a) (b) => ((max a b)) from ({from})");
    refused(&largest("0"), MonoidLaw::NeutralBefore, &["is not neutral", "neutral = (0)", "neutral a = (0), a = (-"]);
    passes(&largest("-infinity"));
    let rescaled = |from: &str| {
        format!(
            "real: terms are brought to the greatest\nmonoid own: (m a) (x v) => ((max m x) (select (eq (max m x) -infinity) 0 \
             (add (mul (exp (sub m (max m x))) a) (mul (exp (sub x (max m x))) v)))) from ({from})"
        )
    };
    refused(&rescaled("0 0"), MonoidLaw::NeutralBefore, &["is not neutral"]);
    // Beside the least key the second component says nothing.
    passes(&rescaled("-infinity 1"));
    passes(&rescaled("-infinity 0"));
}

#[test]
fn what_squares_does_not_associate() {
    let own = |value: &str| format!("real: one after the other\nordered monoid own: (a) (b) => ({value}) from (0)");
    let squared = own("(add (add a b) (mul a (mul a b)))");
    refused(&squared, MonoidLaw::Associative, &["is not associative", "(a b) c = (", "a (b c) = (", "a is what ("]);
    passes(&own("(add (add a b) (mul a b))"));
}

#[test]
fn the_order_of_maps_matters() {
    let maps = |word: &str| {
        format!("real: maps a + x y of y\n{word} own: (a x) (b y) => ((add a (mul x b)) (mul x y)) from (0 1)")
    };
    refused(&maps("monoid"), MonoidLaw::Commutative, &["is not commutative", "a b = (", "b a = ("]);
    passes(&maps("ordered monoid"));
}

/// Rounding is a difference where the law says that there is none, and so is what is not a number: `max` keeps it, and a choice of the
/// larger loses it.
#[test]
fn a_product_is_associative_over_the_reals_alone() {
    let product = |tag: &str| format!("{tag}: a product\nmonoid own: (a) (b) => ((mul a b)) from (1)");
    refused(&product("exact"), MonoidLaw::Associative, &["is not associative"]);
    passes(&product("real"));
    let largest = |larger: &str| format!("exact: the larger\nmonoid own: (a) (b) => ({larger}) from (-infinity)");
    refused(&largest("(select (lt a b) b a)"), MonoidLaw::Commutative, &[]);
    passes(&largest("(max a b)"));
}

#[test]
fn a_counterexample_is_small() {
    let report = check("real: none\nordered monoid own: (a) (b) => ((add (add a b) (mul a (mul a b)))) from (0)");
    let message = report.refusal.unwrap().to_string();
    assert!(!message.contains("then"), "one tuple each is enough\n{message}");
}

/// What only infinities refute. The twin keeps to numbers where all that was combined is masked.
#[test]
fn masks_are_tuples_too() {
    let sum = "(add (mul (exp (sub m (max m x))) a) (mul (exp (sub x (max m x))) v))";
    let rescaled = |tag: &str, value: &str| {
        format!(
            "{tag}: terms are brought to the greatest\nmonoid own: (m a) (x v) => ((max m x) {value}) from (-infinity 0)"
        )
    };
    let words = ["is not associative", "a is what (-infinity, 0) gives", "(a b) c = (0, undefined), a (b c) = (0, 0)"];
    refused(&rescaled("real", sum), MonoidLaw::Associative, &words);
    passes(&rescaled("finite", sum));
    passes(&rescaled("real", &format!("(select (eq (max m x) -infinity) 0 {sum})")));
}

/// Far below all numbers that are drawn, and yet not the least.
#[test]
fn a_neutral_tuple_is_below_masks() {
    let largest = |from: &str| format!("real: the larger\nmonoid own: (a) (b) => ((max a b)) from ({from})");
    let words = ["neutral a = (-1e95), a = (-infinity)", "a is what (-infinity) gives"];
    refused(&largest("-1e95"), MonoidLaw::NeutralBefore, &words);
    passes(&largest("-infinity"));
}
