//! The time of a PE's own work, on machines where it takes any, for all PEs of a block that stand at one op.
//!
//! In: when an op is done. Out: clocks that have risen to it, in which the PEs are busy. The rules are those of
//! [`Durations`]; where no work takes time nothing here is done.

use super::block::Block;
use super::lanes::{Fault, LANES, Lanes, each_lane, try_each_lane};
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
            Some(durations) => {
                self.advance(|_, clock, progress| (clock.checked_add(durations.lets[operation]), progress))
            }
            None => Ok(()),
        }
    }

    /// A word passes the port, and is done when `done` says of its number in the step.
    #[inline(always)]
    pub(super) fn pass_port(&mut self, done: impl Fn(&Durations, u64) -> u64) -> Result<(), Fault> {
        match &self.shared.durations {
            Some(durations) => self.advance(|_, clock, Progress { began, words }| {
                let done = began.checked_add(done(durations, words)).map(|done| done.max(clock));
                (done, Progress { began, words: words + 1 })
            }),
            None => Ok(()),
        }
    }

    /// A word is loaded: it passes the port, when it is there or one latency after the PE has asked for it.
    #[inline(always)]
    pub(super) fn pass_port_to_load(&mut self, array: usize) -> Result<(), Fault> {
        let Some(durations) = &self.shared.durations else { return Ok(()) };
        match durations.outstanding[array] {
            Some(outstanding) => self.take_asked((array, outstanding), durations),
            None => self.pass_port(Durations::load),
        }
    }

    /// Words that were asked for ahead pass the ports when they are there.
    #[cold]
    fn take_asked(&mut self, (array, outstanding): (usize, u64), durations: &Durations) -> Result<(), Fault> {
        let mut there = [0; LANES];
        let Block { asked, clock, began, idle_before, .. } = &mut *self.block;
        each_lane(self.mask, |lane| {
            let asked = asked.entry((lane, array)).or_default();
            there[lane] = asked.there(clock[lane], outstanding, durations.latency());
            // Who has done nothing yet is idle until its first word is there.
            if *began >> lane & 1 == 0 && clock[lane] == idle_before[lane] {
                clock[lane] = clock[lane].max(there[lane]);
                idle_before[lane] = clock[lane];
            }
        });
        self.advance(|lane, clock, Progress { began, words }| {
            let passed = began.checked_add(durations.store(words));
            (passed.map(|passed| passed.max(clock).max(there[lane])), Progress { began, words: words + 1 })
        })?;
        let Block { asked, clock, .. } = &mut *self.block;
        each_lane(self.mask, |lane| asked.entry((lane, array)).or_default().take(clock[lane]));
        Ok(())
    }

    /// So many steps have passed since the PEs began theirs; gives who has done it, which is everyone.
    pub(super) fn end_step(&mut self, steps: u64) -> Result<u64, Fault> {
        let step = self.shared.durations.as_ref().map_or(1, |durations| durations.step);
        self.advance(|_, clock, Progress { began, .. }| {
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
        let [lead, step] = [durations.lead, durations.step].map(|cycles| i64::try_from(cycles).unwrap_or(i64::MAX));
        self.block.progress.resize(LANES, Progress::default());
        try_each_lane(self.mask, |lane| {
            let due = steps[lane].checked_mul(step).and_then(|cycles| cycles.checked_add(lead));
            steps[lane] = due.ok_or(Trouble::Overflow)?;
            let began = self.block.clock[lane].max(u64::try_from(steps[lane]).unwrap_or(0));
            self.block.progress[lane] = Progress { began, words: 0 };
            Ok(())
        })?;
        Ok(steps)
    }

    #[cold]
    fn advance(&mut self, next: impl Fn(usize, u64, Progress) -> (Option<u64>, Progress)) -> Result<(), Fault> {
        self.block.progress.resize(LANES, Progress::default());
        try_each_lane(self.mask, |lane| {
            let (pe, from) = (self.pe(lane), self.block.clock[lane]);
            let (to, after) = next(lane, from, self.block.progress[lane]);
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
