//! What workers send each other: words, free slots and words on buses, many in one packet.
//!
//! A packet is a list of 64-bit entries, so that it goes over any transport as it is. Each parcel in it opens with one entry
//! that holds its kind and the number of its wire or line, which all workers number alike. The words of one wire stand in
//! the order in which they were sent; a transport keeps the order of the packets from one worker to another.

/// Parcels on their way to one worker.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Packet {
    entries: Vec<u64>,
}

/// One thing that a packet holds.
#[derive(Clone, Debug, PartialEq)]
pub enum Parcel {
    /// A word on a wire.
    Word {
        /// The wire's position in the wiring.
        wire: usize,
        /// The word.
        value: f64,
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
        value: f64,
        /// Its tag.
        tag: Vec<i64>,
    },
}

const WORD: u64 = 0;

const CREDIT: u64 = 1;

const DRIVE: u64 = 2;

/// How many kinds a head can tell apart.
const KINDS: u64 = 4;

impl Packet {
    /// The packet with these entries, as another worker wrote them.
    #[cfg(any(test, feature = "mpi"))]
    pub fn from_entries(entries: Vec<u64>) -> Packet {
        Packet { entries }
    }

    /// Its entries.
    pub fn entries(&self) -> &[u64] {
        &self.entries
    }

    /// Whether there is nothing in it.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// Puts a parcel in.
    pub fn push(&mut self, parcel: &Parcel) {
        match parcel {
            Parcel::Word { wire, value } => self.entries.extend([head(WORD, *wire), value.to_bits()]),
            Parcel::Credit { wire, slots } => self.entries.extend([head(CREDIT, *wire), *slots]),
            Parcel::Drive { line, pe, value, tag } => {
                self.entries.extend([head(DRIVE, *line), *pe as u64, value.to_bits(), tag.len() as u64]);
                self.entries.extend(tag.iter().map(|entry| entry.cast_unsigned()));
            }
        }
    }

    /// The parcels, in the order in which they were put in.
    pub fn parcels(&self) -> Parcels<'_> {
        Parcels { rest: &self.entries }
    }
}

fn head(kind: u64, number: usize) -> u64 {
    number as u64 * KINDS + kind
}

/// The parcels of a packet.
pub struct Parcels<'a> {
    rest: &'a [u64],
}

impl Parcels<'_> {
    fn take(&mut self) -> Option<u64> {
        let (first, rest) = self.rest.split_first()?;
        self.rest = rest;
        Some(*first)
    }
}

impl Iterator for Parcels<'_> {
    type Item = Parcel;

    fn next(&mut self) -> Option<Parcel> {
        let head = self.take()?;
        let number = (head / KINDS) as usize;
        match head % KINDS {
            WORD => Some(Parcel::Word { wire: number, value: f64::from_bits(self.take()?) }),
            CREDIT => Some(Parcel::Credit { wire: number, slots: self.take()? }),
            _ => {
                let (pe, value) = (self.take()? as usize, f64::from_bits(self.take()?));
                let length = self.take()?;
                let tag = (0..length).map(|_| self.take().map(u64::cast_signed)).collect::<Option<Vec<i64>>>()?;
                Some(Parcel::Drive { line: number, pe, value, tag })
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_put_in_comes_out_in_order() {
        let parcels = [
            Parcel::Word { wire: 3, value: -0.0 },
            Parcel::Drive { line: 0, pe: 7, value: f64::INFINITY, tag: vec![-1, i64::MAX] },
            Parcel::Credit { wire: usize::MAX >> 2, slots: 9 },
            Parcel::Drive { line: 5, pe: 0, value: 1.5, tag: vec![] },
            Parcel::Word { wire: 0, value: 2.0 },
        ];
        let mut packet = Packet::default();
        parcels.iter().for_each(|parcel| packet.push(parcel));
        let copied = Packet::from_entries(packet.entries().to_vec());
        assert_eq!(copied.parcels().collect::<Vec<_>>(), parcels);
    }

    #[test]
    fn a_packet_that_was_cut_off_has_no_more_parcels() {
        let mut packet = Packet::default();
        packet.push(&Parcel::Drive { line: 1, pe: 2, value: 3.0, tag: vec![4, 5] });
        for length in 0..packet.entries().len() {
            assert_eq!(Packet::from_entries(packet.entries()[..length].to_vec()).parcels().next(), None);
        }
    }
}
