//! One output of a run, whose words are stored once each, by whichever thread.
//!
//! A tile is held as it was computed until the output is handed over: nothing is copied while PEs run, and where two PEs
//! store one word the first is there whole and the second is told.

use crate::leaf::{Element, Tile};
use ndarray::ArrayD;
use std::ops::Range;
use std::slice::from_ref;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use systole_base::diagnostic::Checked;
use systole_program::array::Layout;
use systole_program::array::elements::{PART, Sink, cut_runs};

/// The words of an output.
#[derive(Debug)]
pub(super) enum Output<E: Element = f64> {
    /// The bits of numbers, of double precision, and which of them have been stored.
    Numbers { bits: Vec<AtomicU64>, stored: Vec<AtomicBool> },
    /// Tiles, each in its place once it has been stored.
    Tiles(Vec<OnceLock<Tile<E>>>),
}

impl<E: Element> Output<E> {
    /// Nothing stored yet.
    pub fn new(layout: &Layout) -> Output<E> {
        let length = if layout.is_output() { layout.length() } else { 0 };
        if layout.boxes.is_empty() {
            let (bits, stored) = (|_| AtomicU64::new(0), |_| AtomicBool::new(false));
            return Output::Numbers {
                bits: (0..length).map(bits).collect(),
                stored: (0..length).map(stored).collect(),
            };
        }
        Output::Tiles((0..length).map(|_| OnceLock::new()).collect())
    }

    /// Stores a number; whether this is the first time.
    pub fn store(&self, address: usize, value: E) -> bool {
        let Output::Numbers { bits, stored } = self else { return false };
        let is_first = !stored[address].swap(true, Ordering::Relaxed);
        if is_first {
            bits[address].store(value.double().to_bits(), Ordering::Relaxed);
        }
        is_first
    }

    /// Stores a tile, or the number of one without dimensions; whether this is the first time.
    pub fn store_tile(&self, address: usize, tile: &Tile<E>) -> bool {
        match self {
            Output::Numbers { .. } => self.store(address, tile.at(0)),
            Output::Tiles(tiles) => tiles[address].set(tile.clone()).is_ok(),
        }
    }

    /// Whether a word has been stored.
    pub fn has(&self, address: usize) -> bool {
        match self {
            Output::Numbers { stored, .. } => stored[address].load(Ordering::Relaxed),
            Output::Tiles(tiles) => tiles[address].get().is_some(),
        }
    }

    /// Forgets what was stored.
    pub fn forget(&mut self) {
        match self {
            Output::Numbers { stored, .. } => stored.iter_mut().for_each(|stored| *stored.get_mut() = false),
            Output::Tiles(tiles) => tiles.iter_mut().for_each(|tile| _ = tile.take()),
        }
    }

    /// Hands the elements over, part by part or tile by tile; numbers that were not stored are 0.
    pub fn write(&self, layout: &Layout, sinks: &mut [Box<dyn Sink + '_>]) -> Checked<()> {
        match self {
            Output::Numbers { bits, .. } => cut_runs(from_ref(&(0..bits.len())), PART).try_for_each(|run| {
                let values: Vec<f64> = bits[run.clone()].iter().map(number).collect();
                sinks.iter_mut().try_for_each(|sink| sink.write(from_ref(&run), &values))
            }),
            Output::Tiles(tiles) => tiles.iter().enumerate().try_for_each(|(address, tile)| {
                let Some(tile) = tile.get() else { return Ok(()) };
                let (runs, values) = elements_of(layout, address, tile);
                sinks.iter_mut().try_for_each(|sink| sink.write(&runs, &values))
            }),
        }
    }

    /// The array; elements that were not stored are 0.
    pub fn into_array(self, layout: &Layout) -> ArrayD<f64> {
        let values = match self {
            Output::Numbers { bits, .. } => bits.iter().map(number).collect(),
            Output::Tiles(tiles) => {
                let mut values = vec![0.0; layout.volume()];
                for (address, tile) in tiles.into_iter().enumerate() {
                    if let Some(tile) = tile.into_inner() {
                        put_tile(&mut values, layout, address, &tile);
                    }
                }
                values
            }
        };
        ArrayD::from_shape_vec(layout.elements.clone(), values).unwrap_or_default()
    }
}

fn number(bits: &AtomicU64) -> f64 {
    f64::from_bits(bits.load(Ordering::Relaxed))
}

/// The elements of a tile, of which there are so many.
fn doubles<E: Element>(tile: &Tile<E>, count: usize) -> Vec<f64> {
    tile.elements(count).iter().copied().map(E::double).collect()
}

/// The elements of the array that a tile holds, as runs of their addresses and their values.
fn elements_of<E: Element>(layout: &Layout, address: usize, tile: &Tile<E>) -> (Vec<Range<usize>>, Vec<f64>) {
    layout.arranged(from_ref(&(address..address + 1)), doubles(tile, layout.size_at(address)))
}

/// Copies a tile to its elements of an array, run by run.
fn put_tile<E: Element>(values: &mut [f64], layout: &Layout, address: usize, tile: &Tile<E>) {
    let (runs, elements) = elements_of(layout, address, tile);
    let mut rest = &*elements;
    for run in runs {
        let (row, after) = rest.split_at(run.len());
        values[run].copy_from_slice(row);
        rest = after;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;
    use systole_base::integer::name;
    use systole_equations::recurrence::Role;

    /// Boxes of 2 by 2 and 2 by 1, and 1 by 2 and 1 by 1, in an array of 3 by 3.
    fn tiled() -> Layout {
        let boxes = vec![vec![(0, 2), (2, 1)], vec![(0, 2), (2, 1)]];
        Layout {
            name: name("X"),
            role: Role::Output,
            shape: vec![2, 2],
            elements: vec![3, 3],
            boxes,
            slant: None,
            straight: None,
        }
    }

    fn tile(values: &[f64]) -> Tile {
        Tile::Values(Arc::new(values.into()))
    }

    #[test]
    fn tiles_lie_in_their_boxes_and_what_is_not_stored_is_zero() {
        let output = Output::<f64>::new(&tiled());
        let stored = [(3, tile(&[9.0])), (0, tile(&[1.0, 2.0, 4.0, 5.0])), (2, Tile::Uniform(-0.5))];
        assert!(stored.iter().all(|(address, tile)| output.store_tile(*address, tile)));
        assert_eq!([0, 1, 2, 3].map(|address| output.has(address)), [true, false, true, true]);
        let array = output.into_array(&tiled());
        assert_eq!(array.into_raw_vec_and_offset().0, [1.0, 2.0, 0.0, 4.0, 5.0, 0.0, -0.5, -0.5, 9.0]);
    }

    #[test]
    fn the_first_word_stays_until_all_is_forgotten() {
        let mut output = Output::<f64>::new(&tiled());
        assert_eq!([1.0, 2.0].map(|value| output.store_tile(3, &tile(&[value]))), [true, false]);
        output.forget();
        assert!(!output.has(3) && output.store_tile(3, &tile(&[3.0])));
        assert_eq!(output.into_array(&tiled())[[2, 2]], 3.0);
        let numbers = Layout { shape: vec![2], elements: vec![2], boxes: vec![], ..tiled() };
        let mut output = Output::<f64>::new(&numbers);
        assert_eq!([1.0, 2.0].map(|value| output.store(1, value)), [true, false]);
        output.forget();
        assert!(!output.has(1) && output.store_tile(1, &Tile::Uniform(3.0)));
        assert_eq!(output.into_array(&numbers).into_raw_vec_and_offset().0, [0.0, 3.0]);
    }

    #[test]
    fn a_sink_gets_every_tile_at_its_place() {
        let (output, mut array) = (Output::<f64>::new(&tiled()), ArrayD::zeros(vec![3, 3]));
        let stored = [tile(&[1.0, 2.0, 4.0, 5.0]), tile(&[3.0, 6.0]), tile(&[7.0, 8.0]), Tile::Uniform(9.0)];
        stored.iter().enumerate().for_each(|(address, tile)| assert!(output.store_tile(address, tile)));
        output.write(&tiled(), &mut [Box::new(&mut array)]).expect("in memory");
        assert_eq!(array, output.into_array(&tiled()));
        assert_eq!(array.into_raw_vec_and_offset().0, (1..10).map(f64::from).collect::<Vec<_>>());
    }
}
