//! The equations over tiles: for each cell of each computed tensor one.
//!
//! In: the parts of a kernel and its axes. Out: equations whose functions are leaves. A cell with one equation that is a
//! constant, or a reduction that reads nothing of the tile it writes, needs no leaf of its own.

use super::axes::Axes;
use super::cells::{divide, free_coordinates};
use super::coarse::Along;
use super::reductions::TermLeaf;
use super::source::{Contribution, coordinates_of};
use super::writer::{Given, Refusal, within_axis};
use super::{Axis, Leaf};
use crate::recurrence::spaces::{SpaceSystem, solve};
use crate::recurrence::{Domain, Equation, Expr, Scalar};
use std::collections::{BTreeMap, BTreeSet};
use systole_base::diagnostic::{Checked, Diagnostic};
use systole_base::integer::{Affine, Name, Polyhedron, name};
use systole_base::scalar::Function;

/// Everything that equations over tiles are written from, and what is written so far.
pub(super) struct Tiler<'a> {
    pub cut: &'a SpaceSystem,
    pub parts: &'a [Contribution],
    pub axes: &'a Axes,
    /// The sizes of the system over tiles are at least 1.
    pub sizes: Polyhedron,
    pub leaves: Vec<Leaf>,
    /// For each reduction its leaf, over the tile coordinates of the reduction.
    pub reductions: BTreeMap<usize, TermLeaf>,
    /// For each reduction with terms that a leaf adds by itself the subscripts whose tiles they are in, in the order in
    /// which it adds them.
    pub inside: BTreeMap<Name, Vec<BTreeSet<usize>>>,
    /// The tensors that are several on top of each other.
    pub stacks: BTreeSet<Name>,
    /// The tensors that are slanted.
    pub slanted: BTreeSet<Name>,
}

/// One cell of a tensor.
pub(super) struct Cell<'a> {
    pub set: Polyhedron,
    pub tensor: &'a Name,
    pub coordinates: &'a [Name],
    pub axes: &'a [Axis],
    /// The parts with points in it.
    pub present: Vec<usize>,
}

impl<'a> Tiler<'a> {
    /// Nothing written yet; these are the sizes over tiles, the stacks, and the slanted tensors.
    pub(super) fn new(
        (cut, parts, axes): (&'a SpaceSystem, &'a [Contribution], &'a Axes),
        sizes: Polyhedron,
        (stacks, slanted): (BTreeSet<Name>, BTreeSet<Name>),
    ) -> Tiler<'a> {
        let (leaves, reductions, inside) = (vec![], BTreeMap::new(), BTreeMap::new());
        Tiler { cut, parts, axes, sizes, leaves, reductions, inside, stacks, slanted }
    }

    /// The equations of one computed tensor.
    pub(super) fn equations(&mut self, tensor: &Name, rank: usize) -> Checked<Vec<Equation>> {
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
            .help("choose other sizes of tiles, leave an index undivided, or count it from its other end")
            .into()
    }

    fn equation(&mut self, cell: &Cell) -> Result<Equation, Refusal> {
        let (free, image) = free_coordinates(&cell.set, cell.coordinates, &self.sizes);
        let subscripts: Vec<Affine> = cell.coordinates.iter().map(|name| image[name].clone()).collect();
        let value = match cell.present[..] {
            [only] => self.plain_value(only, cell, &subscripts)?,
            _ if self.slanted.contains(cell.tensor) => self.one_number(&cell.present),
            _ => None,
        };
        let value = match value {
            Some(value) => value,
            None => self.leaf_value(cell, &free, &image)?,
        };
        let is_number = |part: &&usize| matches!(self.parts[**part].body, Scalar::Number(_));
        let shown = cell.present.iter().find(|part| !is_number(part)).unwrap_or(&cell.present[0]);
        let span = self.parts[*shown].span;
        let set = cell.set.substitute(&image).irredundant(&self.sizes);
        let subscripts = self.axes.over_tiles(cell.tensor, &subscripts);
        Ok(Equation { target: cell.tensor.clone(), subscripts, domain: Domain { indices: free, set }, value, span })
    }

    /// The number that all of these parts are.
    fn one_number(&self, parts: &[usize]) -> Option<Expr> {
        let number = |part: &usize| match (&self.parts[*part].body, self.parts[*part].reduction) {
            (Scalar::Number(value), None) => Some(value.to_bits()),
            _ => None,
        };
        let first = parts.first().and_then(number)?;
        parts.iter().all(|part| number(part) == Some(first)).then(|| Expr::Number(f64::from_bits(first)))
    }

    /// A constant, or a reduction that is the whole equation and reads nothing of the tile it writes.
    fn plain_value(&mut self, number: usize, cell: &Cell, tiles: &[Affine]) -> Result<Option<Expr>, Refusal> {
        let part = &self.parts[number];
        if let (Scalar::Number(value), None) = (&part.body, part.reduction) {
            return Ok(Some(Expr::Number(*value)));
        }
        if part.reduction.is_none() || !self.own_tiles(number, cell, tiles)?.is_empty() {
            return Ok(None);
        }
        self.reduction(number, tiles, None).map(Some)
    }

    /// A leaf applied to its tile coordinates and its arguments, all with tile coordinates replaced by their images.
    pub(super) fn call(
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
                    subscripts: self.axes.over_tiles(tensor, tile).iter().map(|form| form.substitute(image)).collect(),
                    span: *span,
                },
                Given::Reduction(part, tiles, terms) => {
                    let tiles: Vec<Affine> = tiles.iter().map(|form| form.substitute(image)).collect();
                    self.reduction(*part, &tiles, Some(terms.substitute(image)))?
                }
            });
        }
        Ok(Expr::Apply(Function::Leaf(leaf as u16), arguments))
    }

    /// The reduction inside an equation that writes this name.
    pub(super) fn inner(&self, tensor: &Name) -> Option<usize> {
        let writes = |part: &Contribution| part.output == *tensor || part.same.contains(tensor);
        self.parts.iter().position(|part| part.is_inner() && writes(part))
    }

    /// The free coordinates of a reduction where it leaves an element.
    pub(super) fn coordinates_at(&self, inner: &Contribution, element: &[Affine]) -> Option<Vec<Affine>> {
        let free = &inner.coordinates[..inner.free];
        let fixed = inner.set.equations().filter(|form| !form.mentions(inner.reduced()));
        let forms: Vec<Affine> = inner.element.iter().chain(fixed).cloned().collect();
        let mut targets = element.to_vec();
        targets.resize(forms.len(), Affine::default());
        Some(solve(&forms, free, &targets)?.coordinates(free))
    }

    pub(super) fn fresh_name(&self, wanted: &str) -> Name {
        let names = std::iter::once(wanted.to_owned()).chain((2..).map(|count| format!("{wanted}.{count}")));
        let free = names.take(self.leaves.len() + 2).find(|text| self.leaves.iter().all(|leaf| *leaf.name != **text));
        name(&free.unwrap_or_else(|| wanted.to_owned()))
    }
}
