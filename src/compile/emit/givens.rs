//! Elements of outputs that are known without an operation: filled in before the run, without time.
//!
//! In: the equations that read nothing. Out: loops over their points, each of which fills one element. They stand in the text of
//! one PE, as a program has no other place for them, and are no work of it: they take no cycle and pass no port.

use super::body::applied;
use crate::mapping::ends::{lower_expression, upper_expression};
use systole_base::integer::{Affine, Name, Polyhedron};
use systole_equations::recurrence::spaces::{ClosedValues, SpaceSystem};
use systole_equations::recurrence::{Role, Scalar};
use systole_program::array::{Comparison, Condition, IndexExpr, Instruction, ScalarExpr};

/// All known elements of outputs.
pub fn fill_known(system: &SpaceSystem) -> Vec<Instruction> {
    let is_output =
        |name: &Name| system.tensors.iter().any(|tensor| tensor.name == *name && tensor.role == Role::Output);
    let sizes = Polyhedron::sizes(&system.parameters);
    let known = system.known.iter().filter(|known| is_output(&known.tensor));
    known.flat_map(|known| fill_all(known, &sizes)).collect()
}

/// The elements of one equation: a loop for each index.
fn fill_all(known: &ClosedValues, sizes: &Polyhedron) -> Vec<Instruction> {
    let subscripts = known.subscripts.iter().map(IndexExpr::affine).collect();
    let mut body = vec![Instruction::Fill(known.tensor.clone(), subscripts, closed(&known.value))];
    let mut set = known.domain.set.intersect(sizes);
    if set.is_empty() {
        return vec![];
    }
    let mut open = set.clone();
    for (depth, index) in known.domain.indices.iter().enumerate().rev() {
        let outside = set.eliminate(index);
        // A bound is left out where it follows from what is around: loops, and around the outermost one conditions alone.
        let fixed = set.constraints().iter().filter(|form| !form.mentions([index])).cloned();
        open = Polyhedron::new(fixed);
        let (lower, upper) = set.bounds(index);
        let around = if depth == 0 { &open } else { &outside };
        let (first, last) = (lower_expression(&lower, around), upper_expression(&upper, around));
        body = vec![Instruction::Loop { index: index.clone(), first, last, body }];
        set = outside;
    }
    let open = open.constraints().iter().filter(|form| !sizes.implies(form));
    let test = |form: &Affine| Condition {
        comparison: Comparison::AtLeast,
        left: IndexExpr::affine(form),
        right: IndexExpr::Constant(0),
    };
    let conditions: Vec<Condition> = open.map(test).collect();
    if conditions.is_empty() { body } else { vec![Instruction::If { conditions, then: body, otherwise: vec![] }] }
}

/// A closed form as program text.
fn closed(scalar: &Scalar) -> ScalarExpr {
    match scalar {
        Scalar::Number(value) => ScalarExpr::Number(*value),
        Scalar::Index(form) => ScalarExpr::Index(IndexExpr::affine(form)),
        // A closed form reads nothing.
        Scalar::Operand(_) => ScalarExpr::Number(f64::NAN),
        Scalar::Apply(function, arguments) => applied(*function, arguments.iter().map(closed).collect()),
    }
}
