//! Runs in single precision: the bits of the equations where every number is rounded to it, and half of the bytes.

use super::command::{Emitted, exec, misused};
use super::programs::{Way, inputs, same_bits, shown, ways};
use ndarray::{Array2, ArrayD};
use ndarray_npy::{read_npy, write_npy};
use serde_json::Value;
use systole::array::{Program, Tensors};
use systole::exec::{Settings, check_measured, execute, predict};
use systole::integer::Bindings;
use systole::recurrence;
use systole::recurrence::RecurrenceSystem;
use systole::scalar::Precision;

const SIZE: [&str; 2] = ["--size", "M=4,N=6,K=5"];

/// Whether elements are as far apart as a tolerance says at most, relative to those beyond 1.
pub fn is_close(found: &Tensors, wanted: &Tensors, tolerance: f64) -> bool {
    let is_near = |(found, wanted): (&f64, &f64)| (found - wanted).abs() <= tolerance * wanted.abs().max(1.0);
    wanted.iter().all(|(name, array)| found[name].iter().zip(array).all(is_near))
}

/// Holds a program in single precision to the equations: to their bits where sums run in their order.
pub fn hold_singles(
    (way, program, system): (&Way, &Program, &RecurrenceSystem),
    sizes: &Bindings,
    is_as_written: bool,
) {
    let inputs = inputs(system, sizes);
    let meaning = recurrence::evaluate_in(Precision::Single, system, sizes, &inputs);
    let meaning = meaning.unwrap_or_else(|faults| panic!("{way:?} at {sizes:?}: {}", shown(&faults)));
    let settings = Settings { workers: 2, precision: Precision::Single, ..Settings::default() };
    let execution = execute(program, sizes, &inputs, &settings);
    let found = execution.unwrap_or_else(|faults| panic!("{way:?} at {sizes:?}: {}", shown(&faults))).outputs;
    let is_right = if is_as_written { same_bits(&found, &meaning) } else { is_close(&found, &meaning, 1e-4) };
    assert!(is_right, "{way:?} at {sizes:?} in single precision");
    let are_singles =
        |array: &ArrayD<f64>| array.iter().all(|value| value.is_nan() || f64::from(*value as f32) == *value);
    assert!(found.values().all(are_singles), "{way:?} at {sizes:?}");
}

/// Numbers that singles do not hold.
fn factor(rows: usize, columns: usize, seed: usize) -> Array2<f64> {
    Array2::from_shape_fn((rows, columns), |(i, j)| ((i * 31 + j * 17 + seed) % 97) as f64 / 97.0 - 0.4)
}

/// A product in the order of the program, by the processor's own singles.
fn product(a: &Array2<f64>, b: &Array2<f64>) -> Array2<f32> {
    let [a, b] = [a, b].map(|factor| factor.mapv(|value| value as f32));
    Array2::from_shape_fn((a.nrows(), b.ncols()), |(i, j)| {
        let terms = (0..a.ncols()).map(|k| a[[i, k]] * b[[k, j]]);
        terms.reduce(|sum, term| sum + term).expect("a term")
    })
}

/// A program with two factors in files, and the flags that name these.
fn with_factors(emitted: &Emitted) -> (Vec<String>, [Array2<f64>; 2]) {
    let factors = [factor(4, 5, 3), factor(5, 6, 8)];
    for (name, array) in ["a.npy", "b.npy"].into_iter().zip(&factors) {
        write_npy(emitted.path(name), array).expect("written");
    }
    let named = [format!("A={}", emitted.path("a.npy")), format!("B={}", emitted.path("b.npy"))];
    (named.into_iter().flat_map(|file| ["--input".to_owned(), file]).collect(), factors)
}

#[test]
fn a_product_has_the_bits_of_the_processors_singles() {
    let emitted = Emitted::new("matmul");
    let (files, [a, b]) = with_factors(&emitted);
    let target = format!("C={}", emitted.path("c.npy"));
    let files: Vec<&str> = files.iter().map(String::as_str).collect();
    let flags = ["--precision", "single", "--threads", "2", "--reference", "kernels/matmul.rec", "--json"];
    let output = exec(&emitted, &[&SIZE[..], &flags, &files, &["--output", &target]].concat());
    let object: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    assert_eq!((&object["precision"], &object["rounding"]), (&"single".into(), &0.0.into()));
    let found: Array2<f32> = read_npy(emitted.path("c.npy")).expect("elements of single precision");
    assert_eq!(found.mapv(f32::to_bits), product(&a, &b).mapv(f32::to_bits));
    // In double precision, and rounded at the end, it is another one.
    assert_ne!(found, a.dot(&b).mapv(|value| value as f32));
}

#[test]
fn singles_take_half_of_the_bytes() {
    let way = Way {
        kernel: "matmul".to_owned(),
        flags: ["--tile", "i=4,j=4,k=4", "--schedule", "cannon"].map(str::to_owned).to_vec(),
    };
    let (program, system) = (super::programs::program(&way.emit()), way.system());
    let sizes: Bindings = program.parameters.iter().cloned().zip([9, 7, 5]).collect();
    let inputs = inputs(&system, &sizes);
    let stated = |precision| {
        let settings = Settings { workers: 2, precision, ..Settings::default() };
        execute(&program, &sizes, &inputs, &settings).unwrap_or_else(|faults| panic!("{}", shown(&faults))).memory[0]
            .stated
    };
    let [double, single] = Precision::ALL.map(stated);
    let bytes = (9 * 5 + 5 * 7, 9 * 7);
    assert_eq!((double.inputs, double.outputs), (8 * bytes.0, 8 * bytes.1));
    assert_eq!((single.inputs, single.outputs), (4 * bytes.0, 4 * bytes.1));
    assert_eq!((2 * single.registers, 2 * single.channels), (double.registers, double.channels));
}

#[test]
fn a_precision_that_there_is_not_and_one_without_rates_are_refused() {
    let emitted = Emitted::new("matmul");
    let refused = |flags: &[&str]| misused(&emitted, &[&SIZE[..], flags].concat());
    assert!(refused(&["--precision", "half"]).contains("there is no precision `half`"));
    assert!(refused(&["--precision", "singel"]).contains("did you mean `single`?"));
    let message = refused(&["--precision", "single", "--machine", "machines/ideal.toml"]);
    assert!(message.contains("of double precision, and this run is of single"), "{message}");
}

#[test]
fn predictions_are_of_double_precision() {
    let settings = |precision| Settings { precision, ..Settings::default() };
    let [double, single] = Precision::ALL.map(|precision| check_measured(&settings(precision)));
    assert!(double.is_ok() && single.is_err());
    let way = &ways("matmul")[0];
    let program = super::programs::program(&way.emit());
    let sizes: Bindings = program.parameters.iter().cloned().zip([2, 2, 2]).collect();
    let found = predict(&program, &sizes, &settings(Precision::Single), &systole::machine::Cluster::default());
    assert!(shown(&found.expect_err("a refusal")).contains("leave out `--machine`"));
}
