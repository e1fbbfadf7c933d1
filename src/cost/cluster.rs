//! What a cluster takes for what programs do on it, in seconds.
//!
//! In: numbers of a machine file, as `systole calibrate` measures them. Out: the time of a message, of an op, of a word of
//! memory, and of a call of a leaf. A message of `n` bytes is there `alpha + beta n` seconds after it left, and whom it comes to is
//! held up by `gamma n`, as in LogP's kin.
//! The rate of a leaf depends on its size, so it is a table by the side of a tile.

/// Who works on tiles: the sections of a machine file that hold rates.
pub const LIBRARIES: [&str; 3] = ["loops", "faer", "openblas"];

/// What leaves do, by the routines of libraries; the last is everything else.
pub const TASKS: [&str; 7] = ["gemm", "syrk", "trsm", "potrf", "trtri", "getrf", "other"];

/// Everything else, as a position in [`TASKS`].
pub const OTHER: usize = TASKS.len() - 1;

/// The position of a library in [`LIBRARIES`]; that of loops, the first, for an unknown word.
#[must_use]
pub fn library(keyword: &str) -> usize {
    LIBRARIES.iter().position(|library| *library == keyword).unwrap_or(0)
}

/// How many scalar functions each task applies, about, at a tile of side `s`, in cubes `s s s`; everything else in squares.
const CUBES: [Option<f64>; TASKS.len()] =
    [Some(2.0), Some(1.0), Some(1.0), Some(1.0 / 3.0), Some(1.0 / 3.0), Some(2.0 / 3.0), None];

/// The times of a cluster.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Cluster {
    /// Seconds from a send until an empty message is there (alpha).
    pub message: f64,
    /// Seconds that a byte of a message takes more (beta).
    pub byte: f64,
    /// Seconds that a byte of a message holds up the worker it comes to (gamma): without a device that copies, it does so itself.
    pub taken: f64,
    /// Seconds of a byte of a tile that a PE loads, stores or begins.
    pub memory: f64,
    /// Seconds of one op of the interpreter.
    pub operation: f64,
    /// For each of [`LIBRARIES`] its rates, one for each of [`TASKS`].
    pub rates: [[Rate; TASKS.len()]; LIBRARIES.len()],
}

impl Cluster {
    /// Seconds of a call in which a library applies so many scalar functions for a task; `None` where its rate is not known.
    pub fn seconds(&self, library: usize, task: usize, applied: u64) -> Option<f64> {
        let applied = applied as f64;
        let side = match CUBES[task] {
            Some(cubes) => (applied / cubes).cbrt(),
            None => applied.sqrt(),
        };
        Some(applied / (1e9 * self.rates[library][task].at(side)?))
    }
}

/// How fast a task is done, in 10^9 applications of scalar functions a second.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum Rate {
    /// Not known.
    #[default]
    Unknown,
    /// The same for all tiles.
    Constant(f64),
    /// Sides of tiles with the rates of these, in rising order.
    BySide(Vec<(u64, f64)>),
}

impl Rate {
    /// The rate at a side: between two sides of the table on the line through them, beyond its ends as at the end.
    pub fn at(&self, side: f64) -> Option<f64> {
        let table = match self {
            Rate::Unknown => return None,
            Rate::Constant(rate) => return Some(*rate),
            Rate::BySide(table) => table,
        };
        let above = table.iter().position(|(known, _)| *known as f64 >= side);
        match above {
            None => table.last().map(|(_, rate)| *rate),
            Some(0) => table.first().map(|(_, rate)| *rate),
            Some(above) => {
                let [(low, slow), (high, fast)] = [table[above - 1], table[above]];
                let share = (side - low as f64) / (high - low) as f64;
                Some(slow + (fast - slow) * share)
            }
        }
    }

    /// As a machine file writes it; `None` where it is not known.
    pub fn shown(&self) -> Option<String> {
        match self {
            Rate::Unknown => None,
            Rate::Constant(rate) => Some(format!("{rate:?}")),
            Rate::BySide(table) => {
                let entries: Vec<String> = table.iter().map(|(side, rate)| format!("{side} = {rate:?}")).collect();
                Some(format!("{{ {} }}", entries.join(", ")))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rate_lies_on_the_line_between_two_sides_and_stays_beyond_the_ends() {
        let rate = Rate::BySide(vec![(10, 1.0), (20, 3.0), (40, 4.0)]);
        let found = [1.0, 10.0, 15.0, 20.0, 30.0, 40.0, 1e9].map(|side| rate.at(side));
        assert_eq!(found, [1.0, 1.0, 2.0, 3.0, 3.5, 4.0, 4.0].map(Some));
        assert_eq!((Rate::Constant(2.5).at(7.0), Rate::Unknown.at(7.0)), (Some(2.5), None));
    }

    /// A product of side 20 has 16 000 applications, a call of anything else of 400 stands for the same side.
    #[test]
    fn the_side_of_a_call_follows_from_what_it_applies() {
        let by_side = Rate::BySide(vec![(10, 1.0), (20, 4.0), (40, 8.0)]);
        let mut cluster = Cluster::default();
        cluster.rates[1][0] = by_side.clone();
        cluster.rates[0][OTHER] = by_side;
        assert_eq!(cluster.seconds(1, 0, 16_000), Some(4e-6));
        assert_eq!(cluster.seconds(0, OTHER, 400), Some(1e-7));
        assert_eq!(cluster.seconds(2, 0, 1), None);
    }
}
