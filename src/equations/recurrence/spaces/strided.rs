//! Tensors that are written by strides and read again: `Z[2*i] = ..`, `Z[2*i + 1] = ..`, and `Z[j]` somewhere.
//!
//! In: a valid system. Out: one of the same meaning, in which such a subscript is in strips: the tensor `Z_strips` has the
//! number of the strip and the position in it in place of the subscript, so `Z[2*i + 1]` is `Z_strips[i, 1]`, and which
//! equation an element comes from is a question of affine forms. An equation that defines elements of several positions, as
//! `Z[i] = ..` does, is one for each: `i` is `2*i`, `2*i + 1`. So is one of an output that nobody reads. Any other read of
//! elements of several positions is of the tensor itself, which is then put together from its strips by one equation more.

use super::solve;
use crate::recurrence::division::{Division, MOST_PARTS};
use crate::recurrence::{Domain, Equation, Expr, RecurrenceSystem, Role, Strip, Tensor, scattered_indices};
use std::collections::BTreeMap;
use systole_base::integer::{Affine, Name, Polyhedron, lcm, unused};

/// The system with what is written by strides and read again in strips; as it is where that cannot be done.
pub(super) fn in_strips(system: &RecurrenceSystem) -> RecurrenceSystem {
    let computed = system.tensors.iter().filter(|tensor| tensor.role != Role::Input && system.reads(&tensor.name));
    let strided: Vec<Strided> = computed.filter_map(|tensor| Strided::of(system, tensor)).collect();
    if strided.is_empty() {
        return system.clone();
    }
    divide(system, &strided).unwrap_or_else(|| system.clone())
}

/// A tensor with subscripts in strips.
struct Strided<'a> {
    tensor: &'a Tensor,
    /// The tensor that has the numbers and the positions of strips.
    halves: Name,
    /// How long the strips are along each subscript; 1 where it is whole.
    lengths: Vec<i64>,
}

impl Strided<'_> {
    /// A tensor of which some equation cannot be solved for its indices but by division.
    fn of<'a>(system: &RecurrenceSystem, tensor: &'a Tensor) -> Option<Strided<'a>> {
        let equations = || system.equations.iter().filter(|equation| equation.target == tensor.name);
        if equations().any(|equation| !scattered_indices(equation).is_empty()) || equations().all(is_solved) {
            return None;
        }
        let stride = |equation: &Equation, axis: usize| match indexed(&equation.subscripts[axis], equation).content() {
            0 => 1,
            content => content,
        };
        let length = |axis| {
            equations().try_fold(1, |length: i64, equation| {
                lcm(length, stride(equation, axis)).filter(|length| *length <= MOST_PARTS)
            })
        };
        let lengths: Vec<i64> = (0..tensor.shape.len()).map(length).collect::<Option<_>>()?;
        let taken = system.tensors.iter().map(|other| &other.name).chain(&system.parameters);
        let halves = unused(&format!("{}_strips", tensor.name), taken);
        lengths.iter().any(|length| *length > 1).then_some(Strided { tensor, halves, lengths })
    }

    /// Number and position in place of each subscript in strips; `None` where a position is not the same everywhere.
    fn element(&self, subscripts: &[Affine]) -> Option<Vec<Affine>> {
        let halves: Option<Vec<Vec<Affine>>> =
            subscripts.iter().zip(&self.lengths).map(|(form, length)| halves(form, *length)).collect();
        Some(halves?.concat())
    }

    /// The tensor of the halves. A number of strips that is no form of the sizes is taken to be larger.
    fn declared(&self) -> Tensor {
        let extents = |(extent, length): (&Affine, &i64)| match *length {
            1 => vec![extent.clone()],
            length => {
                let last = halves(&(extent.clone() - Affine::constant(1)), length).map(|halves| halves[0].clone());
                let strips = last.map_or_else(|| extent.clone(), |last| last + Affine::constant(1));
                vec![strips, Affine::constant(length)]
            }
        };
        let shape = self.tensor.shape.iter().zip(&self.lengths).flat_map(extents).collect();
        Tensor { name: self.halves.clone(), role: Role::Local, shape, ..self.tensor.clone() }
    }

    /// The tensor itself, put together.
    fn whole(&self, system: &RecurrenceSystem) -> Equation {
        let (mut indices, mut set, mut subscripts) = (vec![], Polyhedron::default(), vec![]);
        for (axis, (extent, length)) in self.tensor.shape.iter().zip(&self.lengths).enumerate() {
            let strip = Strip { index: unused(&format!("x{axis}"), &system.parameters), size: *length };
            let whole = Affine::variable(&strip.index);
            set.add(whole.clone());
            set.add(extent.clone() - whole.clone() - Affine::constant(1));
            match *length {
                1 => indices.push(strip.index),
                _ => {
                    indices.extend([strip.number(), strip.position()]);
                    set = Strip::divide(std::slice::from_ref(&strip), &set);
                    subscripts.push(strip.value());
                    continue;
                }
            }
            subscripts.push(whole);
        }
        let read = indices.iter().map(Affine::variable).collect();
        let span = self.tensor.span;
        Equation {
            target: self.tensor.name.clone(),
            subscripts,
            domain: Domain { indices, set },
            value: Expr::Read { tensor: self.halves.clone(), subscripts: read, span },
            span,
        }
    }
}

/// Whether an element says at which point it is defined, without a division.
fn is_solved(equation: &Equation) -> bool {
    solve(&equation.subscripts, &equation.domain.indices, &equation.subscripts).is_some()
}

/// The part of a form that names indices of an equation.
fn indexed(form: &Affine, equation: &Equation) -> Affine {
    let indices = &equation.domain.indices;
    Affine::from_row(indices, &form.row(indices))
}

/// A form as number and position; itself where strips have one element. `None` where the position hangs on a name.
fn halves(form: &Affine, length: i64) -> Option<Vec<Affine>> {
    if length == 1 {
        return Some(vec![form.clone()]);
    }
    let constant = form.constant_term();
    let mut number = Affine::constant(constant.div_euclid(length));
    for (name, factor) in form.terms() {
        if factor % length != 0 {
            return None;
        }
        number.add_term(name, factor / length);
    }
    Some(vec![number, Affine::constant(constant.rem_euclid(length))])
}

/// An equation as one for each remainder that its indices have, so that a form of them has the same remainder at all points of
/// each part. `None` where that takes a division of sizes.
pub(super) fn in_residues(equation: &Equation, form: &Affine, by: i64) -> Option<Vec<Equation>> {
    let mut division = Division::default();
    division.settle(form, by, &equation.domain.indices)?;
    Some(division.images()?.iter().map(|image| equation.at(image)).collect())
}

/// The equations in strips; `None` where an element that is written has no position for all sizes.
fn divide(system: &RecurrenceSystem, strided: &[Strided]) -> Option<RecurrenceSystem> {
    let sizes = Polyhedron::sizes(&system.parameters);
    let mut equations = vec![];
    for equation in &system.equations {
        let parts = division(system, strided, equation)?.images()?;
        let parts = parts.iter().map(|image| part(strided, equation, image)).collect::<Option<Vec<_>>>()?;
        equations.extend(parts.into_iter().filter(|part| !part.domain.set.intersect(&sizes).is_empty()));
    }
    let mut tensors = system.tensors.clone();
    tensors.extend(strided.iter().map(Strided::declared));
    let mut divided = RecurrenceSystem { tensors, equations, ..system.clone() };
    for Strided { tensor, .. } in strided {
        if tensor.role == Role::Local && !divided.reads(&tensor.name) {
            divided.tensors.retain(|other| other.name != tensor.name);
        }
    }
    let is_left = |tensor: &&Strided| divided.tensors.iter().any(|other| other.name == tensor.tensor.name);
    let wholes: Vec<Equation> = strided.iter().filter(is_left).map(|tensor| tensor.whole(system)).collect();
    divided.equations.extend(wholes);
    Some(divided)
}

/// How an equation is divided: for what it writes, and if nobody reads that, for what it reads.
fn division(system: &RecurrenceSystem, strided: &[Strided], equation: &Equation) -> Option<Division> {
    let mut division = Division::default();
    let of = |tensor: &Name| strided.iter().find(|strided| strided.tensor.name == *tensor);
    if let Some(target) = of(&equation.target) {
        for (form, length) in equation.subscripts.iter().zip(&target.lengths) {
            division.settle(form, *length, &equation.domain.indices)?;
        }
        return Some(division);
    }
    if system.reads(&equation.target) || !scattered_indices(equation).is_empty() {
        return Some(division);
    }
    let mut is_settled = true;
    let mut see = |tensor: &Name, subscripts: &[Affine], _: &Polyhedron| {
        let Some(read) = of(tensor) else { return };
        let known = |form: &Affine| {
            let names = equation.domain.indices.iter().chain(&system.parameters).collect::<Vec<_>>();
            form.terms().all(|(name, factor)| names.contains(&name) || factor == 0)
        };
        let mut forms = subscripts.iter().zip(&read.lengths);
        is_settled &= forms
            .all(|(form, length)| known(form) && division.settle(form, *length, &equation.domain.indices).is_some());
    };
    equation.value.visit_reads(&equation.domain.set, &mut see);
    Some(if is_settled { division } else { Division::default() })
}

/// One part of an equation, with its indices over those of the part.
fn part(strided: &[Strided], equation: &Equation, image: &BTreeMap<Name, Affine>) -> Option<Equation> {
    let of = |tensor: &Name| strided.iter().find(|strided| strided.tensor.name == *tensor);
    let equation = equation.at(image);
    let (target, subscripts) = match of(&equation.target) {
        Some(strided) => (strided.halves.clone(), strided.element(&equation.subscripts)?),
        None => (equation.target, equation.subscripts),
    };
    let element = |tensor: &Name, subscripts: &[Affine]| {
        let strided = of(tensor)?;
        Some((strided.halves.clone(), strided.element(subscripts)?))
    };
    Some(Equation { target, subscripts, value: equation.value.redirect(&element), ..equation })
}
