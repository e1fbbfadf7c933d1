//! Spaces that run one after the other on each PE that they share.
//!
//! In: the conditions on the steps of a placement, and two spaces. Out: the same with a row for each generator of the pairs of
//! points, one of each space, that share a PE: the second runs after the first.

use crate::extract::solve::steps::{Conditions, Law};
use crate::mapping::{Design, Row};
use std::collections::BTreeMap;
use systole_base::integer::{Affine, Name, Polyhedron, generators, name};
use systole_equations::recurrence::Space;

impl Conditions {
    /// On every PE the points of one space run before those of another; false where that has no finite rows.
    pub fn keep_in_turn(&mut self, design: &Design, first: usize, second: usize) -> bool {
        let rows = self.rows_in_turn(design, first, second);
        let label = self.laws.len();
        let found = rows.is_some();
        self.rows.extend(rows.into_iter().flatten().map(|row| Row { label, ..row }));
        self.laws.push(Law::Apart(first, second));
        found
    }

    /// One row for each generator of the pairs of points that share a PE.
    fn rows_in_turn(&self, design: &Design, first: usize, second: usize) -> Option<Vec<Row>> {
        let spaces = &design.system.spaces;
        let (here, there) = (spaces[first].indices(), marked(&spaces[second]));
        let names = here.iter().chain(&there).chain(&design.system.parameters).cloned();
        let points = generators(&pairs_on_one_pe(design, first, second), &names.collect::<Vec<Name>>())?;
        Some(points.iter().map(|point| self.row_in_turn(point, first, second)).collect())
    }

    /// The second space's step less the first's, at a generator: coordinates of both points, sizes, scale.
    fn row_in_turn(&self, point: &[i64], first: usize, second: usize) -> Row {
        let sizes = self.unknowns.parameters().len() + 1;
        let (one, other) = (self.unknowns.step(first), self.unknowns.step(second));
        let (x, rest) = point.split_at(one.len() - sizes);
        let (y, shared) = rest.split_at(other.len() - sizes);
        let mut coefficients = vec![0; self.unknowns.count()];
        one.zip(x.iter().chain(shared)).for_each(|(position, value)| coefficients[position] -= value);
        other.zip(y.iter().chain(shared)).for_each(|(position, value)| coefficients[position] += value);
        Row { coefficients, least: *shared.last().unwrap_or(&1), label: 0 }
    }
}

/// The indices of a second point.
fn marked(space: &Space) -> Vec<Name> {
    space.indices().iter().map(|index| name(&format!("{index}'"))).collect()
}

/// The pairs of a point of the first space and a marked one of the second that share a PE and a round, at any sizes.
fn pairs_on_one_pe(design: &Design, first: usize, second: usize) -> Polyhedron {
    let spaces = &design.system.spaces;
    let other = marked(&spaces[second]).into_iter().map(|index| Affine::variable(&index));
    let image: BTreeMap<Name, Affine> = spaces[second].indices().iter().cloned().zip(other).collect();
    let shared = |space: usize| {
        let (mut shared, point) = (design.place(space, &design.point(space)), design.point(space));
        shared.extend(design.time(space, &point).into_iter().take(design.rounds()));
        shared
    };
    let (here, there) = (shared(first), shared(second));
    let meets = here.into_iter().zip(there).flat_map(|(here, there)| {
        let apart = here - there.substitute(&image);
        [apart.clone(), -apart]
    });
    let both = spaces[first].domain.set.intersect(&spaces[second].domain.set.substitute(&image));
    let all = both.constraints().iter().cloned().chain(meets);
    let sizes = Polyhedron::sizes(&design.system.parameters);
    Polyhedron::new(all.chain(sizes.constraints().to_vec()))
}
