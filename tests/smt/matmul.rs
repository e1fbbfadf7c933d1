//! Matmul: the designs of the literature are proved, their faulty twins refuted.

use crate::agreement::{assert_proved, refutations};
use crate::hand_built::designs::{at_boundary, cannon, design, hex, kung_leiserson, mesh};
use crate::hand_built::spaces::matmul;
use systole_base::network::Links;
use systole_program::obligation::Kind;

/// A refutation as text.
fn refuted(kind: Kind, of: &str, counterexample: &str) -> (Kind, String, String) {
    (kind, of.to_owned(), counterexample.to_owned())
}

#[test]
fn cannon_is_proved() {
    assert_proved(&cannon(&matmul()), &mesh());
}

#[test]
fn weight_stationary_is_proved() {
    let space = matmul();
    assert_proved(&design(&space, "i, k", "i + j + k", &["prefetch", "stream i"], &["k"]), &mesh());
}

#[test]
fn input_stationary_is_proved() {
    let space = matmul();
    assert_proved(&design(&space, "k, j", "i + j + k", &["stream j", "prefetch"], &["k"]), &mesh());
}

#[test]
fn a_stationary_stream_is_proved() {
    let space = matmul();
    assert_proved(&design(&space, "k, j", "i + j + k", &["stream j", "stream i"], &["k"]), &mesh());
}

#[test]
fn summa_is_proved() {
    let space = matmul();
    assert_proved(&design(&space, "i, j", "k", &["broadcast j", "broadcast i"], &["k"]), &mesh());
}

#[test]
fn pumma_is_proved() {
    let space = matmul();
    assert_proved(&design(&space, "i, j", "i + k", &["broadcast j", "stream i"], &["k"]), &mesh());
}

#[test]
fn kung_leiserson_is_proved() {
    assert_proved(&kung_leiserson(&matmul()), &hex());
}

#[test]
fn a_vector_time_is_proved() {
    let space = matmul();
    assert_proved(&design(&space, "i", "j, i + k", &["prefetch", "stream i"], &["k"]), &mesh());
}

#[test]
fn latency_two_is_proved_with_twice_the_time() {
    let space = matmul();
    let slow = design(&space, "i, j", "2*i + 2*j + k", &["stream j", "stream i"], &["k"]);
    assert_proved(&slow, &Links { latency: 2, ..mesh() });
}

#[test]
fn too_fast_is_refuted_where_the_stream_has_no_step() {
    let space = matmul();
    let too_fast = design(&space, "i, j", "i + k", &["stream j", "stream i"], &["k"]);
    let expected = refuted(Kind::Causality, "A", "M = 1, N = 2, K = 1: point (0, 1, 0)");
    assert_eq!(refutations(&too_fast, &mesh()), [expected]);
}

#[test]
fn cannon_is_refuted_on_links_of_latency_two() {
    let space = matmul();
    let expected = [
        refuted(Kind::Causality, "A", "M = 1, N = 2, K = 1: point (0, 1, 0)"),
        refuted(Kind::Causality, "B", "M = 2, N = 1, K = 1: point (1, 0, 0)"),
    ];
    assert_eq!(refutations(&cannon(&space), &Links { latency: 2, ..mesh() }), expected);
}

#[test]
fn two_points_of_one_pe_at_one_time_are_refuted() {
    let space = matmul();
    let expected = [
        refuted(Kind::Causality, "C", "M = 1, N = 1, K = 2: point (0, 0, 1)"),
        refuted(Kind::PeConflict, "matmul", "M = 1, N = 1, K = 2: points (0, 0, 0) and (0, 0, 1)"),
    ];
    let flat = design(&space, "i, j", "i + j", &["stream j", "stream i"], &["k"]);
    let found = refutations(&flat, &mesh());
    assert_eq!(found[..2], expected);
    assert!(found[2..].iter().all(|(kind, of, _)| *kind == Kind::LinkConflict && of != "C"), "{found:?}");
}

#[test]
fn a_row_with_plain_time_is_refuted() {
    let space = matmul();
    let row = design(&space, "i", "i + j + k", &["prefetch", "stream i"], &["k"]);
    let found = refutations(&row, &mesh());
    let expected = refuted(Kind::PeConflict, "matmul", "M = 1, N = 2, K = 2: points (0, 0, 1) and (0, 1, 0)");
    assert_eq!(found[0], expected);
}

#[test]
fn a_broadcast_with_skewed_time_is_refuted() {
    let space = matmul();
    let skewed = design(&space, "i, j", "j + k", &["broadcast j", "broadcast i"], &["k"]);
    let expected = refuted(Kind::Alignment, "A", "M = 1, N = 2, K = 1: point (0, 1, 0), m = 1");
    assert_eq!(refutations(&skewed, &mesh()), [expected]);
}

#[test]
fn two_lines_on_one_bus_are_refuted() {
    let space = matmul();
    let interleaved = design(&space, "i, j", "k", &["broadcast 2*j", "broadcast i"], &["k"]);
    let expected = refuted(Kind::LinkConflict, "A", "M = 1, N = 2, K = 1: points (0, 0, 0) and (0, 1, 0), m = 1");
    assert_eq!(refutations(&interleaved, &mesh()), [expected]);
}

#[test]
fn a_diagonal_takes_two_hops_of_a_mesh() {
    let space = matmul();
    let expected = refuted(Kind::Causality, "C", "M = 1, N = 1, K = 2: point (0, 0, 1)");
    assert_eq!(refutations(&kung_leiserson(&space), &mesh()), [expected]);
    let slower = design(&space, "i - k, j - k", "i + j + 2*k", &["stream j", "stream i"], &["k"]);
    assert_proved(&slower, &mesh());
}

#[test]
fn boundary_injection_is_proved_for_cannons_operands_and_refuted_for_its_results() {
    let space = matmul();
    let found = refutations(&at_boundary(cannon(&space)), &mesh());
    assert_eq!(found.len(), 1);
    let (kind, of, case) = &found[0];
    assert_eq!((*kind, of.as_str()), (Kind::EdgeInjection, "C"));
    assert!(case.starts_with("M = 3, N = 3, K = 1: points (1, 1, 0), "), "{case}");
}

#[test]
fn boundary_injection_is_refuted_for_kung_and_leiserson() {
    let space = matmul();
    let expected = [
        refuted(Kind::EdgeInjection, "A", "M = 2, N = 1, K = 2: points (0, 0, 0) and (1, 0, 1)"),
        refuted(Kind::EdgeInjection, "B", "M = 1, N = 2, K = 2: points (0, 0, 0) and (0, 1, 1)"),
        refuted(Kind::EdgeInjection, "C", "M = 2, N = 2, K = 1: points (1, 1, 0) and (0, 0, 0)"),
    ];
    assert_eq!(refutations(&at_boundary(kung_leiserson(&space)), &hex()), expected);
}

#[test]
fn a_prefetched_operand_cannot_enter_inside_the_array() {
    let space = matmul();
    let found =
        refutations(&at_boundary(design(&space, "i, k", "i + j + k", &["prefetch", "stream i"], &["k"])), &mesh());
    assert_eq!(found.len(), 1);
    assert_eq!((found[0].0, found[0].1.as_str()), (Kind::EdgeInjection, "A"));
    assert!(found[0].2.starts_with("M = 3, N = 1, K = 3: points (1, 0, 1), "), "{}", found[0].2);
}
