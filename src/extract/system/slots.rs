//! Where and when points run at given sizes, in numbers.

use crate::integer::{Bindings, Vector, dot};
use crate::mapping::{Fold, Part, SystemDesign};

/// The PE and the time of a point; `None` where a number does not fit.
pub fn slot(sizes: &Bindings, design: &SystemDesign, space: usize, point: &[i64]) -> Option<(Vector, i64)> {
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
    pub fn new(sizes: &Bindings, design: &'a SystemDesign, space: usize) -> Option<Slots<'a>> {
        let part = &design.parts[space];
        let origin = part.origin.iter().map(|form| form.evaluate(sizes)).collect::<Option<_>>()?;
        Some(Slots { part, fold: &design.fold, origin, start: part.start.evaluate(sizes)? })
    }

    /// The PE and the time of a point; `None` where a number does not fit.
    pub fn of(&self, point: &[i64]) -> Option<(Vector, i64)> {
        let rows = self.part.map.place.apply(point).into_iter().zip(&self.origin);
        let pe: Option<Vector> = rows.map(|(value, origin)| value.checked_add(*origin)).collect();
        Some((self.fold.pe(pe?), self.time(point)?))
    }

    fn time(&self, point: &[i64]) -> Option<i64> {
        dot(self.part.map.step.rows().last()?, point).checked_add(self.start)
    }

    /// Appends the coordinates of the PE of each point, and its time.
    fn list(&self, points: &[Vector], all: &mut Vec<i64>) -> Option<()> {
        for point in points {
            for (axis, (row, origin)) in self.part.map.place.rows().iter().zip(&self.origin).enumerate() {
                let place = dot(row, point).checked_add(*origin)?;
                all.push(if self.fold.is_none() { place } else { self.fold.axis(axis).pe(place) });
            }
            all.push(self.time(point)?);
        }
        Some(())
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

/// How busy the array of some spaces of a design is, each given with its points; `None` where a number does not fit.
pub fn busy<'a>(
    sizes: &Bindings,
    design: &SystemDesign,
    spaces: impl IntoIterator<Item = (usize, &'a Vec<Vector>)>,
) -> Option<Busy> {
    let (width, mut all) = (design.rank() + 1, vec![]);
    for (space, points) in spaces {
        Slots::new(sizes, design, space)?.list(points, &mut all)?;
    }
    let count = all.len() / width;
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
    let mut slots: Vec<u64> = all.chunks_exact(width).map(number).collect();
    slots.sort_unstable();
    slots.dedup();
    let cycles = sides[width - 1];
    let is_apart = slots.len() == count;
    slots.iter_mut().for_each(|slot| *slot /= cycles.max(1));
    slots.dedup();
    Some(Busy { pes: slots.len() as u64, cycles, is_apart })
}
