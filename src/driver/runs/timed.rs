//! How the simulator times what a machine says.

use crate::cost::Machine;
use crate::sim::Settings;

/// The timing of a program that was emitted for this machine: it says itself how long its links and buses take.
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

/// The timing of any program on the links and buses of this machine.
pub fn settings_of_links(machine: &Machine) -> Settings {
    Settings {
        latency: u64::try_from(machine.links.latency).ok(),
        bus_latency: u64::try_from(machine.buses.latency).ok(),
        ..settings(machine)
    }
}

/// As many threads as the host runs at once; they change no result.
pub fn threads() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}
