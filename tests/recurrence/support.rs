//! Loading kernels and filling arrays.

use ndarray::{ArrayD, IxDyn};
use std::path::Path;
use systole::diagnostic::render;
use systole::integer::{Bindings, name};
use systole::recurrence::{RecurrenceSystem, Tensors, load};
use systole::span::Source;

/// The system that `text` means; its messages fail the test.
pub fn system(text: &str) -> RecurrenceSystem {
    load(&Source::new("test.rec", text)).unwrap_or_else(|errors| panic!("{}", render(&errors, false)))
}

/// A kernel of the repository.
pub fn kernel(file: &str) -> RecurrenceSystem {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("kernels").join(file);
    system(&std::fs::read_to_string(path).expect("the kernel is there"))
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
