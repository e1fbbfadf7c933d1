//! Dataflows as recurrences.

use crate::kernels;
use systole_base::integer::Vector;
use systole_base::scalar::Function;
use systole_compile::rewrite::{Dataflow, Transport, recurrences_of_space};
use systole_equations::recurrence::{Chain, Operator, Scalar, Space};

fn text(space: &Space, transports: Vec<Transport>, directions: &[&[i64]]) -> String {
    let chain = Chain::along(directions.iter().map(|d| Vector::from(*d)).collect());
    let lines = recurrences_of_space(space, &Dataflow { transports, chain });
    lines.iter().map(ToString::to_string).collect::<Vec<String>>().join("\n")
}

fn stream(along: &[i64]) -> Transport {
    Transport::Stream(along.to_vec())
}

#[test]
fn matmul_is_the_papers_figure() {
    let lines = text(&kernels::matmul(), vec![stream(&[0, 1, 0]), stream(&[1, 0, 0])], &[&[0, 0, 1]]);
    let expected = "\
(i,0,k)_A <- A[i,k]
(i,j,k)_A <- (i,j-1,k)_A
(0,j,k)_B <- B[k,j]
(i,j,k)_B <- (i-1,j,k)_B
(i,j,-1)_C <- 0
(i,j,k)_C <- (i,j,k-1)_C + (i,j,k)_A * (i,j,k)_B
C[i,j] <- (i,j,K-1)_C";
    assert_eq!(lines, expected);
}

#[test]
fn a_line_walked_backwards_starts_at_the_far_face() {
    let transports = vec![stream(&[0, -1, 0]), Transport::Feed];
    let lines = text(&kernels::matmul(), transports, &[&[0, 0, -1]]);
    let expected = "\
(i,J-1,k)_A <- A[i,k]
(i,j,k)_A <- (i,j+1,k)_A
(i,j,k)_B <- B[k,j]  through own port
(i,j,K)_C <- 0
(i,j,k)_C <- (i,j,k+1)_C + (i,j,k)_A * (i,j,k)_B
C[i,j] <- (i,j,0)_C";
    assert_eq!(lines, expected);
}

#[test]
fn a_diagonal_enters_through_two_faces() {
    let lines = text(&kernels::fir(), vec![stream(&[1, -1]), Transport::Prefetch], &[&[0, 1]]);
    let expected = "\
(0,k)_x <- x[k]
(i,K-1)_x <- x[K+i-1]
(i,k)_x <- (i-1,k+1)_x
(i,k)_w <- w[k]  from own memory
(i,-1)_y <- 0
(i,k)_y <- (i,k-1)_y + (i,k)_x * (i,k)_w
y[i] <- (i,K-1)_y";
    assert_eq!(lines, expected);
}

#[test]
fn a_thick_face_is_told_by_a_condition() {
    let lines = text(&kernels::wide_fir(), vec![stream(&[3, -2]), Transport::Broadcast(vec![1, 0])], &[&[0, 1]]);
    let expected = "\
(i,k)_x <- x[2*i+3*k]  where i < 3
(i,k)_x <- x[2*i+3*k]  where K - k - 1 < 2
(i,k)_x <- (i-3,k+2)_x
(i,k)_w <- w[k]  on a bus along <i>
(i,-1)_y <- 0
(i,k)_y <- (i,k-1)_y + (i,k)_x * (i,k)_w
y[i] <- (i,K-1)_y";
    assert_eq!(lines, expected);
}

#[test]
fn the_outer_level_works_on_the_ends_of_the_inner_lines() {
    let transports = vec![Transport::Prefetch; 3];
    let lines = text(&kernels::mttkrp(), transports, &[&[0, 0, 0, 1], &[0, 0, 1, 0]]);
    let expected = "\
(i,j,k,l)_X <- X[i,k,l]  from own memory
(i,j,k,l)_B <- B[k,j]  from own memory
(i,j,k,l)_D <- D[l,j]  from own memory
(i,j,k,-1)_A.1 <- 0
(i,j,k,l)_A.1 <- (i,j,k,l-1)_A.1 + (i,j,k,l)_X * (i,j,k,l)_B * (i,j,k,l)_D
(i,j,-1,L-1)_A <- 0
(i,j,k,L-1)_A <- (i,j,k-1,L-1)_A + (i,j,k,L-1)_A.1
A[i,j] <- (i,j,K-1,L-1)_A";
    assert_eq!(lines, expected);
}

#[test]
fn the_polynomial_product_ends_on_two_faces() {
    let lines = text(&kernels::polynomial(), vec![Transport::Feed, Transport::Feed], &[&[1, -1]]);
    let expected = "\
(i,j)_a <- a[i]  through own port
(i,j)_b <- b[j]  through own port
(-1,j+1)_c <- 0
(i-1,J)_c <- 0
(i,j)_c <- (i-1,j+1)_c + (i,j)_a * (i,j)_b
c[I+j-1] <- (I-1,j)_c
c[i] <- (i,0)_c";
    assert_eq!(lines, expected);
}

#[test]
fn reads_of_one_tensor_are_told_apart_and_scalars_are_known() {
    let lines = text(&kernels::syrk(), vec![Transport::Feed, Transport::Prefetch], &[&[0, 0, 1]]);
    assert!(lines.contains("(i,j,k)_A.1 <- A[i,k]") && lines.contains("(i,j,k)_A.2 <- A[j,k]"), "{lines}");
    let transports = vec![Transport::Prefetch, Transport::Feed, Transport::Feed];
    let lines = text(&kernels::scaled(), transports, &[&[0, 1]]);
    assert!(lines.contains("(i,k)_alpha <- alpha  known everywhere"), "{lines}");
}

#[test]
fn bodies_keep_the_parentheses_they_need() {
    let mut space = kernels::elementwise();
    let (a, b) = (Scalar::Operand(0), Scalar::Operand(1));
    let sum = Scalar::Apply(Function::Add, vec![a.clone(), b.clone()]);
    let less = Scalar::Apply(Function::Subtract, vec![a, sum.clone()]);
    space.body = Scalar::Apply(Function::Multiply, vec![less, Scalar::Apply(Function::SquareRoot, vec![sum])]);
    let lines = text(&space, vec![Transport::Feed, Transport::Feed], &[]);
    let body = "C[i,j] <- ((i,j)_A - ((i,j)_A + (i,j)_B)) * sqrt((i,j)_A + (i,j)_B)";
    assert!(lines.ends_with(body), "{lines}");
}

#[test]
fn a_maximum_is_written_as_a_function() {
    let mut space = kernels::matvec();
    space.reduction = Some(Operator::Max);
    let lines = text(&space, vec![Transport::Feed, Transport::Feed], &[&[0, 1]]);
    assert!(lines.contains("(i,-1)_y <- -inf"), "{lines}");
    assert!(lines.contains("(i,k)_y <- max((i,k-1)_y, (i,k)_A * (i,k)_x)"), "{lines}");
}
