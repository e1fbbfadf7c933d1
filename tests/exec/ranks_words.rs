//! What ranks send of tiles, and what they do not send again: as much as a prediction says, in memory that was stated.

use super::command::Emitted;
use super::mpirun::mpirun;
use serde_json::Value;

/// Leaves take no time to speak of.
const MACHINE: &str =
    "[loops]\ngemm = 1e9\nsyrk = 1e9\ntrsm = 1e9\npotrf = 1e9\ngetrf = 1e9\ntrtri = 1e9\nother = 1e9\n";

/// A kernel in tiles on ranks whose PEs are distributed in turn.
fn run(kernel: &str, flags: &[&str], size: &str, ranks: usize) -> Value {
    let file = format!("kernels/{kernel}.rec");
    let emitted = Emitted::of(&file, flags);
    let machine = emitted.path("cluster.toml");
    std::fs::write(&machine, MACHINE).expect("written");
    let flags = ["--size", size, "--distribution", "cyclic", "--machine", &machine, "--reference", &file, "--json"];
    let ran = mpirun(ranks, &[&[&*emitted.program], &flags[..]].concat());
    assert_eq!((ran.code, &*ran.stderr), (Some(0), ""), "{kernel} on {ranks}");
    let found = ran.object();
    assert_eq!(found["rounding"], 0.0, "{kernel} on {ranks}");
    for key in ["words", "returned", "elements"] {
        assert_eq!(found[key], found["predicted"][key], "{key} of {kernel} on {ranks}");
    }
    let stated = found["memory"].as_array().expect("ranks").iter().map(|rank| rank["stated"].as_u64());
    assert_eq!(stated.max().flatten(), found["predicted"]["bytes"].as_u64(), "memory of {kernel} on {ranks}");
    found
}

const CHOLESKY: [&str; 4] = ["--tile", "i=4", "--schedule", "timed"];

/// 7 tiles a side, the last of 2: on two ranks each of the 21 tiles below the diagonal is sent once, and comes back on its other hops.
#[test]
fn a_factor_sends_each_tile_once() {
    let found = run("cholesky", &CHOLESKY, "N=26", 2);
    let words = found["words"].as_u64().expect("a count");
    assert_eq!((words, &found["returned"]), (56, &(56 - 21).into()));
    for rank in found["memory"].as_array().expect("ranks") {
        let bytes = |part: &Value| part.as_u64().expect("bytes");
        assert!(bytes(&rank["held"]["channels"]) <= bytes(&rank["channels"]), "{rank}");
    }
}

/// Its program says that PEs and arrays are distributed in turn; so it is run, and each word counted, as if flags said it.
#[test]
fn a_program_that_says_how_it_is_distributed_out_needs_no_flags() {
    let counts = |schedule: &str, flags: &[&str]| {
        let emitted = Emitted::of("kernels/cholesky.rec", &["--tile", "i=4", "--schedule", schedule]);
        let run = ["--size", "N=26", "--reference", "kernels/cholesky.rec", "--json"];
        let ran = mpirun(3, &[&[&*emitted.program], &run[..], flags].concat());
        assert_eq!((ran.code, &*ran.stderr), (Some(0), ""), "{schedule}");
        let found = ran.object();
        assert_eq!(found["rounding"], 0.0, "{schedule}");
        ["distribution", "layout", "words", "elements"].map(|key| found[key].clone())
    };
    let said = counts("block-cyclic", &[]);
    assert_eq!(said[..2], [Value::from("cyclic"), Value::from("cyclic")]);
    assert_eq!(said, counts("timed", &["--distribution", "cyclic", "--layout", "cyclic"]));
    assert_eq!(counts("block-cyclic", &["--distribution", "block"])[0], "block");
}

/// In a ring of three nobody hears from whom it sends to.
#[test]
fn what_does_not_go_back_is_sent() {
    assert_eq!(run("cholesky", &CHOLESKY, "N=26", 3)["returned"], 0);
}

/// Scores of 13 by 11 letters in tiles of 4, whose 4 rows are distributed in turn: across each of the 3 borders go the last rows of 3
/// tiles, which have 11 elements, and the corners of all but the last of these. The 3 tiles of letters go there too, 11 letters that
/// are sent once and are named from then on.
#[test]
fn of_a_tile_of_scores_a_row_and_a_corner_are_sent() {
    let found = run("smith_waterman", &["--tile", "i=4,j=4"], "M=13,N=11", 2);
    assert_eq!((&found["words"], &found["elements"]), (&(3 * 8).into(), &(3 * 13 + 11).into()));
}

/// Sweeps over a square in tiles of 4: no word has more than a side of a tile.
#[test]
fn of_a_tile_of_a_stencil_its_border_is_sent() {
    let found = run("jacobi2d", &["--tile", "i=4,j=4"], "N=14,T=3", 2);
    let [words, elements] = ["words", "elements"].map(|key| found[key].as_u64().expect("a count"));
    assert!(words > 0 && elements <= 4 * words, "{words} words with {elements} elements");
}

/// Running sums by hand: each PE needs the last element of the tile before its own.
const SUMS: &str = include_str!("../tiled/prefix.pe");

/// What keeps apart what a PE receives and what it stores.
const APART: [(&str, &str); 2] = [
    ("((recv S right)) ((let S 0))", "((recv T right)) ((let T 0))"),
    ("(call prefix (at p) S x)", "(call prefix (at p) T x)"),
];

/// What makes each PE hand on what it received to the next, which keeps it as Z.
const HANDED_ON: [(&str, &str); 3] = [
    ("(array S", "(array Z out (N) (axes (1 (- N 1) 3 0)))\n  (array S"),
    ("(leaf prefix", "(channel far (offset 1) (latency 1) (depth 1))\n  (leaf prefix"),
    (
        "(store (S p) S)",
        "(if ((>= p 1) (<= p (- (ceil (- N 1) 3) 1))) ((send far T)) ())
    (if ((>= p 2)) ((recv U far) (store (Z (- p 2)) U)) ())
    (if ((>= p (- (ceil (- N 1) 3) 1))) ((store (Z p) S)) ())
    (store (S p) S)",
    ),
];

/// A program and its equations on as many ranks as there are PEs: 13 elements in tiles of 1, 3, 3, 3 and 3.
fn sums(program: &str, outputs: &str, more: &str) -> Value {
    let folder = tempfile::tempdir().expect("a folder");
    let write = |name: &str, text: &str| {
        let path = folder.path().join(name);
        std::fs::write(&path, text).expect("written");
        path.display().to_string()
    };
    let equations = "S[i] = x[i]   where i <= 0\nS[i] = S[i - 1] + x[i]   where 1 <= i";
    let kernel = write("sums.rec", &format!("kernel prefix(N)\nin  x[N]\nout {outputs}\n{equations}\n{more}"));
    let ran = mpirun(5, &[&write("sums.pe", program), "--size", "N=13", "--reference", &kernel, "--json"]);
    // It says that nobody has proved the program.
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    let found = ran.object();
    assert_eq!(found["rounding"], 0.0);
    found
}

/// A tile that is handed on to who needs all of it is sent whole from the beginning.
#[test]
fn what_is_needed_further_on_is_sent() {
    let replaced = |text: String, (what, instead): &(&str, &str)| {
        assert_eq!(text.matches(what).count(), 1, "{what}");
        text.replace(what, instead)
    };
    let own = APART.iter().fold(SUMS.to_owned(), replaced);
    let found = sums(&own, "S[N]", "");
    assert_eq!((&found["words"], &found["elements"]), (&4.into(), &4.into()));
    let handed_on = HANDED_ON.iter().fold(own, replaced);
    let found = sums(&handed_on, "S[N], Z[N]", "Z[i] = S[i]\n");
    assert_eq!((&found["words"], &found["elements"]), (&(4 + 3).into(), &(10 + 7).into()));
}

#[test]
fn streams_of_other_kernels_come_back_as_well() {
    for (kernel, flags, size) in [
        ("matmul", &["--tile", "i=4,j=4,k=4", "--schedule", "cannon"], "M=15,N=14,K=13"),
        ("trsm", &["--tile", "r=4,i=4", "--schedule", "grid"], "N=14,R=15"),
        ("lu", &["--tile", "i=4", "--schedule", "timed"], "N=14"),
    ] {
        let found = run(kernel, flags, size, 2);
        assert!(found["returned"].as_u64().is_some_and(|returned| returned > 0), "{kernel}: {}", found["words"]);
    }
}
