//! What one worker does when, by the clock of its machine.
//!
//! In: what it does, as it does it. Out: a [`Lane`]: moments in the order in which they ended, up to a bound, and how long it
//! waited, sent and received in all, which is counted in every run. Nanoseconds since a start that all workers share.

use std::time::Instant;

/// How many moments of a worker are kept.
pub const MOST_MOMENTS: usize = 1 << 16;

/// What a worker does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Activity {
    /// Gives each PE that can go on a turn.
    Turns,
    /// Computes the tile of a `let`, by its position in the code, at a PE.
    Leaf {
        /// The `let`.
        operation: usize,
        /// The PE, as a position in the code.
        pe: usize,
    },
    /// No PE can go on, or a rank cannot send before MPI has what it sent.
    Wait,
    /// Hands a packet to the transport, until that has it.
    Send {
        /// The worker it goes to.
        to: usize,
        /// Entries and elements in it.
        size: usize,
    },
    /// Takes a packet in; a rank receives its tiles first.
    Deliver {
        /// Entries and elements in it.
        size: usize,
    },
    /// So many receives have been posted ahead.
    Post {
        /// How many.
        receives: usize,
    },
}

/// An activity and its time, in nanoseconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Moment {
    /// What is done.
    pub activity: Activity,
    /// When it begins.
    pub from: u64,
    /// When it ends.
    pub to: u64,
}

/// What one worker did.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Lane {
    /// In the order in which they ended; the first [`MOST_MOMENTS`] of them.
    pub moments: Vec<Moment>,
    /// How many more there were.
    pub left_out: u64,
    /// Nanoseconds of waiting.
    pub waited: u64,
    /// Nanoseconds in which packets were handed to the transport.
    pub sent: u64,
    /// Nanoseconds in which packets that had come, and their tiles, were taken in.
    pub received: u64,
}

/// A lane that is being recorded.
#[derive(Clone, Debug)]
pub struct Tape {
    start: Instant,
    keeps: bool,
    lane: Lane,
}

impl Tape {
    /// A tape that keeps moments, or counts only.
    pub fn new(start: Instant, keeps: bool) -> Tape {
        Tape { start, keeps, lane: Lane::default() }
    }

    /// Whether moments are kept.
    pub fn keeps(&self) -> bool {
        self.keeps
    }

    /// The time.
    pub fn now(&self) -> u64 {
        u64::try_from(self.start.elapsed().as_nanos()).unwrap_or(u64::MAX)
    }

    /// Notes what was done since a time.
    pub fn note(&mut self, activity: Activity, from: u64) {
        let to = self.now();
        match activity {
            Activity::Wait => self.lane.waited += to.saturating_sub(from),
            Activity::Send { .. } => self.lane.sent += to.saturating_sub(from),
            Activity::Deliver { .. } => self.lane.received += to.saturating_sub(from),
            _ => {}
        }
        if self.keeps && self.lane.moments.len() < MOST_MOMENTS {
            self.lane.moments.push(Moment { activity, from, to });
        } else if self.keeps {
            self.lane.left_out += 1;
        }
    }

    /// What was recorded.
    pub fn into_lane(self) -> Lane {
        self.lane
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tape_keeps_so_many_moments_and_counts_the_rest() {
        let mut tape = Tape::new(Instant::now(), true);
        (0..MOST_MOMENTS + 3).for_each(|_| tape.note(Activity::Turns, 0));
        tape.note(Activity::Wait, 0);
        let lane = tape.into_lane();
        assert_eq!((lane.moments.len(), lane.left_out, lane.sent), (MOST_MOMENTS, 4, 0));
        assert!(lane.waited > 0);
    }

    #[test]
    fn a_tape_that_keeps_nothing_counts_still() {
        let mut tape = Tape::new(Instant::now(), false);
        tape.note(Activity::Send { to: 1, size: 2 }, 0);
        tape.note(Activity::Deliver { size: 2 }, 0);
        let lane = tape.into_lane();
        assert!(lane.moments.is_empty() && lane.left_out == 0 && lane.sent > 0 && lane.received > 0);
    }
}
