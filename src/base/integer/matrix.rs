//! Small integer matrices and the lattices they span.

use std::fmt;

/// An integer vector: a point, a direction, a row of a map.
pub type Vector = Vec<i64>;

/// An integer matrix by rows. A matrix without rows still knows its number of columns.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Matrix {
    rows: Vec<Vector>,
    columns: usize,
}

/// The inner product.
pub fn dot(a: &[i64], b: &[i64]) -> i64 {
    a.iter().zip(b).map(|(x, y)| x * y).sum()
}

/// The greatest common divisor, never negative; `gcd(0, 0) = 0`.
pub fn gcd(a: i64, b: i64) -> i64 {
    if b == 0 { a.abs() } else { gcd(b, a % b) }
}

/// The least common multiple of numbers that are not 0; `None` where it does not fit.
pub fn lcm(a: i64, b: i64) -> Option<i64> {
    (a / gcd(a, b)).checked_mul(b)?.checked_abs()
}

/// The sign of the first non-zero entry: 1, -1, or 0 for the zero vector.
pub fn lexicographic_sign(vector: &[i64]) -> i64 {
    vector.iter().find(|entry| **entry != 0).map_or(0, |entry| entry.signum())
}

/// The shortest integer vector in the direction of `vector`; zero stays zero.
pub fn primitive(vector: &[i64]) -> Vector {
    let divisor = vector.iter().fold(0, |divisor, entry| gcd(divisor, *entry)).max(1);
    vector.iter().map(|entry| entry / divisor).collect()
}

impl Matrix {
    /// The matrix of these rows, each `columns` long.
    pub fn new(rows: Vec<Vector>, columns: usize) -> Matrix {
        debug_assert!(rows.iter().all(|row| row.len() == columns), "matrix rows must be {columns} long");
        Matrix { rows, columns }
    }

    /// The identity.
    pub fn identity(size: usize) -> Matrix {
        let rows = (0..size).map(|i| (0..size).map(|j| i64::from(i == j)).collect()).collect();
        Matrix::new(rows, size)
    }

    /// The rows.
    pub fn rows(&self) -> &[Vector] {
        &self.rows
    }

    /// How many columns.
    pub fn columns(&self) -> usize {
        self.columns
    }

    /// One column.
    pub fn column(&self, index: usize) -> Vector {
        self.rows.iter().map(|row| row[index]).collect()
    }

    /// `self * vector`.
    pub fn apply(&self, vector: &[i64]) -> Vector {
        self.rows.iter().map(|row| dot(row, vector)).collect()
    }

    /// `self * other`.
    pub fn multiply(&self, other: &Matrix) -> Matrix {
        let columns: Vec<Vector> = (0..other.columns).map(|index| other.column(index)).collect();
        let rows = self.rows.iter().map(|row| columns.iter().map(|column| dot(row, column)).collect()).collect();
        Matrix::new(rows, other.columns)
    }

    /// The rows of both, `self` above.
    pub fn above(&self, other: &Matrix) -> Matrix {
        let rows = self.rows.iter().chain(&other.rows).cloned().collect();
        Matrix::new(rows, self.columns)
    }

    /// The rank over the rationals.
    pub fn rank(&self) -> usize {
        let mut rows = self.rows.clone();
        let mut rank = 0;
        for column in 0..self.columns {
            let Some(pivot) = (rank..rows.len()).find(|row| rows[*row][column] != 0) else { continue };
            rows.swap(rank, pivot);
            let (done, open) = rows.split_at_mut(rank + 1);
            for row in open.iter_mut().filter(|row| row[column] != 0) {
                clear_entry(row, &done[rank], column);
            }
            rank += 1;
        }
        rank
    }

    /// The determinant of a square matrix, by elimination that stays in the integers (Bareiss).
    pub fn determinant(&self) -> i64 {
        debug_assert_eq!(self.rows.len(), self.columns, "only a square matrix has a determinant");
        let mut m = self.rows.clone();
        let (mut sign, mut previous) = (1, 1);
        for k in 0..self.columns {
            let Some(pivot) = (k..self.columns).find(|row| m[*row][k] != 0) else { return 0 };
            if pivot != k {
                m.swap(pivot, k);
                sign = -sign;
            }
            for i in k + 1..self.columns {
                for j in k + 1..self.columns {
                    m[i][j] = (m[i][j] * m[k][k] - m[i][k] * m[k][j]) / previous;
                }
            }
            previous = m[k][k];
        }
        sign * previous
    }

    /// The column Hermite form: `(h, v)` with `self * v = h`, `v` unimodular, `h` lower echelon with positive pivots and
    /// the columns after the last pivot zero. Those last columns of `v` span the null lattice.
    pub fn hermite(&self) -> (Matrix, Matrix) {
        let mut columns: Vec<(Vector, Vector)> =
            (0..self.columns).map(|index| (self.column(index), Matrix::identity(self.columns).column(index))).collect();
        let mut pivot = 0;
        for row in 0..self.rows.len() {
            clear_row(&mut columns, row, pivot);
            if pivot < self.columns && columns[pivot].0[row] != 0 {
                reduce_left(&mut columns, row, pivot);
                pivot += 1;
            }
        }
        let (h, v): (Vec<Vector>, Vec<Vector>) = columns.into_iter().unzip();
        (from_columns(&h, self.rows.len()), from_columns(&v, self.columns))
    }

    /// A short basis of the lattice of integer vectors that this matrix sends to zero, each primitive with its first
    /// non-zero entry positive.
    pub fn null_lattice(&self) -> Vec<Vector> {
        let (h, v) = self.hermite();
        let zero = |index: &usize| h.column(*index).iter().all(|entry| *entry == 0);
        let basis: Vec<Vector> = (0..self.columns).filter(zero).map(|index| v.column(index)).collect();
        let mut basis = shorten(basis);
        basis.iter_mut().for_each(|vector| orient(vector));
        basis.sort_by(|a, b| b.cmp(a));
        basis
    }
}

/// Takes multiples of `pivot` off a row until nothing is left in this column; the row is as short as it can be.
fn clear_entry(row: &mut Vector, pivot: &[i64], column: usize) {
    let (mine, its) = (row[column], pivot[column]);
    let common = gcd(mine, its);
    row.iter_mut().zip(pivot).for_each(|(entry, other)| *entry = *entry * (its / common) - other * (mine / common));
    *row = primitive(row);
}

/// Combines the columns from `pivot` on until only `pivot` is non-zero in `row`, and makes that entry positive.
fn clear_row(columns: &mut [(Vector, Vector)], row: usize, pivot: usize) {
    loop {
        let smallest = (pivot..columns.len())
            .filter(|index| columns[*index].0[row] != 0)
            .min_by_key(|index| columns[*index].0[row].abs());
        let Some(smallest) = smallest else { return };
        columns.swap(pivot, smallest);
        let mut done = true;
        for index in pivot + 1..columns.len() {
            let quotient = columns[index].0[row].div_euclid(columns[pivot].0[row]);
            subtract(columns, index, pivot, quotient);
            done &= columns[index].0[row] == 0;
        }
        if done {
            break;
        }
    }
    if columns[pivot].0[row] < 0 {
        columns[pivot].0.iter_mut().for_each(|entry| *entry = -*entry);
        columns[pivot].1.iter_mut().for_each(|entry| *entry = -*entry);
    }
}

fn reduce_left(columns: &mut [(Vector, Vector)], row: usize, pivot: usize) {
    for index in 0..pivot {
        let quotient = columns[index].0[row].div_euclid(columns[pivot].0[row]);
        subtract(columns, index, pivot, quotient);
    }
}

/// Column `target` loses `factor` times column `source`.
fn subtract(columns: &mut [(Vector, Vector)], target: usize, source: usize, factor: i64) {
    if factor == 0 {
        return;
    }
    let (h, v) = columns[source].clone();
    let column = &mut columns[target];
    column.0.iter_mut().zip(&h).for_each(|(entry, other)| *entry -= factor * other);
    column.1.iter_mut().zip(&v).for_each(|(entry, other)| *entry -= factor * other);
}

fn from_columns(columns: &[Vector], rows: usize) -> Matrix {
    let rows = (0..rows).map(|row| columns.iter().map(|column| column[row]).collect()).collect();
    Matrix::new(rows, columns.len())
}

/// Pairwise reduction: replaces a vector by its sum or difference with another while that makes it shorter.
fn shorten(mut basis: Vec<Vector>) -> Vec<Vector> {
    let mut changed = true;
    while changed {
        changed = false;
        let size = basis.len();
        for (i, j) in (0..size).flat_map(|i| (0..size).map(move |j| (i, j))).filter(|(i, j)| i != j) {
            for sign in [1, -1] {
                let candidate: Vector = basis[i].iter().zip(&basis[j]).map(|(x, y)| x + sign * y).collect();
                if dot(&candidate, &candidate) < dot(&basis[i], &basis[i]) {
                    basis[i] = candidate;
                    changed = true;
                }
            }
        }
    }
    basis
}

fn orient(vector: &mut [i64]) {
    if lexicographic_sign(vector) < 0 {
        vector.iter_mut().for_each(|entry| *entry = -*entry);
    }
}

impl fmt::Debug for Matrix {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}", self.rows)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn small_matrix() -> impl Strategy<Value = Matrix> {
        (1usize..4, 1usize..5).prop_flat_map(|(rows, columns)| {
            proptest::collection::vec(proptest::collection::vec(-4i64..5, columns), rows)
                .prop_map(move |rows| Matrix::new(rows, columns))
        })
    }

    proptest! {
        #[test]
        fn the_rank_is_what_the_null_lattice_leaves(
            rows in proptest::collection::vec(proptest::collection::vec(-3i64..4, 4), 0..6),
        ) {
            let matrix = Matrix::new(rows, 4);
            prop_assert_eq!(matrix.rank(), 4 - matrix.null_lattice().len());
        }

        #[test]
        fn hermite_is_a_unimodular_change_of_columns(m in small_matrix()) {
            let (h, v) = m.hermite();
            prop_assert_eq!(m.multiply(&v), h);
            prop_assert_eq!(v.determinant().abs(), 1);
        }

        #[test]
        fn null_lattice_holds_every_small_null_vector(m in small_matrix()) {
            let basis = m.null_lattice();
            prop_assert!(basis.iter().all(|d| m.apply(d).iter().all(|entry| *entry == 0)));
            // Saturated: the basis extends to a unimodular matrix, so its Hermite form has unit pivots only.
            if !basis.is_empty() {
                let (h, _) = Matrix::new(basis.clone(), m.columns()).hermite();
                let pivots = (0..basis.len()).map(|k| h.rows()[k][k]).product::<i64>();
                prop_assert_eq!(pivots, 1);
            }
        }
    }

    #[test]
    fn null_lattice_goes_beyond_unit_entries() {
        let access = Matrix::new(vec![vec![2, 3]], 2);
        assert_eq!(access.null_lattice(), vec![vec![3, -2]]);
    }

    #[test]
    fn determinant_of_the_hexagonal_map() {
        let m = Matrix::new(vec![vec![1, 0, -1], vec![0, 1, -1], vec![1, 1, 1]], 3);
        assert_eq!(m.determinant(), 3);
    }
}
