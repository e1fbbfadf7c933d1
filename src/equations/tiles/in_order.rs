//! The meaning of a tiled kernel when its reductions run tile by tile: what a program over tiles gives, bit for bit.
//!
//! In: the equations over elements, how they are tiled, and for each reduction the order of its tiles. Out: the outputs, each element
//! evaluated by itself from the equations over elements. Within a tile terms join in the order of the equations; tiles follow
//! each other along the chain of the design; what a leaf adds by itself comes last.

use super::{Slant, Tiled};
use crate::recurrence::spaces::{SpaceSystem, Values, cut_for_tiles, evaluate_system_by};
use crate::recurrence::{Chain, Operator, Scalar, Space, Tensors};
use ndarray::{ArrayD, Dimension};
use std::collections::BTreeMap;
use systole_base::diagnostic::Checked;
use systole_base::integer::{Affine, Bindings, Name, Vector};
use systole_base::scalar::Function;

/// The order in which a design reduces over tiles: for each leaf the indices of its space and the chain.
pub type TileChains = BTreeMap<Name, (Vec<Name>, Chain)>;

impl Tiled {
    /// The order in which spaces over tiles are reduced along these chains.
    pub fn chains(&self, spaces: &[(&Space, &Chain)]) -> TileChains {
        let of_leaf = |(space, chain): &(&Space, &Chain)| {
            let Scalar::Apply(Function::Leaf(number), _) = &space.body else { return None };
            let name = self.leaves.get(usize::from(*number))?.name.clone();
            space.reduction.map(|_| (name, (space.indices().to_vec(), (*chain).clone())))
        };
        spaces.iter().filter_map(of_leaf).collect()
    }
}

/// The outputs of the user's equations.
///
/// # Errors
/// Sizes and inputs that do not fit; elements that nobody defines.
pub fn evaluate_tiled(tiled: &Tiled, chains: &TileChains, sizes: &Bindings, inputs: &Tensors) -> Checked<Tensors> {
    let system = &tiled.elements;
    let cut = cut_for_tiles(system)?;
    let order = Order { cut: &cut, tiled, chains, sizes };
    let outputs = evaluate_system_by(system, &cut, &|space, values| order.reduce(space, values), sizes, inputs)?;
    let turned = |(name, values): (Name, ArrayD<f64>)| {
        let values = match tiled.slants.get(&name) {
            Some((slant, shape)) => turned_back(&values, slant, shape, sizes),
            None => values,
        };
        (name, values)
    };
    Ok(outputs.into_iter().map(turned).collect())
}

/// A slanted tensor's elements by their subscripts.
fn turned_back(places: &ArrayD<f64>, slant: &Slant, shape: &[Affine], sizes: &Bindings) -> ArrayD<f64> {
    let extent = |form: &Affine| form.evaluate(sizes).and_then(|extent| usize::try_from(extent).ok()).unwrap_or(0);
    let mut elements = ArrayD::zeros(shape.iter().map(extent).collect::<Vec<usize>>());
    for (place, value) in places.indexed_iter() {
        let place: Vec<i64> = place.slice().iter().map(|at| *at as i64).collect();
        let element = slant.element_at(&place).unwrap_or_default();
        let element: Vec<usize> = element.iter().filter_map(|at| usize::try_from(*at).ok()).collect();
        if let Some(kept) = elements.get_mut(&element[..]) {
            *kept = *value;
        }
    }
    elements
}

struct Order<'a> {
    cut: &'a SpaceSystem,
    tiled: &'a Tiled,
    chains: &'a TileChains,
    sizes: &'a Bindings,
}

/// The values of each tile, by its coordinates along the reduced indices.
type Groups = BTreeMap<Vector, Vec<f64>>;

impl Order<'_> {
    fn reduce(&self, position: usize, values: Values) -> Values {
        let space = &self.cut.spaces[position];
        let (Some(operator), Some((point, _))) = (space.reduction, values.first().cloned()) else { return values };
        let inside = self.inside(position, &point);
        let mut groups = Groups::new();
        for (point, value) in values {
            groups.entry(self.tile(space, &point)).or_default().push(value);
        }
        let own: Vec<f64> = inside.into_iter().filter_map(|tile| groups.remove(&vec![tile])).flatten().collect();
        let outer = self.fold(space, groups, operator);
        let all = outer.into_iter().chain(own);
        all.reduce(|a, b| operator.combine(a, b)).map(|total| (point, total)).into_iter().collect()
    }

    /// The tiles in which a leaf adds terms of an element by itself, in its order.
    fn inside(&self, position: usize, point: &[i64]) -> Vec<i64> {
        let (space, member) = (&self.cut.spaces[position], &self.cut.members[position]);
        let tile = |dimension: &usize| {
            let element = member.embedding[*dimension].evaluate(&space.bind(self.sizes, point))?;
            self.tile_along(space, &self.cut.families[member.family].indices[*dimension], element)
        };
        self.tiled.inside.get(&space.name).into_iter().flatten().filter_map(tile).collect()
    }

    fn tile(&self, space: &Space, point: &[i64]) -> Vector {
        let place = |index: &Name| space.indices().iter().position(|known| known == index).map(|place| point[place]);
        let tile = |index: &Name| self.tile_along(space, index, place(index)?);
        space.reduced.iter().map(|index| tile(index).unwrap_or(0)).collect()
    }

    fn tile_along(&self, space: &Space, index: &Name, element: i64) -> Option<i64> {
        let axis = self.tiled.along.get(&space.name)?.get(index)?;
        let body = axis.body.evaluate(self.sizes)?;
        let tiles = axis.tiles(self.sizes)?;
        (0..tiles).find(|tile| {
            let (first, last) = axis.span(*tile, body);
            (first..=last).contains(&element)
        })
    }

    /// Level by level: along each line of tiles the values of all its tiles join one after the other.
    fn fold(&self, space: &Space, groups: Groups, operator: Operator) -> Option<f64> {
        let written: Vec<Vector> = {
            let unit = |at: usize| (0..space.reduced.len()).map(|other| i64::from(other == at)).collect();
            (0..space.reduced.len()).rev().map(unit).collect()
        };
        let leaf = self.tiled.joined.get(&space.name).unwrap_or(&space.name);
        let directions = self.chains.get(leaf).map_or(written, |(indices, chain)| {
            let entry = |direction: &Vector, index: &Name| {
                indices.iter().position(|known| known == index).map_or(0, |at| direction[at])
            };
            chain
                .directions
                .iter()
                .map(|along| space.reduced.iter().map(|index| entry(along, index)).collect())
                .collect()
        });
        let ends = directions.iter().fold(groups, |groups, direction| ends(&groups, direction, operator));
        ends.into_values().flatten().reduce(|a, b| operator.combine(a, b))
    }
}

/// One level: the ends of all lines of tiles along a direction, each with what its line comes to.
fn ends(groups: &Groups, direction: &[i64], operator: Operator) -> Groups {
    let step =
        |tile: &Vector, sign: i64| -> Vector { tile.iter().zip(direction).map(|(at, by)| at + sign * by).collect() };
    let mut ends = Groups::new();
    for head in groups.keys().filter(|tile| !groups.contains_key(&step(tile, -1))) {
        let (mut tile, mut line) = (head.clone(), groups[head].clone());
        while let Some(next) = groups.get(&step(&tile, 1)) {
            line.extend(next);
            tile = step(&tile, 1);
        }
        let total = line.into_iter().reduce(|a, b| operator.combine(a, b));
        ends.insert(tile, total.into_iter().collect());
    }
    ends
}
