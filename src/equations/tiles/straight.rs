//! Tiles of slanted tensors, counted from where the elements of their steps begin.
//!
//! In: a system over tiles, some of whose tensors lie aslant (`slanted`). Out: the same with fewer tiles. An element
//! `U[t, i]` lies at the place `(t, i + 2*t)`, so in steps of 8 and tiles of 16 places the elements of a step begin one
//! tile further than those of the step before. Counted from there, a step has the tiles of `i` and one or two more; counted
//! from the first place of all, it has as many more as there are steps, of which most hold no element.
//!
//! What was read one tile further back may lie one tile further on now, in an earlier step. So there are tiles of zeros on
//! both sides, which nobody's elements are in.
//!
//! It is done where the elements of a step begin a whole number of tiles further than those of the step before, for all
//! subscripts of a tensor; else tiles are counted by their places.

use super::coarse::{self, Along};
use super::stack::Stacked;
use super::{Axis, Slant, SlantRow, Tiled};
use crate::recurrence::spaces::solve;
use crate::recurrence::{Domain, Equation, Expr, RecurrenceSystem, Tensor};
use std::collections::BTreeMap;
use systole_base::integer::{Affine, Name, Polyhedron};

/// How the tiles of a tensor are counted: the tile of places at these coordinates, and how many there are along each.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Straight {
    /// From coordinates to the tile of places.
    pub places: Slant,
    /// How many tiles there are along each dimension, over numbers of tiles.
    pub extents: Vec<Affine>,
}

impl Straight {
    /// Whether all elements of a slanted tensor with these extents are in tiles that are there, for all sizes.
    pub fn holds_all(&self, slant: &Slant, axes: &[Axis], extents: &[Affine]) -> bool {
        let is_whole = [self.places.rows.len(), self.extents.len(), extents.len()] == [axes.len(); 3];
        let mut forms = self.extents.iter().chain(extents).chain(axes.iter().map(|axis| &axis.body));
        let is_small = forms.all(|form| form.terms().map(|(_, times)| times).chain([form.constant_term()]).all(fits));
        let Some(steps) = steps(slant, axes).filter(|_| is_whole && is_small) else { return false };
        let pairs = self.places.rows.iter().zip(&steps.rows);
        let shifts: Vec<i64> = self.places.rows.iter().map(|row| row.shift).collect();
        let Some(bases) =
            steps.element_at(&shifts).filter(|_| pairs.clone().all(|(row, own)| row.factors == own.factors))
        else {
            return false;
        };
        let ends = ends(slant, &steps, axes, extents);
        let is_there = |dimension: usize| {
            let (base, extent) = (bases[dimension], &self.extents[dimension]);
            if steps.rows[dimension].factors.iter().all(|factor| *factor == 0) {
                return base == 0 && *extent == axes[dimension].all_tiles();
            }
            let (first, last) = &ends[dimension];
            let behind = extent.clone() + Affine::constant(base - 1) - last.clone();
            base <= *first && behind.is_constant() && behind.constant_term() >= 0
        };
        (0..axes.len()).all(is_there)
    }
}

/// The system with the tiles of all slanted tensors counted so; `None` where it is done for none.
pub(super) fn straightened(tiled: &Tiled, way: &Stacked) -> Option<Tiled> {
    let mut straight = tiled.clone();
    for recurrent in way.borders.keys().filter(|tensor| way.is_slanted(tensor)) {
        if let Some(group) = Group::new(&straight, way, recurrent) {
            group.write(&mut straight)?;
        }
    }
    (!straight.straight.is_empty()).then_some(straight)
}

/// A tensor that needs itself, with the tensors that are its layers.
struct Group<'a> {
    recurrent: &'a Name,
    layers: Vec<&'a Name>,
    /// By how many tiles the elements begin further.
    steps: Slant,
    sides: Vec<Side>,
}

/// The tiles along one dimension.
#[derive(Clone, Debug, Default)]
struct Side {
    is_moved: bool,
    /// The first and the last with elements.
    first: i64,
    last: Affine,
    /// How many tiles of zeros stand before and after these.
    before: i64,
    after: i64,
}

impl Side {
    /// What is taken off a coordinate: of the tensor that needs itself, or of a layer.
    fn base(&self, is_recurrent: bool) -> i64 {
        if self.is_moved { self.first - if is_recurrent { self.before } else { 0 } } else { 0 }
    }
}

impl<'a> Group<'a> {
    fn new(tiled: &Tiled, way: &'a Stacked, recurrent: &'a Name) -> Option<Group<'a>> {
        let layers: Vec<&Name> = way.layers.iter().filter(|(_, of)| *of == recurrent).map(|(layer, _)| layer).collect();
        let members = if layers.is_empty() { vec![recurrent] } else { layers.clone() };
        let slants: Vec<&(Slant, Vec<Affine>)> =
            members.iter().map(|tensor| way.slants.get(*tensor)).collect::<Option<_>>()?;
        let slant = &slants.first()?.0;
        let axes = tiled.axes.get(recurrent)?.get(..slant.rows.len())?;
        let steps = steps(slant, axes)?;
        if steps.rows.iter().all(|row| row.factors.iter().all(|factor| *factor == 0)) {
            return None;
        }
        let ends: Vec<_> = slants.iter().map(|(slant, extents)| ends(slant, &steps, axes, extents)).collect();
        let mut group = Group { recurrent, layers, steps, sides: vec![] };
        for dimension in 0..axes.len() {
            let is_moved = group.steps.rows[dimension].factors.iter().any(|factor| *factor != 0);
            let first = ends.iter().map(|ends| ends[dimension].0).min()?;
            let last = ends.iter().map(|ends| &ends[dimension].1).max_by_key(|last| last.constant_term())?.clone();
            group.sides.push(Side { is_moved, first, last, ..Side::default() });
        }
        group.reach(&tiled.system)?;
        Some(group)
    }

    fn is_member(&self, tensor: &Name) -> bool {
        tensor == self.recurrent || self.layers.contains(&tensor)
    }

    /// The coordinates of a tile of places.
    fn coordinates(&self, tensor: &Name, places: &[Affine]) -> Option<Vec<Affine>> {
        let is_recurrent = tensor == self.recurrent;
        let base = |(form, side): (Affine, &Side)| form - Affine::constant(side.base(is_recurrent));
        let is_whole = places.len() == self.sides.len();
        is_whole.then(|| self.steps.element(places).into_iter().zip(&self.sides).map(base).collect())
    }

    /// Finds out how far the tensor reads itself; `None` where that is not as far everywhere.
    fn reach(&mut self, system: &RecurrenceSystem) -> Option<()> {
        let mut apart: Option<Vec<Vec<i64>>> = Some(vec![]);
        for equation in system.equations.iter().filter(|equation| equation.target == *self.recurrent) {
            let own = self.coordinates(self.recurrent, &equation.subscripts)?;
            equation.value.visit_reads(&equation.domain.set, &mut |tensor, subscripts, _| {
                if tensor != self.recurrent {
                    return;
                }
                let read = self.coordinates(self.recurrent, subscripts);
                let differences = read.and_then(|read| {
                    let pairs = own.iter().zip(&read).zip(&self.sides).filter(|(_, side)| side.is_moved);
                    let constant = |form: Affine| form.is_constant().then(|| form.constant_term());
                    pairs.map(|((own, read), _)| constant(own.clone() - read.clone())).collect::<Option<Vec<i64>>>()
                });
                match (differences, &mut apart) {
                    (Some(differences), Some(all)) => all.push(differences),
                    _ => apart = None,
                }
            });
        }
        let apart = apart?;
        for (number, side) in self.sides.iter_mut().filter(|side| side.is_moved).enumerate() {
            side.before = apart.iter().map(|apart| apart[number]).max().unwrap_or(0).max(0);
            side.after = apart.iter().map(|apart| -apart[number]).max().unwrap_or(0).max(0);
        }
        Some(())
    }

    fn write(&self, tiled: &mut Tiled) -> Option<()> {
        let shapes: BTreeMap<Name, Vec<Affine>> =
            tiled.system.tensors.iter().map(|tensor| (tensor.name.clone(), tensor.shape.clone())).collect();
        let mut equations = vec![];
        for equation in &tiled.system.equations {
            let read = |tensor: &Name, subscripts: &[Affine]| {
                let coordinates = self.is_member(tensor).then(|| self.coordinates(tensor, subscripts)).flatten()?;
                Some((tensor.clone(), coordinates))
            };
            let equation = match self.is_member(&equation.target) {
                true => self.over_coordinates(equation, &shapes[&equation.target])?,
                false => equation.clone(),
            };
            equations.push(Equation { value: equation.value.redirect(&read), ..equation });
        }
        equations.extend(self.zeros(&tiled.system));
        let sizes = tiled.system.parameters.sizes();
        equations.retain(|equation| !equation.domain.set.intersect(&sizes).is_empty());
        for equation in &mut equations {
            equation.domain.set = equation.domain.set.irredundant(&sizes);
        }
        tiled.system.equations = equations;
        for tensor in tiled.system.tensors.iter_mut().filter(|tensor| self.is_member(&tensor.name)) {
            tensor.shape = self.shape(tensor);
            let places = self.places(tensor.name == *self.recurrent);
            tiled.straight.insert(tensor.name.clone(), Straight { places, extents: tensor.shape.clone() });
        }
        Some(())
    }

    fn shape(&self, tensor: &Tensor) -> Vec<Affine> {
        let is_recurrent = tensor.name == *self.recurrent;
        let extent = |(old, side): (&Affine, &Side)| match side.is_moved {
            true => {
                let after = if is_recurrent { side.after } else { 0 };
                side.last.clone() + Affine::constant(after + 1 - side.base(is_recurrent))
            }
            false => old.clone(),
        };
        tensor.shape.iter().zip(&self.sides).map(extent).collect()
    }

    /// From coordinates to the tile of places.
    fn places(&self, is_recurrent: bool) -> Slant {
        let bases: Vec<i64> = self.sides.iter().map(|side| side.base(is_recurrent)).collect();
        let row = |(row, base): (&SlantRow, &i64)| {
            let by = row.factors.iter().zip(&bases).map(|(factor, base)| factor * base).sum::<i64>();
            SlantRow { factors: row.factors.clone(), shift: base + by }
        };
        Slant { rows: self.steps.rows.iter().zip(&bases).map(row).collect() }
    }

    /// An equation of the group over coordinates, at the tiles with elements. Its indices stand for the coordinates of the
    /// tensor that needs itself, in all of the group, so that tiles of one place have the same.
    fn over_coordinates(&self, equation: &Equation, shape: &[Affine]) -> Option<Equation> {
        let indices = &equation.domain.indices;
        let forms = self.coordinates(self.recurrent, &equation.subscripts)?;
        let named = |place: &Affine| place.as_variable().filter(|name| indices.contains(name)).cloned();
        let names: Vec<Option<Name>> = equation.subscripts.iter().map(named).collect();
        let free = || forms.iter().zip(&names).filter_map(|(form, name)| Some((form.clone(), name.clone()?)));
        let (left, targets): (Vec<Affine>, Vec<Name>) = free().unzip();
        let targets: Vec<Affine> = targets.iter().map(Affine::variable).collect();
        let solution = solve(&left, indices, &targets)?;
        let image: BTreeMap<Name, Affine> =
            solution.point.iter().map(|(name, form)| (name.clone(), form.clone())).collect();
        // That places end somewhere is no bound any more: elements end before. Nor is it that they begin, for a layer, which
        // is copied from tiles that are all there.
        let is_layer = equation.target != *self.recurrent;
        let moved = equation.subscripts.iter().zip(shape).zip(&self.sides).filter(|(_, side)| side.is_moved);
        let ends: Vec<Affine> = moved
            .flat_map(|((place, extent), _)| {
                let [first, last] = within(place, extent);
                [last].into_iter().chain(is_layer.then_some(first))
            })
            .collect();
        let kept = equation.domain.set.constraints().iter().filter(|form| !ends.contains(form)).cloned();
        let places: Vec<Affine> = equation.subscripts.iter().map(|place| place.substitute(&image)).collect();
        let of_elements = self.coordinates(self.recurrent, &places)?;
        // Bounds of the others may have followed from those.
        let others = equation.subscripts.iter().zip(shape).zip(&self.sides).filter(|(_, side)| !side.is_moved);
        let others = others.flat_map(|((place, extent), _)| within(place, extent));
        let set = Polyhedron::new(kept.chain(others)).substitute(&image).intersect(&self.with_elements(&of_elements));
        Some(Equation {
            subscripts: self.coordinates(&equation.target, &places)?,
            domain: Domain { indices: indices.clone(), set },
            value: equation.value.substitute(&image),
            ..equation.clone()
        })
    }

    /// Where these coordinates of the tensor that needs itself are of tiles with elements.
    fn with_elements(&self, coordinates: &[Affine]) -> Polyhedron {
        let moved = coordinates.iter().zip(&self.sides).filter(|(_, side)| side.is_moved);
        Polyhedron::new(moved.flat_map(|(at, side)| {
            let place = at.clone() + Affine::constant(side.base(true));
            [place.clone() - Affine::constant(side.first), side.last.clone() - place]
        }))
    }

    /// The tiles without elements beside those that have some.
    fn zeros(&self, system: &RecurrenceSystem) -> Vec<Equation> {
        let own = |equation: &&Equation| equation.target == *self.recurrent;
        let known = system.equations.iter().filter(own).max_by_key(|equation| equation.domain.indices.len());
        let (Some(known), Some(tensor)) = (known, system.tensor(self.recurrent)) else { return vec![] };
        let indices: Vec<Name> = (0..self.sides.len())
            .map(|dimension| match known.subscripts[dimension].as_variable() {
                Some(name) => name.clone(),
                None => systole_base::integer::name(&format!("x{dimension}")),
            })
            .collect();
        let at: Vec<Affine> = indices.iter().map(Affine::variable).collect();
        let inside = at.iter().zip(self.shape(tensor)).flat_map(|(at, extent)| within(at, &extent));
        let places = self.places(true).place(&at).into_iter().zip(&self.sides);
        let behind_first = places.filter(|(_, side)| side.is_moved).map(|(place, _)| place);
        let kept = self.with_elements(&at).intersect(&Polyhedron::new(behind_first));
        let beside = Polyhedron::new(inside).outside(&kept).into_iter();
        let zeros = beside.map(|set| Equation {
            target: self.recurrent.clone(),
            subscripts: at.clone(),
            domain: Domain { indices: indices.clone(), set },
            value: Expr::Number(0.0),
            span: tensor.span,
        });
        zeros.collect()
    }
}

/// At least 0 where a subscript lies within an extent.
fn within(at: &Affine, extent: &Affine) -> [Affine; 2] {
    [at.clone(), extent.clone() - at.clone() - Affine::constant(1)]
}

/// No number of steps, or of elements in a tile, is larger, so that nothing overflows; nor are there more dimensions.
const MOST_STEPS: u64 = 1 << 10;
const MOST_ELEMENTS: u64 = 1 << 20;
const MOST_DIMENSIONS: usize = 4;

fn fits(number: i64) -> bool {
    number.unsigned_abs() <= MOST_ELEMENTS
}

/// By how many tiles the elements of each dimension begin further for each tile of the others; `None` where that is no whole
/// number.
fn steps(slant: &Slant, axes: &[Axis]) -> Option<Slant> {
    let is_small = axes.iter().all(|axis| axis.size >= 1 && fits(axis.size) && axis.before >= 0 && fits(axis.before))
        && slant.rows.iter().all(|row| fits(row.shift) && row.factors.len() == axes.len());
    let is_plain = axes.iter().all(|axis| axis.after == 0 && axis.margin == 0);
    if !is_small || !is_plain || !slant.is_sound() || slant.rows.len() != axes.len() || axes.len() > MOST_DIMENSIONS {
        return None;
    }
    let whole = |(row, own): (&SlantRow, &Axis)| -> Option<SlantRow> {
        let factor = |(factor, other): (&i64, &Axis)| {
            let by = factor.checked_mul(other.size)?;
            (by % own.size == 0 && factor.unsigned_abs() <= MOST_STEPS).then_some(by / own.size)
        };
        let factors = row.factors.iter().zip(axes).map(factor).collect::<Option<Vec<i64>>>()?;
        factors.iter().all(|factor| factor.unsigned_abs() <= MOST_STEPS).then_some(SlantRow { factors, shift: 0 })
    };
    Some(Slant { rows: slant.rows.iter().zip(axes).map(whole).collect::<Option<_>>()? })
}

/// For each dimension the first and the last tile with elements of a tensor with these extents, or one before and one behind
/// these: counted by these steps.
fn ends(slant: &Slant, steps: &Slant, axes: &[Axis], extents: &[Affine]) -> Vec<(i64, Affine)> {
    let names: Vec<Name> = (0..axes.len()).map(|place| systole_base::integer::name(&format!("@{place}"))).collect();
    let places: Vec<Affine> = names.iter().map(Affine::variable).collect();
    let along: Along = names.into_iter().zip(axes.iter().cloned()).collect();
    let (elements, tiles) = (slant.element(&places), steps.element(&places));
    let of_dimension = |dimension: usize| {
        let (element, size) = (&elements[dimension], axes[dimension].size);
        let (_, from_first) = coarse::ends(element, &along, size);
        let to_last = extents[dimension].clone() - element.clone() - Affine::constant(1);
        let (_, to_last) = coarse::ends(&to_last, &along, size);
        (-from_first.constant_term(), to_last + tiles[dimension].clone())
    };
    (0..axes.len()).map(of_dimension).collect()
}
