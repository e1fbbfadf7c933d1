//! Matrix products of a call, run by a library.
//!
//! In: a product, and the boxes of the call. Bounds between its indices cut a part out of the box: what they leave is halved until the
//! pieces are boxes or a triangle, which the library does, or so small that loops do them.

use super::place::{Operand, Spot};
use super::run::Run;
use super::window::Elements;
use crate::leaf::Element;
use crate::leaf::library::{Layout, Library, Matrix, Square, Target};
use crate::leaf::recognised::{Product, nest_of};
use crate::leaf::routine::{Few, Loop, SlotAffine, Span};
use crate::leaf::tally::Service;
use systole_program::array::Trouble;

/// Pieces of no more rounds along any index are run by loops.
const SMALLEST: i64 = 16;

/// What the bounds between indices leave of a box.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Remaining {
    Nothing,
    All,
    /// Rows no less than columns, or columns no less than rows, counted within the box.
    Triangle {
        is_lower: bool,
        has_diagonal: bool,
    },
    /// Anything else.
    Other,
}

/// Does a piece of a product.
pub type Act<'f, 'a, E> = dyn FnMut(&mut Run<'a, E>, Remaining) -> Result<bool, Trouble> + 'f;

impl<'a, E: Element> Run<'a, E> {
    /// Runs a product by the library, or by its loops.
    pub(super) fn product(
        &mut self,
        product: &Product,
        loops: &'a Loop,
        library: &dyn Library<E>,
    ) -> Result<(), Trouble> {
        self.cut(product, loops, &mut |run, part| match part {
            Remaining::Other => {
                run.fill();
                run.repeat(loops).map(|()| true)
            }
            _ => Ok(run.multiply(product, part, library).is_some()),
        })
    }

    /// Has `act` do what the bounds leave of a product, piece by piece, each with the spans of the piece: a box or a triangle,
    /// of which it says whether it could; what is neither, or what it could not, it must do as [`Remaining::Other`].
    pub fn cut(&mut self, product: &Product, loops: &'a Loop, act: &mut Act<'_, 'a, E>) -> Result<(), Trouble> {
        let held = Few::from_slice(&self.spans);
        let narrowed = nest_of(loops).map(|(nest, _)| nest).unwrap_or_default();
        for inside in narrowed {
            self.spans[inside.index] = self.outer_rounds(inside, &product.indices);
        }
        let done = self.pieces(product, act);
        self.spans = held;
        done
    }

    /// Does what the bounds leave of the box that the spans are.
    fn pieces(&mut self, product: &Product, act: &mut Act<'_, 'a, E>) -> Result<(), Trouble> {
        let lengths = product.indices.iter().map(|index| self.spans[*index].1 - self.spans[*index].0 + 1);
        let lengths: Few<i64> = lengths.collect();
        let part = if lengths.iter().any(|length| *length <= 0) { Remaining::Nothing } else { self.part(product) };
        if part == Remaining::Nothing || (part != Remaining::Other && act(self, part)?) {
            return Ok(());
        }
        let cut = product.indices.iter().zip(&lengths).filter(|(index, _)| self.cuts(product, **index));
        match cut.max_by_key(|(_, length)| **length) {
            Some((index, length)) if *length > SMALLEST => {
                let (first, last) = self.spans[*index];
                let middle = first + length / 2;
                self.spans[*index] = (first, middle - 1);
                self.pieces(product, act)?;
                self.spans[*index] = (middle, last);
                self.pieces(product, act)?;
                self.spans[*index] = (first, last);
                Ok(())
            }
            _ => act(self, Remaining::Other).map(|_| ()),
        }
    }

    /// Whether a bound that leaves a part of the box only is over this index.
    fn cuts(&self, product: &Product, index: usize) -> bool {
        let over = |form: &&SlotAffine| form.coefficient(index) != 0;
        product.within.iter().filter(over).any(|form| self.values(product, form).0 < 0)
    }

    /// The least and the greatest value of a form in the box.
    fn values(&self, product: &Product, form: &SlotAffine) -> Span {
        form.terms.iter().fold((form.constant, form.constant), |(low, high), (slot, by)| {
            let is_inner = product.indices.contains(slot);
            let (first, last) = if is_inner { self.spans[*slot] } else { (self.slots[*slot], self.slots[*slot]) };
            (low + (by * first).min(by * last), high + (by * first).max(by * last))
        })
    }

    fn part(&self, product: &Product) -> Remaining {
        let open: Few<&SlotAffine> = product.within.iter().filter(|form| self.values(product, form).0 < 0).collect();
        match open.as_slice() {
            [] => Remaining::All,
            forms if forms.iter().any(|form| self.values(product, form).1 < 0) => Remaining::Nothing,
            [form] => self.triangle(product, form).unwrap_or(Remaining::Other),
            _ => Remaining::Other,
        }
    }

    /// The triangle of rows and columns that a form leaves of a square.
    fn triangle(&self, product: &Product, form: &SlotAffine) -> Option<Remaining> {
        let [row, column] = [product.roles[0]?, product.roles[1]?].map(|position| product.indices[position]);
        let length = |index: usize| self.spans[index].1 - self.spans[index].0;
        let by = form.coefficient(row);
        let others = form.terms.iter().filter(|(slot, _)| product.indices.contains(slot)).count();
        if by.abs() != 1 || form.coefficient(column) != -by || others != 2 || length(row) != length(column) {
            return None;
        }
        let mut slots = self.slots.clone();
        product.indices.iter().for_each(|index| slots[*index] = self.spans[*index].0);
        let has_diagonal = match form.value(&slots) {
            0 => true,
            -1 => false,
            _ => return None,
        };
        Some(Remaining::Triangle { is_lower: by > 0, has_diagonal })
    }

    /// What a piece would ask of a library; `None` where none can do it.
    pub fn counted(&self, product: &Product, part: Remaining) -> Option<(Service, u64)> {
        let [c, a, b] = product.matrices();
        let Spot { layout, .. } = self.spot(c.0, c.1)?;
        let are_there = self.is_matrix(a.0, a.1) && self.is_matrix(b.0, b.1);
        are_there.then(|| count(part, layout, self.lengths(a.1)[1]))
    }

    /// `None`, and nothing done, where an access is not known to stay within its window or does not lie like a matrix.
    fn multiply(&mut self, product: &Product, part: Remaining, library: &dyn Library<E>) -> Option<()> {
        let [c, a, b] = product.matrices();
        let (c, part) = (self.spot(c.0, c.1)?, (part, E::rounded(product.factor)));
        self.add(c, part, |run| Some([run.operand(a.0, a.1)?, run.operand(b.0, b.1)?]), library)
    }

    /// Adds the product of what `operands` gives to a matrix, or a part of it; `None`, and nothing done, where it gives nothing.
    pub(super) fn add<F>(
        &mut self,
        Spot { window, base, layout }: Spot,
        (part, factor): (Remaining, E),
        operands: F,
        library: &dyn Library<E>,
    ) -> Option<()>
    where
        F: FnOnce(&Self) -> Option<[Operand<'_, E>; 2]>,
    {
        let is_blank = part == Remaining::All && self.is_blank(window, layout) && self.blank == Some(E::ZERO);
        if !is_blank {
            self.fill();
        }
        let mut target = std::mem::replace(&mut self.windows[window], Elements::Shared(&[]));
        let c = Target { values: &mut target.values_mut()[base..], layout, is_blank };
        let done = operands(self).map(|[a, b]| add(c, part, factor, (a.matrix(), b.matrix()), library));
        self.windows[window] = target;
        let (service, applied) = done?;
        self.blank = self.blank.filter(|_| !is_blank);
        self.work.serve(service, applied);
        Some(())
    }
}

/// Adds a product to a matrix or a triangle of it; gives what was asked of the library, and the applications that it stands for.
fn add<E: Element>(
    c: Target<'_, E>,
    part: Remaining,
    factor: E,
    (a, b): (Matrix<'_, E>, Matrix<'_, E>),
    library: &dyn Library<E>,
) -> (Service, u64) {
    let counted = count(part, c.layout, a.layout.columns);
    let Remaining::Triangle { is_lower, has_diagonal } = part else {
        library.add_product(c, factor, a, b);
        return counted;
    };
    let Target { values, layout, .. } = c;
    let (layout, a, b) = if is_lower { (layout, a, b) } else { (layout.transposed(), b.transposed(), a.transposed()) };
    library.add_triangle(Square { values, layout }, has_diagonal, factor, a, b);
    counted
}

/// What a piece asks of the library, and the applications that this stands for, with so many terms an element.
fn count(part: Remaining, layout: Layout, terms: usize) -> (Service, u64) {
    let (rows, columns, terms) = (layout.rows as u64, layout.columns as u64, 2 * terms as u64);
    match part {
        Remaining::Triangle { has_diagonal: true, .. } => (Service::Triangle, terms * (rows * (rows + 1) / 2)),
        Remaining::Triangle { has_diagonal: false, .. } => {
            (Service::Triangle, terms * (rows * rows.saturating_sub(1) / 2))
        }
        _ => (Service::Product, terms * rows * columns),
    }
}
