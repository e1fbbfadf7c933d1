//! One lowered form, read off the e-graph: how each operand reaches its uses, and in which order the reduction runs.

use systole_base::integer::Vector;
use systole_equations::recurrence::{Chain, Space};

/// How an operand reaches the points that use it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Transport {
    /// Loaded at the head of each line along the direction and passed from point to point (Inject, Propagate, Send).
    Stream(Vector),
    /// A stream along the first direction whose words reach the heads of its lines by a stream along the second, on the
    /// face that these heads make, and so on: a tree that spans its directions. Two or more; loaded at the heads of the last.
    Tree(Vec<Vector>),
    /// Put on a bus that all points of the line along the direction read: by its head, which loads it, or where it is computed, by the
    /// point of the line on the PE that computes it.
    Broadcast(Vector),
    /// Brought into the PE's own memory before the run.
    Prefetch,
    /// Read through the PE's own memory port at every use.
    Feed,
    /// Loaded by one PE, which puts each word on a bus to all PEs when it is due: one word at a time, each for one use.
    Bus,
    /// Handed over, for each point alone, by the point that computes it.
    Handoff,
    /// Kept by the PE that computes it, in its own memory, and read there whenever it is used.
    Local,
    /// Stored in a memory that all PEs share by the point that computes it, and read there by whoever uses it.
    Memory,
}

/// One way to lower a space: a transport for each operand, in the order of `Space::operands`, and the order of the
/// reduction.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Dataflow {
    /// A transport for each operand.
    pub transports: Vec<Transport>,
    /// The reduction's order; no directions where nothing is reduced.
    pub chain: Chain,
}

impl Transport {
    /// The direction of a stream, the first one of a tree, or that of a bus along lines.
    pub fn direction(&self) -> Option<&Vector> {
        self.directions().first()
    }

    /// All directions along which values move or are broadcast.
    pub fn directions(&self) -> &[Vector] {
        match self {
            Transport::Broadcast(along) => std::slice::from_ref(along),
            _ => self.streams(),
        }
    }

    /// The directions of a stream, or of a tree in their order; none of any other transport.
    pub fn streams(&self) -> &[Vector] {
        match self {
            Transport::Stream(along) => std::slice::from_ref(along),
            Transport::Tree(directions) => directions,
            _ => &[],
        }
    }

    /// The stream along one direction, or the tree of several.
    pub fn of_streams(mut directions: Vec<Vector>) -> Transport {
        match directions.len() {
            1 => Transport::Stream(directions.remove(0)),
            _ => Transport::Tree(directions),
        }
    }

    /// Whether the value is stored where it is computed, by its PE or for all, and read there.
    pub fn is_stored(&self) -> bool {
        matches!(self, Transport::Local | Transport::Memory)
    }

    /// Whether all points of a line hear the value over a bus.
    pub fn is_bus(&self) -> bool {
        matches!(self, Transport::Broadcast(_))
    }

    /// As text: `stream <j>`, `stream <i>, <j>`, `broadcast <i>`, `prefetch`, `feed`.
    pub fn show(&self, space: &Space) -> String {
        match self {
            Transport::Stream(along) => format!("stream {}", space.show_direction(along)),
            Transport::Tree(directions) => {
                let all: Vec<String> = directions.iter().map(|along| space.show_direction(along)).collect();
                format!("stream {}", all.join(", "))
            }
            Transport::Broadcast(along) => format!("broadcast {}", space.show_direction(along)),
            Transport::Prefetch => "prefetch".to_owned(),
            Transport::Feed => "feed".to_owned(),
            Transport::Bus => "bus".to_owned(),
            Transport::Handoff => "handoff".to_owned(),
            Transport::Local => "local".to_owned(),
            Transport::Memory => "memory".to_owned(),
        }
    }
}
