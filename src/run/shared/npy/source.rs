//! The elements of a `.npy` file, read from their positions as they are asked for.
//!
//! In: a file whose header and length have been looked at. Out: its elements as 64-bit floating-point numbers, in parts. Of a
//! file in column-major order the elements of a part are read in the order of the file, neighbours together.

use super::kind::Kind;
use ndarray_npy::npy::header::{Header, Layout};
use std::fs::File;
use std::io::Seek;
use std::ops::Range;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use systole_base::diagnostic::{Checked, Diagnostic, Diagnostics, MessageCode, plain, plural};
use systole_program::array::elements::{PART, Source, cut_runs};

/// An array in a file.
#[derive(Debug)]
pub struct NpySource {
    path: PathBuf,
    file: File,
    kind: Kind,
    /// Where the elements begin, in bytes.
    begin: u64,
    is_column_major: bool,
    shape: Vec<usize>,
}

impl NpySource {
    /// Opens a file; of the elements none is read.
    ///
    /// # Errors
    /// A file that cannot be read, is no `.npy` file, ends early, or holds another type of element.
    pub fn open(path: &Path) -> Checked<NpySource> {
        let file = File::open(path).map_err(|error| unopened(path, &error))?;
        NpySource::read(path, file)
    }

    /// The array of a file that is open already, at its beginning; `path` is what messages call it.
    ///
    /// # Errors
    /// A file that is no `.npy` file, ends early, or holds another type of element.
    pub fn read(path: &Path, file: File) -> Checked<NpySource> {
        let metadata = file.metadata().map_err(|error| unopened(path, &error))?;
        let length = metadata.is_file().then_some(metadata.len());
        NpySource::of_file(path, file, length).map_err(|reason| {
            let fault = Diagnostic::new(format!("`{}` cannot be used as an array: {reason}", path.display()));
            vec![fault.help("write it with `numpy.save(name, array.astype(\"<f8\"))`").about(MessageCode::Array)]
        })
    }

    fn of_file(path: &Path, mut file: File, length: Option<u64>) -> Result<NpySource, String> {
        let length = length.ok_or("it is no regular file, whose parts could be read")?;
        let header = Header::from_reader(&mut file)
            .map_err(|error| format!("its header is not that of a `.npy` file: {error}"))?;
        let begin = file.stream_position().map_err(|error| error.to_string())?;
        let kind = Kind::of(&header)?;
        check_length((begin, length), kind, &header.shape)?;
        let is_column_major = header.layout == Layout::Fortran && header.shape.len() > 1;
        Ok(NpySource { path: path.to_owned(), file, kind, begin, is_column_major, shape: header.shape })
    }

    /// Reads elements that stand side by side in the file.
    fn read_neighbours(&self, first: usize, count: usize, found: &mut impl FnMut(f64)) -> Checked<()> {
        let mut bytes = vec![0; count * self.kind.size];
        let position = self.begin + first as u64 * self.kind.size as u64;
        self.file.read_exact_at(&mut bytes, position).map_err(|error| self.unreadable(&error))?;
        for (number, bytes) in bytes.chunks_exact(self.kind.size).enumerate() {
            found(self.kind.decode(bytes).map_err(|what| self.unfit(first + number, &what))?);
        }
        Ok(())
    }

    /// The message for an element, by its place in the file, that is not read.
    fn unfit(&self, place: usize, what: &str) -> Diagnostics {
        let message = format!("`{}` holds at {:?} {what}", self.path.display(), self.subscripts(place));
        vec![
            Diagnostic::new(message)
                .help("give other numbers, or save them rounded: `numpy.save(name, array.astype(\"<f8\"))`")
                .about(MessageCode::Array),
        ]
    }

    /// The subscripts of the element at a place in the file.
    fn subscripts(&self, mut place: usize) -> Vec<usize> {
        let mut sides = self.shape.clone();
        if !self.is_column_major {
            sides.reverse();
        }
        let mut subscripts: Vec<usize> = vec![];
        for side in sides {
            subscripts.push(place % side.max(1));
            place /= side.max(1);
        }
        if !self.is_column_major {
            subscripts.reverse();
        }
        subscripts
    }

    fn unreadable(&self, error: &std::io::Error) -> Diagnostics {
        vec![Diagnostic::new(format!("cannot read `{}`: {error}", self.path.display())).about(MessageCode::File)]
    }

    /// Reads these elements, a part at most, of a file in column-major order.
    fn read_across(&self, runs: &[Range<usize>], values: &mut Vec<f64>) -> Checked<()> {
        let begin = values.len();
        let addresses = runs.iter().flat_map(Range::clone);
        let mut wanted: Vec<(usize, usize)> =
            addresses.enumerate().map(|(at, address)| (self.column_major(address), at)).collect();
        wanted.sort_unstable();
        values.resize(begin + wanted.len(), 0.0);
        for side_by_side in wanted.chunk_by(|one, next| one.0 + 1 == next.0) {
            let mut places = side_by_side.iter().map(|(_, at)| begin + at);
            let mut found = |value| places.next().into_iter().for_each(|place| values[place] = value);
            self.read_neighbours(side_by_side[0].0, side_by_side.len(), &mut found)?;
        }
        Ok(())
    }

    /// The place in the file of the element at a row-major address.
    fn column_major(&self, mut address: usize) -> usize {
        let (mut place, mut stride) = (0, self.shape.iter().product::<usize>());
        for extent in self.shape.iter().rev() {
            stride /= extent.max(&1);
            place += address % extent * stride;
            address /= extent;
        }
        place
    }
}

fn unopened(path: &Path, error: &std::io::Error) -> Diagnostics {
    let fault = Diagnostic::new(format!("cannot read `{}`: {}", path.display(), plain(error)));
    vec![
        fault
            .help("write it with `numpy.save(name, array)`, or leave the input out to have it filled")
            .about(MessageCode::File),
    ]
}

impl Source for NpySource {
    fn shape(&self) -> &[usize] {
        &self.shape
    }

    fn read(&mut self, runs: &[Range<usize>], values: &mut Vec<f64>) -> Checked<()> {
        if !self.is_column_major {
            return cut_runs(runs, PART)
                .try_for_each(|run| self.read_neighbours(run.start, run.len(), &mut |value| values.push(value)));
        }
        let (mut part, mut size) = (vec![], 0);
        for run in cut_runs(runs, PART) {
            if size + run.len() > PART {
                self.read_across(&std::mem::take(&mut part), values)?;
                size = 0;
            }
            size += run.len();
            part.push(run);
        }
        self.read_across(&part, values)
    }
}

/// Refuses a header that promises more elements than the file has bytes for, before anything is allocated for them.
fn check_length((begin, length): (u64, u64), kind: Kind, shape: &[usize]) -> Result<(), String> {
    let volume = shape.iter().try_fold(1u64, |product, extent| product.checked_mul(*extent as u64));
    let needed = volume.and_then(|volume| volume.checked_mul(kind.size as u64)?.checked_add(begin));
    match needed {
        Some(needed) if needed == length => Ok(()),
        Some(needed) if needed < length => {
            Err(format!("it has {} extra {}", length - needed, plural(length - needed, "byte")))
        }
        _ => Err(format!("it ends early: {length} bytes cannot hold the shape {shape:?}")),
    }
}
