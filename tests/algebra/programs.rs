//! Attention whose keys are split, as programs: derived from the naive text, searched, proved for all sizes, simulated, with the bits of its
//! own reference; and the cycles, counted by hand for the array that the search finds best.

use crate::common::few;
use crate::whole::object;
use serde_json::Value;
use std::path::Path;

/// A form of a kernel of `kernels/naive`, and the array that is best for it.
struct Run<'a> {
    kernel: &'a str,
    /// What is asked of the axes.
    coordinates: &'a [&'a str],
    /// Where the points are: there a search finds a design of as many cycles and PEs as a free one does. With nothing the search is free.
    place: Option<&'a str>,
    /// Flags of the search.
    flags: &'a [&'a str],
    size: &'a str,
}

/// A place that is given because a free search takes a minute; with the feature `long-tests` the search is free, and finds it.
fn unless_long(place: &str) -> Option<&str> {
    (!cfg!(feature = "long-tests")).then_some(place)
}

/// How far a form may be from the naive text, relatively.
const CLOSE: f64 = 1e-12;

impl Run<'_> {
    /// Derives, searches, proves and simulates.
    fn go(&self) -> Value {
        let folder = tempfile::tempdir().unwrap();
        self.go_in(folder.path())
    }

    /// The same, with the form and the program in this folder.
    fn go_in(&self, folder: &Path) -> Value {
        let [form, program] = files(folder);
        let naive = format!("kernels/naive/{}.rec", self.kernel);
        let derived = object(&[&["derive", &naive][..], self.coordinates, &["-o", &form]].concat());
        assert!(derived["forms"][0]["difference"].as_f64().unwrap() < CLOSE, "{}", self.kernel);
        let mut sought = vec!["run", &form, "--size", self.size, "--objective", "cycles", "--program", &program];
        if let Some(place) = self.place {
            let text = std::fs::read_to_string(&form).unwrap() + &format!("\nschedule placed\nplace {place}\n");
            std::fs::write(&form, text).unwrap();
            sought.extend(["--schedule", "placed"]);
        }
        let found = object(&[&sought[..], self.flags].concat());
        assert_eq!((&found["prove"]["result"], &found["sim"]["matches_reference"]), (&"proved".into(), &true.into()));
        assert!(found["prove"]["obligations"].as_array().unwrap().iter().all(|one| one["result"] == "proved"));
        found
    }

    /// The cycles and the PEs of the run.
    fn cycles_and_pes(&self) -> (u64, u64) {
        cycles_and_pes(&self.go()["sim"])
    }

    /// Those of the run, and of its program at other sizes, which needs no other search: it is proved for all sizes. With the feature
    /// `long-tests` each size is searched for by itself.
    fn cycles_and_pes_at(&self, others: &[&str]) -> Vec<(u64, u64)> {
        let folder = tempfile::tempdir().unwrap();
        let first = cycles_and_pes(&self.go_in(folder.path())["sim"]);
        let [form, program] = files(folder.path());
        let at = |size: &&str| {
            let simulated = object(&["sim", &program, "--size", size, "--reference", &form]);
            assert_eq!(simulated["matches_reference"], true, "{size}");
            let here = cycles_and_pes(&simulated);
            if cfg!(feature = "long-tests") {
                assert_eq!(Run { size, ..*self }.cycles_and_pes(), here, "{size}");
            }
            here
        };
        [vec![first], others.iter().map(at).collect()].concat()
    }
}

/// The form and the program of a run.
fn files(folder: &Path) -> [String; 2] {
    ["form.rec", "form.pe"].map(|name| folder.join(name).display().to_string())
}

fn cycles_and_pes(simulated: &Value) -> (u64, u64) {
    (simulated["cycles"].as_u64().unwrap(), simulated["pes"].as_u64().unwrap())
}

#[test]
fn an_average_is_split_into_a_chain_of_blocks() {
    let average = |coordinates, place, size| Run {
        kernel: "soft_average",
        coordinates,
        place: unless_long(place),
        flags: &[],
        size,
    };
    let plain = average(&[], "(i - j)", "N=2,M=6");
    let chain = |size| average(&["--split", "j=PxW"], "(i, j2)", size).cycles_and_pes();
    // A PE a key, and one more a query: score, maximum, sum and weighted sum of each of N queries, one key after the other.
    assert_eq!(
        plain.cycles_and_pes_at(&["N=2,M=12", "N=3,M=6"]),
        [(6 + 3 * 2, 6 + 2), (12 + 3 * 2, 12 + 2), (6 + 3 * 3, 6 + 3)]
    );
    // W keys of all blocks at once, then P partial results one after the other, in two turns: however many queries there are.
    let cycles = |blocks: u64, keys: u64| keys + 2 * blocks + 9;
    let expected =
        [("N=2,P=2,W=3", (cycles(2, 3), 8)), ("N=3,P=2,W=3", (cycles(2, 3), 12)), ("N=2,P=3,W=4", (cycles(3, 4), 16))];
    for (size, expected) in few(&expected, 1) {
        assert_eq!(chain(size), *expected, "{size}");
    }
}

#[test]
fn an_average_is_split_into_a_tree() {
    let coordinates = &["--split", "j=2xW"];
    let tree = |size| Run { kernel: "soft_average", coordinates, place: None, flags: &[], size }.cycles_and_pes();
    // A PE a query and key of a block, and one more where the weighted sum begins: a key a step, and 8 steps from score to quotient.
    for (size, expected) in few(&[("N=2,W=3", (3 + 8, 2 * (3 + 1))), ("N=2,W=6", (6 + 8, 2 * (6 + 1)))], 1) {
        assert_eq!(tree(size), *expected, "{size}");
    }
}

/// Keys and values of width D go round N queries, one PE on at each step; nobody begins later than another.
#[test]
fn attention_goes_round_in_a_ring() {
    let (coordinates, place) = (&["--rotate", "j=i"], unless_long("(i, t)"));
    let ring = |size| Run { kernel: "attention", coordinates, place, flags: &[], size }.cycles_and_pes();
    // A PE a query and turn: products of width D, then running maxima and sums, a turn of the ring later on the next PE, and weighted
    // sums. The sums begin from nothing, one PE before the first turn.
    let expected =
        [("N=4,D=3", (6 * 3 + 4 + 5, 20)), ("N=3,D=2", (6 * 2 + 3 + 5, 12)), ("N=5,D=2", (6 * 2 + 5 + 5, 30))];
    for (size, expected) in few(&expected, 1) {
        assert_eq!(ring(size), *expected, "{size}");
    }
}

/// The same with every input streamed.
#[test]
fn queries_keys_and_values_are_streamed_round_a_ring() {
    let flags = &["--transports", "stream"];
    let (coordinates, place) = (&["--rotate", "j=i"], unless_long("(i, t)"));
    let ring = |size| Run { kernel: "attention", coordinates, place, flags, size };
    assert_eq!(ring("N=4,D=3").cycles_and_pes(), (2 * 4 + 6 * 3 + 4, 20));
    let found = ring("N=3,D=2").go();
    assert_eq!((&found["sim"]["cycles"], &found["sim"]["pes"]), (&(2 * 3 + 6 * 2 + 4).into(), &12.into()));
    // So many dataflows could have families beside each other in more ways than are looked at, and that is told.
    let beside = if place.is_none() { 442 } else { 42 };
    assert_eq!(found["search"]["left_out"]["beside"], beside);
    // Each query is loaded once. Each PE has a row of keys and one of values at the start, and the last one loads again what leaves the first.
    let (queries, keys) = (3 * 2, (2 * 3 - 1) * 2);
    assert_eq!(found["search"]["front"][0]["memory_words"], queries + 2 * keys);
}

/// The one that ships, by the objective that nobody has to ask for: its spaces take turns, and none is slowed down.
#[test]
fn the_attention_that_ships_takes_turns() {
    let found = object(&["run", "kernels/flash_attention.rec", "--size", "N=4,M=4,D=2"]);
    assert_eq!((&found["sim"]["cycles"], &found["sim"]["matches_reference"]), (&27.into(), &true.into()));
    assert!(found["prove"]["obligations"].as_array().unwrap().iter().all(|one| one["result"] == "proved"));
}

/// One query: a PE a key and one a column of the values; M keys one after the other, whose D products and D weighted sums overlap.
#[test]
fn one_query_takes_a_key_after_the_other() {
    let run = |size| Run { kernel: "decode_attention", coordinates: &[], place: None, flags: &[], size };
    let plain = |size| run(size).cycles_and_pes();
    assert_eq!([plain("M=6,D=3"), plain("M=12,D=2")], [(2 * 3 + 6 + 2, 6 + 3), (2 * 2 + 12 + 2, 12 + 2)]);
}

/// What Flash-Decoding does: all blocks at once, then their partial results one after the other. P + W in place of P W.
#[cfg(feature = "long-tests")]
#[test]
fn one_query_is_split_into_a_chain_of_blocks() {
    let coordinates = &["--split", "j=PxW"];
    let run = |size| Run { kernel: "decode_attention", coordinates, place: None, flags: &["--rank", "2"], size };
    let chain = |size| run(size).cycles_and_pes();
    let expected = [("P=3,W=4,D=2", (6 * 2 + 3 + 4 + 5, 3 * 4)), ("P=2,W=4,D=3", (6 * 3 + 2 + 4 + 5, 2 * 4))];
    for (size, expected) in few(&expected, 1) {
        assert_eq!(chain(size), *expected, "{size}");
    }
}

/// A search of half a minute.
#[cfg(feature = "long-tests")]
#[test]
fn one_query_is_split_into_a_tree() {
    let tree = Run {
        kernel: "decode_attention",
        coordinates: &["--split", "j=2xW"],
        place: None,
        // Four times the default, which ends at a design of one cycle more.
        flags: &["--rank", "2", "--budget", "24000000"],
        size: "W=5,D=3",
    };
    // D products for a score, W keys of both blocks, D weighted sums, and 4 steps in between.
    assert_eq!(tree.cycles_and_pes(), (2 * 3 + 5 + 4, 2 * (5 + 1)));
}

/// Attention as it is with its keys in blocks, on a PE a query and key: a free search takes minutes where spaces have four dimensions, and
/// half a minute with that place.
#[cfg(feature = "long-tests")]
fn by_key<'a>(coordinates: &'a [&'a str], size: &'a str) -> Run<'a> {
    Run { kernel: "attention", coordinates, place: Some("(i, j1, j2)"), flags: &["--rank", "3"], size }
}

/// All queries at once, each as one query is split, and as many cycles however many queries there are.
#[cfg(feature = "long-tests")]
#[test]
fn attention_is_split_into_a_chain_of_blocks() {
    let cycles = |width: u64, blocks: u64, keys: u64| 6 * width + blocks + keys + 5;
    let expected = [
        ("N=2,B=3,W=3,D=2", (cycles(2, 3, 3), 2 * 3 * 3)),
        ("N=3,B=2,W=4,D=3", (cycles(3, 2, 4), 3 * 2 * 4)),
        ("N=1,B=1,W=1,D=1", (cycles(1, 1, 1), 1 + 1)),
    ];
    for (size, expected) in few(&expected, 1) {
        assert_eq!(by_key(&["--split", "j=BxW"], size).cycles_and_pes(), *expected, "{size}");
    }
}

#[cfg(feature = "long-tests")]
#[test]
fn attention_is_split_into_a_tree() {
    let expected =
        [("N=2,W=3,D=2", (2 * 2 + 3 + 4, 2 * 2 * (3 + 1))), ("N=3,W=4,D=3", (2 * 3 + 4 + 4, 3 * 2 * (4 + 1)))];
    for (size, expected) in few(&expected, 1) {
        assert_eq!(by_key(&["--split", "j=2xW"], size).cycles_and_pes(), *expected, "{size}");
    }
}
