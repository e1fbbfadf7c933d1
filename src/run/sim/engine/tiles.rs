//! Tiles in a run over tiles: registers and wires hold handles of them.
//!
//! A handle is a number that is none: a quiet NaN with the number of a tile, plus 1, as its payload. So words that are tiles
//! move as words that are numbers do, and only what computes, stores or shows one looks it up. All regions share the tiles,
//! and lock them for as long as it takes to find or to add one. A handle's number depends on the threads, its tile does not. Between
//! sweeps tiles that nobody holds any more are dropped, and their numbers used again.

use super::lanes::{Fault, Lanes, try_each_lane};
use crate::leaf::{Leaves, Tile, evaluate};
use crate::shared::Memory;
use std::sync::{PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};
use systole_equations::recurrence::Role;
use systole_program::array::{Code, Scalar};

/// The bits of a quiet NaN without a payload.
const QUIET: u64 = 0x7FF8_0000_0000_0000;

/// Payloads of handles are smaller.
const MOST_TILES: u64 = 1 << 51;

/// Less than this is not worth a search for tiles that nobody holds.
const FEW_BYTES: usize = 64 << 20;

/// What a tile takes besides its elements.
const TILE_BYTES: usize = 64;

/// The tiles of a run.
pub(in crate::sim) struct Tiles<'a> {
    leaves: &'a Leaves,
    /// For each input the handles of its tiles.
    inputs: Vec<Vec<f64>>,
    store: RwLock<Store>,
}

/// Tiles by number.
struct Store {
    tiles: Vec<Tile>,
    /// Numbers without a tile.
    free: Vec<usize>,
    /// How many tiles, the first ones, are those of the inputs, which stay.
    inputs: usize,
    /// What all tiles take, those of the inputs aside.
    bytes: usize,
    /// How much they may take before those are dropped that nobody holds.
    enough: usize,
    /// How much they may take at all.
    most: usize,
}

fn handle(number: usize) -> f64 {
    f64::from_bits(QUIET | (number as u64 + 1))
}

fn number(handle: f64) -> Option<usize> {
    let payload = handle.to_bits().checked_sub(QUIET)?;
    (payload < MOST_TILES).then_some(payload)?.checked_sub(1)?.try_into().ok()
}

fn bytes(tile: &Tile) -> usize {
    match tile {
        Tile::Uniform(_) => TILE_BYTES,
        Tile::Values(values) => TILE_BYTES + 8 * values.len(),
    }
}

impl Store {
    fn add(&mut self, tile: Tile) -> f64 {
        self.bytes += bytes(&tile);
        match self.free.pop() {
            Some(number) => {
                self.tiles[number] = tile;
                handle(number)
            }
            None => {
                self.tiles.push(tile);
                handle(self.tiles.len() - 1)
            }
        }
    }

    /// Drops all tiles but those of the inputs and those with one of these handles.
    fn keep(&mut self, held: impl Iterator<Item = f64>) {
        let mut is_held = vec![false; self.tiles.len()];
        held.filter_map(number).for_each(|number| is_held.get_mut(number).into_iter().for_each(|held| *held = true));
        (self.free, self.bytes) = (vec![], 0);
        for (number, is_held) in is_held.into_iter().enumerate().skip(self.inputs) {
            if is_held {
                self.bytes += bytes(&self.tiles[number]);
            } else {
                self.tiles[number] = Tile::Uniform(f64::NAN);
                self.free.push(number);
            }
        }
        self.enough = (2 * self.bytes).max(FEW_BYTES).min(self.most);
    }
}

impl<'a> Tiles<'a> {
    /// The tiles of the inputs, which are taken out of the memory; the others may take so many bytes.
    pub fn new(code: &Code, leaves: &'a Leaves, memory: &mut Memory, most_bytes: u64) -> Tiles<'a> {
        let most = usize::try_from(most_bytes).unwrap_or(usize::MAX);
        let mut store = Store { tiles: vec![], free: vec![], inputs: 0, bytes: 0, enough: FEW_BYTES.min(most), most };
        let inputs = code.arrays.iter().enumerate().map(|(array, layout)| match layout.role {
            Role::Output => vec![],
            _ => memory.take_tiles(array).into_iter().map(|tile| store.add(tile)).collect(),
        });
        let inputs = inputs.collect();
        (store.inputs, store.bytes) = (store.tiles.len(), 0);
        Tiles { leaves, inputs, store: RwLock::new(store) }
    }

    /// The handles of an input's tiles.
    pub fn input(&self, array: usize) -> &[f64] {
        &self.inputs[array]
    }

    fn read(&self) -> RwLockReadGuard<'_, Store> {
        self.store.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn write(&self) -> RwLockWriteGuard<'_, Store> {
        self.store.write().unwrap_or_else(PoisonError::into_inner)
    }

    /// The tile with a handle.
    pub fn tile(&self, handle: f64) -> Tile {
        let store = self.read();
        number(handle).and_then(|number| store.tiles.get(number)).cloned().unwrap_or(Tile::Uniform(handle))
    }

    /// What is shown of a tile: its first element; 0 of an empty one.
    pub fn first_element(&self, handle: f64) -> f64 {
        match self.tile(handle) {
            Tile::Uniform(value) => value,
            Tile::Values(values) => values.first().copied().unwrap_or(0.0),
        }
    }

    /// Writes the handle of the tile of `scalar` into `target` in the lanes of the mask.
    pub fn assign(
        &self,
        scalar: &Scalar,
        slots: &[Lanes<i64>],
        registers: &mut [Lanes<f64>],
        target: usize,
        mask: u64,
    ) -> Result<(), Fault> {
        try_each_lane(mask, |lane| {
            let register = |register: usize| self.tile(registers[register][lane]);
            let tile = evaluate(self.leaves, scalar, &|slot: usize| slots[slot][lane], &register)?;
            registers[target][lane] = self.write().add(tile);
            Ok(())
        })
    }

    /// Whether there is so much that it is worth a search for what nobody holds.
    pub fn is_crowded(&self) -> bool {
        let store = self.read();
        store.bytes > store.enough
    }

    /// Drops tiles that are no input's and have none of these handles; an error where the others take more memory than
    /// they may: how many bytes, and how many there may be.
    pub fn keep(&self, held: impl Iterator<Item = f64>) -> Result<(), [usize; 2]> {
        let mut store = self.write();
        store.keep(held);
        if store.bytes > store.most { Err([store.bytes, store.most]) } else { Ok(()) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;

    #[test]
    fn a_handle_is_no_number_and_no_number_is_a_handle() {
        for at in [0, 1, 4095, 1 << 40] {
            assert!(handle(at).is_nan());
            assert_eq!(number(handle(at)), Some(at));
        }
        for value in [0.0, -0.0, 1.5, f64::INFINITY, f64::NEG_INFINITY, f64::from_bits(QUIET), -f64::from_bits(QUIET)] {
            assert_eq!(number(value), None, "{value}");
        }
    }

    #[test]
    fn tiles_that_nobody_holds_make_room() {
        let mut store = Store { tiles: vec![], free: vec![], inputs: 0, bytes: 0, enough: FEW_BYTES, most: usize::MAX };
        let tile = |value: f64| Tile::Values(Arc::new(vec![value; 10].into()));
        store.add(tile(0.0));
        (store.inputs, store.bytes) = (1, 0);
        let handles: Vec<f64> = (1..=4).map(|value| store.add(tile(f64::from(value)))).collect();
        store.keep([handles[1], 7.0, handles[3], f64::NAN].into_iter());
        assert_eq!((store.bytes, store.tiles.len(), store.free.len()), (2 * (TILE_BYTES + 80), 5, 2));
        let number_of = |handle: f64| number(handle).expect("a handle");
        assert_eq!(store.tiles[number_of(handles[3])], tile(4.0));
        assert_eq!(store.tiles[0], tile(0.0));
        let again = [store.add(tile(5.0)), store.add(tile(6.0)), store.add(tile(7.0))].map(number_of);
        assert_eq!(again, [number_of(handles[2]), number_of(handles[0]), 5]);
    }
}
