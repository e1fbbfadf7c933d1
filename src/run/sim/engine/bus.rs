//! Words over buses, for all PEs of a block that stand at one op.

use super::lanes::{Fault, Lanes, evaluate, lanes_where, try_each_lane};
use super::lines::Word;
use super::step::Step;
use crate::sim::observe::{Event, Observer};
use systole_program::array::{Index, Trouble};

impl<O: Observer> Step<'_, O> {
    /// Everyone drives.
    pub(super) fn drive(&mut self, tap: usize, register: usize, tag: &[Index]) -> Result<u64, Fault> {
        let bus = self.shared.code.classes[self.block.class].taps[tap];
        let latency = self.shared.bus_latencies[bus];
        let entries = self.tags(tag)?;
        let mut tag = vec![];
        try_each_lane(self.mask, |lane| {
            let tag = read_tag(&entries, lane, &mut tag);
            let line = self.block.taps[tap][lane] as usize;
            let (clock, value) = (self.block.clock[lane], self.block.registers[register][lane]);
            let visible = clock.checked_add(latency).ok_or(Trouble::Overflow)?;
            let driver = self.pe(lane) as u32;
            let woken = self.around.lines[line].drive(tag, Word { visible, value, driver });
            self.around.woken.extend(woken.ok_or_else(|| Trouble::DrivenTwice { tap, tag: tag.to_vec() })?);
            self.around.tally.driven[bus] += 1;
            let value = self.shared.shown::<O>(value);
            self.observer.see(Event::Driven { pe: self.pe(lane), line, clock, value });
            Ok(())
        })?;
        Ok(self.mask)
    }

    /// Who has heard.
    pub(super) fn listen(&mut self, register: usize, tap: usize, tag: &[Index]) -> Result<u64, Fault> {
        let bus = self.shared.code.classes[self.block.class].taps[tap];
        let entries = self.tags(tag)?;
        let mut tag = vec![];
        let (before, mut done) = (self.block.clock, 0u64);
        try_each_lane(self.mask, |lane| {
            let tag = read_tag(&entries, lane, &mut tag);
            let line = self.block.taps[tap][lane] as usize;
            let Some(word) = self.around.lines[line].hear(tag) else {
                let seat = self.seat(lane);
                self.around.lines[line].wait(tag, seat);
                return Ok(());
            };
            let from = self.block.clock[lane];
            self.block.clock[lane] = from.max(word.visible);
            self.block.starved[lane] += self.block.clock[lane] - from;
            self.block.registers[register][lane] = word.value;
            done |= 1 << lane;
            self.see_heard(lane, line, from, word.value);
            Ok(())
        })?;
        let waited = lanes_where(done, |lane| self.block.clock[lane] != before[lane]);
        self.block.rest(waited, &before, &mut self.around.profile);
        self.around.tally.heard[bus] += u64::from(done.count_ones());
        Ok(done)
    }

    #[inline(always)]
    fn see_heard(&mut self, lane: usize, line: usize, from: u64, value: f64) {
        let (pe, clock) = (self.pe(lane), self.block.clock[lane]);
        if clock > from {
            self.observer.see(Event::Unheard { pe, line, from, to: clock });
        }
        let value = self.shared.shown::<O>(value);
        self.observer.see(Event::BusRead { pe, line, clock, value });
    }

    fn tags(&self, tag: &[Index]) -> Result<Vec<Lanes<i64>>, Fault> {
        tag.iter().map(|entry| evaluate(entry, &self.block.slots, self.mask)).collect()
    }
}

#[inline]
fn read_tag<'a>(entries: &'a [Lanes<i64>], lane: usize, buffer: &'a mut Vec<i64>) -> &'a [i64] {
    if let [only] = entries {
        return std::slice::from_ref(&only[lane]);
    }
    buffer.clear();
    buffer.extend(entries.iter().map(|entry| entry[lane]));
    buffer
}
