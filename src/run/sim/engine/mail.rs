//! Wires and lines that lie in several regions, and the letters that pass between their parts.
//!
//! A wire between two regions has a half in each. The receiver's half is given the words that the sender's half has sent,
//! the sender's half the times at which the receiver's half has freed slots. Each half sees a ring of its own. A slot
//! keeps its message until the far end has freed it, so what is to be written is still there. A line with PEs in several
//! regions is in each of them, and what is driven in one is driven in all. When letters are read matters to nobody but the
//! host: clocks pass with the words.

use super::cable::{RECEIVER, SENDER};
use super::lanes::{LANES, Lanes, for_each_lane};
use super::letters::{AWAY, Letter, Mailbox, Page, Row};
use super::lines::Line;
use super::ports::Stretch;
use super::region::{Shared, Surroundings};
use super::wires::Wires;
use crossbeam::utils::CachePadded;
use std::sync::Arc;
use systole_program::array::Trouble;

/// Halves of wires of a channel side by side in a cable, whose other halves are side by side in a cable of one other region.
#[derive(Clone, Debug)]
pub(super) struct Bundle {
    /// Where they are; as lanes they have their places in the cable.
    pub part: Stretch,
    pub channel: usize,
    /// The position of the bundle at the far end.
    pub far: usize,
    /// How many messages the far end knows to be sent, or received, by place in the cable.
    told: Lanes<u32>,
}

impl Bundle {
    /// A bundle of one wire.
    pub fn new(wire: u32, channel: usize, far: usize) -> Bundle {
        let (cable, place) = (wire as usize / LANES, wire as usize % LANES);
        Bundle { part: Stretch { lane: place, cable, place, length: 1 }, channel, far, told: [0; LANES] }
    }

    /// Whether a wire of a channel lies beside the last one.
    pub fn is_beside(&self, wire: u32, channel: usize) -> bool {
        let Stretch { cable, place, length, .. } = self.part;
        self.channel == channel && cable == wire as usize / LANES && place + length == wire as usize % LANES
    }

    /// Writes down what has passed an end since the last time, row by row.
    fn write(&mut self, end: usize, wires: &mut Wires, page: &mut Page) {
        loop {
            let passed = wires.passed(self.part.cable, end);
            let is_news = |place: usize| u64::from(self.told[place] != passed[place]) << place;
            let mut news = (0..LANES).fold(0, |news, place| news | is_news(place)) & self.part.lanes();
            if news == 0 {
                return;
            }
            while let Some(part) = self.part.next_part(&mut news) {
                let (first, length) = ((part.place - self.part.place) as u32, part.length as u32);
                page.begin(Row { bundle: self.far as u32, first, length });
                wires.read_row(part, &self.told, page, end == SENDER);
                self.told[part.place..part.place + part.length]
                    .iter_mut()
                    .for_each(|told| *told = told.wrapping_add(1));
            }
        }
    }

    fn part_of(&self, row: Row) -> Stretch {
        let place = self.part.place + row.first as usize;
        Stretch { lane: place, place, length: row.length as usize, ..self.part }
    }
}

/// A line that is in another region too.
#[derive(Clone, Debug)]
pub(super) struct Strand {
    pub line: usize,
    /// Its number in the other region.
    pub far: usize,
    /// How many of its words the other region knows.
    pub told: usize,
}

/// What a region shares with one other.
#[derive(Debug)]
pub(super) struct Post {
    /// The other region.
    pub region: usize,
    pub sending: Vec<Bundle>,
    pub receiving: Vec<Bundle>,
    pub strands: Vec<Strand>,
    /// The last block in the host's order that has wires to it: when that has had its turn there is no more to write.
    pub block: Option<usize>,
    outgoing: Letter,
    /// Empty but while it is read.
    incoming: Letter,
    to: Arc<CachePadded<Mailbox>>,
    from: Arc<CachePadded<Mailbox>>,
}

impl Post {
    /// Nothing shared yet.
    pub fn new(region: usize, [to, from]: [Arc<CachePadded<Mailbox>>; 2]) -> Post {
        let (outgoing, incoming) = (Letter::default(), Letter::default());
        Post { region, sending: vec![], receiving: vec![], strands: vec![], block: None, outgoing, incoming, to, from }
    }

    /// Tells the other region what was sent, freed and driven since the last time, up to the end of so many sweeps.
    fn write(&mut self, wires: &mut Wires, lines: &[Line], sweeps: u64) {
        let Post { sending, receiving, strands, outgoing, to, .. } = self;
        sending.iter_mut().for_each(|bundle| bundle.write(SENDER, wires, &mut outgoing.words));
        receiving.iter_mut().for_each(|bundle| bundle.write(RECEIVER, wires, &mut outgoing.freed));
        for Strand { line, far, told } in strands {
            let driven = lines[*line].driven_since(*told);
            driven.for_each(|(tag, word)| outgoing.write_drive(*far, tag, word));
            *told = lines[*line].driven();
        }
        if !outgoing.is_empty() {
            to.leave(outgoing);
        }
        to.set_sweeps(sweeps);
    }
}

/// What a region shares with others.
#[derive(Debug, Default)]
pub(super) struct Mail {
    pub posts: Vec<Post>,
    /// How many sweeps it has made since all regions met.
    pub sweeps: u64,
}

impl Mail {
    /// The words in all letters that are to be read here, where none are being written.
    pub fn values(&self) -> impl Iterator<Item = f64> {
        self.posts.iter().flat_map(|post| post.from.letter().values().collect::<Vec<f64>>())
    }

    /// Whether a letter has come.
    pub fn has_come(&self) -> bool {
        self.posts.iter().any(|post| post.from.is_full())
    }

    /// Where letters come from.
    pub fn inboxes(&self) -> Vec<Arc<CachePadded<Mailbox>>> {
        self.posts.iter().map(|post| Arc::clone(&post.from)).collect()
    }

    /// Whether all others have made as many sweeps, so that their letters have come.
    pub fn is_level(&self) -> bool {
        self.posts.iter().all(|post| post.from.sweeps() >= self.sweeps)
    }

    /// Lets nobody wait for letters from here.
    pub fn go_away(&self) {
        self.posts.iter().for_each(|post| post.to.set_sweeps(AWAY));
    }

    /// Is there again, and as far as the others are.
    pub fn come_back(&mut self) {
        let others = self.posts.iter().map(|post| post.from.sweeps()).filter(|sweeps| *sweeps != AWAY);
        self.sweeps = others.fold(self.sweeps, u64::max);
        self.posts.iter().for_each(|post| post.to.set_sweeps(self.sweeps));
    }
}

impl Surroundings {
    /// After the turn of a block: letters for those with whom no later block has to do.
    #[inline]
    pub fn write_early_letters(&mut self, block: usize) {
        let Surroundings { mail: Mail { posts, sweeps }, wires, lines, .. } = self;
        let done = posts.iter_mut().filter(|post| post.block == Some(block) && post.strands.is_empty());
        done.for_each(|post| post.write(wires, lines, *sweeps + 1));
    }

    /// After a sweep: all letters.
    pub fn write_letters(&mut self) {
        let Surroundings { mail: Mail { posts, sweeps }, wires, lines, .. } = self;
        *sweeps += 1;
        posts.iter_mut().for_each(|post| post.write(wires, lines, *sweeps));
    }

    /// Takes over what the others have written, and notes whom it wakes. All that was driven here must have been told.
    pub fn read_letters(&mut self, shared: &Shared<'_>) -> Result<(), Trouble> {
        let mut posts = std::mem::take(&mut self.mail.posts);
        let read = posts.iter_mut().try_for_each(|post| {
            post.from.take(&mut post.incoming);
            let read = self.read_letter(post, shared);
            post.incoming.clear();
            read
        });
        for strand in posts.iter_mut().flat_map(|post| &mut post.strands) {
            strand.told = self.lines[strand.line].driven();
        }
        self.mail.posts = posts;
        read
    }

    fn read_letter(&mut self, post: &Post, shared: &Shared<'_>) -> Result<(), Trouble> {
        let Post { sending, receiving, incoming, .. } = post;
        for (row, times, _) in incoming.freed.rows() {
            let bundle = &sending[row.bundle as usize];
            let (link, depth) = (shared.links[bundle.channel], &mut self.tally.depth[bundle.channel]);
            self.wires.free_row(bundle.part_of(row), link, depth, times);
            self.wake_all(bundle.part_of(row), SENDER);
        }
        for (row, times, values) in incoming.words.rows() {
            let part = receiving[row.bundle as usize].part_of(row);
            self.wires.write_row(part, times, values)?;
            self.wake_all(part, RECEIVER);
        }
        for (line, tag, word) in incoming.drives() {
            let heard = self.lines[line].drive(tag, word);
            self.woken.extend(heard.ok_or_else(|| Trouble::DrivenTwice { tap: 0, tag: tag.to_vec() })?);
        }
        Ok(())
    }

    fn wake_all(&mut self, part: Stretch, end: usize) {
        let waiting = self.wires.stop_waiting(part, end);
        for_each_lane(waiting, |place| self.woken.push(self.plugs[part.cable * LANES + place].seats[end]));
    }
}
