//! Einsum strings as kernels, and those that are refused.

use systole_equations::recurrence::{load, one_space};
use systole_equations::syntax::einsum;

fn code(text: &str) -> String {
    let source = einsum(text).expect("the string is accepted");
    source.text.lines().skip(1).collect::<Vec<_>>().join("\n")
}

#[test]
fn a_matrix_product() {
    let wanted = "kernel einsum(I, J, K)\nin A[I, K], B[K, J]\nout C[I, J]\nC[i, j] = sum(k) A[i, k] * B[k, j]";
    assert_eq!(code("ik,kj->ij"), wanted);
    assert_eq!(code(" ik , kj -> ij "), wanted);
}

#[test]
fn a_size_never_shares_its_name_with_a_tensor() {
    let wanted =
        "kernel einsum(NA, NC, NB)\nin A[NA, NB], B[NB, NC]\nout C[NA, NC]\nC[a, c] = sum(b) A[a, b] * B[b, c]";
    assert_eq!(code("ab,bc->ac"), wanted);
}

#[test]
fn accepted_strings_are_kernels_of_one_space() {
    for text in ["ik,kj->ij", "ab,bc->ac", "ij->", "ij->ji", "ii->i", "ikl,lj,kj->ij", "i,j->ij", "i,i->"] {
        let system = load(&einsum(text).unwrap()).unwrap_or_else(|errors| panic!("{text}: {}", errors[0]));
        assert!(one_space(&system).is_ok(), "{text}");
    }
}

#[test]
fn wrong_strings_are_refused_in_words() {
    let message = |text: &str| einsum(text).expect_err(text)[0].message().to_owned();
    assert_eq!(message("ik,kj"), "an einsum needs an output");
    assert_eq!(message("ik,kj->iz"), "index `z` of the output is in no operand");
    assert_eq!(message("ik,kj->ii"), "index `i` occurs twice in the output");
    assert_eq!(message("ik,,kj->ij"), "an operand of an einsum has no indices");
    assert_eq!(message("iK,kj->ij"), "`K` cannot be an index of an einsum");
    assert_eq!(message("->"), "an operand of an einsum has no indices");
}
