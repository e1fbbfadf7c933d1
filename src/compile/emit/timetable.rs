//! The clock at which a point runs, as program text: 0 at the first operation of the whole array, at all sizes.

use super::grid::ranged;
use super::scan::Scan;
use super::work::since;
use crate::mapping::SpaceTimeMap;
use crate::mapping::clock::{Clock, sides};
use crate::mapping::ends::{Ranged, least_value};
use systole_base::integer::{Affine, Polyhedron, lexicographic_sign};
use systole_equations::recurrence::Space;
use systole_program::array::IndexExpr;

/// The clock over coordinates, loop indices and parameters; `None` where the map has no closed clock.
pub fn timetable(space: &Space, map: &SpaceTimeMap, scan: &Scan) -> Option<IndexExpr> {
    match map.step.rows() {
        [row] if sides(space).is_none() => Some(slanted(space, row, scan)),
        _ => boxed(space, map, scan),
    }
}

/// On a box every index starts at the end where its part of the clock is least, so the first operation is at a corner.
fn boxed(space: &Space, map: &SpaceTimeMap, scan: &Scan) -> Option<IndexExpr> {
    let clock = Clock::new(space, map)?;
    let sides = sides(space)?;
    let starts: Vec<Affine> = (0..space.dimension()).map(|index| start(map, index, &sides[index])).collect();
    let mut terms = vec![];
    for (row, factors) in map.step.rows().iter().zip(&clock.factors) {
        let moved = space.indices().iter().zip(&starts).map(|(index, start)| Affine::variable(index) - start.clone());
        let form = moved.zip(row).fold(Affine::default(), |sum, (steps, entry)| sum + steps * *entry);
        terms.push(weighted(factors, scan.expression(&scan.image(&form))));
    }
    terms.retain(|term| *term != IndexExpr::Constant(0));
    // A space of one point has no index that its time could depend on.
    let steps = match terms.len() {
        0 => IndexExpr::Constant(0),
        1 => terms.remove(0),
        _ => IndexExpr::Sum(terms),
    };
    let turned = (0..space.dimension()).filter(|index| is_open(map, *index));
    let before = turned.map(|index| before_start(map, &clock, index, &sides[index])).collect::<Vec<_>>();
    Some(before.into_iter().fold(steps, |steps, early| IndexExpr::Difference(Box::new(steps), Box::new(early))))
}

/// Whether the sizes decide at which end of an index its part of the clock is least.
fn is_open(map: &SpaceTimeMap, index: usize) -> bool {
    let column = map.step.column(index);
    column.iter().any(|entry| *entry > 0) && column.iter().any(|entry| *entry < 0)
}

fn start(map: &SpaceTimeMap, index: usize, (low, high): &(Affine, Affine)) -> Affine {
    let forwards = is_open(map, index) || lexicographic_sign(&map.step.column(index)) >= 0;
    if forwards { low.clone() } else { high.clone() }
}

/// What an open index adds to the clock from its low end to where that is least: nothing, or less.
fn before_start(map: &SpaceTimeMap, clock: &Clock, index: usize, (low, high): &(Affine, Affine)) -> IndexExpr {
    let column = map.step.column(index);
    let parts = clock.factors.iter().zip(column).filter(|(_, entry)| *entry != 0);
    let slope = parts.map(|(factors, entry)| weighted(factors, IndexExpr::Constant(entry))).collect();
    let length = IndexExpr::affine(&(high.clone() - low.clone()));
    IndexExpr::Min(vec![IndexExpr::Constant(0), IndexExpr::Product(vec![IndexExpr::Sum(slope), length])])
}

fn weighted(factors: &[Affine], steps: IndexExpr) -> IndexExpr {
    if factors.is_empty() {
        return steps;
    }
    IndexExpr::Product(factors.iter().map(IndexExpr::affine).chain([steps]).collect())
}

/// On any other domain the first operation is at the least value that the constraints leave for the step.
fn slanted(space: &Space, row: &[i64], scan: &Scan) -> IndexExpr {
    let step = Affine::from_row(space.indices(), row);
    since(scan.expression(&scan.image(&step)), &first_time(&[(space, step)]))
}

/// The least of all times of several spaces, given for each over its indices and the parameters: of those that have points at
/// the sizes of the run.
pub fn first_time(spaces: &[(&Space, Affine)]) -> IndexExpr {
    let known = spaces.first().map_or(Polyhedron::default(), |(space, _)| Polyhedron::sizes(&space.parameters));
    let all: Vec<Ranged> = spaces.iter().map(|(space, time)| ranged(space, time)).collect();
    least_value(&all, &known)
}
