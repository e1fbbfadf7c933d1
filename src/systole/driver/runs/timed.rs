//! How the simulator times what a machine says.
//!
//! In: a machine, and a program. Out: settings, and the program on the links and buses of the machine, where it was written for
//! others.

use systole_base::diagnostic::{Checked, counted};
use systole_base::machine::Machine;
use systole_program::array;
use systole_program::array::Program;
use systole_run::sim::{Outcome, Settings};

/// The timing of a program, which says itself how long its links and buses take.
pub fn settings(machine: &Machine) -> Settings {
    Settings {
        response: machine.links.response.unsigned_abs(),
        capacity: machine.capacity,
        bandwidth: machine.bandwidth,
        times: machine.times.clone(),
        threads: threads(),
        ..Settings::default()
    }
}

/// Any program on the links and buses of this machine, with so many cycles a hop in place of the machine's.
///
/// # Errors
/// Channels for which its network has no link.
pub fn on_machine(program: &Program, machine: &Machine, latency: Option<u64>) -> Checked<Program> {
    let latency = latency.unwrap_or(machine.links.latency.unsigned_abs());
    let program = array::on_links(program, machine.links.network, latency)?;
    Ok(array::on_buses(program, machine.buses.latency.unsigned_abs(), machine.links.memory.unsigned_abs()))
}

/// How the cycles of a run follow from the steps of its schedule, where they are not the same.
pub fn pace(outcome: &Outcome) -> Vec<String> {
    let Outcome { lead, step, is_short_of_loads, .. } = outcome;
    let asked =
        format!("memory    {} until the first words are there: loads are asked for ahead", counted(*lead, "cycle"));
    let why = match is_short_of_loads {
        true => "too few loads may be outstanding",
        false => "work takes as long",
    };
    let long = format!("step      {} for every step of the schedule: {why}", counted(*step, "cycle"));
    let lines = [(*lead > 0).then_some(asked), (*step > 1).then_some(long)];
    lines.into_iter().flatten().collect()
}

/// As many threads as the host runs at once; they change no result.
pub fn threads() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}
