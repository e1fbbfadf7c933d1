//! Every kernel and every right schedule that ships, on threads: the bits of the simulator and of the equations, at ragged
//! sizes, sizes smaller than the grid of workers, and size 1, for any number of workers and any distribution.

use super::programs::{LONG, Way, inputs, kernels, program, same_bits, settings, shown, ways};
use super::singles::hold_singles;
use systole::array::Program;
use systole::exec::execute;
use systole::integer::Bindings;
use systole::recurrence::RecurrenceSystem;
use systole::sim::simulate;
use systole::{recurrence, sim};

/// The sizes of the parameters, in their order.
const SIZES: [[i64; 4]; 4] = [[5, 7, 4, 3], [1, 1, 1, 1], [2, 1, 3, 1], [3, 4, 2, 5]];

/// Schedules whose sums run in another order than the written one, so that their bits are those of the simulator alone.
const REORDERED: [(&str, &str); 2] = [("fir", "w2"), ("fir", "r2")];

fn bindings(program: &Program, sizes: [i64; 4]) -> Bindings {
    assert!(program.parameters.len() <= sizes.len());
    program.parameters.iter().cloned().zip(sizes).collect()
}

/// Holds a program at some sizes to the simulator, and the simulator to the equations where the order is the written one.
fn hold(way: &Way, program: &Program, system: &RecurrenceSystem, sizes: &Bindings) {
    let inputs = inputs(system, sizes);
    let simulated = simulate(program, sizes, &inputs, &sim::Settings::default());
    let simulated = simulated.unwrap_or_else(|faults| panic!("{way:?} at {sizes:?}: {}", shown(&faults)));
    let meaning = recurrence::evaluate(system, sizes, &inputs).unwrap_or_else(|faults| panic!("{}", shown(&faults)));
    let is_reordered =
        REORDERED.iter().any(|(kernel, word)| *kernel == way.kernel && way.flags.iter().any(|flag| flag == word));
    assert!(is_reordered || same_bits(&simulated.outputs, &meaning), "{way:?} at {sizes:?}");
    for settings in settings() {
        let execution = execute(program, sizes, &inputs, &settings);
        let execution = execution.unwrap_or_else(|faults| panic!("{way:?} {settings:?} {}", shown(&faults)));
        assert_eq!(execution.deadlock, None, "{way:?} at {sizes:?} with {settings:?}");
        assert!(same_bits(&execution.outputs, &simulated.outputs), "{way:?} at {sizes:?} with {settings:?}");
        let functions: u64 = simulated.counters.operations.values().sum();
        assert_eq!(execution.counts.operations, functions, "{way:?} at {sizes:?} with {settings:?}");
    }
    hold_singles((way, program, system), sizes, !is_reordered);
}

/// Every schedule of these kernels at every size.
fn hold_all(kernels: &[String]) -> usize {
    let ways: Vec<Way> = kernels.iter().flat_map(|kernel| ways(kernel)).collect();
    for way in &ways {
        let (program, system) = (program(&way.emit()), way.system());
        SIZES.iter().for_each(|sizes| hold(way, &program, &system, &bindings(&program, *sizes)));
    }
    ways.len()
}

/// Half of the kernels each, so that they run side by side.
fn half(number: usize) -> Vec<String> {
    let short = kernels().into_iter().filter(|kernel| !LONG.contains(&&**kernel));
    short.skip(number).step_by(2).collect()
}

#[test]
fn one_half_of_the_kernels() {
    assert!(hold_all(&half(0)) >= 19);
}

#[test]
fn the_other_half_of_the_kernels() {
    assert!(hold_all(&half(1)) >= 19);
}

#[test]
fn kernels_of_a_long_search() {
    assert_eq!(hold_all(&LONG.map(str::to_owned)), 3);
}
