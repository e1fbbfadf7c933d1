//! What a leaf does at the elements of a cell.
//!
//! In: a cell with the parts that have points in it. Out: a leaf, and its call. Elements are gone through in lexicographic
//! order, along each coordinate from the first to the last or back, whichever finds what it reads; where a reduction reads the
//! tile that is being written, as the last terms of a triangular solve do, the leaf adds these terms to what the reduction over
//! all other tiles has come to.

use super::cells::is_zero;
use super::coarse::pinned;
use super::equations::{Cell, Tiler};
use super::layers::Place;
use super::reductions::OwnTile;
use super::source::{Contribution, Read};
use super::writer::{Points, Refusal, Writer};
use super::{Axis, LeafIndex, Step, Value};
use crate::recurrence::{Expr, Operator};
use std::collections::{BTreeMap, BTreeSet};
use systole_base::integer::{Affine, Name, Polyhedron, name};
use systole_base::scalar::Function;
use systole_base::span::Span;

/// Of how many coordinates both directions are tried.
const MOST_DIRECTIONS: usize = 4;

impl Tiler<'_> {
    /// A leaf of the cell, called with all that it reads.
    pub(super) fn leaf_value(
        &mut self,
        cell: &Cell,
        free: &[Name],
        image: &BTreeMap<Name, Affine>,
    ) -> Result<Expr, Refusal> {
        let index = |(name, axis): (&Name, &Axis)| LeafIndex {
            name: name.clone(),
            axis: axis.clone(),
            tile: image[name].clone(),
        };
        let indices: Vec<LeafIndex> = cell.coordinates.iter().zip(cell.axes).map(index).collect();
        let own: Vec<Affine> = cell.coordinates.iter().map(|name| image[name].clone()).collect();
        let (parts, axes) = (self.parts, self.axes);
        let mut refused = None;
        for falling in directions(cell.coordinates) {
            let own = (cell.tensor.clone(), own.clone());
            let mut writer = Writer::new((parts, axes, &cell.set), indices.clone(), own, None);
            writer.falling = falling;
            match self.steps(&mut writer, cell, image) {
                Ok(steps) => return self.finished(writer, cell, free, steps),
                Err(why) => _ = refused.get_or_insert(why),
            }
        }
        Err(refused.unwrap_or_else(|| (format!("`{}` has no order", cell.tensor), Span::default())))
    }

    /// The leaf of these steps, called with all that it reads.
    fn finished(&mut self, writer: Writer, cell: &Cell, free: &[Name], steps: Vec<Step>) -> Result<Expr, Refusal> {
        let leaf_name = self.fresh_name(cell.tensor);
        let (leaf, given) = writer.finish(leaf_name, free, cell.axes.to_vec(), steps);
        self.leaves.push(leaf);
        let coordinates: Vec<Affine> = free.iter().map(Affine::variable).collect();
        self.call(self.leaves.len() - 1, &coordinates, &given, &BTreeMap::new())
    }

    /// What all parts do at the elements of the cell: in loops of their own where they are layers, else element by element.
    fn steps(
        &mut self,
        writer: &mut Writer,
        cell: &Cell,
        image: &BTreeMap<Name, Affine>,
    ) -> Result<Vec<Step>, Refusal> {
        let element = || cell.coordinates.iter().map(Affine::variable).collect();
        let points = |number: usize| self.parts[number].set.eliminate_all(self.parts[number].reduced());
        let plain = |number: &usize| Place { number: *number, set: points(*number), element: element() };
        let (loops, groups) = match self.groups(cell) {
            Some(groups) => (&cell.coordinates[..cell.coordinates.len() - 1], groups),
            None => (cell.coordinates, vec![cell.present.iter().map(plain).collect()]),
        };
        let mut steps = vec![];
        for group in groups {
            let mut bodies = vec![];
            for place in &group {
                bodies.push(self.statement(writer, (place.number, &place.element), cell, image)?);
            }
            steps.extend(match (&group[..], bodies.pop()) {
                ([only], Some(body)) => writer.nest(loops, &only.set, body),
                (_, last) => {
                    let bodies = group.iter().zip(bodies.into_iter().chain(last));
                    let guarded: Vec<Step> =
                        bodies.flat_map(|(place, body)| guarded(writer, &place.set, body)).collect();
                    writer.nest(loops, &Polyhedron::default(), guarded)
                }
            });
        }
        Ok(steps)
    }

    /// What one part does at an element of the cell.
    fn statement(
        &mut self,
        writer: &mut Writer,
        (number, element): (usize, &[Affine]),
        cell: &Cell,
        image: &BTreeMap<Name, Affine>,
    ) -> Result<Vec<Step>, Refusal> {
        let parts = self.parts;
        let part = &parts[number];
        let own_reads = part.reads.iter().filter(|read| read.tensor == part.tensor);
        check_order((part, own_reads), &BTreeMap::new(), &part.set, &writer.falls(cell.coordinates))?;
        let element = element.to_vec();
        if part.reduction.is_some() {
            let (steps, window) = self.run_down(writer, (number, &part.name), cell, image, &element)?;
            return Ok([
                steps,
                vec![Step::Set { window: 0, element: element.clone(), value: Value::Element(window, element) }],
            ]
            .concat());
        }
        let (mut before, mut reads, mut empty) = (vec![], vec![], vec![]);
        let along = cell.coordinates.iter().cloned().zip(cell.axes.iter().cloned()).collect();
        let points = Points { pinned: pinned(&cell.set, &along), ..Points::default() };
        for (position, read) in part.reads.iter().enumerate() {
            let Some(inner) = self.inner(&read.tensor) else {
                reads.push(writer.element(&read.tensor, &read.access, read.span, &points)?);
                continue;
            };
            let Some(access) = self.coordinates_at(&parts[inner], &read.access) else {
                return Err((format!("`{}` is read at points that its own do not name", read.tensor), read.span));
            };
            let (steps, window) = self.run_down(writer, (inner, &read.tensor), cell, image, &access)?;
            before.extend(steps);
            reads.push(Value::Element(window, access.clone()));
            empty.extend(self.emptiness(part, inner, &access).map(|open| (position, open, &parts[inner])));
        }
        before.extend(set_result(part, &element, reads, &empty));
        Ok(before)
    }

    /// The last terms of a reduction, which read what the leaf itself writes; gives the window of the running values.
    fn run_down(
        &mut self,
        writer: &mut Writer,
        (number, name): (usize, &Name),
        cell: &Cell,
        image: &BTreeMap<Name, Affine>,
        access: &[Affine],
    ) -> Result<(Vec<Step>, usize), Refusal> {
        let parts = self.parts;
        let part = &parts[number];
        let tiles = self.tiles_at(cell, part, access, image)?;
        let own = self.own_tiles(number, cell, &tiles)?;
        let known = cell.set.intersect(&self.sizes);
        let outer = self.outer_range(number, &tiles, &own).irredundant(&known);
        let begun = (!outer.intersect(&cell.set).is_empty()).then_some(outer);
        let window = writer.running(number, access, &tiles, begun);
        let mut steps = vec![];
        if let ([index], false) = (part.reduced(), own.is_empty()) {
            self.note_inside((name, part.span), cell, image, &own)?;
            for OwnTile { at, .. } in &own {
                steps.extend(self.last_terms(writer, (number, index), cell, access, (at, window))?);
            }
        }
        Ok((steps, window))
    }

    /// Notes in which subscripts' tiles the terms lie that a leaf adds by itself: the same in all cells. Where the tiles of two
    /// subscripts are one, as on the diagonal, its terms are those of both.
    fn note_inside(
        &mut self,
        (name, span): (&Name, Span),
        cell: &Cell,
        image: &BTreeMap<Name, Affine>,
        own: &[OwnTile],
    ) -> Result<(), Refusal> {
        let alike = |tile: &OwnTile, name: &Name| is_zero(&cell.set, &(image[name].clone() - tile.at.clone()));
        let subscripts = |tile: &OwnTile| -> BTreeSet<usize> {
            (0..cell.coordinates.len()).filter(|at| alike(tile, &cell.coordinates[*at])).collect()
        };
        let here: Vec<BTreeSet<usize>> = own.iter().map(subscripts).collect();
        let known = self.inside.entry(name.clone()).or_insert_with(|| here.clone());
        let (few, many) = if known.len() < here.len() { (&*known, &here) } else { (&here, &*known) };
        let both = |(at, tile): (usize, &BTreeSet<usize>)| tile & few.get(at).unwrap_or(&few[few.len() - 1]);
        *known = many.iter().enumerate().map(both).collect();
        match known.iter().any(BTreeSet::is_empty) {
            true => Err(("its last terms lie in the tile of no one subscript".to_owned(), span)),
            false => Ok(()),
        }
    }

    /// The loop that adds the terms of the tile `own` of a reduction's index to its running values.
    fn last_terms(
        &self,
        writer: &mut Writer,
        (number, index): (usize, &Name),
        cell: &Cell,
        access: &[Affine],
        (own, window): (&Affine, usize),
    ) -> Result<Vec<Step>, Refusal> {
        let part = &self.parts[number];
        let inner_name = add_index(writer, index, &self.axes.of(number)[index], own, cell);
        let free = part.coordinates[..part.free].iter().cloned().zip(access.iter().cloned());
        let local: BTreeMap<Name, Affine> = free.chain([(index.clone(), Affine::variable(&inner_name))]).collect();
        let set = part.set.substitute(&local);
        let own_reads = part.reads.iter().filter(|read| read.tensor == *cell.tensor);
        check_order((part, own_reads), &local, &set, &writer.falls(cell.coordinates))?;
        let points = Points { set: set.clone(), ..Points::default() };
        let mut reads = vec![];
        for read in &part.reads {
            let access: Vec<Affine> = read.access.iter().map(|form| form.substitute(&local)).collect();
            if self.inner(&read.tensor).is_some() {
                return Err(("a reduction inside a reduction reads the tile that is written".to_owned(), read.span));
            }
            reads.push(writer.element(&read.tensor, &access, read.span, &points)?);
        }
        let term = Writer::value(&part.body, &reads, &local);
        let element = access.to_vec();
        let function = part.reduction.map_or(Function::Add, Operator::function);
        let sum = Value::Apply(function, vec![Value::Element(window, element.clone()), term]);
        let step = vec![Step::Set { window, element, value: sum }];
        let bounded =
            Polyhedron::new(set.constraints().iter().filter(|form| form.coefficient(&inner_name) != 0).cloned());
        Ok(writer.nest(&[inner_name], &bounded, step))
    }

    /// The conditions under which a reduction has terms at a reader's points, where these do not imply them.
    fn emptiness(&self, reader: &Contribution, inner: usize, access: &[Affine]) -> Option<Vec<Affine>> {
        let part = &self.parts[inner];
        let image: BTreeMap<Name, Affine> = part.coordinates.iter().cloned().zip(access.iter().cloned()).collect();
        let filled = part.set.eliminate_all(part.reduced()).substitute(&image);
        let known = reader.set.intersect(&Polyhedron::sizes(&self.cut.parameters));
        let open: Vec<Affine> = filled.constraints().iter().filter(|form| !known.implies(form)).cloned().collect();
        (!open.is_empty()).then_some(open)
    }
}

/// Sets the result; a reduction without terms is neutral.
fn set_result(
    part: &Contribution,
    element: &[Affine],
    reads: Vec<Value>,
    empty: &[(usize, Vec<Affine>, &Contribution)],
) -> Vec<Step> {
    let Some(((position, conditions, inner), rest)) = empty.split_first() else {
        let value = Writer::value(&part.body, &reads, &BTreeMap::new());
        return vec![Step::Set { window: 0, element: element.to_vec(), value }];
    };
    let mut neutral = reads.clone();
    neutral[*position] = Value::Number(inner.reduction.map_or(0.0, Operator::neutral));
    vec![Step::If {
        conditions: conditions.clone(),
        then: set_result(part, element, reads, rest),
        otherwise: set_result(part, element, neutral, rest),
    }]
}

/// Steps at those points only that a part has.
fn guarded(writer: &Writer, points: &Polyhedron, steps: Vec<Step>) -> Vec<Step> {
    let own = points.irredundant(&writer.extents());
    match own.constraints() {
        [] => steps,
        conditions => vec![Step::If { conditions: conditions.to_vec(), then: steps, otherwise: vec![] }],
    }
}

/// An index of a leaf beside those of the cell; one of the same name that is another gets a number.
fn add_index(writer: &mut Writer, index: &Name, axis: &Axis, tile: &Affine, cell: &Cell) -> Name {
    let wanted = |text: Name| LeafIndex { name: text, axis: axis.clone(), tile: tile.clone() };
    let names = std::iter::once(index.clone()).chain((2..).map(|count| name(&format!("{index}_{count}"))));
    for text in names.take(writer.indices.len() + 2) {
        match writer.indices.iter().find(|known| known.name == text) {
            Some(known) if *known == wanted(text.clone()) && !cell.coordinates.contains(&text) => return text,
            Some(_) => {}
            None => {
                writer.indices.push(wanted(text.clone()));
                return text;
            }
        }
    }
    index.clone()
}

/// Coordinates along which elements may be gone through from the last to the first: none, one, several.
fn directions(coordinates: &[Name]) -> Vec<BTreeSet<Name>> {
    let few = coordinates.len().min(MOST_DIRECTIONS);
    let chosen = |mask: usize| (0..few).filter(move |place| mask >> place & 1 == 1);
    let mut masks: Vec<usize> = (0..1 << few).collect();
    masks.sort_by_key(|mask| mask.count_ones());
    masks.into_iter().map(|mask| chosen(mask).map(|place| coordinates[place].clone()).collect()).collect()
}

/// Refuses reads of the own tensor that the order of its elements has not computed; along dimensions that fall, elements come
/// from the last to the first.
fn check_order<'b>(
    (part, reads): (&Contribution, impl Iterator<Item = &'b Read>),
    image: &BTreeMap<Name, Affine>,
    set: &Polyhedron,
    falls: &[bool],
) -> Result<(), Refusal> {
    for read in reads {
        let mut before = set.clone();
        for ((form, own), falls) in read.access.iter().zip(&part.coordinates).zip(falls) {
            let own = Affine::variable(own).substitute(image);
            let rising = form.substitute(image) - own;
            let ahead = if *falls { -rising } else { rising };
            let later = before.intersect(&Polyhedron::new([ahead.clone() - Affine::constant(1)]));
            if !later.is_empty() {
                return Err((format!("`{}` is read ahead of the order of its elements", read.tensor), read.span));
            }
            before = before.intersect(&Polyhedron::new([ahead.clone(), -ahead]));
        }
        if !before.is_empty() {
            return Err((format!("`{}` is defined by itself", read.tensor), read.span));
        }
    }
    Ok(())
}
