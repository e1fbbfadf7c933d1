//! Rooms: what PEs keep takes turns in fewer words than there are elements, and no word is kept over while it is still to be read.

use crate::agreement;
use crate::agreement::checked;
use crate::common::{Kernel, Line, kernel, shown, written, written_on};
use crate::locals::BEST_WAYS;
use std::time::Duration;
use systole_base::cell::Cell;
use systole_base::integer::name;
use systole_base::network::Links;
use systole_compile::extract::least_rooms;
use systole_compile::mapping::Design;
use systole_compile::timing::obligations;
use systole_program::array;
use systole_program::array::demands;
use systole_program::obligation::Kind;
use systole_run::sim::{Settings, simulate};

/// Means of neighbours between two ends that stay.
const MEANS: &str = "\
kernel means(T, N)
in A[N + 2]
out X[T, N + 2]
X[0, i] = A[i]
X[t, 0] = A[0] where t >= 1
X[t, N + 1] = A[N + 1] where t >= 1
X[t, i] = (X[t - 1, i - 1] + X[t - 1, i] + X[t - 1, i + 1]) / 3 where t >= 1, 1 <= i, i <= N
";

/// Thomas' algorithm: down a band of three diagonals, and back.
const THOMAS: &str = "\
kernel thomas(N)
in a[N], b[N], c[N], d[N]
out x[N]
local cp[N], dp[N]
cp[0] = c[0] / b[0]
cp[i] = c[i] / (b[i] - a[i] * cp[i - 1]) where 1 <= i
dp[0] = d[0] / b[0]
dp[i] = (d[i] - a[i] * dp[i - 1]) / (b[i] - a[i] * cp[i - 1]) where 1 <= i
x[N - 1] = dp[N - 1]
x[i] = dp[i] - cp[i] * x[i + 1] where i < N - 1
";

/// A kernel on one PE that keeps a tensor, with so many words along each dimension.
fn with_room<'a>(kernel: &'a Kernel, lines: &[Line], tensor: &str, words: &[Option<i64>]) -> Design<'a> {
    let mut design = kernel.design(lines);
    design.rooms.set(&name(tensor), words.to_vec());
    design
}

fn means() -> [Line<'static>; 4] {
    [
        ("X", "", "0, i", &["feed"], &[]),
        ("X.2", "", "t, 0", &["feed"], &[]),
        ("X.3", "", "t, N + 1", &["feed"], &[]),
        ("X.4", "", "t, i", &["local", "local", "local"], &[]),
    ]
}

fn ways<'a>(then: &'a str) -> [Line<'a>; 3] {
    [
        ("X", "", "0, s, 0", &["feed"], &[]),
        ("X.max", "", "t, s, r", &["local", "feed"], &["r"]),
        ("X.2", "", then, &["feed", "handoff"], &[]),
    ]
}

/// The kinds of the obligations that are refuted, each with its smallest case.
fn refuted(design: &Design, largest: i64) -> Vec<(Kind, String)> {
    let stated = obligations(design, &Links::default()).unwrap_or_else(|problems| panic!("{}", shown(&problems)));
    let refuted = agreement::refuted(&checked(&stated, largest));
    refuted.into_iter().map(|(kind, _, case)| (kind, case.to_string())).collect()
}

/// What the simulator says of a program at some sizes; nothing where its values are those of the equations.
fn stopped(kernel: &Kernel, design: &Design, sizes: &[i64]) -> Option<String> {
    let program = written(design).unwrap_or_else(|problems| panic!("{}", shown(&problems)));
    let bindings = kernel.sizes(sizes);
    match simulate(&program, &bindings, &kernel.inputs(&bindings), &Settings::default()) {
        Ok(_) => _ = kernel.hold_program(&program, sizes),
        Err(stopped) => return Some(shown(&stopped)),
    }
    None
}

#[test]
fn two_rows_of_time_are_room_enough() {
    let kernel = kernel(MEANS);
    let design = with_room(&kernel, &means(), "X", &[Some(2), None]);
    assert_eq!(refuted(&design, 3), []);
    let text = array::print(&written(&design).unwrap_or_else(|problems| panic!("{}", shown(&problems))));
    assert!(text.contains("(scratchpad X-kept (T (+ N 2)) (room 2 (+ N 2)))"), "{text}");
    for sizes in [[1, 1], [2, 3], [6, 1], [7, 4]] {
        assert_eq!(stopped(&kernel, &design, &sizes), None);
    }
}

/// The twin: one row is one too few.
#[test]
fn one_row_of_time_is_not() {
    let kernel = kernel(MEANS);
    let design = with_room(&kernel, &means(), "X", &[Some(1), None]);
    let refuted = refuted(&design, 3);
    assert!(refuted.iter().all(|(kind, _)| *kind == Kind::Room), "{refuted:?}");
    assert_eq!(refuted[0].1, "T = 2, N = 1: points (1, 1) and (1), u1 = 1");
    let said = stopped(&kernel, &design, &[2, 1]).expect("the run is stopped");
    assert!(said.contains("recalls `X-kept(0, 0)` from its scratchpad, where the word holds `X-kept(1, 0)`"), "{said}");
    assert!(said.contains("clock 4"), "{said}");
}

/// As a program: the simulator stops exactly where some size within the bounds refutes the room.
#[test]
fn a_run_is_stopped_where_a_room_is_refuted() {
    let means = kernel(MEANS);
    let mut right = 0;
    for words in [[Some(1), None], [Some(2), None], [Some(3), None], [None, Some(2)], [Some(2), Some(2)], [None, None]]
    {
        let design = with_room(&means, &self::means(), "X", &words);
        let is_refuted = !refuted(&design, 4).is_empty();
        let sizes = (1..6).flat_map(|t| (1..6).map(move |n| [t, n]));
        let is_stopped = sizes.filter_map(|sizes| stopped(&means, &design, &sizes)).count() > 0;
        assert_eq!(is_refuted, is_stopped, "{words:?}");
        right += usize::from(!is_refuted);
    }
    assert_eq!(right, 3);
    let ways = kernel(BEST_WAYS);
    for (words, is_right) in [([Some(2), None], true), ([Some(1), None], false), ([Some(2), Some(1)], false)] {
        let design = with_room(&ways, &self::ways("t, s, S"), "X", &words);
        assert_eq!(refuted(&design, 3).is_empty(), is_right, "{words:?}");
        assert_eq!(stopped(&ways, &design, &[4, 3]).is_none(), is_right, "{words:?}");
    }
}

fn thomas() -> [Line<'static>; 6] {
    [
        ("cp", "", "0", &["feed", "feed"], &[]),
        ("cp.2", "", "2*i", &["feed", "feed", "feed", "local"], &[]),
        ("dp", "", "1", &["feed", "feed"], &[]),
        ("dp.2", "", "2*i + 1", &["feed", "feed", "local", "feed", "local"], &[]),
        ("x", "", "2*N", &["local"], &[]),
        ("x.2", "", "3*N - 1 - i", &["local", "local", "local"], &[]),
    ]
}

/// Of the way down everything is read on the way back, of the way back one word at a time: 2 N + 1 words.
#[test]
fn a_band_takes_two_words_a_row() {
    let kernel = kernel(THOMAS);
    let design = with_room(&kernel, &thomas(), "x", &[Some(1)]);
    assert_eq!(refuted(&design, 4), []);
    assert_eq!(stopped(&kernel, &design, &[7]), None);
    let words = demands(&written(&design).expect("a program"), &kernel.sizes(&[7])).expect("it is valid");
    assert_eq!(words[0].words, 2 * 7 + 1);
    for (tensor, words, smallest) in [
        ("cp", 1, "N = 2: points (1) and (1), u1 = 1"),
        ("cp", 2, "N = 3: points (0) and (2), u1 = 1"),
        ("dp", 1, "N = 2: points (0) and (1), u1 = 1"),
        ("dp", 3, "N = 4: points (0) and (3), u1 = 1"),
    ] {
        let mut less = design.clone();
        less.rooms.set(&name(tensor), vec![Some(words)]);
        assert_eq!(refuted(&less, 5)[0], (Kind::Room, smallest.to_owned()), "{words} for {tensor}");
        let said = stopped(&kernel, &less, &[7]).expect("the run is stopped");
        assert!(said.contains(&format!("recalls `{tensor}-kept(")), "{said}");
    }
}

/// The fewest words along each dimension are found, and one fewer is refuted.
#[test]
fn the_fewest_words_are_found() {
    let (means, thomas, ways) = (kernel(MEANS), kernel(THOMAS), kernel(BEST_WAYS));
    for (design, found) in [
        (means.design(&self::means()), "room X (2, _)"),
        (thomas.design(&self::thomas()), "room x (1)"),
        (ways.design(&self::ways("t, s, S")), "room X (2, _)"),
    ] {
        let rooms = least_rooms(&design, &Links::default(), Duration::from_secs(60)).expect("values have ways");
        assert_eq!(rooms.lines().collect::<Vec<_>>(), [found]);
        for tensor in design.system.tensors.iter().filter_map(|tensor| rooms.of(&tensor.name).map(|_| &tensor.name)) {
            for fewer in 1..rooms.of(tensor).and_then(|words| words[0]).unwrap_or(1) {
                let mut less = Design { rooms: rooms.clone(), ..design.clone() };
                let others = rooms.of(tensor).into_iter().flat_map(|words| words[1..].to_vec());
                less.rooms.set(tensor, std::iter::once(Some(fewer)).chain(others).collect());
                assert!(!refuted(&less, 3).is_empty(), "{fewer} for {tensor}");
            }
        }
    }
}

/// Partial results of a row wait while its weights pass.
const ROWS: &str = "\
kernel rows(M, N, K)
in W[K], X[M, N + K - 1]
out Y[M, N]
Y[i, j] = sum(k in 0..K) W[k] * X[i, j + k]
";

#[test]
fn partial_results_of_one_row_take_the_words_of_the_last() {
    let kernel = kernel(ROWS);
    let lines: [Line; 1] = [("Y.sum", "", "i, k, j", &["prefetch", "feed"], &["k"])];
    for (words, is_right) in [([Some(1), None], true), ([None, Some(2)], false), ([Some(1), Some(1)], false)] {
        let mut design = with_room(&kernel, &lines, "Y", &words);
        design.parts[0].dataflow.chain.is_kept = true;
        let refuted = refuted(&design, 3);
        assert_eq!(refuted.is_empty(), is_right, "{words:?}: {refuted:?}");
        assert_eq!(stopped(&kernel, &design, &[3, 3, 2]).is_none(), is_right, "{words:?}");
    }
}

/// In a cell a word is used again in the step of its last load, if the one that reads comes first.
const BEFORE: &str = "\
kernel before(N)
in A[N]
out Y[N]
local X[N]
X[0] = A[0]
X[i] = X[i - 1] + A[i] where 1 <= i
Y[0] = A[0]
Y[i] = X[i - 1] * A[i] where 1 <= i
";

#[test]
fn in_a_cell_the_reader_comes_first() {
    let kernel = kernel(BEFORE);
    let links = Links { cell: Cell::All, ..Links::default() };
    let lines: [Line; 4] = [
        ("X", "", "0", &["feed"], &[]),
        ("X.2", "", "i", &["local", "feed"], &[]),
        ("Y", "", "0", &["feed"], &[]),
        ("Y.2", "", "i", &["local", "feed"], &[]),
    ];
    for is_right in [true, false] {
        let mut design = with_room(&kernel, &lines, "X", &[Some(1)]);
        let stores = usize::from(is_right);
        design.parts[1].position = stores;
        design.parts[3].position = 1 - stores;
        let stated = obligations(&design, &links).unwrap_or_else(|problems| panic!("{}", shown(&problems)));
        assert_eq!(agreement::refuted(&checked(&stated, 4)).is_empty(), is_right);
        let program = written_on(&design, &links).unwrap_or_else(|problems| panic!("{}", shown(&problems)));
        let sizes = kernel.sizes(&[4]);
        let ran = simulate(&program, &sizes, &kernel.inputs(&sizes), &Settings::default());
        assert_eq!(ran.is_ok(), is_right);
    }
}

/// What a program cannot say of a room.
#[test]
fn a_room_of_a_program_is_a_number_of_words_or_all() {
    let kernel = kernel(MEANS);
    let design = with_room(&kernel, &means(), "X", &[Some(2), None]);
    let text = array::print(&written(&design).unwrap_or_else(|problems| panic!("{}", shown(&problems))));
    for (room, what) in [
        ("(room 0 (+ N 2))", "the room of scratchpad `X-kept` is a number of words, or a whole extent"),
        ("(room 2 N)", "the room of scratchpad `X-kept` is a number of words, or a whole extent"),
        ("(room 2)", "scratchpad `X-kept` has 2 dimensions, and room for 1"),
        ("(words 2 3)", "(room WORDS ..)"),
        ("(room 2 3) (room 2 3)", "nothing after the room"),
    ] {
        let problems = array::parse("test.pe", &text.replace("(room 2 (+ N 2))", room)).expect_err("it is no program");
        assert!(shown(&problems).contains(what), "{}", shown(&problems));
    }
}
