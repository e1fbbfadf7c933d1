//! Forms on a set that equations fix in part.
//!
//! In: a set, and a form over its indices and the sizes. Out: the same form at all points of the set, with as few indices as the
//! equations allow.

use std::collections::BTreeMap;
use systole_base::integer::{Affine, Name, Polyhedron};

/// What the equations of a set fix: variables, each with its value, in the order in which they are put in.
#[derive(Clone, Debug, Default)]
pub struct Fixed(Vec<BTreeMap<Name, Affine>>);

impl Fixed {
    /// Takes the equations of `set` apart: as many of `indices` are fixed as there can be, then sizes.
    pub fn on(set: &Polyhedron, indices: &[Name]) -> Fixed {
        let mut fixed = vec![];
        let mut equations: Vec<Affine> = set.equations().cloned().collect();
        while let Some((equation, variable)) = pivot(&equations, indices) {
            let value = Affine::variable(&variable) - equation.clone() * equation.coefficient(&variable);
            let image = [(variable, value)].into_iter().collect();
            let left = equations.iter().map(|form| form.substitute(&image));
            equations = left.filter(|form| !form.is_constant()).collect();
            fixed.push(image);
        }
        Fixed(fixed)
    }

    /// The form with what is fixed put in. That is linear: of a sum it is the sum.
    pub fn reduced(&self, form: &Affine) -> Affine {
        self.0.iter().fold(form.clone(), |form, image| match form.mentions(image.keys()) {
            true => form.substitute(image),
            false => form,
        })
    }

    /// The value of a form that is the same at all points of the set and for all sizes.
    pub fn constant(&self, form: &Affine) -> Option<i64> {
        let reduced = self.reduced(form);
        reduced.is_constant().then(|| reduced.constant_term())
    }
}

/// [`Fixed::constant`] of one form.
pub fn constant_on(set: &Polyhedron, indices: &[Name], form: &Affine) -> Option<i64> {
    Fixed::on(set, indices).constant(form)
}

/// An equation with an index of coefficient 1 or -1, and that index; where none is left, the same with a size.
fn pivot(equations: &[Affine], indices: &[Name]) -> Option<(Affine, Name)> {
    let unit = |equation: &Affine, name: &Name| equation.coefficient(name).abs() == 1;
    let of_index = equations.iter().find_map(|equation| {
        let index = indices.iter().rev().find(|index| unit(equation, index))?;
        Some((equation.clone(), index.clone()))
    });
    of_index.or_else(|| {
        equations.iter().filter(|equation| !equation.mentions(indices)).find_map(|equation| {
            let size = equation.terms().map(|(name, _)| name.clone()).find(|name| unit(equation, name))?;
            Some((equation.clone(), size))
        })
    })
}
