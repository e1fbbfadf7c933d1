//! Leaves that are products of matrices, for a library.
//!
//! In: a leaf. Out: which windows are multiplied into which, and where the bounds of the loops cut nothing: only there the tile is a product
//! as a library has it. The library adds terms in an order of its own.

use systole_base::integer::{Affine, Bound, Name};
use systole_base::scalar::Function;
use systole_equations::tiles::{Leaf, Step, Value};

/// `C[row, column] += A[row, depth] * B[depth, column]`, either factor transposed or not.
pub(super) struct Product<'l> {
    /// The windows of C, A and B.
    pub windows: [usize; 3],
    pub row: &'l Name,
    pub column: &'l Name,
    pub depth: &'l Name,
    /// Whether A and B are stored the other way round.
    pub is_transposed: [bool; 2],
    /// Bounds of loops from below and from above, each with its index; they must cut nothing.
    pub lower: Vec<(&'l Name, &'l Affine)>,
    pub upper: Vec<(&'l Name, &'l Affine)>,
}

impl<'l> Product<'l> {
    /// The product that a leaf is.
    pub fn of(leaf: &'l Leaf) -> Option<Product<'l>> {
        let mut bounds = Bounds { indices: vec![], lower: vec![], upper: vec![] };
        let (window, element, value) = bounds.nest(leaf, &leaf.body)?;
        let [row, column] = names(element)?;
        let Value::Apply(Function::Add, terms) = value else { return None };
        let [Value::Element(sum, own), Value::Apply(Function::Multiply, factors)] = &terms[..] else { return None };
        let [Value::Element(a, first), Value::Element(b, second)] = &factors[..] else { return None };
        if (*sum, &own[..]) != (window, element) || [*a, *b].contains(&window) || bounds.indices.len() != 3 {
            return None;
        }
        let depth = *bounds.indices.iter().find(|index| **index != row && **index != column)?;
        let way = |one: &'l [Affine], by: [&Name; 2]| {
            let found = names(one)?;
            (found == by || found == [by[1], by[0]]).then(|| found != by)
        };
        let with = |(a, first): (usize, &'l [Affine]), (b, second): (usize, &'l [Affine])| {
            let is_transposed = [way(first, [row, depth])?, way(second, [depth, column])?];
            Some(([window, a, b], is_transposed))
        };
        let found = with((*a, first), (*b, second)).or_else(|| with((*b, second), (*a, first)));
        let (windows, is_transposed) = found?;
        Some(Product { windows, row, column, depth, is_transposed, lower: bounds.lower, upper: bounds.upper })
    }
}

/// The loops of a nest.
struct Bounds<'l> {
    indices: Vec<&'l Name>,
    lower: Vec<(&'l Name, &'l Affine)>,
    upper: Vec<(&'l Name, &'l Affine)>,
}

impl<'l> Bounds<'l> {
    /// The one assignment within loops that stand right within each other.
    fn nest(&mut self, leaf: &'l Leaf, body: &'l [Step]) -> Option<(usize, &'l [Affine], &'l Value)> {
        match body {
            [Step::Set { window, element, value }] => Some((*window, element, value)),
            [Step::Loop { index, lower, upper, body, .. }] => {
                let index = &leaf.indices.get(*index)?.name;
                self.indices.push(index);
                self.lower.extend(exact(index, lower)?);
                self.upper.extend(exact(index, upper)?);
                self.nest(leaf, body)
            }
            _ => None,
        }
    }
}

/// The bounds of an index, of which none is divided.
fn exact<'l>(index: &'l Name, bounds: &'l [Bound]) -> Option<Vec<(&'l Name, &'l Affine)>> {
    let one = |bound: &'l Bound| (bound.coefficient == 1).then_some((index, &bound.form));
    bounds.iter().map(one).collect()
}

/// The two different indices that an element of a matrix has.
fn names(element: &[Affine]) -> Option<[&Name; 2]> {
    let [row, column] = element else { return None };
    let both = [row.as_variable()?, column.as_variable()?];
    (both[0] != both[1]).then_some(both)
}
