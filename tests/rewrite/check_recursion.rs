//! Laws of elements that equations define: without what makes them hold, each is found out, beside the law itself.

use crate::planted::{passes, refused};
use systole_compile::rewrite::Phase::Algebra;

/// The index `v` may be the first one, so its element may be the one that is being computed; `w` stays before it.
#[test]
fn what_is_computed_is_read_only_where_it_is_there() {
    let law = "exact: what the equation says of an element is that element";
    let rule = "(defined ?x ?g) => (at ?x ?g)";
    refused(Algebra, law, rule, &["?x = X", "right undefined"]);
    passes(Algebra, law, &format!("{rule} if earlier(?x ?g)"));
    refused(Algebra, law, "(defined X [v]) => (at X [v])", &["right undefined", "P = {(i"]);
    passes(Algebra, law, "(defined X [w]) => (at X [w])");
    refused(Algebra, law, "(at ?x ?g) => (defined ?x ?g)", &["left ", "right "]);
    passes(Algebra, law, "(at ?x ?g) => (defined ?x ?g) if written(?x ?g)");
}

#[test]
fn an_equation_is_unfolded_at_the_element_that_is_read() {
    let law = "exact: an element is what its equation says of it";
    let pair = "(sub (at ?x ?g) (at ?x ?h))";
    let own = "written(?x ?g) & written(?x ?h)";
    passes(Algebra, law, &format!("{pair} => (sub (defined ?x ?g) (at ?x ?h)) if {own}"));
    let wrong = format!("{pair} => (sub (defined ?x ?h) (at ?x ?h)) if written(?x ?h)");
    refused(Algebra, law, &wrong, &["?x = Y", "?g = [", "?h = [i]"]);
}

#[test]
fn a_sum_of_zeros_and_one_term_is_that_term() {
    let law = "real: a sum of terms of which all but one are 0 is that term";
    let left = "(reduce ?s sum ?k (select (eq (index ?g) (index ?h)) ?a 0))";
    passes(Algebra, law, &format!("{left} => (pick ?s ?k ?g ?a) if picks(?s ?k ?g ?h)"));
    refused(Algebra, law, &format!("{left} => (pick ?s ?k ?h ?a) if picks(?s ?k ?g ?h)"), &["?k = ", "?g = "]);
    refused(Algebra, law, &format!("{left} => (pick ?s ?k ?g ?a)"), &["?k = ", "?g = "]);
    refused(Algebra, law, &format!("{left} => ?a if picks(?s ?k ?g ?h)"), &["?a = ", "?k = "]);
    let greatest = "(reduce ?s max ?k (select (eq (index ?g) (index ?h)) ?a 0))";
    refused(Algebra, law, &format!("{greatest} => (pick ?s ?k ?g ?a) if picks(?s ?k ?g ?h)"), &["?a = "]);
}

#[test]
fn a_choice_between_a_factor_and_0_is_one_of_products() {
    let law = "real: a choice between a and 0, times b";
    passes(Algebra, law, "(mul (select ?p ?a 0) ?b) => (select ?p (mul ?a ?b) 0)");
    refused(Algebra, law, "(mul (select ?p ?a 0) ?b) => (select ?p (mul ?a ?b) ?b)", &["?b = "]);
    let exact = "exact: a choice between a and 0, times b";
    refused(Algebra, exact, "(mul (select ?p ?a 0) ?b) => (select ?p (mul ?a ?b) 0)", &["right 0"]);
}
