//! Laws of masks: without what makes them hold, each is found out, beside the law itself.

use crate::planted::{passes, refused};
use systole_compile::rewrite::Phase::Algebra;

#[test]
fn what_a_mask_hides_may_be_left_out_of_a_sum_or_a_maximum() {
    let law = "real: terms that change nothing may be left out";
    let whole = |operator: &str, hidden: &str| format!("(reduce ?s {operator} ?k (select ?c ?a {hidden}))");
    let part = |operator: &str, value: &str| format!("(where ?s {operator} ?k ?c {value})");
    for (operator, hidden, other) in [("sum", "0", "1"), ("max", "-infinity", "0")] {
        passes(Algebra, law, &format!("{} => {}", whole(operator, hidden), part(operator, "?a")));
        refused(Algebra, law, &format!("{} => {}", whole(operator, other), part(operator, "?a")), &["?k = "]);
        let all = format!("{} => (reduce ?s {operator} ?k ?a)", whole(operator, hidden));
        refused(Algebra, law, &all, &["?c = "]);
    }
    refused(Algebra, law, &format!("{} => {}", whole("max", "0"), part("max", "?a")), &["?a = "]);
}

#[test]
fn masks_go_through_sums_differences_and_exponentials() {
    let law = "real: what is masked stays so";
    for (right, wrong, found) in [
        (
            "(add ?a (select ?p 0 -infinity)) => (select ?p ?a -infinity)",
            "(add ?a (select ?p 1 -infinity)) => (select ?p ?a -infinity)",
            "?a = ",
        ),
        (
            "(sub (select ?p ?a -infinity) ?b) => (select ?p (sub ?a ?b) -infinity)",
            "(sub (select ?p ?a 0) ?b) => (select ?p (sub ?a ?b) 0)",
            "?b = ",
        ),
        (
            "(exp (select ?p ?a -infinity)) => (select ?p (exp ?a) 0)",
            "(exp (select ?p ?a 0)) => (select ?p (exp ?a) 0)",
            "?p = ",
        ),
        (
            "(select (lt ?x ?y) ?a ?b) => (select (le ?y ?x) ?b ?a)",
            "(select (lt ?x ?y) ?a ?b) => (select (lt ?y ?x) ?b ?a)",
            "?x = ",
        ),
    ] {
        passes(Algebra, law, right);
        refused(Algebra, law, wrong, &[found]);
    }
}
