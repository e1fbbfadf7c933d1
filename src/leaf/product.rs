//! Matrix products in a routine, found by their form.
//!
//! In: a nest of two or three loops around `c = c + a * b` or `c = c - a * b`. Each index must belong to two of the three
//! elements: rows of `c` and `a`, columns of `c` and `b`, what is summed over to `a` and `b`; one of the three may be missing,
//! as for a matrix and a vector. Out: a node that a library runs. Bounds between the indices of the nest, such as those of a
//! symmetric update, cut a part out of the box: what they leave is halved until the pieces are boxes or a triangle.

use super::form::{Few, Form, Span};
use super::library::{Layout, Library, Matrix, Square, Target};
use super::place::Spot;
use super::routine::{Access, Loop, Node, Operation, Set};
use super::run::Run;
use super::tally::Service;
use super::window::Elements;
use crate::array::Trouble;
use crate::recurrence::Function;

/// Pieces of no more rounds along any index are run by loops.
const SMALLEST: i64 = 16;

/// `c += factor * a * b`.
#[derive(Clone, Debug)]
pub(super) struct Product {
    /// The indices of the nest.
    indices: Vec<usize>,
    /// Those of rows, columns, and what is summed, as positions in the nest.
    roles: [Option<usize>; 3],
    factor: f64,
    /// The accesses `c`, `a`, `b`.
    accesses: [usize; 3],
    /// Forms that are at least 0 within, each over indices of the nest.
    within: Vec<Form>,
}

impl Product {
    /// Whether bounds between its rows and columns, and no other bounds, cut a part out of its box.
    pub fn is_triangle(&self) -> bool {
        let index = |role: usize| self.roles[role].map(|position| self.indices[position]);
        let has = |form: &Form, role: usize| index(role).is_some_and(|index| form.coefficient(index) != 0);
        !self.within.is_empty() && self.within.iter().all(|form| has(form, 0) && has(form, 1))
    }
}

/// The product that a nest is.
pub(super) fn recognise(repeated: &Loop, accesses: &[Access]) -> Option<Product> {
    let (nest, set) = nest_of(repeated)?;
    if !(2..=3).contains(&nest.len()) {
        return None;
    }
    let indices: Vec<usize> = nest.iter().map(|inside| inside.index).collect();
    let (factor, [old, a, b]) = parts(set)?;
    if accesses[old] != accesses[set.target] || [a, b].iter().any(|x| accesses[*x].window == accesses[old].window) {
        return None;
    }
    let has = |access: usize, index: usize| accesses[access].subscripts.iter().any(|form| form.coefficient(index) != 0);
    let membership = |index: &usize| [has(old, *index), has(a, *index), has(b, *index)];
    let members: Vec<[bool; 3]> = indices.iter().map(membership).collect();
    let role = |wanted: [bool; 3]| members.iter().position(|found| *found == wanted);
    let roles = [role([true, true, false]), role([true, false, true]), role([false, true, true])];
    let all_have_one = roles.iter().flatten().count() == nest.len();
    let within = inner_bounds(&nest, &indices)?;
    all_have_one.then_some(Product { indices, roles, factor, accesses: [set.target, a, b], within })
}

/// The bounds over indices of the nest; `None` where the bounded index has a factor in one.
fn inner_bounds(nest: &[&Loop], indices: &[usize]) -> Option<Vec<Form>> {
    let mut within = vec![];
    for inside in nest {
        let index = Form::slot(inside.index);
        let lower = inside.lower.iter().map(|(form, by)| (form.mentions(indices), *by, index.minus(form)));
        let upper = inside.upper.iter().map(|(form, by)| (form.mentions(indices), *by, form.minus(&index)));
        let inner: Vec<(bool, i64, Form)> = lower.chain(upper).filter(|(is_inner, ..)| *is_inner).collect();
        if inner.iter().any(|(_, by, _)| *by != 1) {
            return None;
        }
        within.extend(inner.into_iter().map(|(.., form)| form));
    }
    Some(within)
}

/// The loops that hold nothing but one another, and the set within.
fn nest_of(repeated: &Loop) -> Option<(Vec<&Loop>, &Set)> {
    let mut nest = vec![repeated];
    let mut body = repeated.body.as_slice();
    loop {
        match body {
            [Node::Loop(inside)] => {
                nest.push(inside);
                body = &inside.body;
            }
            [Node::Set(set)] => return Some((nest, set)),
            _ => return None,
        }
    }
}

/// `c + a * b`, `a * b + c` or `c - a * b`, as the factor of the product and its elements.
pub(super) fn parts(set: &Set) -> Option<(f64, [usize; 3])> {
    use Function::{Add, Multiply, Subtract};
    use Operation::{Apply, Load};
    match set.value.as_slice() {
        [Load(c), Load(a), Load(b), Apply(Multiply), Apply(Add)] => Some((1.0, [*c, *a, *b])),
        [Load(a), Load(b), Apply(Multiply), Load(c), Apply(Add)] => Some((1.0, [*c, *a, *b])),
        [Load(c), Load(a), Load(b), Apply(Multiply), Apply(Subtract)] => Some((-1.0, [*c, *a, *b])),
        _ => None,
    }
}

/// What the bounds between indices leave of a box.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Part {
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
pub(super) type Act<'f, 'a> = dyn FnMut(&mut Run<'a>, Part) -> Result<bool, Trouble> + 'f;

impl<'a> Run<'a> {
    /// Runs a product by the library, or by its loops.
    pub(super) fn product(&mut self, product: &Product, loops: &'a Loop, library: &dyn Library) -> Result<(), Trouble> {
        self.cut(product, loops, &mut |run, part| match part {
            Part::Other => {
                run.fill();
                run.repeat(loops).map(|()| true)
            }
            _ => Ok(run.multiply(product, part, library).is_some()),
        })
    }

    /// Has `act` do what the bounds leave of a product, piece by piece, each with the spans of the piece: a box or a triangle,
    /// of which it says whether it could; what is neither, or what it could not, it must do as [`Part::Other`].
    pub(super) fn cut(&mut self, product: &Product, loops: &'a Loop, act: &mut Act<'_, 'a>) -> Result<(), Trouble> {
        let held = self.spans.clone();
        let narrowed = nest_of(loops).map(|(nest, _)| nest).unwrap_or_default();
        for inside in narrowed {
            self.spans[inside.index] = self.outer_rounds(inside, &product.indices);
        }
        let done = self.pieces(product, act);
        self.spans = held;
        done
    }

    /// Does what the bounds leave of the box that the spans are.
    fn pieces(&mut self, product: &Product, act: &mut Act<'_, 'a>) -> Result<(), Trouble> {
        let lengths = product.indices.iter().map(|index| self.spans[*index].1 - self.spans[*index].0 + 1);
        let lengths: Few<i64> = lengths.collect();
        let part = if lengths.iter().any(|length| *length <= 0) { Part::Nothing } else { self.part(product) };
        if part == Part::Nothing || (part != Part::Other && act(self, part)?) {
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
            _ => act(self, Part::Other).map(|_| ()),
        }
    }

    /// Whether a bound that leaves a part of the box only is over this index.
    fn cuts(&self, product: &Product, index: usize) -> bool {
        let over = |form: &&Form| form.coefficient(index) != 0;
        product.within.iter().filter(over).any(|form| self.values(product, form).0 < 0)
    }

    /// The least and the greatest value of a form in the box.
    fn values(&self, product: &Product, form: &Form) -> Span {
        form.terms.iter().fold((form.constant, form.constant), |(low, high), (slot, by)| {
            let is_inner = product.indices.contains(slot);
            let (first, last) = if is_inner { self.spans[*slot] } else { (self.slots[*slot], self.slots[*slot]) };
            (low + (by * first).min(by * last), high + (by * first).max(by * last))
        })
    }

    fn part(&self, product: &Product) -> Part {
        let open: Vec<&Form> = product.within.iter().filter(|form| self.values(product, form).0 < 0).collect();
        match open.as_slice() {
            [] => Part::All,
            forms if forms.iter().any(|form| self.values(product, form).1 < 0) => Part::Nothing,
            [form] => self.triangle(product, form).unwrap_or(Part::Other),
            _ => Part::Other,
        }
    }

    /// The triangle of rows and columns that a form leaves of a square.
    fn triangle(&self, product: &Product, form: &Form) -> Option<Part> {
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
        Some(Part::Triangle { is_lower: by > 0, has_diagonal })
    }

    /// What a piece would ask of a library; `None` where none can do it.
    pub(super) fn counted(&self, product: &Product, part: Part) -> Option<(Service, u64)> {
        let [rows, columns, inner] = product.roles.map(|role| role.map(|position| product.indices[position]));
        let [c, a, b] = product.accesses;
        let Spot { layout, .. } = self.spot(c, [rows, columns])?;
        let are_there = self.is_matrix(a, [rows, inner]) && self.is_matrix(b, [inner, columns]);
        are_there.then(|| count(part, layout, self.lengths([None, inner])[1]))
    }

    /// `None`, and nothing done, where an access is not known to stay within its window or does not lie like a matrix.
    fn multiply(&mut self, product: &Product, part: Part, library: &dyn Library) -> Option<()> {
        let [rows, columns, inner] = product.roles.map(|role| role.map(|position| product.indices[position]));
        let [c, a, b] = product.accesses;
        let Spot { window, base, layout } = self.spot(c, [rows, columns])?;
        let is_blank = part == Part::All && self.is_blank(window, layout) && self.blank == Some(0.0);
        if !is_blank {
            self.fill();
        }
        let mut target = std::mem::replace(&mut self.windows[window], Elements::Shared(&[]));
        let operands = self.operand(a, [rows, inner]).zip(self.operand(b, [inner, columns]));
        let c = Target { values: &mut target.values_mut()[base..], layout, is_blank };
        let done = operands.map(|(a, b)| add(c, part, product.factor, (a.matrix(), b.matrix()), library));
        self.windows[window] = target;
        let (service, applied) = done?;
        self.blank = self.blank.filter(|_| !is_blank);
        self.work.serve(service, applied);
        Some(())
    }
}

/// Adds a product to a matrix or a triangle of it; gives what was asked of the library, and the applications that it stands for.
fn add(
    c: Target<'_>,
    part: Part,
    factor: f64,
    (a, b): (Matrix<'_>, Matrix<'_>),
    library: &dyn Library,
) -> (Service, u64) {
    let counted = count(part, c.layout, a.layout.columns);
    let Part::Triangle { is_lower, has_diagonal } = part else {
        library.add_product(c, factor, a, b);
        return counted;
    };
    let Target { values, layout, .. } = c;
    let (layout, a, b) = if is_lower { (layout, a, b) } else { (layout.transposed(), b.transposed(), a.transposed()) };
    library.add_triangle(Square { values, layout }, has_diagonal, factor, a, b);
    counted
}

/// What a piece asks of the library, and the applications that this stands for, with so many terms an element.
fn count(part: Part, layout: Layout, terms: usize) -> (Service, u64) {
    let (rows, columns, terms) = (layout.rows as u64, layout.columns as u64, 2 * terms as u64);
    match part {
        Part::Triangle { has_diagonal: true, .. } => (Service::Triangle, terms * (rows * (rows + 1) / 2)),
        Part::Triangle { has_diagonal: false, .. } => (Service::Triangle, terms * (rows * rows.saturating_sub(1) / 2)),
        _ => (Service::Product, terms * rows * columns),
    }
}
