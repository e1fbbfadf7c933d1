//! Where the matrices of an operation lie in the windows of a call.
//!
//! In: an access, with the indices of its rows and of its columns. Out: the matrix that its elements are over the spans of
//! these indices. What is read and does not lie like a matrix, such as one layer of several, is copied, unless its elements
//! overlap.

use super::run::Run;
use crate::leaf::Element;
use crate::leaf::library::{Layout, Matrix};
use std::borrow::Cow;

/// A matrix in a window.
#[derive(Clone, Copy, Debug)]
pub struct Spot {
    pub window: usize,
    /// Where its first element lies.
    pub base: usize,
    pub layout: Layout,
}

/// A matrix that is read, where it lies or as a copy.
pub(super) struct Operand<'a, E: Element> {
    values: Cow<'a, [E]>,
    layout: Layout,
}

impl<E: Element> Operand<'_, E> {
    /// The matrix.
    pub fn matrix(&self) -> Matrix<'_, E> {
        Matrix { values: &self.values, layout: self.layout }
    }
}

impl<E: Element> Run<'_, E> {
    /// The place of a matrix; `None` where an access may leave its window, or its elements do not lie like a matrix.
    pub(super) fn spot(&self, access: usize, indices: [Option<usize>; 2]) -> Option<Spot> {
        let layout = Layout::new(self.lengths(indices), self.steps(access, indices))?;
        Some(Spot { window: self.links[access].window, base: self.base(access, indices)?, layout })
    }

    /// A matrix that is read; `None` where an access may leave its window, or elements overlap.
    pub(super) fn operand(&self, access: usize, indices: [Option<usize>; 2]) -> Option<Operand<'_, E>> {
        if let Some(spot) = self.spot(access, indices) {
            return Some(self.at(&spot));
        }
        let values = self.windows[self.links[access].window].values();
        let base = self.base(access, indices).filter(|_| self.lie_apart(access, indices))?;
        let ([rows, columns], [below, beside]) = (self.lengths(indices), self.steps(access, indices));
        let layout = copied([rows, columns])?;
        let at = |row: usize, column: usize| base + row * below as usize + column * beside as usize;
        let copied = (0..rows).flat_map(|row| (0..columns).map(move |column| values[at(row, column)])).collect();
        Some(Operand { values: Cow::Owned(copied), layout })
    }

    /// The matrix at a place.
    pub(super) fn at(&self, spot: &Spot) -> Operand<'_, E> {
        let values = self.windows[spot.window].values();
        Operand { values: Cow::Borrowed(&values[spot.base..]), layout: spot.layout }
    }

    /// Whether there is such an operand.
    pub(super) fn is_matrix(&self, access: usize, indices: [Option<usize>; 2]) -> bool {
        let is_apart = || self.base(access, indices).is_some() && self.lie_apart(access, indices);
        let can_be_copied = || is_apart() && copied(self.lengths(indices)).is_some();
        self.spot(access, indices).is_some() || can_be_copied()
    }

    /// Whether no two elements are one.
    fn lie_apart(&self, access: usize, indices: [Option<usize>; 2]) -> bool {
        let ([rows, columns], [below, beside]) = (self.lengths(indices), self.steps(access, indices));
        let reach = |count: usize, step: i64| count as i64 * step;
        below > 0 && beside > 0 && (below >= reach(columns, beside) || beside >= reach(rows, below))
    }

    pub(super) fn lengths(&self, indices: [Option<usize>; 2]) -> [usize; 2] {
        let length = |index: usize| usize::try_from(self.spans[index].1 - self.spans[index].0 + 1).unwrap_or(0);
        indices.map(|index| index.map_or(1, length))
    }

    /// How far neighbours below and beside lie off.
    fn steps(&self, access: usize, indices: [Option<usize>; 2]) -> [i64; 2] {
        indices.map(|index| index.map_or(1, |index| self.links[access].address.coefficient(index)))
    }

    /// Where the first element lies; `None` where the access may leave its window.
    fn base(&self, access: usize, indices: [Option<usize>; 2]) -> Option<usize> {
        let link = &self.links[access];
        let ahead = |index: usize| link.address.coefficient(index) * (self.spans[index].0 - self.slots[index]);
        let first = link.address.value(&self.slots) + indices.into_iter().flatten().map(ahead).sum::<i64>();
        if link.is_safe { usize::try_from(first).ok() } else { None }
    }
}

/// How a copy lies: row by row.
fn copied([rows, columns]: [usize; 2]) -> Option<Layout> {
    Layout::new([rows, columns], [columns as i64, 1])
}
