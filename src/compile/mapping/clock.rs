//! From steps to clock ticks: the weights that turn vector time into one number.
//!
//! A map with several step rows runs the points of a PE row by row. The clock of a point is the sum over the step rows of
//! `weight * row(x)`; the last weight is 1, and each other weight is long enough for everything the later rows do on one
//! PE. The innermost rows are whole numbers of paces long, so a PE keeps its pace from row to row, and channels need no
//! more slots at the turn of a row than within one. Weights are products of affine forms in the parameters, so the clock
//! is known for every size.
//!
//! A PE that runs two or more dimensions needs a vector, or coefficients that are sizes, which would leave linear
//! arithmetic. Proofs work on the vector, so they stay linear; the simulator and the cost need the clock. If rows would
//! have unequal lengths there is no closed weight: a search over all maps leaves the map out (`unclocked`), and a schedule
//! that asks for it has rounds ([`Rounds`](super::Rounds)). A row may be as short as one
//! step, so what goes on to a later row has to come no earlier in it than it left (`short`). No obligation speaks of
//! either, so `prove` has no design of such a schedule. What has no clock, a run on threads and `no-deadlock`, knows
//! the order of vectors alone, which is that of the loops.

use super::SpaceTimeMap;
use systole_base::integer::{Affine, Bindings, Matrix, Name, Vector, dot};
use systole_equations::recurrence::Space;

/// The clock of a map: for each step row the factors of its weight.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Clock {
    /// Factors, affine in the parameters and at least 1 for all sizes; none for the last row.
    pub factors: Vec<Vec<Affine>>,
}

impl Clock {
    /// The clock of `map` on `space`, `None` where rows would differ in length in a way that has no closed weight.
    pub fn new(space: &Space, map: &SpaceTimeMap) -> Option<Clock> {
        let levels = map.step.rows().len();
        if levels <= 1 {
            return Some(Clock { factors: vec![vec![]; levels] });
        }
        Clock::on_box(&extents(space)?, map, &row_basis(map).filter(|basis| basis.len() == levels)?)
    }

    /// The clock of a map with several step rows on a box of these extents, whose [`row_basis`] has as many vectors.
    pub fn on_box(longest: &[Affine], map: &SpaceTimeMap, basis: &[Vector]) -> Option<Clock> {
        let levels = map.step.rows().len();
        let inner = &basis[levels - 1];
        for outer in &basis[..levels - 1] {
            let overlap = outer.iter().zip(inner).any(|(a, b)| *a != 0 && *b != 0);
            if overlap || dot(&map.step.rows()[levels - 1], outer) != 0 {
                return None;
            }
        }
        let pace = dot(&map.step.rows()[levels - 1], inner);
        let along = inner.iter().position(|entry| *entry != 0)?;
        let row_length = longest[along].clone() * pace;
        let mut factors = vec![vec![]];
        for level in (0..levels - 1).rev() {
            let factor = match level + 1 == levels - 1 {
                true => row_length.clone(),
                false => values(&map.step.rows()[level + 1], longest),
            };
            let mut weight: Vec<Affine> = vec![factor];
            weight.extend(factors[0].iter().cloned());
            factors.insert(0, weight);
        }
        Some(Clock { factors })
    }

    /// The ticks of an innermost row, where there are outer ones.
    pub fn row_length(&self) -> Option<&Affine> {
        self.factors.iter().rev().nth(1)?.first()
    }

    /// Whether at all sizes an innermost row is over on all PEs of a line before the next one begins on any of them. Else these PEs are in
    /// different rows at one time, so what is there once for all of them, such as a bus, may be asked for by two rows at once.
    /// The answer may be no where it is yes, at places whose PEs hold slanted lines.
    pub fn keeps_rows_apart(&self, map: &SpaceTimeMap, extents: &[Affine], displacement: &[i64]) -> bool {
        let (Some(length), Some(row)) = (self.row_length(), map.step.rows().last()) else { return true };
        let across = map.place.rows().iter().zip(displacement).filter(|(_, along)| **along == 0);
        let across = Matrix::new(across.map(|(row, _)| row.clone()).collect(), map.place.columns());
        let spans = spans_on(&across.null_lattice(), row, extents);
        spans.iter().any(|span| is_never_negative(&(length.clone() - span.clone())))
    }

    /// The weight of each step row at these sizes; `None` where a size is missing or a weight does not fit.
    pub fn weights(&self, sizes: &Bindings) -> Option<Vector> {
        let product = |factors: &Vec<Affine>| {
            factors.iter().try_fold(1i64, |product, factor| product.checked_mul(factor.evaluate(sizes)?))
        };
        self.factors.iter().map(product).collect()
    }

    /// The clock as one row at these sizes.
    pub fn row(&self, map: &SpaceTimeMap, sizes: &Bindings) -> Option<Vector> {
        let weights = self.weights(sizes)?;
        let column = |index: usize| weights.iter().zip(map.step.rows()).map(|(w, row)| w * row[index]).sum();
        Some((0..map.step.columns()).map(column).collect())
    }
}

/// How many values a row may have at most where points differ by sums of these vectors only, each entry a way to count them: along a vector
/// there are no more points than along any index that it moves. Over a whole box where vectors move an index together.
fn spans_on(vectors: &[Vector], row: &[i64], extents: &[Affine]) -> Vec<Affine> {
    let moves = |vector: &&Vector, index: usize| vector[index] != 0;
    if (0..row.len()).any(|index| vectors.iter().filter(|vector| moves(vector, index)).count() > 1) {
        return vec![values(row, extents)];
    }
    let mut spans = vec![Affine::constant(1)];
    for vector in vectors.iter().filter(|vector| dot(vector, row) != 0) {
        let along = (0..row.len()).filter(|index| vector[*index] != 0);
        let steps: Vec<Affine> =
            along.map(|index| (extents[index].clone() - Affine::constant(1)) * dot(vector, row).abs()).collect();
        spans = spans.iter().flat_map(|span| steps.iter().map(|steps| span.clone() + steps.clone())).collect();
    }
    spans
}

/// Whether a form is 0 or more where every parameter is at least 1, as its coefficients tell.
fn is_never_negative(form: &Affine) -> bool {
    let least: i64 = form.constant_term() + form.terms().map(|(_, times)| times).sum::<i64>();
    least >= 0 && form.terms().all(|(_, times)| times >= 0)
}

/// How many values a row may have over a box of these extents.
fn values(row: &[i64], extents: &[Affine]) -> Affine {
    let steps = row.iter().zip(extents).map(|(entry, extent)| (extent.clone() - Affine::constant(1)) * entry.abs());
    steps.fold(Affine::constant(1), |sum, steps| sum + steps)
}

/// The basis of the points that share a PE whose times are an echelon with positive pivots: loops over it, in
/// its order, run the points in the order of their times. `None` where two points of a PE would share a time.
pub fn row_basis(map: &SpaceTimeMap) -> Option<Vec<Vector>> {
    let kernel = map.place.null_lattice();
    let independent = kernel.len() + map.rank() == map.place.columns();
    if independent { row_basis_of(&kernel, &map.step) } else { None }
}

/// [`row_basis`] for a place whose null lattice is known.
pub fn row_basis_of(kernel: &[Vector], step: &Matrix) -> Option<Vec<Vector>> {
    if step.rows().len() < kernel.len() {
        return None;
    }
    let columns =
        Matrix::new((0..step.columns()).map(|row| kernel.iter().map(|v| v[row]).collect()).collect(), kernel.len());
    let (triangular, change) = step.multiply(&columns).hermite();
    // Each column has a pivot of its own, which is positive, below those of the columns before it.
    let are_apart = (0..kernel.len()).all(|index| triangular.column(index).iter().any(|entry| *entry != 0));
    let basis = columns.multiply(&change);
    are_apart.then(|| (0..kernel.len()).map(|index| basis.column(index)).collect())
}

/// The extent of every index, where the domain is a box.
pub fn extents(space: &Space) -> Option<Vec<Affine>> {
    let sides = sides(space)?;
    Some(sides.into_iter().map(|(first, last)| last - first + Affine::constant(1)).collect())
}

/// The first and last value of every index, where the domain is a box over the parameters.
pub fn sides(space: &Space) -> Option<Vec<(Affine, Affine)>> {
    let set = &space.domain.set;
    let plain = |form: &Affine| space.indices().iter().filter(|index| form.coefficient(index) != 0).count() <= 1;
    if !set.constraints().iter().all(plain) {
        return None;
    }
    let side = |index: &Name| {
        let (lower, upper) = set.bounds(index);
        let [low] = &lower[..] else { return None };
        let [high] = &upper[..] else { return None };
        (low.coefficient == 1 && high.coefficient == 1).then(|| (low.form.clone(), high.form.clone()))
    };
    space.indices().iter().map(side).collect()
}
