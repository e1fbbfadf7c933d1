//! Spaces written by hand.

pub use crate::forms::form;
use std::sync::Arc;
use systole_base::integer::{Affine, Name, Polyhedron, name};
use systole_base::scalar::Function;
use systole_base::span::{Source, Span};
use systole_equations::recurrence::{Domain, Operand, Operator, Scalar, Space};

fn access(subscripts: &[&str]) -> Vec<Affine> {
    subscripts.iter().map(|text| form(text)).collect()
}

fn names(texts: &[&str]) -> Vec<Name> {
    texts.iter().map(|text| name(text)).collect()
}

/// A product of all operands over a box, `0 <= i < I` and so on, summed over `reduced`.
pub fn product(
    kernel: &str,
    indices: &[&str],
    output: (&str, &[&str]),
    operands: &[(&str, &[&str])],
    reduced: &[&str],
) -> Space {
    let sides = indices.iter().flat_map(|index| {
        let upper = format!("{}-1-{index}", index.to_uppercase());
        [form(index), form(&upper)]
    });
    let source = Source::new(format!("{kernel}.rec"), format!("kernel {kernel}\n"));
    let factors = (0..operands.len()).map(Scalar::Operand);
    Space {
        kernel: name(kernel),
        name: name(kernel),
        parameters: indices.iter().map(|index| name(&index.to_uppercase())).collect(),
        domain: Domain { indices: names(indices), set: Polyhedron::new(sides) },
        output: name(output.0),
        output_access: access(output.1),
        operands: operands
            .iter()
            .map(|(tensor, subscripts)| Operand {
                tensor: name(tensor),
                access: access(subscripts),
                span: Span { start: 0, end: 6 },
            })
            .collect(),
        body: factors.reduce(|a, b| Scalar::Apply(Function::Multiply, vec![a, b])).unwrap(),
        reduction: (!reduced.is_empty()).then_some(Operator::Sum),
        reduced: names(reduced),
        strips: vec![],
        shapes: vec![],
        assumed: vec![],
        span: Span { start: 0, end: 6 },
        source: Arc::clone(&source),
    }
}

pub fn matmul() -> Space {
    product("matmul", &["i", "j", "k"], ("C", &["i", "j"]), &[("A", &["i", "k"]), ("B", &["k", "j"])], &["k"])
}

pub fn matvec() -> Space {
    product("matvec", &["i", "k"], ("y", &["i"]), &[("A", &["i", "k"]), ("x", &["k"])], &["k"])
}

pub fn fir() -> Space {
    product("fir", &["i", "k"], ("y", &["i"]), &[("x", &["i+k"]), ("w", &["k"])], &["k"])
}

pub fn wide_fir() -> Space {
    product("wide", &["i", "k"], ("y", &["i"]), &[("x", &["2*i+3*k"]), ("w", &["k"])], &["k"])
}

pub fn polynomial() -> Space {
    product("poly", &["i", "j"], ("c", &["i+j"]), &[("a", &["i"]), ("b", &["j"])], &["i", "j"])
}

pub fn mttkrp() -> Space {
    let operands: &[(&str, &[&str])] = &[("X", &["i", "k", "l"]), ("B", &["k", "j"]), ("D", &["l", "j"])];
    product("mttkrp", &["i", "j", "k", "l"], ("A", &["i", "j"]), operands, &["k", "l"])
}

pub fn ttm() -> Space {
    let operands: &[(&str, &[&str])] = &[("X", &["i", "j", "l"]), ("U", &["l", "k"])];
    product("ttm", &["i", "j", "k", "l"], ("Y", &["i", "j", "k"]), operands, &["l"])
}

pub fn elementwise() -> Space {
    product("elementwise", &["i", "j"], ("C", &["i", "j"]), &[("A", &["i", "j"]), ("B", &["i", "j"])], &[])
}

pub fn outer() -> Space {
    product("outer", &["i", "j"], ("C", &["i", "j"]), &[("a", &["i"]), ("b", &["j"])], &[])
}

/// `y[i] = sum(k) alpha * A[i,k] * x[k]`.
pub fn scaled() -> Space {
    let operands: &[(&str, &[&str])] = &[("alpha", &[]), ("A", &["i", "k"]), ("x", &["k"])];
    product("scaled", &["i", "k"], ("y", &["i"]), operands, &["k"])
}

pub fn convolution() -> Space {
    let operands: &[(&str, &[&str])] = &[("x", &["i+p", "j+q"]), ("w", &["p", "q"])];
    product("conv2d", &["i", "j", "p", "q"], ("y", &["i", "j"]), operands, &["p", "q"])
}

/// `C[i,j] = sum(k) A[i,k] * A[j,k]`.
pub fn syrk() -> Space {
    product("syrk", &["i", "j", "k"], ("C", &["i", "j"]), &[("A", &["i", "k"]), ("A", &["j", "k"])], &["k"])
}
