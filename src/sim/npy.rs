//! Arrays from and to `.npy` files.
//!
//! In: a file of 64- or 32-bit floating-point numbers or integers of any dimension and either order. Out: an array of
//! 64-bit floating-point numbers. A file is written whole or not at all.

use crate::diagnostic::{Checked, Diagnostic};
use ndarray::ArrayD;
use ndarray_npy::npy::header::Header;
use ndarray_npy::{ReadNpyError, ReadNpyExt, ReadableElement, WriteNpyExt};
use std::io::{BufWriter, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

/// The array in a file; its shape is checked against `shape` where one is given.
///
/// # Errors
/// A file that cannot be read, is no `.npy` file, ends early, holds another type of element or has another shape.
pub fn read(path: &Path, shape: Option<&[usize]>) -> Checked<ArrayD<f64>> {
    let shown = path.display();
    let bytes =
        std::fs::read(path).map_err(|error| vec![Diagnostic::new(format!("cannot read `{shown}`: {error}"))])?;
    let array = decode(&bytes).map_err(|reason| {
        vec![
            Diagnostic::new(format!("`{shown}` cannot be used as an array: {reason}"))
                .help("write it with `numpy.save(name, array.astype(\"<f8\"))`"),
        ]
    })?;
    match shape {
        Some(shape) if shape != array.shape() => {
            let message = format!("`{shown}` has shape {:?}, expected {shape:?}", array.shape());
            Diagnostic::new(message).help("check the sizes, and the order of the dimensions").alone()
        }
        _ => Ok(array),
    }
}

/// Tries the types of element in turn; the header names one, so at most one fits.
fn decode(bytes: &[u8]) -> Result<ArrayD<f64>, String> {
    check_length(bytes)?;
    let decoders = [decode_as::<f64>, decode_as::<f32>, decode_as::<i64>, decode_as::<i32>];
    let mut reason = String::new();
    for decoder in decoders {
        match decoder(bytes) {
            Err(ReadNpyError::WrongDescriptor(found)) => {
                reason = format!("its elements are {found}, not f8, f4, i8 or i4");
            }
            Err(error) => return Err(error.to_string()),
            Ok(array) => return Ok(array),
        }
    }
    Err(reason)
}

/// Refuses a header that promises more elements than the file has bytes, before anything is allocated for them.
fn check_length(mut bytes: &[u8]) -> Result<(), String> {
    let header =
        Header::from_reader(&mut bytes).map_err(|error| format!("its header is not that of a `.npy` file: {error}"))?;
    let elements = header.shape.iter().try_fold(1usize, |product, extent| product.checked_mul(*extent));
    match elements {
        Some(elements) if elements <= bytes.len() => Ok(()),
        _ => Err(format!("it ends early: {} bytes cannot hold the shape {:?}", bytes.len(), header.shape)),
    }
}

fn decode_as<T: ReadableElement + Copy + Into64>(bytes: &[u8]) -> Result<ArrayD<f64>, ReadNpyError> {
    Ok(ArrayD::<T>::read_npy(bytes)?.mapv(Into64::into64))
}

/// Conversion to the nearest 64-bit floating-point number.
trait Into64 {
    fn into64(self) -> f64;
}

impl Into64 for f64 {
    fn into64(self) -> f64 {
        self
    }
}

impl Into64 for f32 {
    fn into64(self) -> f64 {
        f64::from(self)
    }
}

impl Into64 for i64 {
    fn into64(self) -> f64 {
        self as f64
    }
}

impl Into64 for i32 {
    fn into64(self) -> f64 {
        f64::from(self)
    }
}

/// Writes an array. Until all of it is written, whatever stood at `path` stays there.
///
/// # Errors
/// A folder that does not exist or cannot be written to.
pub fn write(path: &Path, array: &ArrayD<f64>) -> Checked<()> {
    write_whole(path, array)
        .map_err(|error| vec![Diagnostic::new(format!("cannot write `{}`: {error}", path.display()))])
}

fn write_whole(path: &Path, array: &ArrayD<f64>) -> Result<(), Box<dyn std::error::Error>> {
    let folder = match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    };
    // A new file may be read by whoever the user's mask lets read it, not by its owner alone.
    let permissions = std::fs::Permissions::from_mode(0o666);
    let file = tempfile::Builder::new().prefix(".systole-").permissions(permissions).tempfile_in(folder)?;
    let mut writer = BufWriter::new(&file);
    array.write_npy(&mut writer)?;
    writer.flush()?;
    drop(writer);
    file.as_file().sync_all()?;
    file.persist(path)?;
    Ok(())
}
