//! The networks that join PEs: how many hops a displacement takes.
//!
//! **Timing rule.** The result of an operation leaves in the step in which it is made: a PE at clock t receives,
//! computes and sends at t, and the word can be received from t + latency on. So causality asks `t(x) >= t(x - d) +
//! max(1, hops * latency)`. One function says it (`Links::cycles`) to proofs, to emission and to runs on other links,
//! which change the latency of each channel in the program by the hops of its network or the machine's.

use crate::cell::Cell;
use std::collections::BTreeSet;
use std::fmt;

/// How PEs are joined.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Network {
    /// A row of PEs, each joined to the next.
    Line,
    /// Neighbours along the axes, one hop only.
    Wire,
    /// Neighbours along the axes, any number of hops: a diagonal takes two.
    Mesh,
    /// Neighbours along the axes and along one of the two diagonals.
    Hex,
    /// All eight neighbours.
    King,
    /// A wire network whose opposite edges are joined.
    Torus,
}

impl Network {
    /// All networks with their names.
    pub const ALL: [(Network, &'static str); 6] = [
        (Network::Line, "line"),
        (Network::Wire, "wire"),
        (Network::Mesh, "mesh"),
        (Network::Hex, "hex"),
        (Network::King, "king"),
        (Network::Torus, "torus"),
    ];

    /// Its name in machine files and flags.
    pub fn keyword(self) -> &'static str {
        Network::ALL.iter().find(|(network, _)| *network == self).map_or("", |(_, word)| word)
    }

    /// The network that `word` names.
    pub fn from_keyword(word: &str) -> Option<Network> {
        Network::ALL.iter().find(|(_, known)| *known == word).map(|(network, _)| *network)
    }

    /// The network that a program names for it: the mesh where the hops of a link are the sum of its entries, as on all but
    /// two.
    pub fn measure(self) -> Network {
        match self {
            Network::Hex | Network::King => self,
            Network::Line | Network::Wire | Network::Mesh | Network::Torus => Network::Mesh,
        }
    }

    /// Whether arrays of this rank can be built on it.
    pub fn carries_rank(self, rank: usize) -> bool {
        match self {
            Network::Line => rank <= 1,
            Network::Hex => rank <= 2,
            _ => true,
        }
    }

    /// The hops a value takes to move by `displacement`, `None` where there is no such link.
    ///
    /// On [`Network::Hex`] either diagonal counts here; [`Network::joins`] says whether several displacements agree on one.
    pub fn hops(self, displacement: &[i64]) -> Option<i64> {
        let (steps, reach) = steps_and_reach(displacement);
        match self {
            Network::Mesh => Some(steps),
            Network::Line | Network::Wire | Network::Torus => (steps <= 1).then_some(steps),
            Network::King | Network::Hex => (reach <= 1).then_some(reach),
        }
    }

    /// The diagonal along which a link for `displacement` lies where the network has only one of the two: 1 where both
    /// coordinates rise together, -1 where one falls, 0 where any array has the link.
    pub fn diagonal(self, displacement: &[i64]) -> i64 {
        match displacement {
            [x, y] if self == Network::Hex => x.signum() * y.signum(),
            _ => 0,
        }
    }

    /// The diagonals, one of which an array with links for all of `displacements` has: -1, 1, or both where they leave the
    /// choice; 0 on a network without that choice; none where no array has all of them.
    pub fn diagonals<'a>(self, displacements: impl IntoIterator<Item = &'a [i64]>) -> Vec<i64> {
        if self != Network::Hex {
            return vec![0];
        }
        let needed: BTreeSet<i64> = displacements.into_iter().map(|moved| self.diagonal(moved)).collect();
        [1, -1].into_iter().filter(|diagonal| !needed.contains(&-diagonal)).collect()
    }

    /// Whether one array can have links for all of `displacements` at once.
    pub fn joins<'a>(self, displacements: impl IntoIterator<Item = &'a [i64]>) -> bool {
        !self.diagonals(displacements).is_empty()
    }

    /// The hops of the shortest way between PEs that lie `displacement` apart, in an array with this diagonal.
    pub fn distance(self, displacement: &[i64], diagonal: i64) -> i64 {
        let (steps, reach) = steps_and_reach(displacement);
        match self {
            Network::King => reach,
            Network::Hex if self.diagonal(displacement) == diagonal => reach,
            _ => steps,
        }
    }
}

/// The sum of the entries without their signs, and the largest of them. Offsets of programs may be any numbers.
fn steps_and_reach(displacement: &[i64]) -> (i64, i64) {
    let entries = || displacement.iter().map(|entry| entry.saturating_abs());
    (entries().fold(0, i64::saturating_add), entries().max().unwrap_or(0))
}

/// What a design is held against: the network, the timing of its links, and what a step holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Links {
    /// How PEs are joined.
    pub network: Network,
    /// Cycles a hop takes, at least 1.
    pub latency: i64,
    /// Cycles from a receive until the sender may use the slot again.
    pub response: i64,
    /// Cycles from the step in which a value is stored in the memory that all PEs share to the first in which it can be read, 1 at
    /// least: one, and as many as a load takes on the machine.
    pub memory: i64,
    /// How many operations of a PE one step holds.
    pub cell: Cell,
}

impl Links {
    /// Cycles from asking for a word of memory until it is there: those of a stored word but for the step in which it is stored.
    pub fn load_latency(&self) -> u64 {
        self.memory.saturating_sub(1).max(0).unsigned_abs()
    }

    /// Cycles from taking what another space hands over until the giver may use the slot again. Where operations share a step the
    /// giver's may come before the taker's in it, so the slot is free in the next step at the earliest.
    pub fn handoff_response(&self) -> i64 {
        if self.cell.is_shared() { self.response.max(1) } else { self.response }
    }

    /// Cycles from a send to the word's visibility: the latency of every hop, and 1 on the way from a PE to itself. `None` where
    /// the network has no such link. Proofs, programs and runs ask here.
    pub fn cycles(&self, displacement: &[i64]) -> Option<i64> {
        Some(self.network.hops(displacement)?.saturating_mul(self.latency).max(1))
    }
}

impl Default for Links {
    fn default() -> Links {
        Links { network: Network::Mesh, latency: 1, response: 1, memory: 1, cell: Cell::ONE }
    }
}

impl fmt::Display for Network {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.keyword())
    }
}
