//! The iteration space of a system with one equation: what the mapper works on.
//!
//! In: an [`Equation`](super::Equation) whose right-hand side is nested reductions (possibly none) around a pointwise
//! expression. Out: a [`Space`]. Points are vectors over [`Space::indices`]: first the free indices of the equation,
//! then the reduction indices from the outermost to the innermost. Paper: Cyclotron sections 4.1 and 4.2.

use super::{Assumption, Domain, Operator, Strip};
use std::collections::BTreeMap;
use std::sync::Arc;
use systole_base::integer::{Affine, Bindings, Matrix, Name, Parameters, Vector};
use systole_base::scalar::Function;
use systole_base::span::{Source, Span};

/// One iteration space: a pointwise body, reduced along chains into one output.
#[derive(Clone, Debug)]
pub struct Space {
    /// The kernel's name.
    pub kernel: Name,
    /// Its own name: the kernel's where there is one space only, else that of the tensor, as in `X` and `X.sum`.
    pub name: Name,
    /// The parameters, each at least 1.
    pub parameters: Parameters,
    /// The points: indices and constraints over indices and parameters.
    pub domain: Domain,
    /// The tensor written.
    pub output: Name,
    /// The subscripts it is written at, affine over the indices.
    pub output_access: Vec<Affine>,
    /// What the body reads; one entry for each access, so that an element used twice at a point comes in once.
    pub operands: Vec<Operand>,
    /// The value at a point.
    pub body: Scalar,
    /// How values are reduced; `None` where every point writes its own element.
    pub reduction: Option<Operator>,
    /// The reduction indices, outermost first. For an output such as `c[i+j]` these are all the indices that the
    /// reduction binds, and the reduction runs over the fibres of the output access.
    pub reduced: Vec<Name>,
    /// The indices that are in strips: in place of each stand its halves.
    pub strips: Vec<Strip>,
    /// Extents of every tensor that is read or written, affine in the parameters.
    pub shapes: Vec<(Name, Vec<Affine>)>,
    /// What those of them that are inputs are assumed to be, where anything is.
    pub assumed: Vec<(Name, Assumption)>,
    /// The equation in the source.
    pub span: Span,
    /// The text.
    pub source: Arc<Source>,
}

/// One read of a tensor in the body.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Operand {
    /// The tensor.
    pub tensor: Name,
    /// Its subscripts, affine over the indices.
    pub access: Vec<Affine>,
    /// The read in the source.
    pub span: Span,
}

/// A pointwise expression over the operands of a space.
#[derive(Clone, Debug, PartialEq)]
pub enum Scalar {
    /// A literal.
    Number(f64),
    /// The value of an affine form of indices and parameters.
    Index(Affine),
    /// The operand with this position in [`Space::operands`].
    Operand(usize),
    /// A function of its arguments.
    Apply(Function, Vec<Scalar>),
}

impl Scalar {
    /// Each index that `image` knows is replaced by its image.
    pub fn substitute(&self, image: &BTreeMap<Name, Affine>) -> Scalar {
        match self {
            Scalar::Number(_) | Scalar::Operand(_) => self.clone(),
            Scalar::Index(form) => Scalar::Index(form.substitute(image)),
            Scalar::Apply(function, arguments) => {
                Scalar::Apply(*function, arguments.iter().map(|argument| argument.substitute(image)).collect())
            }
        }
    }

    /// The value, given the operands and the bindings of indices and parameters.
    pub fn evaluate(&self, operands: &[f64], bindings: &Bindings) -> f64 {
        match self {
            Scalar::Number(value) => *value,
            Scalar::Index(form) => form.evaluate(bindings).map_or(f64::NAN, |value| value as f64),
            Scalar::Operand(position) => operands.get(*position).copied().unwrap_or(f64::NAN),
            Scalar::Apply(function, arguments) => {
                let values: Vec<f64> = arguments.iter().map(|argument| argument.evaluate(operands, bindings)).collect();
                function.apply(&values)
            }
        }
    }
}

/// The order in which a reduction is carried out: one direction a level, innermost first.
///
/// A level with direction `d` adds up, along each maximal line `x, x+d, x+2d, ..` of its set, from the first point on;
/// the next level works on the ends of those lines. `sum(k, l)` as written is `[<l>, <k>]`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Chain {
    /// Directions over [`Space::indices`], innermost level first; together they span the fibre of an output element.
    pub directions: Vec<Vector>,
    /// Whether partial results that stay on their PE may wait in its scratchpad, where a register is too small for them.
    pub is_kept: bool,
}

impl Chain {
    /// The order along these directions, innermost level first, with partial results in registers and on links.
    pub fn along(directions: Vec<Vector>) -> Chain {
        Chain { directions, is_kept: false }
    }

    /// The order in which the reduction of `space` is written: the innermost index first, each from its first value on. Numbers of
    /// strips run from the last on, since how many strips there are has no closed form.
    pub fn as_written(space: &Space) -> Chain {
        let scattered = space.output_access.iter().any(|form| form.mentions(&space.reduced));
        if scattered {
            let rows = space.output_access.iter().map(|form| form.row(space.indices())).collect();
            return Chain::along(Matrix::new(rows, space.dimension()).null_lattice());
        }
        let sign = |index: &Name| if Strip::is_number(index) { -1 } else { 1 };
        let unit = |reduced: &Name| {
            space.indices().iter().map(|index| if index == reduced { sign(index) } else { 0 }).collect()
        };
        Chain::along(space.reduced.iter().rev().map(unit).collect())
    }
}

impl Space {
    /// The indices, outermost first.
    pub fn indices(&self) -> &[Name] {
        &self.domain.indices
    }

    /// The dimension of the space.
    pub fn dimension(&self) -> usize {
        self.domain.indices.len()
    }

    /// The sizes and a point as bindings.
    pub fn bind(&self, sizes: &Bindings, point: &[i64]) -> Bindings {
        let mut bindings = sizes.clone();
        bindings.extend(self.indices().iter().cloned().zip(point.iter().copied()));
        bindings
    }

    /// A direction as text without blanks, such as `<j>`, `<i-k>` or `<i_mod_16>`.
    pub fn show_direction(&self, direction: &[i64]) -> String {
        let words = Affine::from_row(self.indices(), direction).to_string();
        format!("<{}>", words.replace(" mod ", "_mod_").replace(" div ", "_div_").replace(' ', ""))
    }
}
