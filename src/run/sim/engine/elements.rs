//! Elements of arrays, through memory ports and from PEs' own memories, for all PEs of a block that stand at one op.

use super::block::Block;
use super::lanes::{Fault, Lanes, addresses, each_lane, try_each_lane};
use super::step::Step;
use crate::sim::durations::Durations;
use crate::sim::observe::{Event, Observer};
use systole_program::array::{Entry, Index, Trouble, entry_of, recalled};

impl<O: Observer> Step<'_, O> {
    fn addresses(&self, array: usize, at: &[Index]) -> Result<Lanes<usize>, Fault> {
        addresses((array, &self.shared.code.arrays[array]), at, &self.block.slots, self.mask)
    }

    fn count(&self) -> u64 {
        u64::from(self.mask.count_ones())
    }

    pub(super) fn load(&mut self, register: usize, array: usize, at: &[Index]) -> Result<u64, Fault> {
        let addresses = self.addresses(array, at)?;
        let values = self.shared.input(array);
        self.pass_port_to_load(array)?;
        self.around.tally.traffic[array].loaded += self.count();
        each_lane(self.mask, |lane| {
            let (address, clock) = (addresses[lane], self.block.clock[lane]);
            let value = values[address];
            self.block.registers[register][lane] = value;
            let value = self.shared.shown::<O>(value);
            self.observer.see(Event::Loaded { pe: self.pe(lane), array, address, clock, value });
        });
        Ok(self.mask)
    }

    pub(super) fn prefetch(&mut self, array: usize, at: &[Index]) -> Result<u64, Fault> {
        let addresses = self.addresses(array, at)?;
        let first = self.shared.memory.first_word(array);
        each_lane(self.mask, |lane| {
            let is_new = self.block.own.insert(lane, first + addresses[lane]);
            self.around.tally.traffic[array].prefetched += u64::from(is_new);
        });
        Ok(self.mask)
    }

    pub(super) fn local(&mut self, register: usize, array: usize, at: &[Index]) -> Result<u64, Fault> {
        let addresses = self.addresses(array, at)?;
        let first = self.shared.memory.first_word(array);
        let values = self.shared.input(array);
        try_each_lane(self.mask, |lane| {
            let address = addresses[lane];
            if !self.block.own.has(lane, first + address) {
                return Err(Trouble::NotPrefetched { array, address });
            }
            self.block.registers[register][lane] = values[address];
            Ok(())
        })?;
        self.around.tally.traffic[array].local += self.count();
        Ok(self.mask)
    }

    /// A word into the scratchpads of the PEs. It takes no time: a scratchpad is as near as a register.
    pub(super) fn keep(&mut self, pad: usize, at: &[Index], register: usize) -> Result<u64, Fault> {
        let Block { slots, registers, kept, .. } = &mut *self.block;
        let shape = &self.shared.code.scratchpads[pad];
        try_each_lane(self.mask, |lane| {
            let Entry { element, word } = entry_of((pad, shape), at, |slot| slots[slot][lane])?;
            kept.insert((lane, pad, word), (element, registers[register][lane]));
            Ok(())
        })?;
        Ok(self.mask)
    }

    /// A word out of the scratchpads of the PEs.
    pub(super) fn recall(&mut self, register: usize, pad: usize, at: &[Index]) -> Result<u64, Fault> {
        let Block { slots, registers, kept, .. } = &mut *self.block;
        let shape = &self.shared.code.scratchpads[pad];
        try_each_lane(self.mask, |lane| {
            let Entry { element, word } = entry_of((pad, shape), at, |slot| slots[slot][lane])?;
            let held = kept.get(&(lane, pad, word)).copied();
            registers[register][lane] = recalled(held, pad, element)?;
            Ok(())
        })?;
        Ok(self.mask)
    }

    pub(super) fn store(&mut self, array: usize, at: &[Index], register: usize) -> Result<u64, Fault> {
        let addresses = self.addresses(array, at)?;
        self.pass_port(Durations::store)?;
        self.put(array, &addresses, register)
    }

    /// Before the run: no port is passed.
    pub(super) fn fill(&mut self, array: usize, at: &[Index], register: usize) -> Result<u64, Fault> {
        let addresses = self.addresses(array, at)?;
        self.put(array, &addresses, register)
    }

    fn put(&mut self, array: usize, addresses: &Lanes<usize>, register: usize) -> Result<u64, Fault> {
        try_each_lane(self.mask, |lane| {
            let (address, clock) = (addresses[lane], self.block.clock[lane]);
            let word = self.block.registers[register][lane];
            let value = self.shared.shown::<O>(word);
            self.observer.see(Event::Stored { pe: self.pe(lane), array, address, clock, value });
            match self.shared.store(array, address, word)? {
                true => Ok(()),
                false => Err(Trouble::StoredTwice { array, address }),
            }
        })?;
        self.around.tally.traffic[array].stored += self.count();
        Ok(self.mask)
    }
}
