//! Laws that only infinite values refute, each beside the law with its condition, and beside the law that says it is for finite values.

use crate::planted::{passes, passes_often, refused};
use systole_base::span::Source;
use systole_compile::rewrite::Phase::Algebra;
use systole_compile::rewrite::{RuleSet, Tag};

/// Refused as `real`; sound as `finite`.
fn finite_only(law: &str, rule: &str, words: &[&str]) {
    refused(Algebra, &format!("real: {law}"), rule, words);
    passes(Algebra, &format!("finite: {law}"), rule);
}

#[test]
fn nothing_times_infinity_is_no_sum_of_nothing() {
    let rule = "(reduce ?s sum ?k (mul ?a ?b)) => (mul ?a (reduce ?s sum ?k ?b)) if free_of(?k ?a)";
    finite_only("a factor stands before the sum", rule, &["infinity", "left 0, right undefined"]);
    passes(Algebra, "real: a factor stands before the sum", &format!("{rule} & filled(?s ?k)"));
    let rule = "(reduce ?s sum ?k ?a) => (mul (count ?s ?k) ?a) if free_of(?k ?a) & countable(?s ?k)";
    refused(Algebra, "real: n times one of n equal terms", rule, &["infinity", "left 0, right undefined"]);
    passes(Algebra, "real: n times one of n equal terms", &format!("{rule} & filled(?s ?k)"));
}

#[test]
fn a_sum_of_masks_is_nothing() {
    let (max, sum) = ("(reduce ?s max ?k ?x)", "(reduce ?s sum ?k (exp (sub ?x (reduce ?s max ?k ?x))))");
    let rule = |shifted: &str| format!("(reduce ?s sum ?k (exp ?x)) => (mul (exp {max}) {shifted})");
    let law = "terms e^x are e^(max x) times e^(x - max x)";
    finite_only(law, &rule(sum), &["= -infinity", "left 0, right undefined"]);
    passes(Algebra, &format!("real: {law}"), &rule(&format!("(select (eq {max} -infinity) 0 {sum})")));
}

#[test]
fn a_difference_to_a_mask_is_none() {
    finite_only("the larger of two", "(max ?a ?b) => (add ?a (max 0 (sub ?b ?a)))", &["-infinity", "right undefined"]);
    passes(Algebra, "real: the larger of two", "(max ?a ?b) => (select (lt ?a ?b) ?b ?a)");
}

/// What no product makes is promised; of infinities that products make nothing is said, nor where the left side has no number.
#[test]
fn no_more_is_promised_than_the_left_side_has() {
    passes(Algebra, "real: products", "(mul (add ?a ?b) ?c) => (add (mul ?a ?c) (mul ?b ?c))");
    passes(Algebra, "real: what is added and taken away", "(sub (add ?a ?b) ?b) => ?a");
    passes(
        Algebra,
        "real: sums",
        "(reduce ?s sum ?k (sub ?a ?b)) => (sub (reduce ?s sum ?k ?a) (reduce ?s sum ?k ?b))",
    );
    // The twin has a number on the left.
    finite_only("the larger of two", "(max ?a ?b) => (sub (add ?a ?b) (min ?a ?b))", &["infinity", "right undefined"]);
}

/// A product near the least number there is has fewer digits than others, and refutes no law over the reals. The twins are refuted.
#[test]
fn what_loses_digits_refutes_nothing() {
    let log = |right: &str| format!("(log (mul (exp ?a) ?b)) => {right}");
    passes_often((Algebra, 2_000), "real: logarithms", &log("(add ?a (log ?b))"));
    refused(Algebra, "real: logarithms", &log("(mul ?a (log ?b))"), &[]);
    let quotient = |right: &str| format!("(div (mul (exp ?a) ?b) (mul (exp ?a) ?c)) => {right}");
    passes_often((Algebra, 2_000), "real: quotients", &quotient("(div ?b ?c)"));
    refused(Algebra, "real: quotients", &quotient("(div ?c ?b)"), &[]);
}

/// The word is a tag as the others are; another word is none.
#[test]
fn finite_is_a_tag() {
    let read = |tag: &str| {
        RuleSet::from_sources(&[Source::new(
            "own.rules",
            format!("# law {tag}: a law\nown: (add ?a ?b) => (add ?b ?a)\n"),
        )])
    };
    assert_eq!(read("finite").unwrap().rules()[0].tag, Tag::Finite);
    assert_eq!(Tag::Finite.to_string(), "finite");
    assert!(Tag::Real < Tag::Finite && Tag::Finite < Tag::Assume);
    let message = read("infinite").unwrap_err()[0].to_string();
    assert!(message.contains("`infinite` is no tag of a law"), "{message}");
}
