//! The values of a frame's indices, for looking at each.
//!
//! In: a frame at sizes. Out: [`Ranges`]. An index has its own range whatever the term is that it stands in; where that range depends on
//! other indices, it is asked for at a point. Invariant: no range depends on itself through others, since the user's scopes are nested.

use super::texts::AffineRow;
use crate::rewrite::registry::Frame;
use std::collections::BTreeSet;
use std::ops::RangeInclusive;
use systole_base::integer::{Bindings, Name};

/// For each index the forms that are at least 0 within its range.
#[derive(Clone, Debug)]
pub(in crate::check) struct Ranges(Vec<Vec<AffineRow>>);

impl Ranges {
    /// The ranges of all indices of a frame; `None` where one has no end.
    pub fn of(frame: &Frame, indices: &[Name], sizes: &Bindings) -> Option<Ranges> {
        let sides = |place: usize| -> Option<Vec<AffineRow>> {
            let constraints = frame.index(&indices[place])?.range.constraints().iter();
            let forms: Vec<AffineRow> = constraints.map(|form| AffineRow::of(form, indices, sizes)).collect();
            let has_side = |sign: i64| forms.iter().any(|form| form.row[place].signum() == sign);
            (has_side(1) && has_side(-1)).then_some(forms)
        };
        (0..indices.len()).map(sides).collect::<Option<Vec<_>>>().map(Ranges)
    }

    /// The values that an index takes where the others are as `point` has them.
    pub fn values(&self, index: usize, point: &[i64]) -> RangeInclusive<i64> {
        let (mut least, mut greatest) = (i64::MIN, i64::MAX);
        for form in &self.0[index] {
            let slope = form.row[index];
            let rest = form.at(point) - slope * point[index];
            match slope {
                // Not a side of this index.
                0 => {}
                1.. => least = least.max(-rest.div_euclid(slope)),
                _ => greatest = greatest.min(rest.div_euclid(-slope)),
            }
        }
        least..=greatest
    }

    /// How many values an index takes, for all values of those that its range depends on together.
    pub fn width(&self, index: usize) -> i64 {
        let most = self.points(&BTreeSet::from([index])).len();
        i64::try_from(most).unwrap_or(i64::MAX)
    }

    /// The other indices on which the range of `index` depends.
    pub fn depends(&self, index: usize) -> BTreeSet<usize> {
        let places = 0..self.0.len();
        let occurs = |place: &usize| *place != index && self.0[index].iter().any(|form| form.row[*place] != 0);
        places.filter(occurs).collect()
    }

    /// All values of these indices, and of those that their ranges depend on; the others are 0.
    pub fn points(&self, indices: &BTreeSet<usize>) -> Vec<Vec<i64>> {
        let mut points = vec![vec![0; self.0.len()]];
        for index in self.outermost_first(indices) {
            let along = |point: &Vec<i64>| self.line(index, point);
            points = points.iter().flat_map(along).collect();
        }
        points
    }

    /// The points that differ from `point` in this index only.
    pub fn line(&self, index: usize, point: &[i64]) -> Vec<Vec<i64>> {
        let at = |value: i64| {
            let mut other = point.to_vec();
            other[index] = value;
            other
        };
        self.values(index, point).map(at).collect()
    }

    /// The indices with those that they depend on, none before one that it depends on.
    fn outermost_first(&self, indices: &BTreeSet<usize>) -> Vec<usize> {
        let (mut order, mut met) = (vec![], BTreeSet::new());
        for index in indices {
            self.place(*index, &mut order, &mut met);
        }
        order
    }

    fn place(&self, index: usize, order: &mut Vec<usize>, met: &mut BTreeSet<usize>) {
        if !met.insert(index) {
            return;
        }
        for outer in self.depends(index) {
            self.place(outer, order, met);
        }
        order.push(index);
    }
}
