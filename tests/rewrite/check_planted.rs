//! Unsound rules, each found out with a small counterexample in its own variables, beside a sound twin that passes.

use crate::planted;
use systole_compile::rewrite::Phase;

fn refused(tag_and_law: &str, rule: &str, essentials: &[&str]) {
    planted::refused(Phase::Dataflow, tag_and_law, rule, essentials);
}

fn passes(tag_and_law: &str, rule: &str) {
    planted::passes(Phase::Dataflow, tag_and_law, rule);
}

#[test]
fn the_neutral_value_of_the_largest_is_not_0() {
    refused("exact: 0 is neutral", "(combine max ?a 0) => ?a", &["?a = "]);
    passes("exact: a neutral value changes nothing", "(combine max ?a (neutral max)) => ?a");
}

#[test]
fn a_factor_leaves_a_sum_only_if_it_does_not_depend_on_the_index() {
    let rule = "(reduce ?s sum ?k (mul ?a ?b)) => (mul ?a (reduce ?s sum ?k ?b))";
    refused("real: a factor leaves the sum", rule, &["?k = ", "?s = "]);
    passes("real: a factor that is the same for all terms leaves the sum", &format!("{rule} if free_of(?k ?a)"));
    refused("exact: the same, but products are rounded", &format!("{rule} if free_of(?k ?a)"), &["?k = "]);
}

#[test]
fn reductions_over_coupled_indices_are_not_interchanged() {
    let rule = "(reduce ?s ?o ?k (reduce ?s ?o ?l ?f)) => (reduce ?s ?o ?l (reduce ?s ?o ?k ?f))";
    refused("exact: reductions may be nested either way", rule, &["?k = ", "?l = ", "?o = "]);
    passes("exact: over a box they may", &format!("{rule} if independent(?s ?k ?l)"));
    passes("exact: if the range depends on no other index they may", &format!("{rule} if boxed(?s ?k)"));
}

#[test]
fn where_nothing_is_handed_over_the_value_is_neutral() {
    refused("exact: a number is itself", "(inner ?s ?o ?g ?c) => ?c if number(?c)", &["?c = ", "?g = "]);
    passes("exact: a neutral value stays one", "(inner ?s ?o ?g (neutral ?o)) => (neutral ?o)");
    refused("exact: 0 is neutral", "(handoff ?r ?s ?o ?g 0) => 0", &["?o = ", "right 0"]);
    passes("exact: 0 is neutral in a sum", "(handoff ?r ?s sum ?g 0) => 0");
}

#[test]
fn a_handoff_keeps_its_operator() {
    let rule = "(in ?r (inner ?s ?o ?g ?f)) => (handoff ?r ?s max ?g (in ?s ?f))";
    refused("exact: a value is handed over", rule, &["right -inf", "?o = "]);
    passes(
        "exact: a value is handed over",
        "(in ?r (inner ?s ?o ?g ?f)) => (handoff ?r ?s ?o ?g (in ?s ?f)) if differ(?r ?s)",
    );
    refused("exact: the value itself", "(in ?r (inner ?s ?o ?g ?f)) => (in ?s ?f)", &["?r = ", "?s = "]);
}

#[test]
fn a_quotient_by_0_is_tried() {
    refused("real: a number by itself is 1", "(div ?a ?a) => 1", &["?a = 0", "left undefined, right 1"]);
    passes("assume: a number by itself is 1 if it is not 0", "(div ?a ?a) => 1");
    refused("real: what is divided comes back", "(mul (div ?a ?b) ?b) => ?a", &["?b = 0", "left undefined"]);
    passes("assume: the divisor is not 0", "(mul (div ?a ?b) ?b) => ?a");
}

#[test]
fn a_stream_runs_along_a_null_direction() {
    let wrong = "(read ?s ?x ?g (nulls ?s ?g)) => (stream ?s <i> ?x ?g)";
    refused("exact: a read is a stream", wrong, &["?g = [", "?x = ", "?s = ", "at i = 1"]);
    passes("exact: along a null direction it is", "(read ?s ?x ?g (dir ?d ?ds)) => (stream ?s ?d ?x ?g)");
    let wrong = "(read ?s ?x ?g (nulls ?s ?g)) => (read ?s ?x ?g (dir <i> end))";
    refused("exact: any direction may be tried", wrong, &["right undefined"]);
    refused("exact: one number", "(read ?s ?x ?g ?ds) => (const ?s ?x ?g)", &["right undefined"]);
    passes("exact: one number", "(read ?s ?x ?g (nulls ?s ?g)) => (const ?s ?x ?g) if nullary(?g)");
}

#[test]
fn the_end_of_a_line_is_not_its_head() {
    let wrong = "(red ?s ?o (dir ?d ?ds) ?f) => (fby ?s ?d (acc ?s ?o ?d ?f))";
    refused("exact: the whole of a line stands at its head", wrong, &["?d = <"]);
    passes("exact: at its end", "(red ?s ?o (dir ?d ?ds) ?f) => (last ?s ?d (acc ?s ?o ?d ?f))");
}

#[test]
fn what_is_combined_so_far_is_not_all() {
    refused("exact: all", "(red ?s ?o (dir ?d ?ds) ?f) => (acc ?s ?o ?d ?f)", &["?d = <", "?o = sum"]);
    passes(
        "exact: all of a line is the same on it",
        "(last ?s ?d (red ?s ?o (dir ?d ?ds) ?f)) => (red ?s ?o (dir ?d ?ds) ?f)",
    );
    refused("exact: the rest of a list", "(red ?s ?o (dir ?d ?ds) ?f) => (red ?s ?o ?ds ?f)", &["?ds = end"]);
    passes("exact: another direction", "(red ?s ?o (dir ?d (dir ?e ?ds)) ?f) => (red ?s ?o (dir ?e ?ds) ?f)");
}

#[test]
fn the_branches_at_a_head_are_not_swapped() {
    let wrong = "(fby ?s ?d ?h) => (ite (head ?s ?d) (shift ?s ?d (fby ?s ?d ?h)) ?h)";
    refused("exact: what is carried", wrong, &["right undefined"]);
    passes("exact: what is carried", "(fby ?s ?d ?h) => (ite (head ?s ?d) ?h (shift ?s ?d (fby ?s ?d ?h)))");
    let wrong = "(fby ?s ?d ?h) => (shift ?s ?d (fby ?s ?d ?h))";
    refused("exact: what the point before has", wrong, &["right undefined"]);
    passes(
        "exact: a head has none before it",
        "(shift ?s ?d (fby ?s ?d ?h)) => (ite (head ?s ?d) (shift ?s ?d ?h) (shift ?s ?d (fby ?s ?d ?h)))",
    );
}

#[test]
fn a_sum_starts_somewhere() {
    let wrong = "(acc ?s ?o ?d ?f) => (combine ?o (shift ?s ?d (acc ?s ?o ?d ?f)) ?f)";
    refused("exact: what was combined before and one more", wrong, &["right undefined"]);
    let right = "(acc ?s ?o ?d ?f) => (combine ?o (ite (head ?s ?d) (neutral ?o) (shift ?s ?d (acc ?s ?o ?d ?f))) ?f)";
    passes("exact: from the neutral value on", right);
}

#[test]
fn what_is_loaded_is_loaded_at_heads_only() {
    let wrong = "(load ?s ?d ?x ?g) => (read ?s ?x ?g (nulls ?s ?g))";
    refused("exact: a load is a read", wrong, &["left undefined"]);
    passes("exact: a stream is loaded", "(fby ?s ?d (load ?s ?d ?x ?g)) => (stream ?s ?d ?x ?g)");
}

#[test]
fn ones_own_result_is_not_there_at_heads() {
    let shift = "(shift ?s (offset ?s ?x ?g) (result ?s))";
    let left = "(read ?s ?x ?g (nulls ?s ?g))";
    refused(
        "exact: the point before wrote it",
        &format!("{left} => {shift} if uniform(?s ?x ?g)"),
        &["right undefined"],
    );
    let right = format!("{left} => (ite (head ?s (offset ?s ?x ?g)) (take ?s ?x ?g) {shift}) if uniform(?s ?x ?g)");
    passes("exact: or another space", &right);
}

#[test]
fn differences_and_quotients_do_not_commute() {
    refused("exact: they do", "(sub ?a ?b) => (sub ?b ?a)", &["?a = ", "?b = "]);
    passes("real: turned round they do", "(sub ?a ?b) => (neg (sub ?b ?a))");
    refused("assume: none is 0", "(div ?a ?b) => (div ?b ?a)", &["?a = ", "?b = "]);
    passes("assume: none is 0", "(div ?a ?b) => (recip (div ?b ?a))");
    refused("real: they associate", "(sub (sub ?a ?b) ?c) => (sub ?a (sub ?b ?c))", &["?c = 1"]);
    passes("real: with a sum they do", "(sub (sub ?a ?b) ?c) => (sub ?a (add ?b ?c))");
}

#[test]
fn infinities_are_tried_where_a_law_is_exact() {
    refused("exact: nothing times 0", "(mul ?a 0) => 0", &["right 0"]);
    passes("real: nothing times 0", "(mul ?a 0) => 0");
    refused("exact: rounding", "(add (add ?a ?b) ?c) => (add ?a (add ?b ?c))", &["?a = ", "?b = ", "?c = "]);
    passes("real: sums associate", "(add (add ?a ?b) ?c) => (add ?a (add ?b ?c))");
    passes("exact: sums commute", "(add ?a ?b) => (add ?b ?a)");
}

#[test]
fn signs_are_tried() {
    let over = "(mul ?c (max ?a ?b)) => (max (mul ?c ?a) (mul ?c ?b))";
    refused("real: a product over the larger", over, &["?c = "]);
    passes("assume: all are positive", over);
    refused("real: a root of a square", "(sqrt (mul ?a ?a)) => ?a", &["?a = "]);
    passes("real: its magnitude", "(sqrt (mul ?a ?a)) => (abs ?a)");
    let product = "(log (mul ?a ?b)) => (add (log ?a) (log ?b))";
    refused("real: a logarithm of a product", product, &["right undefined"]);
    passes("assume: both are positive", product);
}

#[test]
fn the_branches_of_a_choice_are_not_swapped() {
    refused("real: the larger", "(select (lt ?a ?b) ?a ?b) => (max ?a ?b)", &["?a = ", "?b = "]);
    passes("real: the smaller", "(select (lt ?a ?b) ?a ?b) => (min ?a ?b)");
}

#[test]
fn an_expression_is_no_field() {
    refused("exact: a field is what it is made of", "(in ?s ?f) => ?f", &["`?f`", "a field", "an expression"]);
    passes("exact: a number is both", "(in ?s ?f) => ?f if number(?f)");
}
