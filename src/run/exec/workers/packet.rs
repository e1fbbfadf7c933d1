//! What workers send each other: words, free slots and words on buses, many in one packet.
//!
//! A packet is a list of 64-bit entries, so that it goes over any transport as it is. Each parcel in it opens with one entry
//! that holds its kind and the number of its wire or line, which all workers number alike. The words of one wire stand in
//! the order in which they were sent; a transport keeps the order of the packets from one worker to another. Tiles are enclosed:
//! threads hand over who holds one, ranks send its elements after the entries, so nobody copies them into the list.

use super::word::Word;
use crate::leaf::{Enclosed, Few};

/// Parcels on their way to one worker.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Packet {
    entries: Vec<u64>,
    enclosed: Vec<Enclosed>,
    /// Of all that is enclosed or announced.
    elements: usize,
}

/// One thing that a packet holds.
#[derive(Clone, Debug, PartialEq)]
pub enum Parcel<W> {
    /// A word on a wire.
    Word {
        /// The wire's position in the wiring.
        wire: usize,
        /// The word.
        value: W,
    },
    /// The part of a tile on a wire that somebody reads.
    Part {
        /// The wire's position in the wiring.
        wire: usize,
        /// How long all of the tile is along each dimension.
        lengths: Few<usize>,
        /// The part.
        value: W,
    },
    /// A word on a wire that has come back to the worker that sent it on another.
    Return {
        /// The wire's position in the wiring.
        wire: usize,
        /// That of the wire on which it was sent.
        origin: usize,
        /// Its number there.
        number: u64,
    },
    /// Slots of a wire that may be used again.
    Credit {
        /// The wire's position in the wiring.
        wire: usize,
        /// How many.
        slots: u64,
    },
    /// A word on a bus line.
    Drive {
        /// The line's position in the wiring.
        line: usize,
        /// The PE that drove it.
        pe: usize,
        /// The word.
        value: W,
        /// Its tag.
        tag: Vec<i64>,
    },
    /// A word of an input is asked of its home.
    Ask {
        /// The array's position in the code.
        array: usize,
        /// The word's address.
        address: usize,
        /// Who asks.
        worker: usize,
        /// For which of its PEs, by the position there.
        pe: usize,
        /// How many words that PE was given before this one.
        turn: u64,
    },
    /// A word that was asked for.
    Supply {
        /// The PE, by its position at its worker.
        pe: usize,
        /// As it was asked for.
        turn: u64,
        /// The word.
        value: W,
    },
    /// A word of an output for its home.
    Result {
        /// The array's position in the code.
        array: usize,
        /// The word's address.
        address: usize,
        /// The PE that stores it, by its position in the code.
        pe: usize,
        /// The word.
        value: W,
    },
}

impl<W> Parcel<W> {
    /// The word that is in it, or a part of one.
    pub fn word(&self) -> Option<&W> {
        match self {
            Parcel::Word { value, .. }
            | Parcel::Part { value, .. }
            | Parcel::Drive { value, .. }
            | Parcel::Supply { value, .. }
            | Parcel::Result { value, .. } => Some(value),
            Parcel::Return { .. } | Parcel::Credit { .. } | Parcel::Ask { .. } => None,
        }
    }
}

const WORD: u64 = 0;

const CREDIT: u64 = 1;

const DRIVE: u64 = 2;

const ASK: u64 = 3;

const SUPPLY: u64 = 4;

const RESULT: u64 = 5;

const RETURN: u64 = 6;

const PART: u64 = 7;

/// How many kinds a head can tell apart.
const KINDS: u64 = 8;

impl Packet {
    /// The packet of these parts, as another worker wrote them.
    #[cfg(any(test, feature = "mpi"))]
    pub fn from_parts(entries: Vec<u64>, enclosed: Vec<Enclosed>) -> Packet {
        let elements = enclosed.iter().map(Enclosed::len).sum();
        Packet { entries, enclosed, elements }
    }

    /// Its entries.
    #[cfg(any(test, feature = "mpi"))]
    pub fn entries(&self) -> &[u64] {
        &self.entries
    }

    /// What is enclosed, in the order in which the entries refer to it.
    #[cfg(any(test, feature = "mpi"))]
    pub fn enclosed(&self) -> &[Enclosed] {
        &self.enclosed
    }

    /// How much there is in it: entries, tiles that are enclosed, and their elements.
    pub fn size(&self) -> usize {
        self.entries.len() + self.enclosed.len() + self.elements
    }

    /// Whether there is nothing in it.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// Puts a parcel in.
    pub fn push<W: Word>(&mut self, parcel: &Parcel<W>) {
        match parcel {
            Parcel::Word { wire, value } => {
                self.put(head(WORD, *wire));
                value.pack(self);
            }
            Parcel::Part { wire, lengths, value } => {
                self.entries.extend([head(PART, *wire), lengths.len() as u64]);
                self.entries.extend(lengths.iter().map(|length| *length as u64));
                value.pack(self);
            }
            Parcel::Return { wire, origin, number } => {
                self.entries.extend([head(RETURN, *wire), *origin as u64, *number]);
            }
            Parcel::Credit { wire, slots } => self.entries.extend([head(CREDIT, *wire), *slots]),
            Parcel::Drive { line, pe, value, tag } => {
                self.entries.extend([head(DRIVE, *line), *pe as u64, tag.len() as u64]);
                self.entries.extend(tag.iter().map(|entry| entry.cast_unsigned()));
                value.pack(self);
            }
            Parcel::Ask { array, address, worker, pe, turn } => {
                self.entries.extend([head(ASK, *array), *address as u64, *worker as u64, *pe as u64, *turn]);
            }
            Parcel::Supply { pe, turn, value } => {
                self.entries.extend([head(SUPPLY, *pe), *turn]);
                value.pack(self);
            }
            Parcel::Result { array, address, pe, value } => {
                self.entries.extend([head(RESULT, *array), *address as u64, *pe as u64]);
                value.pack(self);
            }
        }
    }

    /// Puts an entry in.
    #[inline(always)]
    pub fn put(&mut self, entry: u64) {
        self.entries.push(entry);
    }

    /// Encloses a tile.
    pub fn enclose(&mut self, values: Enclosed) {
        self.elements += values.len();
        self.enclosed.push(values);
    }

    /// Counts so many elements that are not there: a prediction sends none.
    pub fn announce(&mut self, elements: usize) {
        self.elements += elements;
    }

    /// The parcels, in the order in which they were put in.
    pub fn parcels<W: Word>(&self) -> impl Iterator<Item = Parcel<W>> {
        let mut parcels = Parcels { rest: &self.entries, enclosed: self.enclosed.iter() };
        std::iter::from_fn(move || parcels.next_parcel())
    }
}

fn head(kind: u64, number: usize) -> u64 {
    number as u64 * KINDS + kind
}

/// What is left of a packet.
pub struct Parcels<'a> {
    rest: &'a [u64],
    enclosed: std::slice::Iter<'a, Enclosed>,
}

impl Parcels<'_> {
    /// The next entry.
    #[inline(always)]
    pub fn take(&mut self) -> Option<u64> {
        let (first, rest) = self.rest.split_first()?;
        self.rest = rest;
        Some(*first)
    }

    /// The next tile that is enclosed.
    pub fn take_enclosed(&mut self) -> Option<&Enclosed> {
        self.enclosed.next()
    }

    /// The next entry, as a position.
    fn position(&mut self) -> Option<usize> {
        self.take().map(|entry| entry as usize)
    }

    fn next_parcel<W: Word>(&mut self) -> Option<Parcel<W>> {
        let head = self.take()?;
        let number = (head / KINDS) as usize;
        match head % KINDS {
            WORD => Some(Parcel::Word { wire: number, value: W::unpack(self)? }),
            PART => {
                let count = self.take()?;
                let lengths = (0..count).map(|_| self.position()).collect::<Option<_>>()?;
                Some(Parcel::Part { wire: number, lengths, value: W::unpack(self)? })
            }
            RETURN => Some(Parcel::Return { wire: number, origin: self.position()?, number: self.take()? }),
            CREDIT => Some(Parcel::Credit { wire: number, slots: self.take()? }),
            DRIVE => self.drive(number),
            ASK => {
                let (address, worker, pe) = (self.position()?, self.position()?, self.position()?);
                Some(Parcel::Ask { array: number, address, worker, pe, turn: self.take()? })
            }
            SUPPLY => Some(Parcel::Supply { pe: number, turn: self.take()?, value: W::unpack(self)? }),
            _ => {
                let (address, pe) = (self.position()?, self.position()?);
                Some(Parcel::Result { array: number, address, pe, value: W::unpack(self)? })
            }
        }
    }

    fn drive<W: Word>(&mut self, line: usize) -> Option<Parcel<W>> {
        let (pe, length) = (self.position()?, self.take()?);
        let tag = (0..length).map(|_| self.take().map(u64::cast_signed)).collect::<Option<Vec<i64>>>()?;
        Some(Parcel::Drive { line, pe, value: W::unpack(self)?, tag })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::leaf::Tile;
    use std::sync::Arc;

    fn copied(packet: &Packet) -> Packet {
        Packet::from_parts(packet.entries().to_vec(), packet.enclosed().to_vec())
    }

    #[test]
    fn what_is_put_in_comes_out_in_order() {
        let parcels = [
            Parcel::Word { wire: 3, value: -0.0 },
            Parcel::Drive { line: 0, pe: 7, value: f64::INFINITY, tag: vec![-1, i64::MAX] },
            Parcel::Credit { wire: usize::MAX >> 3, slots: 9 },
            Parcel::Part { wire: 2, lengths: Few::from_slice(&[3, 0, 7]), value: 1.0 },
            Parcel::Return { wire: 4, origin: usize::MAX >> 3, number: u64::MAX },
            Parcel::Ask { array: 1, address: 2, worker: 3, pe: 4, turn: u64::MAX },
            Parcel::Supply { pe: 6, turn: 7, value: 0.25 },
            Parcel::Result { array: 8, address: 9, pe: 10, value: -3.0 },
            Parcel::Drive { line: 5, pe: 0, value: 1.5, tag: vec![] },
            Parcel::Word { wire: 0, value: 2.0 },
        ];
        let mut packet = Packet::default();
        parcels.iter().for_each(|parcel| packet.push(parcel));
        assert_eq!(copied(&packet).parcels::<f64>().collect::<Vec<_>>(), parcels);
        assert_eq!(packet.size(), packet.entries().len());
    }

    #[test]
    fn tiles_come_out_in_order() {
        let tile = |values: &[f64]| Tile::Values(Arc::new(values.into()));
        let parcels = [
            Parcel::Word { wire: 1, value: tile(&[1.0, -0.0]) },
            Parcel::Word { wire: 2, value: Tile::Uniform(3.5) },
            Parcel::Drive { line: 2, pe: 4, value: tile(&[]), tag: vec![6] },
            Parcel::Credit { wire: 1, slots: 2 },
            Parcel::Word { wire: 1, value: tile(&[f64::MAX]) },
        ];
        let mut packet = Packet::default();
        parcels.iter().for_each(|parcel| packet.push(parcel));
        assert_eq!(copied(&packet).parcels::<Tile>().collect::<Vec<_>>(), parcels);
        assert_eq!((packet.enclosed().len(), packet.size()), (3, packet.entries().len() + 6));
    }

    #[test]
    fn a_packet_that_was_cut_off_has_no_more_parcels() {
        let mut packet = Packet::default();
        packet.push(&Parcel::Drive { line: 1, pe: 2, value: 3.0, tag: vec![4, 5] });
        for length in 0..packet.entries().len() {
            let cut = Packet::from_parts(packet.entries()[..length].to_vec(), vec![]);
            assert_eq!(cut.parcels::<f64>().next(), None);
        }
        let mut packet = Packet::default();
        packet.push(&Parcel::Word { wire: 1, value: Tile::Values(Arc::new(vec![1.0].into())) });
        assert_eq!(Packet::from_parts(packet.entries().to_vec(), vec![]).parcels::<Tile>().next(), None);
    }
}
