//! The wires at the ports of up to 64 PEs.
//!
//! PEs side by side often have wires side by side in one cable, which are then worked on together: such stretches are
//! found once, when the wires are laid.

use super::lanes::{LANES, Lanes};

/// A port without a far end.
pub(super) const NO_WIRE: u32 = u32::MAX;

/// The wires at one port of a block's PEs.
#[derive(Clone, Debug)]
pub(super) struct Ports {
    /// The wire of each lane, or [`NO_WIRE`].
    wires: Box<Lanes<u32>>,
    stretches: Box<[Stretch]>,
}

/// Shorter stretches are not tried together.
const SHORT: usize = 32;

/// Lanes side by side with wires side by side in one cable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Stretch {
    pub lane: usize,
    pub cable: usize,
    /// The place in the cable of the first lane's wire.
    pub place: usize,
    pub length: usize,
}

impl Stretch {
    /// The part of it where the mask has its next bits in a row, which are taken out of the mask.
    #[inline(always)]
    pub fn next_part(self, mask: &mut u64) -> Option<Stretch> {
        let within = *mask & self.lanes();
        if within == 0 {
            return None;
        }
        let lane = within.trailing_zeros() as usize;
        let length = (within >> lane).trailing_ones() as usize;
        let part = Stretch { lane, place: self.place + lane - self.lane, length, ..self };
        *mask &= !part.lanes();
        Some(part)
    }

    /// Tries all of it together, and where that fails, its halves, and last each; gives the lanes that failed or wait.
    #[inline(always)]
    pub fn together_or_each(self, waiting: u64, mut attempt: impl FnMut(Stretch, bool) -> u64) -> u64 {
        let (mut mask, mut left) = (self.lanes() & !waiting, waiting);
        while let Some(part) = self.next_part(&mut mask) {
            if part.length < SHORT {
                left |= attempt(part, false);
            } else if attempt(part, true) != 0 {
                for half in part.halves() {
                    let is_tried = half.length >= SHORT && attempt(half, true) == 0;
                    left |= if is_tried { 0 } else { attempt(half, false) };
                }
            }
        }
        left
    }

    fn halves(self) -> [Stretch; 2] {
        let half = self.length / 2;
        let (lane, place, length) = (self.lane + half, self.place + half, self.length - half);
        [Stretch { length: half, ..self }, Stretch { lane, place, length, ..self }]
    }

    /// Tries something for each lane and its place in the cable; gives the lanes that failed.
    #[inline(always)]
    pub fn each(self, mut attempt: impl FnMut(usize, usize) -> bool) -> u64 {
        let mut left = 0;
        for nth in 0..self.length {
            let lane = (self.lane + nth) % LANES;
            left |= u64::from(!attempt(lane, (self.place + nth) % LANES)) << lane;
        }
        left
    }

    /// Those of its lanes whose places are among these bits of the cable.
    #[inline(always)]
    pub fn lanes_at(self, places: u64) -> u64 {
        places >> self.place << self.lane & self.lanes()
    }

    /// Its lanes, as bits.
    #[inline(always)]
    pub fn lanes(self) -> u64 {
        (u64::MAX >> (LANES - self.length)) << self.lane
    }
}

impl Ports {
    /// The ports with these wires, lane by lane.
    pub fn of(wires: &[u32]) -> Ports {
        let mut all = Box::new([NO_WIRE; LANES]);
        all[..wires.len()].copy_from_slice(wires);
        Ports { wires: all, stretches: stretches(wires).into() }
    }

    /// The wire of a lane.
    #[inline(always)]
    pub fn wire(&self, lane: usize) -> Option<usize> {
        Some(self.wires[lane] as usize).filter(|wire| *wire != NO_WIRE as usize)
    }

    /// Tries something for lanes of the mask side by side with wires side by side, as many as can be; gives those without a wire
    /// or without success.
    #[inline(always)]
    pub fn each_stretch(&self, mask: u64, mut attempt: impl FnMut(Stretch) -> u64) -> u64 {
        let (mut rest, mut left) = (mask, 0);
        for stretch in &self.stretches {
            while let Some(part) = stretch.next_part(&mut rest) {
                left |= attempt(part);
            }
        }
        left | rest
    }
}

fn stretches(wires: &[u32]) -> Vec<Stretch> {
    let mut found: Vec<Stretch> = vec![];
    for (lane, wire) in wires.iter().enumerate().filter(|(_, wire)| **wire != NO_WIRE) {
        let (cable, place) = (*wire as usize / LANES, *wire as usize % LANES);
        match found.last_mut() {
            Some(last) if (last.cable, last.place + last.length, last.lane + last.length) == (cable, place, lane) => {
                last.length += 1;
            }
            _ => found.push(Stretch { lane, cable, place, length: 1 }),
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_lane_of_the_mask_with_a_wire_is_in_one_stretch() {
        let none = NO_WIRE;
        for wires in [
            vec![4, 5, 6],
            vec![4, 5, none, none],
            vec![4, 5, none, 7, 8],
            vec![none, 1, 2],
            vec![none, none],
            vec![7, 6, 5],
            (64..128).collect(),
        ] {
            let ports = Ports::of(&wires);
            for mask in [u64::MAX, 0b1011, 0b110, 0, 1 << 63, u64::MAX << 20] {
                let mut seen = vec![];
                let left = ports.each_stretch(mask, |part| {
                    seen.extend((0..part.length).map(|k| (part.lane + k, part.cable * LANES + part.place + k)));
                    0
                });
                let within = |lane: &usize| mask >> lane & 1 == 1;
                let expected = (0..wires.len()).filter(within).filter_map(|lane| Some((lane, ports.wire(lane)?)));
                let expected: Vec<(usize, usize)> = expected.collect();
                assert_eq!(left, expected.iter().fold(mask, |left, (lane, _)| left & !(1 << lane)));
                assert_eq!(seen, expected, "{wires:?} {mask:b}");
            }
        }
    }

    /// All together, else in halves, else each; those who wait are not asked.
    #[test]
    fn who_does_not_pass_holds_up_its_half() {
        for (waiting, expected) in [(0, u64::MAX << 32), (1 << 5, 0)] {
            let stretch = Stretch { lane: 0, cable: 0, place: 0, length: 64 };
            let obstacle = 1 << 21;
            let (mut together, mut alone) = (0, 0);
            let left = stretch.together_or_each(waiting, |part, is_together| match is_together {
                true if part.lanes() & obstacle != 0 => part.lanes(),
                true => {
                    together |= part.lanes();
                    0
                }
                false => part.each(|lane, place| {
                    assert_eq!(lane, place);
                    alone |= 1 << lane;
                    obstacle >> lane & 1 == 0
                }),
            });
            assert_eq!((left, together), (obstacle | waiting, expected));
            assert_eq!((together & alone, together | alone | waiting), (0, u64::MAX));
        }
    }

    #[test]
    fn wires_of_two_cables_are_two_stretches() {
        let ports = Ports::of(&(30..94).collect::<Vec<u32>>());
        let lengths: Vec<usize> = ports.stretches.iter().map(|stretch| stretch.length).collect();
        assert_eq!(lengths, [34, 30]);
    }
}
