//! A program on other links than those it was written for.
//!
//! In: a program, a network and the cycles of a hop, or those of a bus. Out: the same program, each of whose channels takes
//! max(1, hops * latency) cycles: one that stays on its PE takes 1, one of two hops twice the latency. That is the rule of the
//! proofs, so a program on the links it was written for is itself. What is sent and when, as the clocks of the text have it,
//! stays.

use super::{Channel, Joins, Program};
use systole_base::diagnostic::{Checked, Diagnostic, Diagnostics};
use systole_base::network::{Links, Network};

/// The program on a network with so many cycles a hop.
///
/// # Errors
/// Every channel for which the network has no link.
pub fn on_links(program: &Program, network: Network, latency: u64) -> Checked<Program> {
    let refuse = |(_, fault): (_, Diagnostic)| fault.help("name another network in the machine file, such as `mesh`");
    let missing: Diagnostics = missing_links(program, network).into_iter().map(refuse).collect();
    if !missing.is_empty() {
        return Err(missing);
    }
    let links = Links { network, latency: i64::try_from(latency).unwrap_or(i64::MAX), ..Links::default() };
    let mut program = Program { network: network.measure(), ..program.clone() };
    // What a PE keeps for later operations of the step is on no link.
    for channel in program.channels.iter_mut().filter(|channel| channel.latency > 0) {
        channel.latency = links.cycles(&channel.offset).unwrap_or(1).unsigned_abs();
    }
    Ok(program)
}

/// The program on buses whose words are heard so many cycles after the drive, with a memory of which words are there so many cycles
/// after they were stored.
pub fn on_buses(mut program: Program, latency: u64, memory: u64) -> Program {
    for bus in &mut program.buses {
        bus.latency = if bus.joins == Joins::All { memory } else { latency };
    }
    program
}

/// What a network lacks of the links of a program: for a channel by itself, or for all together.
pub(super) fn missing_links(program: &Program, network: Network) -> Vec<(Option<usize>, Diagnostic)> {
    let rank = program.grid.len();
    if !network.carries_rank(rank) {
        return vec![(None, Diagnostic::new(format!("a `{network}` network has no arrays of rank {rank}")))];
    }
    let has_none = |(_, channel): &(usize, &Channel)| network.hops(&channel.offset).is_none();
    let missing = program.channels.iter().enumerate().filter(has_none);
    let alone = missing.map(|(position, channel)| {
        let message = format!("the `{network}` network has no link for channel `{}`", channel.name);
        (Some(position), Diagnostic::new(message).note(format!("its offset is {:?}", channel.offset)))
    });
    alone.chain(clashing(program, network).map(|fault| (None, fault))).collect()
}

/// Two channels along different diagonals of a network that has one.
fn clashing(program: &Program, network: Network) -> Option<Diagnostic> {
    if network.joins(program.channels.iter().map(|channel| &channel.offset[..])) {
        return None;
    }
    let along = |sign| program.channels.iter().find(|channel| network.diagonal(&channel.offset) == sign);
    let (up, down) = along(1).zip(along(-1))?;
    let message =
        format!("the `{network}` network has one diagonal, channels `{}` and `{}` take both", up.name, down.name);
    Some(Diagnostic::new(message).note(format!("their offsets are {:?} and {:?}", up.offset, down.offset)))
}
