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

/// As NumPy has it: without `->` each index that stands once is one of the output, in alphabetical order.
#[test]
fn an_output_that_is_left_out_is_what_stands_once() {
    assert_eq!(code("kj,ik"), code("kj,ik->ij"));
    assert_eq!(code("ba"), code("ba->ab"));
    assert_eq!(code("ii"), code("ii->"));
}

#[test]
fn an_index_may_be_a_word_or_an_upper_letter() {
    let wanted = "kernel einsum(BATCH, OUT, IN)\nin A[BATCH, IN], B[IN, OUT]\nout C[BATCH, OUT]\n\
                  C[batch, out_] = sum(in_) A[batch, in_] * B[in_, out_]";
    assert_eq!(code("batch in, in out -> batch out"), wanted);
    let wanted =
        "kernel einsum(NI, K_, NK)\nin A[NI, NK], B[NK, K_]\nout C[NI, K_]\nC[I, k] = sum(K) A[I, K] * B[K, k]";
    assert_eq!(code("IK,Kk->Ik"), wanted);
}

/// What is left out of a sum is no term; an element that is left out is 0.
#[test]
fn a_mask_is_what_conditions_say() {
    let wanted = "kernel einsum(I, J)\nin A[I, J], B[J]\nout C[I]\nC[i] = sum(j where j <= i, j != 2) A[i, j] * B[j]";
    assert_eq!(code("ij,j->i where j <= i, j != 2"), wanted);
    let wanted = "kernel einsum(Q, K, D)\nin A[Q, D], B[K, D]\nout C[Q, K]\n\
                  C[q, k] = sum(d where d < 2) A[q, d] * B[k, d] where k <= q\nC[q, k] = 0 elsewhere";
    assert_eq!(code("qd,kd->qk where k <= q, d < 2"), wanted);
    let unknown = load(&einsum("qd,kd->qk where z <= q").unwrap()).expect_err("there is no z");
    assert_eq!(unknown[0].message(), "unknown index or parameter `z`");
}

#[test]
fn accepted_strings_are_kernels_of_one_space() {
    for text in ["ik,kj->ij", "ab,bc->ac", "ij->", "ij->ji", "ii->i", "ikl,lj,kj->ij", "i,j->ij", "i,i->", "iK,Kj"] {
        let system = load(&einsum(text).unwrap()).unwrap_or_else(|errors| panic!("{text}: {}", errors[0]));
        assert!(one_space(&system).is_ok(), "{text}");
    }
}

#[test]
fn wrong_strings_are_refused_in_words() {
    let message = |text: &str| einsum(text).expect_err(text)[0].message().to_owned();
    assert_eq!(message("ik,kj->iz"), "index `z` of the output is in no operand");
    assert_eq!(message("ik,kj->ii"), "index `i` occurs twice in the output");
    assert_eq!(message("ik,,kj->ij"), "an operand of an einsum has no indices");
    assert_eq!(message("i2,kj->ij"), "`2` cannot be an index of an einsum");
    assert_eq!(message("...i,i->..."), "`.` cannot be an index of an einsum");
    assert_eq!(message("batch t-1, batch->batch"), "`t-1` cannot be an index of an einsum");
    assert_eq!(message("->"), "an operand of an einsum has no indices");
}
