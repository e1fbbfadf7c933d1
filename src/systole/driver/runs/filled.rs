//! Inputs that the user gives no file for: numbers that depend on a seed and their address alone, so that any part of them can
//! be made when it is asked for.

use std::ops::Range;
use systole_base::diagnostic::Checked;
use systole_equations::recurrence::Assumption;
use systole_program::array::elements::Source;

/// What SplitMix64 adds for each number: 2^64 divided by the golden ratio.
const STEP: u64 = 0x9E37_79B9_7F4A_7C15;

/// An array of generated numbers.
#[derive(Clone, Debug)]
pub struct Filled {
    /// The extents.
    pub shape: Vec<usize>,
    pub seed: u64,
    /// What its values are like; otherwise numbers in -1 to 1.
    pub assumption: Option<Assumption>,
}

impl Filled {
    /// The number at an address before anything is assumed, in -1 to 1 (SplitMix64).
    fn number(&self, address: usize) -> f64 {
        let state = self.seed.wrapping_add(address as u64).wrapping_add(1).wrapping_mul(STEP);
        let mixed = (state ^ (state >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        ((mixed ^ (mixed >> 31)) >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    }
}

impl Source for Filled {
    fn shape(&self) -> &[usize] {
        &self.shape
    }

    fn read(&mut self, runs: &[Range<usize>], values: &mut Vec<f64>) -> Checked<()> {
        let number = |address| self.number(address);
        let element = |address| match self.assumption {
            Some(assumption) => assumption.element(&self.shape, address, &number),
            None => number(address),
        };
        values.extend(runs.iter().flat_map(Range::clone).map(element));
        Ok(())
    }
}
