//! What is computed may come over a bus, or stream both ways from where it is computed: from the text to runs on all back ends.

use super::start::{good, json, refused};
use serde_json::Value;

const PATHS: &str = "\
# Shortest paths, by Floyd and Warshall.
kernel paths(N)
in  W[N, N] is positive
out D[N, N]
local P[N + 1, N, N]
P[0, i, j] = W[i, j]
P[k, i, j] = min(P[k - 1, i, j], P[k - 1, i, k - 1] + P[k - 1, k - 1, j])   where 1 <= k
D[i, j] = P[N, i, j]

schedule both
stream P both i, j

schedule bus
place (i, j)   broadcast P
";

const STATES: &str = "\
# The likeliest ways through hidden states, by Viterbi.
kernel states(T, S)
in  A[S, S], E[T, S], p[S]
out V[T, S]
V[0, s] = p[s] + E[0, s]
V[t, s] = E[t, s] + max(r in 0..S) (V[t - 1, r] + A[r, s])   where 1 <= t

schedule bus
place (s)   broadcast V
";

fn file(name: &str, text: &str) -> (tempfile::TempDir, String, String) {
    let folder = tempfile::tempdir().expect("a folder");
    let path = |name: &str| folder.path().join(name).to_string_lossy().into_owned();
    let (kernel, program) = (path(&format!("{name}.rec")), path(&format!("{name}.pe")));
    std::fs::write(&kernel, text).expect("written");
    (folder, kernel, program)
}

/// Runs a design, on threads too, and says how many cycles it took on how many PEs.
fn held((kernel, program): (&str, &str), flags: &[&str], size: &str) -> (u64, u64) {
    let asked = [flags, &["--size", size]].concat();
    let found = json(&[&["run", kernel][..], &asked].concat());
    assert_eq!(found["sim"]["matches_reference"], true, "{flags:?}");
    assert_eq!(found["prove"]["result"], "proved", "{flags:?}");
    good(&[&["emit", kernel, "-o", program][..], &asked].concat());
    for shape in ["star", "chain"] {
        let ran = ["exec", program, "--size", size, "--threads", "3", "--reference", kernel, "--broadcast", shape];
        assert!(good(&ran).contains("bit for bit"), "{flags:?}");
    }
    let number = |value: &Value| value.as_u64().expect("a number");
    (number(&found["sim"]["cycles"]), number(&found["sim"]["pes"]))
}

/// The least for this text: 5N - 4 cycles for the paths, and one more for each copy of a matrix.
#[test]
fn shortest_paths_stream_both_ways() {
    let (_folder, kernel, program) = file("paths", PATHS);
    for n in [1, 4, 7] {
        let size = format!("N={n}");
        let at = |flags: &[&str]| held((&kernel, &program), flags, &size);
        assert_eq!(at(&["--schedule", "both"]), ((5 * n - 2).max(3), n * n), "N = {n}");
        assert_eq!(at(&["--schedule", "bus"]), (n + 2, n * n), "N = {n}");
    }
    assert_eq!(held((&kernel, &program), &[], "N=7"), (33, 49), "nobody has to ask for it");
    assert_eq!(held((&kernel, &program), &["--objective", "cycles"], "N=7"), (9, 49));
}

#[test]
fn states_hear_of_each_other_over_a_bus() {
    let (_folder, kernel, program) = file("states", STATES);
    for flags in [["--schedule", "bus"], ["--objective", "cycles"]] {
        assert_eq!(held((&kernel, &program), &flags, "S=6,T=5"), (29, 6), "{flags:?}");
    }
}

/// A design says which spaces are cut, and is the same design when it is read.
#[test]
fn a_design_with_cut_spaces_reads_back() {
    let (_folder, kernel, program) = file("paths", PATHS);
    let spaces = program.replace(".pe", ".spaces");
    good(&["emit", &kernel, "--schedule", "both", "--size", "N=4", "--stop-after", "spaces", "-o", &spaces]);
    let text = std::fs::read_to_string(&spaces).expect("written");
    assert!(text.contains("stream P both i, j") && text.contains("space P.2.below.at"), "{text}");
    assert!(good(&["check", &spaces]).contains("all as the kernel gives them under its design"));
    good(&["emit", &spaces, "--size", "N=4", "-o", &program]);
    let ran = json(&["exec", &program, "--size", "N=5", "--reference", &kernel]);
    assert_eq!(ran["matches_reference"], true);
}

/// Tensor times matrix at a place, in rows.
fn rows_on_buses(place: &str) -> String {
    format!(
        "kernel rows(I, J, K, L)\nin X[I, J, L], U[K, L]\nout Y[I, J, K]\nY[i, j, k] = sum(l) X[i, j, l] * U[k, l]\n\n\
         schedule s\nplace {place}   time (i, l)\nbroadcast X along k\nfeed U\n"
    )
}

/// A row is as long as a PE is busy in it, so PEs may be in different rows at one time. Where a PE has all of a row nobody on its bus is
/// in another one. The twin: PEs at slanted places have a part of each row, and two of them drive one bus in one cycle.
#[test]
fn rows_that_overlap_on_a_bus_are_refuted() {
    let flags = ["--schedule", "s", "--size", "I=2,J=3,K=2,L=3"];
    let (_folder, kernel, _) = file("rows", &rows_on_buses("(j, k)"));
    let ran = json(&[&["run", &kernel][..], &flags].concat());
    assert_eq!((&ran["prove"]["result"], &ran["sim"]["matches_reference"]), (&"proved".into(), &true.into()));
    let (_folder, kernel, _) = file("rows", &rows_on_buses("(i + j, i + j - k - l)"));
    let said = refused(&[&["prove", &kernel][..], &flags].concat());
    for words in ["refuted: two words of `X` are on one bus at one time", "smallest case I = 2, J = 2, K = 1, L = 2"] {
        assert!(said.contains(words), "no `{words}` in\n{said}");
    }
}
