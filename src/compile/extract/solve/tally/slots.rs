//! Where and when points run at given sizes, in numbers.

use crate::mapping::{Design, Fold, Part};
use systole_base::integer::{Bindings, Vector, dot};

/// The PE and the time of a point; `None` where a number does not fit.
pub fn slot(sizes: &Bindings, design: &Design, space: usize, point: &[i64]) -> Option<(Vector, i64)> {
    Slots::new(sizes, design, space)?.of(point)
}

/// Where and when the points of a space run.
pub struct Slots<'a> {
    part: &'a Part,
    fold: &'a Fold,
    origin: Vector,
    start: i64,
}

impl<'a> Slots<'a> {
    /// `None` where a number does not fit.
    pub fn new(sizes: &Bindings, design: &'a Design, space: usize) -> Option<Slots<'a>> {
        let part = &design.parts[space];
        let origin = part.origin.iter().map(|form| form.evaluate(sizes)).collect::<Option<_>>()?;
        Some(Slots { part, fold: &design.fold, origin, start: part.start.evaluate(sizes)? })
    }

    /// The PE and the time of a point; `None` where a number does not fit.
    pub fn of(&self, point: &[i64]) -> Option<(Vector, i64)> {
        let mut slot: Vector = self.coordinates(point).collect::<Option<_>>()?;
        let time = slot.pop()?;
        Some((slot, time))
    }

    /// The coordinates of the PE of a point, then its time.
    fn coordinates(&self, point: &[i64]) -> impl Iterator<Item = Option<i64>> {
        let rows = self.part.map.place.rows().iter().zip(&self.origin).enumerate();
        let place = move |(axis, (row, origin)): (usize, (&Vector, &i64))| {
            Some(self.fold.axis(axis).pe(dot(row, point).checked_add(*origin)?))
        };
        let time = self.part.map.step.rows().last().and_then(|row| dot(row, point).checked_add(self.start));
        rows.map(place).chain([time])
    }
}

/// How busy an array is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Busy {
    /// How many PEs run a point.
    pub pes: u64,
    /// How many steps there are from the first point to the last, with both.
    pub cycles: u64,
    /// Whether no two points share a PE and a time.
    pub is_apart: bool,
}

/// How busy the array of a design is, for the points of each space; `None` where a number does not fit.
pub fn busy(sizes: &Bindings, design: &Design, points: &[Vec<Vector>]) -> Option<Busy> {
    let (width, mut all) = (design.rank() + 1, vec![]);
    for (space, points) in points.iter().enumerate() {
        let slots = Slots::new(sizes, design, space)?;
        for point in points {
            slots.coordinates(point).try_for_each(|entry| entry.map(|entry| all.push(entry)))?;
        }
    }
    let (mut slots, cycles) = numbered(&all, width)?;
    slots.sort_unstable();
    slots.dedup();
    let is_apart = slots.len() * width == all.len();
    slots.iter_mut().for_each(|slot| *slot /= cycles.max(1));
    slots.dedup();
    Some(Busy { pes: slots.len() as u64, cycles, is_apart })
}

/// A number for each slot of so many coordinates, in their order, the last fastest, and how long the range of the last is.
fn numbered(all: &[i64], width: usize) -> Option<(Vec<u64>, u64)> {
    let ends = |column: usize| {
        let values = || all.iter().skip(column).step_by(width);
        (values().min().copied().unwrap_or(0), values().max().copied().unwrap_or(-1))
    };
    let ends: Vec<(i64, i64)> = (0..width).map(ends).collect();
    let sides = ends.iter().map(|(low, high)| u64::try_from(high.checked_sub(*low)?.checked_add(1)?).ok());
    let sides = sides.collect::<Option<Vec<u64>>>()?;
    sides.iter().try_fold(1u64, |volume, side| volume.checked_mul((*side).max(1)))?;
    let number = |slot: &[i64]| {
        let digits = slot.iter().zip(&ends).zip(&sides);
        digits.fold(0, |sum, ((value, (low, _)), side)| sum * side + (value - low) as u64)
    };
    Some((all.chunks_exact(width).map(number).collect(), *sides.last()?))
}
