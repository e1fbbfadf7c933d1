//! Designs that are off by one, or that no program can express: late, stuck or refused, never silently wrong.

use crate::common::{Kernel, Line, kernel, run, same_bits, shown, written};
use crate::factorisations::{CHOLESKY_GRID, LU_GRID};
use crate::kernel_texts::{CHOLESKY, LU, TRISOLVE};
use crate::solves::trisolve;
use proptest::prelude::*;
use systole_base::integer::Affine;
use systole_base::network::{Links, Network};
use systole_compile::emit::emit;
use systole_compile::mapping::Design;
use systole_equations::recurrence::evaluate;

/// What became of a run.
#[derive(Debug, PartialEq, Eq)]
enum Fate {
    /// The values of the equations, after so many cycles.
    Right(u64),
    Deadlock,
}

fn fate(kernel: &Kernel, design: &Design, sizes: &[i64]) -> Fate {
    let program = written(design).unwrap_or_else(|problems| panic!("{}", shown(&problems)));
    let bindings = kernel.sizes(sizes);
    let inputs = kernel.inputs(&bindings);
    let outcome = run(&program, &bindings, &inputs);
    if outcome.deadlock.is_some() {
        return Fate::Deadlock;
    }
    let expected = evaluate(&kernel.system, &bindings, &inputs).expect("values");
    assert!(expected.iter().all(|(tensor, values)| same_bits(&outcome.outputs[tensor], values)), "wrong values");
    Fate::Right(outcome.cycles)
}

/// The design with one space so much later.
fn shifted<'a>(kernel: &'a Kernel, lines: &[Line], space: usize, by: i64) -> Design<'a> {
    let mut design = kernel.design(lines);
    design.parts[space].shift(|start| start + Affine::constant(by));
    design
}

#[test]
fn divisions_that_start_a_step_early_are_late() {
    let solve = kernel(TRISOLVE);
    let lines = trisolve(("i", "i+j"), ("i", "2*i"));
    let early = shifted(&solve, &lines, 1, -1);
    assert_eq!(fate(&solve, &solve.design(&lines), &[5]), Fate::Right(9));
    assert_eq!(fate(&solve, &early, &[5]), Fate::Right(10), "the schedule itself promises 9 cycles");
}

#[test]
fn divisions_before_their_sums_wait_for_themselves() {
    let solve = kernel(TRISOLVE);
    let early = shifted(&solve, &trisolve(("i", "i+j"), ("i", "2*i")), 1, -3);
    assert_eq!(fate(&solve, &early, &[5]), Fate::Deadlock);
}

#[test]
fn whatever_starts_early_no_value_is_wrong() {
    for (text, lines) in [(CHOLESKY, CHOLESKY_GRID), (LU, LU_GRID)] {
        let kernel = kernel(text);
        for space in 0..lines.len() {
            for by in [-3, -2, -1, 1, 2] {
                fate(&kernel, &shifted(&kernel, lines, space, by), &[5]);
            }
        }
    }
}

fn refusal(kernel: &Kernel, lines: &[Line], links: &Links) -> String {
    let problems = emit(&kernel.design(lines), links).expect_err("the design is refused");
    shown(&problems)
}

#[test]
fn what_no_program_can_express_is_refused() {
    let (solve, mesh) = (kernel(TRISOLVE), Links::default());
    let says = |lines: &[Line], links: &Links, what: &str| {
        let message = refusal(&solve, lines, links);
        assert!(message.contains(what), "{message}");
    };
    let mut bus = trisolve(("i", "i+j"), ("i", "2*i"));
    bus[0].3 = &["feed", "broadcast i"];
    says(&bus, &mesh, "`X` cannot be broadcast to `X.sum`");
    bus[0].3 = &["feed", "prefetch"];
    says(&bus, &mesh, "`X` is computed, so it is streamed or handed over");
    let mut far = trisolve(("i", "i+j"), ("i", "2*i"));
    far[0].3 = &["feed", "handoff"];
    says(&far, &mesh, "`X` cannot be handed from `X` to `X.sum`");
    says(&trisolve(("i", "i+j"), ("2*i", "3*i")), &mesh, "cannot be handed");
    says(&trisolve(("i-j", "i+j"), ("0", "3*i")), &mesh, "the FIFO on its way would grow");
    says(&trisolve(("i", "j-j"), ("i", "2*i")), &mesh, "two points of a PE share a time");
    says(&trisolve(("j", "j-i"), ("i", "0")), &mesh, "the register of `X` would be read before it is written");
    let wire = Links { network: Network::Wire, ..mesh };
    says(&trisolve(("2*i", "2*i+j"), ("2*i+1", "3*i")), &wire, "the wire network has no link");
}

#[test]
fn slower_links_need_slower_steps_and_get_them() {
    let solve = kernel(TRISOLVE);
    let links = Links { latency: 2, ..Links::default() };
    let program = emit(&solve.design(&trisolve(("i", "2*i+j"), ("i", "3*i"))), &links).expect("a program");
    for n in [1, 2, 3, 5, 8] {
        assert_eq!(solve.hold_program(&program, &[n]).cycles, (3 * n - 2) as u64, "N = {n}");
    }
    let hasty = emit(&solve.design(&trisolve(("i", "i+j"), ("i", "2*i"))), &links).expect("a program");
    assert_eq!(solve.hold_program(&hasty, &[5]).cycles, 14, "the schedule promises 9 cycles");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]
    /// Any place and any step, right or wrong: refused, stuck, or the values of the equations.
    #[test]
    fn no_map_of_the_triangular_solve_gives_wrong_values(
        sums in (-1i64..3, -2i64..3, -1i64..3, -1i64..3),
        divisions in (-1i64..3, -1i64..4),
        shift in (-1i64..2, -2i64..3),
        column in any::<bool>(),
    ) {
        let solve = kernel(TRISOLVE);
        let form = |i: i64, j: i64| format!("{i}*i+{j}*j").replace("+-", "-");
        let (place, step) = (form(sums.0, sums.1), form(sums.2, sums.3));
        let shifted = |slope: i64, by: i64| format!("{slope}*i+{by}").replace("+-", "-");
        let at = if column { sums.0 + sums.1 } else { divisions.0 };
        let (own, time) = (shifted(at, shift.0), shifted(divisions.1, shift.1));
        let lines = trisolve((&place, &step), (&own, &time));
        let design = solve.design(&lines);
        if emit(&design, &Links::default()).is_ok() {
            for n in [1, 2, 4, 5] {
                fate(&solve, &design, &[n]);
            }
        }
    }
}
