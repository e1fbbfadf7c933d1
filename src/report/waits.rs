//! A deadlock for the page: who waits for whom.
//!
//! In: a [`Deadlock`] of the simulator. Out: its waits, at most [`MOST`] of them, those on the cycle first, in its order.

use crate::sim::{Blocked, Deadlock};
use serde::Serialize;
use std::collections::BTreeSet;

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
    /// Its clock.
    pub clock: u64,
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
    /// The waits, those of the cycle first.
    pub listed: Vec<Wait>,
    /// The message for people: what would mend it.
    pub help: String,
}

impl Waits {
    /// The waits of a deadlock.
    pub fn of(deadlock: &Deadlock) -> Waits {
        let on_cycle: BTreeSet<usize> = deadlock.cycle.iter().copied().collect();
        let others = (0..deadlock.blocked.len()).filter(|position| !on_cycle.contains(position));
        let order = deadlock.cycle.iter().copied().chain(others).take(MOST);
        let mut listed: Vec<Wait> = order.filter_map(|position| deadlock.blocked.get(position)).map(wait).collect();
        let cycle = deadlock.cycle.len().min(listed.len());
        let pes: Vec<Vec<i64>> = listed.iter().take(cycle).map(|wait| wait.pe.clone()).collect();
        for (wait, next) in listed.iter_mut().zip(pes.iter().cycle().skip(1)).take(cycle) {
            wait.peer.get_or_insert_with(|| next.clone());
        }
        let help = deadlock.to_diagnostic().help_text().unwrap_or_default().to_owned();
        Waits { total: deadlock.blocked.len(), cycle, listed, help }
    }
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
