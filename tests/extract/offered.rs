//! Every design that the search over systems offers is proved for all sizes, with and without a schedule's time.

use crate::kernel_texts::{PREFIX_SUM, SMITH_WATERMAN, TRISOLVE};
use crate::systems::{Kernel, kernel, machine, sizes};
use std::time::Duration;
use systole_base::integer::{Affine, name};
use systole_compile::extract::{Constraint, Found, Survey, solve};
use systole_compile::mapping::candidates::Bounds;
use systole_compile::mapping::{Design, SpaceDesign};
use systole_compile::rewrite::Transport;
use systole_compile::smt::{Verdict, discharge_all};
use systole_compile::timing::obligations;

const PAIR: &str = "kernel pair(N)
in A[N, N]
local Y[N, N]
out X[N, N]
Y[i, j] = A[i, j] * 2
X[i, j] = Y[i, j] + 1\n";

/// What is offered at sizes of 4 and 3 under these lines of a schedule, which may be none, and what was seen.
fn offered(text: &str, lines: &str, latency: i64) -> (Kernel, Survey) {
    let kernel = kernel(&format!("{text}\nschedule tested\n{lines}\n"));
    let schedule = kernel.schedules.last().expect("it was added").clone();
    let constraint = Constraint::from_schedule(&kernel.system, &schedule).unwrap();
    let named: Vec<(&str, i64)> = kernel.system.parameters.iter().map(|size| &**size).zip([4, 3]).collect();
    let (machine, sizes) = (machine(latency), sizes(&named));
    let bounds = Bounds::for_dimension(kernel.dimension());
    let problem = solve::Task::new(&kernel.system, &kernel.choices, bounds, &machine, &sizes, constraint).unwrap();
    let survey = solve::search(&problem, false, &|_, _| true);
    (kernel, survey)
}

/// The obligations of a design that are not proved.
fn unproved(kernel: &Kernel, parts: &[SpaceDesign], latency: i64) -> Vec<String> {
    let design = Design::new(&kernel.system, parts.to_vec());
    let obligations = obligations(&design, &machine(latency).links).unwrap();
    let proofs = discharge_all(&obligations, Duration::from_secs(60));
    let open = proofs.iter().filter(|proof| proof.verdict != Verdict::Proved);
    open.map(|proof| format!("{}: {:?}", proof.obligation.reason.broken, proof.verdict)).collect()
}

/// All that is offered is proved; how many designs that is.
fn all_proved(text: &str, lines: &str, latency: i64) -> usize {
    let (kernel, survey) = offered(text, lines, latency);
    for Found { parts, .. } in survey.front.designs() {
        let wrong = unproved(&kernel, parts, latency);
        assert!(wrong.is_empty(), "{lines}: {wrong:?} of {parts:?}");
    }
    survey.front.designs().len()
}

#[test]
fn designs_of_the_triangular_solve() {
    let lines =
        ["", "place (i)", "place (j)", "place (i)   time i + j", "place (j)   time i + j", "place (i)   time 2*i + j"];
    let latency_1 = lines.map(|lines| all_proved(TRISOLVE, lines, 1));
    let latency_2 = lines.map(|lines| all_proved(TRISOLVE, lines, 2));
    assert_eq!((latency_1, latency_2), ([1, 1, 2, 1, 1, 1], [3, 1, 2, 0, 0, 1]));
}

#[test]
fn designs_of_two_equations() {
    let lines = ["", "place (i)", "place (i, j)", "place (i, j)   time i + j", "place (i)   time 2*i + 2*j"];
    assert_eq!(lines.map(|lines| all_proved(PAIR, lines, 1)), [2, 1, 1, 1, 1]);
}

#[test]
fn designs_of_prefix_sums() {
    let lines = ["", "place (i)   time i", "place (i)   time 2*i"];
    assert_eq!(lines.map(|lines| all_proved(PREFIX_SUM, lines, 1)), [1, 1, 1]);
}

#[test]
fn designs_of_local_alignment() {
    let lines = ["", "place (i)   time i + j", "place (i)   time 2*i + j", "place (j)   time i + 3*j"];
    assert_eq!(lines.map(|lines| all_proved(SMITH_WATERMAN, lines, 1)), [7, 4, 4, 3]);
}

/// Under `time i + j` each constant between the two spaces of the pair is right up to a size only, and a size between them
/// lets the queue of `Y` grow. A memory has no queue, so that is what is offered.
#[test]
fn what_is_right_up_to_a_size_is_not_offered() {
    let (kernel, survey) = offered(PAIR, "place (i)   time i + j", 1);
    assert_eq!((survey.front.designs().len(), survey.designs), (1, 1));
    let kept = &survey.front.designs()[0].parts;
    assert_eq!(
        (&*kept[1].dataflow.transports, &kept[1].starts),
        (&[Transport::Local][..], &vec![Affine::variable(&name("N"))])
    );
    assert_eq!(all_proved(PAIR, "place (i)   time i + j", 1), 1);
    let (mut late, _) = survey.refused.expect("the shortest steps are kept for the message");
    for (start, smallest) in [(1, 2), (2, 3), (8, 9)] {
        late[1].starts = vec![Affine::constant(start)];
        let wrong = unproved(&kernel, &late, 1);
        let [case] = wrong.as_slice() else { panic!("{wrong:?}") };
        assert!(case.starts_with("a PE runs a point of `Y` and one of `X` at one time"), "{case}");
        assert!(case.contains(&format!("(\"N\", {smallest})")), "{case}");
    }
    late[1].starts = vec![Affine::variable(&name("N"))];
    let design = Design::new(&kernel.system, late);
    let why = obligations(&design, &machine(1).links).unwrap_err();
    assert!(why[0].message().contains("needs a FIFO that grows"), "{why:?}");
}
