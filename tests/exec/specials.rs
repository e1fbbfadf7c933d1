//! What is not a number, infinities, both zeros and denormals on every path: what is not a number is in the same places, and all else has
//! the bits of the equations.

use super::command::{Emitted, systole};
use super::programs::{Way, inputs, program, same_bits, settings, shown};
use super::special_numbers::{FILLINGS, special_inputs};
use ndarray::{ArrayD, arr2};
use systole::array::{Program, Tensors};
use systole::exec::{Settings, execute};
use systole::integer::{Bindings, name};
use systole::leaf::LeafBackend;
use systole::recurrence::RecurrenceSystem;
use systole::scalar::Precision;
use systole::sim::simulate;
use systole::span::Source;
use systole::{recurrence, sim};

/// Kernels with flags that programs of them are written with. The sums are as written in every program here, so their bits are those of the equations.
const KERNELS: [(&str, &str, &[&str]); 16] = [
    // The case of `tiled-max-nan.rec` in issue 38: in tiles of one column the maximum of a row of NaN was minus infinity.
    ("greatest", "in x[N, K]\nout y[N]\ny[i] = max(k in 0..K) x[i, k]", &["--tile i=2,k=1", "--tile i=3,k=2"]),
    ("least", "in x[N, K]\nout y[N]\ny[i] = min(k in 0..K) x[i, k]", &["--tile i=2,k=1", "--tile i=2,k=3"]),
    ("total", "in x[N, K]\nout y[N]\ny[i] = sum(k in 0..K) x[i, k]", &["--tile i=2,k=1", "--tile i=3,k=2"]),
    ("product", "in x[N, K]\nout y[N]\ny[i] = prod(k in 0..K) x[i, k]", &["--tile i=2,k=1", "--tile i=3,k=2"]),
    (
        "dots",
        "in A[N, K], B[K, N]\nout C[N, N]\nC[i, j] = sum(k) A[i, k] * B[k, j]",
        &["--tile i=2,j=3,k=2", "--tile i=3,j=2,k=1"],
    ),
    // Where results come in through the array they start as neutral, and the first term takes their place.
    (
        "border",
        "in A[N, K], B[K, N]\nout C[N, N]\nC[i, j] = sum(k) A[i, k] * B[k, j]\nschedule stays\nplace (i, j)   time i + j + k   io boundary\nschedule moves\nplace (i, k)   time i + j + k   io boundary",
        &["--schedule stays", "--schedule moves"],
    ),
    ("shortest", "in A[N, K], B[K, N]\nout C[N, N]\nC[i, j] = min(k) (A[i, k] + B[k, j])", &["--tile i=2,j=3,k=2"]),
    (
        "before",
        "in A[N, N], x[N]\nout y[N]\ny[i] = sum(j in 0..i + 1) A[i, j] * x[j]",
        &["--tile i=2,j=2", "--tile i=3,j=3"],
    ),
    ("rest", "in A[N, N], b[N]\nout y[N]\ny[i] = b[i] - sum(j in 0..i) A[i, j]", &["--tile i=2,j=2"]),
    ("highest", "in A[N, N], b[N]\nout y[N]\ny[i] = max(b[i], max(j in 0..i) A[i, j])", &["--tile i=2,j=2"]),
    ("solve", "in A[N, N], b[N]\nout y[N]\ny[i] = b[i] - sum(j in 0..i) A[i, j] * y[j]", &["--tile i=2", "--tile i=3"]),
    (
        "running",
        "in x[N]\nout y[N]\ny[0] = x[0]\ny[i] = max(y[i - 1], x[i])   where 1 <= i",
        &["--tile i=2", "--tile i=3"],
    ),
    (
        "chosen",
        "in x[N, K], w[K]\nout y[N]\ny[i] = sum(k) select(x[i, k] < w[k], min(x[i, k], w[k]), -w[k])",
        &["--tile i=2,k=2", "--tile i=3,k=1"],
    ),
    (
        "compared",
        "in x[N, K], w[N, K]\nout y[N, K]\ny[i, k] = select(x[i, k] == w[i, k], x[i, k] != w[i, k], x[i, k] <= w[i, k]) - (w[i, k] < x[i, k])",
        &["--tile i=2,k=2"],
    ),
    (
        "scalars",
        "in x[N, K], w[N, K]\nout y[N, K]\ny[i, k] = select(x[i, k], max(abs(x[i, k]), -w[i, k]), min(sqrt(x[i, k]), pow(x[i, k], w[i, k]))) + recip(x[i, k]) / w[i, k]",
        &["--tile i=2,k=2"],
    ),
    (
        "declared",
        "in x[N, K]\nout y[N]\nlocal m[N], l[N]\nreduction span(m, l) with (a, b) = (max(m, a), min(l, b)) from (-infinity, infinity)\n(m[i], l[i]) = span(k) (x[i, k], x[i, k])\ny[i] = m[i] - l[i]",
        &["--tile i=2"],
    ),
];

const SIZES: [(i64, i64); 3] = [(7, 5), (1, 1), (4, 3)];

/// A kernel and its programs, the first without flags.
struct Case {
    system: RecurrenceSystem,
    programs: Vec<Program>,
}

impl Case {
    fn new((title, body, ways): (&str, &str, &[&str])) -> Case {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("k.rec").display().to_string();
        let parameters = if body.contains('K') { "N, K" } else { "N" };
        let text = format!("kernel {title}({parameters})\n{body}\n");
        std::fs::write(&path, &text).expect("written");
        let emit =
            |flags: &[&str]| program(&std::fs::read_to_string(Emitted::of(&path, flags).program).expect("a program"));
        let programs = std::iter::once(emit(&[]))
            .chain(ways.iter().map(|way| emit(&way.split(' ').collect::<Vec<_>>())))
            .collect();
        let system = recurrence::load(&Source::new("k.rec", &*text));
        Case { system: system.unwrap_or_else(|faults| panic!("{}", shown(&faults))), programs }
    }

    fn sizes(&self, (n, k): (i64, i64)) -> Bindings {
        let all = [(name("N"), n), (name("K"), k)];
        all.into_iter().filter(|(parameter, _)| self.system.parameters.contains(parameter)).collect()
    }

    fn meaning(&self, precision: Precision, sizes: &Bindings, inputs: &Tensors) -> Tensors {
        recurrence::evaluate_in(precision, &self.system, sizes, inputs)
            .unwrap_or_else(|faults| panic!("{}", shown(&faults)))
    }

    /// Calls with each program, sizes and inputs.
    fn each(&self, mut see: impl FnMut(usize, &Bindings, &Tensors)) {
        for number in 0..self.programs.len() {
            for (at, filling) in SIZES.into_iter().flat_map(|at| (0..2 * FILLINGS).map(move |filling| (at, filling))) {
                let sizes = self.sizes(at);
                see(number, &sizes, &special_inputs(&self.system, &sizes, filling));
            }
        }
    }
}

/// The simulator, and one to seven workers.
#[test]
fn special_numbers_are_the_same_on_every_path() {
    for kernel in KERNELS {
        let case = Case::new(kernel);
        let mut settings = settings().into_iter().cycle();
        case.each(|number, sizes, inputs| {
            let (program, expected) = (&case.programs[number], case.meaning(Precision::Double, sizes, inputs));
            let what = |found: &Tensors| {
                format!(
                    "{}, program {number} at {sizes:?}: {found:?} where the equations have {expected:?} for {inputs:?}",
                    kernel.0
                )
            };
            let simulated = simulate(program, sizes, inputs, &sim::Settings::default());
            let simulated = simulated.unwrap_or_else(|faults| panic!("{}", shown(&faults))).outputs;
            assert!(same_bits(&simulated, &expected), "{}", what(&simulated));
            let settings = settings.next().expect("an endless list");
            let found = execute(program, sizes, inputs, &settings);
            let found = found.unwrap_or_else(|faults| panic!("{}", shown(&faults))).outputs;
            assert!(same_bits(&found, &expected), "{settings:?} {}", what(&found));
        });
    }
}

#[test]
fn special_numbers_of_single_precision_are_the_same_on_every_path() {
    for kernel in KERNELS {
        let case = Case::new(kernel);
        case.each(|number, sizes, inputs| {
            let expected = case.meaning(Precision::Single, sizes, inputs);
            let settings = Settings { workers: 2, precision: Precision::Single, ..Settings::default() };
            let found = execute(&case.programs[number], sizes, inputs, &settings);
            let found = found.unwrap_or_else(|faults| panic!("{}", shown(&faults))).outputs;
            assert!(
                same_bits(&found, &expected),
                "{}, program {number} at {sizes:?}: {found:?} for {expected:?}",
                kernel.0
            );
        });
    }
}

/// By the rule that loses what is not a number the case of issue 38 is told from the right one: the comparison does not let it pass.
#[test]
fn a_maximum_that_loses_what_is_not_a_number_is_caught() {
    let x = arr2(&[[f64::NAN, 1.0], [2.0, f64::NAN], [1.0, 2.0], [f64::NAN, f64::NAN]]);
    let (case, sizes) = (Case::new(KERNELS[0]), Bindings::from([(name("N"), 4), (name("K"), 2)]));
    let inputs = Tensors::from([(name("x"), x.clone().into_dyn())]);
    let expected = Tensors::from([(name("y"), ndarray::arr1(&[f64::NAN, f64::NAN, 2.0, f64::NAN]).into_dyn())]);
    assert!(same_bits(&case.meaning(Precision::Double, &sizes, &inputs), &expected));
    for program in &case.programs {
        let found = simulate(program, &sizes, &inputs, &sim::Settings::default()).expect("an outcome").outputs;
        assert!(same_bits(&found, &expected), "{found:?}");
    }
    let lost = x.rows().into_iter().map(|row| row.iter().copied().fold(f64::NEG_INFINITY, f64::max));
    let lost: ArrayD<f64> = lost.collect::<ndarray::Array1<f64>>().into_dyn();
    assert!(!same_bits(&Tensors::from([(name("y"), lost)]), &expected));
}

/// `run` compares what a user gives it, also where that is not a number.
#[test]
fn a_run_on_given_numbers_is_compared() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = |name: &str| folder.path().join(name).display().to_string();
    std::fs::write(path("k.rec"), format!("kernel k(N, K)\n{}\n", KERNELS[0].1)).expect("written");
    let x = arr2(&[[f64::NAN, 1.0], [2.0, f64::NAN], [1.0, 2.0], [f64::NAN, f64::NAN]]);
    ndarray_npy::write_npy(path("x.npy"), &x).expect("written");
    let (kernel, input) = (path("k.rec"), format!("x={}", path("x.npy")));
    for tile in [&[][..], &["--tile", "i=2,k=1"]] {
        let ran = systole(&[&["run", &kernel, "--size", "N=4,K=2", "--input", &input], tile].concat());
        let (said, faults) = (String::from_utf8_lossy(&ran.stdout), String::from_utf8_lossy(&ran.stderr));
        assert!(said.contains("matches reference bit for bit"), "{said}{faults}");
    }
}

/// Kernels in tiles of which libraries do some, with what their inputs are.
const SERVED: [(&str, &[&str]); 6] = [
    ("matmul", &["--tile", "i=8,j=8,k=8"]),
    ("cholesky", &["--tile", "i=20,j=20,k=20"]),
    ("lu", &["--tile", "i=20,j=20,k=20"]),
    ("trisolve", &["--tile", "i=20,j=20"]),
    ("trsm", &["--tile", "i=20,j=20,r=9"]),
    ("triangular_inverse", &["--tile", "i=20,j=20,k=20"]),
];

/// One element of what a kernel assumes is spoilt: by a library the output is within rounding, and what is not finite is where the loops
/// have it, through all tiles after.
#[test]
fn libraries_keep_special_numbers_in_their_places() {
    let libraries = [
        LeafBackend::Faer,
        #[cfg(feature = "openblas")]
        LeafBackend::OpenBlas,
    ];
    for (kernel, flags) in SERVED {
        let way = Way { kernel: kernel.to_owned(), flags: flags.iter().map(|flag| (*flag).to_owned()).collect() };
        let (program, system) = (program(&way.emit()), way.system());
        let sizes: Bindings = program.parameters.iter().cloned().zip([45, 45, 45]).collect();
        for (turn, odd) in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, 0.0, -0.0, 3e-309].into_iter().enumerate() {
            let mut inputs = inputs(&system, &sizes);
            for (number, array) in inputs.values_mut().enumerate() {
                let place = (turn * 7919 + number * 211) % array.len();
                array.iter_mut().nth(place).into_iter().for_each(|element| *element = odd);
            }
            let by = |leaves| {
                let settings = Settings { workers: 2, leaves, ..Settings::default() };
                let execution = execute(&program, &sizes, &inputs, &settings);
                execution.unwrap_or_else(|faults| panic!("{}", shown(&faults)))
            };
            let expected = by(LeafBackend::Loops).outputs;
            for library in libraries {
                let found = by(library);
                assert!(found.counts.work.served.iter().sum::<u64>() > 0, "{kernel}");
                for (name, array) in &expected {
                    let is_kept = |(a, b): (&f64, &f64)| {
                        a == b || (a.is_nan() && b.is_nan()) || (a - b).abs() <= 1e-9 * a.abs().max(1.0)
                    };
                    let what = || format!("{library:?}: `{name}` of {kernel} with {odd}");
                    assert!(array.iter().zip(&found.outputs[name]).all(is_kept), "{}", what());
                }
            }
        }
    }
}

/// The same on ranks, which read and write files: on one and on three in turn, with the feature `long-tests` on both.
#[cfg(feature = "mpi")]
#[test]
fn special_numbers_are_the_same_on_ranks() {
    use super::mpirun::mpirun;
    use super::share::share;
    use systole::shared::npy;
    for kernel in share(KERNELS, 3) {
        let (case, folder) = (Case::new(kernel), tempfile::tempdir().expect("a folder"));
        let path = |name: &str| folder.path().join(name);
        for (number, program) in case.programs.iter().enumerate() {
            let (sizes, filling) = (case.sizes(SIZES[0]), number as u64 + FILLINGS);
            let inputs = special_inputs(&case.system, &sizes, filling);
            let expected = case.meaning(Precision::Double, &sizes, &inputs);
            std::fs::write(path("p.pe"), systole::array::print(program)).expect("written");
            let size: Vec<String> = sizes.iter().map(|(name, value)| format!("{name}={value}")).collect();
            let mut flags = vec![path("p.pe").display().to_string(), "--size".to_owned(), size.join(",")];
            for (name, array) in &inputs {
                npy::write(&path(name), array).expect("written");
                flags.extend(["--input".to_owned(), format!("{name}={}", path(name).display())]);
            }
            let outputs = expected.keys();
            flags.extend(outputs.flat_map(|name| ["--output".to_owned(), format!("{name}={}", path(name).display())]));
            let both = cfg!(feature = "long-tests");
            for ranks in [3, 1].into_iter().filter(|ranks| both || (*ranks == 1) == (number == 1)) {
                let ran = mpirun(ranks, &flags.iter().map(String::as_str).collect::<Vec<_>>());
                assert_eq!(ran.code, Some(0), "{}: {}", kernel.0, ran.stderr);
                let read = |name: &str, shape: &[usize]| npy::read(&path(name), Some(shape)).expect("an array");
                let found = expected.iter().map(|(name, array)| (name.clone(), read(name, array.shape()))).collect();
                assert!(same_bits(&found, &expected), "{} on {ranks}: {found:?} for {expected:?}", kernel.0);
            }
        }
    }
}
