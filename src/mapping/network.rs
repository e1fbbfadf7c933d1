//! The networks that join PEs: how many hops a displacement takes.

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
        let steps: i64 = displacement.iter().map(|entry| entry.abs()).sum();
        let reach = displacement.iter().map(|entry| entry.abs()).max().unwrap_or(0);
        match self {
            Network::Mesh => Some(steps),
            Network::Line | Network::Wire | Network::Torus => (steps <= 1).then_some(steps),
            Network::King | Network::Hex => (reach <= 1).then_some(reach),
        }
    }

    /// Whether one array can have links for all of `displacements` at once.
    pub fn joins<'a>(self, displacements: impl IntoIterator<Item = &'a [i64]>) -> bool {
        if self != Network::Hex {
            return true;
        }
        let diagonals = displacements.into_iter().map(|d| d.iter().product::<i64>() * i64::from(d.len() == 2));
        let (mut rising, mut falling) = (false, false);
        diagonals.for_each(|sign| {
            rising |= sign > 0;
            falling |= sign < 0;
        });
        !(rising && falling)
    }
}

/// What a design is held against: the network and the timing of its links.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Links {
    /// How PEs are joined.
    pub network: Network,
    /// Cycles a hop takes, at least 1.
    pub latency: i64,
    /// Cycles from a receive until the sender may use the slot again.
    pub response: i64,
}

impl Default for Links {
    fn default() -> Links {
        Links { network: Network::Mesh, latency: 1, response: 1 }
    }
}

impl fmt::Display for Network {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.keyword())
    }
}
