//! A deadlock for the page: who waits for whom.
//!
//! In: a [`Deadlock`] of the simulator. Out: its waits, at most [`MOST`] of them, those on the cycle first, in its order.

use crate::array::show_point;
use crate::sim::{Blocked, Deadlock, PeerState};
use serde::Serialize;

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
    /// The PE it waits for, where it waits on a channel.
    pub peer: Option<Vec<i64>>,
    /// Whether that one has finished, or has nothing to do with the channel, so that it waits in vain.
    pub in_vain: bool,
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
        let others = (0..deadlock.blocked.len()).filter(|position| !deadlock.cycle.contains(position));
        let order = deadlock.cycle.iter().copied().chain(others).take(MOST);
        Waits {
            total: deadlock.blocked.len(),
            cycle: deadlock.cycle.len().min(MOST),
            listed: order.filter_map(|position| deadlock.blocked.get(position)).map(wait).collect(),
            help: deadlock.to_diagnostic().help_text().unwrap_or_default().to_owned(),
        }
    }
}

fn wait(blocked: &Blocked) -> Wait {
    let text = match &blocked.peer {
        Some(_) => blocked.to_string(),
        None => format!("{blocked}, on the bus of PE {}", show_point(&blocked.pe)),
    };
    Wait {
        pe: blocked.pe.clone(),
        class: blocked.class.to_string(),
        link: blocked.link.to_string(),
        cause: blocked.cause.keyword(),
        clock: blocked.clock,
        peer: blocked.peer.as_ref().map(|peer| peer.pe.clone()),
        in_vain: blocked.peer.as_ref().is_some_and(|peer| peer.state != PeerState::Waits),
        text,
    }
}
