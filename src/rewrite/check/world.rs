//! Spaces at sizes: all their points, for looking at each.

use super::texts::{Form, forms};
use crate::integer::{Affine, Bindings, Name, Polyhedron, dot};
use crate::recurrence::Space;
use crate::rewrite::context::Context;
use crate::rewrite::equations::Equations;
use crate::rewrite::frame::{Frame, FrameIndex};
use crate::rewrite::monoid::Monoid;
use std::collections::BTreeSet;
use std::sync::Arc;

/// Equations at sizes.
#[derive(Clone, Debug)]
pub(super) struct World {
    pub equations: Equations,
    pub sizes: Bindings,
    /// What the analysis of the rules knows; the meaning of terms has nothing of it.
    pub context: Arc<Context>,
    points: Vec<BTreeSet<Vec<i64>>>,
    outputs: Vec<Vec<Form>>,
}

/// A space, or what is left of it by taking heads along some directions, one after the other.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Face {
    pub space: usize,
    pub heads: Vec<Vec<i64>>,
}

impl Face {
    /// All of the space with this position.
    pub fn whole(space: usize) -> Face {
        Face { space, heads: vec![] }
    }
}

impl World {
    /// The spaces of `equations` with all points that they have at `sizes`; `None` where some are without bounds.
    pub fn new(equations: Equations, sizes: Bindings, monoids: &[Monoid]) -> Option<World> {
        let mut points = vec![];
        let mut outputs = vec![];
        for space in &equations.spaces {
            points.push(space.domain.set.points(space.indices(), &sizes)?.into_iter().collect());
            let output = |text: String| forms(&text.replace(' ', ""), space.indices(), &sizes);
            let texts: Vec<String> = space.output_access.iter().map(|form| form.to_string()).collect();
            outputs.push(output(format!("[{}]", texts.join(",")))?);
        }
        let mut context = Context::new(&equations);
        context.frame = equations.spaces.first().map(frame_of).unwrap_or_default();
        context.monoids = monoids.to_vec();
        let context = Arc::new(context);
        Some(World { equations, sizes, context, points, outputs })
    }

    pub fn space(&self, position: usize) -> &Space {
        &self.equations.spaces[position]
    }

    /// The space of this name.
    pub fn position(&self, name: &str) -> Option<usize> {
        self.equations.spaces.iter().position(|space| &*space.name == name)
    }

    pub fn points(&self, space: usize) -> &BTreeSet<Vec<i64>> {
        &self.points[space]
    }

    /// Which element each point of a space works on.
    pub fn output(&self, space: usize) -> &[Form] {
        &self.outputs[space]
    }

    pub fn indices(&self, space: usize) -> &[Name] {
        self.equations.spaces[space].indices()
    }

    /// Whether a point is left by taking heads.
    pub fn is_on(&self, face: &Face, point: &[i64]) -> bool {
        self.is_left(face.space, &face.heads, point)
    }

    fn is_left(&self, space: usize, heads: &[Vec<i64>], point: &[i64]) -> bool {
        let Some((last, others)) = heads.split_last() else { return self.points[space].contains(point) };
        let before = moved(point, last, -1);
        self.is_left(space, others, point) && !self.is_left(space, others, &before)
    }

    /// The point before, where the face has it.
    pub fn before(&self, face: &Face, along: &[i64], point: &[i64]) -> Option<Vec<i64>> {
        Some(moved(point, along, -1)).filter(|before| self.is_on(face, before))
    }

    /// The line through a point, from its head on.
    pub fn line(&self, face: &Face, along: &[i64], point: &[i64]) -> Vec<Vec<i64>> {
        if along.iter().all(|entry| *entry == 0) {
            return vec![point.to_vec()];
        }
        let mut head = point.to_vec();
        while let Some(before) = self.before(face, along, &head) {
            head = before;
        }
        let next = |from: &Vec<i64>| Some(moved(from, along, 1)).filter(|to| self.is_on(face, to));
        std::iter::successors(Some(head), next).collect()
    }

    /// The one order of the indices of a space, as directions: always the first one within whose faces all others run, or else the
    /// first that is left.
    fn axes(&self, space: usize) -> Vec<Vec<i64>> {
        let size = self.indices(space).len();
        let unit = |axis: usize| (0..size).map(|place| i64::from(place == axis)).collect::<Vec<i64>>();
        let mut left: Vec<Vec<i64>> = (0..size).map(unit).collect();
        let mut order = vec![];
        while !left.is_empty() {
            let leads =
                |axis: &Vec<i64>| left.iter().all(|other| other == axis || self.runs_within(space, axis, other));
            order.push(left.remove(left.iter().position(leads).unwrap_or(0)));
        }
        order
    }

    /// The next index along which a number is passed on, where the face runs along it.
    pub fn next_axis(&self, face: &Face) -> Option<Vec<i64>> {
        let next = self.axes(face.space).into_iter().nth(face.heads.len());
        next.filter(|along| face.heads.iter().all(|head| self.runs_within(face.space, head, along)))
    }

    /// Whether no line along `along` leaves the faces on which lines along `head` begin.
    fn runs_within(&self, space: usize, head: &[i64], along: &[i64]) -> bool {
        let constraints = self.space(space).domain.set.constraints().iter();
        let mut rows = constraints.map(|form| form.row(self.indices(space)));
        rows.all(|row| dot(&row, head) <= 0 || dot(&row, along) == 0)
    }
}

/// A space as the laws of algebra see it: each index with its range, which may depend on indices before it.
fn frame_of(space: &Space) -> Frame {
    let mut frame = Frame::new(&space.name, &space.parameters);
    for (place, index) in space.indices().iter().enumerate() {
        let later = &space.indices()[place + 1..];
        let bounds = space.domain.set.constraints().iter();
        let bounds = bounds.filter(|form| form.coefficient(index) != 0 && !form.mentions(later));
        let range = Polyhedron::new(bounds.cloned());
        let axis = axis_of(&frame, index, &range).unwrap_or(place);
        frame.add_index(FrameIndex { name: index.clone(), axis, range });
    }
    let accesses = space.operands.iter().map(|operand| &operand.access).chain([&space.output_access]);
    accesses.for_each(|access| {
        frame.add_access(access);
    });
    for index in space.indices() {
        frame.add_access(&[Affine::variable(index)]);
    }
    frame
}

/// The axis of an index that has the same values.
fn axis_of(frame: &Frame, index: &Name, range: &Polyhedron) -> Option<usize> {
    let alike = |other: &&FrameIndex| {
        let image = [(other.name.clone(), Affine::variable(index))].into_iter().collect();
        other.range.substitute(&image) == *range
    };
    frame.indices().iter().find(alike).map(|other| other.axis)
}

fn moved(point: &[i64], along: &[i64], factor: i64) -> Vec<i64> {
    point.iter().zip(along).map(|(x, d)| x + factor * d).collect()
}
