//! Times that are vectors: rounds one after the other, each as long as what runs in it.

use crate::agreement;
use crate::agreement::checked;
use crate::common::{Kernel, Line, kernel, shown, written};
use proptest::prelude::*;
use systole_base::integer::Affine;
use systole_base::network::Links;
use systole_compile::emit::emit;
use systole_compile::mapping::{Axis, Design, Fold};
use systole_compile::timing::{PeOrder, no_deadlock_obligations, obligations};
use systole_program::array;
use systole_program::obligation::Kind;
use systole_run::sim::Settings;

/// Row by row a sum, and what is made of it.
const ROWS: &str = "\
kernel rows(T, N, M)
in A[T, N, M], B[M]
local X[T, N]
out Y[T, N]
X[t, i] = sum(k in 0..M) A[t, i, k] * B[k]
Y[t, i] = X[t, i] * 2 + X[t, i]
";

/// Sums that grow row by row.
const TRIANGLE: &str = "\
kernel triangle(N)
in A[N, N]
local S[N]
out Y[N]
S[i] = sum(k in 0..i + 1) A[i, k]
Y[i] = S[i] * A[i, i]
";

/// Each element from two of the row before, one of them from two PEs away.
const LEAP: &str = "\
kernel leap(T, N)
in A[T, N]
out X[T, N]
X[t, i] = A[t, i] + X[t - 1, i - 2] where t >= 1, i >= 2
X[t, i] = A[t, i] where t >= 1, i <= 1
X[0, i] = A[0, i]
";

fn by_rows<'a>(sum: &'a str, then: &'a str) -> [Line<'a>; 2] {
    [("X.sum", "i", sum, &["feed", "stream i"], &["k"]), ("Y", "i", then, &["handoff"], &[])]
}

fn refuted(design: &Design, largest: i64) -> Vec<Kind> {
    let stated = obligations(design, &Links::default()).unwrap_or_else(|problems| panic!("{}", shown(&problems)));
    let mut kinds: Vec<Kind> = agreement::refuted(&checked(&stated, largest)).iter().map(|(kind, ..)| *kind).collect();
    kinds.dedup();
    kinds
}

/// What a run of a design without clocks may wait for in vain.
fn deadlocks(design: &Design, largest: i64) -> usize {
    let stated = no_deadlock_obligations(design, &Links::default(), None, PeOrder::AsTheyCan);
    let stated = stated.unwrap_or_else(|problems| panic!("{}", shown(&problems)));
    agreement::refuted(&checked(&stated, largest)).len()
}

#[test]
fn a_round_is_a_row() {
    let rows = kernel(ROWS);
    let lines = by_rows("t, i + k", "t, i + M");
    assert_eq!(refuted(&rows.design(&lines), 3), []);
    assert_eq!(deadlocks(&rows.design(&lines), 3), 0);
    for [t, n, m] in [[1, 1, 1], [3, 4, 5], [5, 2, 1], [1, 6, 2], [4, 3, 3]] {
        let outcome = rows.hold(&lines, &[t, n, m]);
        // A PE has M + 1 steps in a round, and the last PE is N - 1 cycles behind the first.
        assert_eq!((outcome.cycles as i64, outcome.pes as i64), (t * (m + 1) + n - 1, n), "T={t}, N={n}, M={m}");
    }
}

/// The twins: a result before its sum, in one step with the sum's last term, and in the round before.
#[test]
fn what_comes_too_early_in_a_round_is_refuted() {
    let rows = kernel(ROWS);
    let wrong = |then: &str| refuted(&rows.design(&by_rows("t, i + k", then)), 3);
    assert_eq!(wrong("t, i"), [Kind::Handoff, Kind::PeConflict]);
    assert!(wrong("t, i + M - 1").contains(&Kind::Handoff));
    assert_eq!(wrong("t - 1, i + M"), [Kind::Handoff]);
    assert_eq!(wrong("t + 1, i - N"), []);
}

/// A result may wait for the next round: then the last round has nothing else.
#[test]
fn a_result_may_come_a_round_later() {
    let rows = kernel(ROWS);
    let lines = by_rows("t, i + k", "t + 1, i - N");
    assert_eq!(deadlocks(&rows.design(&lines), 3), 0);
    for [t, n, m] in [[1, 1, 1], [3, 4, 5], [5, 2, 1]] {
        let outcome = rows.hold(&lines, &[t, n, m]);
        // On a PE the first round has sums alone, the last the result alone, those between both; PEs follow each other.
        assert_eq!(outcome.cycles as i64, m + (t - 1) * (n + m) + 1 + (n - 1), "T={t}, N={n}, M={m}");
    }
}

/// No closed weight has the length of these rounds.
#[test]
fn rounds_are_ragged() {
    let triangle = kernel(TRIANGLE);
    let lines: [Line; 2] = [("S.sum", "", "i, k", &["feed"], &["k"]), ("Y", "", "i, i + 1", &["handoff", "feed"], &[])];
    assert_eq!(refuted(&triangle.design(&lines), 4), []);
    for n in [1, 2, 3, 4, 5, 9] {
        let outcome = triangle.hold(&lines, &[n]);
        assert_eq!(
            (outcome.cycles as i64, outcome.pes),
            (n * (n + 1) / 2 + n, 1),
            "N = {n}: as many as there are points"
        );
    }
}

#[test]
fn one_space_without_a_closed_clock_runs_in_rounds() {
    let sums = kernel("kernel sums(N)\nin A[N, N]\nout S[N]\nS[i] = sum(k in 0..i + 1) A[i, k]\n");
    let lines: [Line; 1] = [("S.sum", "", "i, k", &["feed"], &["k"])];
    for n in [1, 2, 5, 8] {
        assert_eq!(sums.hold(&lines, &[n]).cycles as i64, n * (n + 1) / 2);
    }
}

#[test]
fn three_rows_are_rounds_of_rounds() {
    let product = kernel(
        "kernel deep(T, N, M)\nin A[T, N, M]\nlocal X[T]\nout Y[T]\n\
         X[t] = sum(i in 0..N, k in 0..M) A[t, i, k]\nY[t] = X[t] + 1\n",
    );
    let lines: [Line; 2] =
        [("X.sum", "", "t, i, k", &["feed"], &["k", "i"]), ("Y", "", "t, N - 1, M", &["handoff"], &[])];
    assert_eq!(refuted(&product.design(&lines), 3), []);
    for [t, n, m] in [[1, 1, 1], [2, 3, 4], [3, 1, 2]] {
        assert_eq!(product.hold(&lines, &[t, n, m]).cycles as i64, t * (n * m + 1));
    }
}

/// PEs of a block have rounds too, which do not overlap: else those of one PE would meet those of its neighbour in the block.
#[test]
fn folded_pes_share_their_rounds() {
    let rows = kernel(ROWS);
    // Neighbours work in turns: even PEs in even steps.
    let lines = by_rows("t, i + 2*k", "t, i + 2*M");
    for phase in [0, 1] {
        let design = Design { fold: Fold::new(vec![Axis { factor: 2, phase }]), ..rows.design(&lines) };
        assert_eq!(refuted(&design, 3), []);
        let program = written(&design).unwrap_or_else(|problems| panic!("{}", shown(&problems)));
        for sizes in [[1, 1, 1], [3, 4, 5], [2, 5, 2]] {
            let ([t, n, m], outcome) = (sizes, rows.hold_program(&program, &sizes));
            assert_eq!(outcome.cycles as i64, t * (n + 2 * m), "folded, T={t}, N={n}, M={m}");
            // A word of B leaves every second cycle, so its channel has one slot, which is free a cycle after each round.
            let apart = rows.hold(&lines, &sizes).cycles as i64;
            assert_eq!(apart, t * (2 * m + 1) + (t - 1) + (n - 1), "T={t}, N={n}, M={m}");
        }
    }
    let busy = by_rows("t, i + k", "t, i + M");
    let design = Design { fold: Fold::new(vec![Axis { factor: 2, phase: 0 }]), ..rows.design(&busy) };
    assert_eq!(refuted(&design, 3), [Kind::PeConflict]);
}

/// A bus from memory carries the words of one round after those of another; the twin asks for two of one round at once.
#[test]
fn a_bus_from_memory_is_driven_round_by_round() {
    let scaled = kernel("kernel scaled(N)\nin B[N]\nlocal X[N]\nout Y[N]\nX[i] = B[i] * 2\nY[i] = X[i] + 1\n");
    let lines = |at: &'static str, then: &'static str| -> [Line; 2] {
        [("X", "i", at, &["bus"], &[]), ("Y", "i", then, &["handoff"], &[])]
    };
    // One word a round; all words in one round, with the results in the next; the last word first.
    let schedules = [("i, 0", "i, 1", [2, 0]), ("0, i", "1, i", [2, 0]), ("-i, 0", "-i, 2", [3, 0])];
    for (at, then, [each, more]) in schedules {
        assert_eq!(refuted(&scaled.design(&lines(at, then)), 4), [], "{at}");
        for n in [1, 2, 5] {
            assert_eq!(scaled.hold(&lines(at, then), &[n]).cycles as i64, each * n + more, "{at}, N = {n}");
        }
    }
    assert!(refuted(&scaled.design(&lines("0, 0", "1, 0")), 4).contains(&Kind::LinkConflict));
}

/// A word that crosses into the next round over two slow links is there in time: the round waits for it.
#[test]
fn rounds_wait_for_words_on_their_way() {
    let leap = kernel(LEAP);
    let names: Vec<String> = leap.cut.spaces.iter().map(|space| space.name.to_string()).collect();
    for latency in [1, 3] {
        let links = Links { latency, ..Links::default() };
        let transports: Vec<Vec<&str>> = leap
            .cut
            .spaces
            .iter()
            .map(|space| {
                space.operands.iter().map(|operand| if &*operand.tensor == "X" { "handoff" } else { "feed" }).collect()
            })
            .collect();
        let lines: Vec<Line> = names
            .iter()
            .zip(&transports)
            .map(|(name, transports)| {
                let step = if name == "X.3" { "0, 0" } else { "t, 0" };
                (name.as_str(), "i", step, transports.as_slice(), [].as_slice())
            })
            .collect();
        let design = leap.design(&lines);
        let program = emit(&design, &links).unwrap_or_else(|problems| panic!("{}", shown(&problems)));
        for [t, n] in [[1, 1], [3, 5], [4, 2], [2, 7]] {
            let outcome = leap.hold_in_time(&program, &[t, n], &Settings::default());
            // From round to round a word takes twice the latency, of which the first cycle lies between them anyway.
            let most = (t - 1) * 2 * latency + 1;
            assert_eq!(outcome.cycles as i64, most, "latency {latency}, T={t}, N={n}\n{}", array::print(&program));
        }
    }
}

/// A slot that is free again late is free when the next round wants it, however short the rounds are.
#[test]
fn rounds_wait_for_slots_that_are_free_again_late() {
    let rows = kernel(ROWS);
    let lines = by_rows("t, i + k", "t, i + M");
    let design = rows.design(&lines);
    for response in [1, 2, 4] {
        let links = Links { response, ..Links::default() };
        let program = emit(&design, &links).unwrap_or_else(|problems| panic!("{}", shown(&problems)));
        for [t, n, m] in [[1, 1, 1], [4, 1, 1], [3, 2, 1], [3, 1, 4]] {
            let settings = Settings { response: response.unsigned_abs(), ..Settings::default() };
            let outcome = rows.hold_in_time(&program, &[t, n, m], &settings);
            let each = m + 1 + response - 1;
            assert_eq!(
                outcome.cycles as i64,
                t * each - (response - 1) + n - 1,
                "response {response}, T={t}, N={n}, M={m}"
            );
        }
    }
}

/// An input that is streamed from one round into the next is there in time, though each round starts at a later step.
#[test]
fn rounds_wait_for_inputs_on_their_way() {
    let scaled = kernel("kernel scaled(T, N)\nin A[T, N], B[N]\nout Y[T, N]\nY[t, i] = A[t, i] * B[i]\n");
    let lines: [Line; 1] = [("Y", "t", "t + i, 2*t + i", &["feed", "stream t"], &[])];
    for latency in [1, 3] {
        let links = Links { latency, ..Links::default() };
        let program = emit(&scaled.design(&lines), &links).unwrap_or_else(|problems| panic!("{}", shown(&problems)));
        for sizes in [[1, 1], [3, 4], [4, 2]] {
            scaled.hold_in_time(&program, &sizes, &Settings::default());
        }
    }
}

/// Whether a design is proved; then it is right, waits for nothing, and takes as many cycles as the calendar says.
fn whatever_is_proved_is_right(rows: &Kernel, steps: [(&str, &str); 2], links: &Links) -> Result<bool, TestCaseError> {
    let texts = steps.map(|(outer, inner)| format!("{outer}, {inner}"));
    let design = rows.design(&by_rows(&texts[0], &texts[1]));
    let Ok(stated) = obligations(&design, links) else { return Ok(false) };
    if !agreement::refuted(&checked(&stated, 3)).is_empty() {
        return Ok(false);
    }
    let Ok(program) = emit(&design, links) else { return Ok(false) };
    let settings = Settings { response: links.response.unsigned_abs(), ..Settings::default() };
    let handoffs = design.handoffs(links.network).expect("handoffs");
    for sizes in [[2, 3, 3], [3, 2, 4], [1, 1, 2], [3, 1, 1]] {
        let outcome = rows.hold_in_time(&program, &sizes, &settings);
        let bindings = rows.sizes(&sizes);
        let calendar = design.calendar(&handoffs, links, &bindings).expect("a calendar");
        let mut clocks = vec![];
        for (number, space) in rows.cut.spaces.iter().enumerate() {
            for point in space.domain.set.points(space.indices(), &bindings).expect("bounded") {
                let forms: Vec<Affine> = point.iter().map(|value| Affine::constant(*value)).collect();
                let time = design.time(number, &forms);
                let time: Vec<i64> = time.iter().map(|form| form.evaluate(&bindings).expect("a number")).collect();
                clocks.push(calendar.clock(&time).expect("a round"));
            }
        }
        let cycles = clocks.iter().max().unwrap() - clocks.iter().min().unwrap() + 1;
        prop_assert_eq!(outcome.cycles as i64, cycles, "{:?} at {:?}\n{}", texts, sizes, array::print(&program));
    }
    Ok(true)
}

const OUTER: [&str; 6] = ["t", "t + 1", "-t", "i", "2*t", "t + i"];
const SUMS: [&str; 7] = ["k", "i + k", "k - i", "2*k", "i + 2*k", "2*i + k", "t + i + k"];
const RESULTS: [&str; 9] = ["M", "i + M", "M - i", "2*M", "i + 2*M", "2*i + M", "0", "i", "t + i + M"];

fn links(latency: i64, response: i64) -> Links {
    Links { latency, response, ..Links::default() }
}

#[test]
fn of_all_rounds_those_that_are_proved_are_right() {
    let rows = kernel(ROWS);
    let steps = SUMS.iter().flat_map(|sums| RESULTS.iter().map(move |results| (*sums, *results)));
    let held = |(latency, response): (i64, i64)| {
        let all = steps.clone().map(|(sums, results)| [("t", sums), ("t", results)]);
        let proved = all.map(|steps| whatever_is_proved_is_right(&rows, steps, &links(latency, response)));
        proved.map(|proved| proved.expect("right")).filter(|is_proved| *is_proved).count()
    };
    // With sums at `i + k` the results may come at `i + M`, `i + 2*M`, `2*i + M` and `t + i + M`; the other three that let `B`
    // move one PE a step have one each. Where a hop takes two, `B` needs sums at `2*i + k`.
    assert_eq!([(1, 1), (1, 3), (2, 1)].map(held), [7, 7, 1]);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]
    #[test]
    fn random_rounds(
        outer in prop::sample::select(&OUTER[..]),
        inner in prop::sample::select(&SUMS[..]),
        then in prop::sample::select(&OUTER[..]),
        last in prop::sample::select(&RESULTS[..]),
        (latency, response) in (1i64..3, 1i64..4),
    ) {
        whatever_is_proved_is_right(&kernel(ROWS), [(outer, inner), (then, last)], &links(latency, response))?;
    }
}
