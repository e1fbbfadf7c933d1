//! The energy of a design as the search predicts it, and of a run as the simulator counts it.

use crate::driver::kernels::searched::Searched;
use systole_base::machine::{Machine, Work};
use systole_compile::cost::predicted_work;
use systole_compile::extract::Found;
use systole_program::array::{Joins, Program};
use systole_run::sim::Outcome;

/// What a design is predicted to take, in picojoules; `None` where the machine does not say what anything takes.
pub fn predicted(searched: &Searched, found: &Found) -> Option<f64> {
    let (setting, kernel) = (searched.setting, searched.kernel);
    let energy = Some(&setting.machine.energy).filter(|energy| energy.is_known())?;
    let sizes = searched.counted().unwrap_or(&setting.sizes);
    Some(energy.of(&predicted_work(kernel.system(), kernel.spaces(), sizes, &found.cost)?))
}

/// What a run took, in picojoules; `None` where the machine does not say what anything takes.
pub fn simulated(program: &Program, outcome: &Outcome, machine: &Machine) -> Option<f64> {
    machine.energy.is_known().then(|| machine.energy.of(&work(program, outcome, machine)))
}

fn work(program: &Program, outcome: &Outcome, machine: &Machine) -> Work {
    let (counters, network) = (&outcome.counters, machine.links.network);
    let hops = |offset: &[i64]| network.distance(offset, network.diagonal(offset)).unsigned_abs();
    let moved =
        program.channels.iter().zip(&counters.channels).map(|(channel, sent)| hops(&channel.offset) * sent.words);
    let buses = || program.buses.iter().zip(&counters.buses);
    let heard = buses().filter(|(bus, _)| bus.joins != Joins::All).map(|(_, bus)| bus.heard);
    let shared = buses().filter(|(bus, _)| bus.joins == Joins::All).map(|(_, bus)| bus.driven + bus.heard);
    let memory = counters.memory.iter().map(|(_, traffic)| traffic.loaded + traffic.prefetched + traffic.stored);
    Work { operations: counters.operations.clone(), hops: moved.chain(heard).sum(), memory: memory.chain(shared).sum() }
}

/// `1234.5 pJ`.
pub fn shown(picojoules: f64) -> String {
    format!("{picojoules:.1} pJ")
}
