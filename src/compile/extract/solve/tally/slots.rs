//! Where and when points run at given sizes, in numbers.

use crate::mapping::{Calendar, Design, Fold, SpaceDesign};
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
        let mut pe: Vector = self.coordinates(point).collect::<Option<_>>()?;
        let time = pe.split_off(self.origin.len());
        Some((pe, time))
    }

    /// The coordinates of the PE of a point, then its time.
    fn coordinates(&self, point: &[i64]) -> impl Iterator<Item = Option<i64>> {
        let rows = self.part.map.place.rows().iter().zip(&self.origin).enumerate();
        let place = move |(axis, (row, origin)): (usize, (&Vector, &i64))| {
            Some(self.fold.axis(axis).pe(dot(row, point).checked_add(*origin)?))
        };
        let steps = self.part.map.step.rows().iter().zip(&self.starts);
        rows.map(place).chain(steps.map(|(row, start)| dot(row, point).checked_add(*start)))
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
    let (mut numbers, sides) = slots.numbered()?;
    let shared = cell.is_shared().then(|| holds_all(&numbers, points, cell));
    numbers.sort_unstable();
    numbers.dedup();
    let is_apart = shared.unwrap_or(numbers.len() * slots.width == slots.all.len());
    let per_pe = sides[design.rank()..].iter().fold(1u64, |product, side| product.saturating_mul((*side).max(1)));
    numbers.iter_mut().for_each(|slot| *slot /= per_pe);
    numbers.dedup();
    Some(Occupied { pes: numbers.len() as u64, is_apart })
}

/// A number for the slot of each point, space by space: the same where two share a PE and a time. `None` where a number does not fit.
pub fn slot_numbers(sizes: &Bindings, design: &Design, points: &[Vec<Vector>]) -> Option<Vec<u64>> {
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
    let clocks = slots.all.chunks_exact(slots.width).map(|slot| calendar.clock(&slot[design.rank()..]));
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

/// The slots of all points, their coordinates one after the other.
struct AllSlots {
    all: Vec<i64>,
    /// How many coordinates one has.
    width: usize,
}

fn all_slots(sizes: &Bindings, design: &Design, points: &[Vec<Vector>]) -> Option<AllSlots> {
    let (width, mut all) = (design.rank() + design.rounds() + 1, vec![]);
    for (space, points) in points.iter().enumerate() {
        let slots = Slots::new(sizes, design, space)?;
        for point in points {
            slots.coordinates(point).try_for_each(|entry| entry.map(|entry| all.push(entry)))?;
        }
    }
    Some(AllSlots { all, width })
}

impl AllSlots {
    /// A number for each slot, in their order, the last coordinate fastest, and how long the range of each coordinate is.
    fn numbered(&self) -> Option<(Vec<u64>, Vec<u64>)> {
        let ends = |column: usize| {
            let values = || self.all.iter().skip(column).step_by(self.width);
            (values().min().copied().unwrap_or(0), values().max().copied().unwrap_or(-1))
        };
        let ends: Vec<(i64, i64)> = (0..self.width).map(ends).collect();
        let sides = ends.iter().map(|(low, high)| u64::try_from(high.checked_sub(*low)?.checked_add(1)?).ok());
        let sides = sides.collect::<Option<Vec<u64>>>()?;
        sides.iter().try_fold(1u64, |volume, side| volume.checked_mul((*side).max(1)))?;
        let number = |slot: &[i64]| {
            let digits = slot.iter().zip(&ends).zip(&sides);
            digits.fold(0, |sum, ((value, (low, _)), side)| sum * side + (value - low) as u64)
        };
        Some((self.all.chunks_exact(self.width).map(number).collect(), sides))
    }
}
