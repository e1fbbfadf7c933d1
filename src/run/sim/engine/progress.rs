//! The time of a PE's own work, on machines where it takes any, for all PEs of a block that stand at one op.
//!
//! In: when an op is done. Out: clocks that have risen to it, in which the PEs are busy. The rules are those of
//! [`Durations`]; where no work takes time nothing here is done.

use super::lanes::{Fault, LANES, Lanes, try_each_lane};
use super::step::Step;
use crate::sim::durations::Durations;
use crate::sim::observe::{Event, Observer};
use systole_program::array::Trouble;

/// Where a PE is in its step.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Progress {
    /// The clock at which the step began.
    pub began: u64,
    /// Words that have passed the port since.
    pub words: u64,
}

impl<O: Observer> Step<'_, O> {
    /// A `let` takes its time.
    #[inline(always)]
    pub(super) fn spend(&mut self, operation: usize) -> Result<(), Fault> {
        match &self.shared.durations {
            Some(durations) => self.advance(|clock, progress| (clock.checked_add(durations.lets[operation]), progress)),
            None => Ok(()),
        }
    }

    /// A word passes the port, and is done when `done` says of its number in the step.
    #[inline(always)]
    pub(super) fn pass_port(&mut self, done: impl Fn(&Durations, u64) -> u64) -> Result<(), Fault> {
        match &self.shared.durations {
            Some(durations) => self.advance(|clock, Progress { began, words }| {
                let done = began.checked_add(done(durations, words)).map(|done| done.max(clock));
                (done, Progress { began, words: words + 1 })
            }),
            None => Ok(()),
        }
    }

    /// So many steps have passed since the PEs began theirs; gives who has done it, which is everyone.
    pub(super) fn end_step(&mut self, steps: u64) -> Result<u64, Fault> {
        let step = self.shared.durations.as_ref().map_or(1, |durations| durations.step);
        self.advance(|clock, Progress { began, .. }| {
            let due = step.checked_mul(steps).and_then(|cycles| began.checked_add(cycles));
            let end = due.zip(clock.checked_add(steps)).map(|(due, late)| due.max(late));
            (end, Progress { began: end.unwrap_or(0), words: 0 })
        })?;
        self.block.began |= self.mask;
        Ok(self.mask)
    }

    /// Clocks at which steps begin, which PEs now do.
    pub(super) fn begin_steps(&mut self, mut steps: Lanes<i64>) -> Result<Lanes<i64>, Fault> {
        let Some(durations) = &self.shared.durations else { return Ok(steps) };
        let step = i64::try_from(durations.step).unwrap_or(i64::MAX);
        self.block.progress.resize(LANES, Progress::default());
        try_each_lane(self.mask, |lane| {
            steps[lane] = steps[lane].checked_mul(step).ok_or(Trouble::Overflow)?;
            let began = self.block.clock[lane].max(u64::try_from(steps[lane]).unwrap_or(0));
            self.block.progress[lane] = Progress { began, words: 0 };
            Ok(())
        })?;
        Ok(steps)
    }

    #[cold]
    fn advance(&mut self, next: impl Fn(u64, Progress) -> (Option<u64>, Progress)) -> Result<(), Fault> {
        self.block.progress.resize(LANES, Progress::default());
        try_each_lane(self.mask, |lane| {
            let (pe, from) = (self.pe(lane), self.block.clock[lane]);
            let (to, after) = next(from, self.block.progress[lane]);
            let to = to.ok_or(Trouble::Overflow)?;
            self.block.work_until(lane, to, &mut self.around.profile);
            self.block.progress[lane] = after;
            if to > from {
                self.observer.see(Event::Busy { pe, from, to });
            }
            Ok(())
        })
    }
}
