//! Reductions over tiles, and the leaves that add the terms of one tile.
//!
//! In: a reduction, and the tiles of its free coordinates where it is read. Out: the reduction over tiles, without the tile that
//! its reader writes itself.

use super::cells::{free_coordinates, is_zero};
use super::coarse::{Along, pinned, tiles_met, tiles_of, within};
use super::equations::{Cell, Tiler};
use super::source::{Contribution, Read};
use super::writer::{Given, Points, Refusal, Terms, Writer, product};
use super::{Axis, LeafIndex, Step, Value};
use crate::recurrence::{Expr, Operator};
use std::collections::BTreeMap;
use systole_base::integer::{Affine, Name, Polyhedron};
use systole_base::scalar::Function;

impl Tiler<'_> {
    /// A reduction over tiles, at these tiles of its free coordinates; over its whole range where no terms are given.
    pub(super) fn reduction(&mut self, number: usize, tiles: &[Affine], terms: Option<Terms>) -> Result<Expr, Refusal> {
        let leaf = match self.reductions.get(&number) {
            Some(known) => known.clone(),
            None => self.reduction_leaf(number)?,
        };
        let part = &self.parts[number];
        let image: BTreeMap<Name, Affine> = part.coordinates.iter().cloned().zip(tiles.iter().cloned()).collect();
        let whole = || Terms { range: self.range_at(number, tiles), cell: Polyhedron::default() };
        let Terms { range, cell } = terms.unwrap_or_else(whole);
        let asked = range.intersect(&cell).intersect(&self.sizes);
        if !leaf.only.substitute(&image).constraints().iter().all(|form| asked.implies(form)) {
            return Err((format!("`{}` reads tiles that there are not", part.name), part.span));
        }
        let range = range.irredundant(&self.sizes);
        let coordinates: Vec<Affine> =
            part.coordinates.iter().map(|name| Affine::variable(name).substitute(&image)).collect();
        let mut value = self.call(leaf.number, &coordinates, &leaf.given, &image)?;
        let operator = self.parts[number].reduction.unwrap_or(Operator::Sum);
        let reduced = self.parts[number].reduced();
        for (position, index) in reduced.iter().enumerate().rev() {
            let own = |form: &&Affine| form.coefficient(index) != 0 && !form.mentions(&reduced[position + 1..]);
            let range = Polyhedron::new(range.constraints().iter().filter(own).cloned());
            value = Expr::Reduce {
                operator,
                index: index.clone(),
                range,
                body: Box::new(value),
                span: self.parts[number].span,
            };
        }
        Ok(value)
    }

    /// The leaf that adds the terms of one tile of a reduction: of any tile, or else of those that no reader adds by itself.
    fn reduction_leaf(&mut self, number: usize) -> Result<TermLeaf, Refusal> {
        let leaf = self.leaf_of_terms(number, &Polyhedron::default()).or_else(|refusal| {
            let only = self.terms_of_others(number);
            if only.constraints().is_empty() { Err(refusal) } else { self.leaf_of_terms(number, &only) }
        })?;
        self.reductions.insert(number, leaf.clone());
        Ok(leaf)
    }

    /// The tiles of a reduction that read no tile which the reader at the reduction's own coordinates writes.
    fn terms_of_others(&self, number: usize) -> Polyhedron {
        let part = &self.parts[number];
        let coordinates = &part.coordinates[..part.free];
        let axes: Vec<Axis> = coordinates.iter().map(|name| self.axes.of(number)[name].clone()).collect();
        let set = tiles_of(&part.set, self.axes.of(number)).eliminate_all(part.reduced()).intersect(&self.sizes);
        let cell = Cell { set, tensor: &part.tensor, coordinates, axes: &axes, present: vec![] };
        let tiles: Vec<Affine> = coordinates.iter().map(Affine::variable).collect();
        match (self.own_tiles(number, &cell, &tiles), part.reduced()) {
            (Ok(own), [index]) => Polyhedron::new(own.iter().map(|own| own.excluded(index))),
            _ => Polyhedron::default(),
        }
    }

    /// The leaf that adds the terms of one tile of a reduction, for tiles among `only`.
    fn leaf_of_terms(&mut self, number: usize, only: &Polyhedron) -> Result<TermLeaf, Refusal> {
        let (parts, axes) = (self.parts, self.axes);
        let part = &parts[number];
        let along = axes.of(number);
        let cell = tiles_of(&part.set, along).intersect(only).intersect(&self.sizes).with_equations(&self.sizes);
        let index =
            |name: &Name| LeafIndex { name: name.clone(), axis: along[name].clone(), tile: Affine::variable(name) };
        let own: Vec<Affine> = part.coordinates[..part.free].iter().map(Affine::variable).collect();
        let indices = part.coordinates.iter().map(index).collect();
        let mut writer = Writer::new((parts, axes, &cell), indices, (part.name.clone(), own.clone()), part.reduction);
        let mut reads = vec![];
        for read in &part.reads {
            reads.push(match self.inner(&read.tensor) {
                None => writer.element(&read.tensor, &read.access, read.span, &Points::default())?,
                Some(inner) => self.nested(&mut writer, inner, read, along, &cell)?,
            });
        }
        let term = Writer::value(&part.body, &reads, &BTreeMap::new());
        let function = part.reduction.map_or(Function::Add, Operator::function);
        let sum = Value::Apply(function, vec![Value::Element(0, own.clone()), term]);
        let body = writer.nest(&loop_order(part), &part.set, vec![Step::Set { window: 0, element: own, value: sum }]);
        let result = part.coordinates[..part.free].iter().map(|name| along[name].clone()).collect();
        let leaf_name = self.fresh_name(&part.name);
        let (leaf, given) = writer.finish(leaf_name, &part.coordinates, result, body);
        self.leaves.push(leaf);
        Ok(TermLeaf { number: self.leaves.len() - 1, given, only: only.clone() })
    }

    /// The value of a reduction inside a reduction.
    fn nested(
        &self,
        writer: &mut Writer,
        inner: usize,
        read: &Read,
        along: &Along,
        cell: &Polyhedron,
    ) -> Result<Value, Refusal> {
        let refusal = || (format!("`{}` is read at points that its own do not name", read.tensor), read.span);
        let access = self.coordinates_at(&self.parts[inner], &read.access).ok_or_else(refusal)?;
        let along = within(cell, along);
        let axes = self.axes.of(inner);
        let names = &self.parts[inner].coordinates;
        let mut tiles = vec![];
        for (form, name) in access.iter().zip(names) {
            match &tiles_met(form, &axes[name], &along)[..] {
                [tile] => tiles.push(tile.clone()),
                _ => return Err(refusal()),
            }
        }
        let window = writer.running(inner, &access, &tiles, Some(self.range_at(inner, &tiles)));
        Ok(Value::Element(window, access))
    }

    /// The tiles of a reduction's free coordinates where a cell reads it.
    pub(super) fn tiles_at(
        &self,
        cell: &Cell,
        part: &Contribution,
        access: &[Affine],
        image: &BTreeMap<Name, Affine>,
    ) -> Result<Vec<Affine>, Refusal> {
        let along: Along = cell.coordinates.iter().cloned().zip(cell.axes.iter().cloned()).collect();
        let (pins, along) = (pinned(&cell.set, &along), within(&cell.set, &along));
        let mut tiles = vec![];
        for (form, axis) in access.iter().zip(self.axes.of_tensor(&part.tensor)) {
            match &tiles_met(&form.substitute(&pins), axis, &along)[..] {
                [tile] => tiles.push(tile.substitute(image)),
                _ => {
                    return Err((
                        format!("the tiles of `{}` do not line up with those of its reader", part.name),
                        part.span,
                    ));
                }
            }
        }
        Ok(tiles)
    }

    /// The tiles of a reduction's index at which it reads the tile that a cell writes: none, the first or the last of its
    /// range, or both.
    pub(super) fn own_tiles(&self, number: usize, cell: &Cell, tiles: &[Affine]) -> Result<Vec<OwnTile>, Refusal> {
        let part = &self.parts[number];
        let range = self.range_at(number, tiles).intersect(&cell.set);
        let (_, image) = free_coordinates(&cell.set, cell.coordinates, &self.sizes);
        let own: Vec<Affine> = cell.coordinates.iter().map(|name| image[name].clone()).collect();
        let mut found: Vec<OwnTile> = vec![];
        for read in part.reads.iter().filter(|read| read.tensor == *cell.tensor) {
            for tile in self.tiles_of_read(number, read, tiles) {
                let met = meeting(&tile, &own, part.reduced(), &range).map_err(|why| (why, read.span))?;
                let is_new =
                    |met: &OwnTile| found.iter().all(|known| !is_zero(&range, &(known.at.clone() - met.at.clone())));
                found.extend(met.filter(is_new));
            }
        }
        found.sort_by_key(|tile| tile.is_last);
        match &found[..] {
            [] | [_] => Ok(found),
            [first, last] if !first.is_last && last.is_last => Ok(found),
            _ => Err(("it reads the tile that is written at two places of a reduction".to_owned(), part.span)),
        }
    }

    /// The tiles that a read inside a reduction meets, over the free coordinates' tiles and the reduction's index.
    fn tiles_of_read(&self, number: usize, read: &Read, tiles: &[Affine]) -> Vec<Vec<Affine>> {
        let part = &self.parts[number];
        let image: BTreeMap<Name, Affine> = part.coordinates.iter().cloned().zip(tiles.iter().cloned()).collect();
        let along = self.axes.of(number);
        let met = |(form, axis): (&Affine, &Axis)| -> Vec<Affine> {
            tiles_met(form, axis, along).iter().map(|tile| tile.substitute(&image)).collect()
        };
        let axes = self.axes.of_tensor(&read.tensor);
        product((&read.access, axes), &read.access.iter().zip(axes).map(met).collect::<Vec<_>>())
    }

    /// The tiles of a reduction's points at these tiles of its free coordinates, over its indices.
    pub(super) fn range_at(&self, number: usize, tiles: &[Affine]) -> Polyhedron {
        let part = &self.parts[number];
        let image: BTreeMap<Name, Affine> = part.coordinates.iter().cloned().zip(tiles.iter().cloned()).collect();
        tiles_of(&part.set, self.axes.of(number)).substitute(&image)
    }

    /// The range over tiles, without those that the leaf itself adds, which are the first or the last.
    pub(super) fn outer_range(&self, number: usize, tiles: &[Affine], own: &[OwnTile]) -> Polyhedron {
        let mut range = self.range_at(number, tiles);
        if let [index] = self.parts[number].reduced() {
            own.iter().for_each(|own| range.add(own.excluded(index)));
        }
        range
    }
}

/// The tile of a reduction's terms that a leaf adds by itself, since it reads there what the leaf writes.
pub(super) struct OwnTile {
    pub at: Affine,
    /// Whether it is the last of the range; the first otherwise.
    is_last: bool,
}

impl OwnTile {
    /// At least 0 at all other tiles of the range.
    fn excluded(&self, index: &Name) -> Affine {
        let before = self.at.clone() - Affine::variable(index);
        (if self.is_last { before } else { -before }) - Affine::constant(1)
    }
}

/// The leaf that adds the terms of one tile of a reduction.
#[derive(Clone)]
pub(super) struct TermLeaf {
    number: usize,
    given: Vec<Given>,
    /// The tiles that it is for, over the reduction's coordinates.
    only: Polyhedron,
}

/// The value of a reduction's index at which a tile that it reads is the own one, if that lies in its range: it must be the
/// first or the last then.
fn meeting(tile: &[Affine], own: &[Affine], reduced: &[Name], range: &Polyhedron) -> Result<Option<OwnTile>, String> {
    let mut met = range.clone();
    let mut at = None;
    for (one, other) in tile.iter().zip(own) {
        let difference = one.clone() - other.clone();
        met = met.intersect(&Polyhedron::new([difference.clone(), -difference.clone()]));
        if let [index] = reduced
            && difference.coefficient(index).abs() == 1
        {
            let sign = difference.coefficient(index);
            at = Some((difference - Affine::term(index, sign)) * -sign);
        }
    }
    if met.is_empty() {
        return Ok(None);
    }
    if let (Some(at), [index]) = (at, reduced) {
        let before = at.clone() - Affine::variable(index);
        if range.implies(&before) {
            return Ok(Some(OwnTile { at, is_last: true }));
        }
        if range.implies(&-before) {
            return Ok(Some(OwnTile { at, is_last: false }));
        }
    }
    Err("a reduction reads the tile that is written between its first and its last terms".to_owned())
}

/// The loops of a reduction: the last subscript innermost, where neighbouring elements are worked on side by side. Each
/// element's terms keep their order.
fn loop_order(part: &Contribution) -> Vec<Name> {
    let (free, reduced) = part.coordinates.split_at(part.free);
    match free.split_last() {
        Some((last, rest)) => rest.iter().chain(reduced).chain([last]).cloned().collect(),
        None => reduced.to_vec(),
    }
}
