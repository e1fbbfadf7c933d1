//! How many rounds of a loop may be run side by side.
//!
//! In: the accesses in a loop's body. Out: a number of neighbouring rounds such that no two of them touch one element, where
//! one writes it. Then the rounds can be run operation by operation, and each element still gets its values in the order
//! of the text, bit for bit.
//!
//! Two rounds of index `a` write and read one element only if the subscripts agree in every dimension. A dimension with
//! subscripts `f + w a` and `f + w a' + d`, where `f` is over the loops around alone, tells `a - a' = d / w`: never where that
//! is no integer, else at one distance.

use super::compile::visit;
use super::slot_affine::{SlotAffine, Span};
use super::{Access, Loop, Node, Operation, Way};

/// The most rounds that are run side by side.
pub const LANES: usize = 64;

/// Decides for each loop how it is run: the innermost that can run side by side does.
pub fn choose_ways(body: &mut [Node], accesses: &[Access], spans: &[Span]) {
    for node in body {
        match node {
            Node::Loop(repeated) => {
                choose_ways(&mut repeated.body, accesses, spans);
                repeated.way = choose_way(repeated, accesses, spans);
            }
            Node::If { then, otherwise, .. } => {
                choose_ways(then, accesses, spans);
                choose_ways(otherwise, accesses, spans);
            }
            Node::Set(_) | Node::Known(_) => {}
        }
    }
}

fn choose_way(repeated: &Loop, accesses: &[Access], spans: &[Span]) -> Way {
    let mut inner = vec![];
    collect_loops(&repeated.body, &mut inner);
    let is_lane_around = inner.iter().any(|inside| matches!(inside.way, Way::Lanes(_)));
    let positions: Vec<usize> = inner.iter().map(|inside| inside.index).collect();
    if is_lane_around || !is_uniform(&repeated.body, repeated.index, false) {
        return Way::Around;
    }
    match independent_rounds(repeated, &positions, accesses, spans) {
        // Rounds side by side are taken in rising order.
        rounds if repeated.falls && rounds < all_rounds(repeated, spans) => Way::Around,
        0..4 if positions.is_empty() => Way::Sequence,
        0..4 => Way::Around,
        rounds => Way::Lanes(rounds.min(LANES)),
    }
}

fn collect_loops<'a>(body: &'a [Node], found: &mut Vec<&'a Loop>) {
    for node in body {
        match node {
            Node::Loop(repeated) => {
                found.push(repeated);
                collect_loops(&repeated.body, found);
            }
            Node::If { then, otherwise, .. } => {
                collect_loops(then, found);
                collect_loops(otherwise, found);
            }
            Node::Set(_) | Node::Known(_) => {}
        }
    }
}

/// Whether the loops within run the same rounds, and decide the same, in all rounds of `index`. Conditions outside of
/// all loops within may differ: there the rounds are cut into ranges.
fn is_uniform(body: &[Node], index: usize, within: bool) -> bool {
    body.iter().all(|node| match node {
        Node::Loop(repeated) => {
            let mut bounds = repeated.lower.iter().chain(&repeated.upper);
            bounds.all(|(form, _)| form.coefficient(index) == 0) && is_uniform(&repeated.body, index, true)
        }
        Node::If { conditions, then, otherwise } => {
            let same = !within || conditions.iter().all(|form| form.coefficient(index) == 0);
            same && is_uniform(then, index, within) && is_uniform(otherwise, index, within)
        }
        Node::Set(_) | Node::Known(_) => true,
    })
}

/// No fewer than a loop has.
fn all_rounds(repeated: &Loop, spans: &[Span]) -> usize {
    let (first, last) = spans[repeated.index];
    usize::try_from(last - first + 1).unwrap_or(0).max(LANES)
}

fn independent_rounds(repeated: &Loop, inner: &[usize], accesses: &[Access], spans: &[Span]) -> usize {
    let (mut writes, mut touched) = (vec![], vec![]);
    visit(&repeated.body, &mut |set| {
        writes.push(set.target);
        touched.push(set.target);
        touched.extend(set.value.iter().filter_map(|operation| match operation {
            Operation::Load(access) => Some(*access),
            _ => None,
        }));
    });
    let rounds = all_rounds(repeated, spans);
    let pairs = writes.iter().flat_map(|write| touched.iter().map(|other| (&accesses[*write], &accesses[*other])));
    let pairs = pairs.filter(|(write, other)| write.window == other.window);
    pairs.map(|(write, other)| distance(write, other, repeated.index, inner)).fold(rounds, usize::min)
}

/// How many neighbouring rounds are free of a clash between the two.
fn distance(write: &Access, other: &Access, index: usize, inner: &[usize]) -> usize {
    let dimensions = write.subscripts.iter().zip(&other.subscripts);
    dimensions.map(|(a, b)| distance_along(a, b, index, inner)).max().unwrap_or(1)
}

/// What one dimension tells: 1 where it tells nothing.
fn distance_along(a: &SlotAffine, b: &SlotAffine, index: usize, inner: &[usize]) -> usize {
    if a.mentions(inner) || b.mentions(inner) || a.terms != b.terms {
        return 1;
    }
    let (shift, stride) = ((b.constant - a.constant).unsigned_abs(), a.coefficient(index).unsigned_abs());
    match stride {
        0 if shift == 0 => 1,
        0 => usize::MAX,
        _ if shift == 0 || shift % stride != 0 => usize::MAX,
        _ => usize::try_from(shift / stride).unwrap_or(usize::MAX),
    }
}

/// Whether what is done depends on an index.
pub fn depends(nodes: &[Node], index: usize) -> bool {
    let is_in = |form: &SlotAffine| form.mentions(&[index]);
    nodes.iter().any(|node| match node {
        Node::Loop(repeated) => is_looped_by(repeated, index),
        Node::If { conditions, then, otherwise } => {
            conditions.iter().any(is_in) || depends(then, index) || depends(otherwise, index)
        }
        Node::Set(_) => false,
        Node::Known(known) => is_looped_by(&known.loops, index),
    })
}

fn is_looped_by(repeated: &Loop, index: usize) -> bool {
    let mut bounds = repeated.lower.iter().chain(&repeated.upper);
    bounds.any(|(form, _)| form.mentions(&[index])) || depends(&repeated.body, index)
}
