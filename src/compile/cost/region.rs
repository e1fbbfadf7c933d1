//! Exact counts of integer points at given sizes: of a set, and of its overlap with a shifted copy.

use std::collections::HashSet;
use systole_base::integer::{Bindings, Name, Polyhedron, Vector};

/// A set of points at given sizes. Boxes are counted by their sides, other sets by scanning.
#[derive(Clone, Debug)]
pub enum Region {
    /// First and last value of every index.
    Box(Vec<(i64, i64)>),
    /// The points themselves.
    Points(Vec<Vector>),
}

impl Region {
    /// The points of `set` over `indices`; `None` where it is unbounded or a size is missing.
    pub fn new(set: &Polyhedron, indices: &[Name], sizes: &Bindings) -> Option<Region> {
        match box_sides(set, indices, sizes) {
            Some(sides) => Some(Region::Box(sides)),
            None => Some(Region::Points(set.points(indices, sizes)?)),
        }
    }

    /// How many points; the largest number there is where they are more.
    pub fn count(&self) -> u64 {
        match self {
            Region::Box(sides) => sides.iter().map(length).fold(1, u64::saturating_mul),
            Region::Points(points) => points.len() as u64,
        }
    }

    /// The points `x` of the region for which `x - shift` lies in it too: where the edges along `shift` end.
    pub fn reached(&self, shift: &[i64]) -> Region {
        match self {
            Region::Box(sides) => {
                let overlap = |((low, high), by): (&(i64, i64), &i64)| (low + by.max(&0), high + by.min(&0));
                Region::Box(sides.iter().zip(shift).map(overlap).collect())
            }
            Region::Points(points) => {
                let known: HashSet<&Vector> = points.iter().collect();
                let before = |point: &Vector| point.iter().zip(shift).map(|(x, s)| x - s).collect::<Vector>();
                Region::Points(points.iter().filter(|point| known.contains(&before(point))).cloned().collect())
            }
        }
    }

    /// The points of the longest line along `direction`.
    pub fn longest_line(&self, direction: &[i64]) -> u64 {
        match self {
            Region::Box(_) if self.count() == 0 => 0,
            Region::Box(sides) => {
                let steps = |(side, step): (&(i64, i64), &i64)| (length(side) - 1) / step.unsigned_abs();
                let moving = sides.iter().zip(direction).filter(|(_, step)| **step != 0);
                1 + moving.map(steps).min().unwrap_or(0)
            }
            Region::Points(points) => longest_line(points, direction),
        }
    }

    /// Visits every point in lexicographic order.
    pub fn visit(&self, see: &mut dyn FnMut(&[i64])) {
        match self {
            Region::Points(points) => points.iter().for_each(|point| see(point)),
            Region::Box(sides) if self.count() > 0 => visit_box(sides, see),
            Region::Box(_) => {}
        }
    }

    /// The least and the greatest value of a linear form, `None` for an empty region.
    pub fn range(&self, row: &[i64]) -> Option<(i64, i64)> {
        match self {
            Region::Box(_) if self.count() == 0 => None,
            Region::Box(sides) => {
                let ends =
                    sides.iter().zip(row).map(|((low, high), c)| ((c * low).min(c * high), (c * low).max(c * high)));
                Some(ends.fold((0, 0), |sum, end| (sum.0 + end.0, sum.1 + end.1)))
            }
            Region::Points(points) => {
                let values = points.iter().map(|point| systole_base::integer::dot(row, point));
                Some((values.clone().min()?, values.max()?))
            }
        }
    }
}

fn length((low, high): &(i64, i64)) -> u64 {
    u64::try_from(high - low + 1).unwrap_or(0)
}

/// The sides at these sizes, where every constraint is on a single index with coefficient 1 or -1.
fn box_sides(set: &Polyhedron, indices: &[Name], sizes: &Bindings) -> Option<Vec<(i64, i64)>> {
    let on = |form: &systole_base::integer::Affine| indices.iter().filter(|index| form.coefficient(index) != 0).count();
    if set.constraints().iter().any(|form| on(form) != 1) {
        return None;
    }
    let side = |index: &Name| {
        let (lower, upper) = set.bounds(index);
        let low = lower.iter().map(|bound| bound.lower_value(sizes)).try_fold(None, |best, value| {
            Some(Some(best.map_or(value?, |best: i64| best.max(value.unwrap_or(best)))))
        })??;
        let high = upper.iter().map(|bound| bound.upper_value(sizes)).try_fold(None, |best, value| {
            Some(Some(best.map_or(value?, |best: i64| best.min(value.unwrap_or(best)))))
        })??;
        Some((low, high))
    };
    indices.iter().map(side).collect()
}

fn visit_box(sides: &[(i64, i64)], see: &mut dyn FnMut(&[i64])) {
    let mut point: Vector = sides.iter().map(|(low, _)| *low).collect();
    loop {
        see(&point);
        let Some(index) = (0..sides.len()).rev().find(|index| point[*index] < sides[*index].1) else { return };
        point[index] += 1;
        (index + 1..sides.len()).for_each(|later| point[later] = sides[later].0);
    }
}

fn longest_line(points: &[Vector], direction: &[i64]) -> u64 {
    let known: HashSet<&Vector> = points.iter().collect();
    let next = |point: &Vector, sign: i64| point.iter().zip(direction).map(|(x, d)| x + sign * d).collect::<Vector>();
    let heads = points.iter().filter(|point| !known.contains(&next(point, -1)));
    let line = |head: &Vector| {
        std::iter::successors(Some(head.clone()), |point| Some(next(point, 1)).filter(|p| known.contains(p))).count()
    };
    heads.map(|head| line(head) as u64).max().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn as_points(region: &Region) -> Region {
        let mut points = vec![];
        region.visit(&mut |point| points.push(point.to_vec()));
        Region::Points(points)
    }

    proptest! {
        #[test]
        fn closed_counts_are_those_of_enumeration(
            sides in proptest::collection::vec((0i64..3, 0i64..4), 3),
            rows in proptest::collection::vec(proptest::collection::vec(-2i64..3, 3), 0..3),
            shift in proptest::collection::vec(-2i64..3, 3),
        ) {
            let region = Region::Box(sides.iter().map(|(low, more)| (*low, low + more)).collect());
            let points = as_points(&region);
            prop_assert_eq!(region.count(), points.count());
            prop_assert_eq!(region.reached(&shift).count(), points.reached(&shift).count());
            rows.iter().for_each(|row| assert_eq!(region.range(row), points.range(row)));
            if shift.iter().any(|entry| *entry != 0) {
                prop_assert_eq!(region.longest_line(&shift), points.longest_line(&shift));
            }
        }
    }
}
