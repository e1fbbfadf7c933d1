//! Matrix products in a routine, found by their form.
//!
//! In: a nest of two or three loops around `c = c + a * b` or `c = c - a * b`. Each index must belong to two of the three
//! elements: rows of `c` and `a`, columns of `c` and `b`, what is summed over to `a` and `b`; one of the three may be missing,
//! as for a matrix and a vector. A nest of more indices is loops around such nests. Out: the [`Product`] that the nest is, with
//! the bounds between its indices, such as those of a symmetric update.

use crate::leaf::routine::{Access, Few, Loop, Node, Operation, Set, SlotAffine, Way};
use systole_base::scalar::Function;

/// `c += factor * a * b`.
#[derive(Clone, Debug)]
pub struct Product {
    /// The indices of the nest.
    pub indices: Vec<usize>,
    /// Those of rows, columns, and what is summed, as positions in the nest.
    pub roles: [Option<usize>; 3],
    pub factor: f64,
    /// The accesses `c`, `a`, `b`.
    pub accesses: [usize; 3],
    /// Forms that are at least 0 within, each over indices of the nest.
    pub within: Vec<SlotAffine>,
}

impl Product {
    /// The accesses `c`, `a`, `b`, each with the indices of its rows and of its columns.
    pub fn matrices(&self) -> [(usize, [Option<usize>; 2]); 3] {
        let [rows, columns, inner] = self.roles.map(|role| role.map(|position| self.indices[position]));
        let [c, a, b] = self.accesses;
        [(c, [rows, columns]), (a, [rows, inner]), (b, [inner, columns])]
    }

    /// Whether bounds between its rows and columns, and no other bounds, cut a part out of its box.
    pub fn is_triangle(&self) -> bool {
        let index = |role: usize| self.roles[role].map(|position| self.indices[position]);
        let has = |form: &SlotAffine, role: usize| index(role).is_some_and(|index| form.coefficient(index) != 0);
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
    let (factor, [_, a, b]) = parts(set)?;
    let members = members(&nest, set, accesses)?;
    let role = |wanted: [bool; 3]| members.iter().position(|found| *found == wanted);
    let roles = [role([true, true, false]), role([true, false, true]), role([false, true, true])];
    let all_have_one = roles.iter().flatten().count() == nest.len();
    let within = inner_bounds(&nest, &indices)?;
    all_have_one.then_some(Product { indices, roles, factor, accesses: [set.target, a, b], within })
}

/// For each loop of a nest around `c = c + a * b` which of `c`, `a` and `b` its index is in; `None` of any other nest, and where `a` or `b` is
/// what the nest writes.
fn members(nest: &[&Loop], set: &Set, accesses: &[Access]) -> Option<Vec<[bool; 3]>> {
    let (_, [old, a, b]) = parts(set)?;
    if accesses[old] != accesses[set.target] || [a, b].iter().any(|x| accesses[*x].window == accesses[old].window) {
        return None;
    }
    let has = |access: usize, index: usize| accesses[access].subscripts.iter().any(|form| form.coefficient(index) != 0);
    Some(nest.iter().map(|inside| [old, a, b].map(|access| has(access, inside.index))).collect())
}

/// A nest of more indices than a product has, as a loop around a nest with one less: an index of the result that all three elements have, or
/// one of two with the same role, the outer one. Each element keeps its terms and their order.
pub(super) fn hoisted(repeated: &Loop, accesses: &[Access]) -> Option<Loop> {
    let (nest, set) = nest_of(repeated)?;
    let members = members(&nest, set, accesses)?;
    let is_surplus = |at: usize| match members[at] {
        [true, true, true] => true,
        [true, in_a, in_b] => in_a != in_b && members[at + 1..].contains(&members[at]),
        [false, ..] => false,
    };
    let at = (0..nest.len()).find(|at| is_surplus(*at))?;
    let outer: Vec<usize> = nest[..at].iter().map(|inside| inside.index).collect();
    let mut bounds = nest[at].lower.iter().chain(&nest[at].upper);
    if bounds.any(|(form, _)| form.mentions(&outer)) {
        return None;
    }
    let innermost = vec![Node::Set(set.clone())];
    let around = |body: Vec<Node>, inside: &Loop| vec![Node::Loop(Loop { body, way: Way::Around, ..inside.clone() })];
    let rest = nest.iter().enumerate().rev().filter(|(position, _)| *position != at);
    let body = rest.fold(innermost, |body, (_, inside)| around(body, inside));
    Some(Loop { body, way: Way::Around, ..nest[at].clone() })
}

/// The bounds over indices of the nest; `None` where the bounded index has a factor in one.
fn inner_bounds(nest: &[&Loop], indices: &[usize]) -> Option<Vec<SlotAffine>> {
    let mut within = vec![];
    for inside in nest {
        let index = SlotAffine::slot(inside.index);
        let lower = inside.lower.iter().map(|(form, by)| (form.mentions(indices), *by, index.minus(form)));
        let upper = inside.upper.iter().map(|(form, by)| (form.mentions(indices), *by, form.minus(&index)));
        let inner: Vec<(bool, i64, SlotAffine)> = lower.chain(upper).filter(|(is_inner, ..)| *is_inner).collect();
        if inner.iter().any(|(_, by, _)| *by != 1) {
            return None;
        }
        within.extend(inner.into_iter().map(|(.., form)| form));
    }
    Some(within)
}

/// The loops that hold nothing but one another, and the set within.
pub fn nest_of(repeated: &Loop) -> Option<(Few<&Loop>, &Set)> {
    let mut nest = Few::from_slice(&[repeated]);
    let mut body = repeated.body.as_slice();
    loop {
        match body {
            _ if nest.iter().any(|inside| inside.falls) => return None,
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
pub fn parts(set: &Set) -> Option<(f64, [usize; 3])> {
    use Function::{Add, Multiply, Subtract};
    use Operation::{Apply, Load};
    match set.value.as_slice() {
        [Load(c), Load(a), Load(b), Apply(Multiply), Apply(Add)] => Some((1.0, [*c, *a, *b])),
        [Load(a), Load(b), Apply(Multiply), Load(c), Apply(Add)] => Some((1.0, [*c, *a, *b])),
        [Load(c), Load(a), Load(b), Apply(Multiply), Apply(Subtract)] => Some((-1.0, [*c, *a, *b])),
        _ => None,
    }
}
