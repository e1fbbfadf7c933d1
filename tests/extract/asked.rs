//! Streams of inputs that ask for steps of their own: two products with a vector, `y = A (B x)`, whose `x` passes from PE to PE only under
//! steps that nothing else asks for.

use crate::systems::{kernel, machine, sizes};
use std::time::Duration;
use systole_base::integer::{Affine, Matrix};
use systole_compile::extract::{Constraint, Found, Limits, solve};
use systole_compile::mapping::Design;
use systole_compile::mapping::candidates::Bounds;
use systole_compile::rewrite::Transport;
use systole_compile::smt::{Verdict, discharge_all};
use systole_compile::timing::obligations;

const TWO: &str = "kernel two(M, N, K)\nin A[M, K], B[K, N], x[N]\nout y[M]\nlocal t[K]
t[k] = sum(n in 0..N) B[k, n] * x[n]\ny[i] = sum(k in 0..K) A[i, k] * t[k]\n";

/// Of the designs that load each element once and need no bus the shortest, and the dataflows of which more was left out.
fn shortest([m, n, k]: [i64; 3], asked: usize) -> (Found, u64) {
    let at = sizes(&[("M", m), ("N", n), ("K", k)]);
    let (kernel, machine) = (kernel(TWO), machine(1));
    let (none, bounds) = (Constraint::none(&kernel.system), Bounds::for_dimension(kernel.dimension()));
    let mut problem = solve::Task::new(&kernel.system, &kernel.choices, bounds, &machine, &at, none).unwrap();
    problem.limits = Limits { asked, ..problem.limits };
    let survey = solve::search(&problem, false, &|_, _| true);
    let elements = (m * k + k * n + n) as u64;
    let once =
        survey.front.designs().iter().filter(|found| (found.cost.memory_words, found.cost.fanout) == (elements, 1));
    let found = once.min_by_key(|found| found.cost.cycles).unwrap().clone();
    solve::verify(&problem, &found).unwrap();
    (found, survey.left_out.streams)
}

#[test]
fn each_element_is_loaded_once_in_the_fewest_cycles() {
    for [m, n, k] in [[3, 2, 4], [4, 4, 4], [2, 5, 3], [8, 3, 5]] {
        let (found, left_out) = shortest([m, n, k], 64);
        assert_eq!((found.cost.cycles, left_out), ((m + n + k - 1) as u64, 0));
        // Without streams that ask it takes longer.
        assert!(shortest([m, n, k], 0).0.cost.cycles > found.cost.cycles);
    }
}

/// A limit of one choice looks at one and says that there are more.
#[test]
fn choices_beyond_the_limit_are_told() {
    let told = [0, 1, 64].map(|asked| shortest([3, 2, 4], asked)).map(|(found, more)| (found.cost.cycles, more > 0));
    assert_eq!(told, [(11, true), (8, true), (8, false)]);
}

/// The design is right at all sizes; with the steps that the first product has on its own, `x` has no time on its way.
#[test]
fn the_steps_are_proved_and_shorter_ones_refuted() {
    let (found, _) = shortest([3, 2, 4], 64);
    let kernel = kernel(TWO);
    let of = |space: &str| kernel.system.spaces.iter().position(|other| *other.name == *space).unwrap();
    assert!(matches!(found.parts[of("t.sum")].dataflow.transports[1], Transport::Stream(_)));
    for (step, is_right) in [(None, true), (Some([0, 1]), false)] {
        let mut parts = found.parts.clone();
        if let Some(step) = step {
            parts[of("t.sum")].map.step = Matrix::new(vec![step.to_vec()], 2);
            parts[of("t.sum")].starts = vec![Affine::default()];
        }
        let owed = obligations(&Design::new(&kernel.system, parts), &machine(1).links).unwrap();
        let proofs = discharge_all(&owed, Duration::from_secs(60));
        assert_eq!(proofs.iter().all(|proof| proof.verdict == Verdict::Proved), is_right);
        assert!(proofs.iter().all(|proof| !matches!(proof.verdict, Verdict::Unknown(_))));
    }
}
