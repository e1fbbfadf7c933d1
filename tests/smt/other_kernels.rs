//! Filters, products of polynomials, matrix times vector, a tensor contraction and a triangle.

use crate::agreement::{assert_proved, refutations};
use crate::hand_built::designs::{at_boundary, design, mesh};
use crate::hand_built::spaces::{fir, matvec, mttkrp, polynomial, triangle};
use systole_program::obligation::Kind;

#[test]
fn filters_with_stationary_weights_are_proved() {
    let space = fir();
    // Kung's W1: samples and results move against each other, at every second step of a PE.
    assert_proved(&design(&space, "k", "2*i + k", &["stream i", "stream i - k"], &["k"]), &mesh());
    // Kung's W2: both move the same way, results at half the speed of samples.
    assert_proved(&design(&space, "k", "i + 2*k", &["prefetch", "stream -1*i + k"], &["k"]), &mesh());
}

#[test]
fn filters_with_stationary_results_are_proved() {
    let space = fir();
    // R1: weights and samples against each other.
    assert_proved(&design(&space, "i", "i + 2*k", &["stream i", "stream -1*i + k"], &["k"]), &mesh());
    // R2: both the same way.
    assert_proved(&design(&space, "i", "2*i + k", &["stream i", "stream i - k"], &["k"]), &mesh());
    // B2: weights broadcast, results stay.
    assert_proved(&design(&space, "i", "k", &["broadcast i", "feed"], &["k"]), &mesh());
}

#[test]
fn a_filter_whose_samples_run_backwards_is_refuted() {
    let space = fir();
    let backwards = design(&space, "k", "i + 2*k", &["prefetch", "stream i - k"], &["k"]);
    let found = refutations(&backwards, &mesh());
    let case = "N = 2, K = 2: point (1, 0)".to_owned();
    assert_eq!(found[0], (Kind::Causality, "x".to_owned(), case));
}

#[test]
fn polynomial_products_reduce_along_a_diagonal() {
    let space = polynomial();
    assert_proved(&design(&space, "i", "2*i + j", &["stream j", "stream i"], &["i - j"]), &mesh());
    assert_proved(&design(&space, "j", "i + 2*j", &["stream j", "stream i"], &["-1*i + j"]), &mesh());
    assert_proved(&design(&space, "i + j", "i", &["broadcast j", "stream i"], &["i - j"]), &mesh());
}

#[test]
fn a_polynomial_product_too_fast_for_its_diagonal_is_refuted() {
    let space = polynomial();
    let flat = design(&space, "i", "i + j", &["stream j", "stream i"], &["i - j"]);
    let expected = (Kind::Causality, "c".to_owned(), "M = 2, N = 2: point (1, 0)".to_owned());
    assert_eq!(refutations(&flat, &mesh()), [expected]);
}

#[test]
fn matrix_times_vector_is_proved() {
    let space = matvec();
    assert_proved(&design(&space, "i", "i + j", &["feed", "stream i"], &["j"]), &mesh());
    assert_proved(&design(&space, "j", "i + j", &["feed", "prefetch"], &["j"]), &mesh());
    assert_proved(&design(&space, "", "i, j", &["feed", "feed"], &["j"]), &mesh());
}

#[test]
fn a_single_pe_has_no_inside() {
    let space = matvec();
    assert_proved(&at_boundary(design(&space, "", "i, j", &["feed", "feed"], &["j"])), &mesh());
}

#[test]
fn a_row_of_three_has_an_inside() {
    let space = matvec();
    let row = at_boundary(design(&space, "i", "i + j", &["feed", "stream i"], &["j"]));
    let expected = [
        (Kind::EdgeInjection, "A".to_owned(), "M = 3, N = 1: points (1, 0), (0, 0) and (2, 0)".to_owned()),
        (Kind::EdgeInjection, "y".to_owned(), "M = 3, N = 1: points (1, 0), (0, 0) and (2, 0)".to_owned()),
    ];
    assert_eq!(refutations(&row, &mesh()), expected);
}

#[test]
fn a_value_kept_while_others_are_made_is_refuted() {
    let space = matvec();
    let rows_inside = design(&space, "", "j, i", &["feed", "feed"], &["j"]);
    let expected =
        (Kind::FifoDepth, "y".to_owned(), "M = 2, N = 2: points (0, 0) and (1, 0), T1 = 0, T2 = 1".to_owned());
    assert_eq!(refutations(&rows_inside, &mesh()), [expected]);
}

#[test]
fn a_reduction_over_two_indices_is_proved() {
    let space = mttkrp();
    let streams = ["stream j", "stream i", "stream i"];
    assert_proved(&design(&space, "i, j", "k, i + j + l", &streams, &["l", "k"]), &mesh());
}

#[test]
fn a_reduction_over_two_indices_in_the_wrong_order_is_refuted() {
    let space = mttkrp();
    let streams = ["stream j", "stream i", "stream i"];
    let found = refutations(&design(&space, "i, j", "k, i + j - l", &streams, &["l", "k"]), &mesh());
    let case = "I = 1, J = 1, K = 1, L = 2: point (0, 0, 0, 1)".to_owned();
    assert_eq!(found, [(Kind::Causality, "D".to_owned(), case)]);
}

#[test]
fn a_triangle_is_proved_and_its_broken_twin_refuted() {
    let space = triangle();
    assert_proved(&design(&space, "i", "i + j", &["feed", "stream i"], &["j"]), &mesh());
    let found = refutations(&design(&space, "i", "j", &["feed", "stream i"], &["j"]), &mesh());
    assert_eq!(found, [(Kind::Causality, "x".to_owned(), "N = 3: point (2, 0)".to_owned())]);
}

#[test]
fn words_that_meet_on_a_long_route_are_refuted() {
    let space = fir();
    // Results take two links at a time; a word on its second link meets the one that the PE between sends.
    let long = |time: &str| design(&space, "i + 2*k", time, &["feed", "feed"], &["k"]);
    assert_proved(&long("2*i + 6*k"), &mesh());
    let case = "N = 2, K = 2: points (1, 0) and (0, 0), q = 1".to_owned();
    assert_eq!(refutations(&long("i + 4*k"), &mesh()), [(Kind::LinkConflict, "y".to_owned(), case)]);
}
