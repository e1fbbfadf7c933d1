//! Where terms are evaluated: the spaces of a system at sizes, or a frame at sizes.
//!
//! In: equations or a frame, sizes, declared monoids. Out: a [`World`]. Of spaces it has all points; of a frame the range of each index,
//! since the terms of a whole kernel have more indices than anybody can go through at once. A frame stands in the place of one
//! space, which has its indices.

use super::elements::{Definition, definitions};
use super::ranges::Ranges;
use super::texts::{AffineRow, forms};
use crate::rewrite::registry::{Context, Equations, Frame};
use crate::rewrite::rules::Monoid;
use std::collections::BTreeSet;
use std::sync::Arc;
use systole_base::integer::{Bindings, Name, dot};
use systole_equations::recurrence::Space;

/// Equations at sizes.
#[derive(Clone, Debug)]
pub(in crate::check) struct World {
    pub equations: Equations,
    pub sizes: Bindings,
    /// What the analysis of the rules knows; the meaning of terms has nothing of it.
    pub context: Arc<Context>,
    /// Of spaces; one without points for a frame.
    points: Vec<BTreeSet<Vec<i64>>>,
    outputs: Vec<Vec<AffineRow>>,
    /// Of a frame.
    ranges: Option<Ranges>,
    /// What its equations say of elements.
    pub definitions: Vec<Definition>,
}

/// A space, or what is left of it by taking heads along some directions, one after the other.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::check) struct Heads {
    pub space: usize,
    pub heads: Vec<Vec<i64>>,
}

impl Heads {
    /// All of the space with this position.
    pub fn whole(space: usize) -> Heads {
        Heads { space, heads: vec![] }
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
        context.monoids = monoids.to_vec();
        Some(World { equations, sizes, context: Arc::new(context), points, outputs, ranges: None, definitions: vec![] })
    }

    /// A frame, in the place of a space that has its indices and reads what its terms may read; `None` where some index has no end.
    pub fn of_frame(frame: Frame, space: &Space, sizes: Bindings, monoids: &[Monoid]) -> Option<World> {
        let ranges = Some(Ranges::of(&frame, space.indices(), &sizes)?);
        let equations = Equations::of_space(space);
        let context = Arc::new(Context::of_frame(frame, monoids));
        let (points, outputs) = (vec![BTreeSet::new()], vec![vec![]]);
        let mut world = World { equations, sizes, context, points, outputs, ranges, definitions: vec![] };
        world.definitions = definitions(&world);
        Some(world)
    }

    /// Whether terms are over a frame.
    pub fn is_framed(&self) -> bool {
        self.ranges.is_some()
    }

    /// The ranges of the indices, over a frame.
    pub fn ranges(&self) -> Option<&Ranges> {
        self.ranges.as_ref()
    }

    /// The points that differ from `x` in these indices only, the last one fastest.
    pub fn differing(&self, face: &Heads, indices: &[usize], x: &[i64]) -> Vec<Vec<i64>> {
        if let Some(ranges) = &self.ranges {
            let within = |points: Vec<Vec<i64>>, index: &usize| {
                points.iter().flat_map(|point| ranges.line(*index, point)).collect()
            };
            return indices.iter().fold(vec![x.to_vec()], within);
        }
        let same = |point: &&Vec<i64>| (0..x.len()).all(|place| indices.contains(&place) || point[place] == x[place]);
        self.points[face.space].iter().filter(same).filter(|point| self.is_on(face, point)).cloned().collect()
    }

    /// The points that differ from `x` in one index only, from the one on that the value of another index says.
    pub fn turned(&self, face: &Heads, (index, first): (usize, usize), x: &[i64]) -> Vec<Vec<i64>> {
        let mut points = self.differing(face, &[index], x);
        let count = i64::try_from(points.len()).unwrap_or(1).max(1);
        points.rotate_right(usize::try_from(x[first].rem_euclid(count)).unwrap_or(0));
        points
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
    pub fn output(&self, space: usize) -> &[AffineRow] {
        &self.outputs[space]
    }

    pub fn indices(&self, space: usize) -> &[Name] {
        self.equations.spaces[space].indices()
    }

    /// Whether a point is left by taking heads.
    pub fn is_on(&self, face: &Heads, point: &[i64]) -> bool {
        self.is_framed() || self.is_left(face.space, &face.heads, point)
    }

    fn is_left(&self, space: usize, heads: &[Vec<i64>], point: &[i64]) -> bool {
        let Some((last, others)) = heads.split_last() else { return self.points[space].contains(point) };
        let before = moved(point, last, -1);
        self.is_left(space, others, point) && !self.is_left(space, others, &before)
    }

    /// The point before, where the face has it.
    pub fn before(&self, face: &Heads, along: &[i64], point: &[i64]) -> Option<Vec<i64>> {
        Some(moved(point, along, -1)).filter(|before| self.is_on(face, before))
    }

    /// The line through a point, from its head on.
    pub fn line(&self, face: &Heads, along: &[i64], point: &[i64]) -> Vec<Vec<i64>> {
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
    pub fn next_axis(&self, face: &Heads) -> Option<Vec<i64>> {
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

fn moved(point: &[i64], along: &[i64], factor: i64) -> Vec<i64> {
    point.iter().zip(along).map(|(x, d)| x + factor * d).collect()
}
