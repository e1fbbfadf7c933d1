//! Computed values that come over a bus: on each line of readers the one where the element is computed puts it on the bus.

use crate::agreement;
use crate::agreement::checked;
use crate::common::{Line, kernel, shown, written};
use crate::locals::BEST_WAYS;
use crate::two_sided::PATHS;
use systole_base::network::Links;
use systole_compile::timing::{PeOrder, no_deadlock_obligations, obligations};
use systole_program::array;
use systole_program::array::Program;
use systole_program::obligation::Kind;
use systole_run::sim::{Settings, simulate};

/// What is eliminated with lies before the first point that reads it.
const SOLVE: &str = "\
kernel solve(N)
in L[N, N], B[N]
out X[N]
X[i] = (B[i] - sum(j in 0..i) L[i, j] * X[j]) / L[i, i]
";

/// A PE for each state. In a round each hears of all states, one after the other.
fn ways<'a>(sums: &'a str, then: &'a str) -> [Line<'a>; 3] {
    [
        ("X", "s", "0, 0", &["feed"], &[]),
        ("X.max", "s", sums, &["broadcast s", "feed"], &["r"]),
        ("X.2", "s", then, &["feed", "handoff"], &[]),
    ]
}

fn paths(then: &str) -> [Line<'_>; 3] {
    [
        ("P", "i, j", "0", &["feed"], &[]),
        ("P.2", "i, j", then, &["handoff", "broadcast j", "broadcast i"], &[]),
        ("D", "i, j", "N + 1", &["handoff"], &[]),
    ]
}

fn refuted(text: &str, lines: &[Line], largest: i64) -> Vec<(Kind, String)> {
    let kernel = kernel(text);
    let stated = obligations(&kernel.design(lines), &Links::default());
    let stated = stated.unwrap_or_else(|problems| panic!("{}", shown(&problems)));
    let refuted = agreement::refuted(&checked(&stated, largest));
    refuted.into_iter().map(|(kind, of, _)| (kind, of.to_string())).collect()
}

fn proved(text: &str, lines: &[Line]) -> Program {
    assert_eq!(refuted(text, lines, 3), []);
    let kernel = kernel(text);
    let design = kernel.design(lines);
    let waits = no_deadlock_obligations(&design, &Links::default(), None, PeOrder::AsTheyCan);
    let waits = waits.unwrap_or_else(|problems| panic!("{}", shown(&problems)));
    assert_eq!(agreement::refuted(&checked(&waits, 3)).len(), 0, "no wait is in vain");
    written(&design).unwrap_or_else(|problems| panic!("{}", shown(&problems)))
}

#[test]
fn all_states_hear_of_each_in_its_turn() {
    let program = proved(BEST_WAYS, &ways("t, r", "t, S"));
    for [t, s] in [[1, 1], [1, 4], [2, 1], [4, 3], [5, 6]] {
        let outcome = kernel(BEST_WAYS).hold_in_time(&program, &[t, s], &Settings::default());
        // A step for each element to begin with, then for each of S states and the sum.
        assert_eq!((outcome.cycles as i64, outcome.pes as i64), (1 + (t - 1) * (s + 1), s), "T={t}, S={s}");
        let bus = &outcome.counters.buses[0];
        assert_eq!((bus.driven as i64, bus.heard as i64), ((t - 1) * s, (t - 1) * s * (s - 1)), "T={t}, S={s}");
    }
}

#[test]
fn a_row_and_a_column_hear_of_what_one_of_them_has() {
    let program = proved(PATHS, &paths("k"));
    for n in [1, 2, 3, 7] {
        let outcome = kernel(PATHS).hold_in_time(&program, &[n], &Settings::default());
        assert_eq!((outcome.cycles as i64, outcome.pes as i64), (n + 2, n * n), "N = {n}");
        for bus in &outcome.counters.buses {
            assert_eq!((bus.driven as i64, bus.heard as i64), (n * n, n * n * (n - 1)), "N = {n}");
        }
    }
}

/// The twins: a word that is driven before it is computed, and two that are on one bus in one step.
#[test]
fn what_is_driven_too_early_or_beside_another_is_refuted() {
    let early = refuted(BEST_WAYS, &ways("t - 1, r", "t, S"), 3);
    assert!(early.iter().any(|(kind, _)| *kind == Kind::Handoff), "{early:?}");
    let early = refuted(PATHS, &paths("0*k"), 3);
    assert!(early.iter().any(|(kind, _)| *kind == Kind::Handoff), "{early:?}");
    let together = refuted(BEST_WAYS, &ways("t, 0*r", "t, S"), 3);
    assert!(together.contains(&(Kind::LinkConflict, "X".to_owned())), "{together:?}");
    let apart = refuted(BEST_WAYS, &ways("t, r + s", "t, 2*S"), 3);
    assert!(apart.contains(&(Kind::Alignment, "X".to_owned())), "{apart:?}");
}

/// Where on some line nobody can drive, the design is refused in words.
#[test]
fn a_bus_has_a_driver_on_every_line() {
    let said = |text: &str, lines: &[Line]| {
        let kernel = kernel(text);
        shown(&obligations(&kernel.design(lines), &Links::default()).expect_err("it is refused"))
    };
    // All that read X[j] come after the PE that computes it.
    let sums = ("X.sum", "i", "i + j", &["feed", "broadcast i"][..], &["j"][..]);
    let solved = said(SOLVE, &[sums, ("X", "i", "2*i", &["feed", "handoff", "feed"], &[])]);
    assert!(solved.contains("`X` cannot be broadcast to `X.sum`"), "{solved}");
    assert!(solved.contains("no point reads it"), "{solved}");
    // What is there to begin with lies one row further down than those that hear of it.
    let [first, then, last] = paths("k");
    let beside = said(PATHS, &[("P", "i + 1, j", first.2, first.3, first.4), then, last]);
    assert!(beside.contains("does not lie on the bus"), "{beside}");
}

/// As a program: one word that two drive stops the run, and who hears what nobody drives is named.
#[test]
fn a_run_says_who_drives_twice_and_who_waits() {
    let kernel = kernel(BEST_WAYS);
    let program = proved(BEST_WAYS, &ways("t, r", "t, S"));
    let text = array::print(&program);
    let drive = "(drive X_2-link X_2 (r0 r))";
    assert!(text.contains(drive), "{text}");
    let sizes = kernel.sizes(&[2, 3]);
    let read = |text: &str| array::parse("test.pe", text).unwrap_or_else(|faults| panic!("{}", shown(&faults)));

    let lost = read(&text.replace(drive, "(drive X_2-link X_2 ((+ r0 9) r))"));
    let outcome = simulate(&lost, &sizes, &kernel.inputs(&sizes), &Settings::default()).expect("it ends");
    let deadlock = outcome.deadlock.expect("nobody drives");
    assert!(deadlock.blocked.iter().all(|blocked| &*blocked.link == "X_2-link"), "{:?}", deadlock.blocked);

    let twice = read(&text.replace(drive, &format!("{drive} {drive}")));
    let stopped = simulate(&twice, &sizes, &kernel.inputs(&sizes), &Settings::default()).expect_err("it is stopped");
    assert!(shown(&stopped).contains("drives tag"), "{}", shown(&stopped));
}

/// As a program: two words on one bus in one cycle are reported, with who drove them, though each would be heard under its tag.
#[test]
fn a_run_says_which_words_share_a_bus_in_a_cycle() {
    let kernel = kernel(BEST_WAYS);
    let text = array::print(&proved(BEST_WAYS, &ways("t, r", "t, S")));
    let sizes = kernel.sizes(&[2, 3]);
    let said = |from: &[&str], to: &[&str]| {
        let edit = |text: String, (from, to): (&&str, &&str)| {
            assert!(text.contains(*from), "{text}");
            text.replacen(*from, to, 1)
        };
        let text = from.iter().zip(to).fold(text.clone(), edit);
        let program = array::parse("test.pe", &text).unwrap_or_else(|faults| panic!("{}", shown(&faults)));
        shown(&simulate(&program, &sizes, &kernel.inputs(&sizes), &Settings::default()).expect_err("it is reported"))
    };
    // All PEs drive what they begin with at once, and not each in its turn.
    let all = said(
        &["(send X-to-X.max X)", "(drive X_2-link X_2 (r0 r))"],
        &["(drive X_2-link X (1 p0)) (send X-to-X.max X)", "(tick 0)"],
    );
    assert!(all.contains("bus `X_2-link` carries two words of one line in cycle 0"), "{all}");
    assert!(all.contains("PE (0) drives tag (1, 0), and PE (1) drives tag (1, 1)"), "{all}");
    // One of them drives a second word beside its own.
    let drive = "(drive X_2-link X_2 (r0 r))";
    let beside = said(&[drive], &[&format!("{drive} (drive X_2-link X_2 ((+ r0 9) r))")]);
    assert!(beside.contains("bus `X_2-link` carries two words of one line in cycle 1"), "{beside}");
    assert!(beside.contains("PE (0) drives tag (1, 0), and PE (0) drives tag (10, 0)"), "{beside}");
}
