//! The proved depth of a channel is enough, and nothing less is: the solver refutes one slot fewer, and a run with one
//! slot fewer is late or stops for ever.

use super::common::{Bench, Kernel, kernel, machine};
use std::time::Duration;
use systole::array::Program;
use systole::extract::Found;
use systole::machine::Machine;
use systole::network::Network;
use systole::smt::{Verdict, discharge};
use systole::timing::fifo_depth_obligation;

const AMPLE: Duration = Duration::from_secs(60);

/// Holds all channels of a schedule to their depths, which are `depths` in the order of the program.
fn hold(file: &str, schedule: &str, sizes: &[i64], depths: &[u64]) {
    let (kernel, machine) = (kernel(file), machine(Network::Mesh));
    let sizes = kernel.sizes(sizes);
    let found = kernel.scheduled(schedule, &machine, &sizes).remove(0);
    let bench = Bench::new(&kernel, &machine, sizes);
    let program = bench.program(&found).unwrap();
    let declared: Vec<u64> = program.channels.iter().map(|channel| channel.depth).collect();
    assert_eq!(declared, depths, "{schedule}");
    prove(&kernel, &machine, &found, depths);
    let whole = bench.run(&program).unwrap();
    for (number, depth) in depths.iter().enumerate() {
        assert_eq!(whole.counters.channels[number].max_depth, *depth, "{schedule}: all slots are in use");
        if *depth > 1 {
            let outcome = bench.run(&narrowed(&program, number)).unwrap();
            let late = outcome.deadlock.is_some() || outcome.cycles > whole.cycles;
            assert!(late, "{schedule}: {} needs no {depth} slots", program.channels[number].name);
        }
    }
}

/// The flows that move, in the order of the program's channels, are proved at their depths and refuted below.
fn prove(kernel: &Kernel, machine: &Machine, found: &Found, depths: &[u64]) {
    let design = kernel.design(found);
    let design = design.alone(0);
    let flows = design.flows().unwrap();
    let moving: Vec<_> = flows.iter().filter(|flow| !flow.is_stationary()).collect();
    assert_eq!(moving.len(), depths.len());
    for (flow, depth) in moving.into_iter().zip(depths) {
        let verdict = |depth| {
            let stated = fifo_depth_obligation(&design, flow, depth, machine.links.response).unwrap();
            let verdict = discharge(&stated, AMPLE).verdict;
            if let Verdict::Refuted(example) = &verdict {
                assert_eq!(stated.violation.holds(&example.bindings()), Some(true));
            }
            verdict.keyword()
        };
        assert_eq!((verdict(*depth), verdict(depth - 1)), ("proved", "refuted"), "{} at {depth}", flow.of);
    }
}

fn narrowed(program: &Program, channel: usize) -> Program {
    let mut narrow = program.clone();
    narrow.channels[channel].depth -= 1;
    narrow
}

#[test]
fn products_of_matrices() {
    hold("matmul.rec", "cannon", &[6, 7, 8], &[2, 2]);
    hold("matmul.rec", "weight-stationary", &[6, 7, 8], &[2, 2]);
    hold("matmul.rec", "input-stationary", &[6, 7, 8], &[2, 2]);
    hold("matmul.rec", "pumma", &[6, 7, 8], &[2]);
}

#[test]
fn kungs_filters() {
    hold("fir.rec", "w2", &[12, 6], &[3, 2]);
    hold("fir.rec", "r2", &[12, 6], &[2, 3]);
    hold("fir.rec", "w1", &[12, 6], &[1, 1]);
    hold("fir.rec", "r1", &[12, 6], &[1, 1]);
}
