//! The tiles of one tensor, divided so that the same is to be done in all tiles of a cell.
//!
//! A cell is a convex set of tile coordinates. In all its tiles the same equations have points, the same tiles are read, and
//! a read lies in the own tile or never does. In: the forms that decide this, asked for cell by cell. Out: the cells.

use std::collections::BTreeMap;
use systole_base::integer::{Affine, Name, Polyhedron};

/// Divides `whole` until `ask` has no form left that is at least 0 at some tiles of a cell and less at others.
pub(super) fn divide(whole: Polyhedron, ask: &impl Fn(&Polyhedron) -> Vec<Affine>) -> Vec<Polyhedron> {
    let (mut open, mut cells) = (vec![whole], vec![]);
    while let Some(cell) = open.pop() {
        match ask(&cell).into_iter().find(|form| is_undecided(&cell, form)) {
            None => cells.push(cell),
            Some(form) => {
                let halves = [form.clone(), -form - Affine::constant(1)];
                let parts = halves.into_iter().map(|half| cell.intersect(&Polyhedron::new([half])));
                open.extend(parts.filter(|part| !part.is_empty()));
            }
        }
    }
    cells
}

fn is_undecided(cell: &Polyhedron, form: &Affine) -> bool {
    !cell.implies(form) && !cell.implies(&(-form.clone() - Affine::constant(1)))
}

/// Whether a form is zero in the whole cell.
pub(super) fn is_zero(cell: &Polyhedron, form: &Affine) -> bool {
    cell.implies(form) && cell.implies(&-form.clone())
}

/// The coordinates that a cell leaves free, and every coordinate over these.
pub(super) fn free_coordinates(
    cell: &Polyhedron,
    coordinates: &[Name],
    sizes: &Polyhedron,
) -> (Vec<Name>, BTreeMap<Name, Affine>) {
    let known = cell.with_equations(sizes);
    let mut image: BTreeMap<Name, Affine> = BTreeMap::new();
    for coordinate in coordinates.iter().rev() {
        let forms = known.equations().map(|form| form.substitute(&image));
        let fixing = forms.filter(|form| form.coefficient(coordinate).abs() == 1);
        let value = fixing.map(|form| {
            let sign = form.coefficient(coordinate);
            (form - Affine::term(coordinate, sign)) * -sign
        });
        if let Some(value) = value.min_by_key(|value| value.terms().count()) {
            let step = BTreeMap::from([(coordinate.clone(), value.clone())]);
            image.values_mut().for_each(|form| *form = form.substitute(&step));
            image.insert(coordinate.clone(), value);
        }
    }
    let free = coordinates.iter().filter(|name| !image.contains_key(*name)).cloned().collect();
    for coordinate in coordinates {
        image.entry(coordinate.clone()).or_insert_with(|| Affine::variable(coordinate));
    }
    (free, image)
}
