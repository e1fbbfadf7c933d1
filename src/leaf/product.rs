//! Matrix products in a routine, found by their form.
//!
//! In: a nest of two or three loops around `c = c + a * b` or `c = c - a * b`, where no bound is over an index of the nest.
//! Each index must belong to two of the three elements: rows of `c` and `a`, columns of `c` and `b`, what is summed over to `a`
//! and `b`; one of the three may be missing, as for a matrix and a vector. Out: a node that a library runs, with the loops
//! for calls in which the elements do not lie like matrices.

use super::library::{Faer, Layout, Library, Matrix};
use super::routine::{Access, Loop, Node, Operation, Set, Way};
use super::run::Run;
use super::window::Elements;
use crate::array::Trouble;
use crate::recurrence::Function;

/// `c += factor * a * b`.
#[derive(Clone, Debug)]
pub(super) struct Product {
    /// What computes the same.
    pub loops: Loop,
    /// The loops over rows, columns, and what is summed, as positions in the nest.
    roles: [Option<usize>; 3],
    factor: f64,
    /// The accesses `c`, `a`, `b`.
    accesses: [usize; 3],
}

/// Replaces each matrix product by a node that a library runs.
pub(super) fn find_products(body: &mut [Node], accesses: &[Access]) {
    for node in body {
        let found = if let Node::Loop(repeated) = node { recognise(repeated, accesses) } else { None };
        match (node, found) {
            (node, Some(product)) => *node = Node::Product(Box::new(product)),
            (Node::Loop(repeated), None) if repeated.way == Way::Around => {
                find_products(&mut repeated.body, accesses);
            }
            (Node::If { then, otherwise, .. }, None) => {
                find_products(then, accesses);
                find_products(otherwise, accesses);
            }
            _ => {}
        }
    }
}

/// How many products a body has.
pub(super) fn count_products(body: &[Node]) -> usize {
    let count = |node: &Node| match node {
        Node::Product(_) => 1,
        Node::Loop(repeated) => count_products(&repeated.body),
        Node::If { then, otherwise, .. } => count_products(then) + count_products(otherwise),
        Node::Set(_) => 0,
    };
    body.iter().map(count).sum()
}

fn recognise(repeated: &Loop, accesses: &[Access]) -> Option<Product> {
    let (nest, set) = nest_of(repeated)?;
    let indices: Vec<usize> = nest.iter().map(|inside| inside.index).collect();
    let mut bounds = nest.iter().flat_map(|inside| inside.lower.iter().chain(&inside.upper));
    if !(2..=3).contains(&nest.len()) || bounds.any(|(form, _)| form.mentions(&indices)) {
        return None;
    }
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
    all_have_one.then(|| Product { loops: repeated.clone(), roles, factor, accesses: [set.target, a, b] })
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

impl<'a> Run<'a> {
    /// Runs a product by the library, or by its loops.
    pub(super) fn product(&mut self, product: &'a Product) -> Result<(), Trouble> {
        let Some((nest, _)) = nest_of(&product.loops) else { return self.repeat(&product.loops) };
        let ranges: Vec<(i64, i64)> = nest.iter().map(|inside| self.rounds(inside)).collect();
        if ranges.iter().any(|(first, last)| first > last) {
            return Ok(());
        }
        nest.iter().zip(&ranges).for_each(|(inside, range)| self.slots[inside.index] = range.0);
        match self.multiply(product, &nest, &ranges) {
            Some(()) => Ok(()),
            None => self.repeat(&product.loops),
        }
    }

    /// `None`, and nothing done, where an access is not known to stay within its window or does not lie like a matrix.
    fn multiply(&mut self, product: &Product, nest: &[&Loop], ranges: &[(i64, i64)]) -> Option<()> {
        let length = |role: usize| {
            product.roles[role].map_or(Some(1), |position| {
                let (first, last) = ranges[position];
                usize::try_from(last - first + 1).ok()
            })
        };
        let layout = |access: usize, [down, across]: [usize; 2]| {
            let link = &self.links[access];
            let step =
                |role: usize| product.roles[role].map_or(1, |position| link.address.coefficient(nest[position].index));
            let layout = Layout::new([length(down)?, length(across)?], [step(down), step(across)])?;
            link.is_safe.then_some((link.window, usize::try_from(link.address.value(&self.slots)).ok()?, layout))
        };
        let [c, a, b] = product.accesses;
        let (c, a, b) = (layout(c, [0, 1])?, layout(a, [0, 2])?, layout(b, [2, 1])?);
        let mut target = std::mem::replace(&mut self.windows[c.0], Elements::Shared(&[]));
        let matrix = |(window, base, layout): (usize, usize, Layout)| Matrix {
            values: &self.windows[window].values()[base..],
            layout,
        };
        Faer.add_product(&mut target.values_mut()[c.1..], c.2, product.factor, matrix(a), matrix(b));
        self.windows[c.0] = target;
        Some(())
    }
}
