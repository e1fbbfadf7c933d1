//! Conditions on the unknown coefficients of steps, one step for each of several spaces.
//!
//! In: the spaces' indices, and dependences between their points over parametric domains. Out: finitely many linear
//! inequalities over the unknowns that hold exactly if the steps respect every dependence at every rational point, so at
//! every size. This is the affine form of Farkas' lemma in terms of corners: a form is non-negative on a polyhedron if and
//! only if it is so on its generators. Points that are not integers may make a row stricter than needed, so a step may be
//! lost; none is admitted that breaks a dependence. Parameters are 1 or more.
//! Feautrier, Some efficient solutions to the affine scheduling problem, part I, 1992; with corners in place of
//! multipliers: Quinton and Van Dongen, The mapping of linear recurrence equations on regular arrays, 1989.

use std::ops::Range;
use systole_base::integer::{Affine, Name, Parameters, Polyhedron, Vector, gcd, generators};

/// The unknowns and their order: for each space the coefficients of its indices, those of the parameters and the constant
/// of its step; then the coefficients of the parameters and the constant of the span.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unknowns {
    indices: Vec<Vec<Name>>,
    parameters: Parameters,
}

/// At every point `x` of `set` the reader's step is `least` or more after the writer's step at `at(x)`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Dependence {
    /// The number of the space that reads.
    pub reader: usize,
    /// The number of the space that is read.
    pub writer: usize,
    /// Where the dependence exists, over the reader's indices, the parameters and the quotients.
    pub set: Polyhedron,
    /// The writer's point, one form for each of its indices, over the same.
    pub at: Vec<Affine>,
    /// The quotients of the reader's indices that the writer's point is a form of.
    pub quotients: Vec<Name>,
    /// How many steps lie between the two at least.
    pub least: i64,
    /// How many steps lie between the two; takes the place of `least`.
    pub exact: Option<i64>,
    /// What the rows of this dependence are known by.
    pub label: usize,
}

/// The sum of `coefficients` times the unknowns is `least` or more.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Row {
    /// One for each unknown.
    pub coefficients: Vec<i64>,
    /// The right side.
    pub least: i64,
    /// Which condition the row belongs to.
    pub label: usize,
}

impl Unknowns {
    /// The unknowns for spaces with these indices that share `parameters`.
    pub fn new(indices: Vec<Vec<Name>>, parameters: Parameters) -> Unknowns {
        Unknowns { indices, parameters }
    }

    /// The sizes that all spaces share.
    pub fn parameters(&self) -> &Parameters {
        &self.parameters
    }

    /// How many unknowns there are.
    pub fn count(&self) -> usize {
        self.span().end
    }

    /// Where a space's step stands: indices, parameters, constant. Empty for a space that does not exist.
    pub fn step(&self, space: usize) -> Range<usize> {
        let length = |indices: &Vec<Name>| indices.len() + self.parameters.len() + 1;
        let start = self.indices.iter().take(space).map(length).sum();
        start..start + self.indices.get(space).map_or(0, length)
    }

    /// Where the span stands: parameters, constant.
    pub fn span(&self) -> Range<usize> {
        let start = self.step(self.indices.len()).start;
        start..start + self.parameters.len() + 1
    }

    /// A space's step with these values of the unknowns, over its indices and the parameters.
    pub fn step_form(&self, space: usize, values: &[i64]) -> Option<Affine> {
        let names = self.variables(space)?;
        let (constant, row) = values.get(self.step(space))?.split_last()?;
        Some(Affine::from_row(&names, row) + Affine::constant(*constant))
    }

    /// The rows of one dependence. `None` where a number does not fit, a form has an unknown name or `at` another
    /// length than the writer has indices.
    pub fn dependence_rows(&self, dependence: &Dependence) -> Option<Vec<Row>> {
        let own = self.variables(dependence.reader)?;
        let names: Vec<Name> = dependence.quotients.iter().chain(&own).cloned().collect();
        let images = self.images(dependence, &names)?;
        let mut rows = vec![];
        for point in self.points(&names, &dependence.set)? {
            let coefficients = self.gap(dependence, &images, &point)?;
            let least = dependence.exact.unwrap_or(dependence.least).checked_mul(*point.last()?)?;
            if dependence.exact.is_some() {
                let opposite = coefficients.iter().map(|entry| -entry).collect();
                rows.push(Row { coefficients: opposite, least: least.checked_neg()?, label: dependence.label });
            }
            rows.push(Row { coefficients, least, label: dependence.label });
        }
        reduced(rows)
    }

    /// The reader's step at a generator less the writer's, as coefficients of the unknowns.
    fn gap(&self, dependence: &Dependence, images: &[Vector], point: &[i64]) -> Option<Vector> {
        let read: Vector = images.iter().map(|image| product(image, point)).collect::<Option<_>>()?;
        let mut coefficients = vec![0; self.count()];
        // The quotients come first, and the step of the reader is not over them.
        let place = self.step(dependence.reader);
        let own = point.get(point.len().checked_sub(place.len())?..)?;
        add(&mut coefficients, place, own, 1)?;
        add(&mut coefficients, self.step(dependence.writer), &read, -1)?;
        Some(coefficients)
    }

    /// The rows that keep a space's step between 0 and the span at every point of `set`; `None` as for a dependence.
    pub fn span_rows(&self, space: usize, set: &Polyhedron, label: usize) -> Option<Vec<Row>> {
        let names = self.variables(space)?;
        let mut rows = vec![];
        for point in self.points(&names, set)? {
            let mut coefficients = vec![0; self.count()];
            add(&mut coefficients, self.step(space), &point, 1)?;
            let mut below: Vector = coefficients.iter().map(|entry| -entry).collect();
            add(&mut below, self.span(), point.get(self.indices[space].len()..)?, 1)?;
            rows.push(Row { coefficients, least: 0, label });
            rows.push(Row { coefficients: below, least: 0, label });
        }
        reduced(rows)
    }

    /// A space's indices, then the parameters.
    fn variables(&self, space: usize) -> Option<Vec<Name>> {
        Some(self.indices.get(space)?.iter().chain(&self.parameters).cloned().collect())
    }

    /// The generators of `set` at sizes of 1 or more.
    fn points(&self, names: &[Name], set: &Polyhedron) -> Option<Vec<Vector>> {
        generators(&set.intersect(&Polyhedron::sizes(&self.parameters)), names)
    }

    /// The writer's point as rows over the reader's variables and the scale: its indices, the parameters, the scale.
    fn images(&self, dependence: &Dependence, names: &[Name]) -> Option<Vec<Vector>> {
        let known = |form: &Affine| form.terms().all(|(name, _)| names.contains(name));
        let indices = self.indices.get(dependence.writer)?;
        if indices.len() != dependence.at.len() || !dependence.at.iter().all(known) {
            return None;
        }
        let row = |form: &Affine| form.row(names).into_iter().chain([form.constant_term()]).collect();
        let shared = (names.len() - self.parameters.len()..=names.len())
            .map(|kept| (0..=names.len()).map(|column| i64::from(column == kept)).collect());
        Some(dependence.at.iter().map(row).chain(shared).collect())
    }
}

/// Whether these values of the unknowns satisfy all rows; a number that does not fit counts as no.
pub fn holds(rows: &[Row], values: &[i64]) -> bool {
    let holds_one = |row: &Row| {
        let sum = product(&row.coefficients, values);
        row.coefficients.len() == values.len() && sum.is_some_and(|sum| sum >= row.least)
    };
    rows.iter().all(holds_one)
}

/// `a . b`, where it fits.
fn product(a: &[i64], b: &[i64]) -> Option<i64> {
    a.iter().zip(b).try_fold(0i64, |sum, (x, y)| sum.checked_add(x.checked_mul(*y)?))
}

/// Adds `sign` times `point` to the coefficients in `place`. The one number that has no opposite does not fit.
fn add(coefficients: &mut [i64], place: Range<usize>, point: &[i64], sign: i64) -> Option<()> {
    for (entry, value) in coefficients.get_mut(place)?.iter_mut().zip(point) {
        *entry = entry.checked_add(value.checked_mul(sign)?).filter(|sum| *sum != i64::MIN)?;
    }
    Some(())
}

/// Each row divided by the content of its left side and rounded up, as the unknowns are integers. Rows that say nothing
/// are left out; a row without unknowns that fails stays, as nothing satisfies it.
fn reduced(rows: Vec<Row>) -> Option<Vec<Row>> {
    let mut kept = vec![];
    for Row { coefficients, least, label } in rows {
        let content = coefficients.iter().fold(0, |divisor, entry| gcd(divisor, *entry));
        if content == 0 && least <= 0 {
            continue;
        }
        let divisor = content.max(1);
        let coefficients = coefficients.iter().map(|entry| entry / divisor).collect();
        let least = least.checked_neg()?.div_euclid(divisor).checked_neg()?;
        kept.push(Row { coefficients, least, label });
    }
    kept.sort();
    kept.dedup();
    Some(kept)
}
