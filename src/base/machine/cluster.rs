//! What a cluster takes for what programs do on it, in seconds.
//!
//! In: numbers of a machine file, as `systole calibrate` measures them. Out: the time of a message, of an op, of a word of
//! memory, and of a call of a leaf. A message of `n` bytes is there `alpha + beta n` seconds after it left, and whom it comes to is
//! held up by `gamma n`, as in LogP's kin.
//! The rate of a leaf depends on its size, so it is a table by the side of a tile; and on where its tiles are, which is told by
//! their reuse distance: how much has been touched since they were touched last (Mattson et al., 1970).

use super::rate::{Rate, Warmth, at};

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

/// Bytes of a MiB.
const MIB: f64 = (1 << 20) as f64;

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
    /// For each of [`TASKS`] which share of a tile comes out of memory, by the MiB that its worker has touched since it touched the tile
    /// last, in rising order: what a product hides of a cache's latency, a solve waits for.
    pub reuse: [Vec<(u64, f64)>; TASKS.len()],
    /// For each of [`LIBRARIES`] its rates, one for each of [`TASKS`].
    pub rates: [[Rate; TASKS.len()]; LIBRARIES.len()],
}

impl Cluster {
    /// Seconds of a call in which a library applies so many scalar functions for a task, with its tiles in memory and in the cache;
    /// `None` where its rate is not known.
    pub fn seconds(&self, library: usize, task: usize, applied: u64) -> Option<Warmth> {
        let applied = applied as f64;
        let side = match CUBES[task] {
            Some(cubes) => (applied / cubes).cbrt(),
            None => applied.sqrt(),
        };
        Some(self.rates[library][task].at(side)?.map(|rate| applied / (1e9 * rate)))
    }

    /// Which share of a tile comes out of memory for a task after so many bytes; nothing where no shares are known.
    pub fn cold(&self, task: usize, distance: u64) -> f64 {
        at(&self.reuse[task], distance as f64 / MIB, |share| *share).unwrap_or(0.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A product of side 20 has 16 000 applications, a call of anything else of 400 stands for the same side.
    #[test]
    fn the_side_of_a_call_follows_from_what_it_applies() {
        let rates = [(10, 1.0), (20, 4.0), (40, 8.0)];
        let by_side = Rate::BySide(rates.map(|(side, rate)| (side, Warmth { cold: rate, warm: 2.0 * rate })).to_vec());
        let mut cluster = Cluster::default();
        cluster.rates[1][0] = by_side.clone();
        cluster.rates[0][OTHER] = by_side;
        assert_eq!(cluster.seconds(1, 0, 16_000), Some(Warmth { cold: 4e-6, warm: 2e-6 }));
        assert_eq!(cluster.seconds(0, OTHER, 400), Some(Warmth { cold: 1e-7, warm: 0.5e-7 }));
        assert_eq!(cluster.seconds(2, 0, 1), None);
    }

    #[test]
    fn the_share_out_of_memory_rises_with_the_distance() {
        let mut cluster = Cluster::default();
        cluster.reuse[2] = vec![(1, 0.0), (8, 0.0), (16, 0.5), (64, 1.0)];
        let found = [0, 1, 8, 12, 16, 40, 64, 1000].map(|mib| cluster.cold(2, mib << 20));
        assert_eq!(found, [0.0, 0.0, 0.0, 0.25, 0.5, 0.75, 1.0, 1.0]);
        assert_eq!(cluster.cold(0, u64::MAX), 0.0, "of another task");
    }
}
