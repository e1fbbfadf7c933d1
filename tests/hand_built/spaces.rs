//! Iteration spaces of known kernels.

use super::forms::{forms, names};
use systole_base::integer::{Affine, Name, Polyhedron, name};
use systole_base::span::{Source, Span};
use systole_equations::recurrence::{Domain, Operand, Operator, Scalar, Space};

/// `C[i, j]` as a tensor and its subscripts.
fn access(text: &str) -> (Name, Vec<Affine>) {
    let (tensor, subscripts) = text.trim_end_matches(']').split_once('[').unwrap();
    (name(tensor), forms(subscripts))
}

/// A space from text: parameters, indices, what is at least 0, the output, the operands, the reduced indices.
pub fn space(kernel: &str, parameters: &str, indices: &str, bounds: &str, output: &str, operands: &[&str]) -> Space {
    let (tensor, output_access) = access(output);
    let indices = names(indices);
    let free = |index: &Name| output_access.iter().any(|form| form.as_variable() == Some(index));
    let reduced: Vec<Name> = indices.iter().filter(|index| !free(index)).cloned().collect();
    let operand = |text: &&str| {
        let (tensor, access) = access(text);
        Operand { tensor, access, span: Span::default() }
    };
    Space {
        kernel: name(kernel),
        name: name(kernel),
        parameters: names(parameters).into(),
        domain: Domain { indices, set: Polyhedron::new(forms(bounds)) },
        output: tensor,
        operands: operands.iter().map(operand).collect(),
        body: Scalar::Operand(0),
        reduction: (!reduced.is_empty()).then_some(Operator::Sum),
        reduced,
        output_access,
        strips: vec![],
        shapes: vec![],
        assumed: vec![],
        span: Span::default(),
        source: Source::new(format!("{kernel}.rec"), format!("schedule {kernel}\ntime somewhen\n")),
    }
}

/// `C[i, j] = sum(k) A[i, k] * B[k, j]`.
pub fn matmul() -> Space {
    let bounds = "i, M - i - 1, j, N - j - 1, k, K - k - 1";
    space("matmul", "M N K", "i j k", bounds, "C[i, j]", &["A[i, k]", "B[k, j]"])
}

/// `y[i] = sum(k) w[k] * x[i + k]`.
pub fn fir() -> Space {
    space("fir", "N K", "i k", "i, N - i - 1, k, K - k - 1", "y[i]", &["w[k]", "x[i + k]"])
}

/// `c[i + j] = sum a[i] * b[j]`, reduced along the fibres of `i + j`.
pub fn polynomial() -> Space {
    space("polynomial", "M N", "i j", "i, M - i - 1, j, N - j - 1", "c[i + j]", &["a[i]", "b[j]"])
}

/// `y[i] = sum(j) A[i, j] * x[j]`.
pub fn matvec() -> Space {
    space("matvec", "M N", "i j", "i, M - i - 1, j, N - j - 1", "y[i]", &["A[i, j]", "x[j]"])
}

/// `D[i, j] = sum(k, l) B[i, k, l] * C[k, j] * E[l, j]`.
pub fn mttkrp() -> Space {
    let bounds = "i, I - i - 1, j, J - j - 1, k, K - k - 1, l, L - l - 1";
    space("mttkrp", "I J K L", "i j k l", bounds, "D[i, j]", &["B[i, k, l]", "C[k, j]", "E[l, j]"])
}

/// `y[i] = sum(j < i) L[i, j] * x[j]`: a triangle.
pub fn triangle() -> Space {
    space("triangle", "N", "i j", "N - i - 1, i - j - 1, j", "y[i]", &["L[i, j]", "x[j]"])
}
