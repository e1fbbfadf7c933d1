//! The equations over tiles, and the leaves that stand in them.
//!
//! In: the parts of a kernel and its axes. Out: for each cell of each computed tensor one equation. Where a reduction reads the
//! tile that is being written, as the last terms of a triangular solve do, that tile is left out of the reduction over tiles
//! and its terms are added inside the leaf.

use super::axes::Axes;
use super::cells::{divide, free_coordinates, is_zero};
use super::coarse::{Along, pinned, tiles_met, tiles_of, within};
use super::source::{Part, Read, coordinates_of};
use super::writer::{Given, Refusal, Writer, product, within_axis};
use super::{Axis, Leaf, LeafIndex, Step, Value};
use crate::diagnostic::{Checked, Diagnostic};
use crate::integer::{Affine, Name, Polyhedron, name};
use crate::recurrence::spaces::{SpaceSystem, solve};
use crate::recurrence::{Domain, Equation, Expr, Function, Operator, Scalar};
use std::collections::{BTreeMap, BTreeSet};

/// Everything that equations over tiles are written from, and what is written so far.
pub(super) struct Tiler<'a> {
    pub cut: &'a SpaceSystem,
    pub parts: &'a [Part],
    pub axes: &'a Axes,
    /// The sizes of the system over tiles are at least 1.
    pub sizes: Polyhedron,
    pub leaves: Vec<Leaf>,
    /// For each reduction its leaf, and what the leaf is given, over the tile coordinates of the reduction.
    pub reductions: BTreeMap<usize, (usize, Vec<Given>)>,
    /// For each reduction with terms that a leaf adds by itself the subscripts whose tile they are in.
    pub inside: BTreeMap<Name, BTreeSet<usize>>,
}

impl<'a> Tiler<'a> {
    /// The equations of one computed tensor.
    pub fn equations(&mut self, tensor: &Name, rank: usize) -> Checked<Vec<Equation>> {
        let coordinates = coordinates_of(self.cut, tensor, rank);
        let axes = self.axes.of_tensor(tensor).to_vec();
        let along: Along = coordinates.iter().cloned().zip(axes.iter().cloned()).collect();
        let whole = coordinates.iter().zip(&axes).flat_map(|(name, axis)| within_axis(&Affine::variable(name), axis));
        let whole = Polyhedron::new(whole).intersect(&self.sizes);
        let members: Vec<usize> = (0..self.parts.len())
            .filter(|part| self.parts[*part].tensor == *tensor && !self.parts[*part].is_inner())
            .collect();
        let cells = divide(whole, &|cell| self.questions(cell, &members, &along));
        let mut equations = vec![];
        for cell in cells {
            let present = self.present(&cell, &members, &along);
            if present.is_empty() {
                continue;
            }
            let cell = Cell { set: cell, tensor, coordinates: &coordinates, axes: &axes, present };
            equations.push(self.equation(&cell).map_err(|refusal| self.refuse(tensor, refusal))?);
        }
        Ok(equations)
    }

    fn refuse(&self, tensor: &Name, (why, span): Refusal) -> Vec<Diagnostic> {
        Diagnostic::new(format!("`{tensor}` cannot be tiled so: {why}"))
            .label(&self.cut.source, span, "read here")
            .help("choose other sizes of tiles, or leave an index undivided")
            .into()
    }

    /// The members with points in some tile of a cell.
    fn present(&self, cell: &Polyhedron, members: &[usize], along: &Along) -> Vec<usize> {
        members.iter().copied().filter(|part| !cell.intersect(&self.written(*part, along)).is_empty()).collect()
    }

    /// The tiles that a part has points in.
    fn written(&self, part: usize, along: &Along) -> Polyhedron {
        let part = &self.parts[part];
        tiles_of(&part.set.eliminate_all(part.reduced()), along)
    }

    /// What decides between cells.
    fn questions(&self, cell: &Polyhedron, members: &[usize], along: &Along) -> Vec<Affine> {
        let sets = members.iter().map(|part| self.written(*part, along)).filter(|set| !cell.intersect(set).is_empty());
        let mut forms: Vec<Affine> = sets.flat_map(|set| set.constraints().to_vec()).collect();
        for member in self.present(cell, members, along) {
            let part = &self.parts[member];
            for read in &part.reads {
                forms.extend(self.questions_of(cell, part, read, along));
            }
        }
        forms
    }

    fn questions_of(&self, cell: &Polyhedron, part: &Part, read: &Read, along: &Along) -> Vec<Affine> {
        let own: Vec<Affine> = part.coordinates[..part.free].iter().map(Affine::variable).collect();
        let is_direct = |form: &Affine| !form.mentions(part.reduced());
        if let Some(number) = self.inner(&read.tensor) {
            let inner = &self.parts[number];
            let Some(access) = self.coordinates_at(inner, &read.access) else { return vec![] };
            let image: BTreeMap<Name, Affine> = inner.coordinates[..inner.free].iter().cloned().zip(access).collect();
            let reads = inner.reads.iter().filter(|read| read.tensor == part.tensor);
            return reads
                .flat_map(|read| {
                    self.meetings(cell, (&read.tensor, &read.access), along, &own, &image, inner.reduced())
                })
                .collect();
        }
        if !read.access.iter().all(is_direct) {
            return vec![];
        }
        let axes = self.axes.of_tensor(&read.tensor);
        let (pins, along) = (pinned(cell, along), within(cell, along));
        let met = |(form, axis): (&Affine, &Axis)| tiles_met(&form.substitute(&pins), axis, &along);
        let candidates: Vec<Vec<Affine>> = read.access.iter().zip(axes).map(met).collect();
        let mut forms: Vec<Affine> = candidates
            .iter()
            .zip(axes)
            .flat_map(|(tiles, axis)| tiles.iter().flat_map(|tile| within_axis(tile, axis)))
            .collect();
        if read.tensor == part.tensor {
            forms.extend(product(&candidates).iter().flat_map(|tile| differences(tile, &own)));
        }
        forms
    }

    /// Where reads inside a reduction may be of the own tile, as far as no reduction index decides.
    fn meetings(
        &self,
        cell: &Polyhedron,
        (tensor, access): (&Name, &[Affine]),
        along: &Along,
        own: &[Affine],
        image: &BTreeMap<Name, Affine>,
        reduced: &[Name],
    ) -> Vec<Affine> {
        let axes = self.axes.of_tensor(tensor);
        let along = within(cell, along);
        let met = |(form, axis): (&Affine, &Axis)| match form.mentions(reduced) {
            true => vec![],
            false => tiles_met(&form.substitute(image), axis, &along),
        };
        let tiles = access.iter().zip(axes).map(met).zip(own);
        tiles
            .flat_map(|(tiles, own)| {
                tiles.into_iter().flat_map(move |tile| differences(&[tile], std::slice::from_ref(own)))
            })
            .collect()
    }

    /// The reduction inside an equation that writes this name.
    fn inner(&self, tensor: &Name) -> Option<usize> {
        self.parts.iter().position(|part| part.output == *tensor && part.is_inner())
    }

    /// The free coordinates of a reduction where it leaves an element.
    fn coordinates_at(&self, inner: &Part, element: &[Affine]) -> Option<Vec<Affine>> {
        let free = &inner.coordinates[..inner.free];
        let solution = solve(&inner.element, free, element)?;
        Some(solution.coordinates(free))
    }
}

/// Each difference both ways, where it is no constant.
fn differences(tile: &[Affine], own: &[Affine]) -> Vec<Affine> {
    let pairs = tile.iter().zip(own).map(|(one, other)| one.clone() - other.clone());
    pairs.filter(|form| !form.is_constant()).flat_map(|form| [form.clone(), -form]).collect()
}

/// One cell of a tensor.
struct Cell<'a> {
    set: Polyhedron,
    tensor: &'a Name,
    coordinates: &'a [Name],
    axes: &'a [Axis],
    /// The parts with points in it.
    present: Vec<usize>,
}

impl Tiler<'_> {
    fn equation(&mut self, cell: &Cell) -> Result<Equation, Refusal> {
        let (free, image) = free_coordinates(&cell.set, cell.coordinates, &self.sizes);
        let subscripts: Vec<Affine> = cell.coordinates.iter().map(|name| image[name].clone()).collect();
        let value = match cell.present[..] {
            [only] => self.plain_value(only, cell, &subscripts)?,
            _ => None,
        };
        let value = match value {
            Some(value) => value,
            None => self.leaf_value(cell, &free, &image)?,
        };
        let span = self.parts[cell.present[0]].span;
        let set = cell.set.substitute(&image).irredundant(&self.sizes);
        Ok(Equation { target: cell.tensor.clone(), subscripts, domain: Domain { indices: free, set }, value, span })
    }

    /// A constant, or a reduction that is the whole equation and reads nothing of the tile it writes.
    fn plain_value(&mut self, number: usize, cell: &Cell, tiles: &[Affine]) -> Result<Option<Expr>, Refusal> {
        let part = &self.parts[number];
        if let (Scalar::Number(value), None) = (&part.body, part.reduction) {
            return Ok(Some(Expr::Number(*value)));
        }
        if part.reduction.is_none() || self.own_tile(number, cell, tiles)?.is_some() {
            return Ok(None);
        }
        self.reduction(number, tiles, None).map(Some)
    }

    /// A leaf of the cell, called with all that it reads.
    fn leaf_value(&mut self, cell: &Cell, free: &[Name], image: &BTreeMap<Name, Affine>) -> Result<Expr, Refusal> {
        let index = |(name, axis): (&Name, &Axis)| LeafIndex {
            name: name.clone(),
            axis: axis.clone(),
            tile: image[name].clone(),
        };
        let indices: Vec<LeafIndex> = cell.coordinates.iter().zip(cell.axes).map(index).collect();
        let own: Vec<Affine> = cell.coordinates.iter().map(|name| image[name].clone()).collect();
        let (parts, axes) = (self.parts, self.axes);
        let mut writer = Writer::new((parts, axes, &cell.set), indices, (cell.tensor.clone(), own), None);
        let mut body = vec![];
        for number in &cell.present {
            body.push((*number, self.statement(&mut writer, *number, cell, image)?));
        }
        let steps = match <[_; 1]>::try_from(body) {
            Ok([(number, steps)]) => {
                writer.nest(cell.coordinates, &parts[number].set.eliminate_all(parts[number].reduced()), steps)
            }
            Err(body) => {
                let guarded =
                    body.into_iter().map(|(number, steps)| guarded(&writer, &parts[number], steps)).collect::<Vec<_>>();
                writer.nest(cell.coordinates, &Polyhedron::default(), guarded.concat())
            }
        };
        let leaf_name = self.fresh_name(cell.tensor);
        let (leaf, given) = writer.finish(leaf_name, free.to_vec(), cell.axes.to_vec(), steps);
        self.leaves.push(leaf);
        let coordinates: Vec<Affine> = free.iter().map(Affine::variable).collect();
        self.call(self.leaves.len() - 1, &coordinates, &given, &BTreeMap::new())
    }

    /// What one part does at an element of the cell.
    fn statement(
        &mut self,
        writer: &mut Writer,
        number: usize,
        cell: &Cell,
        image: &BTreeMap<Name, Affine>,
    ) -> Result<Vec<Step>, Refusal> {
        let parts = self.parts;
        let part = &parts[number];
        check_order(part, part.reads.iter().filter(|read| read.tensor == part.tensor), &BTreeMap::new(), &part.set)?;
        let element: Vec<Affine> = cell.coordinates.iter().map(Affine::variable).collect();
        if part.reduction.is_some() {
            let (steps, window) = self.run_down(writer, number, cell, image, &element)?;
            return Ok([
                steps,
                vec![Step::Set { window: 0, element: element.clone(), value: Value::Element(window, element) }],
            ]
            .concat());
        }
        let (mut before, mut reads, mut empty) = (vec![], vec![], vec![]);
        let pins = pinned(&cell.set, &cell.coordinates.iter().cloned().zip(cell.axes.iter().cloned()).collect());
        for (position, read) in part.reads.iter().enumerate() {
            let Some(inner) = self.inner(&read.tensor) else {
                reads.push(writer.element(&read.tensor, &read.access, read.span, &pins)?);
                continue;
            };
            let Some(access) = self.coordinates_at(&parts[inner], &read.access) else {
                return Err((format!("`{}` is read at points that its own do not name", read.tensor), read.span));
            };
            let (steps, window) = self.run_down(writer, inner, cell, image, &access)?;
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
        number: usize,
        cell: &Cell,
        image: &BTreeMap<Name, Affine>,
        access: &[Affine],
    ) -> Result<(Vec<Step>, usize), Refusal> {
        let parts = self.parts;
        let part = &parts[number];
        let tiles = self.tiles_at(cell, part, access, image)?;
        let own = self.own_tile(number, cell, &tiles)?;
        let outer = self.outer_range(number, &tiles, own.as_ref());
        let begun = (!outer.intersect(&cell.set).is_empty()).then_some(outer);
        let window = writer.running(number, access, &tiles, begun);
        let (Some(own), [index]) = (own, part.reduced()) else { return Ok((vec![], window)) };
        let alike = |name: &Name| is_zero(&cell.set, &(image[name].clone() - own.clone()));
        let here: BTreeSet<usize> = (0..cell.coordinates.len()).filter(|at| alike(&cell.coordinates[*at])).collect();
        let known = self.inside.entry(part.name.clone()).or_insert_with(|| here.clone());
        known.retain(|dimension| here.contains(dimension));
        if known.is_empty() {
            return Err(("its last terms lie in the tile of no one subscript".to_owned(), part.span));
        }
        let inner_name = add_index(writer, index, &self.axes.of(number)[index], &own, cell);
        let free = part.coordinates[..part.free].iter().cloned().zip(access.iter().cloned());
        let local: BTreeMap<Name, Affine> = free.chain([(index.clone(), Affine::variable(&inner_name))]).collect();
        let set = part.set.substitute(&local);
        let own_reads = part.reads.iter().filter(|read| read.tensor == *cell.tensor);
        check_order(part, own_reads, &local, &set)?;
        let mut reads = vec![];
        for read in &part.reads {
            let access: Vec<Affine> = read.access.iter().map(|form| form.substitute(&local)).collect();
            if self.inner(&read.tensor).is_some() {
                return Err(("a reduction inside a reduction reads the tile that is written".to_owned(), read.span));
            }
            reads.push(writer.element(&read.tensor, &access, read.span, &BTreeMap::new())?);
        }
        let term = Writer::value(&part.body, &reads, &local);
        let element = access.to_vec();
        let function = part.reduction.map_or(Function::Add, Operator::function);
        let sum = Value::Apply(function, vec![Value::Element(window, element.clone()), term]);
        let step = vec![Step::Set { window, element, value: sum }];
        let bounded =
            Polyhedron::new(set.constraints().iter().filter(|form| form.coefficient(&inner_name) != 0).cloned());
        Ok((writer.nest(&[inner_name], &bounded, step), window))
    }

    /// The tiles of a reduction's free coordinates where a cell reads it.
    fn tiles_at(
        &self,
        cell: &Cell,
        part: &Part,
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

    /// The tile of a reduction's index at which it reads the tile that a cell writes, if there is one.
    fn own_tile(&self, number: usize, cell: &Cell, tiles: &[Affine]) -> Result<Option<Affine>, Refusal> {
        let part = &self.parts[number];
        let range = self.range_at(number, tiles).intersect(&cell.set);
        let (_, image) = free_coordinates(&cell.set, cell.coordinates, &self.sizes);
        let own: Vec<Affine> = cell.coordinates.iter().map(|name| image[name].clone()).collect();
        let mut found: Option<Affine> = None;
        for read in part.reads.iter().filter(|read| read.tensor == *cell.tensor) {
            for tile in self.tiles_of_read(number, read, tiles) {
                let Some(at) = meeting(&tile, &own, part.reduced(), &range).map_err(|why| (why, read.span))? else {
                    continue;
                };
                if found.as_ref().is_some_and(|known| !is_zero(&range, &(known.clone() - at.clone()))) {
                    return Err((
                        "it reads the tile that is written at two places of a reduction".to_owned(),
                        read.span,
                    ));
                }
                found = Some(at);
            }
        }
        Ok(found)
    }

    /// The tiles that a read inside a reduction meets, over the free coordinates' tiles and the reduction's index.
    fn tiles_of_read(&self, number: usize, read: &Read, tiles: &[Affine]) -> Vec<Vec<Affine>> {
        let part = &self.parts[number];
        let image: BTreeMap<Name, Affine> = part.coordinates.iter().cloned().zip(tiles.iter().cloned()).collect();
        let along = self.axes.of(number);
        let met = |(form, axis): (&Affine, &Axis)| -> Vec<Affine> {
            tiles_met(form, axis, along).iter().map(|tile| tile.substitute(&image)).collect()
        };
        product(&read.access.iter().zip(self.axes.of_tensor(&read.tensor)).map(met).collect::<Vec<_>>())
    }

    /// The tiles of a reduction's points at these tiles of its free coordinates, over its indices.
    fn range_at(&self, number: usize, tiles: &[Affine]) -> Polyhedron {
        let part = &self.parts[number];
        let image: BTreeMap<Name, Affine> = part.coordinates.iter().cloned().zip(tiles.iter().cloned()).collect();
        tiles_of(&part.set, self.axes.of(number)).substitute(&image)
    }

    /// The range over tiles, without the tile that the leaf itself adds, which is the last.
    fn outer_range(&self, number: usize, tiles: &[Affine], own: Option<&Affine>) -> Polyhedron {
        let mut range = self.range_at(number, tiles);
        if let (Some(own), [index]) = (own, self.parts[number].reduced()) {
            range.add(own.clone() - Affine::variable(index) - Affine::constant(1));
        }
        range
    }

    /// The conditions under which a reduction has terms at a reader's points, where these do not imply them.
    fn emptiness(&self, reader: &Part, inner: usize, access: &[Affine]) -> Option<Vec<Affine>> {
        let part = &self.parts[inner];
        let image: BTreeMap<Name, Affine> = part.coordinates.iter().cloned().zip(access.iter().cloned()).collect();
        let filled = part.set.eliminate_all(part.reduced()).substitute(&image);
        let known = reader.set.intersect(&Polyhedron::sizes(&self.cut.parameters));
        let open: Vec<Affine> = filled.constraints().iter().filter(|form| !known.implies(form)).cloned().collect();
        (!open.is_empty()).then_some(open)
    }
}

/// Sets the result; a reduction without terms is neutral.
fn set_result(part: &Part, element: &[Affine], reads: Vec<Value>, empty: &[(usize, Vec<Affine>, &Part)]) -> Vec<Step> {
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
fn guarded(writer: &Writer, part: &Part, steps: Vec<Step>) -> Vec<Step> {
    let own = part.set.eliminate_all(part.reduced()).irredundant(&writer.extents());
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

/// The value of a reduction's index at which a tile that it reads is the own one, if that lies in its range: it must be the
/// last then.
fn meeting(tile: &[Affine], own: &[Affine], reduced: &[Name], range: &Polyhedron) -> Result<Option<Affine>, String> {
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
    match (at, reduced) {
        (Some(at), [index]) if range.implies(&(at.clone() - Affine::variable(index))) => Ok(Some(at)),
        _ => Err("a reduction reads the tile that is written before its last terms".to_owned()),
    }
}

/// Refuses reads of the own tensor that the lexicographic order of its elements has not computed.
fn check_order<'b>(
    part: &Part,
    reads: impl Iterator<Item = &'b Read>,
    image: &BTreeMap<Name, Affine>,
    set: &Polyhedron,
) -> Result<(), Refusal> {
    for read in reads {
        let mut before = set.clone();
        for (form, own) in read.access.iter().zip(&part.coordinates) {
            let own = Affine::variable(own).substitute(image);
            let ahead = form.substitute(image) - own;
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

impl Tiler<'_> {
    /// A reduction over tiles, at these tiles of its free coordinates; over its whole range where none is given.
    fn reduction(&mut self, number: usize, tiles: &[Affine], range: Option<Polyhedron>) -> Result<Expr, Refusal> {
        let (leaf, given) = match self.reductions.get(&number) {
            Some(known) => known.clone(),
            None => self.reduction_leaf(number)?,
        };
        let part = &self.parts[number];
        let image: BTreeMap<Name, Affine> = part.coordinates.iter().cloned().zip(tiles.iter().cloned()).collect();
        let coordinates: Vec<Affine> =
            part.coordinates.iter().map(|name| Affine::variable(name).substitute(&image)).collect();
        let mut value = self.call(leaf, &coordinates, &given, &image)?;
        let range = range.unwrap_or_else(|| self.range_at(number, tiles)).irredundant(&self.sizes);
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

    /// The leaf that adds the terms of one tile of a reduction.
    fn reduction_leaf(&mut self, number: usize) -> Result<(usize, Vec<Given>), Refusal> {
        let (parts, axes) = (self.parts, self.axes);
        let part = &parts[number];
        let along = axes.of(number);
        let cell = tiles_of(&part.set, along).intersect(&self.sizes).with_equations(&self.sizes);
        let index =
            |name: &Name| LeafIndex { name: name.clone(), axis: along[name].clone(), tile: Affine::variable(name) };
        let own: Vec<Affine> = part.coordinates[..part.free].iter().map(Affine::variable).collect();
        let indices = part.coordinates.iter().map(index).collect();
        let mut writer = Writer::new((parts, axes, &cell), indices, (part.name.clone(), own.clone()), part.reduction);
        let mut reads = vec![];
        for read in &part.reads {
            reads.push(match self.inner(&read.tensor) {
                None => writer.element(&read.tensor, &read.access, read.span, &BTreeMap::new())?,
                Some(inner) => self.nested(&mut writer, inner, read, along, &cell)?,
            });
        }
        let term = Writer::value(&part.body, &reads, &BTreeMap::new());
        let function = part.reduction.map_or(Function::Add, Operator::function);
        let sum = Value::Apply(function, vec![Value::Element(0, own.clone()), term]);
        let body = writer.nest(&loop_order(part), &part.set, vec![Step::Set { window: 0, element: own, value: sum }]);
        let result = part.coordinates[..part.free].iter().map(|name| along[name].clone()).collect();
        let leaf_name = self.fresh_name(&part.name);
        let (leaf, given) = writer.finish(leaf_name, part.coordinates.clone(), result, body);
        self.leaves.push(leaf);
        self.reductions.insert(number, (self.leaves.len() - 1, given.clone()));
        Ok((self.leaves.len() - 1, given))
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

    /// A leaf applied to its tile coordinates and its arguments, all with tile coordinates replaced by their images.
    fn call(
        &mut self,
        leaf: usize,
        coordinates: &[Affine],
        given: &[Given],
        image: &BTreeMap<Name, Affine>,
    ) -> Result<Expr, Refusal> {
        let mut arguments: Vec<Expr> = coordinates.iter().map(|form| Expr::Index(form.substitute(image))).collect();
        for one in given {
            arguments.push(match one {
                Given::Tile(tensor, tile, span) => Expr::Read {
                    tensor: tensor.clone(),
                    subscripts: tile.iter().map(|form| form.substitute(image)).collect(),
                    span: *span,
                },
                Given::Reduction(part, tiles, range) => {
                    let tiles: Vec<Affine> = tiles.iter().map(|form| form.substitute(image)).collect();
                    self.reduction(*part, &tiles, Some(range.substitute(image)))?
                }
            });
        }
        Ok(Expr::Apply(Function::Leaf(leaf as u16), arguments))
    }

    fn fresh_name(&self, wanted: &str) -> Name {
        let names = std::iter::once(wanted.to_owned()).chain((2..).map(|count| format!("{wanted}.{count}")));
        let free = names.take(self.leaves.len() + 2).find(|text| self.leaves.iter().all(|leaf| *leaf.name != **text));
        name(&free.unwrap_or_else(|| wanted.to_owned()))
    }
}

/// The loops of a reduction: the last subscript innermost, where neighbouring elements are worked on side by side. Each
/// element's terms keep their order.
fn loop_order(part: &Part) -> Vec<Name> {
    let (free, reduced) = part.coordinates.split_at(part.free);
    match free.split_last() {
        Some((last, rest)) => rest.iter().chain(reduced).chain([last]).cloned().collect(),
        None => reduced.to_vec(),
    }
}
