//! Rows of messages, copied between the rings of wires side by side and letters.
//!
//! In: a stretch of wires of one cable, one message of each. Where these stand in one row of the rings, as those of an
//! array in step do, they are copied together; else each by itself. The rules are those of [`super::wires`].

use super::cable::Cable;
use super::lanes::{LANES, Lanes};
use super::letters::Page;
use super::ports::Stretch;
use super::wires::{Link, Wires};
use std::ops::Range;
use systole_program::array::Trouble;

/// Where messages of a stretch stand, if in one row.
fn one_row(cable: &Cable, part: Stretch, messages: &Lanes<u32>) -> Option<Range<usize>> {
    let first = messages[part.place].wrapping_add(cable.base[part.place]);
    let places = part.place..part.place + part.length;
    let pairs = messages[places.clone()].iter().zip(&cable.base[places]);
    let apart = pairs.fold(0, |apart, (message, base)| apart | (message.wrapping_add(*base) ^ first));
    (apart & cable.mask == 0).then(|| cable.slots_of((first & cable.mask) as usize, part))
}

/// Where a message of each wire of a stretch stands.
fn each_slot(cable: &Cable, part: Stretch, messages: &Lanes<u32>) -> impl Iterator<Item = usize> {
    (part.place..part.place + part.length).map(|place| cable.slot(cable.row(place, messages[place]), place))
}

impl Wires {
    /// Writes down one message of each wire: its time, and its word where words are asked for.
    pub fn read_row(&mut self, part: Stretch, messages: &Lanes<u32>, page: &mut Page, has_words: bool) {
        let (cable, times, values) = self.cable(part.cable);
        match one_row(cable, part, messages) {
            Some(slots) => {
                page.times.extend_from_slice(&times[slots.clone()]);
                page.values.extend_from_slice(if has_words { &values[slots] } else { &[] });
            }
            None => each_slot(cable, part, messages).for_each(|slot| {
                page.times.push(times[slot]);
                page.values.extend(has_words.then_some(values[slot]));
            }),
        }
    }

    /// Puts a message into the next slot of each wire; where a ring is full all of the cable grow.
    pub fn write_row(&mut self, part: Stretch, new_times: &[u64], new_values: &[f64]) -> Result<(), Trouble> {
        while self.most_held(part) >= self.cable(part.cable).0.size() {
            self.grow(part.cable * LANES)?;
        }
        let (cable, times, values) = self.cable(part.cable);
        match one_row(cable, part, &cable.sent) {
            Some(slots) => {
                times[slots.clone()].copy_from_slice(new_times);
                values[slots].copy_from_slice(new_values);
            }
            None => each_slot(cable, part, &cable.sent)
                .zip(new_times.iter().zip(new_values))
                .for_each(|(slot, (time, value))| (times[slot], values[slot]) = (*time, *value)),
        }
        cable.sent[part.place..part.place + part.length].iter_mut().for_each(|sent| *sent = sent.wrapping_add(1));
        Ok(())
    }

    /// Takes the oldest message out of each wire; `depth` rises where the times at which their slots are free say so.
    pub fn free_row(&mut self, part: Stretch, link: Link, depth: &mut u32, freed: &[u64]) {
        let is_deep = self.most_held(part) > *depth;
        let (cable, times, _) = self.cable(part.cable);
        match one_row(cable, part, &cable.received).filter(|_| !is_deep) {
            Some(slots) => {
                times[slots].copy_from_slice(freed);
                let received = &mut cable.received[part.place..part.place + part.length];
                received.iter_mut().for_each(|received| *received = received.wrapping_add(1));
            }
            None => (part.place..).zip(freed).for_each(|(place, freed)| {
                self.wire(part.cable * LANES + place).free(link, depth, *freed);
            }),
        }
    }

    /// The most messages that one wire of a stretch holds.
    fn most_held(&mut self, part: Stretch) -> u32 {
        let cable = self.cable(part.cable).0;
        let places = part.place..part.place + part.length;
        let held = cable.sent[places.clone()].iter().zip(&cable.received[places]);
        held.map(|(sent, received)| sent.wrapping_sub(*received)).fold(0, u32::max)
    }
}
