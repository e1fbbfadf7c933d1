//! Every map within the bounds.
//!
//! Places: all matrices of the asked rank with entries of at most `bound`, one of each class under permuting and reflecting
//! the array's axes (networks do not change under these). Steps: the last row with entries in the box; where a place folds
//! several dimensions into a PE, the rows above it are single indices, forwards or backwards, in every order.

use std::collections::BTreeSet;
use systole_base::integer::{Matrix, Vector, lexicographic_sign};
use systole_equations::recurrence::spaces::SpaceSystem;

/// What the search enumerates.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bounds {
    /// Ranks of the array.
    pub ranks: Vec<usize>,
    /// The largest entry of a place, in magnitude.
    pub bound: i64,
    /// The least and the greatest entry of a step, where a link takes a cycle.
    pub steps: (i64, i64),
}

impl Bounds {
    /// The default bounds for a space of this dimension: arrays of rank 0 to 2, entries -1 to 1, steps -2 to 2.
    pub fn for_dimension(dimension: usize) -> Bounds {
        Bounds { ranks: (0..dimension.clamp(1, 3)).collect(), bound: 1, steps: (-2, 2) }
    }

    /// The default bounds for a system. Where the largest of several spaces has four indices, arrays have up to three axes: in a flat one
    /// each PE would run two indices of that space, in rounds.
    pub fn for_system(system: &SpaceSystem) -> Bounds {
        let dimension = system.dimension();
        let is_stacked = dimension == 4 && system.only_space().is_none();
        let ranks = if is_stacked { 4 } else { dimension.clamp(1, 3) };
        Bounds { ranks: (0..ranks).collect(), ..Bounds::for_dimension(dimension) }
    }

    /// The entries of steps where a link takes `latency` cycles: what moves over it needs steps as much longer, what stays does
    /// not. In order.
    pub fn entries(&self, latency: i64) -> Vec<i64> {
        let (low, high) = self.steps;
        let all = (low..=high).flat_map(|entry| [entry, entry.saturating_mul(latency)]);
        all.collect::<BTreeSet<i64>>().into_iter().collect()
    }
}

/// All places of one rank for a space of this dimension, in a fixed order: plain projections first.
pub fn places(dimension: usize, rank: usize, bound: i64) -> Vec<Matrix> {
    let rows: Vec<Vector> =
        vectors(dimension, (-bound, bound)).into_iter().filter(|row| lexicographic_sign(row) > 0).collect();
    let mut places = vec![];
    choose(&rows, rank, 0, &mut vec![], &mut |chosen| {
        let place = Matrix::new(chosen.to_vec(), dimension);
        if place.rank() == rank {
            places.push(place);
        }
    });
    places.sort_by_cached_key(order_of_place);
    places
}

/// How many places there are of a rank, with those whose rows depend on each other.
pub fn count_places(dimension: usize, rank: usize, bound: i64) -> u128 {
    let entries = 1 + 2 * u128::from(bound.unsigned_abs());
    let rows = (entries.saturating_pow(dimension as u32) - 1) / 2;
    // Each product is that of a number of subsets, so it is divided without a rest.
    (0..rank as u128).fold(1, |sets: u128, row| sets.saturating_mul(rows.saturating_sub(row)) / (row + 1))
}

/// All places of one rank, or where they are to be few those along the axes, in the same order.
pub fn places_or_axes(dimension: usize, rank: usize, bound: i64, are_few: bool) -> Vec<Matrix> {
    if !are_few {
        return places(dimension, rank, bound);
    }
    let mut places = places_along_axes(dimension, rank);
    places.sort_by_cached_key(order_of_place);
    places
}

/// The places of one rank along the axes.
pub fn places_along_axes(dimension: usize, rank: usize) -> Vec<Matrix> {
    let rows: Vec<Vector> = Matrix::identity(dimension).rows().iter().rev().cloned().collect();
    let mut places = vec![];
    choose(&rows, rank, 0, &mut vec![], &mut |chosen| places.push(Matrix::new(chosen.to_vec(), dimension)));
    places
}

/// Whether each axis of the array is an index.
pub fn is_along_axes(place: &Matrix) -> bool {
    place.rows().iter().all(|row| row.iter().filter(|entry| **entry != 0).count() == 1)
}

/// Plain places before skewed ones, then by their rows from the first index on.
pub fn order_of_place(place: &Matrix) -> (i64, Vec<Vec<i64>>) {
    let weight = place.rows().iter().flatten().map(|entry| entry.abs()).sum();
    let rows = place.rows().iter().map(|row| row.iter().map(|entry| -entry).collect()).collect();
    (weight, rows)
}

/// The place with each row's first entry made positive and the rows in their canonical order.
pub fn canonical_place(place: &Matrix) -> Matrix {
    let orient = |row: &Vector| row.iter().map(|entry| entry * lexicographic_sign(row)).collect();
    let mut rows: Vec<Vector> = place.rows().iter().map(orient).collect();
    rows.sort_by(|a, b| b.cmp(a));
    Matrix::new(rows, place.columns())
}

/// All steps for places of a rank whose last row has these entries, one after the other: there may be millions.
pub fn steps(rank: usize, dimension: usize, entries: &[i64]) -> impl Iterator<Item = Matrix> + use<> {
    let rows = combined(&vec![entries.to_vec(); dimension]);
    let leading = leading_rows(dimension, (dimension - rank).saturating_sub(1), false);
    leading.into_iter().flat_map(move |leading| {
        let step = |row: &Vector| Matrix::new(leading.iter().cloned().chain([row.clone()]).collect(), dimension);
        rows.iter().map(step).collect::<Vec<Matrix>>()
    })
}

/// Every ordered choice of `count` different signed unit rows, or of those that count upwards: what numbers rounds.
pub fn leading_rows(dimension: usize, count: usize, is_upwards: bool) -> Vec<Vec<Vector>> {
    Leading::new(dimension, count, is_upwards).rows().collect()
}

/// Ordered choices of `count` different unit rows of some indices, signed or upwards. There may be hundreds of thousands, so each is made when
/// it is asked for.
#[derive(Clone)]
pub struct Leading {
    /// How many entries a row has.
    pub dimension: usize,
    /// The indices that may be counted.
    pub free: Vec<usize>,
    /// How many rows there are.
    pub count: usize,
    /// Whether all count upwards.
    pub is_upwards: bool,
}

impl Leading {
    /// Those of all indices.
    pub fn new(dimension: usize, count: usize, is_upwards: bool) -> Leading {
        Leading { dimension, free: (0..dimension).collect(), count, is_upwards }
    }

    /// Those of these indices that no row of a place has.
    pub fn beside(mut self, place: &Matrix) -> Leading {
        self.free.retain(|index| place.rows().iter().all(|row| row[*index] == 0));
        self
    }

    fn signs(&self) -> &'static [i64] {
        if self.is_upwards { &[1] } else { &[1, -1] }
    }

    /// How many choices there are.
    pub fn ways(&self) -> u64 {
        let row = |rows: usize| self.free.len().saturating_sub(rows) as u64 * self.signs().len() as u64;
        product((0..self.count).map(row))
    }

    /// The choices, the last row fastest, each by its index and then upwards first.
    pub fn rows(self) -> Box<dyn Iterator<Item = Vec<Vector>>> {
        if self.count == 0 {
            return Box::new(std::iter::once(vec![]));
        }
        let signs = self.signs();
        let first = (0..self.free.len()).flat_map(move |at| signs.iter().map(move |sign| (at, *sign)));
        Box::new(first.flat_map(move |(at, sign)| {
            let mut others = Leading { count: self.count - 1, ..self.clone() };
            let index = others.free.remove(at);
            let row: Vector = (0..self.dimension).map(|other| if other == index { sign } else { 0 }).collect();
            others.rows().map(move |rows| std::iter::once(row.clone()).chain(rows).collect())
        }))
    }
}

/// All vectors with entries in the range, in lexicographic order.
pub fn vectors(dimension: usize, (low, high): (i64, i64)) -> Vec<Vector> {
    combined(&vec![(low..=high).collect(); dimension])
}

/// One of each list, in every way, the last fastest.
pub fn combined<T: Clone>(lists: &[Vec<T>]) -> Vec<Vec<T>> {
    one_of_each(lists.to_vec()).collect()
}

/// [`combined`], one after the other: there may be many.
pub fn one_of_each<T: Clone>(lists: Vec<Vec<T>>) -> impl Iterator<Item = Vec<T>> {
    let mut next = lists.iter().all(|list| !list.is_empty()).then(|| vec![0; lists.len()]);
    std::iter::from_fn(move || {
        let at = next.take()?;
        let taken = lists.iter().zip(&at).map(|(list, number)| list[*number].clone()).collect();
        let mut after = at;
        for (place, list) in lists.iter().enumerate().rev() {
            after[place] += 1;
            if after[place] < list.len() {
                next = Some(after);
                break;
            }
            after[place] = 0;
        }
        Some(taken)
    })
}

/// In how many ways one can be taken of each list.
pub fn ways<T>(lists: &[Vec<T>]) -> u64 {
    product(lists.iter().map(|list| list.len() as u64))
}

/// The product, or the largest number that there is.
pub fn product(lengths: impl IntoIterator<Item = u64>) -> u64 {
    lengths.into_iter().fold(1, u64::saturating_mul)
}

/// So many of the ways to take one of each list, whose lengths are given, spread over all of them: the number of each that is taken. The last
/// list changes fastest. With more of them those of fewer are there too.
pub fn spread(lengths: &[u64], most: u64) -> impl Iterator<Item = Vec<u64>> {
    chosen(product(lengths.iter().copied()), most).into_iter().map(move |mut way| {
        let mut one_of_each: Vec<u64> = lengths
            .iter()
            .rev()
            .map(|length| {
                let one = way % length;
                way /= length;
                one
            })
            .collect();
        one_of_each.reverse();
        one_of_each
    })
}

/// So many numbers below `count`, ascending: the first of those whose bits are counted up backwards (van der Corput 1935), so that halves,
/// quarters and so on are filled alike.
fn chosen(count: u64, most: u64) -> Vec<u64> {
    if count <= most {
        return (0..count).collect();
    }
    let bits = (u64::BITS - (count - 1).leading_zeros()).max(1);
    let backwards = (0..=u64::MAX).map(|number: u64| number.reverse_bits() >> (u64::BITS - bits));
    let mut chosen: Vec<u64> = backwards.filter(|number| *number < count).take(most as usize).collect();
    chosen.sort_unstable();
    chosen
}

/// Visits every set of `count` rows.
fn choose(rows: &[Vector], count: usize, from: usize, chosen: &mut Vec<Vector>, visit: &mut dyn FnMut(&[Vector])) {
    if chosen.len() == count {
        return visit(chosen);
    }
    for index in from..rows.len() {
        chosen.push(rows[rows.len() - 1 - index].clone());
        choose(rows, count, index + 1, chosen, visit);
        chosen.pop();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn planes_of_a_cube_up_to_relabelling_the_axes() {
        assert_eq!(places(3, 0, 1).len(), 1);
        assert_eq!(places(3, 1, 1).len(), 13);
        assert_eq!(places(3, 2, 1).len(), 78);
        assert_eq!(places(3, 2, 1)[0].rows(), [vec![1, 0, 0], vec![0, 1, 0]]);
    }

    #[test]
    fn ways_are_spread_over_all() {
        let all: Vec<Vec<u64>> = spread(&[2, 3], 9).collect();
        assert_eq!(all, [[0, 0], [0, 1], [0, 2], [1, 0], [1, 1], [1, 2]]);
        let some: Vec<Vec<u64>> = spread(&[2, 3], 3).collect();
        assert_eq!(some, [[0, 0], [0, 2], [1, 1]]);
        assert_eq!(spread(&[2, 3], 0).count(), 0);
        for (count, most) in [(7, 3), (100, 17), (1 << 40, 1000)] {
            let (few, more) = (chosen(count, most), chosen(count, most + 1));
            assert_eq!(few.len() as u64, most);
            assert!(few.iter().all(|number| *number < count && more.contains(number)));
        }
        assert_eq!(spread(&[1, 0], 3).count(), 0);
        assert_eq!(spread(&[], 3).count(), 1);
        assert_eq!(spread(&[u64::MAX, 2], 3).count(), 3);
    }

    #[test]
    fn those_along_the_axes_are_those_of_all() {
        for rank in 0..=3 {
            let along: Vec<Matrix> = places(3, rank, 1).into_iter().filter(is_along_axes).collect();
            assert_eq!(places_along_axes(3, rank), along);
        }
    }

    #[test]
    fn every_plane_is_canonical_and_unlike_the_others() {
        let planes = places(3, 2, 1);
        let canonical: std::collections::BTreeSet<Matrix> = planes.iter().map(canonical_place).collect();
        assert_eq!(canonical.len(), planes.len());
        assert!(planes.iter().all(|place| canonical_place(place) == *place));
    }

    #[test]
    fn vector_time_has_single_indices_above_the_last_row() {
        let all = steps(1, 3, &[-2, -1, 0, 1, 2]);
        assert_eq!(all.count(), 6 * 125);
        assert_eq!(steps(0, 3, &[-2, -1, 0, 1, 2]).count(), 6 * 4 * 125);
    }
}
