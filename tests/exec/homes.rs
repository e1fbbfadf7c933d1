//! Operands that begin, and results that end, in a stated layout: what passes between workers for it, counted by the definition of
//! the layout over what the simulator shows; words that are prefetched; and how long a word takes from its home.

use super::owners::by_definition;
use super::programs::{DEALINGS, Way, inputs, program, settings, shown, sizes};
use super::tiles::tiled;
use ndarray::ArrayD;
use systole::array::{Code, Grid, Program, Tensors, Wiring, compile};
use systole::exec::{Owners, Settings, execute, predict};
use systole::integer::{Bindings, name};
use systole::machine::Cluster;
use systole::recurrence::Distribution;
use systole::sim;
use systole::sim::observe::{Event, Observer};
use systole::sim::{simulate, simulate_observed};

const SIZES: [[i64; 4]; 3] = [[7, 13, 11, 5], [1, 1, 1, 1], [8, 4, 12, 6]];

/// Which PE loads or stores which word, as the simulator shows: positions of the PE and of the array, and the address.
#[derive(Default)]
struct Touches {
    positions: Vec<usize>,
    seen: Vec<[usize; 3]>,
}

impl Observer for Touches {
    fn begin(&mut self, code: &Code, _: &Wiring) {
        self.positions = code.pes.iter().map(|pe| pe.position).collect();
    }

    fn see(&mut self, event: Event) {
        if let Event::Loaded { pe, array, address, .. } | Event::Stored { pe, array, address, .. } = event {
            self.seen.push([self.positions[pe], array, address]);
        }
    }
}

fn touches(program: &Program, sizes: &Bindings, inputs: &Tensors) -> Vec<[usize; 3]> {
    let mut touches = Touches::default();
    let simulated = simulate_observed(program, sizes, inputs, &sim::Settings::default(), &mut touches);
    simulated.unwrap_or_else(|faults| panic!("{}", shown(&faults)));
    touches.seen
}

/// How many of these words are not at home with the worker of the PE: its workers stand as those of the PEs, where they can.
fn abroad(code: &Code, touches: &[[usize; 3]], settings: &Settings, layout: Distribution) -> u64 {
    let pes = Owners::new(&code.grid, settings.workers, settings.distribution.unwrap_or_default());
    let is_abroad = |[pe, array, address]: &&[usize; 3]| {
        let extents = code.arrays[*array].shape.clone();
        let words = Grid { first: vec![0; extents.len()], extents };
        let arrangement = match words.extents.len() == code.grid.extents.len() {
            true => pes.arrangement().to_vec(),
            false => Owners::new(&words, settings.workers, layout).arrangement().to_vec(),
        };
        by_definition(&words, &arrangement, layout, *address) != pes.of(*pe)
    };
    touches.iter().filter(is_abroad).count() as u64
}

fn words(program: &Program, sizes: &Bindings, inputs: &Tensors, settings: &Settings) -> u64 {
    let execution = execute(program, sizes, inputs, settings);
    execution.unwrap_or_else(|faults| panic!("{settings:?} {}", shown(&faults))).counts.words
}

/// The program with a layout of one array, and of no other.
fn alone(program: &Program, array: usize, layout: Distribution) -> Program {
    let mut alone = program.clone();
    alone.arrays[array].layout = Some(layout);
    alone
}

fn hold(text: &str, way: &Way) {
    let (program, system) = (program(text), way.system());
    for each in SIZES {
        let sizes: Bindings = program.parameters.iter().cloned().zip(each).collect();
        let (code, inputs) = (compile(&program, &sizes).expect("code"), inputs(&system, &sizes));
        let touches = touches(&program, &sizes, &inputs);
        let of_workers = |workers: usize| {
            let loaded = Settings { workers, distribution: Some(Distribution::Cyclic), ..Settings::default() };
            let without = words(&program, &sizes, &inputs, &loaded);
            DEALINGS.map(|layout| (loaded.clone(), without, layout))
        };
        for (loaded, without, layout) in [2, 3, 4].into_iter().flat_map(of_workers) {
            let stated = Settings { layout: Some(layout), ..loaded.clone() };
            let found = words(&program, &sizes, &inputs, &stated) - without;
            assert_eq!(found, abroad(&code, &touches, &loaded, layout), "{way:?} at {sizes:?} with {stated:?}");
            for array in 0..program.arrays.len() {
                let alone = alone(&program, array, layout);
                let of_it: Vec<_> = touches.iter().filter(|[_, touched, _]| *touched == array).copied().collect();
                let found = words(&alone, &sizes, &inputs, &loaded) - without;
                assert_eq!(found, abroad(&code, &of_it, &loaded, layout), "{way:?} at {sizes:?}, {array} {layout}");
            }
        }
    }
}

/// What is prefetched is not among what the simulator shows.
#[test]
fn what_has_its_home_elsewhere_passes_once_for_each_load_and_store() {
    let texts = tiled().into_iter().step_by(3).map(|(way, _)| (way.emit(), way));
    let shown: Vec<(String, Way)> = texts.filter(|(text, _)| !text.contains("(prefetch")).collect();
    assert!(shown.len() >= 7, "{}", shown.len());
    shown.iter().for_each(|(text, way)| hold(text, way));
}

/// C stays where it has its home, and A enters at the first column of PEs: on a row of two workers, half of it comes from the other.
#[test]
fn a_layout_that_fits_costs_what_has_to_cross() {
    let flags = ["--tile", "i=2,j=2,k=2", "--schedule", "cannon"].map(str::to_owned).to_vec();
    let way = Way { kernel: "matmul".to_owned(), flags };
    let (program, sizes) = (program(&way.emit()), sizes(&[("M", 8), ("N", 8), ("K", 8)]));
    let inputs = inputs(&way.system(), &sizes);
    let loaded = Settings { workers: 2, arrangement: Some(vec![1, 2]), ..Settings::default() };
    let stated = Settings { layout: Some(Distribution::Block), ..loaded.clone() };
    let found = [loaded, stated].map(|settings| words(&program, &sizes, &inputs, &settings));
    // All of A crosses between the second and the third column, and 4 x 2 tiles of it come back to the first one before.
    assert_eq!(found, [16, 16 + 8]);
}

/// Every PE prefetches three words, reads them backwards, and twice the first.
const PREFETCHING: &str =
    "(program prefetching (version 1) (parameters N) (array X in (N)) (array Y out (N)) (grid (p 0 4))
  (class pe (guard) (prefetch (X p)) (prefetch (X (+ p 1))) (prefetch (X (+ p 2)))
    (local a (X (+ p 2))) (local b (X p)) (local c (X p)) (load d (X (+ p 1)))
    (let y (add (mul a b) (sub c d))) (store (Y p) y)
    (if ((= p 4)) ((store (Y (+ p 1)) a) (store (Y (+ p 2)) b)) ())))";

#[test]
fn what_is_prefetched_stays() {
    let (program, sizes) = (program(PREFETCHING), sizes(&[("N", 7)]));
    let values = (0..7).map(|entry| f64::from(entry) / 3.0).collect();
    let inputs = Tensors::from([(name("X"), ArrayD::from_shape_vec(vec![7], values).expect("a shape"))]);
    let simulated = simulate(&program, &sizes, &inputs, &sim::Settings::default()).expect("a run");
    for settings in settings() {
        let execution = execute(&program, &sizes, &inputs, &settings).expect("a run");
        assert_eq!(execution.outputs, simulated.outputs, "{settings:?}");
    }
    // PEs 0 to 2 and words 0 to 3 are the first worker's: it lacks X[4], and the other X[3], whose Y[3] has its home there.
    let settings = Settings { workers: 2, layout: Some(Distribution::Block), ..Settings::default() };
    assert_eq!(words(&program, &sizes, &inputs, &settings), 3);
}

/// The second of two PEs loads a word whose home is the other's worker, and stores one there: it asks, is given, and gives.
#[test]
fn a_word_from_its_home_takes_two_messages() {
    let program = program(
        "(program far (version 1) (array X in (2)) (array Y out (2)) (grid (p 0 1))
           (class near (guard (= p 0)))
           (class far (guard (= p 1)) (load x (X 0)) (store (Y 0) x) (store (Y 1) x)))",
    );
    let cluster = Cluster { message: 5.0, ..Cluster::default() };
    let seconds = |layout| {
        let settings = Settings { workers: 2, layout, ..Settings::default() };
        predict(&program, &sizes(&[]), &settings, &cluster).expect("a prediction").seconds
    };
    assert_eq!([None, Some(Distribution::Block)].map(seconds), [0.0, 15.0]);
}
