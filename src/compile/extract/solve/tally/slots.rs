//! Where and when points run at given sizes, in numbers.

use crate::mapping::{Axis, Calendar, Design, Fold, SpaceDesign};
use fixedbitset::FixedBitSet;
use std::ops::Deref;
use std::sync::Arc;
use systole_base::cell::Cell;
use systole_base::integer::{Affine, Bindings, Vector, dot};
use systole_equations::recurrence::Space;

/// The PE and the time of a point.
pub type Slot = (Vector, Vector);

/// The PE and the time of a point; `None` where a number does not fit.
pub fn slot(sizes: &Bindings, design: &Design, space: usize, point: &[i64]) -> Option<Slot> {
    Slots::new(sizes, design, space)?.of(point)
}

/// Where and when the points of a space run.
pub struct Slots<'a> {
    part: &'a SpaceDesign,
    fold: &'a Fold,
    origin: Vector,
    starts: Vector,
}

impl<'a> Slots<'a> {
    /// `None` where a number does not fit.
    pub fn new(sizes: &Bindings, design: &'a Design, space: usize) -> Option<Slots<'a>> {
        let part = &design.parts[space];
        let values = |forms: &[Affine]| forms.iter().map(|form| form.evaluate(sizes)).collect::<Option<Vector>>();
        Some(Slots { part, fold: &design.fold, origin: values(&part.origin)?, starts: values(&part.starts)? })
    }

    /// The PE and the time of a point; `None` where a number does not fit.
    pub fn of(&self, point: &[i64]) -> Option<Slot> {
        let mut pe: Vector = self.rows().map(|row| row.at(point)).collect::<Option<_>>()?;
        let time = pe.split_off(self.origin.len());
        Some((pe, time))
    }

    /// The coordinates of the PE, then those of the time.
    fn rows(&self) -> impl Iterator<Item = Coordinate<'_>> {
        let place = self.part.map.place.rows().iter().zip(&self.origin).enumerate();
        let place = place.map(|(axis, (row, start))| {
            let folded = (!self.fold.is_none()).then(|| self.fold.axis(axis));
            Coordinate { row, start: *start, folded }
        });
        let steps = self.part.map.step.rows().iter().zip(&self.starts);
        place.chain(steps.map(|(row, start)| Coordinate { row, start: *start, folded: None }))
    }
}

/// One coordinate of where or when points run.
struct Coordinate<'a> {
    row: &'a Vector,
    start: i64,
    /// How neighbours along its axis share a PE, if they do.
    folded: Option<Axis>,
}

impl Coordinate<'_> {
    /// Its value at a point; `None` where a number does not fit.
    fn at(&self, point: &[i64]) -> Option<i64> {
        let value = dot(self.row, point).checked_add(self.start)?;
        Some(self.folded.map_or(value, |axis| axis.pe(value)))
    }

    /// Adds its values at some points to a column; `None` where a number might not fit. Most rows have one entry.
    fn add_to(&self, column: &mut Vec<i64>, points: &ListedPoints) -> Option<()> {
        let entries = || self.row.iter().copied().enumerate().filter(|(_, entry)| *entry != 0);
        let reach = entries().try_fold(self.start.unsigned_abs(), |sum, (index, entry)| {
            sum.checked_add(entry.unsigned_abs().checked_mul(points.largest[index])?)
        })?;
        i64::try_from(reach).ok()?;
        let before = column.len();
        column.resize(before + points.len(), self.start);
        let new = &mut column[before..];
        for (index, entry) in entries() {
            new.iter_mut().zip(&points.values[index]).for_each(|(sum, value)| *sum += entry * value);
        }
        if let Some(axis) = self.folded {
            new.iter_mut().for_each(|value| *value = axis.pe(*value));
        }
        Some(())
    }
}

/// The points of a space at some sizes; also index by index, since what is done with a row of a map is done with numbers that stand side by
/// side then.
pub struct ListedPoints {
    points: Vec<Vector>,
    /// For each index its value at each point.
    values: Vec<Vec<i64>>,
    /// For each index the largest magnitude.
    largest: Vec<u64>,
}

impl ListedPoints {
    /// Those of a space; `None` where it is not bounded.
    pub fn of(space: &Space, sizes: &Bindings) -> Option<Arc<ListedPoints>> {
        let points = space.domain.set.points(space.indices(), sizes)?;
        let value = |index: usize| points.iter().map(|point| point[index]).collect();
        let values: Vec<Vec<i64>> = (0..space.indices().len()).map(value).collect();
        let largest = |values: &Vec<i64>| values.iter().map(|value| value.unsigned_abs()).max().unwrap_or(0);
        Some(Arc::new(ListedPoints { largest: values.iter().map(largest).collect(), values, points }))
    }
}

impl Deref for ListedPoints {
    type Target = [Vector];

    fn deref(&self) -> &[Vector] {
        &self.points
    }
}

/// How an array is occupied.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Occupied {
    /// How many PEs run a point.
    pub pes: u64,
    /// Whether no more points share a PE and a time than a step holds, each of another space.
    pub is_apart: bool,
}

/// A number for the slot of each point, space by space: the same where two share a PE and a time. `None` where a number does not fit.
pub fn slot_numbers(sizes: &Bindings, design: &Design, points: &[Arc<ListedPoints>]) -> Option<Numbers> {
    AllSlots::of(sizes, design, points)?.numbered().map(|(numbers, _)| numbers)
}

/// Whether each slot has room for its points, which are of different spaces; the slots are numbered space by space.
fn holds_all(numbers: &[u64], counts: &[usize], cell: Cell) -> bool {
    let spaces = counts.iter().enumerate().flat_map(|(space, count)| std::iter::repeat_n(space, *count));
    let mut taken: Vec<(u64, usize)> = numbers.iter().copied().zip(spaces).collect();
    taken.sort_unstable();
    let is_twice = taken.windows(2).any(|pair| pair[0] == pair[1]);
    !is_twice && taken.chunk_by(|one, other| one.0 == other.0).all(|step| cell.has_room_for(step.len() as u64))
}

/// The slots of all points of a design.
pub struct AllSlots {
    /// For each coordinate its value at each point: of the PE, then of the time.
    columns: Vec<Vec<i64>>,
    /// How many coordinates the PE has.
    rank: usize,
    /// How many points each space has.
    counts: Vec<usize>,
}

impl AllSlots {
    /// Those of the points of each space; `None` where a number does not fit.
    pub fn of(sizes: &Bindings, design: &Design, points: &[Arc<ListedPoints>]) -> Option<AllSlots> {
        let counts: Vec<usize> = points.iter().map(|points| points.len()).collect();
        let width = design.rank() + design.rounds() + 1;
        let mut columns: Vec<Vec<i64>> = (0..width).map(|_| Vec::with_capacity(counts.iter().sum())).collect();
        for (space, points) in points.iter().enumerate() {
            let slots = Slots::new(sizes, design, space)?;
            for (column, coordinate) in columns.iter_mut().zip(slots.rows()) {
                coordinate.add_to(column, points)?;
            }
        }
        Some(AllSlots { columns, rank: design.rank(), counts })
    }

    /// How many points there are.
    fn count(&self) -> usize {
        self.counts.iter().sum()
    }

    /// How they occupy the array; `None` where a number does not fit.
    pub fn occupied(&self, cell: Cell) -> Option<Occupied> {
        let (taken, sides) = self.numbered()?;
        let is_apart = match cell.is_shared() {
            true => holds_all(&taken.numbers, &self.counts, cell),
            false => taken.distinct() == self.count() as u64,
        };
        let per_pe = sides[self.rank..].iter().fold(1u64, |product, side| product.saturating_mul((*side).max(1)));
        let numbers = taken.numbers.into_iter().map(|slot| slot / per_pe).collect();
        Some(Occupied { pes: Numbers { numbers, volume: taken.volume.div_ceil(per_pe) }.distinct(), is_apart })
    }

    /// How many cycles there are from the first point to the last, with both; `None` where a number does not fit.
    pub fn cycles(&self, calendar: &Calendar) -> Option<u64> {
        let columns = &self.columns[self.rank..];
        let mut time = vec![0; columns.len()];
        let clocks = (0..self.count()).map(|point| {
            time.iter_mut().zip(columns).for_each(|(entry, column)| *entry = column[point]);
            calendar.clock(&time)
        });
        let ends = clocks.map(|clock| clock.map(|clock| (clock, clock)));
        let join = |one: Option<(i64, i64)>, other: Option<(i64, i64)>| {
            let ((low, high), (first, last)) = (one?, other?);
            Some((low.min(first), high.max(last)))
        };
        match ends.reduce(join) {
            None => Some(0),
            Some(ends) => ends.and_then(|(first, last)| u64::try_from(last.checked_sub(first)?.checked_add(1)?).ok()),
        }
    }

    /// A number for each slot, in their order, the last coordinate fastest, and how long the range of each coordinate is.
    fn numbered(&self) -> Option<(Numbers, Vec<u64>)> {
        let (mut numbers, mut sides, mut volume) = (vec![0; self.count()], vec![], 1u64);
        for column in &self.columns {
            let low = column.iter().min().copied().unwrap_or(0);
            let high = column.iter().max().copied().unwrap_or(-1);
            let side = u64::try_from(high.checked_sub(low)?.checked_add(1)?).ok()?;
            volume = volume.checked_mul(side.max(1))?;
            numbers.iter_mut().zip(column).for_each(|(sum, value)| *sum = *sum * side + (value - low) as u64);
            sides.push(side);
        }
        Some((Numbers { numbers, volume }, sides))
    }
}

/// A table of numbers has no more than so many places for each of them; else they are sorted.
const SPARSE: u64 = 1024;

/// Numbers below a volume, some of which may be the same.
pub struct Numbers {
    numbers: Vec<u64>,
    volume: u64,
}

impl Numbers {
    /// How many different ones there are.
    pub fn distinct(&self) -> u64 {
        let Some(mut seen) = self.table() else {
            let mut numbers = self.numbers.clone();
            numbers.sort_unstable();
            numbers.dedup();
            return numbers.len() as u64;
        };
        self.numbers.iter().filter(|number| !seen.put(**number as usize)).count() as u64
    }

    /// Those that come more than once, each time with its position, in ascending order. Most often there are none.
    pub fn shared(&self) -> Vec<(u64, usize)> {
        let numbers = &self.numbers;
        let mut shared: Vec<(u64, usize)> = match (self.table(), self.table()) {
            (Some(mut seen), Some(mut again)) => {
                numbers
                    .iter()
                    .filter(|number| seen.put(**number as usize))
                    .for_each(|number| again.insert(*number as usize));
                let all = numbers.iter().copied().zip(0..);
                if again.is_clear() { vec![] } else { all.filter(|(number, _)| again[*number as usize]).collect() }
            }
            _ => numbers.iter().copied().zip(0..).collect(),
        };
        shared.sort_unstable();
        let several = shared.chunk_by(|one, other| one.0 == other.0).filter(|alike| alike.len() > 1);
        several.flatten().copied().collect()
    }

    /// A table with a place for each number, where it is not much larger than they are many.
    fn table(&self) -> Option<FixedBitSet> {
        let most = SPARSE.saturating_mul(self.numbers.len() as u64);
        (self.volume <= most).then(|| FixedBitSet::with_capacity(self.volume as usize))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_counted_alike_in_a_table_and_sorted() {
        let lists = [vec![], vec![7], vec![3, 1, 3, 64, 63, 64, 3], vec![0, 127, 128, 5]];
        for list in lists {
            let of = |volume: u64| Numbers { numbers: list.clone(), volume };
            assert!(of(129).table().is_some() != list.is_empty() && of(u64::MAX).table().is_none());
            assert_eq!(of(129).distinct(), of(u64::MAX).distinct());
            assert_eq!(of(129).shared(), of(u64::MAX).shared());
        }
        let twice = Numbers { numbers: vec![3, 1, 3, 64, 3], volume: 65 };
        assert_eq!(twice.shared(), [(3, 0), (3, 2), (3, 4)]);
    }
}
