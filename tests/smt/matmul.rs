//! Matmul: the designs of the literature are proved, their faulty twins refuted.

use crate::agreement::{assert_proved, refutations};
use crate::hand_built::designs::{cannon, design, mesh};
use crate::hand_built::spaces::matmul;
use systole::timing::Kind;

#[test]
fn cannon_is_proved() {
    assert_proved(&cannon(&matmul()), &mesh());
}

#[test]
fn too_fast_is_refuted_where_the_stream_has_no_step() {
    let space = matmul();
    let too_fast = design(&space, "i, j", "i + k", &["stream j", "stream i"], &["k"]);
    let expected = (Kind::Causality, "A".to_owned(), "M = 1, N = 2, K = 1: point (0, 1, 0)".to_owned());
    assert_eq!(refutations(&too_fast, &mesh()), [expected]);
}
