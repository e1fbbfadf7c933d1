//! How every dimension of every tensor is cut, and every coordinate of every part.
//!
//! The body of a dimension is the part of its extent that grows with the sizes. What is constant in the extent, such as the
//! row and the column of zeros in `H[M + 1, N + 1]`, stands before the body as far as the equations give it values of its
//! own, and after it for the rest.

use super::Axis;
use super::axis::tiles_over;
use super::classes::Sizes;
use super::source::Contribution;
use super::stack::Stacked;
use crate::recurrence::{RecurrenceSystem, Role, Tensor};
use std::collections::{BTreeMap, BTreeSet};
use systole_base::diagnostic::{Checked, Diagnostic};
use systole_base::integer::{Affine, Bound, Name, Polyhedron, name};

/// All axes of a kernel.
#[derive(Clone, Debug, Default)]
pub(super) struct Axes {
    tensors: BTreeMap<Name, Vec<Axis>>,
    parts: Vec<BTreeMap<Name, Axis>>,
    locals: BTreeSet<Name>,
}

impl Axes {
    /// The axes of a system.
    ///
    /// # Errors
    /// An index whose elements no tensor's subscripts are.
    pub fn new(way: &Stacked, parts: &[Contribution], sizes: &Sizes) -> Checked<Axes> {
        let system = &way.system;
        let locals = system.tensors_with(Role::Local).map(|tensor| tensor.name.clone()).collect();
        let mut axes = Axes { locals, ..Axes::default() };
        for tensor in &system.tensors {
            let border = |dimension: usize| way.borders.get(&tensor.name).and_then(|all| all.get(dimension)).copied();
            let cut = (0..tensor.shape.len()).map(|dimension| match border(dimension) {
                Some(before @ 1..) => behind(before, sizes, tensor, dimension),
                _ => of_dimension(parts, sizes, tensor, dimension),
            });
            axes.tensors.insert(tensor.name.clone(), cut.collect());
        }
        for (layer, stack) in &way.layers {
            let rank = axes.of_tensor(layer).len();
            let cut = axes.of_tensor(stack).iter().take(rank).cloned().collect();
            axes.tensors.insert(layer.clone(), cut);
        }
        axes.follow_readers(system, parts);
        for (number, part) in parts.iter().enumerate() {
            let of_part = axes.of_part(system, number, part, sizes)?;
            axes.parts.push(of_part);
        }
        Ok(axes)
    }

    /// The axes of a declared tensor.
    pub fn of_tensor(&self, tensor: &Name) -> &[Axis] {
        self.tensors.get(tensor).map_or(&[], Vec::as_slice)
    }

    /// The axes of a declared tensor, to be changed.
    pub fn of_tensor_mut(&mut self, tensor: &Name) -> &mut [Axis] {
        self.tensors.get_mut(tensor).map_or(&mut [], Vec::as_mut_slice)
    }

    /// Whether the system over tiles has a coordinate for a dimension: not where a local tensor is whole along it.
    fn is_over_tiles(&self, tensor: &Name, dimension: usize) -> bool {
        !(self.locals.contains(tensor) && self.of_tensor(tensor)[dimension].is_whole())
    }

    /// What the system over tiles has of a tensor's dimensions.
    pub fn over_tiles<T: Clone>(&self, tensor: &Name, dimensions: &[T]) -> Vec<T> {
        let kept = dimensions.iter().enumerate().filter(|(dimension, _)| self.is_over_tiles(tensor, *dimension));
        kept.map(|(_, one)| one.clone()).collect()
    }

    /// The axes of the coordinates of all parts.
    pub fn of_parts(&self) -> impl Iterator<Item = &Axis> {
        self.parts.iter().flat_map(BTreeMap::values)
    }

    /// The axes of a part's coordinates.
    pub fn of(&self, part: usize) -> &BTreeMap<Name, Axis> {
        &self.parts[part]
    }

    /// An input with a border has its body where the tensor that it is read into has it.
    fn follow_readers(&mut self, system: &RecurrenceSystem, parts: &[Contribution]) {
        let is_input = |tensor: &Name| system.equations.iter().all(|equation| equation.target != *tensor);
        for part in parts {
            for read in part.reads.iter().filter(|read| is_input(&read.tensor)) {
                for (dimension, form) in read.access.iter().enumerate() {
                    self.follow(part, (&read.tensor, dimension), form);
                }
            }
        }
    }

    /// Puts the body where a subscript reads that is an index, shifted; nothing is done for any other.
    fn follow(&mut self, part: &Contribution, (tensor, dimension): (&Name, usize), form: &Affine) -> Option<()> {
        let shift = form.constant_term();
        let index = (form.clone() - Affine::constant(shift)).as_variable().cloned()?;
        let coordinate = part.coordinates.iter().position(|own| *own == index)?;
        let target = self.tensors[&part.tensor].get(coordinate).filter(|_| coordinate < part.free);
        let begin = target.map_or(0, |axis| axis.before);
        let axis = self.tensors.get_mut(tensor)?.get_mut(dimension)?;
        let border = axis.before + axis.after;
        axis.before = (begin + shift).clamp(0, border);
        axis.after = border - axis.before;
        Some(())
    }

    fn of_part(
        &self,
        system: &RecurrenceSystem,
        number: usize,
        part: &Contribution,
        sizes: &Sizes,
    ) -> Checked<BTreeMap<Name, Axis>> {
        let mut axes: BTreeMap<Name, Axis> = BTreeMap::new();
        let points = part.set.intersect(&Polyhedron::sizes(&system.parameters));
        for (coordinate, index) in part.coordinates.iter().enumerate() {
            let size = sizes.of_coordinate(number, coordinate);
            let axis = match coordinate < part.free {
                true => self.tensors[&part.tensor].get(coordinate).cloned(),
                false => self.of_alone(part, index).or_else(|| {
                    // Tiles are of elements from 0 on.
                    let range = Some(part).filter(|_| points.implies(&Affine::variable(index)))?;
                    let plain = of_range(range, index, size).or_else(|| of_bound(range, index, &axes));
                    plain.or_else(|| of_shadow(range, &points, index, size))
                }),
            };
            let Some(axis) = axis else {
                return Diagnostic::new(format!(
                    "`{index}` cannot be tiled: what it runs over has no extent of its own"
                ))
                .label(&system.source, part.span, "in this equation")
                .help(format!("let `{index}` run from 0 to a bound over sizes, and say the rest with `where`"))
                .alone();
            };
            axes.insert(index.clone(), axis);
        }
        Ok(axes)
    }

    /// A reduction index is cut as a subscript that it stands in alone.
    fn of_alone(&self, part: &Contribution, index: &Name) -> Option<Axis> {
        let alone = Affine::variable(index);
        let mut reads = part.reads.iter().flat_map(|read| {
            let axes = self.tensors.get(&read.tensor).map_or(&[][..], Vec::as_slice);
            read.access.iter().zip(axes)
        });
        reads.find(|(form, _)| **form == alone).map(|(_, axis)| axis.clone())
    }
}

/// An index that no subscript is is cut by its range.
fn of_range(part: &Contribution, index: &Name, size: i64) -> Option<Axis> {
    let (_, upper) = part.set.bounds(index);
    let plain = |form: &Affine| !form.mentions(&part.coordinates);
    let last = upper.into_iter().find(|bound| bound.coefficient == 1 && plain(&bound.form))?;
    Some(Axis { before: 0, body: length(&last), size, after: 0, margin: 0 })
}

/// Any other index is cut as far as its range goes together with those of the indices it is bounded by, such as `l in k..k + N`
/// with `k in 0..N`: what is too long there has no points.
fn of_shadow(part: &Contribution, points: &Polyhedron, index: &Name, size: i64) -> Option<Axis> {
    let others = part.coordinates.iter().filter(|other| *other != index);
    let (_, upper) = points.eliminate_all(others).bounds(index);
    let body = upper.iter().map(length).min_by_key(Affine::plainness)?;
    Some(Axis { before: 0, body, size, after: 0, margin: 0 })
}

/// How many elements from 0 on an upper bound over sizes leaves at most, and none at least.
fn length(last: &Bound) -> Affine {
    let by = last.coefficient;
    let mut length = Affine::constant(last.form.constant_term().div_euclid(by) + 1);
    last.form.terms().for_each(|(parameter, times)| length.add_term(parameter, -(-times).div_euclid(by)));
    filled(&length)
}

/// A body that is no shorter and never less than nothing, of whole parameters: what is taken off one parameter may take no tile off, so it
/// is left on, and the body stays like that of a tensor of this extent. [`Affine::rising`] takes it off as 1, which is less, and like none.
fn filled(body: &Affine) -> Affine {
    let (mut filled, mut least) = (Affine::default(), body.constant_term());
    for (parameter, times) in body.terms().filter(|(_, times)| *times > 0) {
        filled.add_term(parameter, times);
        least += times;
    }
    let constant = if least < 0 { 0 } else { body.constant_term() };
    filled + Affine::constant(constant)
}

/// An index that no subscript is, and that stays below another one, is cut as that one.
fn of_bound(part: &Contribution, index: &Name, known: &BTreeMap<Name, Axis>) -> Option<Axis> {
    let (_, upper) = part.set.bounds(index);
    let below = upper.iter().filter(|bound| bound.coefficient == 1 && bound.form.constant_term() <= 0);
    let mut others = below.filter_map(|bound| {
        let plain = bound.form.clone() - Affine::constant(bound.form.constant_term());
        plain.as_variable().and_then(|other| known.get(other)).cloned()
    });
    others.next()
}

/// A dimension of a slanted tensor, with so many zeros before its elements.
fn behind(before: i64, sizes: &Sizes, tensor: &Tensor, dimension: usize) -> Axis {
    let body = tensor.shape[dimension].clone() - Affine::constant(before);
    Axis { before, body, size: sizes.of_dimension(&tensor.name, dimension), after: 0, margin: 0 }
}

/// Where the body is one parameter its end is the end of a tile's numbers too, and what is constant stands behind it; behind a
/// sum of parameters tiles may be empty, so there it belongs to the body, and so does more than a tile of constants.
fn of_dimension(parts: &[Contribution], sizes: &Sizes, tensor: &Tensor, dimension: usize) -> Axis {
    let extent = tensor.shape[dimension].clone();
    let size = sizes.of_dimension(&tensor.name, dimension);
    if extent.is_constant() && size > 1 {
        return Axis { before: 0, body: extent, size, after: 0, margin: 0 };
    }
    let border = extent.constant_term().max(0);
    let lowest = parts.iter().filter(|part| part.tensor == tensor.name).filter_map(|part| lowest(part, dimension));
    let before = lowest.max().unwrap_or(0).clamp(0, border);
    let growing = extent.clone() - Affine::constant(border);
    // Each element of a border is a tile: of a wide one, as for `x[i + 100]`, a reader would be given them one by one.
    let is_narrow = border - before <= size;
    let after = if size == 1 || growing.as_variable().is_some() && is_narrow { border - before } else { 0 };
    Axis { before, body: extent - Affine::constant(before + after), size, after, margin: 0 }
}

/// The least subscript that a part with several has along a dimension, where that is a constant.
fn lowest(part: &Contribution, dimension: usize) -> Option<i64> {
    let index = &part.coordinates[dimension];
    let (lower, _) = part.set.bounds(index);
    let constant = lower.iter().filter(|bound| bound.form.is_constant() && bound.coefficient == 1);
    let least = constant.map(|bound| bound.form.constant_term()).max()?;
    let pinned = part.set.implies(&(Affine::constant(least) - Affine::variable(index)));
    (!pinned).then_some(least)
}

/// How many tiles of so many elements cover so many elements: the name of the number.
pub(super) fn count_name(parameter: &Name, size: i64) -> Name {
    if size == 1 { parameter.clone() } else { name(&format!("{parameter}_by_{size}")) }
}

impl Axis {
    /// The number of tiles of the body, over numbers of tiles: no less than there are.
    pub(super) fn body_tiles(&self) -> Affine {
        let mut tiles = Affine::constant(tiles_over(self.body.constant_term(), self.size));
        self.body.terms().for_each(|(parameter, times)| tiles.add_term(&count_name(parameter, self.size), times));
        tiles
    }

    /// The number of tiles, over numbers of tiles.
    pub(super) fn all_tiles(&self) -> Affine {
        self.body_tiles() + Affine::constant(self.before + self.after + 2 * self.margin)
    }
}
