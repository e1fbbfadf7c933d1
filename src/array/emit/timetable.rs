//! The clock at which a point runs, as program text: 0 at the first operation of the whole array.

use super::known::lower_expression;
use super::scan::Scan;
use crate::array::IndexExpr;
use crate::integer::{Affine, Polyhedron, lexicographic_sign, name};
use crate::mapping::SpaceTimeMap;
use crate::mapping::clock::{Clock, sides};
use crate::recurrence::Space;
use std::collections::BTreeMap;

/// The clock over coordinates, loop indices and parameters; `None` where the map has no closed clock.
pub fn timetable(space: &Space, map: &SpaceTimeMap, scan: &Scan) -> Option<IndexExpr> {
    match map.step.rows() {
        [row] if sides(space).is_none() => Some(slanted(space, row, scan)),
        _ => boxed(space, map, scan),
    }
}

/// On a box every index starts at the end where its step is least, so the first operation is at a corner.
fn boxed(space: &Space, map: &SpaceTimeMap, scan: &Scan) -> Option<IndexExpr> {
    let clock = Clock::new(space, map)?;
    let sides = sides(space)?;
    let mut terms = vec![];
    for (row, factors) in map.step.rows().iter().zip(&clock.factors) {
        let mut form = Affine::default();
        for (position, index) in space.indices().iter().enumerate() {
            let (low, high) = &sides[position];
            let start = if lexicographic_sign(&map.step.column(position)) >= 0 { low } else { high };
            form = form + (Affine::variable(index) - start.clone()) * row[position];
        }
        let steps = scan.expression(&scan.image(&form));
        terms.push(weighted(factors, steps));
    }
    terms.retain(|term| *term != IndexExpr::Constant(0));
    Some(if terms.len() == 1 { terms.remove(0) } else { IndexExpr::Sum(terms) })
}

fn weighted(factors: &[Affine], steps: IndexExpr) -> IndexExpr {
    if factors.is_empty() {
        return steps;
    }
    IndexExpr::Product(factors.iter().map(IndexExpr::affine).chain([steps]).collect())
}

/// On any other domain the first operation is at the least value that the constraints leave for the step.
fn slanted(space: &Space, row: &[i64], scan: &Scan) -> IndexExpr {
    let marker = name("the clock");
    let step = Affine::from_row(space.indices(), row);
    let value = step.clone() - Affine::variable(&marker);
    let parameters = space.parameters.iter().map(|p| Affine::variable(p) - Affine::constant(1));
    let sizes = Polyhedron::new(parameters);
    let mut set = space.domain.set.intersect(&sizes);
    set.add(value.clone());
    set.add(-value);
    let shadow = set.eliminate_all(space.indices().iter().rev());
    let (lower, _) = shadow.substitute(&BTreeMap::new()).bounds(&marker);
    let first = lower_expression(&lower, &sizes);
    let steps = scan.expression(&scan.image(&step));
    match first {
        IndexExpr::Constant(0) => steps,
        first => IndexExpr::Difference(Box::new(steps), Box::new(first)),
    }
}
