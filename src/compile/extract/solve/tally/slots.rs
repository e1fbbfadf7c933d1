//! Where and when points run at given sizes, in numbers.

use crate::mapping::{Axis, Calendar, Design, Fold, SpaceDesign};
use fixedbitset::FixedBitSet;
use systole_base::cell::Cell;
use systole_base::integer::{Affine, Bindings, Vector, dot};

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
    fn add_to(&self, column: &mut Vec<i64>, points: &[Vector]) -> Option<()> {
        let entries: Vec<(usize, i64)> =
            self.row.iter().copied().enumerate().filter(|(_, entry)| *entry != 0).collect();
        let largest = |index: usize| points.iter().map(|point| point[index].unsigned_abs()).max().unwrap_or(0);
        let reach = entries.iter().try_fold(self.start.unsigned_abs(), |sum, (index, entry)| {
            sum.checked_add(entry.unsigned_abs().checked_mul(largest(*index))?)
        })?;
        i64::try_from(reach).ok()?;
        let value = |point: &Vector| entries.iter().fold(self.start, |sum, (index, entry)| sum + entry * point[*index]);
        match self.folded {
            Some(axis) => column.extend(points.iter().map(|point| axis.pe(value(point)))),
            None => column.extend(points.iter().map(value)),
        }
        Some(())
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

/// How the array of a design is occupied by the points of each space; `None` where a number does not fit.
pub fn occupied(sizes: &Bindings, design: &Design, points: &[Vec<Vector>], cell: Cell) -> Option<Occupied> {
    let slots = all_slots(sizes, design, points)?;
    let (taken, sides) = slots.numbered()?;
    let is_apart = match cell.is_shared() {
        true => holds_all(&taken.numbers, points, cell),
        false => taken.distinct() == slots.count as u64,
    };
    let per_pe = sides[design.rank()..].iter().fold(1u64, |product, side| product.saturating_mul((*side).max(1)));
    let numbers = taken.numbers.into_iter().map(|slot| slot / per_pe).collect();
    Some(Occupied { pes: Numbers { numbers, volume: taken.volume.div_ceil(per_pe) }.distinct(), is_apart })
}

/// A number for the slot of each point, space by space: the same where two share a PE and a time. `None` where a number does not fit.
pub fn slot_numbers(sizes: &Bindings, design: &Design, points: &[Vec<Vector>]) -> Option<Numbers> {
    all_slots(sizes, design, points)?.numbered().map(|(numbers, _)| numbers)
}

/// Whether each slot has room for its points, which are of different spaces; the slots are numbered space by space.
fn holds_all(numbers: &[u64], points: &[Vec<Vector>], cell: Cell) -> bool {
    let spaces = points.iter().enumerate().flat_map(|(space, points)| points.iter().map(move |_| space));
    let mut taken: Vec<(u64, usize)> = numbers.iter().copied().zip(spaces).collect();
    taken.sort_unstable();
    let is_twice = taken.windows(2).any(|pair| pair[0] == pair[1]);
    !is_twice && taken.chunk_by(|one, other| one.0 == other.0).all(|step| cell.has_room_for(step.len() as u64))
}

/// How many cycles there are from the first point to the last, with both; `None` where a number does not fit.
pub fn cycles(sizes: &Bindings, design: &Design, points: &[Vec<Vector>], calendar: &Calendar) -> Option<u64> {
    let slots = all_slots(sizes, design, points)?;
    let mut time = vec![0; slots.columns.len() - design.rank()];
    let clocks = (0..slots.count).map(|point| {
        time.iter_mut().zip(&slots.columns[design.rank()..]).for_each(|(entry, column)| *entry = column[point]);
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

/// The slots of all points.
struct AllSlots {
    /// For each coordinate its value at each point.
    columns: Vec<Vec<i64>>,
    /// How many points there are.
    count: usize,
}

fn all_slots(sizes: &Bindings, design: &Design, points: &[Vec<Vector>]) -> Option<AllSlots> {
    let count = points.iter().map(Vec::len).sum();
    let width = design.rank() + design.rounds() + 1;
    let mut columns: Vec<Vec<i64>> = (0..width).map(|_| Vec::with_capacity(count)).collect();
    for (space, points) in points.iter().enumerate() {
        let slots = Slots::new(sizes, design, space)?;
        for (column, coordinate) in columns.iter_mut().zip(slots.rows()) {
            coordinate.add_to(column, points)?;
        }
    }
    Some(AllSlots { columns, count })
}

impl AllSlots {
    /// A number for each slot, in their order, the last coordinate fastest, and how long the range of each coordinate is.
    fn numbered(&self) -> Option<(Numbers, Vec<u64>)> {
        let (mut numbers, mut sides, mut volume) = (vec![0; self.count], vec![], 1u64);
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
