//! What a prediction counts is what a run counts: applications inside of leaves, calls of libraries, words between workers;
//! at sizes that do not divide, for any number of workers, whoever works on tiles. So is the memory that a run states. Only the number of packets is chance.

use super::programs::{Way, inputs, program, settings, shown};
use super::tiles::tiled;
use systole::array::Program;
use systole::exec::{Counts, Prediction, Settings, execute, predict};
use systole::integer::Bindings;
use systole::leaf::{LeafBackend, SERVICES};
use systole::machine::{Cluster, LIBRARIES, Rate, TASKS};

const SIZES: [[i64; 4]; 4] = [[7, 13, 11, 5], [1, 1, 1, 1], [2, 3, 1, 4], [8, 4, 12, 6]];

/// A cluster that knows every rate.
fn cluster() -> Cluster {
    let mut cluster = Cluster { message: 1e-6, byte: 1e-9, memory: 1e-9, operation: 1e-9, ..Cluster::default() };
    cluster.rates.iter_mut().flatten().for_each(|rate| *rate = Rate::Constant(1.0));
    cluster
}

fn predicted(program: &Program, sizes: &Bindings, settings: &Settings) -> Prediction {
    predict(program, sizes, settings, &cluster()).unwrap_or_else(|faults| panic!("{}", shown(&faults)))
}

fn hold(way: &Way) {
    let (program, system) = (program(&way.emit()), way.system());
    for (sizes, settings) in SIZES.into_iter().cycle().zip(settings()) {
        let sizes: Bindings = program.parameters.iter().cloned().zip(sizes).collect();
        let inputs = inputs(&system, &sizes);
        for leaves in [LeafBackend::Loops, LeafBackend::Faer] {
            let settings = Settings { leaves, ..settings.clone() };
            let execution = execute(&program, &sizes, &inputs, &settings);
            let execution = execution.unwrap_or_else(|faults| panic!("{way:?} {settings:?} {}", shown(&faults)));
            let prediction = predicted(&program, &sizes, &settings);
            let counts = Counts { packets: execution.counts.packets, ..prediction.counts };
            assert_eq!(counts, execution.counts, "{way:?} at {sizes:?} with {settings:?}");
            assert_eq!(prediction.memory, execution.memory[0].stated, "{way:?} at {sizes:?} with {settings:?}");
            assert!(prediction.seconds > 0.0 && (0.0..=1.0).contains(&prediction.waiting), "{way:?} at {sizes:?}");
        }
    }
}

#[test]
fn one_half_of_the_tiled_kernels_is_counted_without_a_run() {
    tiled().iter().step_by(2).for_each(|(way, _)| hold(way));
}

#[test]
fn the_other_half_of_the_tiled_kernels_is_counted_without_a_run() {
    tiled().iter().skip(1).step_by(2).for_each(|(way, _)| hold(way));
}

/// A file's sections of rates have the services of libraries, and everything else last.
#[test]
fn the_tasks_of_machine_files_are_the_services_of_libraries() {
    assert_eq!(TASKS[..SERVICES.len()], SERVICES);
    assert_eq!((TASKS.len(), TASKS.last()), (SERVICES.len() + 1, Some(&"other")));
    assert_eq!([LeafBackend::Loops, LeafBackend::Faer].map(LeafBackend::keyword), [LIBRARIES[0], LIBRARIES[1]]);
    #[cfg(feature = "openblas")]
    assert_eq!(LeafBackend::OpenBlas.keyword(), LIBRARIES[2]);
}

/// Words on channels and on buses, and the functions of each `let`.
#[test]
fn programs_of_numbers_are_counted_without_a_run() {
    for (kernel, schedule) in [("matmul", "cannon"), ("matmul", "summa"), ("trisolve", "row"), ("cholesky", "grid")] {
        let flags = ["--schedule", schedule].map(str::to_owned).to_vec();
        hold(&Way { kernel: kernel.to_owned(), flags });
    }
}
