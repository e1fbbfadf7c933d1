//! A deadlock for the page: who waits for whom.
//!
//! In: a [`Deadlock`] of the simulator. Out: its waits, at most [`MOST`] of them, cycle after cycle, each in its order, and then
//! those on none.

use serde::Serialize;
use std::collections::BTreeSet;
use systole_run::shared::{Blocked, Deadlock};

/// The waits that are listed at most.
const MOST: usize = 256;

/// A PE that waits for ever.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Wait {
    /// Its coordinates.
    pub pe: Vec<i64>,
    /// Its class.
    pub class: String,
    /// The channel or bus it waits on.
    pub link: String,
    /// What is wrong with that: `empty`, `full` or `undriven`.
    pub cause: &'static str,
    /// Its clock, where the run had clocks.
    pub clock: Option<u64>,
    /// The PE it waits for: the far end of a channel; through a bus, the next PE of the cycle.
    pub peer: Option<Vec<i64>>,
    /// All of it in one line.
    pub text: String,
}

/// Why a run cannot go on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Waits {
    /// How many PEs wait.
    pub total: usize,
    /// How many of the listed ones stand on the cycle: each waits for the next, the last for the first.
    pub cycle: usize,
    /// How many of those listed after them stand on each further cycle.
    pub other_cycles: Vec<usize>,
    /// The waits, those of the cycles first.
    pub listed: Vec<Wait>,
    /// The message for people: what would mend it.
    pub help: String,
}

impl Waits {
    /// The waits of a deadlock.
    pub fn of(deadlock: &Deadlock) -> Waits {
        let mut listed = vec![];
        let cycles = std::iter::once(&deadlock.cycle).chain(&deadlock.other_cycles);
        let mut lengths = cycles.map(|cycle| list_cycle(deadlock, cycle, &mut listed));
        let (cycle, other_cycles) = (lengths.next().unwrap_or(0), lengths.filter(|length| *length > 0).collect());
        let on_cycles: BTreeSet<usize> =
            std::iter::once(&deadlock.cycle).chain(&deadlock.other_cycles).flatten().copied().collect();
        let others = deadlock.blocked.iter().enumerate().filter(|(position, _)| !on_cycles.contains(position));
        let room = MOST.saturating_sub(listed.len());
        listed.extend(others.take(room).map(|(_, blocked)| wait(blocked)));
        let help = deadlock.to_diagnostic().help_text().unwrap_or_default().to_owned();
        Waits { total: deadlock.blocked.len(), cycle, other_cycles, listed, help }
    }
}

/// Adds the waits of a cycle, as far as there is room, and says how many. Who waits through a bus waits for the next.
fn list_cycle(deadlock: &Deadlock, cycle: &[usize], listed: &mut Vec<Wait>) -> usize {
    let room = MOST.saturating_sub(listed.len());
    let on_it = cycle.iter().filter_map(|position| deadlock.blocked.get(*position)).take(room);
    let mut waits: Vec<Wait> = on_it.map(wait).collect();
    let pes: Vec<Vec<i64>> = waits.iter().map(|wait| wait.pe.clone()).collect();
    for (wait, next) in waits.iter_mut().zip(pes.iter().cycle().skip(1)) {
        wait.peer.get_or_insert_with(|| next.clone());
    }
    listed.append(&mut waits);
    pes.len()
}

fn wait(blocked: &Blocked) -> Wait {
    Wait {
        pe: blocked.pe.clone(),
        class: blocked.class.to_string(),
        link: blocked.link.to_string(),
        cause: blocked.cause.keyword(),
        clock: blocked.clock,
        peer: blocked.peer.as_ref().map(|peer| peer.pe.clone()),
        text: blocked.to_string(),
    }
}
