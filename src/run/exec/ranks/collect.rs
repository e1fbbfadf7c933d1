//! Outputs on their way from the ranks that stored them to their sinks, at rank 0.
//!
//! Rank 0 takes them in array by array, rank by rank and piece by piece, and hands each piece on before the next comes. What it
//! keeps of an array is one bit for each word that is there, so it knows what nobody stores and what two ranks store. After
//! something went wrong it takes in the rest, and hands on nothing.

use super::super::sharing::marks::Marks;
use super::contents::Contents;
use super::distribute::{of_entries, to_entries};
use super::local_words::{LocalWords, pieces};
use super::share::Share;
use super::world::World;
use crate::shared::{missing_word, show_element};
use std::ops::Range;
use systole_base::diagnostic::{Checked, Diagnostic, Diagnostics};
use systole_program::array::Layout;
use systole_program::array::elements::{PART, Sink, Sinks};

/// Hands over what all ranks stored; all ranks call it, with sinks on rank 0.
///
/// # Errors
/// On rank 0: an element that two ranks stored, or that none did; those of the sinks.
pub fn collect<W: Contents>(world: &World, share: &Share<'_, W>, mut sinks: Option<&mut Sinks<'_>>) -> Checked<()> {
    let mut faults = vec![];
    let mut none = vec![];
    let layouts = share.plan.code.arrays.iter().zip(&share.outputs);
    for (layout, (part, stored)) in layouts.filter(|(layout, _)| layout.is_output()) {
        let Some(sinks) = &mut sinks else {
            give(layout, part, stored, |piece, elements| {
                world.send(0, &to_entries(piece));
                world.send(0, &elements);
            });
            world.send(0, &[]);
            continue;
        };
        let sinks = sinks.get_mut(&layout.name).unwrap_or(&mut none);
        let mut gathering = Gathering { layout, sinks, there: Marks::default(), twice: None, fault: None };
        give(layout, part, stored, |piece, elements| gathering.take(piece, &elements));
        (1..world.size()).for_each(|rank| gathering.take_all(world, rank));
        faults.extend(gathering.conclude());
    }
    if faults.is_empty() { Ok(()) } else { Err(faults) }
}

/// Packs what was stored, piece by piece.
fn give<W: Contents>(
    layout: &Layout,
    part: &LocalWords<W>,
    stored: &Marks,
    mut to: impl FnMut(&[Range<usize>], Vec<u64>),
) {
    for piece in pieces(layout, &stored.runs(), PART) {
        let mut elements = vec![];
        for address in piece.iter().flat_map(Range::clone) {
            if let Some(place) = part.place(address) {
                part.word(place).write_elements(layout.size_at(address), &mut elements);
            }
        }
        to(&piece, elements);
    }
}

/// An output that comes in.
struct Gathering<'g, 'a> {
    layout: &'g Layout,
    sinks: &'g mut Vec<Box<dyn Sink + 'a>>,
    /// What has come.
    there: Marks,
    /// An address that came twice.
    twice: Option<usize>,
    fault: Option<Diagnostics>,
}

impl Gathering<'_, '_> {
    /// All that a rank has.
    fn take_all(&mut self, world: &World, rank: usize) {
        loop {
            let piece = of_entries(&world.receive(rank));
            if piece.is_empty() {
                return;
            }
            self.take(&piece, &world.receive(rank));
        }
    }

    /// A piece, with the bits of its elements.
    fn take(&mut self, piece: &[Range<usize>], elements: &[u64]) {
        for address in piece.iter().flat_map(Range::clone) {
            if !self.there.mark(address) {
                self.twice = self.twice.or(Some(address));
            }
        }
        if self.twice.is_some() || self.fault.is_some() {
            return;
        }
        let values: Vec<f64> = elements.iter().map(|bits| f64::from_bits(*bits)).collect();
        let (runs, values) = self.layout.arranged(piece, values);
        self.fault = self.sinks.iter_mut().try_for_each(|sink| sink.write(&runs, &values)).err();
    }

    /// What is wrong with it, when all have given what they have.
    fn conclude(self) -> Diagnostics {
        if let Some(address) = self.twice {
            let element = show_element(self.layout, address);
            let fault = Diagnostic::new(format!("two ranks store {element}"));
            return vec![fault.help("each element is stored once, by one PE")];
        }
        let missing = missing_word(self.layout, &|address| self.there.has(address));
        self.fault.into_iter().flatten().chain(missing).collect()
    }
}
