//! `systole search`: what its flags let in and leave out.

use super::start::{good, json, misused, refused};
use serde_json::Value;

/// A search of a small matmul, with the whole front.
fn search(flags: &[&str]) -> Value {
    json(&[&["search", "kernels/matmul.rec", "--size", "M=4,N=4,K=4"], flags].concat())
}

fn front(found: &Value) -> &Vec<Value> {
    found["front"].as_array().expect("a list")
}

/// Ten spaces of up to four indices: on the flat array that is asked for each PE runs two of them in rounds.
#[test]
fn a_flat_array_runs_what_has_four_indices_in_rounds() {
    let found = json(&["search", "kernels/blocks/attention.rec", "--size", "N=4,R=2", "--rank", "2"]);
    let best = &front(&found)[0];
    assert_eq!(best["place"]["S.sum"].as_array().map(Vec::len), Some(2), "{best}");
    assert_eq!(best["step"]["S.sum"].as_array().map(Vec::len), Some(2), "{best}");
}

#[test]
fn the_best_by_default_is_the_textbook_array() {
    let found = search(&[]);
    let best = &front(&found)[0];
    assert_eq!((&best["cycles"], &best["pes"], &best["memory_words"]), (&10.into(), &16.into(), &32.into()));
    assert_eq!(best["fanout"], 1);
}

#[test]
fn each_objective_puts_its_own_count_first() {
    for (objective, key) in [
        ("cycles", "cycles"),
        ("pes", "pes"),
        ("words", "memory_words"),
        ("buffers", "buffers"),
        ("systolic", "memory_words"),
    ] {
        let found = search(&["--objective", objective]);
        let counts: Vec<u64> = front(&found).iter().filter_map(|design| design[key].as_u64()).collect();
        assert_eq!(counts.first(), counts.iter().min(), "{objective}");
    }
}

#[test]
fn the_front_does_not_depend_on_the_number_of_threads() {
    let [one, two] = ["1", "2"].map(|threads| search(&["--threads", threads])["front"].clone());
    assert_eq!(one, two);
}

#[test]
fn ranks_bounds_and_steps_are_kept_to() {
    let line = search(&["--rank", "1"]);
    assert!(front(&line).iter().all(|design| design["place"]["S"].as_array().is_some_and(|rows| rows.len() == 1)));
    let forward = search(&["--rank", "2", "--steps", "0..1", "--all"]);
    let entries = |design: &Value| design["step"]["S"].as_array().expect("a row").clone();
    let all = forward["all"].as_array().expect("a list");
    assert!(!all.is_empty() && all.iter().flat_map(entries).all(|entry| entry == 0 || entry == 1));
    let counts = ["1", "2"].map(|bound| search(&["--rank", "2", "--steps", "0..1", "--bound", bound])["maps"].as_u64());
    assert!(counts[0] < counts[1], "{counts:?}");
}

#[test]
fn transports_and_directions_of_reuse_are_kept_to() {
    let streams = search(&["--transports", "stream", "--reuse", "forward", "--all"]);
    let moves = |design: &Value| design["transport"].as_object().expect("an object").clone();
    let all = streams["all"].as_array().expect("a list");
    let words: Vec<String> = all.iter().flat_map(moves).map(|(_, word)| word.to_string()).collect();
    assert!(!words.is_empty() && words.iter().all(|word| word.starts_with("\"stream") && !word.contains('-')));
    let both = search(&["--transports", "stream", "--reuse", "both", "--all"]);
    assert!(both["designs"].as_u64() > streams["designs"].as_u64());
}

#[test]
fn every_design_of_several_spaces_is_listed_too() {
    let found = json(&["search", "kernels/smith_waterman.rec", "--size", "M=3,N=4", "--all"]);
    let all = found["all"].as_array().expect("a list");
    assert_eq!(Some(all.len() as u64), found["designs"].as_u64());
    let best = json(&["search", "kernels/smith_waterman.rec", "--size", "M=3,N=4"]);
    assert!(front(&best).iter().all(|design| all.contains(design)) && front(&best).len() < all.len());
}

#[test]
fn the_table_shows_as_many_designs_as_asked_for() {
    let text = good(&["search", "kernels/matmul.rec", "--size", "M=4,N=4,K=4", "--most", "3"]);
    assert_eq!(text.lines().filter(|line| line.contains("  t = ")).count(), 3, "{text}");
    assert!(text.contains("more: --most"), "{text}");
}

/// Every design of the front may be gone on with; the one that comes first is the one that is gone on with anyway.
#[test]
fn a_design_of_the_front_is_gone_on_with_by_its_number() {
    let flags = ["kernels/matmul.rec", "--size", "M=4,N=4,K=4"];
    let all = json(&[&["search"], &flags[..]].concat());
    let all = front(&all);
    for number in [0, 1, 10, all.len() - 1] {
        let with =
            |command: &'static str| [&[command], &flags[..], &["--design", &number.to_string()]].concat().join(" ");
        let words = |command: &'static str| with(command).split(' ').map(str::to_owned).collect::<Vec<_>>();
        let run = |command: &'static str| json(&words(command).iter().map(String::as_str).collect::<Vec<_>>());
        assert_eq!(front(&run("search"))[..], all[number..=number]);
        let ran = run("run");
        assert_eq!(
            (&ran["sim"]["cycles"], &ran["prove"]["result"]),
            (&all[number]["cycles"], &"proved".into()),
            "{number}"
        );
    }
    assert_eq!(good(&[&["emit"], &flags[..]].concat()), good(&[&["emit"], &flags[..], &["--design", "0"]].concat()));
    let beyond = misused(&[&["prove"], &flags[..], &["--design", "89"]].concat());
    assert!(beyond.contains("the front has 89 designs") && beyond.contains("from 0 to 88"), "{beyond}");
    let both = misused(&[&["search"], &flags[..], &["--design", "1", "--all"]].concat());
    assert!(both.contains("`--all` shows all"), "{both}");
}

/// Jacobi's sweep of a plane has six spaces: the start, the four edges, and the middle.
#[test]
fn what_is_beyond_a_limit_is_said() {
    let flags = ["search", "kernels/jacobi2d.rec", "--size", "T=2,N=2", "--rank", "2"];
    let table = good(&flags);
    assert!(table.contains("  left out  75 places not along the axes (more than 5 spaces)\n"), "{table}");
    let found = json(&flags);
    let others =
        ["placements", "partial_designs", "crowded_places", "unlisted_places", "dataflows", "beside", "streams"];
    let mut left_out: Value = others.into_iter().map(|key| (key, 0)).collect();
    left_out["slanted_places"] = 75.into();
    assert_eq!(found["left_out"], left_out);
    assert!(!good(&["search", "kernels/trisolve.rec", "--size", "N=4"]).contains("left out"));
}

/// Within a small budget the spaces of LU are searched one after the other, and what was not gone on with is said. The usual budget has
/// room for all of them.
#[test]
fn a_small_budget_searches_spaces_one_after_the_other() {
    let flags = ["search", "kernels/lu.rec", "--size", "N=4"];
    let found = [json(&flags), json(&[&flags[..], &["--budget", "100000"]].concat())];
    let cycles = found.each_ref().map(|found| front(found)[0]["cycles"].as_u64().expect("a count"));
    assert!(cycles[0] == 10 && cycles[0] <= cycles[1], "{cycles:?}");
    let partial = found.each_ref().map(|found| found["left_out"]["partial_designs"].as_u64());
    assert!(partial[0] == Some(0) && partial[1] > Some(0), "{partial:?}");
}

#[test]
fn the_objective_is_said_where_it_is_chosen() {
    let help = super::start::good(&["search", "--help"]).split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(
        help.contains(
            "`systolic` is for the shortest wires, then for the least product of the cycles and the square of the words"
        ),
        "{help}"
    );
}

/// The flag that a message says to raise, with its number.
fn raised(message: &str, flag: &str) -> Vec<String> {
    let said = message.split("search more: ").nth(1).unwrap_or_else(|| panic!("no next step in {message}"));
    let words = said.split([';', ',']).map(str::trim).find(|word| word.starts_with(flag));
    words.unwrap_or_else(|| panic!("no `{flag}` in {said}")).split(' ').map(str::to_owned).collect()
}

/// What is not found within limits is told with the limits, and never as what there is not; with the flags that the message says to raise
/// it is found. Steps of no entries leave sums of one space no time; a small budget leads the search of LU into a dead end.
/// Without memories, which give designs where links do not.
const LINKS: [&str; 2] = ["--transports", "stream,broadcast,prefetch,feed"];

#[test]
fn nothing_within_limits_is_told_with_the_limits_and_found_beyond() {
    let of_lu = [
        "designs of some of the spaces gone on with are 6 under each objective (--budget 60000)",
        "partial designs (too many to look at all",
    ];
    let cases: [(&[&str], &[&str], &str); 2] = [
        (
            &["kernels/polynomial_product.rec", "--size", "M=2,N=2", "--rank", "0"],
            &["ranks of arrays are 0 (--rank 0)"],
            "--rank",
        ),
        (
            &["kernels/lu.rec", "--size", "N=3", "--rank", "2", LINKS[0], LINKS[1], "--budget", "60000"],
            &of_lu,
            "--budget",
        ),
    ];
    for (flags, limits, flag) in cases {
        let message = refused(&[&["search"], flags].concat());
        let always = ["was found within these limits", "looked at", "entries of a place are -1..1 (--bound 1)"];
        for part in always.iter().chain(limits) {
            assert!(message.contains(part), "no `{part}` in {message}");
        }
        assert!(!message.contains("is legal among"), "{message}");
        let wider = raised(&message, flag);
        let (last, kept) = flags.split_last().expect("flags");
        assert_ne!(wider[1], *last);
        good(&[&["search"], &kept[..kept.len() - 1], &[&*wider[0], &*wider[1]]].concat());
    }
}

/// Every second element of a line is read: neither handed over nor streamed along a line, whatever the limits, so the message says what
/// is known. One PE keeps it.
#[test]
fn placements_without_a_dataflow_are_told_as_such() {
    let path = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join("every-second.rec");
    let text =
        "kernel every_second(N)\nin A[2*N]\nlocal Y[2*N]\nout X[N]\nY[i] = A[i] * 2\nX[k] = Y[2*k] + Y[2*k + 1]\n";
    std::fs::write(&path, text).expect("written");
    assert!(good(&["search", &path.to_string_lossy()]).contains("Y local"));
    std::fs::write(&path, format!("{text}schedule own\n  place (i)\n")).expect("written");
    let message = refused(&["search", &path.to_string_lossy(), "--schedule", "own"]);
    for part in ["has no link to where it is used", "`X` takes `Y`", "--bound 2"] {
        assert!(message.contains(part), "no `{part}` in {message}");
    }
}

/// The front as comma-separated values: the designs of `--json` in their order, each a row.
#[test]
fn the_front_is_written_as_a_table_for_other_programs() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("front.csv").display().to_string();
    for (kernel, sizes, more) in [
        ("kernels/matmul.rec", "M=3,N=3,K=3", &[][..]),
        ("kernels/matmul.rec", "M=2,N=2,K=2", &["--all", "--bound", "1", "--rank", "2", "--steps", "0..1"]),
        ("kernels/cholesky.rec", "N=4", &[]),
        ("kernels/naive/two_terms.rec", "N=4", &["--forms"]),
    ] {
        let found = json(&[&["search", kernel, "--size", sizes, "--csv", &path], more].concat());
        let text = std::fs::read_to_string(&path).unwrap();
        let mut rows = text.lines();
        let titles: Vec<&str> = rows.next().unwrap().split(',').collect();
        let designs = match (found["all"].as_array(), found["together"]["front"].as_array()) {
            (Some(all), _) => all,
            (None, Some(together)) => together,
            (None, None) => found["front"].as_array().unwrap(),
        };
        let keys: Vec<&str> = titles.iter().copied().filter(|title| *title != "design").collect();
        let costs: Vec<String> =
            designs.iter().map(|design| keys.iter().map(|key| format!("{},", design[*key])).collect()).collect();
        let rows: Vec<&str> = rows.collect();
        assert_eq!(rows.len(), designs.len());
        for (row, costs) in rows.iter().zip(costs) {
            assert!(row.starts_with(&costs) && row.len() > costs.len() + 3, "{row}: {costs}");
        }
    }
    let message = super::start::refused(&["search", "kernels/matmul.rec", "--csv", "no/such/folder.csv"]);
    assert!(message.contains("cannot write `no/such/folder.csv`"), "{message}");
}
