//! The windows of a call: where they lie, and their elements.
//!
//! In: a routine, tile coordinates and tiles. Out: for each window its box and its elements, borrowed from a tile where it
//! is that tile and only read; and the tile of the result from its window.

use super::area::{Area, copy_meeting, fill_meeting, start, uniform};
use super::prepare::Prepared;
use crate::leaf::routine::{Cut, Few, Frame, Reach, Routine, Span};
use crate::leaf::{Buffer, Element, Tile};
use std::sync::Arc;
use systole_program::array::Trouble;

/// Where everything lies at some coordinates.
#[derive(Clone, Debug)]
pub struct Boxes {
    /// Of the indices.
    pub indices: Few<Span>,
    pub windows: Vec<Area>,
    pub result: Area,
    pub arguments: Vec<Area>,
}

impl Boxes {
    /// The boxes of a call.
    pub fn at(routine: &Routine, at: &[i64]) -> Result<Boxes, Trouble> {
        let indices = spans(&routine.indices, at)?;
        let windows = routine.windows.iter().map(|frame| area_of(frame, &indices)).collect::<Result<_, _>>()?;
        let area = |cuts: &Vec<Cut>| Area::new(spans(cuts, at)?).ok_or(Trouble::Overflow);
        let arguments = routine.arguments.iter().map(|(_, cuts)| area(cuts)).collect::<Result<_, _>>()?;
        Ok(Boxes { indices, windows, result: area(&routine.result)?, arguments })
    }
}

fn spans(cuts: &[Cut], at: &[i64]) -> Result<Few<Span>, Trouble> {
    cuts.iter().map(|cut| cut.span(at)).collect::<Option<_>>().ok_or(Trouble::Overflow)
}

fn area_of(frame: &Frame, indices: &[Span]) -> Result<Area, Trouble> {
    Area::new(frame.ranges.iter().map(|reach| reached(reach, indices)).collect()).ok_or(Trouble::Overflow)
}

fn reached(reach: &Reach, indices: &[Span]) -> Span {
    let (low, high) = reach.form.interval(indices).unwrap_or((0, -1));
    let (first, last) = ((low + reach.first).max(0), (high + reach.last).min(reach.extent - 1));
    if first <= last { (first, last) } else { (0, -1) }
}

/// The elements of a window.
#[derive(Debug)]
pub enum Elements<'a, E: Element> {
    Shared(&'a [E]),
    Owned(Buffer<E>),
}

impl<E: Element> Elements<'_, E> {
    pub fn values(&self) -> &[E] {
        match self {
            Elements::Shared(values) => values,
            Elements::Owned(values) => values,
        }
    }

    /// Makes elements of one's own of them.
    pub fn own(&mut self) {
        if let Elements::Shared(values) = self {
            *self = Elements::Owned(Buffer::from(*values));
        }
    }

    /// To be written; nothing of a window that is only read.
    pub fn values_mut(&mut self) -> &mut [E] {
        match self {
            Elements::Shared(_) => &mut [],
            Elements::Owned(values) => values,
        }
    }
}

/// Assembles the windows from tiles.
pub struct Assembly<'a> {
    pub routine: &'a Routine,
    pub call: &'a Prepared,
    /// The leaf, for messages.
    pub leaf: usize,
}

impl<'a> Assembly<'a> {
    /// The elements of all windows; those of the result may be left [blank](Buffer::blank).
    pub fn windows<E: Element>(
        &self,
        onto: Option<Tile<E>>,
        arguments: &'a [Tile<E>],
        is_blank: bool,
    ) -> Result<Few<Elements<'a, E>>, Trouble> {
        self.check_tiles(&onto, arguments)?;
        let first = match is_blank {
            true => Buffer::blank(self.call.boxes.windows[0].volume),
            false => self.assemble(0, onto, arguments),
        };
        let mut windows = Few::new();
        windows.push(Elements::Owned(first));
        for window in 1..self.call.boxes.windows.len() {
            windows.push(match self.borrowed(window, arguments) {
                Some(values) => Elements::Shared(values),
                None => Elements::Owned(self.assemble(window, None, arguments)),
            });
        }
        Ok(windows)
    }

    /// What the result's window begins with, where no tile is put into it.
    pub fn begins_with<E: Element>(&self, onto: &Option<Tile<E>>) -> Option<E> {
        let is_filled = onto.is_some() || self.routine.arguments.iter().any(|(filled, _)| *filled == 0);
        (!is_filled).then(|| E::rounded(start(self.routine.windows[0].operator)))
    }

    fn check_tiles<E: Element>(&self, onto: &Option<Tile<E>>, arguments: &[Tile<E>]) -> Result<(), Trouble> {
        let fits = |tile: &Tile<E>, area: &Area| match tile {
            Tile::Uniform(_) => true,
            Tile::Values(values) => values.len() == area.volume,
        };
        let all_fit = arguments.iter().zip(&self.call.boxes.arguments).all(|(tile, area)| fits(tile, area));
        let onto_fits = onto.as_ref().is_none_or(|onto| fits(onto, &self.call.boxes.result));
        let ok = all_fit && onto_fits && arguments.len() == self.call.boxes.arguments.len();
        if ok { Ok(()) } else { Err(Trouble::WrongTile { leaf: self.leaf }) }
    }

    /// The one tile that is the whole window, where the window is only read.
    fn borrowed<E: Element>(&self, window: usize, arguments: &'a [Tile<E>]) -> Option<&'a [E]> {
        let is_written = self.call.written(self.routine)[window];
        if is_written { None } else { self.whole(window, arguments).map(|values| &**values) }
    }

    /// The one tile that is the whole window.
    fn whole<E: Element>(&self, window: usize, arguments: &'a [Tile<E>]) -> Option<&'a Buffer<E>> {
        match &arguments[self.call.whole[window]?] {
            Tile::Values(values) => Some(values),
            Tile::Uniform(_) => None,
        }
    }

    fn tiles_of<E: Element>(
        &self,
        window: usize,
        arguments: &'a [Tile<E>],
    ) -> impl Iterator<Item = (&'a Tile<E>, &'a Area)> {
        let filled = self.routine.arguments.iter().map(move |(filled, _)| *filled == window);
        let tiles = arguments.iter().zip(&self.call.boxes.arguments).zip(filled);
        tiles.filter(|(_, filled)| *filled).map(|(tile, _)| tile)
    }

    /// A window of its own: `onto` first, then the arguments.
    fn assemble<E: Element>(&self, window: usize, onto: Option<Tile<E>>, arguments: &'a [Tile<E>]) -> Buffer<E> {
        if let (None, Some(values)) = (&onto, self.whole(window, arguments)) {
            return values.clone();
        }
        let (area, operator) = (&self.call.boxes.windows[window], self.routine.windows[window].operator);
        let is_covered = self.call.covered[window][usize::from(onto.is_some())];
        let fresh = || match is_covered {
            true => Buffer::blank(area.volume),
            false => Buffer::filled(E::rounded(start(operator)), area.volume),
        };
        let mut values = match onto {
            None => fresh(),
            Some(Tile::Values(held)) if self.call.is_result_whole => Arc::unwrap_or_clone(held),
            Some(tile) => {
                let mut values = fresh();
                self.put(window, (&tile, &self.call.boxes.result), &mut values);
                values
            }
        };
        self.tiles_of(window, arguments).for_each(|tile| self.put(window, tile, &mut values));
        values
    }

    fn put<E: Element>(&self, window: usize, (tile, from): (&Tile<E>, &Area), into: &mut [E]) {
        let to = &self.call.boxes.windows[window];
        match tile {
            Tile::Values(values) => copy_meeting(from, values, to, into),
            Tile::Uniform(value) => {
                fill_meeting(from, uniform(*value, self.routine.windows[window].operator), to, into);
            }
        }
    }

    /// The result's tile from its window.
    pub fn result<E: Element>(&self, window: Elements<'_, E>) -> Tile<E> {
        let (from, to) = (&self.call.boxes.windows[0], &self.call.boxes.result);
        let values = match window {
            Elements::Owned(values) => values,
            Elements::Shared(values) => Buffer::from(values),
        };
        if self.call.is_result_whole {
            return Tile::Values(Arc::new(values.over(&to.lengths)));
        }
        let mut tile = match to.is_covered(&[from]) {
            true => Buffer::blank(to.volume),
            false => Buffer::filled(E::rounded(start(self.routine.windows[0].operator)), to.volume),
        };
        copy_meeting(from, &values, to, &mut tile);
        Tile::Values(Arc::new(tile.over(&to.lengths)))
    }
}
