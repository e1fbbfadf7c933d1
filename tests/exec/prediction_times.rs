//! How long a prediction takes a run to be: the makespan of a plain model on machines whose times are whole numbers, the sum of
//! the leaves on one worker, and never shorter where something takes longer.

use super::programs::{Way, inputs, program, shown};
use super::schedule::{ALPHA, makespan};
use proptest::prelude::*;
use std::sync::OnceLock;
use systole::array::{Program, Tensors};
use systole::exec::{Settings, execute, predict};
use systole::integer::{Bindings, name};
use systole::leaf::LeafBackend;
use systole::machine::{Cluster, Rate, Warmth};
use systole::recurrence::{Distribution, LeafOrder};
use systole::shared::Deadlock;

/// A kernel with tiles of side 2, sizes that are multiples of it, and how many functions each leaf applies, by hand.
struct Given {
    kernel: &'static str,
    flags: &'static [&'static str],
    sizes: [i64; 3],
    durations: &'static [(&'static str, u64)],
}

const CASES: [Given; 4] = [
    Given {
        kernel: "matmul",
        flags: &["--tile", "i=2,j=2,k=2", "--schedule", "cannon"],
        sizes: [6, 8, 10],
        durations: &[("C.sum", 16)],
    },
    Given {
        kernel: "matmul",
        flags: &["--tile", "i=2,j=2,k=2", "--schedule", "weight-stationary"],
        sizes: [8, 4, 6],
        durations: &[("C.sum", 16)],
    },
    // In a tile's row i there are i terms, two functions each, and two more for the element.
    Given {
        kernel: "trsm",
        flags: &["--tile", "r=2,i=2", "--schedule", "grid"],
        sizes: [6, 10, 0],
        durations: &[("X.sum", 16), ("X", 12)],
    },
    // On the diagonal the sums are of a triangle.
    Given {
        kernel: "cholesky",
        flags: &["--tile", "i=2", "--schedule", "grid"],
        sizes: [10, 0, 0],
        durations: &[("L.sum.2 on the diagonal", 12), ("L.sum.2", 16), ("L", 12), ("L.2 on the diagonal", 8)],
    },
];

impl Given {
    fn way(&self) -> Way {
        let flags = self.flags.iter().map(|flag| (*flag).to_owned()).collect();
        Way { kernel: self.kernel.to_owned(), flags }
    }
}

struct Case {
    program: Program,
    sizes: Bindings,
    inputs: Tensors,
    durations: Vec<(&'static str, u64)>,
}

fn cases() -> Vec<Case> {
    let case = |given: &Given| {
        let way = given.way();
        let program = program(&way.emit());
        let sizes: Bindings = program.parameters.iter().cloned().zip(given.sizes).collect();
        let inputs = inputs(&way.system(), &sizes);
        Case { program, sizes, inputs, durations: given.durations.to_vec() }
    };
    CASES.iter().map(case).collect()
}

impl Case {
    fn duration(&self, leaf: &str, pe: &[i64]) -> u64 {
        let special = format!("{leaf} on the diagonal");
        let is_special = |name: &str| name == special && pe[0] == pe[1];
        let known = self.durations.iter().find(|(name, _)| is_special(name) || *name == leaf);
        known.unwrap_or_else(|| panic!("`{leaf}` of {} is not counted by hand", self.program.kernel)).1
    }

    fn seconds(&self, settings: &Settings, cluster: &Cluster) -> f64 {
        let predicted = predict(&self.program, &self.sizes, settings, cluster);
        predicted.unwrap_or_else(|faults| panic!("{}", shown(&faults))).seconds
    }
}

/// A second for each function that a leaf applies; messages take so long.
fn whole_numbers(alpha: u64) -> Cluster {
    let mut cluster = Cluster { message: alpha as f64, ..Cluster::default() };
    cluster.rates.iter_mut().flatten().for_each(|rate| *rate = Rate::Constant(1e-9));
    cluster
}

fn all_settings() -> Vec<Settings> {
    let distributions = [Distribution::Block, Distribution::Cyclic, Distribution::BlockCyclic(2)];
    let each =
        [1, 2, 3, 4, 7].into_iter().flat_map(|workers| distributions.map(|distribution| (workers, distribution)));
    let with = |(workers, distribution): (usize, Distribution), capacity| {
        let distribution = Some(distribution);
        Settings { workers, distribution, capacity, ..Settings::default() }
    };
    let all: Vec<Settings> = each.flat_map(|way| [None, Some(9)].map(|capacity| with(way, capacity))).collect();
    let orders = [None, Some("steps"), Some("turns"), Some("steps:3"), Some("turns:2")];
    let orders = orders.map(|word| word.map(|word| LeafOrder::from_keyword(word).expect("an order")));
    orders.iter().flat_map(|order| all.iter().map(|way| Settings { order: *order, ..way.clone() })).collect()
}

#[test]
fn a_prediction_is_the_makespan_of_the_plain_model() {
    for case in cases() {
        for settings in all_settings() {
            let wanted =
                makespan(&case.program, &case.sizes, &case.inputs, &settings, &|leaf, pe| case.duration(leaf, pe));
            let found = case.seconds(&settings, &whole_numbers(ALPHA));
            assert_eq!(found, wanted as f64, "{} with {settings:?}", case.program.kernel);
        }
    }
}

/// In turns the second of two workers has its first rows of a solve's factor sooner; by steps panels of a factor run ahead; and several
/// updates of a tile together are for who waits for none of them.
#[test]
fn each_order_is_the_shortest_somewhere() {
    let orders = ["steps", "turns", "steps:3"].map(LeafOrder::from_keyword);
    let seconds = |given: usize, (arrangement, distribution): ([usize; 2], Distribution), sizes: &[(&str, i64)]| {
        let case = Case { sizes: sizes_of(sizes), ..cases().swap_remove(given) };
        let (workers, arrangement) = (arrangement.iter().product(), Some(arrangement.to_vec()));
        let way = Settings { workers, distribution: Some(distribution), arrangement, ..Settings::default() };
        orders.map(|order| case.seconds(&Settings { order, ..way.clone() }, &whole_numbers(ALPHA)))
    };
    let solve = seconds(2, ([2, 1], Distribution::Block), &[("R", 16), ("N", 32)]);
    assert!(solve[1] < solve[0] && solve[1] < solve[2], "{solve:?}");
    let of_two = seconds(3, ([1, 2], Distribution::Cyclic), &[("N", 10)]);
    assert!(of_two[0] < of_two[1], "{of_two:?}");
    let of_three = seconds(3, ([1, 3], Distribution::Cyclic), &[("N", 10)]);
    assert!(of_three[2] < of_three[0], "{of_three:?}");
}

fn sizes_of(sizes: &[(&str, i64)]) -> Bindings {
    sizes.iter().map(|(size, value)| (name(size), *value)).collect()
}

/// Counted by the tiles of each product, and for triangles of so many tiles a side.
#[test]
fn one_worker_takes_the_sum_of_its_leaves() {
    let found: Vec<f64> = cases().iter().map(|case| case.seconds(&Settings::default(), &whole_numbers(1000))).collect();
    let chol = |n: u64| {
        let pairs = n * (n - 1) / 2;
        let (below, on) = (n * (n - 1) * (n - 2) / 6, pairs);
        16 * below + 12 * on + 12 * pairs + 8 * n
    };
    let wanted = [16 * 3 * 4 * 5, 16 * 4 * 2 * 3, 16 * 3 * (5 * 4 / 2) + 12 * 3 * 5, chol(5)];
    assert_eq!(found, wanted.map(|sum| sum as f64));
}

fn product() -> &'static Case {
    static CASE: OnceLock<Case> = OnceLock::new();
    CASE.get_or_init(|| cases().swap_remove(0))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// On two workers with one border, where who goes first changes nothing but the waits.
    #[test]
    fn nothing_is_sooner_on_a_slower_cluster(
        alpha in 0.0..50.0f64, more in 0.0..50.0f64, beta in 0.0..2.0f64, rate in 0.1..10.0f64, slower in 0.1..1.0f64,
        gamma in 0.0..2.0f64
    ) {
        let cluster = |alpha: f64, beta: f64, rate: f64| {
            let mut cluster = whole_numbers(0);
            (cluster.message, cluster.byte) = (alpha, beta);
            cluster.rates[0][0] = Rate::Constant(rate * 1e-9);
            cluster
        };
        let on = |cluster: &Cluster| line().seconds(&Settings { workers: 2, ..Settings::default() }, cluster);
        let seconds = |alpha: f64, beta: f64, rate: f64| on(&cluster(alpha, beta, rate));
        let with_taken = |gamma: f64| on(&Cluster { taken: gamma, ..cluster(alpha, beta, rate) });
        let before = seconds(alpha, beta, rate);
        prop_assert!(seconds(alpha + more, beta, rate) >= before);
        prop_assert!(seconds(alpha, beta + more, rate) >= before);
        prop_assert!(seconds(alpha, beta, rate * slower) >= before);
        prop_assert!(with_taken(gamma) >= before);
    }
}

/// A product whose array has two PEs, one for each worker.
fn line() -> Case {
    let Case { program, inputs, durations, .. } = product();
    let sizes = sizes_of(&[("M", 2), ("N", 4), ("K", 12)]);
    Case { program: program.clone(), sizes, inputs: inputs.clone(), durations: durations.clone() }
}

/// By hand: the first PE has 6 leaves of 16 s one after the other, and hands each tile on before the leaf that uses it. The second
/// PE begins a leaf with every tile that is there; that it has taken one is said when the leaf before is done.
#[test]
fn two_pes_in_a_line_by_hand() {
    let settings = |capacity| Settings { workers: 2, capacity: Some(capacity), ..Settings::default() };
    // Tile k is there at 16 (k - 1) + 10, when the second PE is done with those before. It ends after the first knows all.
    assert_eq!(line().seconds(&settings(6), &whole_numbers(10)), 10.0 + 96.0);
    // With a message in 100 s it takes the last tile at 100 + 5 x 16, which the first knows 100 s later.
    assert_eq!(line().seconds(&settings(6), &whole_numbers(100)), 100.0 + 80.0 + 100.0);
}

/// By hand: two products of tiles of 256, half a MiB each, onto the same one. A and B are loaded, the tile they work onto is used a MiB and
/// a half after it was begun, and moves both ways. Where tiles are cold by half there, three quarters of the second product are. All five tiles are two MiB and a half:
/// in a run that is repeated those that are loaded or begun were touched that long ago.
#[test]
fn what_was_touched_long_ago_comes_out_of_memory() {
    let flags = ["--tile", "i=256,j=256,k=256", "--schedule", "cannon"].map(str::to_owned).to_vec();
    let program = program(&Way { kernel: "matmul".to_owned(), flags }.emit());
    let sizes = sizes_of(&[("M", 256), ("N", 256), ("K", 512)]);
    let last_of = |repeat: usize, reuse: [(u64, f64); 2]| {
        let mut cluster = Cluster::default();
        cluster.reuse[0] = reuse.to_vec();
        cluster.rates[0][0] = Rate::BySide(vec![(256, Warmth { cold: 1e-9, warm: 4e-9 })]);
        predict(&program, &sizes, &Settings { repeat, ..Settings::default() }, &cluster).expect("a prediction").seconds
    };
    let seconds = |reuse| last_of(1, reuse);
    let product = 2.0 * 256f64.powi(3);
    let (cold, warm) = (product, product / 4.0);
    let near = |found: f64, wanted: f64| assert!((found / wanted - 1.0).abs() < 1e-9, "{found} {wanted}");
    near(seconds([(1, 0.0), (2, 0.0)]), 2.0 * warm);
    near(seconds([(1, 0.0), (2, 1.0)]), cold + warm + (cold - warm) * 3.0 / 4.0);
    near(seconds([(1, 1.0), (2, 1.0)]), 2.0 * cold);
    near(seconds([(2, 0.0), (4, 1.0)]), cold + warm + (cold - warm) * 2.0 / 4.0);
    for repeat in [2, 5] {
        near(last_of(repeat, [(2, 0.0), (4, 1.0)]), 2.0 * warm + (cold - warm) * (1.0 + 2.0 / 4.0) / 4.0);
    }
}

/// Each number of a cluster makes a run longer that has to do with it.
#[test]
fn every_number_of_a_cluster_matters() {
    let settings = Settings { workers: 2, ..Settings::default() };
    let free = Cluster { message: 0.0, ..whole_numbers(0) };
    let before = line().seconds(&settings, &free);
    let slower: [fn(&mut Cluster); 6] = [
        |cluster| cluster.message = 1.0,
        |cluster| cluster.byte = 1.0,
        |cluster| cluster.taken = 1.0,
        |cluster| cluster.memory = 1.0,
        |cluster| cluster.operation = 1.0,
        |cluster| cluster.rates[0][0] = Rate::Constant(0.5e-9),
    ];
    for (number, slow) in slower.into_iter().enumerate() {
        let mut cluster = free.clone();
        slow(&mut cluster);
        assert!(line().seconds(&settings, &cluster) > before, "number {number}");
    }
    let cold = Rate::BySide(vec![(1, Warmth { cold: 0.5e-9, warm: 1e-9 })]);
    let mut farther = free.clone();
    farther.rates[0][0] = cold;
    assert_eq!(line().seconds(&settings, &farther), before, "all tiles are in the cache");
    farther.reuse[0] = vec![(1, 0.5)];
    assert!(line().seconds(&settings, &farther) > before, "some are not");
    let mut faster = free;
    faster.rates[1][0] = Rate::Constant(1.0);
    assert_eq!(line().seconds(&settings, &faster), before, "a library that is not asked for");
    assert!(line().seconds(&Settings { leaves: LeafBackend::Faer, ..settings }, &faster) < before);
}

#[test]
fn a_rate_that_is_not_known_is_refused_by_its_key() {
    let case = &cases()[3];
    let mut cluster = whole_numbers(1);
    (cluster.rates[1][0], cluster.rates[1][3]) = (Rate::Unknown, Rate::Unknown);
    let settings = Settings { leaves: LeafBackend::Faer, ..Settings::default() };
    let refused = predict(&case.program, &case.sizes, &settings, &cluster).expect_err("a refusal");
    let message = shown(&refused);
    assert!(message.contains("`faer.gemm`, `faer.potrf`") && message.contains("systole calibrate"), "{message}");
    // Loops need no rates of a library.
    assert!(predict(&case.program, &case.sizes, &Settings::default(), &cluster).is_ok());
}

/// A prediction stands still where a run does, and says who waits for whom.
#[test]
fn a_prediction_finds_the_deadlock_of_the_run() {
    let case = product();
    let mut program = case.program.clone();
    program.channels.iter_mut().for_each(|channel| channel.depth = 1);
    let broken = self::program(&CASES[0].way().emit().replacen("(send A-link A)", "", 1));
    for workers in [1, 2, 4] {
        let settings = Settings { workers, ..Settings::default() };
        let run = execute(&broken, &case.sizes, &case.inputs, &settings).expect("an outcome").deadlock;
        let predicted = predict(&broken, &case.sizes, &settings, &whole_numbers(1)).expect("an outcome").deadlock;
        let told = |deadlock: Option<Deadlock>| shown(&vec![deadlock.expect("a deadlock").to_diagnostic()]);
        assert_eq!(told(predicted), told(run), "{workers} workers");
        assert!(predict(&program, &case.sizes, &settings, &whole_numbers(1)).expect("an outcome").deadlock.is_none());
    }
}
