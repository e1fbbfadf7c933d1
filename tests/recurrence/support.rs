//! Loading kernels and filling arrays.

use ndarray::{ArrayD, IxDyn};
use std::path::Path;
use systole_base::diagnostic::render;
use systole_base::integer::{Bindings, name};
use systole_base::span::Source;
use systole_equations::recurrence::{RecurrenceSystem, Tensors, evaluate, load};

/// The system that `text` means; its messages fail the test.
pub fn system(text: &str) -> RecurrenceSystem {
    load(&Source::new("test.rec", text)).unwrap_or_else(|errors| panic!("{}", render(&errors, false)))
}

/// A kernel of the repository.
pub fn kernel(file: &str) -> RecurrenceSystem {
    let path = Path::new(env!("SYSTOLE_ROOT")).join("kernels").join(file);
    system(&std::fs::read_to_string(path).expect("the kernel is there"))
}

/// The numbers of a kernel's first output.
pub fn values(text: &str, pairs: &[(&str, i64)], inputs: &[(&str, &ArrayD<f64>)]) -> Vec<f64> {
    let inputs: Tensors = inputs.iter().map(|(tensor, array)| (name(tensor), (*array).clone())).collect();
    let outputs = evaluate(&system(text), &sizes(pairs), &inputs);
    let outputs = outputs.unwrap_or_else(|errors| panic!("{}\n{text}", render(&errors, false)));
    let first = outputs.values().next().expect("an output");
    first.iter().copied().collect()
}

/// Why the text is no kernel.
pub fn refusal(text: &str) -> String {
    match load(&Source::new("k.rec", text)) {
        Ok(_) => panic!("accepted: {text}"),
        Err(errors) => render(&errors, false),
    }
}

/// Sizes by name.
pub fn sizes(pairs: &[(&str, i64)]) -> Bindings {
    pairs.iter().map(|(parameter, value)| (name(parameter), *value)).collect()
}

/// An array whose values depend on the seed and the position, small and exact.
pub fn filled(seed: usize, shape: &[usize]) -> ArrayD<f64> {
    let size: usize = shape.iter().product();
    let value = |position: usize| (((position * 7919 + seed * 104_729) % 61) as f64 - 30.0) / 4.0;
    ArrayD::from_shape_vec(IxDyn(shape), (0..size).map(value).collect()).expect("the shape fits")
}

/// Arrays by name.
pub fn tensors(pairs: &[(&str, ArrayD<f64>)]) -> Tensors {
    pairs.iter().map(|(tensor, array)| (name(tensor), array.clone())).collect()
}

/// The outputs of a kernel of the repository.
pub fn outputs(file: &str, pairs: &[(&str, usize)], inputs: &[(&str, &ArrayD<f64>)]) -> Tensors {
    let sizes: Bindings = pairs.iter().map(|(parameter, value)| (name(parameter), *value as i64)).collect();
    let inputs: Tensors = inputs.iter().map(|(tensor, array)| (name(tensor), (*array).clone())).collect();
    evaluate(&kernel(file), &sizes, &inputs).unwrap_or_else(|errors| panic!("{file}: {}", render(&errors, false)))
}

/// A square array whose diagonal outweighs each row.
pub fn dominant(seed: usize, n: usize) -> ArrayD<f64> {
    let mut array = filled(seed, &[n, n]);
    (0..n).for_each(|i| array[[i, i]] += 8.0 * (n + 1) as f64);
    array
}

/// A symmetric array, positive definite because it is a product with its own transpose plus the identity.
pub fn positive_definite(seed: usize, n: usize) -> ArrayD<f64> {
    let root = filled(seed, &[n, n]);
    let product = |i: usize, j: usize| (0..n).map(|k| root[[i, k]] * root[[j, k]]).sum::<f64>();
    ArrayD::from_shape_fn(IxDyn(&[n, n]), |at| product(at[0], at[1]) + f64::from(u8::from(at[0] == at[1])))
}

/// All pairs of positions in an array of this shape.
pub fn pairs(rows: usize, columns: usize) -> impl Iterator<Item = (usize, usize)> {
    (0..rows).flat_map(move |i| (0..columns).map(move |j| (i, j)))
}

/// The product of two matrices, which may be transposed views.
pub fn product(a: &ArrayD<f64>, b: &ArrayD<f64>) -> ArrayD<f64> {
    let (rows, inner, columns) = (a.shape()[0], a.shape()[1], b.shape()[1]);
    let entry = |i: usize, j: usize| (0..inner).map(|k| a[[i, k]] * b[[k, j]]).sum::<f64>();
    ArrayD::from_shape_fn(IxDyn(&[rows, columns]), |at| entry(at[0], at[1]))
}

/// The largest difference between two arrays over the largest entry of the second; infinite where a value is no number.
pub fn relative_error(found: &ArrayD<f64>, expected: &ArrayD<f64>) -> f64 {
    assert_eq!(found.shape(), expected.shape());
    let scale = expected.iter().fold(f64::MIN_POSITIVE, |scale, value| scale.max(value.abs()));
    let differences = found.iter().zip(expected).map(|(a, b)| (a - b).abs() / scale);
    differences.fold(0.0, |worst, error| {
        if error <= worst {
            worst
        } else if error.is_nan() {
            f64::INFINITY
        } else {
            error
        }
    })
}
