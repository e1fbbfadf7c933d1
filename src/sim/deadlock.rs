//! A run that cannot go on: who waits for whom.
//!
//! In: a run in which no PE can go on and some are not done. Out: the PEs that wait, with the reason, and the cycle of
//! waits, or the PEs that wait for one that is done. A PE that waits for a word waits for the channel's sender, one that
//! waits for a slot for its receiver, one that waits for a tag for everyone not done who may still drive the bus there.

use super::engine::Engine;
use super::waits::{Wait, find_cycle};
use crate::array::{Program, show_point};
use crate::diagnostic::Diagnostic;
use crate::integer::Name;
use std::collections::BTreeMap;
use std::fmt;

/// How many PEs a message lists one by one.
const LISTED: usize = 12;

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
    /// Its clock.
    pub clock: u64,
    /// The far end of the channel; none for a bus.
    pub peer: Option<Peer>,
}

/// The far end of a channel that a PE waits on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Peer {
    /// Its coordinates.
    pub pe: Vec<i64>,
    /// Whether it will ever do its part.
    pub state: PeerState,
}

/// Whether the far end of a channel can still do its part.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PeerState {
    /// It waits itself.
    Waits,
    /// It has finished.
    Finished,
    /// There is no such PE, or its class does not send on the channel.
    Mute,
}

impl PeerState {
    fn remark(self) -> &'static str {
        match self {
            PeerState::Waits => "",
            PeerState::Finished => ", which has finished",
            PeerState::Mute => ", which does not send on it",
        }
    }
}

/// Why a run cannot go on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Deadlock {
    /// All PEs that wait, in row-major order.
    pub blocked: Vec<Blocked>,
    /// Positions in `blocked`: each waits for the next, the last for the first. Empty where the waits end at PEs that
    /// are done or at tags nobody can drive.
    pub cycle: Vec<usize>,
}

impl Deadlock {
    /// The deadlock that a run ended in, if it did.
    pub(super) fn find(program: &Program, engine: &Engine<'_>) -> Option<Deadlock> {
        let waiting: Vec<usize> = (0..engine.runners.len()).filter(|pe| !engine.runners[*pe].finished).collect();
        if waiting.is_empty() {
            return None;
        }
        let waits: Vec<Wait> = waiting.iter().map(|pe| Wait::of(program, engine, *pe)).collect();
        let cycle = find_cycle(engine, &waiting, &waits);
        Some(Deadlock { blocked: waits.into_iter().map(|wait| wait.blocked).collect(), cycle })
    }

    /// How many PEs of a class wait on a link for one cause.
    pub fn groups(&self) -> BTreeMap<(Name, Name, Cause), usize> {
        let mut groups = BTreeMap::new();
        for blocked in &self.blocked {
            *groups.entry((blocked.class.clone(), blocked.link.clone(), blocked.cause)).or_insert(0) += 1;
        }
        groups
    }

    /// The message for people.
    pub fn to_diagnostic(&self) -> Diagnostic {
        let count = self.blocked.len();
        let fault = Diagnostic::new(format!("deadlock: {count} PEs wait and none can go on"));
        let fault = self.cycle_notes().into_iter().fold(fault, Diagnostic::note);
        let fault = self.blocked_notes().into_iter().fold(fault, Diagnostic::note);
        match self.blocked.iter().any(|blocked| blocked.cause == Cause::Full) {
            true => fault.help("a larger `--capacity` may resolve a full channel; the proved depth always does"),
            false => fault.help("every word that is received must have been sent, in the same order"),
        }
    }

    fn cycle_notes(&self) -> Vec<String> {
        if self.cycle.is_empty() {
            return vec![];
        }
        let shown = self.cycle.iter().take(LISTED).map(|position| format!("  {}", self.blocked[*position]));
        let mut notes: Vec<String> = std::iter::once("the cycle of waits:".to_owned()).chain(shown).collect();
        if self.cycle.len() > LISTED {
            notes.push(format!("  .. and {} more", self.cycle.len() - LISTED));
        }
        notes
    }

    /// One by one where they are few, else by class.
    fn blocked_notes(&self) -> Vec<String> {
        if self.blocked.len() == self.cycle.len() {
            return vec![];
        }
        if self.blocked.len() <= LISTED {
            return self.blocked.iter().map(Blocked::to_string).collect();
        }
        let groups = self.groups().into_iter();
        let show = |((class, link, cause), count): ((Name, Name, Cause), usize)| {
            format!("{count} PEs of class `{class}` wait on `{link}`, which is {}", cause.keyword())
        };
        groups.map(show).chain(self.blocked.iter().take(1).map(|first| format!("for one, {first}"))).collect()
    }
}

impl fmt::Display for Blocked {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "PE {} waits at clock {} on `{}`", show_point(&self.pe), self.clock, self.link)?;
        match self.cause {
            Cause::Undriven => write!(f, " for tag {}, which is undriven", show_point(&self.tag))?,
            cause => write!(f, ", which is {}", cause.keyword())?,
        }
        match &self.peer {
            Some(Peer { pe, state }) => write!(f, "; waits for PE {}{}", show_point(pe), state.remark()),
            None => Ok(()),
        }
    }
}
