//! A `.npy` file of floating-point numbers, written part by part.
//!
//! In: the elements, in whatever order. Out: the file, whole or not at all. Elements go to their positions in a file without
//! a name that others look for, beside the target; it takes the target's place when it is published. Whatever goes wrong before
//! that removes it. It is not there before the first elements come, so a process that is ended in the middle of a run leaves
//! nothing.

use ndarray_npy::WritableElement;
use ndarray_npy::npy::header::{Header, Layout};
use std::fs::File;
use std::io::{Error, Write};
use std::ops::Range;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use systole_base::diagnostic::{Checked, Diagnostic, Diagnostics, MessageCode};
use systole_base::scalar::{Precision, Real};
use systole_base::whole::Draft;
use systole_program::array::elements::{PART, Sink, cut_runs};

/// A file to be.
#[derive(Debug)]
pub struct NpySink {
    path: PathBuf,
    precision: Precision,
    header: Vec<u8>,
    /// Once elements have come.
    file: Option<Draft>,
}

impl NpySink {
    /// A file of an array with these extents, whose elements have so many digits.
    ///
    /// # Errors
    /// A folder that does not exist or takes no files; a path of what is no regular file, which elements cannot be put into in any order.
    pub fn create(path: &Path, shape: &[usize], precision: Precision) -> Checked<NpySink> {
        let type_descriptor = match precision {
            Precision::Double => f64::type_descriptor(),
            Precision::Single => f32::type_descriptor(),
        };
        let header = Header { type_descriptor, layout: Layout::Standard, shape: shape.to_vec() };
        let header = header.to_bytes().map_err(|error| unwritable(path, &error))?;
        Draft::begin(path).map_err(|error| unwritable(path, &error))?;
        Ok(NpySink { path: path.to_owned(), precision, header, file: None })
    }

    /// The file, begun where it was not.
    fn begun(&mut self) -> Result<&File, Error> {
        let draft = match self.file.take() {
            Some(draft) => draft,
            None => {
                let draft = Draft::begin(&self.path)?;
                draft.file().write_all(&self.header)?;
                draft
            }
        };
        Ok(self.file.insert(draft).file())
    }

    fn put(&mut self, runs: &[Range<usize>], values: &[f64]) -> Result<(), Error> {
        let (begin, mut rest, precision) = (self.header.len() as u64, values, self.precision);
        let file = self.begun()?;
        for run in cut_runs(runs, PART) {
            let (part, after) = rest.split_at(run.len().min(rest.len()));
            file.write_all_at(&encoded(part, precision), begin + (run.start * precision.bytes()) as u64)?;
            rest = after;
        }
        Ok(())
    }

    /// The message of what went wrong, after which nothing is left of the file.
    fn given_up(&mut self, error: &Error) -> Diagnostics {
        self.file = None;
        unwritable(&self.path, error)
    }
}

impl Sink for NpySink {
    fn write(&mut self, runs: &[Range<usize>], values: &[f64]) -> Checked<()> {
        self.put(runs, values).map_err(|error| self.given_up(&error))
    }

    fn seal(&mut self) -> Checked<()> {
        let sealed = self.begun().and_then(File::sync_all);
        sealed.map_err(|error| self.given_up(&error))
    }

    fn publish(&mut self) -> Checked<()> {
        let Some(draft) = self.file.take() else { return Ok(()) };
        draft.publish().map_err(|error| unwritable(&self.path, &error))
    }
}

/// The bytes of elements, each rounded to the precision of the file.
fn encoded(values: &[f64], precision: Precision) -> Vec<u8> {
    match precision {
        Precision::Double => values.iter().flat_map(|value| value.to_ne_bytes()).collect(),
        Precision::Single => values.iter().flat_map(|value| f32::rounded(*value).to_ne_bytes()).collect(),
    }
}

fn unwritable(path: &Path, error: &dyn std::error::Error) -> Diagnostics {
    vec![
        Diagnostic::new(format!("cannot write `{}`: {error}", path.display()))
            .help("name a file in a folder that is there and has room")
            .about(MessageCode::File),
    ]
}
