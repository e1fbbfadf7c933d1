//! Where the elements of a slanted tensor lie: each subscript is moved by multiples of others and by a constant.
//!
//! `U[t, i]` lies at `(t, i + 2*t + 1)`: factor 2 of `t` for `i`, shift 1. No subscript is moved by itself, not even through
//! others, so every place has one element at most, and the subscripts come back without a division.

use systole_base::integer::Affine;

/// Where the element of some subscripts lies.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Slant {
    /// One row a dimension.
    pub rows: Vec<SlantRow>,
}

/// How one subscript is moved.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SlantRow {
    /// By how many times each subscript; not by itself.
    pub factors: Vec<i64>,
    /// By how much more.
    pub shift: i64,
}

impl Slant {
    /// Whether no subscript is moved by itself, also through others.
    pub fn is_sound(&self) -> bool {
        let rank = self.rows.len();
        let mut left: Vec<usize> = (0..rank).collect();
        let is_free =
            |row: usize, left: &[usize]| left.iter().all(|other| self.rows[row].factors.get(*other) == Some(&0));
        while let Some(at) = left.iter().position(|row| is_free(*row, &left)) {
            left.remove(at);
        }
        left.is_empty() && self.rows.iter().all(|row| row.factors.len() == rank)
    }

    /// The place of an element.
    pub fn place(&self, element: &[Affine]) -> Vec<Affine> {
        let moved = |(own, row): (&Affine, &SlantRow)| own.clone() + row.by(element) + Affine::constant(row.shift);
        element.iter().zip(&self.rows).map(moved).collect()
    }

    /// The element at a place.
    pub fn element(&self, place: &[Affine]) -> Vec<Affine> {
        let mut element = place.to_vec();
        // After as many rounds as there are dimensions the rows that others are moved by are right, then those.
        for _ in 0..=self.rows.len() {
            let back = |(own, row): (&Affine, &SlantRow)| own.clone() - row.by(&element) - Affine::constant(row.shift);
            element = place.iter().zip(&self.rows).map(back).collect();
        }
        element
    }

    /// The place of an element of numbers; `None` where they do not fit.
    pub fn place_at(&self, element: &[i64]) -> Option<Vec<i64>> {
        let moved = |(own, row): (&i64, &SlantRow)| own.checked_add(row.by_numbers(element)?)?.checked_add(row.shift);
        element.iter().zip(&self.rows).map(moved).collect()
    }

    /// The element at a place of numbers; `None` where they do not fit.
    pub fn element_at(&self, place: &[i64]) -> Option<Vec<i64>> {
        let mut element = place.to_vec();
        for _ in 0..=self.rows.len() {
            let back =
                |(own, row): (&i64, &SlantRow)| own.checked_sub(row.by_numbers(&element)?)?.checked_sub(row.shift);
            element = place.iter().zip(&self.rows).map(back).collect::<Option<_>>()?;
        }
        Some(element)
    }
}

impl SlantRow {
    fn by(&self, element: &[Affine]) -> Affine {
        let terms = element.iter().zip(&self.factors).map(|(one, factor)| one.clone() * *factor);
        terms.fold(Affine::default(), |sum, term| sum + term)
    }

    /// How many places a dimension has up to the last element of a tensor with these extents; `None` where the first lies
    /// before 0, or numbers do not fit.
    pub fn needed(&self, dimension: usize, extents: &[usize]) -> Option<usize> {
        let last = |of: usize| i64::try_from(of).ok()?.checked_sub(1);
        let (mut first, mut end) = (self.shift, self.shift.checked_add(last(*extents.get(dimension)?)?)?);
        for (extent, factor) in extents.iter().zip(&self.factors) {
            let by = last(*extent)?.checked_mul(*factor)?;
            first = first.checked_add(by.min(0))?;
            end = end.checked_add(by.max(0))?;
        }
        usize::try_from(end.checked_add(1)?).ok().filter(|_| first >= 0)
    }

    fn by_numbers(&self, element: &[i64]) -> Option<i64> {
        let mut terms = element.iter().zip(&self.factors);
        terms.try_fold(0i64, |sum, (one, factor)| sum.checked_add(one.checked_mul(*factor)?))
    }
}
