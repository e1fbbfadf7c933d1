//! Whether one array carries everything that moves in a design.
//!
//! Each way alone may have a link where all of them together have none: a hexagonal network has one of the two diagonals.

use super::{Design, Flow, Handoff};
use systole_base::diagnostic::Diagnostic;
use systole_base::integer::{Name, Vector};
use systole_base::network::Network;

/// A tensor, and by how many PEs its values move at once.
pub type Way = (Name, Vector);

/// The ways of flows.
pub fn ways_of(flows: &[Flow]) -> Vec<Way> {
    flows.iter().map(|flow| (flow.of.clone(), flow.displacement.clone())).collect()
}

/// That an array of the network can have links for all `ways` at once.
///
/// # Errors
/// It cannot: which ways exclude each other.
pub fn check_ways(network: Network, ways: &[Way]) -> Result<(), Diagnostic> {
    if network.joins(ways.iter().map(|(_, moved)| moved.as_slice())) {
        return Ok(());
    }
    let mut shown: Vec<String> = vec![];
    for (of, moved) in ways.iter().filter(|(_, moved)| network.diagonal(moved) != 0) {
        let by: Vec<String> = moved.iter().map(i64::to_string).collect();
        let text = format!("`{of}` moves by ({})", by.join(", "));
        if !shown.contains(&text) {
            shown.push(text);
        }
    }
    Err(Diagnostic::new(format!("the flows need both diagonals of a `{network}` network"))
        .note(shown.join(", "))
        .help("a `king` network has both diagonals"))
}

impl Design<'_> {
    /// The ways of all flows of all spaces, then those of the handoffs.
    pub fn ways(&self, handoffs: &[Handoff]) -> Vec<Way> {
        let spaces = 0..self.parts.len();
        let flows = spaces.flat_map(|space| ways_of(&self.alone(space).flows().unwrap_or_default()));
        let handed = handoffs.iter().filter_map(|handoff| {
            let operand = &self.system.spaces[handoff.reader].operands[handoff.operand];
            Some((operand.tensor.clone(), handoff.displacement()?.clone()))
        });
        flows.chain(handed).collect()
    }
}
