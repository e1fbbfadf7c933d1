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
use systole_base::integer::{Affine, Bindings, Name, Polyhedron, Vector};
use systole_base::scalar::Function;

/// The order in which a design reduces over tiles: for each leaf the chains of the spaces that call it.
pub type TileChains = BTreeMap<Name, Vec<TileChain>>;

/// A chain of tiles, and the tiles whose reductions run along it: one leaf may be called by several spaces, each with a chain of its own.
#[derive(Clone, Debug)]
pub struct TileChain {
    /// The indices of the space.
    pub indices: Vec<Name>,
    /// Its chain, over these.
    pub chain: Chain,
    /// Its tiles.
    pub set: Polyhedron,
    /// The coordinates that it calls the leaf with, over its indices and the sizes.
    pub coordinates: Vec<Affine>,
}

impl Tiled {
    /// The order in which spaces over tiles are reduced along these chains.
    pub fn chains(&self, spaces: &[(&Space, &Chain)]) -> TileChains {
        let of_leaf = |(space, chain): &(&Space, &Chain)| {
            let Scalar::Apply(Function::Leaf(number), arguments) = &space.body else { return None };
            let form = |argument: &Scalar| match argument {
                Scalar::Index(form) => Some(form.clone()),
                _ => None,
            };
            let (indices, set) = (space.indices().to_vec(), space.domain.set.clone());
            let coordinates = arguments.iter().map_while(form).collect();
            let name = self.leaves.get(usize::from(*number))?.name.clone();
            space.reduction.map(|_| (name, TileChain { indices, chain: (*chain).clone(), set, coordinates }))
        };
        let mut chains = TileChains::new();
        for (leaf, chain) in spaces.iter().filter_map(of_leaf) {
            chains.entry(leaf).or_default().push(chain);
        }
        chains
    }
}

/// The outputs of the user's equations.
///
/// # Errors
/// Sizes and inputs that do not fit; elements that nobody defines.
pub fn evaluate_tiled(tiled: &Tiled, chains: &TileChains, sizes: &Bindings, inputs: &Tensors) -> Checked<Tensors> {
    let system = &tiled.elements;
    let cut = cut_for_tiles(system)?;
    let order = Order { cut: &cut, tiled, chains, sizes, tile_sizes: tiled.sizes(sizes) };
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
    /// With the numbers of tiles.
    tile_sizes: Bindings,
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
        let outer = folded(groups, &self.directions(position, &point), operator);
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

    /// Along what the tiles of the reduction of which this is a point follow each other, over the reduced indices.
    fn directions(&self, position: usize, point: &[i64]) -> Vec<Vector> {
        let space = &self.cut.spaces[position];
        let leaf = self.tiled.joined.get(&space.name).unwrap_or(&space.name);
        let chain = match self.chains.get(leaf).map(|chains| &chains[..]) {
            Some([chain]) => Some(chain),
            Some(chains) => chains.iter().find(|chain| self.has_tile(leaf, chain, position, point)),
            None => None,
        };
        let Some(TileChain { indices, chain, .. }) = chain else {
            let unit = |at: usize| (0..space.reduced.len()).map(|other| i64::from(other == at)).collect();
            return (0..space.reduced.len()).rev().map(unit).collect();
        };
        let entry = |direction: &Vector, index: &Name| {
            indices.iter().position(|known| known == index).map_or(0, |at| direction[at])
        };
        let along = |direction: &Vector| space.reduced.iter().map(|index| entry(direction, index)).collect();
        chain.directions.iter().map(along).collect()
    }

    /// Whether the space of a chain calls the leaf with the tile in which this point is.
    fn has_tile(&self, leaf: &Name, chain: &TileChain, position: usize, point: &[i64]) -> bool {
        let (space, member) = (&self.cut.spaces[position], &self.cut.members[position]);
        let Some(leaf) = self.tiled.leaves.iter().find(|known| known.name == *leaf) else { return false };
        let called: BTreeMap<Name, Affine> =
            leaf.coordinates.iter().cloned().zip(chain.coordinates.iter().cloned()).collect();
        let bound = space.bind(self.sizes, point);
        let family = &self.cut.families[member.family].indices;
        let apart = |(index, element): (&Name, &Affine)| {
            let tile = self.tile_along(space, index, element.evaluate(&bound)?)?;
            let of_leaf = leaf.indices.iter().find(|known| known.name == *index)?;
            Some(of_leaf.tile.substitute(&called) - Affine::constant(tile))
        };
        let apart = family.iter().zip(&member.embedding).filter_map(apart);
        let same = Polyhedron::new(apart.flat_map(|form| [form.clone(), -form]));
        let sizes = self.tile_sizes.iter().map(|(size, value)| (size.clone(), Affine::constant(*value))).collect();
        !chain.set.intersect(&same).substitute(&sizes).is_empty()
    }
}

/// Level by level: along each line of tiles the values of all its tiles join one after the other.
fn folded(groups: Groups, directions: &[Vector], operator: Operator) -> Option<f64> {
    let ends = directions.iter().fold(groups, |groups, direction| ends(&groups, direction, operator));
    ends.into_values().flatten().reduce(|a, b| operator.combine(a, b))
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
