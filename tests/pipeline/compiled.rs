//! The compiler as one call: what it returns is what the stages say, and what cannot be compiled is refused in their words.

use super::common::shown;
use systole::diagnostic::Checked;
use systole::smt::Verdict;
use systole::span::Source;
use systole::{Compiled, Options, array, compile};

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
    }
}

#[test]
fn a_schedule_is_kept_to() {
    let compiled = compiled(MATMUL, Some("cannon")).unwrap_or_else(|problems| panic!("{}", shown(&problems)));
    assert_eq!(compiled.design().parts[0].map.step.rows(), [[1, 1, 1]]);
}

/// Which ports a design has is part of it, and of what is proved.
#[test]
fn ports_at_the_border_are_kept_and_loading_is_refused() {
    let text = |more: &str| {
        format!(
            "{}\nschedule border\nplace (i, j) time i + j + k stream A along j stream B along i {more}",
            kernel_alone()
        )
    };
    let compiled = compiled(&text(""), Some("border")).unwrap_or_else(|problems| panic!("{}", shown(&problems)));
    assert!(!compiled.design().boundary_io);
    let kept = self::compiled(&text("io boundary"), Some("border"));
    let said = kept.err().map(|problems| shown(&problems)).expect("`C` stays, and is stored inside the array");
    assert!(said.contains("the schedule of `product` contradicts itself") && said.contains("`io boundary`"), "{said}");
    let one_pe = format!("{}\nschedule border\nplace () time (i, j, k) io boundary", kernel_alone());
    let kept = self::compiled(&one_pe, Some("border")).unwrap_or_else(|problems| panic!("{}", shown(&problems)));
    assert!(kept.design().boundary_io);
    assert!(kept.proofs.iter().any(|proof| proof.obligation.kind.keyword() == "edge-injection"));
    let loading =
        shown(&self::compiled(&text("io boundary load C along (1, 0)"), Some("border")).err().expect("refused"));
    assert!(loading.contains("loaded through the array"), "{loading}");
}

fn kernel_alone() -> &'static str {
    "kernel product(N)\nin A[N, N], B[N, N]\nout C[N, N]\nC[i, j] = sum(k) A[i, k] * B[k, j]"
}

#[test]
fn what_cannot_be_compiled_is_refused() {
    let said = |text: &str, schedule| shown(&compiled(text, schedule).err().expect("refused"));
    assert!(said(MATMUL, Some("canon")).contains("no schedule `canon`"));
    assert!(said("kernel k(N)\nout Y[N]\nY[i] = X[i]", None).contains("`X`"));
    let late = "kernel late(N)\nin A[N, N], x[N]\nout y[N]\ny[i] = sum(k) A[i, k] * x[k]\nschedule late\nplace (i) time k\nstream x along i";
    let clash = said(late, Some("late"));
    assert!(clash.contains("the schedule of `late` contradicts itself") && clash.contains("`time k`"), "{clash}");
}
