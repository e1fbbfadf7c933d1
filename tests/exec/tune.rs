//! `systole tune`: every way has the time that a prediction of it has, and the best is the least of all there are, found here by going
//! through them one by one.

use super::programs::{Way, program, shown};
use serde_json::Value;
use std::collections::BTreeMap;
use std::process::{Command, Output};
use std::sync::{Arc, Mutex, OnceLock};
use systole::array::Program;
use systole::exec::{Broadcast, Settings, predict};
use systole::integer::{Bindings, name};
use systole::machine::{Cluster, Machine};
use systole::recurrence::{Distribution, LeafOrder};
use systole::span::Source;

/// A message takes as long as some thousand functions, which the larger tiles do faster.
const MACHINE: &str = "[cluster]\nalpha = 2e-6\nbeta = 1e-9\ngamma = 1e-9\noperation = 1e-8\n\
    [loops]\ngemm = { 4 = 0.5, 8 = 1.0 }\ntrsm = 0.5\nsyrk = 0.5\npotrf = 0.25\nother = 0.25\n";

const DISTRIBUTIONS: [(&str, Distribution); 3] = [
    ("block", Distribution::Block),
    ("cyclic", Distribution::Cyclic),
    ("block-cyclic:2", Distribution::BlockCyclic(2)),
];

const ORDERS: [&str; 3] = ["steps", "turns", "turns:4"];

/// A kernel with its sizes, tilings as the flag says them and one by one, and the schedules that have designs over tiles.
struct Case {
    kernel: &'static str,
    size: &'static str,
    tile: &'static str,
    tilings: &'static [&'static str],
    schedules: &'static [&'static str],
}

const CASES: [Case; 2] = [
    Case {
        kernel: "matmul",
        size: "M=29,N=32,K=17",
        tile: "i=4:8,j=8,k=4:8",
        tilings: &["i=4,j=8,k=4", "i=4,j=8,k=8", "i=8,j=8,k=4", "i=8,j=8,k=8"],
        schedules: &["kung-leiserson", "cannon", "weight-stationary", "input-stationary", "summa", "pumma", "search"],
    },
    Case {
        kernel: "trsm",
        size: "R=19,N=23",
        tile: "r=4:8,i=4:8",
        tilings: &["r=4,i=4", "r=4,i=8", "r=8,i=4", "r=8,i=8"],
        schedules: &["grid", "summa", "split", "matrix-stationary", "search"],
    },
];

fn systole(arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_systole"));
    command.args(arguments).current_dir(env!("SYSTOLE_ROOT")).env("NO_COLOR", "1");
    command.output().expect("the program starts")
}

/// A folder with the machine file.
struct Folder {
    folder: tempfile::TempDir,
    machine: String,
}

impl Folder {
    fn new() -> Folder {
        let folder = tempfile::tempdir().expect("a folder");
        let machine = folder.path().join("cluster.toml").display().to_string();
        std::fs::write(&machine, MACHINE).expect("written");
        Folder { folder, machine }
    }

    fn tune(&self, case: &Case, flags: &[&str]) -> Output {
        let kernel = format!("kernels/{}.rec", case.kernel);
        let given = ["tune", &kernel, "--machine", &self.machine, "--size", case.size, "--tile", case.tile];
        systole(&[&given, flags].concat())
    }

    /// What is told for programs, which is asked for once for all tests: it is the same each time.
    fn tuned(&self, case: &Case, flags: &[&str]) -> Value {
        static TUNED: Mutex<BTreeMap<String, Arc<OnceLock<Value>>>> = Mutex::new(BTreeMap::new());
        let asked = format!("{} {} {} {flags:?}", case.kernel, case.size, case.tile);
        let mut tuned = TUNED.lock().expect("nothing fails while it is held");
        let told = Arc::clone(tuned.entry(asked).or_default());
        drop(tuned);
        told.get_or_init(|| self.told(case, flags)).clone()
    }

    fn told(&self, case: &Case, flags: &[&str]) -> Value {
        let output = self.tune(case, &[flags, &["--json"]].concat());
        assert!(output.status.success(), "{flags:?}: {}", String::from_utf8_lossy(&output.stderr));
        serde_json::from_slice(&output.stdout).expect("JSON")
    }
}

fn cluster() -> Cluster {
    Machine::default().with(&Source::new("cluster", MACHINE)).expect("a machine").cluster
}

fn sizes(case: &Case) -> Bindings {
    let size = |text: &str| {
        let (parameter, size) = text.split_once('=').expect("a size");
        (name(parameter), size.parse().expect("a number"))
    };
    case.size.split(',').map(size).collect()
}

/// The program of a schedule's first design.
fn emitted(case: &Case, schedule: &str, tiling: &str) -> Program {
    let mut flags = vec!["--size".to_owned(), case.size.to_owned(), "--tile".to_owned(), tiling.to_owned()];
    if schedule != "search" {
        flags.extend(["--schedule".to_owned(), schedule.to_owned()]);
    }
    program(&Way { kernel: case.kernel.to_owned(), flags }.emit())
}

/// Everything that tells a way from others: schedule with tiles, grid, distribution, order, slots.
type Key = (String, Vec<u64>, String, String, Option<u64>);

/// The seconds of every way for two workers, one by one.
fn all_ways(case: &Case) -> BTreeMap<Key, f64> {
    let mut ways = BTreeMap::new();
    for (schedule, tiling) in case.schedules.iter().flat_map(|schedule| case.tilings.iter().map(move |t| (schedule, t)))
    {
        let program = emitted(case, schedule, tiling);
        let grids = if program.grid.len() == 1 { vec![vec![2]] } else { vec![vec![1, 2], vec![2, 1]] };
        for grid in grids {
            let orders =
                program.order.map_or_else(|| ORDERS.map(str::to_owned).to_vec(), |order| vec![order.to_string()]);
            let each = DISTRIBUTIONS.iter().flat_map(|named| orders.iter().map(move |order| (named, order)));
            for (((word, distribution), order), capacity) in
                each.flat_map(|way| [None, Some(4)].map(|slots| (way, slots)))
            {
                let arrangement = Some(grid.clone());
                let way = Settings {
                    workers: 2,
                    apart: true,
                    distribution: Some(*distribution),
                    arrangement,
                    order: LeafOrder::from_keyword(order),
                    capacity,
                    ..Settings::default()
                };
                let found = predict(&program, &sizes(case), &way, &cluster());
                let found = found.unwrap_or_else(|faults| panic!("{}", shown(&faults)));
                assert!(found.deadlock.is_none());
                let grid = grid.iter().map(|side| *side as u64).collect();
                ways.insert(
                    (format!("{schedule} {tiling}"), grid, (*word).to_owned(), order.clone(), capacity),
                    found.seconds,
                );
            }
        }
    }
    ways
}

fn key(way: &Value) -> Key {
    let grid = way["arrangement"].as_array().expect("a grid").iter().map(|side| side.as_u64().expect("a side"));
    let text = |key: &str| way[key].as_str().expect("a text").to_owned();
    (text("schedule"), grid.collect(), text("distribution"), text("order"), way["capacity"].as_u64())
}

fn seconds(way: &Value) -> f64 {
    way["seconds"].as_f64().expect("a number")
}

/// What is read from text may differ in the last bit.
fn is_same(one: f64, other: f64) -> bool {
    (one - other).abs() <= 1e-14 * other
}

#[test]
fn every_way_is_weighed_or_passed_over_and_the_best_is_the_least() {
    let folder = Folder::new();
    for case in &CASES {
        let found = folder.tuned(case, &["--ranks", "2", "--designs", "1"]);
        let ways = found["ways"].as_array().expect("ways");
        let mut all = all_ways(case);
        let least = all.values().copied().fold(f64::INFINITY, f64::min);
        assert!(is_same(seconds(&ways[0]), least), "{}", case.kernel);
        assert!(ways.is_sorted_by(|one, other| seconds(one) <= seconds(other)));
        for way in ways {
            let wanted = all.remove(&key(way)).unwrap_or_else(|| panic!("no such way: {way}"));
            assert!(is_same(seconds(way), wanted), "{way} {wanted}");
        }
        // What is passed over is no better, and is said.
        let left_out: Vec<&str> =
            found["left_out"].as_array().expect("a list").iter().filter_map(|left| left["schedule"].as_str()).collect();
        for ((schedule, ..), seconds) in &all {
            assert!(*seconds > least && left_out.contains(&schedule.as_str()), "{schedule}");
        }
        assert!(!all.is_empty(), "nothing of {} is passed over", case.kernel);
    }
}

/// With everything else to choose from but what the best has, the best is another one and is slower.
#[test]
fn without_what_the_best_has_nothing_is_as_fast() {
    let folder = Folder::new();
    let flags = ["--ranks", "2", "--designs", "1"];
    for case in &CASES {
        let best = folder.tuned(case, &flags)["ways"][0].clone();
        let tile = best["schedule"].as_str().and_then(|name| name.split_once(' ')).expect("tiles").1.to_owned();
        let others: Vec<&str> = case.tilings.iter().copied().filter(|tiling| *tiling != tile).collect();
        assert_eq!(others.len(), case.tilings.len() - 1);
        for tile in others {
            let case = Case { tile, tilings: &[], schedules: &[], ..*case };
            let without = folder.tuned(&case, &flags)["ways"][0].clone();
            assert!(seconds(&without) > seconds(&best), "{without} {best}");
        }
    }
}

#[test]
fn one_worker_has_one_way_for_each_number_of_slots() {
    let found = Folder::new()
        .tuned(&CASES[0], &["--schedule", "cannon", "--designs", "1", "--capacity", "2,3", "--order", "turns"]);
    let ways: Vec<Key> = found["ways"].as_array().expect("ways").iter().map(key).collect();
    let of_best = ways.iter().filter(|way| way.0 == ways[0].0);
    let mut slots: Vec<Option<u64>> = of_best
        .map(|(_, grid, distribution, order, slots)| {
            (grid == &[1, 1] && distribution == "block" && order == "turns").then_some(*slots).expect("one way")
        })
        .collect();
    slots.sort();
    assert_eq!(slots, [None, Some(2), Some(3)]);
}

/// Four workers on one line have a way for each shape, each with the time of its own prediction; where nothing is on a bus, and
/// between two workers, the first shape stands for all.
#[test]
fn shapes_of_broadcasts_are_weighed_where_words_are_handed_on() {
    let folder = Folder::new();
    let case = Case { tile: "i=4,j=8,k=4", ..CASES[0] };
    let shapes = |schedule: &str, ranks: &str, grid: &str| -> Vec<(Broadcast, f64)> {
        let flags =
            ["--schedule", schedule, "--ranks", ranks, "--grid", grid, "--distribution", "block", "--order", "turns"];
        let found = folder.tuned(&case, &[&flags[..], &["--designs", "1", "--broadcast", "star,chain,tree"]].concat());
        let ways = found["ways"].as_array().expect("ways").iter().filter(|way| way["capacity"].is_null());
        let shape = |way: &Value| Broadcast::ALL.into_iter().find(|shape| way["broadcast"] == shape.keyword());
        ways.map(|way| (shape(way).expect("a shape"), seconds(way))).collect()
    };
    let program = emitted(&case, "summa", case.tile);
    let found = shapes("summa", "4", "1x4");
    assert_eq!(found.len(), 3);
    for (broadcast, seconds) in found {
        let arrangement = Some(vec![1, 4]);
        let way = Settings { workers: 4, apart: true, arrangement, broadcast, ..Settings::default() };
        let wanted =
            predict(&program, &sizes(&case), &way, &cluster()).unwrap_or_else(|faults| panic!("{}", shown(&faults)));
        assert!(is_same(seconds, wanted.seconds), "{broadcast:?}: {seconds} {}", wanted.seconds);
    }
    for alone in [shapes("summa", "2", "1x2"), shapes("cannon", "4", "1x4")] {
        assert!(matches!(alone[..], [(Broadcast::Star, _)]), "{alone:?}");
    }
}

/// The program runs as it is said to, takes the bits of the equations, and is predicted to take as long as was said.
#[test]
fn the_program_that_is_chosen_runs_as_it_says() {
    let folder = Folder::new();
    for case in &CASES {
        let path = folder.folder.path().join("best.pe").display().to_string();
        let output = folder.tune(case, &["--ranks", "2", "--layout", "cyclic", "-o", &path]);
        let told = String::from_utf8(output.stdout).expect("text");
        let next = told.lines().find_map(|line| line.strip_prefix("next: systole ")).expect("what to type");
        let kernel = format!("kernels/{}.rec", case.kernel);
        let more = ["--json", "--reference", &kernel, "--machine", &folder.machine];
        let output = systole(&[&next.split(' ').collect::<Vec<_>>()[..], &more].concat());
        let ran: Value = serde_json::from_slice(&output.stdout).expect("JSON");
        assert_eq!((&ran["matches_reference"], &ran["layout"]), (&true.into(), &"cyclic".into()), "{next}");
        // How it is distributed stands in the program, and in no flag.
        let chosen = program(&std::fs::read_to_string(&path).expect("a program"));
        assert_eq!(chosen.fold.map(|fold| fold.to_string()).as_deref(), ran["distribution"].as_str());
        assert!(chosen.arrays.iter().all(|array| array.layout == Some(Distribution::Cyclic)), "{next}");
        assert_eq!(chosen.order.map(|order| order.to_string()).as_deref(), ran["order"].as_str());
        assert!(chosen.order.is_some() && !next.contains("--order"), "{next}");
        let best = told.lines().find_map(|line| line.strip_prefix("best ")).expect("the best").trim();
        let predicted = ran["predicted"]["seconds"].as_f64().expect("a number");
        assert!(best.starts_with(&format!("{predicted:.6} s: ")), "{best} {predicted}");
    }
}

/// Where the schedule says how PEs are distributed, and in which order tiles are computed, no other way is weighed that is not asked for.
#[test]
fn a_schedule_that_says_its_distribution_and_its_order_is_weighed_so() {
    let (folder, tilings) = (Folder::new(), &["i=8"]);
    let schedules = &["block-cyclic"];
    let case = Case { kernel: "cholesky", size: "N=29", tile: "i=8", tilings, schedules };
    let weighed = |key: &str, schedule: &str, flags: &[&str]| {
        let found = folder.tuned(&case, &[&["--ranks", "2", "--schedule", schedule], flags].concat());
        let words = found["ways"].as_array().expect("ways").iter().map(|way| way[key].to_string());
        words.collect::<std::collections::BTreeSet<_>>()
    };
    let all = DISTRIBUTIONS.map(|(distribution, _)| format!("\"{distribution}\""));
    assert_eq!(weighed("distribution", "timed", &[]), all.clone().into());
    assert_eq!(weighed("distribution", "block-cyclic", &[]), [all[1].clone()].into());
    assert_eq!(weighed("distribution", "block-cyclic", &["--distribution", "block"]), [all[0].clone()].into());
    let order = |word: &str| format!("\"{word}\"");
    assert_eq!(weighed("order", "timed", &[]), ORDERS.map(order).into());
    assert_eq!(weighed("order", "block-cyclic", &[]), [order("steps:4")].into());
    assert_eq!(weighed("order", "block-cyclic", &["--order", "turns,steps:2"]), ["turns", "steps:2"].map(order).into());
}

/// As many proofs as `prove` has of the design, and of a run of it that is distributed so.
#[test]
fn what_is_proved_is_the_run_that_was_chosen() {
    let folder = Folder::new();
    let case = Case { tile: "r=4,i=8", ..CASES[1] };
    let found = folder.tuned(&case, &["--ranks", "2", "--schedule", "grid", "--designs", "1"]);
    let distribution = found["ways"][0]["distribution"].as_str().expect("a distribution");
    let flags = [
        "prove",
        "kernels/trsm.rec",
        "--schedule",
        "grid",
        "--tile",
        case.tile,
        "--distribution",
        distribution,
        "--json",
    ];
    let proved: Value = serde_json::from_slice(&systole(&flags).stdout).expect("JSON");
    let obligations = proved["obligations"].as_array().expect("a list");
    assert!(obligations.iter().any(|one| one["kind"] == "no-deadlock"));
    assert_eq!(found["proofs"], obligations.len());
}

/// With one byte less than some way holds all of its kind are left out, and with one less than all hold nothing is left.
#[test]
fn ways_that_hold_more_than_they_may_are_left_out() {
    let (folder, case) = (Folder::new(), &Case { tile: "i=4,j=8,k=4", ..CASES[0] });
    let bytes = |found: &Value| -> Vec<u64> {
        found["ways"].as_array().expect("ways").iter().map(|way| way["bytes"].as_u64().expect("bytes")).collect()
    };
    let flags = ["--ranks", "4", "--schedule", "cannon"];
    let mut all = bytes(&folder.tuned(case, &flags));
    all.sort_unstable();
    let (least, middle) = (all[0], all[all.len() / 2]);
    assert!(least < middle);
    for limit in [middle, middle - 1, least] {
        let mut left = bytes(&folder.tuned(case, &[&flags[..], &["--memory", &limit.to_string()]].concat()));
        left.sort_unstable();
        assert_eq!(left, all.iter().copied().filter(|bytes| *bytes <= limit).collect::<Vec<_>>(), "{limit}");
    }
    let output = folder.tune(case, &[&flags[..], &["--memory", &(least - 1).to_string()]].concat());
    let message = String::from_utf8(output.stderr).expect("text");
    assert!(output.status.code() == Some(1) && message.contains("a rank would hold"), "{message}");
}

/// Designs of one axis and of two: a grid of one axis leaves those of two out, each by itself.
#[test]
fn designs_that_no_grid_fits_are_left_out_alone() {
    let (folder, case) = (Folder::new(), &Case { tile: "i=4,j=8,k=4", ..CASES[0] });
    let found = folder.tuned(case, &["--ranks", "2", "--designs", "14", "--grid", "2"]);
    let ways = found["ways"].as_array().expect("ways");
    assert!(!ways.is_empty() && ways.iter().all(|way| way["schedule"] == "search i=4,j=8,k=4"), "{ways:?}");
    let left = found["left_out"].as_array().expect("a list");
    assert!(left.iter().any(|left| left["why"].as_str().is_some_and(|why| why.contains("no grid"))), "{left:?}");
}

#[test]
fn schedules_without_a_design_are_left_out_with_the_reason() {
    let folder = Folder::new();
    let flags = ["--ranks", "2", "--designs", "1"];
    let found = folder.tuned(&CASES[0], &flags);
    let why =
        found["left_out"].as_array().expect("a list").iter().find(|left| left["schedule"] == "too-fast i=4,j=8,k=4");
    assert!(why.expect("too-fast")["why"].as_str().expect("a reason").contains("operands of `C` do not meet"));
    let refused_with = |code: i32, flags: &[&str]| {
        let output = folder.tune(&CASES[0], flags);
        assert_eq!(output.status.code(), Some(code), "{flags:?}");
        String::from_utf8(output.stderr).expect("text")
    };
    let (refused, misused) = (|flags: &[&str]| refused_with(1, flags), |flags: &[&str]| refused_with(2, flags));
    let alone = refused(&["--schedule", "too-fast"]);
    assert!(
        alone.contains("no schedule has a program that can be weighed") && alone.contains("do not meet"),
        "{alone}"
    );
    assert!(misused(&["--ranks", "0"]).contains("at least 1 worker"));
    assert!(misused(&["--capacity", "0"]).contains("must be at least 1"));
    assert!(misused(&["--ranks", "4", "--grid", "4", "--schedule", "cannon"]).contains("the 2 axes of the array"));
    let rates = refused(&["--leaves", "faer"]).replace('│', " ");
    let rates = rates.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(rates.contains("does not say the rate of `faer.gemm`, which `--leaves faer` needs"), "{rates}");
    assert!(rates.contains("say `--leaves loops`, or measure"), "{rates}");
    assert!(misused(&["--objective", "beauty"]).contains("is not a known objective"));
    assert!(misused(&["--schedule", "nobody"]).contains("has no schedule `nobody`"));
    let given = ["tune", "kernels/matmul.rec", "--size", "M=8,N=8,K=8"];
    let message = |flags: &[&str]| String::from_utf8(systole(&[&given, flags].concat()).stderr).expect("text");
    assert!(message(&[]).contains("systole calibrate"));
    assert!(message(&["--machine", &folder.machine, "--tile", "i"]).contains("several sides with `:`"));
    assert!(message(&["--machine", &folder.machine, "--tile", "i=4:x"]).contains("i=x"));
    let unknown = message(&["--machine", &folder.machine, "--tile", "q=4:8"]);
    assert!(unknown.contains("no equation has an index `q`") && unknown.matches("`q`").count() == 1, "{unknown}");
}

#[test]
fn nothing_is_written_where_nothing_is_chosen() {
    let folder = Folder::new();
    let path = folder.folder.path().join("best.pe").display().to_string();
    let output =
        folder.tune(&CASES[0], &["--schedule", "too-fast", "--output", &path, "--limit", "5000", "--most", "3"]);
    assert!(output.status.code() == Some(1) && !std::path::Path::new(&path).exists());
}
