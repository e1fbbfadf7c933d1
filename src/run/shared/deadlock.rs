//! A run that cannot go on: who waits for whom.
//!
//! In: a run in which no PE can go on and some are not done. Out: the PEs that wait, with the reason; the cycles of waits;
//! and the ends of waits, PEs for which nobody will ever do what they wait for. A PE that waits for a word waits for the
//! channel's sender, one that waits for a slot for its receiver, one that waits for a tag for whoever would drive it.
//! Every wait leads to a cycle or to an end, so these are the causes, however far from most of the PEs that wait.

use super::ahead::Scout;
use super::waits::{Scene, Standing, Wait, find_cycles};
use std::collections::BTreeMap;
use std::fmt;
use systole_base::integer::Name;
use systole_program::array::{Code, Program, show_point};

/// What a PE waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Cause {
    /// A word on an empty channel.
    Empty,
    /// A slot on a full channel.
    Full,
    /// A tag that nobody has driven.
    Undriven,
}

impl Cause {
    /// The word for it in messages and JSON.
    pub fn keyword(self) -> &'static str {
        match self {
            Cause::Empty => "empty",
            Cause::Full => "full",
            Cause::Undriven => "undriven",
        }
    }
}

/// A PE that waits for ever.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Blocked {
    /// Its coordinates.
    pub pe: Vec<i64>,
    /// Its class.
    pub class: Name,
    /// The channel or bus.
    pub link: Name,
    /// What is wrong with it.
    pub cause: Cause,
    /// The tag it asks for, on a bus.
    pub tag: Vec<i64>,
    /// Its clock; none where it ran on a back end without clocks.
    pub clock: Option<u64>,
    /// The far end of the channel, or the PE that would drive the tag; none where nobody on the line drives the bus.
    pub peer: Option<Peer>,
}

/// The PE that another waits for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Peer {
    /// Its coordinates.
    pub pe: Vec<i64>,
    /// Whether it will ever do its part.
    pub state: PeerState,
}

/// Whether the PE that another waits for would still do its part.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PeerState {
    /// It waits itself, and would do its part after that.
    Waits,
    /// It waits itself, and has no such part left.
    Spent,
    /// It has finished.
    Finished,
    /// Its class does not send on the channel.
    Mute,
    /// There is no such PE.
    Absent,
}

impl PeerState {
    /// The word for it in JSON.
    pub fn keyword(self) -> &'static str {
        match self {
            PeerState::Waits => "waits",
            PeerState::Spent => "spent",
            PeerState::Finished => "finished",
            PeerState::Mute => "mute",
            PeerState::Absent => "absent",
        }
    }

    fn remark(self, cause: Cause) -> &'static str {
        match (self, cause) {
            (PeerState::Waits, _) => "",
            (PeerState::Spent, Cause::Empty) => ", which sends no more on it",
            (PeerState::Spent, Cause::Full) => ", which receives no more on it",
            (PeerState::Spent, Cause::Undriven) => ", which does not drive it",
            (PeerState::Finished, _) => ", which has finished",
            (PeerState::Mute, _) => ", which does not send on it",
            (PeerState::Absent, _) => ", which does not exist",
        }
    }
}

/// Why a run cannot go on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Deadlock {
    /// All PEs that wait, in row-major order.
    pub blocked: Vec<Blocked>,
    /// Positions in `blocked`: each waits for the next, the last for the first. Empty where no PEs wait in a circle.
    pub cycle: Vec<usize>,
    /// Further cycles, which have no PE in common.
    pub other_cycles: Vec<Vec<usize>>,
}

impl Deadlock {
    /// The deadlock of a run that has come to rest, from where each PE stands, in the order of the code; none where every
    /// PE has come to its end.
    pub(crate) fn find(program: &Program, code: &Code, standings: Vec<Standing>) -> Option<Deadlock> {
        if standings.iter().all(|standing| standing.finished) {
            return None;
        }
        let scene = Scene::new(program, code, standings);
        let waiting: Vec<usize> = (0..scene.standings.len()).filter(|pe| !scene.standings[*pe].finished).collect();
        let mut scout = Scout::new(&scene);
        let waits: Vec<Wait> = waiting.iter().map(|pe| Wait::of(&scene, &mut scout, *pe)).collect();
        let mut cycles = find_cycles(&waiting, &waits).into_iter();
        let (cycle, other_cycles) = (cycles.next().unwrap_or_default(), cycles.collect());
        Some(Deadlock { blocked: waits.into_iter().map(|wait| wait.blocked).collect(), cycle, other_cycles })
    }

    /// The cycles of waits, the first one first.
    pub fn cycles(&self) -> impl Iterator<Item = &[usize]> {
        let first = Some(&self.cycle).filter(|cycle| !cycle.is_empty());
        first.into_iter().chain(&self.other_cycles).map(Vec::as_slice)
    }

    /// Positions in `blocked` of the PEs for which nobody will ever do what they wait for.
    pub fn ends(&self) -> Vec<usize> {
        let is_end = |blocked: &Blocked| blocked.peer.as_ref().is_none_or(|peer| peer.state != PeerState::Waits);
        (0..self.blocked.len()).filter(|position| is_end(&self.blocked[*position])).collect()
    }

    /// How many PEs of a class wait on a link for one cause.
    pub fn groups(&self) -> BTreeMap<(Name, Name, Cause), usize> {
        let mut groups = BTreeMap::new();
        for blocked in &self.blocked {
            *groups.entry((blocked.class.clone(), blocked.link.clone(), blocked.cause)).or_insert(0) += 1;
        }
        groups
    }
}

impl fmt::Display for Blocked {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let clock = self.clock.map_or_else(String::new, |clock| format!(" at clock {clock}"));
        write!(f, "PE {} waits{clock} on `{}`", show_point(&self.pe), self.link)?;
        match self.cause {
            Cause::Undriven => write!(f, " for tag {}, which is undriven", show_point(&self.tag))?,
            cause => write!(f, ", which is {}", cause.keyword())?,
        }
        match &self.peer {
            Some(Peer { pe, state }) => write!(f, "; waits for PE {}{}", show_point(pe), state.remark(self.cause)),
            None => write!(f, "; no PE on its line drives it"),
        }
    }
}
