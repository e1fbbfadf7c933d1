//! Values that change at clocks: the depth of a wire, the last word on it, the state of a PE.

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
