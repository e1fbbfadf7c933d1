//! The points of a space at given sizes, which every map of it has in common.

use crate::memo::Memo;
use std::collections::HashMap;
use std::sync::Arc;
use systole_base::integer::{Bindings, Vector};
use systole_equations::recurrence::Space;

/// The points of a space, and for each direction that was asked for which point lies there.
pub struct Points {
    numbered: Numbered,
    shifted: Memo<(Vector, i64), Arc<Shifted>>,
}

impl Points {
    /// Lists them; `None` where the domain is not bounded.
    pub fn of(space: &Space, sizes: &Bindings) -> Option<Points> {
        space.domain.set.points(space.indices(), sizes).map(Points::new)
    }

    /// Those that are listed already, in their order.
    pub fn new(all: Vec<Vector>) -> Points {
        Points { numbered: Numbered::new(all), shifted: Memo::default() }
    }

    /// All of them, in their order.
    pub(super) fn all(&self) -> &[Vector] {
        &self.numbered.all
    }

    /// For each point the one so many times `by` away, where the space has it.
    pub(super) fn shifted(&self, by: &[i64], times: i64) -> Arc<Shifted> {
        self.shifted.of((by.to_vec(), times), |_| {
            let mut moved = vec![0; by.len()];
            let shift = |point: &Vector| {
                moved.iter_mut().zip(point.iter().zip(by)).for_each(|(entry, (x, d))| *entry = x + times * d);
                self.numbered.slot_of(&moved)
            };
            Arc::new(Shifted(self.numbered.all.iter().map(shift).collect()))
        })
    }
}

/// For each point another one, by its number plus 1; 0 where there is none.
pub(super) struct Shifted(Vec<u32>);

impl Shifted {
    /// The one for a point.
    pub fn of(&self, point: usize) -> Option<usize> {
        (self.0[point] as usize).checked_sub(1)
    }
}

/// Vectors in their order, each of which is found by its number.
pub(super) struct Numbered {
    pub all: Vec<Vector>,
    low: Vector,
    sides: Vector,
    /// In the box around them, the last entry fastest: the number of each plus 1, and 0 where there is none.
    slots: Vec<u32>,
    /// The same where the box is large and has few of them.
    sparse: HashMap<Vector, u32>,
}

/// A box has at most so many times as many places as vectors in it, and so many more.
const ROOMY: i64 = 32;

impl Numbered {
    pub fn new(all: Vec<Vector>) -> Numbered {
        let axes = all.first().map_or(0, Vec::len);
        let end = |axis: usize, of: fn(i64, i64) -> i64| all.iter().map(|vector| vector[axis]).reduce(of).unwrap_or(0);
        let low: Vector = (0..axes).map(|axis| end(axis, i64::min)).collect();
        let sides: Vector = (0..axes).map(|axis| end(axis, i64::max) - low[axis] + 1).collect();
        let volume = sides.iter().try_fold(1i64, |volume, side| volume.checked_mul(*side));
        let most = (all.len() as i64 + 1) * ROOMY;
        let mut numbered = Numbered { all: vec![], low, sides, slots: vec![], sparse: HashMap::new() };
        match volume.filter(|volume| *volume <= most).and_then(|volume| usize::try_from(volume).ok()) {
            Some(volume) => {
                numbered.slots = vec![0; volume];
                for (number, vector) in (1..).zip(&all) {
                    if let Some(slot) = numbered.slot(vector) {
                        numbered.slots[slot] = number;
                    }
                }
            }
            None => numbered.sparse = all.iter().cloned().zip(1..).collect(),
        }
        Numbered { all, ..numbered }
    }

    fn slot(&self, vector: &[i64]) -> Option<usize> {
        let mut slot = 0;
        for (entry, (low, side)) in vector.iter().zip(self.low.iter().zip(&self.sides)) {
            let at = entry - low;
            if at < 0 || at >= *side {
                return None;
            }
            slot = slot * side + at;
        }
        usize::try_from(slot).ok()
    }

    /// The number of a vector.
    pub fn number(&self, vector: &[i64]) -> Option<usize> {
        (self.slot_of(vector) as usize).checked_sub(1)
    }

    /// The number of a vector plus 1, or 0.
    fn slot_of(&self, vector: &[i64]) -> u32 {
        match self.slots.is_empty() {
            true => self.sparse.get(vector).copied().unwrap_or(0),
            false => self.slot(vector).map_or(0, |slot| self.slots[slot]),
        }
    }
}
