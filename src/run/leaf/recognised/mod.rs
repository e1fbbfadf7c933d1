//! Nests of a body that a library knows.
//!
//! In: a body, specialised to the boxes of a call. Out: the same with [`Recognised`] in place of each nest that is an instance of a
//! definition, or a product.
//!
//! A body is first specialised to the boxes of a call. Bounds that do not cut there and conditions that are decided are
//! left out, so one text is a full product off the diagonal and a triangular one on it. Loops of one round in which no
//! library has a part are opened.
//!
//! * *Products* are found by their form (`product`): each index is in two of the three elements. An index too many,
//!   such as the number of a product among several, becomes a loop around. Bounds between indices cut a part out of the
//!   box. It is halved until its pieces are boxes, triangles aligned with the diagonal, or so small that loops run
//!   them.
//! * *Solves, factors and inverses* are found by their definitions. `rules/leaves` holds a kernel for each. It is tiled
//!   like any kernel, and its leaf, with the running sums of the tiles before, is the operation (`definitions`). Tests
//!   hold a library's result to the loops of the definition.
//!
//! If a reduction may have no terms, the leaf has a choice, `s` or 0. Both are one shape with a reset (`shape`). The
//! reset is done before the library is called, by loops over the reset elements alone: conditions become their bounds
//! (`resets`).

use crate::leaf::routine::{Access, Loop, Node, Span, Way, choose_ways};
use crate::leaf::tally::{SERVICES, Service};
use definitions::Definition;
use instance::{Instance, Text, instance_of};
use product::{hoisted, recognise};
use resets::resets;
use shape::shape_of;

mod shape;

mod resets;

mod instance;

mod definitions;

pub use definitions::{Position, Task};

mod product;

pub use product::{Product, nest_of, parts};

mod rounds;

mod plans;

pub use plans::{Plan, Plans};

/// A nest that a library runs.
#[derive(Clone, Debug)]
pub struct Recognised {
    /// What computes the same, for calls in which the elements do not lie like matrices.
    pub loops: Loop,
    pub kind: Kind,
}

#[derive(Clone, Debug)]
pub enum Kind {
    Product(Product),
    Task(Assignment),
}

/// A task in the words of a nest.
#[derive(Clone, Debug)]
pub struct Assignment {
    pub task: Task,
    /// Pairs of indices that must run over the same elements.
    pub alike: Vec<(usize, usize)>,
    /// What gives elements their numbers that the loops would take for them.
    pub resets: Vec<Node>,
    pub result: Position,
    pub sums: Option<Position>,
    pub given: Option<Position>,
    pub triangle: Option<Position>,
    /// The other result.
    pub upper: Option<Position>,
}

/// What nests are compared with, and in which routine they stand.
#[derive(Clone, Copy)]
struct Search<'a> {
    pub definitions: &'a [Definition],
    pub accesses: &'a [Access],
    pub filled: &'a [bool],
    /// All values that the indices may have.
    pub spans: &'a [Span],
}

impl Search<'_> {
    /// Replaces the nests that are known.
    pub fn replace(&self, body: &mut [Node]) {
        for node in body {
            self.hoist(node);
            let kind = if let Node::Loop(repeated) = node { self.recognise(repeated) } else { None };
            match (&mut *node, kind) {
                (Node::Loop(repeated), Some(kind)) => {
                    *node = Node::Known(Box::new(Recognised { loops: repeated.clone(), kind }));
                }
                (Node::Loop(repeated), None) if repeated.way == Way::Around => self.replace(&mut repeated.body),
                (Node::If { then, otherwise, .. }, None) => {
                    self.replace(then);
                    self.replace(otherwise);
                }
                _ => {}
            }
        }
    }

    /// Puts an index that only says which product is meant into a loop around it.
    fn hoist(&self, node: &mut Node) {
        let Node::Loop(repeated) = &*node else { return };
        let Some(hoisted) = hoisted(repeated, self.accesses) else { return };
        let mut loops = vec![Node::Loop(hoisted)];
        choose_ways(&mut loops, self.accesses, self.spans);
        loops.into_iter().for_each(|repeated| *node = repeated);
    }

    fn recognise(&self, repeated: &Loop) -> Option<Kind> {
        let task = self.task(repeated).map(Kind::Task);
        task.or_else(|| recognise(repeated, self.accesses).map(Kind::Product))
    }

    fn task(&self, repeated: &Loop) -> Option<Assignment> {
        let shape = shape_of(repeated, self.accesses)?;
        let nest = Text { shape: &shape, accesses: self.accesses, filled: self.filled };
        self.definitions.iter().find_map(|definition| {
            let instance = instance_of(nest, definition.as_text(), definition.indices)?;
            let mut resets = resets(&shape)?;
            choose_ways(&mut resets, self.accesses, self.spans);
            assign(definition, &instance, resets)
        })
    }
}

/// The task in the words of the nest.
fn assign(definition: &Definition, instance: &Instance, resets: Vec<Node>) -> Option<Assignment> {
    let index = |slot: usize| instance.indices[slot];
    let position = |position: Position| {
        let access = instance.accesses.iter().find(|(access, _)| *access == position.access)?.1;
        let column = position.column.map(index);
        Some(Position { access, row: index(position.row)?, column: column.flatten() })
    };
    let optional = |place: Option<Position>| match place {
        Some(place) => position(place).map(Some),
        None => Some(None),
    };
    let alike = definition.alike.iter().map(|(a, b)| Some((index(*a)?, index(*b)?)));
    Some(Assignment {
        task: definition.task,
        alike: alike.collect::<Option<_>>()?,
        resets,
        result: position(definition.result)?,
        sums: optional(definition.sums)?,
        given: optional(definition.given)?,
        triangle: optional(definition.triangle)?,
        upper: optional(definition.upper)?,
    })
}

/// What is known in a body, by the names of a library's routines.
pub fn names(body: &[Node]) -> Vec<&'static str> {
    let name = |node: &Node| match node {
        Node::Known(known) => vec![known.kind.name()],
        Node::Loop(repeated) => names(&repeated.body),
        Node::If { then, otherwise, .. } => [names(then), names(otherwise)].concat(),
        Node::Set(_) => vec![],
    };
    body.iter().flat_map(name).collect()
}

impl Kind {
    /// What a library does for it.
    pub fn service(&self) -> Service {
        match self {
            Kind::Product(product) if product.is_triangle() => Service::Triangle,
            Kind::Product(_) => Service::Product,
            Kind::Task(assignment) => assignment.task.service(),
        }
    }

    fn name(&self) -> &'static str {
        SERVICES[self.service() as usize]
    }
}
