//! Refutations as the user reads them.

use crate::agreement::AMPLE;
use crate::hand_built::designs::{cannon, design, mesh};
use crate::hand_built::spaces::matmul;
use std::time::Duration;
use systole_base::diagnostic::render;
use systole_compile::smt::{discharge, refutation_message};
use systole_compile::timing::space_obligations;

#[test]
fn a_refutation_shows_both_sides_the_case_and_the_next_step() {
    let space = matmul();
    let too_fast = design(&space, "i, j", "i + k", &["stream j", "stream i"], &["k"]);
    let causality = &space_obligations(&too_fast, &mesh()).unwrap()[0];
    let message = refutation_message(&space, None, &discharge(causality, AMPLE)).unwrap();
    let expected = "refuted: operands of `C` do not meet\n  \
                    available at  t = i + k + 1     A[i,k] from PE (i, j-1)\n  \
                    needed at     t = i + k         at PE (i, j)\n  \
                    smallest case M = 1, N = 2, K = 1: point (0, 1, 0)";
    assert_eq!(message.to_string(), expected);
    assert_eq!(message.help_text(), Some("every schedule needs time coefficient of j >= 1 on links of latency 1"));
}

#[test]
fn a_refutation_points_at_the_schedule() {
    let space = matmul();
    let too_fast = design(&space, "i, j", "i + k", &["stream j", "stream i"], &["k"]);
    let causality = &space_obligations(&too_fast, &mesh()).unwrap()[0];
    let start = space.source.text.find("time").unwrap();
    let span = (start..start + "time somewhen".len()).into();
    let message = refutation_message(&space, Some(span), &discharge(causality, AMPLE)).unwrap();
    assert_eq!(message.labels(), [(span, "leaves no step for A to travel along j".to_owned())]);
    assert!(render(&[message], false).contains("time somewhen"));
}

#[test]
fn nothing_is_said_of_what_is_proved() {
    let space = matmul();
    let design = cannon(&space);
    let proved = discharge(&space_obligations(&design, &mesh()).unwrap()[0], AMPLE);
    assert!(refutation_message(&space, None, &proved).is_none());
}

#[test]
fn what_is_unknown_is_not_called_refuted() {
    let space = matmul();
    let design = cannon(&space);
    let unknown = discharge(&space_obligations(&design, &mesh()).unwrap()[0], Duration::ZERO);
    let message = refutation_message(&space, None, &unknown).unwrap();
    assert_eq!(message.message(), "the solver did not decide the causality of `A`");
}
