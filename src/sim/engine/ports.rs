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

/// Shorter stretches are not worth it.
const SHORTEST: usize = 4;

/// A stretch with more PEs in the way is not one.
const MOST_CUTS: usize = 4;

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
    fn next_part(self, mask: &mut u64) -> Option<Stretch> {
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

    /// Its lanes from the `from`-th up to the `to`-th.
    fn between(self, from: usize, to: usize) -> Stretch {
        Stretch { lane: self.lane + from, place: self.place + from, length: to - from, ..self }
    }

    /// Tries all of it together, which may fail with who is in the way, then those before and those after; gives the lanes
    /// that were in the way or were not tried.
    #[inline(always)]
    fn try_together(self, attempt: &mut impl FnMut(Stretch) -> Result<(), usize>) -> u64 {
        let (mut rest, mut left) = (self, 0);
        for _ in 0..MOST_CUTS {
            if rest.length < SHORTEST {
                break;
            }
            let Err(nth) = attempt(rest) else { return left };
            let before = rest.between(0, nth);
            if before.length < SHORTEST || attempt(before).is_err() {
                left |= before.lanes();
            }
            left |= rest.between(nth, nth + 1).lanes();
            rest = rest.between(nth + 1, rest.length);
        }
        left | rest.lanes()
    }

    /// Its lanes, as bits.
    #[inline(always)]
    pub fn lanes(self) -> u64 {
        bits(self.lane, self.length)
    }

    /// Its places in the cable, as bits.
    #[inline(always)]
    pub fn places(self) -> u64 {
        bits(self.place, self.length)
    }
}

/// So many bits from one on.
#[inline(always)]
fn bits(first: usize, count: usize) -> u64 {
    match count {
        0 => 0,
        _ => (u64::MAX >> (LANES - count)) << first,
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

    /// Tries something for lanes of the mask side by side with wires side by side, as many together as can be; gives those
    /// without a wire or without success.
    #[inline(always)]
    pub fn try_together(&self, mask: u64, mut attempt: impl FnMut(Stretch) -> Result<(), usize>) -> u64 {
        let (mut rest, mut left) = (mask, 0);
        for stretch in &self.stretches {
            while let Some(part) = stretch.next_part(&mut rest) {
                left |= part.try_together(&mut attempt);
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
    fn what_is_tried_together_has_its_own_wires() {
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
                let left = ports.try_together(mask, |part| {
                    seen.extend((0..part.length).map(|k| (part.lane + k, part.cable * LANES + part.place + k)));
                    Ok(())
                });
                let within = |lane: &usize| mask >> lane & 1 == 1;
                let wire = |(lane, wire): &(usize, usize)| ports.wire(*lane) == Some(*wire) && within(lane);
                assert!(seen.iter().all(wire), "{wires:?} {mask:b}");
                assert_eq!(left, seen.iter().fold(mask, |left, (lane, _)| left & !(1 << lane)));
                assert_eq!(seen.len() == 64, wires.len() == 64 && mask == u64::MAX);
            }
        }
    }

    #[test]
    fn who_is_in_the_way_is_left_alone() {
        let ports = Ports::of(&(0..64).collect::<Vec<u32>>());
        for obstacles in [1 << 21, 1 << 63, 1, 1 << 21 | 1 << 40] {
            let mut passed = 0;
            let left = ports.try_together(u64::MAX, |part| match part.lanes() & obstacles {
                0 => {
                    passed |= part.lanes();
                    Ok(())
                }
                inside => Err(inside.trailing_zeros() as usize - part.lane),
            });
            assert_eq!((left, passed), (obstacles, !obstacles));
        }
        let left = ports.try_together(u64::MAX, |_| Err(0));
        assert_eq!(left, u64::MAX);
    }

    #[test]
    fn wires_of_two_cables_are_two_stretches() {
        let ports = Ports::of(&(30..94).collect::<Vec<u32>>());
        let lengths: Vec<usize> = ports.stretches.iter().map(|stretch| stretch.length).collect();
        assert_eq!(lengths, [34, 30]);
    }
}
