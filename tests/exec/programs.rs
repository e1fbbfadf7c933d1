//! Programs that the compiler writes, with their kernels, and arrays for them.

use ndarray::{ArrayD, IxDyn};
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::process::Command;
use std::sync::{Arc, Mutex, OnceLock};
use systole::array::{Program, Tensors, parse};
use systole::diagnostic::{Diagnostics, render};
use systole::exec::Settings;
use systole::integer::Bindings;
use systole::recurrence;
use systole::recurrence::{Distribution, LeafOrder, RecurrenceSystem, Role};
use systole::span::Source;

/// A way to write a program from a kernel: what to say to `systole emit`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Way {
    pub kernel: String,
    pub flags: Vec<String>,
}

/// What is said where a kernel has no schedules.
const SEARCHES: [(&str, &[&str]); 5] = [
    ("flash_attention", &[]),
    ("mttkrp", &["--rank", "2", "--steps", "0..1"]),
    ("qr_givens", &[]),
    ("transitive_closure", &[]),
    ("ttm", &["--rank", "2", "--steps", "0..1"]),
];

/// Kernels whose spaces are so many that a search takes most of a minute.
pub const LONG: [&str; 3] = ["flash_attention", "qr_givens", "transitive_closure"];

/// Schedules that are wrong on purpose.
const REFUSED: [&str; 1] = ["too-fast"];

fn root() -> PathBuf {
    PathBuf::from(env!("SYSTOLE_ROOT"))
}

fn text(kernel: &str) -> String {
    std::fs::read_to_string(root().join(format!("kernels/{kernel}.rec"))).expect("a kernel")
}

/// Every kernel of the repository, in the order of the names.
pub fn kernels() -> Vec<String> {
    let entries = std::fs::read_dir(root().join("kernels")).expect("a folder");
    let names = entries.map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned());
    let mut names: Vec<String> = names.filter_map(|name| Some(name.strip_suffix(".rec")?.to_owned())).collect();
    names.sort();
    names
}

/// The right schedules of a kernel, or the search where it has none.
pub fn ways(kernel: &str) -> Vec<Way> {
    let way = |flags: Vec<String>| Way { kernel: kernel.to_owned(), flags };
    if let Some((_, flags)) = SEARCHES.iter().find(|(name, _)| *name == kernel) {
        return vec![way(flags.iter().map(|flag| (*flag).to_owned()).collect())];
    }
    let text = text(kernel);
    let schedules = text.lines().filter_map(|line| line.strip_prefix("schedule "));
    let right = schedules.map(|rest| rest.split(' ').next().unwrap_or(rest)).filter(|name| !REFUSED.contains(name));
    right.map(|name| way(vec!["--schedule".to_owned(), name.to_owned()])).collect()
}

impl Way {
    /// The program, which is written once for all tests that take it: some searches take seconds.
    pub fn emit(&self) -> String {
        static WRITTEN: Mutex<BTreeMap<Way, Arc<OnceLock<String>>>> = Mutex::new(BTreeMap::new());
        let mut written = WRITTEN.lock().expect("nothing fails while it is held");
        let text = Arc::clone(written.entry(self.clone()).or_default());
        drop(written);
        text.get_or_init(|| self.write()).clone()
    }

    fn write(&self) -> String {
        let mut command = Command::new(env!("CARGO_BIN_EXE_systole"));
        let kernel = format!("kernels/{}.rec", self.kernel);
        let output = command.arg("emit").arg(kernel).args(&self.flags).current_dir(root()).output();
        let output = output.expect("the program starts");
        assert!(output.status.success(), "{self:?}: {}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).expect("text")
    }

    /// The equations.
    pub fn system(&self) -> RecurrenceSystem {
        recurrence::load(&Source::new("kernel.rec", text(&self.kernel)))
            .unwrap_or_else(|faults| panic!("{}", shown(&faults)))
    }
}

/// A program that must parse.
pub fn program(text: &str) -> Program {
    parse("test.pe", text).unwrap_or_else(|faults| panic!("{}", shown(&faults)))
}

/// Messages as the user sees them.
pub fn shown(faults: &Diagnostics) -> String {
    render(faults, false)
}

/// Sizes by name.
pub fn sizes(pairs: &[(&str, i64)]) -> Bindings {
    pairs.iter().map(|(key, value)| (systole::integer::name(key), *value)).collect()
}

/// Inputs without a pattern, in -1 to 1, as the kernel assumes them; their sums depend on the order.
pub fn inputs(system: &RecurrenceSystem, sizes: &Bindings) -> Tensors {
    let inputs = system.tensors.iter().filter(|tensor| tensor.role == Role::Input);
    let filled = inputs.enumerate().map(|(number, tensor)| {
        let shape: Vec<usize> =
            tensor.shape.iter().map(|side| side.evaluate(sizes).expect("a size") as usize).collect();
        let values = filled(number, &shape);
        (tensor.name.clone(), tensor.assumption.map_or(values.clone(), |assumption| assumption.impose(values)))
    });
    filled.collect()
}

/// Values in -1 to 1 without a pattern.
pub fn filled(seed: usize, shape: &[usize]) -> ArrayD<f64> {
    let mut state = seed as u64 + 1;
    ArrayD::from_shape_simple_fn(IxDyn(shape), || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    })
}

/// Equal shapes and equal bits, all NaNs counting as one.
pub fn same_bits(left: &Tensors, right: &Tensors) -> bool {
    let same = |(a, b): (&f64, &f64)| a.to_bits() == b.to_bits() || (a.is_nan() && b.is_nan());
    left.len() == right.len()
        && left.iter().all(|(name, array)| {
            right
                .get(name)
                .is_some_and(|other| array.shape() == other.shape() && array.iter().zip(other.iter()).all(same))
        })
}

/// Every kind of distribution.
pub const DEALINGS: [Distribution; 3] = [Distribution::Block, Distribution::Cyclic, Distribution::BlockCyclic(2)];

/// One, two, three and seven workers, each with every kind of distribution, and with every layout and every order of tiles in turn.
pub fn settings() -> Vec<Settings> {
    let layouts = [None].into_iter().chain(DEALINGS.map(Some)).cycle();
    let each = [1, 2, 3, 7].into_iter().flat_map(|workers| DEALINGS.map(|distribution| (workers, distribution)));
    let orders = LeafOrder::WORDS.map(LeafOrder::from_keyword).into_iter().chain([None]).cycle();
    let with = |(((workers, distribution), layout), order)| {
        let distribution = Some(distribution);
        Settings { workers, distribution, layout, order, ..Settings::default() }
    };
    each.zip(layouts).zip(orders).map(with).collect()
}
