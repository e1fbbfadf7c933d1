//! Words of arrays: elements, or the tiles that they are cut into, by subscripts of `ndarray`.

use ndarray::{ArrayD, Dimension};
use std::sync::Arc;
use systole_equations::recurrence::Role;
use systole_program::array::{Layout, Tensors};
use systole_run::leaf::Tile;

/// The words of an input, or as many of an output.
pub fn words<W: Clone>(layout: &Layout, input: impl Fn(&Layout) -> Vec<W>, nothing: W) -> Vec<W> {
    if layout.role == Role::Input { input(layout) } else { vec![nothing; layout.length()] }
}

/// The first element and the extents of a tile.
fn box_of(layout: &Layout, address: usize) -> (Vec<usize>, Vec<usize>) {
    layout.subscripts(address).iter().zip(&layout.boxes).map(|(tile, side)| side[*tile]).unzip()
}

/// All tiles of an input.
pub fn cut(layout: &Layout, inputs: &Tensors) -> Vec<Tile> {
    let tile = |address: usize| {
        let (first, extents) = box_of(layout, address);
        let whole = inputs[&layout.name].view();
        let part = whole.slice_each_axis(|axis| {
            let first = first[axis.axis.index()];
            (first..first + extents[axis.axis.index()]).into()
        });
        Tile::Values(Arc::new(part.iter().copied().collect()))
    };
    (0..layout.length()).map(tile).collect()
}

/// The elements of an output in row-major order.
pub fn paste(layout: &Layout, tiles: &[Tile]) -> Vec<f64> {
    let mut whole = ArrayD::zeros(layout.elements.clone());
    for (address, tile) in tiles.iter().enumerate() {
        let (first, extents) = box_of(layout, address);
        for (position, at) in ndarray::indices(extents).into_iter().enumerate() {
            let at: Vec<usize> = at.slice().iter().zip(&first).map(|(at, first)| at + first).collect();
            whole[&at[..]] = tile.at(position);
        }
    }
    whole.into_iter().collect()
}
