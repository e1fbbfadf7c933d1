//! What a leaf does at the layers of a stack, and how the layers lie in a tile.
//!
//! In: a cell of a stack, with the parts that have points in it. Out: the parts in groups, each for loops of its own: parts that need each
//! other are one group, whose layers are computed together element by element; any other is computed when all that it reads is
//! there (loop distribution, as Allen and Kennedy's). So the panels of a factor are solves, of one layer each, and zeros are
//! written apart from what is computed. In a tile layers follow each other, so that each lies like a matrix.

use super::equations::{Cell, Tiler};
use super::source::Contribution;
use super::{Argument, Leaf, Range, Step, Value};
use petgraph::algo::kosaraju_scc;
use petgraph::graph::{DiGraph, NodeIndex};
use std::collections::BTreeMap;
use systole_base::integer::{Affine, Name, Polyhedron};

/// Where a part writes.
pub(super) struct Place {
    /// The part.
    pub number: usize,
    /// Its points; of a stack without the layer.
    pub set: Polyhedron,
    /// The element that it writes.
    pub element: Vec<Affine>,
}

impl Place {
    fn layer(&self) -> Option<&Affine> {
        self.element.last()
    }
}

impl Tiler<'_> {
    /// The groups of a cell's parts in the order in which they can be computed; `None` where the tensor is no stack.
    pub(super) fn groups(&self, cell: &Cell) -> Option<Vec<Vec<Place>>> {
        if !self.stacks.contains(cell.tensor) {
            return None;
        }
        let places: Option<Vec<Place>> = cell.present.iter().map(|part| self.place(cell, *part)).collect();
        Some(in_groups(places?, |reader, read| self.reads_layer(reader.number, cell.tensor, read.layer())))
    }

    fn place(&self, cell: &Cell, number: usize) -> Option<Place> {
        let (last, rest) = cell.coordinates.split_last()?;
        let part = &self.parts[number];
        let layer = value_of(&part.set, last)?;
        let set = part.set.substitute(&BTreeMap::from([(last.clone(), Affine::constant(layer))]));
        let element = rest.iter().map(Affine::variable).chain([Affine::constant(layer)]).collect();
        Some(Place { number, set: set.eliminate_all(part.reduced()), element })
    }

    /// Whether a part, or a reduction in it, reads a layer of a stack.
    fn reads_layer(&self, number: usize, stack: &Name, layer: Option<&Affine>) -> bool {
        let is_meant =
            |part: &Contribution| part.reads.iter().any(|read| read.tensor == *stack && read.access.last() == layer);
        let part = &self.parts[number];
        let mut inner = part.reads.iter().filter_map(|read| self.inner(&read.tensor));
        is_meant(part) || inner.any(|inner| is_meant(&self.parts[inner]))
    }
}

/// The only value that a coordinate has in a set.
fn value_of(set: &Polyhedron, coordinate: &Name) -> Option<i64> {
    let fixing = |form: &Affine| form.coefficient(coordinate).abs() == 1 && form.terms().count() == 1;
    let form = set.equations().find(|form| fixing(form))?;
    Some(-form.constant_term() * form.coefficient(coordinate))
}

/// Those that need each other together, in the order of their layers.
fn in_groups(places: Vec<Place>, reads: impl Fn(&Place, &Place) -> bool) -> Vec<Vec<Place>> {
    let mut graph = DiGraph::<(), ()>::new();
    let nodes: Vec<NodeIndex> = places.iter().map(|_| graph.add_node(())).collect();
    for (reader, read) in (0..places.len()).flat_map(|reader| (0..places.len()).map(move |read| (reader, read))) {
        if reads(&places[reader], &places[read]) {
            graph.update_edge(nodes[read], nodes[reader], ());
        }
    }
    let mut places: Vec<Option<Place>> = places.into_iter().map(Some).collect();
    let taken = |mut group: Vec<NodeIndex>| {
        group.sort_unstable();
        let mut group: Vec<Place> = group.into_iter().filter_map(|node| places[node.index()].take()).collect();
        group.sort_by_key(|place| place.layer().map(Affine::constant_term));
        group
    };
    kosaraju_scc(&graph).into_iter().rev().map(taken).collect()
}

/// The leaf with the layers of these stacks as first dimension of their tiles.
pub(super) fn layers_first(leaf: Leaf, stacks: &[(Name, usize, i64)]) -> Leaf {
    let rank = |tensor: &Name| stacks.iter().find(|(stack, ..)| stack == tensor).map(|(_, layer, _)| layer + 1);
    let is_turned: Vec<bool> =
        leaf.windows.iter().map(|window| rank(&window.tensor) == Some(window.ranges.len())).collect();
    let Leaf { name, coordinates, indices, mut windows, mut result, mut arguments, body } = leaf;
    let turned = |window: usize| is_turned[window];
    windows
        .iter_mut()
        .zip(&is_turned)
        .filter(|(_, turn)| **turn)
        .for_each(|(window, _)| turn::<Range>(&mut window.ranges));
    if turned(0) {
        turn(&mut result);
    }
    arguments.iter_mut().filter(|argument| turned(argument.window)).for_each(|Argument { tile, .. }| turn(tile));
    let body = body.into_iter().map(|step| step_turned(step, &turned)).collect();
    Leaf { name, coordinates, indices, windows, result, arguments, body }
}

/// The last one first.
fn turn<T>(dimensions: &mut [T]) {
    dimensions.rotate_right(1);
}

fn step_turned(step: Step, turned: &impl Fn(usize) -> bool) -> Step {
    let all = |steps: Vec<Step>| steps.into_iter().map(|step| step_turned(step, turned)).collect();
    match step {
        Step::Loop { index, falls, lower, upper, body } => Step::Loop { index, falls, lower, upper, body: all(body) },
        Step::If { conditions, then, otherwise } => Step::If { conditions, then: all(then), otherwise: all(otherwise) },
        Step::Set { window, element, value } => {
            Step::Set { window, element: element_turned(window, element, turned), value: value_turned(value, turned) }
        }
    }
}

fn value_turned(value: Value, turned: &impl Fn(usize) -> bool) -> Value {
    match value {
        Value::Element(window, element) => Value::Element(window, element_turned(window, element, turned)),
        Value::Apply(function, arguments) => {
            Value::Apply(function, arguments.into_iter().map(|argument| value_turned(argument, turned)).collect())
        }
        Value::Number(_) | Value::Index(_) => value,
    }
}

fn element_turned(window: usize, mut element: Vec<Affine>, turned: &impl Fn(usize) -> bool) -> Vec<Affine> {
    if turned(window) {
        turn(&mut element);
    }
    element
}
