//! Rates of leaves on this machine. How fast is chance; whose there are is not.

use systole_base::machine::TASKS;
use systole_run::leaf::{Effort, LeafBackend, measure_rates};

#[test]
fn every_task_has_a_sample_that_loops_and_libraries_run() {
    for (task, name) in TASKS.iter().enumerate() {
        let effort = Effort { runs: 2, applications: 1 };
        let rates = |backend| measure_rates(task, 3, 1 << 12, backend, effort).expect("tiles that fit");
        let (loops, faer) = (rates(LeafBackend::Loops), rates(LeafBackend::Faer));
        assert!(loops.len() == 2 && loops.iter().chain(&faer).all(|rate| *rate > 0.0 && rate.is_finite()), "{name}");
        assert_eq!(faer.len(), if *name == "other" { 0 } else { 2 }, "{name}");
    }
}

#[test]
fn a_task_that_there_is_not_has_no_rates() {
    let effort = Effort { runs: 2, applications: 1 };
    assert!(measure_rates(TASKS.len(), 3, 1 << 12, LeafBackend::Loops, effort).is_ok_and(|rates| rates.is_empty()));
}
