//! What passes between regions at the end of a round.
//!
//! A wire between two regions is a joint of two halves. Words and the times of freed slots are copied from one half to
//! the other between sweeps, so a region never touches another's state while it sweeps. A line in several regions is a
//! strand: what is driven in one is driven in all. When things pass matters to nobody but the host: clocks pass with them.

use super::lines::Word;
use super::region::{Failure, Region, Shared};
use crate::array::Trouble;

/// A wire whose ends are in two regions.
#[derive(Clone, Copy, Debug)]
pub(super) struct Joint {
    pub channel: usize,
    /// Region and wire of the sender's half.
    pub sender: (usize, usize),
    /// Region and wire of the receiver's half.
    pub receiver: (usize, usize),
    /// The sender, for messages.
    pub pe: usize,
}

/// A line with PEs in several regions.
#[derive(Clone, Debug, Default)]
pub(super) struct Strand {
    /// Region, line, and how many of its words have passed.
    pub members: Vec<(usize, usize, usize)>,
}

impl Strand {
    /// The number that the line has in a region. Regions come in ascending order.
    pub fn number_in(&mut self, region: usize, add: impl FnOnce() -> usize) -> usize {
        match self.members.last() {
            Some((last, line, _)) if *last == region => *line,
            _ => {
                let line = add();
                self.members.push((region, line, 0));
                line
            }
        }
    }
}

/// All that joins regions.
#[derive(Clone, Debug, Default)]
pub(super) struct Border {
    pub joints: Vec<Joint>,
    pub strands: Vec<Strand>,
}

impl Border {
    /// Passes on what was sent, freed and driven since the last time, and lets those who waited for it try again.
    pub fn exchange(&mut self, regions: &mut [Region], shared: &Shared<'_>) -> Result<(), Failure> {
        for joint in &self.joints {
            let fail = |trouble| Failure { pe: joint.pe, counter: 0, clock: 0, trouble };
            pass_words(joint, regions, shared).map_err(fail)?;
        }
        for strand in &mut self.strands {
            let fail = |trouble| Failure { pe: 0, counter: 0, clock: 0, trouble };
            pass_drives(strand, regions).map_err(fail)?;
        }
        regions.iter_mut().for_each(Region::wake);
        Ok(())
    }
}

fn pass_words(joint: &Joint, regions: &mut [Region], shared: &Shared<'_>) -> Result<(), Trouble> {
    let ((from, near), (to, far)) = (joint.sender, joint.receiver);
    let Ok([sender, receiver]) = regions.get_disjoint_mut([from, to]) else { return Ok(()) };
    let (sender, receiver) = (&mut sender.around, &mut receiver.around);
    let depth = &mut sender.tally.depth[joint.channel];
    if sender.wires.take_credits(near, shared.links[joint.channel], depth, (&receiver.wires, far)) {
        sender.wake_sender(near);
    }
    if receiver.wires.take_words(far, (&sender.wires, near))? {
        receiver.wake_receiver(far);
    }
    Ok(())
}

fn pass_drives(strand: &mut Strand, regions: &mut [Region]) -> Result<(), Trouble> {
    let mut fresh: Vec<(usize, Box<[i64]>, Word)> = vec![];
    for (region, line, passed) in &strand.members {
        let driven = regions[*region].around.lines[*line].driven_since(*passed);
        fresh.extend(driven.map(|(tag, word)| (*region, tag.into(), word)));
    }
    if fresh.is_empty() {
        return Ok(());
    }
    for (region, line, passed) in &mut strand.members {
        let around = &mut regions[*region].around;
        for (_, tag, word) in fresh.iter().filter(|(from, ..)| from != region) {
            let woken = around.lines[*line].drive(tag, *word);
            around.woken.extend(woken.ok_or_else(|| Trouble::DrivenTwice { tap: 0, tag: tag.to_vec() })?);
        }
        *passed = around.lines[*line].driven();
    }
    Ok(())
}
