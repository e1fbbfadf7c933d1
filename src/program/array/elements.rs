//! The elements of arrays, in parts: where those of inputs come from, and where those of outputs go.
//!
//! Elements are named by their row-major addresses, in runs. Whoever asks for a part, or hands one over, holds that part and
//! no more; a file, a generator or an array in memory stands behind the same two traits.

use super::Tensors;
use ndarray::ArrayD;
use std::collections::BTreeMap;
use std::ops::Range;
use std::slice::from_ref;
use systole_base::diagnostic::Checked;
use systole_base::integer::Name;

/// Elements at a time, at most, where an array of any size goes through in parts: 512 KiB of them.
pub const PART: usize = 1 << 16;

/// Where the elements of an array come from. The same element may be asked for any number of times.
pub trait Source {
    /// The extents of the array.
    fn shape(&self) -> &[usize];

    /// Puts the elements of these runs, which lie within the array, after those that are there.
    ///
    /// # Errors
    /// A file that cannot be read.
    fn read(&mut self, runs: &[Range<usize>], values: &mut Vec<f64>) -> Checked<()>;
}

impl Source for &ArrayD<f64> {
    fn shape(&self) -> &[usize] {
        ArrayD::shape(self)
    }

    fn read(&mut self, runs: &[Range<usize>], values: &mut Vec<f64>) -> Checked<()> {
        match self.as_slice() {
            Some(all) => runs.iter().for_each(|run| values.extend_from_slice(&all[run.clone()])),
            // Of an array in another order the elements before a run are passed over.
            None => runs.iter().for_each(|run| values.extend(self.iter().skip(run.start).take(run.len()))),
        }
        Ok(())
    }
}

/// Where the elements of an array go. Nobody sees any of them before it is published.
pub trait Sink {
    /// Takes the elements of these runs, which lie within the array.
    ///
    /// # Errors
    /// A file that cannot be written, such as for want of room.
    fn write(&mut self, runs: &[Range<usize>], values: &[f64]) -> Checked<()>;

    /// All elements have been written: brings them to where nothing can be lost any more.
    ///
    /// # Errors
    /// As for [`Sink::write`].
    fn seal(&mut self) -> Checked<()>;

    /// Shows the array, which was sealed, to everybody at once.
    ///
    /// # Errors
    /// As for [`Sink::write`].
    fn publish(&mut self) -> Checked<()>;
}

/// An array in row-major order, as the constructors of the crate make it.
impl Sink for &mut ArrayD<f64> {
    fn write(&mut self, runs: &[Range<usize>], values: &[f64]) -> Checked<()> {
        let Some(all) = self.as_slice_mut() else { return Ok(()) };
        let mut rest = values;
        for run in runs {
            let (part, after) = rest.split_at(run.len().min(rest.len()));
            all[run.start..run.start + part.len()].copy_from_slice(part);
            rest = after;
        }
        Ok(())
    }

    fn seal(&mut self) -> Checked<()> {
        Ok(())
    }

    fn publish(&mut self) -> Checked<()> {
        Ok(())
    }
}

/// A source for each input.
pub type Sources<'a> = BTreeMap<Name, Box<dyn Source + 'a>>;

/// For each output the sinks that all get its elements; an output without one is dropped.
pub type Sinks<'a> = BTreeMap<Name, Vec<Box<dyn Sink + 'a>>>;

/// Arrays in memory as sources.
pub fn sources_of(tensors: &Tensors) -> Sources<'_> {
    tensors.iter().map(|(name, tensor)| (name.clone(), Box::new(tensor) as Box<dyn Source + '_>)).collect()
}

/// Arrays in memory as sinks.
pub fn sinks_of(tensors: &mut Tensors) -> Sinks<'_> {
    tensors.iter_mut().map(|(name, tensor)| (name.clone(), vec![Box::new(tensor) as Box<dyn Sink + '_>])).collect()
}

/// All elements of a source, as an array.
///
/// # Errors
/// Those of the source.
pub fn read_whole(source: &mut dyn Source) -> Checked<ArrayD<f64>> {
    let shape = source.shape().to_vec();
    let volume = shape.iter().product();
    let mut values = Vec::with_capacity(volume);
    source.read(from_ref(&(0..volume)), &mut values)?;
    Ok(ArrayD::from_shape_vec(shape, values).unwrap_or_default())
}

/// Publishes all sinks, once each of them is sealed: what goes wrong with one leaves all unseen.
///
/// # Errors
/// Those of the sinks.
pub fn publish_all(sinks: &mut Sinks<'_>) -> Checked<()> {
    sinks.values_mut().flatten().try_for_each(|sink| sink.seal())?;
    sinks.values_mut().flatten().try_for_each(|sink| sink.publish())
}

/// The runs with each cut into pieces of `most` elements at most.
pub fn cut_runs(runs: &[Range<usize>], most: usize) -> impl Iterator<Item = Range<usize>> {
    runs.iter().flat_map(move |run| {
        run.clone().step_by(most.max(1)).map(move |first| first..(first.saturating_add(most)).min(run.end))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_are_cut_where_they_are_long() {
        let pieces: Vec<Range<usize>> = cut_runs(&[3..8, 9..9, 10..12], 2).collect();
        assert_eq!(pieces, [3..5, 5..7, 7..8, 10..12]);
    }

    #[test]
    fn an_array_is_read_in_row_major_order_whatever_its_own() {
        let array = ArrayD::from_shape_vec(vec![2, 3], vec![0.0, 1.0, 2.0, 3.0, 4.0, 5.0]).expect("a shape");
        let turned = array.clone().reversed_axes();
        let (mut mine, mut theirs) = (vec![], vec![]);
        (&array).read(&[1..3, 5..6], &mut mine).expect("in memory");
        (&turned).read(&[1..3, 5..6], &mut theirs).expect("in memory");
        assert_eq!((mine, theirs), (vec![1.0, 2.0, 5.0], vec![3.0, 1.0, 5.0]));
    }
}
