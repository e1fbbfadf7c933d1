//! Layers of convolutional networks by the dataflows that have a name: what stays on a PE, and what leaves the array.

use super::start::{good, json, refused};

/// A layer of F filters over C channels, as SCALE-Sim and Eyeriss have it. Partial sums over channels run down a column, where
/// weights stay; they leave the array for a memory, of which one PE adds them up (the first TPU's array). Rows of weights stay where
/// sums over a row stay and run down a column of rows (Eyeriss).
const LAYER: &str = "\
kernel cnn(F, C, M, N, K, L)
in  W[F, C, K, L], X[C, M + K - 1, N + L - 1]
out Y[F, M, N]
Y[f, i, j] = sum(c, k, l) W[f, c, k, l] * X[c, i + k, j + l]

schedule weight-stationary
split sum(c, k, l) as sum(k, l) sum(c)
place (c, f)   prefetch W   memory Y.c

schedule accumulated
split sum(c, k, l) as sum(k, l) sum(c)
place (c, f)   time (k, l, i, j + c + f)   prefetch W   local Y

schedule output-stationary
place (f, i)

schedule output-stationary-timed
place (f, j)   time (i, c, k, f + j + l)

schedule row-stationary
place (k, i)   time (f, j, c, k + l)   prefetch W
";

/// One filter a channel.
const DEPTHWISE: &str = "\
kernel depthwise(C, M, N, K, L)
in  W[C, K, L], X[C, M + K - 1, N + L - 1]
out Y[C, M, N]
Y[c, i, j] = sum(k, l) W[c, k, l] * X[c, i + k, j + l]

schedule weight-stationary
split sum(k, l) as sum(l) sum(k)
place (c, k)   prefetch W   memory Y.k

schedule output-stationary
place (c, i)

schedule accumulated
place (c, i)   time (k, l, j)   local Y

schedule in-a-register
place (c, i)   time (k, l, j)

schedule row-stationary
place (k, i)   time (c, j, k + l)   prefetch W

schedule unsplit
place (c, k)   time (l, i, j + c + k)
";

/// G groups of F filters over C channels each.
const GROUPED: &str = "\
kernel grouped(G, F, C, M, N, K, L)
in  W[G, F, C, K, L], X[G, C, M + K - 1, N + L - 1]
out Y[G, F, M, N]
Y[g, f, i, j] = sum(c, k, l) W[g, f, c, k, l] * X[g, c, i + k, j + l]

schedule row-stationary
place (k, i)   time (g, f, j, c, k + l)   prefetch W

schedule output-stationary
place (i, j)   time (g, f, c, k, i + j + l)
";

fn holds(text: &str, schedule: &str, sizes: &str) -> serde_json::Value {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("layer.rec").to_str().unwrap().to_owned();
    std::fs::write(&path, text).unwrap();
    let ran = json(&["run", &path, "--schedule", schedule, "--size", sizes]);
    let said = (&ran["prove"]["result"], &ran["sim"]["matches_reference"]);
    assert_eq!(said, (&"proved".into(), &true.into()), "{schedule} at {sizes}");
    ran
}

#[test]
fn each_dataflow_of_a_layer_is_proved_and_run() {
    for (schedule, sizes, cycles, pes) in [
        ("output-stationary", "F=3,C=3,M=4,N=4,K=2,L=2", 50, 12),
        ("output-stationary", "F=2,C=3,M=3,N=2,K=2,L=1", 15, 6),
        ("output-stationary-timed", "F=3,C=3,M=4,N=4,K=2,L=2", 53, 12),
        ("output-stationary-timed", "F=2,C=1,M=3,N=2,K=2,L=3", 20, 4),
        ("row-stationary", "F=3,C=3,M=4,N=4,K=2,L=2", 73, 8),
        ("row-stationary", "F=2,C=2,M=3,N=5,K=3,L=2", 42, 9),
    ] {
        let ran = holds(LAYER, schedule, sizes);
        assert_eq!((&ran["sim"]["cycles"], &ran["sim"]["pes"]), (&cycles.into(), &pes.into()), "{schedule} at {sizes}");
    }
}

/// Of partial sums as many words leave the array as the dataflow says, one for each result and place in a filter, and all come back.
#[test]
fn weights_stay_and_sums_over_channels_leave_the_array() {
    for (sizes, filters, sums) in [("F=3,C=3,M=4,N=4,K=2,L=2", 9, 192), ("F=2,C=3,M=2,N=3,K=2,L=1", 6, 24)] {
        let ran = holds(LAYER, "weight-stationary", sizes);
        assert_eq!(ran["sim"]["pes"], filters, "{sizes}");
        let winner = &ran["search"]["front"][ran["search"]["winner"].as_u64().unwrap() as usize];
        let words = |array: &str, how: &str| ran["sim"]["memory_words"][array][how].as_i64().unwrap();
        let given = words("W", "prefetched") + words("X", "loaded") + words("X", "prefetched");
        assert_eq!(words("W", "loaded"), 0, "{sizes}: each PE has its weights from the beginning");
        assert_eq!(winner["memory_words"], given + 2 * sums, "{sizes}");
    }
}

#[test]
fn depthwise_and_grouped_layers_have_them_too() {
    for (schedule, sizes) in [
        ("weight-stationary", "C=2,M=3,N=3,K=2,L=2"),
        ("weight-stationary", "C=3,M=2,N=4,K=3,L=1"),
        ("output-stationary", "C=2,M=3,N=3,K=2,L=2"),
        ("row-stationary", "C=2,M=3,N=3,K=2,L=2"),
        ("row-stationary", "C=3,M=2,N=4,K=3,L=1"),
    ] {
        holds(DEPTHWISE, schedule, sizes);
    }
    for (schedule, sizes) in [
        ("row-stationary", "G=2,F=2,C=2,M=3,N=3,K=2,L=2"),
        ("row-stationary", "G=1,F=3,C=2,M=2,N=4,K=3,L=1"),
        ("output-stationary", "G=2,F=2,C=2,M=3,N=3,K=2,L=2"),
        ("output-stationary", "G=3,F=1,C=3,M=2,N=2,K=1,L=2"),
    ] {
        holds(GROUPED, schedule, sizes);
    }
}

/// G groups of F filters over C channels each, with a border of zeros that is in no memory.
const PADDED: &str = "\
kernel padded(G, F, C, M, N)
in  W[G, F, C, 3, 3], X[G, C, M, N]
out Y[G, F, M, N]
Y[g, f, i, j] = sum(c in 0..C, k in 0..3, l in 0..3) W[g, f, c, k, l] * (X[g, c, i + k - 1, j + l - 1] else 0)

schedule weight-stationary
split sum(c, k, l) as sum(k, l) sum(c)
place (c, f)   time (g, k, l, i, j + c + f)   prefetch W   local Y
";

/// The same in one dimension, with a time that adds up a column in one step.
const AT_ONCE: &str = "\
kernel padded(C, N)
in  W[C, 3], X[C, N]
out Y[N]
Y[j] = sum(c in 0..C, l in 0..3) W[c, l] * (X[c, j + l - 1] else 0)

schedule at-once
split sum(c, l) as sum(l) sum(c)
place (c)   time (l, j)   prefetch W   local Y
";

/// Whoever says a time has it: spaces are not slowed down so that they take turns.
#[test]
fn a_layer_with_a_border_keeps_the_time_that_is_said() {
    let ran = holds(PADDED, "weight-stationary", "G=2,F=2,C=2,M=3,N=3");
    assert_eq!((&ran["sim"]["cycles"], &ran["sim"]["pes"]), (&438.into(), &4.into()));
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("layer.rec").to_str().unwrap().to_owned();
    std::fs::write(&path, AT_ONCE).unwrap();
    let said = refused(&["run", &path, "--schedule", "at-once", "--size", "C=2,N=3"]);
    assert!(said.contains("the schedule of `padded` contradicts itself") && !said.contains("checker"), "{said}");
}

/// The twin: without a split the sums of a column have no end before the last weight, and a register is too small for them.
#[test]
fn sums_of_a_column_that_do_not_leave_it_are_refuted() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("layer.rec").to_str().unwrap().to_owned();
    std::fs::write(&path, DEPTHWISE).unwrap();
    let said = refused(&["prove", &path, "--schedule", "unsplit"]);
    assert!(said.contains("a register is too small for `Y`"), "{said}");
}

/// The array of the first TPU: sums over channels run down a column to an accumulator at its end, which has one for each result.
#[test]
fn partial_sums_wait_at_the_end_of_a_column() {
    for (sizes, least, results) in [("F=3,C=3,M=4,N=4,K=2,L=2", 64, 48), ("F=2,C=3,M=2,N=3,K=2,L=1", 12, 12)] {
        let ran = holds(LAYER, "accumulated", sizes);
        let cycles = ran["sim"]["cycles"].as_i64().unwrap();
        assert!(cycles >= least && cycles <= 2 * least + 8, "{sizes}: {cycles}");
        let words = |array: &str| ran["sim"]["memory_words"][array]["stored"].as_i64().unwrap();
        assert_eq!(words("Y"), results, "{sizes}: nothing but results leaves the array");
        let winner = &ran["search"]["front"][ran["search"]["winner"].as_u64().unwrap() as usize];
        assert!(winner["buffers"].as_i64().unwrap() >= results, "{sizes}");
    }
}

#[test]
fn partial_sums_wait_in_their_pe_where_a_register_is_too_small() {
    for (sizes, cycles) in [("C=2,M=3,N=3,K=2,L=2", 12), ("C=1,M=2,N=4,K=3,L=1", 12)] {
        assert_eq!(holds(DEPTHWISE, "accumulated", sizes)["sim"]["cycles"], cycles, "{sizes}");
    }
    // The twins: a register, and an order in which two partial sums of one result wait at once.
    let folder = tempfile::tempdir().unwrap();
    let file = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let [path, design, wrong] = ["layer.rec", "x.design", "wrong.design"].map(file);
    std::fs::write(&path, DEPTHWISE).unwrap();
    assert!(refused(&["prove", &path, "--schedule", "in-a-register"]).contains("a register is too small for `Y`"));
    good(&["emit", &path, "--schedule", "accumulated", "--stop-after", "design", "-o", &design]);
    let text = std::fs::read_to_string(&design).unwrap();
    good(&["prove", &design]);
    let line = text.lines().find(|line| line.contains("reduce along")).unwrap();
    let order = line.split("reduce along ").nth(1).unwrap().split("   ").next().unwrap();
    let levels: Vec<&str> = order.split(", ").collect();
    let changed = text.replace(order, &format!("{}, {}", levels[1], levels[0]));
    std::fs::write(&wrong, changed).unwrap();
    let said = refused(&["prove", &wrong]);
    assert!(said.contains("a scratchpad with one entry an element is too small for `Y`"), "{said}");
}

/// The spaces are what a split makes them, so where a place does not fit these the split is named beside it, and never the place alone.
#[test]
fn a_place_that_a_split_rules_out_is_named_with_it() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("depthwise.rec").display().to_string();
    let text = "kernel depthwise(C, M, N, K, L)\nin  W[C, K, L], X[C, M + K - 1, N + L - 1]\nout Y[C, M, N]\n\
                Y[c, i, j] = sum(k, l) W[c, k, l] * X[c, i + k, j + l]\n\nschedule s\n\
                split sum(k, l) as sum(l) sum(k)\nplace (c, l mod 2)\n";
    std::fs::write(&path, text).expect("written");
    let why = refused(&["run", &path, "--schedule", "s", "--size", "C=2,M=2,N=3,K=4,L=2"]);
    assert!(why.contains("no space of `depthwise` has all indices of (c, l mod 2)"), "{why}");
    assert!(why.contains("`split sum(k, l) as sum(l) sum(k)` (line 7)") && !why.contains("whatever else"), "{why}");
}
