//! Results that a PE keeps in its own memory, for points that read them at any later time.

use crate::agreement;
use crate::agreement::checked;
use crate::common::{Line, kernel, shown, written};
use systole_base::network::Links;
use systole_compile::emit::emit;
use systole_compile::timing::{PeOrder, no_deadlock_obligations, obligations};
use systole_program::array;
use systole_program::obligation::Kind;
use systole_run::sim::{Settings, simulate};

/// Each state's best way from any state of the step before: all of these are read, again and again.
pub const BEST_WAYS: &str = "\
kernel ways(T, S)
in E[T, S], A[S, S]
out X[T, S]
X[0, s] = E[0, s]
X[t, s] = E[t, s] + max(r in 0..S) (X[t - 1, r] + A[r, s]) where t >= 1
";

/// There and back: what the sweep down has computed waits longer, the sooner it was computed.
const THERE_AND_BACK: &str = "\
kernel sweeps(N)
in A[N]
local D[N]
out U[N]
D[0] = A[0]
D[i] = A[i] + D[i - 1] where i >= 1
U[0] = D[N - 1]
U[i] = U[i - 1] + D[N - 1 - i] where i >= 1
";

fn ways<'a>(then: &'a str) -> [Line<'a>; 3] {
    [
        ("X", "", "0, s, 0", &["feed"], &[]),
        ("X.max", "", "t, s, r", &["local", "feed"], &["r"]),
        ("X.2", "", then, &["feed", "handoff"], &[]),
    ]
}

fn sweeps<'a>(back: &'a str, first_back: &'a str) -> [Line<'a>; 4] {
    [
        ("D", "", "0", &["feed"], &[]),
        ("D.2", "", "i", &["feed", "handoff"], &[]),
        ("U", "", first_back, &["local"], &[]),
        ("U.2", "", back, &["handoff", "local"], &[]),
    ]
}

fn refuted(text: &str, lines: &[Line], largest: i64) -> Vec<Kind> {
    let kernel = kernel(text);
    let design = kernel.design(lines);
    let stated = obligations(&design, &Links::default()).unwrap_or_else(|problems| panic!("{}", shown(&problems)));
    let mut kinds: Vec<Kind> = agreement::refuted(&checked(&stated, largest)).iter().map(|(kind, ..)| *kind).collect();
    kinds.dedup();
    kinds
}

#[test]
fn what_is_kept_is_read_again_and_again() {
    let lines = ways("t, s, S");
    assert_eq!(refuted(BEST_WAYS, &lines, 3), []);
    let ways = kernel(BEST_WAYS);
    let stated = no_deadlock_obligations(&ways.design(&lines), &Links::default(), None, PeOrder::AsTheyCan);
    let stated = stated.unwrap_or_else(|problems| panic!("{}", shown(&problems)));
    assert_eq!(agreement::refuted(&checked(&stated, 3)).len(), 0);
    for [t, s] in [[1, 1], [1, 4], [2, 1], [4, 3], [3, 5]] {
        let outcome = ways.hold(&lines, &[t, s]);
        // One step a point, and none between: rounds of one point at first, then of S and one more.
        assert_eq!((outcome.cycles as i64, outcome.pes), (s + (t - 1) * s * (s + 1), 1), "T={t}, S={s}");
    }
}

/// No queue holds what waits for a time that grows with the size; a memory does.
#[test]
fn a_sweep_there_and_back_needs_no_queue() {
    let lines = sweeps("N + i", "N");
    assert_eq!(refuted(THERE_AND_BACK, &lines, 5), []);
    let kernel = kernel(THERE_AND_BACK);
    for n in [1, 2, 3, 8] {
        assert_eq!(kernel.hold(&lines, &[n]).cycles as i64, 2 * n, "N = {n}");
    }
    let mut queued = sweeps("N + i", "N");
    queued[3].3 = &["handoff", "handoff"];
    let design = kernel.design(&queued);
    let refused = obligations(&design, &Links::default()).expect_err("the queue grows");
    assert!(refused[0].message().contains("needs a FIFO that grows"), "{}", shown(&refused));
}

/// The twins: read one step before it is computed, and in the step in which it is.
#[test]
fn what_is_read_too_early_is_refuted() {
    assert_eq!(refuted(THERE_AND_BACK, &sweeps("N + i", "N - 1"), 4), [Kind::Handoff, Kind::PeConflict]);
    assert_eq!(refuted(THERE_AND_BACK, &sweeps("N + i - 1", "N - 2"), 4), [Kind::Handoff, Kind::PeConflict]);
    let mut early = ways("t - 1, s, S");
    early[1].2 = "t - 1, s, r";
    assert!(refuted(BEST_WAYS, &early, 3).contains(&Kind::Handoff));
}

/// A memory is of one PE.
#[test]
fn what_another_pe_computes_is_not_kept() {
    let ways = kernel(BEST_WAYS);
    let lines: [Line; 3] = [
        ("X", "s", "0, 0", &["feed"], &[]),
        ("X.max", "s", "t, r", &["local", "feed"], &["r"]),
        ("X.2", "s", "t, S", &["feed", "handoff"], &[]),
    ];
    let refused = emit(&ways.design(&lines), &Links::default()).expect_err("X is elsewhere");
    let message = shown(&refused);
    assert!(message.contains("`X` cannot be kept for `X.max`: not every PE that reads it computes it"), "{message}");
}

/// As a program: a word that was never kept, and an entry that is none, stop the run and say so.
#[test]
fn a_program_that_recalls_too_early_is_stopped() {
    let ways = kernel(BEST_WAYS);
    let lines = self::ways("t, s, S");
    let text = array::print(&written(&ways.design(&lines)).unwrap_or_else(|problems| panic!("{}", shown(&problems))));
    let sizes = ways.sizes(&[3, 2]);
    let inputs = ways.inputs(&sizes);
    for (from, to, what) in [
        ("(keep (X-kept 0 r1) X)", "(tick 0)", "recalls `X-kept(0, 0)` from its scratchpad, which it has not kept"),
        ("(recall X_2 (X-kept (- r0 1) r))", "(recall X_2 (X-kept r0 r))", "which it has not kept"),
        (
            "(recall X_2 (X-kept (- r0 1) r))",
            "(recall X_2 (X-kept (- r0 4) r))",
            "outside its scratchpad of shape [3, 2]",
        ),
    ] {
        assert!(text.contains(from), "{text}");
        let program =
            array::parse("test.pe", &text.replace(from, to)).unwrap_or_else(|problems| panic!("{}", shown(&problems)));
        let stopped = simulate(&program, &sizes, &inputs, &Settings::default()).expect_err("the run is stopped");
        let message = shown(&stopped);
        assert!(message.contains(what), "{message}");
    }
    for (from, to, what) in [
        ("(recall X_2 (X-kept (- r0 1) r))", "(recall X_2 (X-keep (- r0 1) r))", "scratchpad `X-keep` is not declared"),
        (
            "(recall X_2 (X-kept (- r0 1) r))",
            "(recall X_2 (X-kept r))",
            "scratchpad `X-kept` has 2 dimensions, 1 subscript given",
        ),
        ("(scratchpad X-kept (T S))", "(scratchpad X-kept (T r0))", "`r0`"),
        (
            "(scratchpad X-kept (T S))",
            "(scratchpad X-kept (T S))\n  (scratchpad X-kept (S))",
            "scratchpad `X-kept` is declared twice",
        ),
    ] {
        let problems = array::parse("test.pe", &text.replace(from, to)).expect_err("it is no program");
        assert!(shown(&problems).contains(what), "{}", shown(&problems));
    }
}
