//! Tensors that depend on each other, as the layers of one tensor.
//!
//! In: a system. Out: systems with the same outputs in which such tensors are one, whose last subscript says which of them is
//! meant. So a tile holds a piece of each, and a leaf computes the pieces together: L and U in the diagonal tile of a factor,
//! rotations and what they turn. A layer lies where its elements meet those that they are computed from: a tensor of fewer
//! subscripts along the diagonal that it reads, `G[m + 1, k, j]` beside `X[m, k, j]`.

use super::Slant;
use crate::recurrence::spaces::coordinate_names;
use crate::recurrence::{Domain, Equation, Expr, RecurrenceSystem, Role, Tensor};
use petgraph::algo::{kosaraju_scc, toposort};
use petgraph::graph::{DiGraph, NodeIndex};
use std::collections::BTreeMap;
use systole_base::integer::{Affine, Name, Polyhedron, unused};

/// A system with stacks in place of the tensors that depend on each other.
#[derive(Clone)]
pub(super) struct Stacked {
    pub system: RecurrenceSystem,
    /// Each stack with its last dimension, and how many layers it has.
    pub stacks: Vec<(Name, usize, i64)>,
    /// For each slanted tensor, or stack of such, and each dimension how many zeros stand before the first element.
    pub borders: BTreeMap<Name, Vec<i64>>,
    /// The layers of slanted stacks, which are cut as these.
    pub layers: BTreeMap<Name, Name>,
    /// Where the elements of slanted tensors lie, and the extents of their subscripts.
    pub slants: BTreeMap<Name, (Slant, Vec<Affine>)>,
}

impl Stacked {
    /// A system without stacks.
    pub fn none(system: RecurrenceSystem, borders: BTreeMap<Name, Vec<i64>>) -> Stacked {
        Stacked { system, borders, stacks: vec![], layers: BTreeMap::new(), slants: BTreeMap::new() }
    }

    /// Whether a tensor is slanted, with places of its own.
    pub fn is_slanted(&self, tensor: &Name) -> bool {
        self.borders.contains_key(tensor) && !self.layers.contains_key(tensor)
    }
}

/// One tensor in a stack.
struct Layer {
    tensor: Tensor,
    /// For each dimension of the stack the layer's subscript there, and how far it is shifted.
    place: Vec<(usize, i64)>,
}

/// Tensors of one shape on top of each other.
struct Stack {
    name: Name,
    shape: Vec<Affine>,
    layers: Vec<Layer>,
}

/// At which end the elements of layers of unequal extents lie side by side.
#[derive(Clone, Copy)]
enum Alignment {
    First,
    Last,
}

/// The system with its tensors stacked, in each way that there is.
pub(super) fn stacked(way: &Stacked) -> Vec<Stacked> {
    let system = &way.system;
    let groups: Vec<Vec<&Tensor>> = groups(system).into_iter().filter(|group| group.len() > 1).collect();
    let stacks = |alignment: Alignment| -> Option<Vec<Stack>> {
        groups.iter().map(|group| Stack::new(system, group, alignment)).collect()
    };
    let ways = [Alignment::Last, Alignment::First].into_iter().filter_map(stacks);
    ways.filter(|stacks| !stacks.is_empty()).map(|stacks| with_stacks(way, &stacks)).collect()
}

/// The computed tensors that depend on each other, or on themselves, in the order of declaration.
pub(super) fn groups(system: &RecurrenceSystem) -> Vec<Vec<&Tensor>> {
    let mut graph = DiGraph::<usize, ()>::new();
    let nodes: Vec<NodeIndex> = (0..system.tensors.len()).map(|tensor| graph.add_node(tensor)).collect();
    let position = |name: &Name| system.tensors.iter().position(|tensor| tensor.name == *name);
    for equation in &system.equations {
        equation.value.visit_reads(&equation.domain.set, &mut |tensor, _, _| {
            if let (Some(reader), Some(read)) = (position(&equation.target), position(tensor)) {
                graph.update_edge(nodes[read], nodes[reader], ());
            }
        });
    }
    let is_cyclic =
        |group: &Vec<NodeIndex>| group.len() > 1 || group.iter().any(|node| graph.contains_edge(*node, *node));
    let groups = kosaraju_scc(&graph).into_iter().filter(is_cyclic);
    let tensors = groups.map(|mut group| {
        group.sort_unstable();
        group.into_iter().map(|node| &system.tensors[graph[node]]).collect()
    });
    tensors.collect()
}

impl Stack {
    /// `None` where the tensors have no common shape, or where elements at one place need each other.
    fn new(system: &RecurrenceSystem, group: &[&Tensor], alignment: Alignment) -> Option<Stack> {
        let rank = group.iter().map(|tensor| tensor.shape.len()).max()?;
        let widest: Vec<&Tensor> = group.iter().filter(|tensor| tensor.shape.len() == rank).copied().collect();
        let shape = (0..rank).map(|dimension| longest(&widest, dimension)).collect::<Option<Vec<Affine>>>()?;
        let layer = |tensor: &&Tensor| {
            let along =
                if tensor.shape.len() == rank { (0..rank).collect() } else { diagonal(system, tensor, &widest)? };
            let place = along
                .iter()
                .zip(&shape)
                .map(|(own, extent)| Some((*own, shift(&tensor.shape[*own], extent, alignment)?)));
            Some(Layer { tensor: (*tensor).clone(), place: place.collect::<Option<_>>()? })
        };
        let layers = group.iter().map(layer).collect::<Option<Vec<Layer>>>()?;
        let text: Vec<&str> = group.iter().map(|tensor| &*tensor.name).collect();
        let name = unused(&text.join("_"), system.tensors.iter().map(|tensor| &tensor.name));
        Stack { name, shape, layers }.in_order(system)
    }

    /// The layers in such an order that at one place each needs those before it only.
    fn in_order(mut self, system: &RecurrenceSystem) -> Option<Stack> {
        let mut graph = DiGraph::<usize, ()>::new();
        let nodes: Vec<NodeIndex> = (0..self.layers.len()).map(|layer| graph.add_node(layer)).collect();
        for equation in &system.equations {
            let Some(reader) = self.layer(&equation.target) else { continue };
            let own = self.layers[reader].at(&equation.subscripts);
            equation.value.visit_reads(&equation.domain.set, &mut |tensor, subscripts, set| {
                let Some(read) = self.layer(tensor) else { return };
                let place = self.layers[read].at(subscripts);
                let apart = place.iter().zip(&own).map(|(one, other)| one.clone() - other.clone());
                let same = Polyhedron::new(apart.flat_map(|form| [form.clone(), -form]));
                if read != reader && !set.intersect(&same).is_empty() {
                    graph.update_edge(nodes[read], nodes[reader], ());
                }
            });
        }
        let order: Vec<usize> = toposort(&graph, None).ok()?.into_iter().map(|node| graph[node]).collect();
        let mut layers: BTreeMap<usize, Layer> = self.layers.into_iter().enumerate().collect();
        self.layers = order.iter().filter_map(|layer| layers.remove(layer)).collect();
        Some(self)
    }

    fn layer(&self, tensor: &Name) -> Option<usize> {
        self.layers.iter().position(|layer| layer.tensor.name == *tensor)
    }

    /// The subscripts in the stack of an element of a layer.
    fn element(&self, layer: usize, subscripts: &[Affine]) -> Vec<Affine> {
        let mut element = self.layers[layer].at(subscripts);
        element.push(Affine::constant(layer as i64));
        element
    }

    fn tensor(&self) -> Tensor {
        let shape = self.shape.iter().cloned().chain([Affine::constant(self.layers.len() as i64)]).collect();
        let first = &self.layers[0].tensor;
        Tensor { name: self.name.clone(), role: Role::Local, shape, assumption: None, span: first.span }
    }
}

impl Layer {
    fn at(&self, subscripts: &[Affine]) -> Vec<Affine> {
        self.place.iter().map(|(own, shift)| subscripts[*own].clone() + Affine::constant(*shift)).collect()
    }
}

/// The greatest extent along a dimension, where the extents differ by constants.
pub(super) fn longest(tensors: &[&Tensor], dimension: usize) -> Option<Affine> {
    let first = &tensors.first()?.shape[dimension];
    let beyond = |tensor: &&Tensor| {
        let difference = tensor.shape[dimension].clone() - first.clone();
        difference.is_constant().then(|| difference.constant_term())
    };
    let most = tensors.iter().map(beyond).collect::<Option<Vec<i64>>>()?.into_iter().max()?;
    Some(first.clone() + Affine::constant(most))
}

fn shift(own: &Affine, extent: &Affine, alignment: Alignment) -> Option<i64> {
    let difference = extent.clone() - own.clone();
    let by = difference.is_constant().then(|| difference.constant_term())?;
    match alignment {
        Alignment::First => Some(0),
        Alignment::Last => Some(by),
    }
}

/// Which subscript of a tensor stands where in an element of a wider tensor that it is computed from: `c[m, k]` of
/// `X[m, k, k]`.
fn diagonal(system: &RecurrenceSystem, tensor: &Tensor, widest: &[&Tensor]) -> Option<Vec<usize>> {
    let mut found = None;
    for equation in system.equations.iter().filter(|equation| equation.target == tensor.name) {
        equation.value.visit_reads(&equation.domain.set, &mut |read, subscripts, _| {
            if found.is_none() && widest.iter().any(|wide| wide.name == *read) {
                let own = |form: &Affine| equation.subscripts.iter().position(|subscript| subscript == form);
                found = subscripts.iter().map(own).collect();
            }
        });
    }
    found
}

fn with_stacks(way: &Stacked, stacks: &[Stack]) -> Stacked {
    let system = &way.system;
    let is_layer = |tensor: &Tensor| stacks.iter().any(|stack| stack.layer(&tensor.name).is_some());
    let kept = system.tensors.iter().filter(|tensor| tensor.role == Role::Output || !is_layer(tensor)).cloned();
    let handed_out = system.tensors.iter().filter(|tensor| tensor.role == Role::Output && is_layer(tensor));
    let equations = system.equations.iter().map(|equation| moved(equation, stacks));
    let copies = handed_out.filter_map(|tensor| copied(system, tensor, stacks));
    let stacked = RecurrenceSystem {
        tensors: kept.chain(stacks.iter().map(Stack::tensor)).collect(),
        equations: equations.chain(copies).collect(),
        ..system.clone()
    };
    let of = |stack: &Stack| (stack.name.clone(), stack.shape.len(), stack.layers.len() as i64);
    let border = |stack: &Stack| {
        let of_layers = way.borders.get(&stack.layers.first()?.tensor.name)?;
        Some((stack.name.clone(), of_layers.iter().copied().chain([0]).collect()))
    };
    let borders = way.borders.clone().into_iter().chain(stacks.iter().filter_map(border)).collect();
    let layers =
        stacks.iter().flat_map(|stack| stack.layers.iter().map(move |layer| (&layer.tensor.name, &stack.name)));
    let layers = layers.filter(|(layer, _)| way.borders.contains_key(*layer));
    let layers = layers.map(|(layer, stack)| (layer.clone(), stack.clone())).collect();
    let slants = way.slants.clone();
    Stacked { system: stacked, stacks: stacks.iter().map(of).collect(), borders, layers, slants }
}

/// Where an element lies, if its tensor is a layer.
fn home(stacks: &[Stack], tensor: &Name, subscripts: &[Affine]) -> Option<(Name, Vec<Affine>)> {
    stacks.iter().find_map(|stack| Some((stack.name.clone(), stack.element(stack.layer(tensor)?, subscripts))))
}

/// The equation with elements of layers by their places in the stack.
fn moved(equation: &Equation, stacks: &[Stack]) -> Equation {
    let (target, subscripts) = home(stacks, &equation.target, &equation.subscripts)
        .unwrap_or_else(|| (equation.target.clone(), equation.subscripts.clone()));
    let value = equation.value.redirect(&|tensor, subscripts| home(stacks, tensor, subscripts));
    Equation { target, subscripts, value, ..equation.clone() }
}

/// An output that is a layer, element by element.
fn copied(system: &RecurrenceSystem, tensor: &Tensor, stacks: &[Stack]) -> Option<Equation> {
    let indices = coordinate_names(system, &tensor.name);
    let subscripts: Vec<Affine> = indices.iter().map(Affine::variable).collect();
    let within = subscripts.iter().zip(&tensor.shape);
    let set = within.flat_map(|(index, extent)| [index.clone(), extent.clone() - index.clone() - Affine::constant(1)]);
    let set = Polyhedron::new(set);
    let (from, element) = home(stacks, &tensor.name, &subscripts)?;
    let value = Expr::Read { tensor: from, subscripts: element, span: tensor.span };
    let domain = Domain { indices, set };
    Some(Equation { target: tensor.name.clone(), subscripts, domain, value, span: tensor.span })
}
