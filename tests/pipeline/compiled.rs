//! The compiler as one call: what it returns is what the stages say, and what cannot be compiled is refused in their words.

use super::common::shown;
use systole::diagnostic::Checked;
use systole::smt::Verdict;
use systole::span::Source;
use systole::{Compiled, Options, array, compile, recurrence};

fn compiled(text: &str, schedule: Option<&str>) -> Checked<Compiled> {
    compile(&Source::new("test.rec", text), &Options { schedule: schedule.map(str::to_owned), ..Options::default() })
}

const MATMUL: &str = include_str!("../../kernels/matmul.rec");
const TRISOLVE: &str = include_str!("../../kernels/trisolve.rec");

#[test]
fn one_space_and_several_are_compiled_alike() {
    for (text, spaces) in [(MATMUL, 1), (TRISOLVE, 2)] {
        let mut compiled = compiled(text, None).unwrap_or_else(|problems| panic!("{}", shown(&problems)));
        assert_eq!((compiled.spaces.spaces.len(), compiled.design().parts.len()), (spaces, spaces));
        assert!(compiled.proofs.iter().all(|proof| proof.verdict == Verdict::Proved));
        let is_covered = compiled.proofs.iter().any(|proof| proof.obligation.kind.keyword() == "element-cover");
        assert_eq!(is_covered, compiled.unstated.is_empty());
        assert!(!compiled.explain().is_empty());
        array::validate(&compiled.program).unwrap_or_else(|problems| panic!("{}", shown(&problems)));
        assert_eq!(
            compiled.equations.equations.len(),
            recurrence::load(&Source::new("t.rec", text)).unwrap().equations.len()
        );
    }
}

#[test]
fn a_schedule_is_kept_to() {
    let compiled = compiled(MATMUL, Some("cannon")).unwrap_or_else(|problems| panic!("{}", shown(&problems)));
    assert_eq!(compiled.design().parts[0].map.step.rows(), [[1, 1, 1]]);
}

#[test]
fn what_cannot_be_compiled_is_refused() {
    let said = |text: &str, schedule| shown(&compiled(text, schedule).err().expect("refused"));
    assert!(said(MATMUL, Some("canon")).contains("no schedule `canon`"));
    assert!(said("kernel k(N)\nout Y[N]\nY[i] = X[i]", None).contains("`X`"));
    let late = "kernel late(N)\nin A[N, N], x[N]\nout y[N]\ny[i] = sum(k) A[i, k] * x[k]\nschedule late\nplace (i) time k\nstream x along i";
    assert!(said(late, Some("late")).contains("no design of `late` was found"));
}
