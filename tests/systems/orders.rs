//! Reductions that run against the written order.

use crate::common::{Line, kernel, run, same_bits, written};
use systole_equations::recurrence::evaluate;
use systole_equations::recurrence::spaces::evaluate_system_in_order;

const MEANS: &str = "kernel means(N)
in A[N, N], x[N], d[N]
out y[N]
y[i] = (sum(k) A[i, k] * x[k]) / d[i]";

const BACKWARDS: &[Line] =
    &[("y.sum", "i", "i-k+N-1", &["feed", "stream i"], &["-k"]), ("y", "i", "i+N", &["handoff", "feed"], &[])];

#[test]
fn a_sum_that_runs_backwards_gives_the_bits_of_its_order() {
    let means = kernel(MEANS);
    let design = means.design(BACKWARDS);
    let program = written(&design).expect("a program");
    let chains: Vec<_> = design.parts.iter().map(|part| part.dataflow.chain.clone()).collect();
    let mut differs = false;
    for n in [1, 2, 3, 5, 8, 20] {
        let sizes = means.sizes(&[n]);
        let inputs = means.inputs(&sizes);
        let outcome = run(&program, &sizes, &inputs);
        let expected = evaluate_system_in_order(&means.system, &means.cut, &chains, &sizes, &inputs).expect("values");
        assert!(same_bits(&outcome.outputs["y"], &expected["y"]), "N = {n}");
        assert_eq!(outcome.cycles, 2 * n as u64, "N = {n}");
        differs |= outcome.outputs != evaluate(&means.system, &sizes, &inputs).expect("values");
    }
    assert!(differs, "the order matters for these numbers");
}
