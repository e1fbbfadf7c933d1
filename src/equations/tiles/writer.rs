//! Writes one leaf: its windows, what fills them, its loops.
//!
//! In: the tile coordinates, and for each index the axis and the tile that it runs through. Out: a [`Leaf`], and for each of
//! its arguments what it is over tiles. A window is known by its tensor and by the tiles that its subscripts run through, so
//! `H[i - 1, j - 1]` and `H[i, j]` share one, which reaches one element back.

use super::axes::Axes;
use super::cells::is_zero;
use super::coarse::{Along, tiles_met, tiles_of};
use super::source::Contribution;
use super::{Argument, Axis, Leaf, LeafIndex, Range, Step, Value, Window};
use crate::recurrence::{Operator, Scalar};
use std::collections::{BTreeMap, BTreeSet};
use systole_base::integer::{Affine, Name, Polyhedron};
use systole_base::span::Span;

/// What fills an argument, over the coordinates of the leaf.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Given {
    /// A tile of a tensor.
    Tile(Name, Vec<Affine>, Span),
    /// A reduction, as a part's position, at the tiles of its free coordinates, over these of its own indices.
    Reduction(usize, Vec<Affine>, Terms),
}

/// A leaf that grows.
pub(super) struct Writer<'a> {
    pub parts: &'a [Contribution],
    pub axes: &'a Axes,
    /// The tiles at which the leaf is called.
    pub cell: &'a Polyhedron,
    pub indices: Vec<LeafIndex>,
    /// Those whose elements are gone through from the last to the first.
    pub falling: BTreeSet<Name>,
    windows: Vec<Window>,
    arguments: Vec<(Argument, Given)>,
    /// The tensor that the leaf itself writes, with its tile; its elements come from the first window.
    own: (Name, Vec<Affine>),
}

/// The tiles of a reduction's own indices whose terms are reduced, in all tiles of the cell that reads it.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Terms {
    pub range: Polyhedron,
    pub cell: Polyhedron,
}

impl Terms {
    pub fn substitute(&self, image: &BTreeMap<Name, Affine>) -> Terms {
        Terms { range: self.range.substitute(image), cell: self.cell.substitute(image) }
    }
}

/// What is known where a leaf reads an element.
#[derive(Default)]
pub(super) struct Points {
    /// Points of the leaf's indices, of which it reads at some.
    pub set: Polyhedron,
    /// Indices that have one element each.
    pub pinned: BTreeMap<Name, Affine>,
}

/// Why a leaf cannot be written.
pub(super) type Refusal = (String, Span);

impl<'a> Writer<'a> {
    /// A leaf for the tile `own` of a tensor, whose elements the first indices name.
    pub fn new(
        (parts, axes, cell): (&'a [Contribution], &'a Axes, &'a Polyhedron),
        indices: Vec<LeafIndex>,
        own: (Name, Vec<Affine>),
        operator: Option<Operator>,
    ) -> Writer<'a> {
        let element: Vec<(Affine, Axis)> =
            indices[..own.1.len()].iter().map(|index| (Affine::variable(&index.name), index.axis.clone())).collect();
        let mut writer =
            Writer { parts, axes, cell, indices, falling: BTreeSet::new(), windows: vec![], arguments: vec![], own };
        let ranges = element.iter().map(|(form, axis)| writer.range(form, axis)).collect();
        writer.windows.push(Window { tensor: writer.own.0.clone(), ranges, operator });
        writer
    }

    /// The axes of all indices.
    fn along(&self) -> Along {
        self.indices.iter().map(|index| (index.name.clone(), index.axis.clone())).collect()
    }

    fn tile_image(&self) -> BTreeMap<Name, Affine> {
        self.indices.iter().map(|index| (index.name.clone(), index.tile.clone())).collect()
    }

    /// An element of a tensor, with the tiles that may hold it as arguments.
    pub fn element(&mut self, tensor: &Name, access: &[Affine], span: Span, points: &Points) -> Result<Value, Refusal> {
        let axes = self.axes.of_tensor(tensor).to_vec();
        let (along, image) = (super::coarse::within(self.cell, &self.along()), self.tile_image());
        let met = |(form, axis): (&Affine, &Axis)| -> Vec<Affine> {
            let tiles = tiles_met(&form.substitute(&points.pinned), axis, &along);
            let tiles = tiles.iter().map(|tile| tile.substitute(&image)).filter(|tile| self.may_be(tile, axis));
            tiles.filter(|tile| self.has_points(&points.set, form, (tile, axis))).collect()
        };
        let candidates: Vec<Vec<Affine>> = access.iter().zip(&axes).map(met).collect();
        let access: Vec<Affine> = access.iter().map(|form| unpinned(form, &points.pinned)).collect();
        let in_own = if *tensor == self.own.0 { self.in_own(&access, &candidates) } else { None };
        let window = self.window(tensor, in_own.as_ref().unwrap_or(&access), &axes, None);
        for tile in product((&access, &axes), &candidates) {
            if tile.iter().zip(&axes).any(|(tile, axis)| !self.is_there(tile, axis)) {
                return Err((
                    format!("the tiles of `{tensor}` do not line up with those of its subscripts here"),
                    span,
                ));
            }
            // The own tile's elements are in the first window. Where another window needs them, such as a row read from its
            // end, the tile is defined by itself, and the system over tiles is refused for this cycle.
            let is_own = *tensor == self.own.0 && self.is_own(&tile);
            if !(is_own && window == 0) {
                let argument = Argument { window, tile: axes.iter().cloned().zip(tile.clone()).collect() };
                self.add_argument(argument, Given::Tile(tensor.clone(), tile, span));
            }
        }
        Ok(Value::Element(window, access))
    }

    /// Subscripts that run through the tiles of the own element's, or lie in its tile always, as `0` does in `D[i - 1, 0]` beside
    /// `D[i, j]`: over the own coordinates, whose window then holds the element.
    fn in_own(&self, access: &[Affine], candidates: &[Vec<Affine>]) -> Option<Vec<Affine>> {
        let own = &self.windows[0].ranges;
        let one = |at: usize| {
            let axis = &self.indices[at].axis;
            let is_alike = self.range(&access[at], axis).form == own[at].form;
            let is_inside =
                candidates[at].iter().all(|tile| is_zero(self.cell, &(tile.clone() - self.own.1[at].clone())));
            let inside = is_inside.then(|| Affine::variable(&self.indices[at].name));
            if is_alike { Some(access[at].clone()) } else { inside }
        };
        (0..access.len()).map(one).collect()
    }

    /// The running values of a reduction at these free coordinates, begun with what the tiles before leave.
    pub fn running(&mut self, number: usize, access: &[Affine], tiles: &[Affine], begun: Option<Polyhedron>) -> usize {
        let part = &self.parts[number];
        let axes: Vec<Axis> =
            part.coordinates[..part.free].iter().map(|name| self.axes.of(number)[name].clone()).collect();
        let window = self.window(&part.name, access, &axes, part.reduction);
        if let Some(range) = begun {
            let argument = Argument { window, tile: axes.into_iter().zip(tiles.iter().cloned()).collect() };
            let terms = Terms { range, cell: self.cell.clone() };
            self.add_argument(argument, Given::Reduction(number, tiles.to_vec(), terms));
        }
        window
    }

    /// Whether some tile at which the leaf is called has this tile of an axis.
    fn may_be(&self, tile: &Affine, axis: &Axis) -> bool {
        !self.cell.intersect(&Polyhedron::new(within_axis(tile, axis))).is_empty()
    }

    /// Whether an index and a constant, as in `k + 1`, may be in this tile at some of these points: not in the tile behind
    /// that of `j` where `k < j`.
    fn has_points(&self, set: &Polyhedron, form: &Affine, (tile, axis): (&Affine, &Axis)) -> bool {
        let off = Affine::constant(form.constant_term());
        let plain = form.clone() - off.clone();
        let Some(index) = plain.as_variable().filter(|name| self.indices.iter().any(|index| index.name == **name))
        else {
            return true;
        };
        let (mut along, mut image) = (self.along(), self.tile_image());
        along.insert(index.clone(), axis.clone());
        image.insert(index.clone(), tile.clone() - Affine::constant(axis.margin));
        let read = set.substitute(&BTreeMap::from([(index.clone(), plain.clone() - off)]));
        !self.cell.intersect(&tiles_of(&read, &along).substitute(&image)).is_empty()
    }

    /// Whether all of them have it.
    fn is_there(&self, tile: &Affine, axis: &Axis) -> bool {
        within_axis(tile, axis).iter().all(|form| self.cell.implies(form))
    }

    fn is_own(&self, tile: &[Affine]) -> bool {
        tile.iter().zip(&self.own.1).all(|(one, own)| is_zero(self.cell, &(one.clone() - own.clone())))
    }

    fn add_argument(&mut self, argument: Argument, given: Given) {
        if self.arguments.iter().all(|(known, _)| *known != argument) {
            self.arguments.push((argument, given));
        }
    }

    /// The window of a tensor at the tiles of these subscripts; it grows to hold them.
    fn window(&mut self, tensor: &Name, access: &[Affine], axes: &[Axis], operator: Option<Operator>) -> usize {
        let ranges: Vec<Range> = access.iter().zip(axes).map(|(form, axis)| self.range(form, axis)).collect();
        let same = |window: &Window| {
            let mut pairs = window.ranges.iter().zip(&ranges);
            window.tensor == *tensor
                && window.ranges.len() == ranges.len()
                && pairs.all(|(one, other)| one.form == other.form)
        };
        match self.windows.iter().position(same) {
            Some(known) => {
                for (range, other) in self.windows[known].ranges.iter_mut().zip(&ranges) {
                    range.first = range.first.min(other.first);
                    range.last = range.last.max(other.last);
                }
                known
            }
            None => {
                self.windows.push(Window { tensor: tensor.clone(), ranges, operator });
                self.windows.len() - 1
            }
        }
    }

    /// A subscript as a range: indices that run through one tile are one, and what is not divided is there as a whole.
    fn range(&self, form: &Affine, axis: &Axis) -> Range {
        if axis.is_whole() {
            return Range { form: Affine::default(), first: 0, last: axis.size - 1, extent: axis.extent() };
        }
        let first_alike = |name: &Name| -> Name {
            let index = self.indices.iter().find(|index| index.name == *name);
            let alike = index.and_then(|index| {
                self.indices.iter().find(|other| {
                    other.axis == index.axis && is_zero(self.cell, &(other.tile.clone() - index.tile.clone()))
                })
            });
            alike.map_or_else(|| name.clone(), |index| index.name.clone())
        };
        let is_index = |(name, _): &(&Name, i64)| self.indices.iter().any(|index| index.name == **name);
        let reach = form.constant_term();
        let own = form.clone() - Affine::constant(reach);
        let joined = own.rename(first_alike);
        // Two indices of one tile reach as far as one where they rise together; of a difference nothing would be left.
        let reaches = |form: &Affine| -> i64 { form.terms().filter(is_index).map(|(_, times)| times.abs()).sum() };
        let plain = if reaches(&joined) == reaches(&own) { joined } else { own };
        Range { form: plain, first: reach, last: reach, extent: axis.extent() }
    }

    /// The value of a body over the elements that its reads are.
    pub fn value(body: &Scalar, reads: &[Value], image: &BTreeMap<Name, Affine>) -> Value {
        match body {
            Scalar::Number(value) => Value::Number(*value),
            Scalar::Index(form) => Value::Index(form.substitute(image)),
            Scalar::Operand(position) => reads[*position].clone(),
            Scalar::Apply(function, arguments) => Value::Apply(
                *function,
                arguments.iter().map(|argument| Writer::value(argument, reads, image)).collect(),
            ),
        }
    }

    /// Loops over all points of `set`, over these indices from the outermost.
    pub fn nest(&self, order: &[Name], set: &Polyhedron, mut body: Vec<Step>) -> Vec<Step> {
        let known = self.extents();
        let mut set = set.irredundant(&known);
        for name in order.iter().rev() {
            let position = self.indices.iter().position(|index| index.name == *name).unwrap_or(0);
            let (lower, upper) = set.bounds(name);
            body = vec![Step::Loop { index: position, falls: self.falling.contains(name), lower, upper, body }];
            set = set.eliminate(name).irredundant(&known);
        }
        let left = set.constraints().to_vec();
        if left.is_empty() { body } else { vec![Step::If { conditions: left, then: body, otherwise: vec![] }] }
    }

    /// Of each of these whether its elements are gone through from the last to the first.
    pub fn falls(&self, coordinates: &[Name]) -> Vec<bool> {
        coordinates.iter().map(|name| self.falling.contains(name)).collect()
    }

    /// What the boxes of the indices imply.
    pub fn extents(&self) -> Polyhedron {
        let ends = |index: &LeafIndex| {
            let own = Affine::variable(&index.name);
            [own.clone(), index.axis.extent() - own - Affine::constant(1)]
        };
        Polyhedron::new(self.indices.iter().flat_map(ends))
    }

    /// The leaf, and what its arguments are.
    pub fn finish(self, name: Name, coordinates: &[Name], result: Vec<Axis>, body: Vec<Step>) -> (Leaf, Vec<Given>) {
        let (arguments, given) = self.arguments.into_iter().unzip();
        let leaf = Leaf {
            name,
            coordinates: coordinates.to_vec(),
            indices: self.indices,
            windows: self.windows,
            result: result.into_iter().zip(self.own.1).collect(),
            arguments,
            body,
        };
        (leaf, given)
    }
}

/// A subscript by the index whose only element it is, where there is one.
fn unpinned(form: &Affine, pinned: &BTreeMap<Name, Affine>) -> Affine {
    let same = pinned.iter().find(|(_, element)| *element == form);
    same.map_or_else(|| form.clone(), |(name, _)| Affine::variable(name))
}

/// What is at least 0 where a tile is one of an axis.
pub(super) fn within_axis(tile: &Affine, axis: &Axis) -> [Affine; 2] {
    [tile.clone(), axis.all_tiles() - tile.clone() - Affine::constant(1)]
}

/// Every choice of one tile along each axis; subscripts that are the same lie in the same tile: `X[m, k - 1, k - 1]`.
pub(super) fn product((access, axes): (&[Affine], &[Axis]), choices: &[Vec<Affine>]) -> Vec<Vec<Affine>> {
    let all = choices.iter().fold(vec![vec![]], |all: Vec<Vec<Affine>>, next| {
        all.iter()
            .flat_map(|chosen| next.iter().map(move |one| [&chosen[..], std::slice::from_ref(one)].concat()))
            .collect()
    });
    let is_same = |one: usize, other: usize| access[one] == access[other] && axes[one] == axes[other];
    let agrees = |tile: &Vec<Affine>, at: usize| (0..at).all(|before| !is_same(before, at) || tile[before] == tile[at]);
    all.into_iter().filter(|tile| (0..tile.len()).all(|at| agrees(tile, at))).collect()
}
