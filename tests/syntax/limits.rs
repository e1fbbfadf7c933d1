//! Hostile texts are refused with a message, never with a crash.

use proptest::prelude::*;
use systole_base::span::Source;
use systole_equations::recurrence::load;
use systole_equations::syntax::parse;

fn message(value: &str) -> Option<String> {
    let text = format!("kernel k(N)\nin a[N]\nout c[N]\nc[i] = {value}");
    load(&Source::new("deep.rec", text)).err().map(|errors| errors[0].message().to_owned())
}

#[test]
fn deep_nesting_is_refused_and_moderate_nesting_is_not() {
    let nested = |open: &str, close: &str, depth: usize| format!("{}a[i]{}", open.repeat(depth), close.repeat(depth));
    let refused = Some("more than 48 brackets and reductions inside each other".to_owned());
    assert_eq!(message(&nested("(", ")", 40)), None);
    for depth in [100, 100_000] {
        assert_eq!(message(&nested("(", ")", depth)), refused);
        assert_eq!(message(&nested("sqrt(", ")", depth)), refused);
        assert_eq!(message(&nested("sum(k) ", "", depth)), refused);
        assert_eq!(message(&nested("max(k) ", "", depth)), refused);
    }
}

#[test]
fn long_chains_are_refused_and_moderate_ones_are_not() {
    let refused = Some("more than 400 operators in one item".to_owned());
    assert_eq!(message(&format!("a[i]{}", " + a[i]".repeat(300))), None);
    assert_eq!(message(&format!("{}a[i]", "-".repeat(300))), None);
    assert_eq!(message(&format!("a[i]{}", " + a[i]".repeat(100_000))), refused);
    assert_eq!(message(&format!("{}a[i]", "-".repeat(100_000))), refused);
}

#[test]
fn the_deepest_allowed_kernel_of_all_kinds_is_walked_safely() {
    let value = format!("{}{}a[i]{}", "max((".repeat(15), "-".repeat(350), "), 1)".repeat(15));
    assert_eq!(message(&value), None);
}

#[test]
fn huge_constants_are_not_enumerated() {
    let text = "kernel k()\nout c[2000000000, 2000000000, 2000000000]\nc[i, j, k] = 0";
    assert!(load(&Source::new("huge.rec", text)).is_ok());
    let text = "kernel k(N)\nin a[N]\nout c[N]\nc[i] = sum(j in 0..2000000000, k in 0..j) a[i + j]";
    let errors = load(&Source::new("huge.rec", text)).map(|_| ());
    // Out of bounds, but too many points to look for the counterexample: left to the evaluation.
    assert!(errors.is_ok());
}

proptest! {
    #[test]
    fn no_text_makes_the_parser_panic(text in "[a-k=+*/()\\[\\],.<>!# \n0-9-]{0,200}") {
        let _ = parse(&Source::new("noise.rec", text));
    }

    #[test]
    fn no_damaged_kernel_makes_the_front_end_panic(start in 0usize..300, length in 0usize..30, noise in "\\PC{0,6}") {
        let mut text = include_str!("../../kernels/fir.rec").to_owned();
        let code = text.find("kernel").unwrap_or(0);
        let start = (code + start).min(text.len());
        let end = (start + length).min(text.len());
        text.replace_range(start..end, &noise);
        let _ = load(&Source::new("damaged.rec", text));
    }
}
