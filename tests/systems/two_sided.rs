//! Streams that run both ways from where a value is computed: spaces are cut there, and each piece has a time of its own.

use crate::agreement;
use crate::agreement::checked;
use crate::common::{Kernel, Line, kernel, shown, written};
use systole_base::integer::name;
use systole_base::network::Links;
use systole_base::span::Span;
use systole_compile::timing::{PeOrder, no_deadlock_obligations, obligations};
use systole_equations::recurrence::TwoSided;
use systole_program::array;
use systole_program::array::Program;
use systole_program::obligation::Kind;
use systole_run::sim::{Settings, simulate};

/// In step k all add what place k - 1 had before.
const SPREAD: &str = "\
kernel spread(N)
in A[N]
out Y[N]
local X[N + 1, N]
X[0, i] = A[i]
X[k, i] = X[k - 1, i] / 2 + X[k - 1, k - 1] where 1 <= k
Y[i] = X[N, i]
";

/// Shortest paths: in step k all read of row and column k - 1.
pub const PATHS: &str = "\
kernel paths(N)
in W[N, N]
out D[N, N]
local P[N + 1, N, N]
P[0, i, j] = W[i, j]
P[k, i, j] = min(P[k - 1, i, j], P[k - 1, i, k - 1] + P[k - 1, k - 1, j]) where 1 <= k
D[i, j] = P[N, i, j]
";

fn both(text: &str, tensor: &str, indices: &[&str]) -> Kernel {
    let mut kernel = kernel(text);
    let asked = |index: &&str| (TwoSided { tensor: name(tensor), index: name(index) }, Span { start: 0, end: 0 });
    let asked: Vec<(TwoSided, Span)> = indices.iter().map(asked).collect();
    kernel.cut = kernel.cut.on_both_sides(&asked).unwrap_or_else(|problems| panic!("{}", shown(&problems)));
    kernel
}

fn refuted(kernel: &Kernel, lines: &[Line], largest: i64) -> Vec<Kind> {
    let stated = obligations(&kernel.design(lines), &Links::default());
    let stated = stated.unwrap_or_else(|problems| panic!("{}", shown(&problems)));
    let mut kinds: Vec<Kind> = agreement::refuted(&checked(&stated, largest)).iter().map(|(kind, ..)| *kind).collect();
    kinds.dedup();
    kinds
}

fn proved(kernel: &Kernel, lines: &[Line]) -> Program {
    assert_eq!(refuted(kernel, lines, 4), []);
    let design = kernel.design(lines);
    let waits = no_deadlock_obligations(&design, &Links::default(), None, PeOrder::AsTheyCan);
    let waits = waits.unwrap_or_else(|problems| panic!("{}", shown(&problems)));
    assert_eq!(agreement::refuted(&checked(&waits, 3)).len(), 0, "no wait is in vain");
    written(&design).unwrap_or_else(|problems| panic!("{}", shown(&problems)))
}

/// The step `pace k + slope |i - k + 1|`, below, at and above the place where the value is computed.
fn times(pace: i64, slope: i64) -> [String; 3] {
    [
        format!("{pace}*k + {slope}*k - {slope} - {slope}*i"),
        format!("{pace}*k"),
        format!("{pace}*k + {slope}*i - {slope}*k + {slope}"),
    ]
}

fn spread<'a>([below, at, above]: &'a [String; 3], (first, last): (&'a str, &'a str)) -> [Line<'a>; 5] {
    [
        ("X", "i", first, &["feed"], &[]),
        ("X.2.below", "i", below, &["handoff", "stream 0 - i"], &[]),
        ("X.2.at", "k - 1", at, &["handoff", "handoff"], &[]),
        ("X.2.above", "i", above, &["handoff", "stream i"], &[]),
        ("Y", "i", last, &["handoff"], &[]),
    ]
}

const ENDS: (&str, &str) = ("i + 1", "3*N - i");

#[test]
fn a_word_runs_both_ways_from_its_giver() {
    let kernel = both(SPREAD, "X", &["i"]);
    let times = times(2, 1);
    let program = proved(&kernel, &spread(&times, ENDS));
    for n in [1, 2, 3, 8] {
        let outcome = kernel.hold_in_time(&program, &[n], &Settings::default());
        assert_eq!((outcome.cycles as i64, outcome.pes as i64), (3 * n, n), "N = {n}");
    }
}

/// Every point of the space is one of its pieces, and of no other.
#[test]
fn pieces_are_the_whole() {
    let (whole, pieces) = (kernel(PATHS), both(PATHS, "P", &["i", "j"]));
    for n in 1..6 {
        let count = |kernel: &Kernel| -> u64 {
            let sizes = kernel.sizes(&[n]);
            let points = kernel.cut.spaces.iter().map(|space| space.domain.set.count(space.indices(), &sizes));
            points.sum::<Option<u64>>().expect("they are bounded")
        };
        assert_eq!(count(&pieces), count(&whole), "N = {n}");
    }
    let names: Vec<&str> = pieces.cut.spaces.iter().map(|space| &*space.name).collect();
    assert_eq!(names.len(), 11, "{names:?}");
    assert!(pieces.cut.families.len() == whole.cut.families.len(), "they share their places");
}

/// `3k + |i - k + 1| + |j - k + 1|` with a step before it and one after: nine forms.
#[test]
fn nine_pieces_of_shortest_paths() {
    let kernel = both(PATHS, "P", &["i", "j"]);
    let words = ["below", "at", "above"];
    let row = ["k - 1 - i", "0*k", "i - k + 1"];
    let column = ["k - 1 - j", "0*k", "j - k + 1"];
    let across: [&[&str]; 3] = [&["handoff", "stream 0 - j"], &["handoff", "handoff"], &["handoff", "stream j"]];
    let down = ["stream 0 - i", "handoff", "stream i"];
    let places = |side: usize, index: &str| if side == 1 { "k - 1".to_owned() } else { index.to_owned() };
    let mut texts = vec![];
    for (i, j) in (0..3).flat_map(|i| (0..3).map(move |j| (i, j))) {
        let named = format!("P.2.{}.{}", words[i], words[j]);
        let place = format!("{}, {}", places(i, "i"), places(j, "j"));
        let transports: Vec<&str> = across[j].iter().copied().chain([down[i]]).collect();
        texts.push((named, place, format!("3*k + {} + {}", row[i], column[j]), transports));
    }
    let mut lines: Vec<Line> = texts.iter().map(|(a, b, c, moves)| (&**a, &**b, &**c, &moves[..], &[][..])).collect();
    lines.push(("P", "i, j", "i + j + 2", &["feed"], &[]));
    lines.push(("D", "i, j", "5*N - i - j - 1", &["handoff"], &[]));
    let program = proved(&kernel, &lines);
    for n in [1, 2, 3, 7] {
        let outcome = kernel.hold_in_time(&program, &[n], &Settings::default());
        assert_eq!((outcome.cycles as i64, outcome.pes as i64), (5 * n - 2, n * n), "N = {n}");
    }
}

/// The twins: a stream that runs towards its giver has no heads beside it, and one that is walked backwards in time is refuted.
#[test]
fn a_stream_on_the_wrong_side_is_refused() {
    let kernel = both(SPREAD, "X", &["i"]);
    let times = times(2, 1);
    let mut lines = spread(&times, ENDS);
    lines[1].3 = &["handoff", "stream i"];
    let problems = obligations(&kernel.design(&lines), &Links::default()).expect_err("it is refused");
    assert!(shown(&problems).contains("`X` cannot be handed"), "{}", shown(&problems));

    let [below, at, above] = times;
    let turned = [above.clone(), at, below];
    assert!(refuted(&kernel, &spread(&turned, ENDS), 4).contains(&Kind::Causality));
}

/// As a program: what starts two steps early waits, and its values stay.
#[test]
fn a_run_waits_for_what_comes_from_the_other_side() {
    let kernel = both(SPREAD, "X", &["i"]);
    let [below, at, above] = times(2, 1);
    let early = [format!("{below} - 2"), at, above];
    let lines = spread(&early, ENDS);
    assert!(refuted(&kernel, &lines, 4).contains(&Kind::Handoff));
    let program = written(&kernel.design(&lines)).unwrap_or_else(|problems| panic!("{}", shown(&problems)));
    let outcome = kernel.hold_program(&program, &[5]);
    assert!(outcome.counters.pes.iter().any(|pe| pe.starved > 0), "some PE waits");
}

/// As a program: a stream that leaves its giver on the other side finds nobody, or leaves who waits for it waiting.
#[test]
fn a_run_says_that_a_stream_is_on_the_wrong_side() {
    let kernel = both(SPREAD, "X", &["i"]);
    let text = array::print(&proved(&kernel, &spread(&times(2, 1), ENDS)));
    let (sizes, mut told) = (kernel.sizes(&[5]), 0);
    for (from, to) in [("(offset -1)", "(offset 1)"), ("(offset 1)", "(offset -1)")] {
        for (at, _) in text.match_indices(from) {
            let turned = format!("{}{to}{}", &text[..at], &text[at + from.len()..]);
            let program = array::parse("test.pe", &turned).unwrap_or_else(|faults| panic!("{}", shown(&faults)));
            match simulate(&program, &sizes, &kernel.inputs(&sizes), &Settings::default()) {
                Err(stopped) => {
                    let said = shown(&stopped);
                    assert!(said.contains("which does not receive on it") && said.contains("clock"), "{said}");
                }
                Ok(outcome) => {
                    let deadlock = outcome.deadlock.unwrap_or_else(|| panic!("nobody notices\n{turned}"));
                    assert!(!deadlock.blocked.is_empty());
                }
            }
            told += 1;
        }
    }
    assert!(told >= 2, "{text}");
}

#[test]
fn of_all_slopes_those_that_are_proved_are_right() {
    let kernel = both(SPREAD, "X", &["i"]);
    let mut right = 0;
    for (pace, slope) in (0..5).flat_map(|pace| (-1..4).map(move |slope| (pace, slope))) {
        let times = times(pace, slope);
        let last = format!("{pace}*N + 4*N");
        let lines = spread(&times, ("0 - 1", &last));
        let design = kernel.design(&lines);
        let Ok(stated) = obligations(&design, &Links::default()) else { continue };
        if agreement::refuted(&checked(&stated, 8)).is_empty() {
            let program = written(&design).unwrap_or_else(|problems| panic!("{}", shown(&problems)));
            for n in [1, 2, 4, 6] {
                kernel.hold_in_time(&program, &[n], &Settings::default());
            }
            right += 1;
        }
    }
    assert_eq!(right, 6, "of 25");
}

#[test]
fn what_cannot_be_cut_is_refused() {
    let refused = |text: &str, tensor: &str, index: &str| {
        let asked = [(TwoSided { tensor: name(tensor), index: name(index) }, Span { start: 0, end: 1 })];
        shown(&kernel(text).cut.on_both_sides(&asked).expect_err("it is refused"))
    };
    let said = refused(SPREAD, "X", "k");
    assert!(said.contains("no equation reads `X` on both sides along `k`"), "{said}");
    let sums = "kernel sums(N)\nin A[N]\nout Y[N]\nlocal X[N]\nX[i] = A[i]\nY[j] = sum(i in 0..N) X[j] * A[i]\n";
    let said = refused(sums, "X", "i");
    assert!(said.contains("equations without a reduction only, not `Y.sum`"), "{said}");
}
