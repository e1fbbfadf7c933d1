//! Each `tests/errors/schedules/*.rec` has a schedule `wrong` that is refused with the message in the `.expect` beside it;
//! `BLESS=1` rewrites those. A first line `# flags: ..` is for the command line.

use super::expected::{cases, hold};
use super::start::{good, json, refused};
use std::fs;
use std::path::Path;

const FOLDER: &str = "tests/errors/schedules";

fn refuse(path: &Path) -> String {
    let text = fs::read_to_string(path).expect("a kernel");
    let name = format!("{FOLDER}/{}", path.file_name().expect("a name").to_string_lossy());
    let flags = text.lines().next().and_then(|line| line.strip_prefix("# flags: ")).unwrap_or_default();
    let flags: Vec<&str> = flags.split_whitespace().collect();
    refused(&[&["search", &name, "--schedule", "wrong"], &flags[..]].concat())
}

/// A file of one schedule, for a space alone.
fn product(name: &str, directives: &str) -> String {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let kernel = "kernel product(M, N)\nin  A[M, N], x[N]\nout y[M]\ny[i] = sum(j in 0..N) A[i, j] * x[j]";
    fs::write(&path, format!("{kernel}\nschedule own\nplace (i)   time i + j\n{directives}\n")).expect("written");
    path.to_string_lossy().into_owned()
}

#[test]
fn a_stream_without_a_direction_is_any_stream_or_a_feed() {
    let path = product("stream.rec", "stream A   stream x   stream y");
    let found = json(&["run", &path, "--schedule", "own", "--size", "M=5,N=6"]);
    assert_eq!((found["sim"]["cycles"].as_u64(), found["prove"]["result"].as_str()), (Some(10), Some("proved")));
    assert_eq!(found["search"]["front"].as_array().map(Vec::len), Some(1), "one way each");
    assert_eq!(found["sim"]["matches_reference"], true);
}

#[test]
fn a_broadcast_without_a_direction_needs_a_bus() {
    let path = product("broadcast.rec", "broadcast A");
    let message = refused(&["run", &path, "--schedule", "own", "--size", "M=5,N=6"]);
    assert!(message.contains("refuted: two words of `A` are on one bus at one time"), "{message}");
    assert!(message.contains("points (0, 1) and (1, 0)") && message.contains("`feed A`"), "{message}");
}

/// Its twin, in a kernel of one space: words of one index are due one after the other, unless all are due at once.
#[test]
fn words_that_are_due_one_after_the_other_come_over_a_bus() {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join("scale.rec");
    let kernel = "kernel scale(N)\nin  A[N], c\nout Y[N]\nY[i] = A[i] * c";
    let schedules = "schedule fed\nplace (i)   time i   broadcast A\nschedule ported\nplace (i)   time i   feed A";
    fs::write(&path, format!("{kernel}\n{schedules}\n")).expect("written");
    let path = path.to_string_lossy();
    let run = |schedule| json(&["run", &path, "--schedule", schedule, "--size", "N=6"]);
    for (schedule, moved) in [("fed", 5), ("ported", 0)] {
        let (found, front) = (run(schedule), run(schedule)["search"]["front"][0].clone());
        assert_eq!((&found["prove"]["result"], &found["sim"]["matches_reference"]), (&"proved".into(), &true.into()));
        assert_eq!((&front["cycles"], &front["pes"], &front["channel_words"]), (&6.into(), &6.into(), &moved.into()));
    }
}

/// The arrays of Cyclotron's Figures 9 to 12, and those with L in each PE's own memory: every one is proved, runs, and has
/// a program of its own.
#[test]
fn every_way_of_the_triangular_solve_is_another_program() {
    let text = fs::read_to_string("kernels/trisolve.rec").expect("a kernel");
    let ways = ["stream", "prefetch"].into_iter().flat_map(|l| ["stream", "prefetch", "broadcast"].map(|b| (l, b)));
    let ways: Vec<(&str, &str)> = ways.collect();
    let schedules = ways.iter().map(|(l, b)| format!("schedule {l}-{b}\nplace (i)   {l} L   {b} B\n"));
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join("ways.rec");
    fs::write(&path, format!("{text}{}", schedules.collect::<String>())).expect("written");
    let path = path.to_string_lossy();
    let mut programs = std::collections::BTreeSet::new();
    for (l, b) in &ways {
        let schedule = format!("{l}-{b}");
        let found = json(&["run", &path, "--schedule", &schedule, "--size", "N=7"]);
        assert_eq!((&found["prove"]["result"], &found["sim"]["cycles"]), (&"proved".into(), &13.into()), "{schedule}");
        assert_eq!(found["sim"]["matches_reference"], true, "{schedule}");
        let front = &found["search"]["front"][0];
        assert_eq!(front["fanout"], if *b == "broadcast" { 7 } else { 1 }, "{schedule}");
        let program = good(&["emit", &path, "--schedule", &schedule]);
        assert_eq!(program.contains("(bus B-link (direction 1) (latency 0))"), *b == "broadcast", "{schedule}");
        assert!(programs.insert(program), "{schedule} is the program of another schedule");
    }
}

/// The twin of `both-diagonals-of-hex.rec`: the same place on a network that has both.
#[test]
fn a_king_has_both_diagonals() {
    let path = format!("{FOLDER}/both-diagonals-of-hex.rec");
    let found = json(&["run", &path, "--schedule", "right", "--size", "N=4"]);
    assert_eq!((found["sim"]["cycles"].as_u64(), found["prove"]["result"].as_str()), (Some(5), Some("proved")));
    assert_eq!(found["sim"]["matches_reference"], true);
}

/// The twins of `rows-as-short-as-a-step.rec` and `rows-of-no-one-length.rec`: sums pass on forwards in the row, and rows
/// that begin at one time on a PE. Under the wrong ones `prove` has no design either: its proofs would hold.
#[test]
fn times_whose_rows_have_a_length_are_proved_and_run() {
    for (name, cycles) in [("rows-as-short-as-a-step", 10), ("rows-of-no-one-length", 12)] {
        let path = format!("{FOLDER}/{name}.rec");
        let found = json(&["run", &path, "--schedule", "right", "--size", "M=4,N=3,K=2,L=3"]);
        assert_eq!(
            (found["sim"]["cycles"].as_u64(), found["prove"]["result"].as_str()),
            (Some(cycles), Some("proved"))
        );
        assert_eq!(found["sim"]["matches_reference"], true);
        let short = json(&["run", &path, "--schedule", "right", "--size", "M=4,N=3,K=2,L=1"]);
        assert_eq!(short["sim"]["cycles"], short["search"]["front"][0]["cycles"], "rows of one step");
        assert!(
            refused(&["prove", &path, "--schedule", "wrong"]).contains("the schedule of `conv2d` contradicts itself")
        );
    }
}

/// Where a schedule gives the place, the search says how many times it could not look at: none with plain time.
#[test]
fn times_without_a_clock_are_counted_as_left_out() {
    let left_out = |kernel: &str, place: &str, size: &str| {
        let text = fs::read_to_string(format!("kernels/{kernel}.rec")).expect("a kernel");
        let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("placed-{kernel}.rec"));
        fs::write(&path, format!("{text}schedule placed\nplace {place}\n")).expect("written");
        let path = path.to_string_lossy();
        json(&["search", &path, "--schedule", "placed", "--size", size, "--steps", "0..1"])["left_out"].clone()
    };
    let diagonal = left_out("conv2d", "(i + k, j)", "M=2,N=2,K=2,L=2");
    assert!(diagonal["unclocked_times"].as_u64().is_some_and(|count| count > 0), "{diagonal}");
    assert_eq!(left_out("matmul", "(i + k, j)", "M=2,N=2,K=2"), serde_json::Value::Null);
}

/// The twin of `fold-of-pes-that-work-together.rec`: one PE fewer in a block. A kernel of one space folds as well.
#[test]
fn pes_that_work_in_turns_are_folded() {
    let path = format!("{FOLDER}/fold-of-pes-that-work-together.rec");
    let found = json(&["run", &path, "--schedule", "right", "--size", "N=7"]);
    let simulated = (found["sim"]["cycles"].as_u64(), found["sim"]["pes"].as_u64());
    assert_eq!((simulated, found["prove"]["result"].as_str()), ((Some(13), Some(4)), Some("proved")));
    assert_eq!(found["search"]["front"][0]["fold"][0]["factor"], 2);
    let path = product("folded.rec", "fold (2)").replace("time i + j", "");
    let found = json(&["run", &path, "--size", "M=5,N=6", "--fold", "2", "--objective", "pes", "--rank", "1"]);
    assert_eq!((found["sim"]["pes"].as_u64(), found["prove"]["result"].as_str()), (Some(3), Some("proved")));
    assert_eq!(found["sim"]["matches_reference"], true);
}

#[test]
fn every_impossible_schedule_is_refused_in_the_words_of_the_source() {
    let paths = cases(FOLDER, "rec");
    assert!(paths.len() >= 15, "only {} refusals are tested", paths.len());
    hold(&paths, |path| {
        let found = refuse(path);
        let is_placed = found.contains(".rec:");
        is_placed.then(|| found.clone()).ok_or(format!("{}: no place in the source:\n{found}", path.display()))
    });
}

/// A file of two spaces, whose results nothing reads, with one schedule.
fn pair(name: &str, directives: &str) -> String {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let kernel = "kernel pair(N)\nin  A[N, N], x[N], w[N]\nout y[N], z[N]\n\
        y[i] = sum(j in 0..N) A[i, j] * x[j]\nz[i] = sum(j in 0..N) A[i, j] * w[j]";
    fs::write(&path, format!("{kernel}\nschedule own\n{directives}\n")).expect("written");
    path.to_string_lossy().into_owned()
}

#[test]
fn a_result_of_several_spaces_may_be_given_its_way() {
    let way = |directives: &str| {
        let found = json(&["search", &pair("way.rec", directives), "--schedule", "own", "--size", "N=3"]);
        found["front"][0]["transport"]["y"].as_str().map(str::to_owned)
    };
    assert_eq!(way("stream y along j").as_deref(), Some("stream <j>"));
    assert_eq!(way("stream y along -j").as_deref(), Some("stream <-j>"));
    let across = pair("across.rec", "stream y along i");
    let message = refused(&["search", &across, "--schedule", "own", "--size", "N=3"]);
    assert!(message.contains("`y` cannot move along `i`: its elements change that way"), "{message}");
}

#[test]
fn what_a_schedule_names_moves_so_whatever_the_flags_leave() {
    let flags = ["--schedule", "own", "--size", "N=3", "--transports", "feed"];
    let x = |directives: &str| {
        let path = pair("named.rec", directives);
        let found = json(&[&["search", path.as_str()], &flags[..]].concat());
        found["front"][0]["transport"]["x"].as_str().map(str::to_owned)
    };
    assert_eq!(x("place (i)").as_deref(), Some("feed"));
    assert_eq!(x("place (i) stream x along i").as_deref(), Some("stream <i>"));
}
