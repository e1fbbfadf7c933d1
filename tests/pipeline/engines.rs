//! Programs that the pipeline's tests run are also run by the simulator's reference, with several threads, and for real.

use super::common::same_bits;
use crate::work_list;
use systole::array::{Program, Tensors};
use systole::exec;
use systole::exec::execute;
use systole::integer::Bindings;
use systole::recurrence::Distribution;
use systole::sim::{Outcome, Settings, simulate};

/// The same bits, all NaNs counting as one.
fn is_same(a: f64, b: f64) -> bool {
    a.to_bits() == b.to_bits() || (a.is_nan() && b.is_nan())
}

/// Holds an outcome to the reference, to a run with three threads, and to two runs without clocks.
pub fn agree(
    program: &Program,
    sizes: &Bindings,
    inputs: &Tensors,
    settings: &Settings,
    outcome: &Outcome,
) -> Result<(), String> {
    let reference = work_list::run(program, sizes, inputs, settings).map_err(|trouble| format!("{trouble:?}"))?;
    let same = outcome.deadlock.is_none() == reference.is_finished && outcome.cycles == reference.cycles;
    if !same || outcome.counters != reference.counters {
        return Err(format!("{:?} is counted where the reference has {:?}", outcome.counters, reference.counters));
    }
    for (name, values) in &reference.outputs {
        if !outcome.outputs[name].iter().zip(values).all(|(a, b)| is_same(*a, *b)) {
            return Err(format!("`{name}` is {} where the reference has {values:?}", outcome.outputs[name]));
        }
    }
    for distribution in [Distribution::Block, Distribution::Cyclic] {
        let settings = exec::Settings {
            workers: 3,
            distribution: Some(distribution),
            capacity: settings.capacity,
            ..exec::Settings::default()
        };
        let other = execute(program, sizes, inputs, &settings).map_err(|faults| format!("{faults:?}"))?;
        let same = outcome.outputs.iter().all(|(name, array)| same_bits(array, &other.outputs[name]));
        if !same || other.deadlock.is_some() != outcome.deadlock.is_some() {
            return Err(format!("for real {:?} with {settings:?}, deadlock {:?}", other.outputs, other.deadlock));
        }
    }
    let settings = Settings { threads: 3, least_region: 1, ..settings.clone() };
    let other = simulate(program, sizes, inputs, &settings).map_err(|faults| format!("{faults:?}"))?;
    let same = outcome.outputs.iter().all(|(name, array)| same_bits(array, &other.outputs[name]));
    match same && other.counters == outcome.counters && other.cycles == outcome.cycles {
        true => Ok(()),
        false => Err(format!("with threads {:?} instead of {:?}", other.counters, outcome.counters)),
    }
}
