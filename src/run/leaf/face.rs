//! Which part of a tile a leaf reads, so that no more of it needs to be moved.
//!
//! In: the text of a leaf. Out: for each of its arguments a [`Face`]: along each dimension all of the tile, or so many of its first or
//! last elements. A window reaches beyond the box of an index by a few elements, and a tile beside that box fills these and no others,
//! whatever the sizes.

use super::call::{Area, copy_meeting};
use super::routine::{Few, Span};
use super::{Buffer, Element, Tile};
use std::sync::Arc;
use systole_base::integer::Affine;
use systole_equations::tiles::{Argument, Axis, Leaf, LeafIndex, Range};

/// What is read of a tile along one dimension.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Extent {
    /// Any element.
    All,
    /// So many of the first.
    First(usize),
    /// So many of the last.
    Last(usize),
}

/// A box at the border of a tile: one extent a dimension.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Face(pub Few<Extent>);

impl Extent {
    fn join(self, other: Extent) -> Extent {
        match (self, other) {
            (Extent::First(one), Extent::First(two)) => Extent::First(one.max(two)),
            (Extent::Last(one), Extent::Last(two)) => Extent::Last(one.max(two)),
            _ => Extent::All,
        }
    }

    /// Of so many elements.
    fn span(self, length: usize) -> Span {
        let (first, last) = match self {
            Extent::All => (0, length),
            Extent::First(count) => (0, count.min(length)),
            Extent::Last(count) => (length - count.min(length), length),
        };
        (first as i64, last as i64 - 1)
    }
}

impl Face {
    /// What a leaf reads of an argument.
    pub fn of(leaf: &Leaf, argument: &Argument) -> Face {
        let ranges = &leaf.windows[argument.window].ranges;
        Face(ranges.iter().zip(&argument.tile).map(|(range, tile)| along(leaf, range, tile)).collect())
    }

    /// Whether it may be all of a tile.
    pub fn is_whole(&self) -> bool {
        self.0.iter().all(|extent| *extent == Extent::All)
    }

    /// The least face that has both. Of faces of different ranks it fits the tiles of the lower one; the others have no such face.
    pub fn join(&self, other: &Face) -> Face {
        Face(self.0.iter().zip(&other.0).map(|(one, other)| one.join(*other)).collect())
    }

    /// How many elements it has of a tile of these lengths; none where the tile has no such face.
    pub fn volume(&self, lengths: &[usize]) -> Option<usize> {
        self.boxes(lengths).map(|[_, part]| part.volume)
    }

    /// The face of a tile, with the lengths of the whole; none where these are not known, or for a number in place of a tile.
    pub fn cut<E: Element>(&self, tile: &Tile<E>) -> Option<(Few<usize>, Tile<E>)> {
        let Tile::Values(values) = tile else { return None };
        let lengths = Few::from_slice(values.lengths());
        let [whole, part] = self.boxes(&lengths)?;
        let mut cut = Buffer::blank(part.volume);
        copy_meeting(&whole, values, &part, &mut cut);
        Some((lengths, Tile::Values(Arc::new(cut))))
    }

    /// A tile of these lengths with this face; its other elements may be anything. What has another volume stays as it is.
    pub fn put_back<E: Element>(&self, lengths: &[usize], face: &Tile<E>) -> Tile<E> {
        let Tile::Values(values) = face else { return face.clone() };
        let boxes = self.boxes(lengths).filter(|[_, part]| part.volume == values.len());
        let Some([whole, part]) = boxes else { return face.clone() };
        let mut tile = Buffer::blank(whole.volume);
        copy_meeting(&part, values, &whole, &mut tile);
        Tile::Values(Arc::new(tile.over(lengths)))
    }

    /// A tile of these lengths, and this part of it.
    fn boxes(&self, lengths: &[usize]) -> Option<[Area; 2]> {
        if lengths.len() != self.0.len() {
            return None;
        }
        let whole = lengths.iter().map(|length| Extent::All.span(*length)).collect();
        let part = lengths.iter().zip(&self.0).map(|(length, extent)| extent.span(*length)).collect();
        Some([Area::new(whole)?, Area::new(part)?])
    }
}

/// What a window needs of a tile along one dimension.
fn along(leaf: &Leaf, range: &Range, (axis, tile): &(Axis, Affine)) -> Extent {
    let constant = range.form.constant_term();
    let is_read_by = |index: &&LeafIndex| range.form == Affine::variable(&index.name) + Affine::constant(constant);
    let Some(index) = leaf.indices.iter().find(is_read_by).filter(|index| index.axis == *axis) else {
        return Extent::All;
    };
    let beside = tile.clone() - index.tile.clone();
    let count = |elements: i64| usize::try_from(elements).unwrap_or(0);
    match beside.is_constant().then(|| beside.constant_term()) {
        Some(-1) => Extent::Last(count(-(constant + range.first))),
        Some(1) => Extent::First(count(constant + range.last)),
        _ => Extent::All,
    }
}
