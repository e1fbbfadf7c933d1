//! Attention whose keys are split, as programs: derived from the naive text, searched, proved for all sizes, simulated, with the bits of its
//! own reference; and the cycles, counted by hand for the array that the search finds best.

use crate::common::few;
use crate::whole::object;
use serde_json::Value;

/// A form of a kernel of `kernels/naive`, and the array that is best for it.
struct Run<'a> {
    kernel: &'a str,
    /// What is asked of the axes.
    coordinates: &'a [&'a str],
    /// Flags of the search.
    flags: &'a [&'a str],
    size: &'a str,
}

/// Where the best design of a free search has its points, which takes minutes where spaces have four dimensions, and half a minute with it.
const BY_KEY: &str = "\nschedule by-key\nplace (i, j1, j2)\n";

/// How far a form may be from the naive text, relatively.
const CLOSE: f64 = 1e-12;

impl Run<'_> {
    /// Derives, searches, proves and simulates.
    fn go(&self) -> Value {
        let folder = tempfile::tempdir().unwrap();
        let form = folder.path().join("form.rec").display().to_string();
        let naive = format!("kernels/naive/{}.rec", self.kernel);
        let derived = object(&[&["derive", &naive][..], self.coordinates, &["-o", &form]].concat());
        assert!(derived["forms"][0]["difference"].as_f64().unwrap() < CLOSE, "{}", self.kernel);
        if self.flags.contains(&"by-key") {
            let text = std::fs::read_to_string(&form).unwrap() + BY_KEY;
            std::fs::write(&form, text).unwrap();
        }
        let sought = ["run", &form, "--size", self.size, "--objective", "cycles"];
        let found = object(&[&sought[..], self.flags].concat());
        assert_eq!((&found["prove"]["result"], &found["sim"]["matches_reference"]), (&"proved".into(), &true.into()));
        assert!(found["prove"]["obligations"].as_array().unwrap().iter().all(|one| one["result"] == "proved"));
        found
    }

    /// The cycles and the PEs of the run.
    fn cycles_and_pes(&self) -> (u64, u64) {
        let found = self.go();
        (found["sim"]["cycles"].as_u64().unwrap(), found["sim"]["pes"].as_u64().unwrap())
    }
}

#[test]
fn an_average_is_split_into_a_chain_of_blocks() {
    let plain = |size| Run { kernel: "soft_average", coordinates: &[], flags: &[], size }.cycles_and_pes();
    let chain =
        |size| Run { kernel: "soft_average", coordinates: &["--split", "j=PxW"], flags: &[], size }.cycles_and_pes();
    // A PE a key, and one more a query: score, maximum, sum and weighted sum of each of N queries, one key after the other.
    assert_eq!(
        [plain("N=2,M=6"), plain("N=2,M=12"), plain("N=3,M=6")],
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
    let (coordinates, flags) = (&["--split", "j=2xW"], &["--beam", "2"]);
    let tree = |size| Run { kernel: "soft_average", coordinates, flags, size }.cycles_and_pes();
    // A PE a query and key of a block, and one more where the weighted sum begins: a key a step, and 8 steps from score to quotient.
    for (size, expected) in few(&[("N=2,W=3", (3 + 8, 2 * (3 + 1))), ("N=2,W=6", (6 + 8, 2 * (6 + 1)))], 1) {
        assert_eq!(tree(size), *expected, "{size}");
    }
}

/// Keys and values of width D go round N queries, one PE on at each step; nobody begins later than another.
#[test]
fn attention_goes_round_in_a_ring() {
    let ring = |size| Run { kernel: "attention", coordinates: &["--rotate", "j=i"], flags: &[], size }.cycles_and_pes();
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
    let ring = |size| Run { kernel: "attention", coordinates: &["--rotate", "j=i"], flags, size };
    assert_eq!(ring("N=4,D=3").cycles_and_pes(), (2 * 4 + 6 * 3 + 4, 20));
    let found = ring("N=3,D=2").go();
    assert_eq!((&found["sim"]["cycles"], &found["sim"]["pes"]), (&(2 * 3 + 6 * 2 + 4).into(), &12.into()));
    // So many dataflows could have families beside each other in more ways than are looked at, and that is told.
    assert_eq!(found["search"]["left_out"]["beside"], 442);
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

/// One query: a PE a key, one more at the end, and M keys one after the other, D products and D weighted sums of each in turns.
#[test]
fn one_query_takes_a_key_after_the_other() {
    let plain = |size| Run { kernel: "decode_attention", coordinates: &[], flags: &[], size }.cycles_and_pes();
    assert_eq!([plain("M=6,D=3"), plain("M=12,D=2")], [(4 * 3 + 6, 7), (4 * 2 + 12, 13)]);
}

/// What Flash-Decoding does: all blocks at once, then their partial results one after the other. P + W in place of P W.
#[cfg(feature = "long-tests")]
#[test]
fn one_query_is_split_into_a_chain_of_blocks() {
    let coordinates = &["--split", "j=PxW"];
    let chain = |size| Run { kernel: "decode_attention", coordinates, flags: &["--rank", "2"], size }.cycles_and_pes();
    let expected = [("P=3,W=4,D=2", (6 * 2 + 3 + 4 + 5, 3 * 4)), ("P=2,W=4,D=3", (6 * 3 + 2 + 4 + 5, 2 * 4))];
    for (size, expected) in few(&expected, 1) {
        assert_eq!(chain(size), *expected, "{size}");
    }
}

#[test]
fn one_query_is_split_into_a_tree() {
    let tree = Run {
        kernel: "decode_attention",
        coordinates: &["--split", "j=2xW"],
        flags: &["--rank", "2"],
        size: "W=5,D=3",
    };
    // D products for a score, W keys of both blocks, D weighted sums, and 4 steps in between.
    assert_eq!(tree.cycles_and_pes(), (2 * 3 + 5 + 4, 2 * (5 + 1)));
}

/// Attention as it is with its keys in blocks, on a PE a query and key.
#[cfg(feature = "long-tests")]
fn by_key<'a>(coordinates: &'a [&'a str], size: &'a str) -> Run<'a> {
    Run { kernel: "attention", coordinates, flags: &["--rank", "3", "--schedule", "by-key"], size }
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
