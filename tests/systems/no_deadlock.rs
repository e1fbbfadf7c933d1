//! No deadlock between spaces, and where PEs are folded: the solver's verdicts against brute force.

use crate::agreement::{checked, refuted};
use crate::common::{Kernel, Line, kernel};
use crate::factorisations::{CHOLESKY_GRID, LU_GRID};
use crate::kernel_texts::{CHOLESKY, LU, TRISOLVE};
use crate::solves::trisolve;
use systole_base::integer::Affine;
use systole_base::network::Links;
use systole_compile::mapping::{Axis, Design, Fold};
use systole_compile::timing::{PeOrder, no_deadlock_obligations};
use systole_program::obligation::Kind;

/// What is refuted of a design: the tensor and the counterexample that brute force finds as well.
fn refutations(design: &Design, depth: Option<u64>, turns: PeOrder) -> Vec<(String, String)> {
    let stated = no_deadlock_obligations(design, &Links::default(), depth, turns).expect("it can be stated");
    assert!(!stated.is_empty() && stated.iter().all(|one| one.kind == Kind::NoDeadlock));
    let largest = if design.parts.len() > 2 { 3 } else { 5 };
    refuted(&checked(&stated, largest)).into_iter().map(|(_, of, case)| (of, case)).collect()
}

/// The design with one space so much later.
fn shifted<'a>(kernel: &'a Kernel, lines: &[Line], space: usize, by: i64) -> Design<'a> {
    let mut design = kernel.design(lines);
    design.parts[space].shift(|start| start + Affine::constant(by));
    design
}

#[test]
fn solves_and_factors_are_proved() {
    for (text, lines) in [
        (TRISOLVE, &trisolve(("i", "i+j"), ("i", "2*i"))[..]),
        (TRISOLVE, &trisolve(("i-j", "i+j"), ("0", "2*i"))),
        (CHOLESKY, CHOLESKY_GRID),
        (LU, LU_GRID),
    ] {
        let kernel = kernel(text);
        assert_eq!(refutations(&kernel.design(lines), None, PeOrder::AsTheyCan), [], "{lines:?}");
    }
}

/// A division that runs with the last sum of its row, and sums that run with the division that they need.
#[test]
fn readers_that_run_one_step_too_early_are_refuted() {
    let (kernel, lines) = (kernel(TRISOLVE), trisolve(("i", "i+j"), ("i", "2*i")));
    let of = |by: i64| refutations(&shifted(&kernel, &lines, 1, by), None, PeOrder::AsTheyCan);
    let case = |of: &str, case: &str| (of.to_owned(), case.to_owned());
    assert_eq!(of(0), []);
    assert_eq!(of(-1), [case("X.sum", "N = 2: point (1)")]);
    assert_eq!(of(1), [case("X", "N = 2: point (1, 0)")]);
}

#[test]
fn a_handoff_with_one_slot_less_than_it_needs_is_refuted() {
    let kernel = kernel("kernel two(N)\nin A[N]\nlocal Y[N]\nout Z[N]\nY[i] = A[i] + 1\nZ[i] = Y[i] * 2");
    for (z, enough) in [("2*i+1", 1), ("2*i+3", 2), ("2*i+5", 3)] {
        let design = kernel.design(&[("Y", "0", "2*i", &["feed"], &[]), ("Z", "0", z, &["handoff"], &[])]);
        assert_eq!(refutations(&design, None, PeOrder::AsTheyCan), [], "{z}");
        assert_eq!(refutations(&design, Some(enough), PeOrder::AsTheyCan), [], "{z}");
        let short = refutations(&design, Some(enough - 1), PeOrder::AsTheyCan);
        assert_eq!(short.len(), 1, "{z}: {short:?}");
        assert!(short[0].1.starts_with(&format!("N = {enough}: point")), "{short:?}");
    }
}

/// Folding adds no wait: whoever shares a PE keeps the order of time. Running one PE of the map after the other does.
#[test]
fn folds_are_proved_and_broken_ones_refuted() {
    let kernel = kernel(TRISOLVE);
    let plain = kernel.design(&trisolve(("i-j", "i+j"), ("0", "2*i")));
    let folded = Design { fold: Fold::new(vec![Axis { factor: 2, phase: 0 }]), ..plain };
    assert_eq!(refutations(&folded, None, PeOrder::AsTheyCan), []);
    let broken = refutations(&folded, None, PeOrder::OneAfterTheOther);
    assert!(!broken.is_empty());
    let rows = kernel.design(&trisolve(("i", "i+j"), ("i", "2*i")));
    let broken = refutations(&rows, None, PeOrder::OneAfterTheOther);
    assert!(broken.iter().all(|(of, _)| of == "X") && !broken.is_empty(), "{broken:?}");
}
