//! Arrays from and to `.npy` files.
//!
//! In: a file of floating-point numbers of 16, 32 or 64 bits, whole numbers, or truth values, of any dimension and either order. Out: an
//! array of 64-bit floating-point numbers, none of them rounded. Files are read and written whole here, in parts through [`NpySource`] and [`NpySink`]. A file
//! is written whole or not at all.

mod kind;

mod source;

pub use source::NpySource;

mod sink;

pub use sink::NpySink;

use ndarray::ArrayD;
use std::path::Path;
use std::slice::from_ref;
use systole_base::diagnostic::{Checked, Diagnostic, MessageCode};
use systole_base::scalar::Precision;
use systole_program::array::elements::{Sink, Source, read_whole};

/// The array in a file; its shape is checked against `shape` where one is given.
///
/// # Errors
/// A file that cannot be read, is no `.npy` file, ends early, holds another type of element or has another shape.
pub fn read(path: &Path, shape: Option<&[usize]>) -> Checked<ArrayD<f64>> {
    let mut source = NpySource::open(path)?;
    match shape {
        Some(shape) if shape != source.shape() => {
            let message = format!("`{}` has shape {:?}, expected {shape:?}", path.display(), source.shape());
            Diagnostic::new(message)
                .help("check the sizes, and the order of the dimensions")
                .about(MessageCode::Array)
                .alone()
        }
        _ => read_whole(&mut source),
    }
}

/// Writes an array. Until all of it is written, whatever stood at `path` stays there.
///
/// # Errors
/// A folder that does not exist or cannot be written to.
pub fn write(path: &Path, array: &ArrayD<f64>) -> Checked<()> {
    let array = array.as_standard_layout();
    let mut sink = NpySink::create(path, array.shape(), Precision::Double)?;
    sink.write(from_ref(&(0..array.len())), array.as_slice().unwrap_or_default())?;
    sink.seal()?;
    sink.publish()
}
