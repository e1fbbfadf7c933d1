//! The elements of a `.npy` file, read from their positions as they are asked for.
//!
//! In: a file whose header and length have been looked at. Out: its elements as 64-bit floating-point numbers, in parts. Of a
//! file in column-major order the elements of a part are read in the order of the file, neighbours together.

use crate::array::elements::{PART, Source, cut_runs};
use crate::diagnostic::{Checked, Diagnostic, Diagnostics};
use ndarray_npy::npy::header::{Header, Layout};
use std::fs::File;
use std::io::Seek;
use std::ops::Range;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

/// A type of element and its order of bytes.
#[derive(Clone, Copy, Debug)]
struct Kind {
    letter: u8,
    size: usize,
    is_big_endian: bool,
}

impl Kind {
    /// The type that a descriptor such as `<f8` names.
    fn of(descriptor: &str) -> Option<Kind> {
        let [order @ (b'<' | b'>' | b'='), letter @ (b'f' | b'i'), digit @ (b'4' | b'8')] = *descriptor.as_bytes()
        else {
            return None;
        };
        let is_big_endian = order == b'>' || (order == b'=' && cfg!(target_endian = "big"));
        Some(Kind { letter, size: usize::from(digit - b'0'), is_big_endian })
    }

    /// The nearest 64-bit floating-point number of these bytes, of which there are `size`.
    fn decode(self, bytes: &[u8]) -> f64 {
        let place = |bits: u64, byte: &u8| bits << 8 | u64::from(*byte);
        let bits = if self.is_big_endian { bytes.iter().fold(0, place) } else { bytes.iter().rev().fold(0, place) };
        match (self.letter, self.size) {
            (b'f', 8) => f64::from_bits(bits),
            (b'f', _) => f64::from(f32::from_bits(bits as u32)),
            (_, 8) => bits.cast_signed() as f64,
            _ => f64::from((bits as u32).cast_signed()),
        }
    }
}

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
        let shown = path.display();
        let file = File::open(path).and_then(|file| Ok((file.metadata()?, file)));
        let (metadata, file) =
            file.map_err(|error| vec![Diagnostic::new(format!("cannot read `{shown}`: {error}"))])?;
        let length = metadata.is_file().then_some(metadata.len());
        NpySource::of_file(path, file, length).map_err(|reason| {
            let fault = Diagnostic::new(format!("`{shown}` cannot be used as an array: {reason}"));
            vec![fault.help("write it with `numpy.save(name, array.astype(\"<f8\"))`")]
        })
    }

    fn of_file(path: &Path, mut file: File, length: Option<u64>) -> Result<NpySource, String> {
        let length = length.ok_or("it is no regular file, whose parts could be read")?;
        let header = Header::from_reader(&mut file)
            .map_err(|error| format!("its header is not that of a `.npy` file: {error}"))?;
        let begin = file.stream_position().map_err(|error| error.to_string())?;
        let kind = header.type_descriptor.as_string().and_then(|descriptor| Kind::of(descriptor));
        let kind = kind.ok_or_else(|| format!("its elements are {}, not f8, f4, i8 or i4", header.type_descriptor))?;
        check_length((begin, length), kind, &header.shape)?;
        let is_column_major = header.layout == Layout::Fortran && header.shape.len() > 1;
        Ok(NpySource { path: path.to_owned(), file, kind, begin, is_column_major, shape: header.shape })
    }

    /// Reads elements that stand side by side in the file.
    fn read_neighbours(&self, first: usize, count: usize, found: &mut impl FnMut(f64)) -> Checked<()> {
        let mut bytes = vec![0; count * self.kind.size];
        let position = self.begin + first as u64 * self.kind.size as u64;
        self.file.read_exact_at(&mut bytes, position).map_err(|error| self.unreadable(&error))?;
        bytes.chunks_exact(self.kind.size).for_each(|bytes| found(self.kind.decode(bytes)));
        Ok(())
    }

    fn unreadable(&self, error: &std::io::Error) -> Diagnostics {
        vec![Diagnostic::new(format!("cannot read `{}`: {error}", self.path.display()))]
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
        Some(needed) if needed < length => Err(format!("it has {} extra bytes", length - needed)),
        _ => Err(format!("it ends early: {length} bytes cannot hold the shape {shape:?}")),
    }
}
