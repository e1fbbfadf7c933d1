//! How many different images the points of a set have under an integer map, without enumerating the points.
//!
//! Of all points with one image, exactly one has no point of the set before it. A point `x` of a box has one before it
//! exactly where `x - g` lies in the box for some lexicographically positive `g` of the map's Graver basis: the difference
//! of two points with one image is a sum of basis vectors of the same signs, so going part of the way never leaves the box.
//! The points without a predecessor are then counted by inclusion and exclusion over shifted boxes.
//!
//! Indices that share no row, nor share one with others that do, have images of their own: of a box their numbers multiply. A
//! place and an access of six indices fall into parts of one and two.

use super::Region;
use std::collections::HashSet;
use systole_base::integer::{Matrix, Vector, dot, lexicographic_sign};

/// More basis vectors than this are not worth inclusion and exclusion.
const MOST_VECTORS: usize = 14;

/// A map, ready to count its images.
#[derive(Clone, Debug)]
pub struct Images {
    map: Matrix,
    parts: Vec<RowGroup>,
}

/// Indices that share rows, with these rows.
#[derive(Clone, Debug)]
struct RowGroup {
    indices: Vec<usize>,
    map: Matrix,
    /// The lexicographically positive half of the Graver basis; `None` where it is too large.
    predecessors: Option<Vec<Vector>>,
}

impl Images {
    /// Prepares a map.
    pub fn of(map: &Matrix) -> Images {
        Images { map: map.clone(), parts: apart(map).into_iter().map(|indices| RowGroup::new(map, indices)).collect() }
    }

    /// How many different vectors `map * x` there are for the points `x` of `region`.
    pub fn count(&self, region: &Region) -> u64 {
        match region {
            Region::Box(sides) => self.parts.iter().map(|part| part.count(sides)).fold(1, u64::saturating_mul),
            Region::Points(_) => enumerated(&self.map, region),
        }
    }
}

impl RowGroup {
    fn new(map: &Matrix, indices: Vec<usize>) -> RowGroup {
        let own = |row: &Vector| indices.iter().map(|index| row[*index]).collect::<Vector>();
        let rows = map.rows().iter().map(own).filter(|row| row.iter().any(|entry| *entry != 0)).collect();
        let map = Matrix::new(rows, indices.len());
        let predecessors = graver_basis(&map).filter(|basis| basis.len() <= MOST_VECTORS);
        RowGroup { indices, map, predecessors }
    }

    /// The images of a box with these sides, of which the part's own count.
    fn count(&self, sides: &[(i64, i64)]) -> u64 {
        let own: Vec<(i64, i64)> = self.indices.iter().map(|index| sides[*index]).collect();
        match &self.predecessors {
            Some(predecessors) => u64::try_from(count_first(&own, predecessors)).unwrap_or(u64::MAX),
            None => enumerated(&self.map, &Region::Box(own)),
        }
    }
}

/// The indices of a map by the rows that they share.
fn apart(map: &Matrix) -> Vec<Vec<usize>> {
    let mut parts: Vec<Vec<usize>> = (0..map.columns()).map(|index| vec![index]).collect();
    for row in map.rows() {
        let (joined, others): (Vec<Vec<usize>>, Vec<Vec<usize>>) =
            parts.into_iter().partition(|part| part.iter().any(|index| row[*index] != 0));
        let mut joined = joined.concat();
        joined.sort_unstable();
        parts = others.into_iter().chain((!joined.is_empty()).then_some(joined)).collect();
    }
    parts
}

fn enumerated(map: &Matrix, region: &Region) -> u64 {
    let mut images = HashSet::new();
    region.visit(&mut |point| {
        images.insert(map.apply(point));
    });
    images.len() as u64
}

/// The points of the box that lie in no copy of it shifted by a vector of `shifts`.
fn count_first(sides: &[(i64, i64)], shifts: &[Vector]) -> i128 {
    let volume: i128 = sides.iter().map(|(low, high)| i128::from((high - low + 1).max(0))).product();
    if volume == 0 {
        return 0;
    }
    let overlapped = |(position, shift): (usize, &Vector)| {
        let overlap = |((low, high), by): (&(i64, i64), &i64)| (low + by.max(&0), high + by.min(&0));
        let part: Vec<(i64, i64)> = sides.iter().zip(shift).map(overlap).collect();
        // What later shifts share with this one must be shifted relative to the original box.
        count_shared(sides, &part, shifts, position + 1)
    };
    volume - shifts.iter().enumerate().map(overlapped).sum::<i128>()
}

/// The points of `part` that lie in none of the later copies of the box.
fn count_shared(sides: &[(i64, i64)], part: &[(i64, i64)], shifts: &[Vector], from: usize) -> i128 {
    let volume: i128 = part.iter().map(|(low, high)| i128::from((high - low + 1).max(0))).product();
    if volume == 0 {
        return 0;
    }
    let shared = |(position, shift): (usize, &Vector)| {
        let copy = sides.iter().zip(shift).map(|((low, high), by)| (low + by, high + by));
        let cut: Vec<(i64, i64)> = part.iter().zip(copy).map(|(a, b)| (a.0.max(b.0), a.1.min(b.1))).collect();
        count_shared(sides, &cut, shifts, position + 1)
    };
    volume - shifts.iter().enumerate().skip(from).map(shared).sum::<i128>()
}

/// The lexicographically positive vectors of the Graver basis: the null vectors that are no sum of two null vectors of the
/// same signs. Their entries are at most the nullity times the largest minor of the map.
fn graver_basis(map: &Matrix) -> Option<Vec<Vector>> {
    let kernel = map.null_lattice();
    let bound = i64::try_from(kernel.len()).ok()?.checked_mul(largest_minor(map))?;
    let mut vectors = null_vectors(&kernel, bound)?;
    vectors.sort_by_key(|vector| vector.iter().map(|entry| entry.abs()).sum::<i64>());
    let mut basis: Vec<Vector> = vec![];
    for vector in vectors {
        if !basis.iter().any(|part| is_part(part, &vector)) {
            basis.push(vector);
        }
    }
    basis.retain(|vector| lexicographic_sign(vector) > 0);
    Some(basis)
}

/// Whether `part` has the signs of `whole` and is nowhere larger.
fn is_part(part: &[i64], whole: &[i64]) -> bool {
    part.iter().zip(whole).all(|(p, w)| p * w >= 0 && p.abs() <= w.abs())
}

/// All null vectors with entries of at most `bound`, except zero; `None` where there are too many to look at.
fn null_vectors(kernel: &[Vector], bound: i64) -> Option<Vec<Vector>> {
    let Some(size) = kernel.first().map(Vec::len) else { return Some(vec![]) };
    let columns = Matrix::new((0..size).map(|row| kernel.iter().map(|v| v[row]).collect()).collect(), kernel.len());
    let (echelon, _) = columns.hermite();
    let basis: Vec<Vector> = (0..kernel.len()).map(|index| echelon.column(index)).collect();
    let mut partial: Vec<Vector> = vec![vec![0; size]];
    for vector in &basis {
        let pivot = vector.iter().position(|entry| *entry != 0)?;
        let longer = |start: &Vector| -> Vec<Vector> {
            let least = (-bound - start[pivot]).div_euclid(vector[pivot]);
            let most = (bound - start[pivot]).div_euclid(vector[pivot]) + 1;
            let at = |count: i64| start.iter().zip(vector).map(|(s, v)| s + count * v).collect::<Vector>();
            (least..=most).map(at).filter(|sum| sum[pivot].abs() <= bound).collect()
        };
        partial = partial.iter().flat_map(longer).collect();
        if partial.len() > 100_000 {
            return None;
        }
    }
    let small = |vector: &Vector| vector.iter().all(|entry| entry.abs() <= bound) && dot(vector, vector) > 0;
    Some(partial.into_iter().filter(small).collect())
}

/// The largest magnitude of a minor as large as the rank.
fn largest_minor(map: &Matrix) -> i64 {
    let rank = map.rank();
    let mut largest = 1;
    for rows in choices(map.rows().len(), rank) {
        for columns in choices(map.columns(), rank) {
            let entries = rows.iter().map(|row| columns.iter().map(|column| map.rows()[*row][*column]).collect());
            largest = largest.max(Matrix::new(entries.collect(), rank).determinant().abs());
        }
    }
    largest
}

/// Every ascending choice of `count` numbers below `size`.
fn choices(size: usize, count: usize) -> Vec<Vec<usize>> {
    let mut all: Vec<Vec<usize>> = vec![vec![]];
    for _ in 0..count {
        let longer = |chosen: &Vec<usize>| {
            let first = chosen.last().map_or(0, |last| last + 1);
            (first..size).map(|next| chosen.iter().copied().chain([next]).collect()).collect::<Vec<Vec<usize>>>()
        };
        all = all.iter().flat_map(longer).collect();
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn closed_counts_are_those_of_enumeration(
            sides in proptest::collection::vec((0i64..3, 0i64..4), 4),
            rows in proptest::collection::vec(proptest::collection::vec(prop_oneof![Just(0), -2i64..3], 4), 0..4),
        ) {
            let region = Region::Box(sides.iter().map(|(low, more)| (*low, low + more)).collect());
            let images = Images::of(&Matrix::new(rows, 4));
            prop_assert_eq!(images.count(&region), enumerated(&images.map, &region));
        }
    }

    #[test]
    fn the_basis_of_a_plain_sum_is_the_differences() {
        let basis = graver_basis(&Matrix::new(vec![vec![1, 1, 1]], 3)).expect("a small basis");
        assert_eq!(basis.len(), 3);
        assert!(basis.contains(&vec![1, 0, -1]));
    }

    #[test]
    fn huge_boxes_cost_no_more_than_small_ones() {
        let region = Region::Box(vec![(0, 999_999); 4]);
        let images = Images::of(&Matrix::new(vec![vec![1, 0, 1, 0], vec![0, 1, 0, -1]], 4));
        assert_eq!(images.count(&region), 1_999_999 * 1_999_999);
    }
}
