//! Values that change at clocks: the depth of a wire, the last word on it, the state of a PE.
//!
//! In: what a recorder kept. Out: a [`Curve`]. Its first point is at the start of the window, so the value at every cycle
//! of the window is known.

use super::Window;
use super::record::WireRecord;

/// The clocks at which a value changes, rising, each with the new value; neighbours differ.
#[derive(Clone, Debug)]
pub(super) struct Curve<T> {
    points: Vec<(u64, T)>,
}

impl<T: Copy + PartialEq> Curve<T> {
    /// A value from a clock on.
    pub fn new(clock: u64, value: T) -> Curve<T> {
        Curve { points: vec![(clock, value)] }
    }

    /// The value from a clock on, which is not before the last one; of several values at one clock the last stays.
    pub fn set(&mut self, clock: u64, value: T) {
        if self.points.last().is_some_and(|(last, _)| *last == clock) {
            self.points.pop();
        }
        if self.points.last().is_none_or(|(_, last)| *last != value) {
            self.points.push((clock, value));
        }
    }

    /// The changes; the first is the value at the start.
    pub fn points(&self) -> &[(u64, T)] {
        &self.points
    }
}

/// How many words hold a slot of a wire: from the clock of the send until `response` cycles after the receive.
pub(super) fn depth(record: &WireRecord, window: Window, response: u64) -> Curve<u64> {
    let freed = record.receipts.iter().map(|receipt| receipt.clock.saturating_add(response));
    let freed = freed.filter(|clock| window.holds(*clock)).map(|clock| (clock, false));
    let mut changes: Vec<(u64, bool)> = record.words.iter().map(|word| (word.clock, true)).chain(freed).collect();
    // Those that take a slot first, so that the depth is never less than nothing.
    changes.sort_by_key(|(clock, takes)| (*clock, !takes));
    let mut depth = record.depth_before;
    let mut curve = Curve::new(window.from(), depth);
    for (clock, takes) in changes {
        depth = if takes { depth + 1 } else { depth - 1 };
        curve.set(clock, depth);
    }
    curve
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_comes_and_goes_in_one_cycle_is_no_change() {
        let mut curve = Curve::new(3, 0);
        for (clock, value) in [(3, 1), (5, 2), (5, 1), (6, 1), (7, 4)] {
            curve.set(clock, value);
        }
        assert_eq!(curve.points(), [(3, 1), (7, 4)]);
    }
}
