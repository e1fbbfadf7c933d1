//! Cuts a program's PEs into regions and lays out their wires and lines.
//!
//! In: code, its wiring, and how many regions. Out: regions of PEs that follow each other in row-major order, each with
//! blocks of one class and with the wires and lines its PEs use, and with what it shares with others. Wires are numbered by
//! cable and place, and know their numbers in the [`Wiring`]; in a run of one region lines keep theirs.

use super::block::Block;
use super::cable::{RECEIVER, SENDER};
use super::cut::Sheet;
use super::lanes::LANES;
use super::lines::Line;
use super::mail::{Bundle, Post, Strand};
use super::ports::{NO_WIRE, Ports};
use super::region::{NO_SEAT, Plug, Region, Shared, Surroundings};
use crate::sim::Order;
use std::collections::BTreeMap;
use std::sync::Arc;
use systole_program::array::{ClassCode, Code, NOWHERE, Op, Wire, Wiring};

/// A place in a cable without a wire.
const UNPLUGGED: Plug = Plug { seats: [NO_SEAT; 2], wire: NO_WIRE };

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

/// Regions of about as much work.
pub(super) fn split(shared: &Shared<'_>, wiring: &Wiring, count: usize) -> Vec<Region> {
    let firsts = firsts(shared.code, count);
    let count = firsts.len();
    let mut cut = Cut {
        shared,
        wiring,
        firsts,
        seats: vec![0; shared.code.pes.len()],
        blocks: vec![vec![]; count],
        around: (0..count).map(|_| Surroundings::new(shared)).collect(),
    };
    (0..count).for_each(|region| cut.seat_pes(region));
    cut.lay_wires();
    cut.lay_lines();
    let regions = cut.blocks.into_iter().zip(cut.around).map(|(blocks, around)| Region::new(blocks, around));
    regions.collect()
}

/// The first PEs of regions. What a PE has to do is measured by its ops, which most often are the body of one loop.
fn firsts(Code { grid, pes, classes, .. }: &Code, count: usize) -> Vec<usize> {
    let columns: usize = grid.extents.iter().skip(1).product();
    let row = |pe: usize| pes[pe].position / columns.max(1);
    let work = |pe: usize| classes[pes[pe].class].ops.len() as u64;
    Sheet { pes: pes.len(), work, begins_row: |pe| row(pe) != row(pe - 1) }.firsts(count)
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

    /// Adds every wire to the region of its receiver, and to that of its sender where it is another. The wires at one port of
    /// a block make a cable, each in the place of its lane.
    fn lay_wires(&mut self) {
        let mut numbers = vec![[NO_WIRE; 2]; self.wiring.wires.len()];
        for region in 0..self.blocks.len() {
            for block in 0..self.blocks[region].len() {
                self.lay_cables((region, block), &mut numbers);
            }
        }
        for (wire, [near, far]) in numbers.iter().enumerate() {
            let Wire { channel, sender, receiver } = self.wiring.wires[wire];
            let [from, to] = [sender, receiver].map(|pe| self.region_of(pe));
            if from != to {
                self.join((from, *near), (to, *far), channel);
            }
        }
        self.plug_wires(&numbers);
    }

    /// Notes the numbers that the wires of a block have where they are sent and where they are received.
    fn lay_cables(&mut self, (region, block): (usize, usize), numbers: &mut [[u32; 2]]) {
        let (code, wiring) = (self.shared.code, self.wiring);
        let class = &code.classes[self.blocks[region][block].class];
        for (port, end) in class.ports.iter().enumerate() {
            let pes = self.blocks[region][block].pes.iter();
            let wires: Vec<usize> = pes.map(|pe| wiring.ports(*pe as usize)[port]).collect();
            let is_inside = |wire: usize| self.region_of(wiring.wires[wire].receiver) == region;
            let is_laid = |wire: usize| wire != NOWHERE && !(end.sends && is_inside(wire));
            let laid: Vec<bool> = wires.iter().map(|wire| is_laid(*wire)).collect();
            let Some(last) = laid.iter().rposition(|is_laid| *is_laid) else { continue };
            let first = self.around[region].wires.add(self.shared.links[end.channel], last + 1, end.sends);
            self.around[region].plugs.resize(first as usize + LANES, UNPLUGGED);
            for (lane, wire) in wires.into_iter().enumerate().filter(|(lane, _)| laid[*lane]) {
                self.lay_wire((region, first + lane as u32), wire, &mut numbers[wire]);
            }
        }
    }

    /// Lays a wire in a region with one of its ends or with both.
    fn lay_wire(&mut self, (region, number): (usize, u32), wire: usize, numbers: &mut [u32; 2]) {
        let Wire { sender, receiver, .. } = self.wiring.wires[wire];
        let seats = [sender, receiver].map(|pe| if self.region_of(pe) == region { self.seats[pe] } else { NO_SEAT });
        self.around[region].plugs[number as usize] = Plug { seats, wire: wire as u32 };
        for end in [SENDER, RECEIVER].into_iter().filter(|end| seats[*end] != NO_SEAT) {
            numbers[end] = number;
        }
    }

    /// Tells the halves of a wire, each in its region, of each other.
    fn join(&mut self, (from, near): (usize, u32), (to, far): (usize, u32), channel: usize) {
        let [there, back] = [(from, to), (to, from)].map(|(region, other)| self.post(region, other));
        self.write_after(from, there, self.around[from].plugs[near as usize].seats[SENDER]);
        self.write_after(to, back, self.around[to].plugs[far as usize].seats[RECEIVER]);
        let Ok([from, to]) = self.around.get_disjoint_mut([from, to]) else { return };
        let (sending, receiving) = (&mut from.mail.posts[there].sending, &mut to.mail.posts[back].receiving);
        if let (Some(first), Some(second)) = (sending.last_mut(), receiving.last_mut())
            && first.is_beside(near, channel)
            && second.is_beside(far, channel)
        {
            first.part.length += 1;
            second.part.length += 1;
            return;
        }
        sending.push(Bundle::new(near, channel, receiving.len()));
        receiving.push(Bundle::new(far, channel, sending.len() - 1));
    }

    /// The position of a region among the posts of another.
    fn post(&mut self, region: usize, other: usize) -> usize {
        let posts = &self.around[region].mail.posts;
        if let Some(known) = posts.iter().position(|post| post.region == other) {
            return known;
        }
        let number = posts.len();
        let [there, back] = [Arc::default(), Arc::default()];
        self.around[region].mail.posts.push(Post::new(other, [Arc::clone(&there), Arc::clone(&back)]));
        self.around[other].mail.posts.push(Post::new(region, [back, there]));
        number
    }

    /// Letters of a region are not written before the block with a seat has had its turn.
    fn write_after(&mut self, region: usize, post: usize, seat: u32) {
        let block = seat as usize / LANES;
        let last = &mut self.around[region].mail.posts[post].block;
        *last = Some(match self.shared.order {
            Order::FirstIn => last.map_or(block, |last| last.max(block)),
            Order::LastIn => last.map_or(block, |last| last.min(block)),
        });
    }

    /// Gives every port the number that its wire has in the region.
    fn plug_wires(&mut self, numbers: &[[u32; 2]]) {
        let (code, wiring) = (self.shared.code, self.wiring);
        for block in self.blocks.iter_mut().flatten() {
            for (port, end) in code.classes[block.class].ports.iter().enumerate() {
                let wires = block.pes.iter().map(|pe| match wiring.ports(*pe as usize)[port] {
                    NOWHERE => NO_WIRE,
                    wire => numbers[wire][if end.sends { SENDER } else { RECEIVER }],
                });
                block.ports[port] = Ports::of(&wires.collect::<Vec<u32>>());
            }
        }
    }

    /// Adds every line to each region with a PE on it.
    fn lay_lines(&mut self) {
        let (code, wiring) = (self.shared.code, self.wiring);
        let arities = tag_lengths(&code.classes, self.shared.bus_latencies.len());
        // For each line the regions that it is in, in ascending order, and its number there.
        let mut members: Vec<Vec<(usize, usize)>> = vec![vec![]; wiring.lines.len()];
        for (pe, placed) in code.pes.iter().enumerate().filter(|_| !wiring.lines.is_empty()) {
            let region = self.region_of(pe);
            for (tap, line) in wiring.taps(pe).iter().enumerate() {
                if members[*line].last().is_none_or(|(last, _)| *last != region) {
                    let lines = &mut self.around[region].lines;
                    members[*line].push((region, lines.len()));
                    lines.push(Line::new(arities[code.classes[placed.class].taps[tap]]));
                }
                let number = members[*line].last().map_or(0, |(_, number)| *number);
                let (block, lane) = self.block_of(pe);
                block.taps[tap][lane] = number as u32;
            }
        }
        members.iter().for_each(|members| self.share_line(members));
    }

    /// Tells the regions that a line is in of each other.
    fn share_line(&mut self, members: &[(usize, usize)]) {
        for (region, line) in members {
            for (other, far) in members.iter().filter(|(other, _)| other != region) {
                let post = self.post(*region, *other);
                self.around[*region].mail.posts[post].strands.push(Strand { line: *line, far: *far, told: 0 });
            }
        }
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
