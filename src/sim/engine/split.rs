//! Cuts a program's PEs into regions and lays out their wires and lines.
//!
//! In: code, its wiring, and how many regions. Out: regions of PEs that follow each other in row-major order, each with
//! blocks of one class and with the wires and lines its PEs use; and what joins them. In a run of one region
//! wires and lines keep the numbers of the [`Wiring`].

use super::block::{Block, NO_WIRE, Ports};
use super::border::{Border, Strand};
use super::lanes::LANES;
use super::lines::Line;
use super::mail::Half;
use super::region::{NO_SEAT, Region, Shared, Surroundings};
use crate::array::{ClassCode, NOWHERE, Op, Wiring};
use std::collections::BTreeMap;

/// What is known of the cut before regions are made of it.
struct Cut<'a> {
    shared: &'a Shared<'a>,
    wiring: &'a Wiring,
    /// For each region the position of its first PE.
    firsts: Vec<usize>,
    /// For each PE its seat in its region.
    seats: Vec<u32>,
    blocks: Vec<Vec<Block>>,
    around: Vec<Surroundings>,
}

/// Regions of about the same number of PEs, and what joins them.
pub(super) fn split(shared: &Shared<'_>, wiring: &Wiring, count: usize) -> (Vec<Region>, Border) {
    let pes = shared.code.pes.len();
    let mut cut = Cut {
        shared,
        wiring,
        firsts: (0..count).map(|region| region * pes / count).collect(),
        seats: vec![0; pes],
        blocks: vec![vec![]; count],
        around: vec![Surroundings::new(shared, count); count],
    };
    (0..count).for_each(|region| cut.seat_pes(region));
    cut.lay_wires();
    let border = Border { strands: cut.lay_lines() };
    let regions = cut.blocks.into_iter().zip(cut.around).map(|(blocks, around)| Region::new(blocks, around));
    (regions.collect(), border)
}

impl Cut<'_> {
    fn region_of(&self, pe: usize) -> usize {
        self.firsts.partition_point(|first| *first <= pe) - 1
    }

    /// Blocks of one class each, in the order of their first PEs.
    fn seat_pes(&mut self, region: usize) {
        let code = self.shared.code;
        let end = self.firsts.get(region + 1).copied().unwrap_or(code.pes.len());
        let mut classes: BTreeMap<usize, Vec<u32>> = BTreeMap::new();
        for pe in self.firsts[region]..end {
            classes.entry(code.pes[pe].class).or_default().push(pe as u32);
        }
        let chunks = classes.iter().flat_map(|(class, pes)| pes.chunks(LANES).map(|chunk| (*class, chunk)));
        let mut blocks: Vec<Block> = chunks.map(|(class, pes)| Block::new(code, class, pes)).collect();
        blocks.sort_by_key(|block| block.pes.first().copied());
        for (number, block) in blocks.iter().enumerate() {
            for (lane, pe) in block.pes.iter().enumerate() {
                self.seats[*pe as usize] = (number * LANES + lane) as u32;
            }
        }
        self.blocks[region] = blocks;
    }

    fn block_of(&mut self, pe: usize) -> (&mut Block, usize) {
        let (region, seat) = (self.region_of(pe), self.seats[pe] as usize);
        (&mut self.blocks[region][seat / LANES], seat % LANES)
    }

    /// Adds every wire to the region of its sender, and to that of its receiver where it is another.
    fn lay_wires(&mut self) {
        let mut numbers: Vec<[u32; 2]> = Vec::with_capacity(self.wiring.wires.len());
        for wire in &self.wiring.wires {
            let [sender, receiver] = [wire.sender, wire.receiver].map(|pe| (self.region_of(pe), self.seats[pe]));
            if sender.0 == receiver.0 {
                let number = self.lay_wire(sender.0, wire.channel, [sender.1, receiver.1]);
                numbers.push([number, number]);
                continue;
            }
            let near = self.lay_wire(sender.0, wire.channel, [sender.1, NO_SEAT]);
            let far = self.lay_wire(receiver.0, wire.channel, [NO_SEAT, receiver.1]);
            self.join((sender.0, near), (receiver.0, far), wire.channel);
            numbers.push([near, far]);
        }
        self.plug_wires(&numbers);
    }

    /// Tells the halves of a wire, each in its region, of each other.
    fn join(&mut self, (from, near): (usize, u32), (to, far): (usize, u32), channel: usize) {
        let half =
            |wire, region, far| Half { wire, channel: channel as u32, region: region as u32, far: far as u32, told: 0 };
        let (sending, receiving) = (self.around[from].mail.sending.len(), self.around[to].mail.receiving.len());
        self.around[from].mail.sending.push(half(near, to, receiving));
        self.around[to].mail.receiving.push(half(far, from, sending));
    }

    fn lay_wire(&mut self, region: usize, channel: usize, seats: [u32; 2]) -> u32 {
        let around = &mut self.around[region];
        around.wires.add(self.shared.links[channel]);
        around.seats.push(seats);
        around.seats.len() as u32 - 1
    }

    /// Gives every port the number that its wire has in the region.
    fn plug_wires(&mut self, numbers: &[[u32; 2]]) {
        let (code, wiring) = (self.shared.code, self.wiring);
        for block in self.blocks.iter_mut().flatten() {
            for (port, end) in code.classes[block.class].ports.iter().enumerate() {
                let wires = block.pes.iter().map(|pe| match wiring.ports(*pe as usize)[port] {
                    NOWHERE => NO_WIRE,
                    wire => numbers[wire][usize::from(!end.sends)],
                });
                block.ports[port] = Ports::of(&wires.collect::<Vec<u32>>());
            }
        }
    }

    /// Adds every line to each region with a PE on it; gives the lines that are in several.
    fn lay_lines(&mut self) -> Vec<Strand> {
        let (code, wiring) = (self.shared.code, self.wiring);
        let arities = tag_lengths(&code.classes, self.shared.bus_latencies.len());
        let mut strands = vec![Strand::default(); wiring.lines.len()];
        for (pe, placed) in code.pes.iter().enumerate() {
            let region = self.region_of(pe);
            for (tap, line) in wiring.taps(pe).iter().enumerate() {
                let bus = code.classes[placed.class].taps[tap];
                let lines = &mut self.around[region].lines;
                let number = strands[*line].number_in(region, || {
                    lines.push(Line::new(arities[bus]));
                    lines.len() - 1
                });
                let (block, lane) = self.block_of(pe);
                block.taps[tap][lane] = number as u32;
            }
        }
        strands.retain(|strand| strand.members.len() > 1);
        strands
    }
}

/// How many entries the tags of each bus have.
fn tag_lengths(classes: &[ClassCode], buses: usize) -> Vec<usize> {
    let mut lengths = vec![0; buses];
    for class in classes {
        for op in &class.ops {
            if let Op::Drive { tap, tag, .. } | Op::Listen { tap, tag, .. } = op {
                lengths[class.taps[*tap]] = tag.len();
            }
        }
    }
    lengths
}
