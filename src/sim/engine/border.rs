//! What passes between regions at the end of a round.
//!
//! Words and the times of freed slots are in letters ([`super::mail`]), which change hands between sweeps, so a region
//! never touches another's state while it sweeps. A line in several regions is a strand: what is driven in one is driven
//! in all. When things pass matters to nobody but the host: clocks pass with them.

use super::lines::Word;
use super::region::{Failure, Region};
use crate::array::Trouble;
use std::ops::DerefMut;

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
    pub strands: Vec<Strand>,
}

impl Border {
    /// Passes on what was sent, freed and driven since the last time, and lets those who waited for it try again.
    pub fn exchange(&mut self, regions: &mut [impl DerefMut<Target = Region>]) -> Result<(), Failure> {
        for (one, other) in (0..regions.len()).flat_map(|other| (0..other).map(move |one| (one, other))) {
            let Ok([first, second]) = regions.get_disjoint_mut([one, other]) else { continue };
            let (first, second) = (&mut first.around.mail, &mut second.around.mail);
            std::mem::swap(&mut first.outgoing[other], &mut second.incoming[one]);
            std::mem::swap(&mut second.outgoing[one], &mut first.incoming[other]);
        }
        for strand in &mut self.strands {
            let fail = |trouble| Failure { pe: 0, counter: 0, clock: 0, trouble };
            pass_drives(strand, regions).map_err(fail)?;
        }
        regions.iter_mut().for_each(|region| region.wake());
        Ok(())
    }
}

fn pass_drives(strand: &mut Strand, regions: &mut [impl DerefMut<Target = Region>]) -> Result<(), Trouble> {
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
