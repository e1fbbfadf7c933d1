//! Every step of a small box.
//!
//! In: the conditions on the steps of a placement and dataflow, and a box. Out: all linear steps within it that satisfy them,
//! not only the shortest: another step may need fewer words or channels.

use crate::extract::solve::steps::Conditions;
use crate::mapping::{Design, SpaceDesign, holds};
use crate::smt::Unequal;
use systole_base::integer::Vector;

/// Boxes of more steps than this are not enumerated.
const MOST_STEPS: u64 = 20_000;

impl Conditions {
    /// Every linear step within the box that satisfies all conditions; `None` where the box is too large to look through.
    pub fn within(&self, design: &Design, (low, high): (i64, i64)) -> Option<Vec<Vec<SpaceDesign>>> {
        // An index that numbers the rounds alone would only shift each round.
        let numbers = |space: usize, index: usize| {
            let alone = |row: &Vector| row.iter().enumerate().all(|(other, entry)| (other == index) == (*entry != 0));
            design.parts[space].rounds().iter().any(alone)
        };
        let of_space = |space: usize| {
            let indices = self.unknowns.step(space).take(design.system.spaces[space].dimension());
            indices.enumerate().filter(move |(index, _)| !numbers(space, *index)).map(|(_, position)| position)
        };
        let free: Vec<usize> = (0..design.system.spaces.len()).flat_map(of_space).collect();
        let choices = u64::try_from(high - low + 1).ok()?;
        u32::try_from(free.len()).ok().and_then(|count| choices.checked_pow(count)).filter(|all| *all <= MOST_STEPS)?;
        let mut found = vec![];
        let mut values = vec![0; self.unknowns.count()];
        self.enumerate(&free, (low, high), &mut values, &mut |values| found.push(self.parts(design, values)));
        Some(found)
    }

    fn enumerate(&self, free: &[usize], range: (i64, i64), values: &mut Vector, see: &mut dyn FnMut(&[i64])) {
        let Some((first, rest)) = free.split_first() else {
            let apart = |sum: &Unequal| systole_base::integer::dot(&sum.coefficients, values) != sum.value;
            if holds(&self.rows, values) && self.unequal.iter().all(apart) {
                see(values);
            }
            return;
        };
        for value in range.0..=range.1 {
            values[*first] = value;
            self.enumerate(rest, range, values, see);
        }
        values[*first] = 0;
    }
}
