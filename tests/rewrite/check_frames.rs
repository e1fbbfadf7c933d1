//! Laws over frames that lack a condition, each found out where ranges depend on each other or are empty, beside the law with it.

use crate::planted::{passes, refused};
use systole_compile::rewrite::Phase::Algebra;

#[test]
fn a_divisor_stays_under_a_sum_over_nothing() {
    let law = "real: a divisor that is the same for all terms stands under the sum";
    let rule = "(reduce ?s sum ?k (div ?a ?b)) => (div (reduce ?s sum ?k ?a) ?b) if free_of(?k ?b)";
    refused(Algebra, law, rule, &["?b = 0", "left 0, right undefined"]);
    passes(Algebra, law, &format!("{rule} & filled(?s ?k)"));
}

#[test]
fn sums_over_a_triangle_are_not_exchanged() {
    let law = "real: products of matrices are associative";
    let rule = "(reduce ?s sum ?l (mul (reduce ?s sum ?k (mul ?a ?b)) ?c)) => \
                (reduce ?s sum ?k (mul ?a (reduce ?s sum ?l (mul ?b ?c)))) if free_of(?l ?a) & free_of(?k ?c)";
    refused(Algebra, law, rule, &["?k = ", "?l = "]);
    passes(Algebra, law, &format!("{rule} & apart(?k ?l)"));
}

#[test]
fn equal_terms_are_counted_only_where_the_count_is_one_form() {
    let law = "real: n equal terms are n times one of them";
    let rule = "(reduce ?s sum ?k ?a) => (mul (count ?s ?k) ?a) if countable(?s ?k)";
    refused(Algebra, law, rule, &["?a = "]);
    passes(Algebra, law, &format!("{rule} & free_of(?k ?a)"));
    refused(Algebra, law, "(reduce ?s sum ?k ?a) => ?a if free_of(?k ?a)", &["?k = "]);
}

#[test]
fn the_greatest_over_nothing_is_no_number() {
    let law = "real: one of equal terms is the greatest";
    let rule = "(reduce ?s max ?k ?a) => ?a if free_of(?k ?a)";
    refused(Algebra, law, rule, &["left -inf"]);
    passes(Algebra, law, &format!("{rule} & filled(?s ?k)"));
}
