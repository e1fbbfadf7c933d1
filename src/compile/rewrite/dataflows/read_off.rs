//! Reads the choices off a saturated e-graph.
//!
//! In: a [`Lowered`]. Out: [`Choices`], found by walking from the root class downwards over fully lowered nodes only:
//! `last` over an accumulation, pointwise functions, and the statements that move an operand. What no rule produced is
//! not found; with `choose-broadcast` taken out of the rules there is no broadcast.

use super::builder::OwnValues::{FromPointBefore, Taken};
use super::choices::Choices;
use super::dataflow::{Dataflow, Transport};
use super::input::scheduled_space;
use super::levels::{Levels, is_constant, levels};
use crate::rewrite::registry::{Equations, access_text};
use crate::rewrite::saturation::{Graph, Lowered, name_of};
use crate::rewrite::terms::{Literal, Term};
use egg::{Id, RecExpr};
use std::collections::BTreeSet;
use systole_base::diagnostic::{Checked, Diagnostic, Diagnostics};
use systole_base::integer::{Vector, lexicographic_sign};
use systole_base::refusal::Refusal;
use systole_base::scalar::Function;
use systole_equations::recurrence::{Chain, Operand, Scalar, Space};

impl Lowered {
    /// For each space, in the order of the system, the transports and chains that the e-graph holds.
    ///
    /// A bus has no direction of travel, so a broadcast is listed once, with the first non-zero entry of its direction
    /// positive. An operand that is the same at all points is listed as [`Transport::Prefetch`]: its one number is put
    /// into every PE before the run. A computed tensor is streamed or handed over.
    ///
    /// # Errors
    ///
    /// Operands and reductions for which the rules have no lowered form, those of all spaces at once.
    pub fn choices(&self) -> Checked<Vec<Choices>> {
        let (found, wrong): (Vec<_>, Vec<_>) =
            (0..self.spaces().len()).map(|position| self.choices_of(position)).partition(Result::is_ok);
        let wrong: Diagnostics = wrong.into_iter().filter_map(Result::err).flatten().collect();
        if wrong.is_empty() { Ok(found.into_iter().flatten().collect()) } else { Err(wrong) }
    }

    /// The lowered term of a dataflow of the space at `position`, if the e-graph holds it.
    pub fn term(&self, position: usize, dataflow: &Dataflow) -> Option<RecExpr<Term>> {
        let space = self.spaces().get(position)?;
        // A bus along `d` is a bus along `-d`.
        let turned = turn_buses(dataflow);
        let forms = [(dataflow, FromPointBefore), (&turned, FromPointBefore), (dataflow, Taken), (&turned, Taken)];
        let mut terms = forms.into_iter().filter_map(|(flow, own)| scheduled_space(&self.equations, space, flow, own));
        terms.find(|term| self.contains(position, term))
    }

    fn choices_of(&self, position: usize) -> Checked<Choices> {
        let root = self.input(position).and_then(|input| self.graph.lookup_expr(input));
        let (Some(space), Some(root)) = (self.spaces().get(position), root) else {
            return self.no_space(position).alone();
        };
        let name = self.graph.lookup(Term::name(&space.name)).unwrap_or(root);
        let reading = Reading { equations: &self.equations, graph: &self.graph, space, name };
        reading.choices(self.graph.find(root))
    }

    fn no_space(&self, position: usize) -> Diagnostic {
        let Some(space) = self.spaces().get(position) else { return Diagnostic::new("there is no such space") };
        Diagnostic::new(format!("no rule makes a space of the reduction into `{}`", space.output))
            .label(&space.source, space.span, "stands inside this expression")
            .of_refusal(Refusal::beyond(RULES))
    }
}

/// One space of an e-graph, as its choices are read.
struct Reading<'a> {
    equations: &'a Equations,
    graph: &'a Graph,
    space: &'a Space,
    name: Id,
}

impl Reading<'_> {
    fn choices(&self, root: Id) -> Checked<Choices> {
        let bases = self.chains_of(root, depth(self.space));
        let mut wrong = None;
        for (_, base) in &bases {
            match self.transports_below(*base) {
                Ok(transports) => return Ok(self.collect_choices(transports, &bases, *base)),
                Err(diagnostic) => wrong = wrong.or(Some(diagnostic)),
            }
        }
        wrong.unwrap_or_else(|| no_chain(self.space)).alone()
    }

    fn collect_choices(&self, transports: Vec<Vec<Transport>>, bases: &[(Chain, Id)], base: Id) -> Choices {
        let chains: BTreeSet<Chain> =
            bases.iter().filter(|(_, other)| *other == base).map(|(chain, _)| chain.clone()).collect();
        Choices { transports, chains: chains.into_iter().collect() }
    }

    /// The chains of `depth` reductions in a class, each with the class of what is reduced.
    fn chains_of(&self, class: Id, depth: usize) -> Vec<(Chain, Id)> {
        if depth == 0 {
            return vec![(Chain::along(vec![]), class)];
        }
        let mut found = vec![];
        for node in &self.graph[class].nodes {
            let Term::Last([space, direction, total]) = node else { continue };
            let Some(vector) = self.vector(*direction) else { continue };
            for inner in self.accumulated(*total, *space, *direction) {
                for (mut chain, base) in self.chains_of(inner, depth - 1) {
                    chain.directions.push(vector.clone());
                    found.push((chain, base));
                }
            }
        }
        found
    }

    /// What the lowered accumulations along a direction in class `total` combine.
    fn accumulated(&self, total: Id, space: Id, direction: Id) -> Vec<Id> {
        let mut found = vec![];
        for node in &self.graph[total].nodes {
            let Term::Combine([operator, start, value]) = node else { continue };
            let starts = self.carried(*start, space, direction, total);
            if starts.iter().any(|first| self.holds(*first, &Term::Neutral(*operator))) {
                found.push(*value);
            }
        }
        found
    }

    /// The first values of the statements in `class` that take over the value of class `from` at the point before.
    fn carried(&self, class: Id, space: Id, direction: Id, from: Id) -> Vec<Id> {
        let nodes = self.graph[class].nodes.iter();
        let carries = nodes.filter_map(|node| match node {
            Term::Ite([head, first, received])
                if self.holds(*head, &Term::Head([space, direction]))
                    && self.receives(*received, space, direction, from) =>
            {
                Some(*first)
            }
            _ => None,
        });
        carries.collect()
    }

    fn receives(&self, class: Id, space: Id, direction: Id, from: Id) -> bool {
        let sent = self.graph.lookup(Term::Send([space, direction, from]));
        sent.is_some_and(|message| self.holds(class, &Term::Recv([space, direction, message])))
    }

    fn holds(&self, class: Id, node: &Term) -> bool {
        self.graph.lookup(node.clone()).is_some_and(|found| found == self.graph.find(class))
    }

    fn vector(&self, direction: Id) -> Option<Vector> {
        let space = name_of(self.graph, self.name)?;
        match self.graph[direction].data.constant {
            Some(Term::Direction(text)) => self.graph.analysis.context.vector(space, text).cloned(),
            _ => None,
        }
    }

    fn transports_below(&self, base: Id) -> Result<Vec<Vec<Transport>>, Diagnostic> {
        let mut found = vec![BTreeSet::new(); self.space.operands.len()];
        if self.walk_body(base, &self.space.body, &mut found) {
            return Ok(found.into_iter().map(|set| set.into_iter().collect()).collect());
        }
        let stuck = self.space.operands.iter().zip(&found).find(|(_, set)| set.is_empty());
        Err(no_transport(self.space, stuck.map(|(operand, _)| operand)))
    }

    /// Walks `scalar` through the classes from `class` on; false where some part of it has no lowered form.
    fn walk_body(&self, class: Id, scalar: &Scalar, found: &mut [BTreeSet<Transport>]) -> bool {
        match scalar {
            Scalar::Number(value) => self.holds(class, &Term::Number(Literal::new(*value))),
            Scalar::Index(form) => {
                let access = self.graph.lookup(Term::Access(access_text(std::slice::from_ref(form))));
                let nodes = &self.graph[class].nodes;
                nodes.iter().any(|node| matches!(node, Term::Here([_, map]) if Some(*map) == access))
            }
            Scalar::Operand(position) => {
                let Some(operand) = self.space.operands.get(*position) else { return false };
                let moves = self.moves(class, operand);
                let moved = !moves.is_empty();
                found[*position].extend(moves);
                moved
            }
            Scalar::Apply(Function::Leaf(number), arguments) => self.walk_call(class, *number, arguments, found),
            Scalar::Apply(function, arguments) => self.walk_apply(class, *function, arguments, found),
        }
    }

    /// Every argument is walked, also behind one that fails, so that each operand without a lowered form comes to light.
    fn walk_apply(
        &self,
        class: Id,
        function: Function,
        arguments: &[Scalar],
        found: &mut [BTreeSet<Transport>],
    ) -> bool {
        let nodes = self.graph[class].nodes.iter();
        let mut matching = nodes.filter_map(|node| match node {
            Term::Other(name, children) if name.as_str() == function.keyword() => Some(children),
            _ => None,
        });
        matching.any(|children| {
            let pairs = children.iter().zip(arguments);
            let walked = pairs.map(|(child, argument)| self.walk_body(*child, argument, found));
            walked.fold(children.len() == arguments.len(), |all, one| all & one)
        })
    }

    /// A leaf with its arguments, the last one outermost.
    fn walk_call(&self, class: Id, leaf: u16, arguments: &[Scalar], found: &mut [BTreeSet<Transport>]) -> bool {
        let Some((last, before)) = arguments.split_last() else {
            let name = self.graph.lookup(Term::leaf_name(leaf));
            return name.is_some_and(|name| self.holds(class, &Term::Leaf(name)));
        };
        let called = self.graph[class].nodes.iter().filter_map(|node| match node {
            Term::Call([called, argument]) => Some((*called, *argument)),
            _ => None,
        });
        let walk = |(called, argument): (Id, Id), found: &mut [BTreeSet<Transport>]| {
            let last = self.walk_body(argument, last, found);
            self.walk_call(called, leaf, before, found) && last
        };
        called.collect::<Vec<_>>().into_iter().any(|pair| walk(pair, found))
    }

    /// The lowered statements of `class` that bring `operand`.
    fn moves(&self, class: Id, operand: &Operand) -> BTreeSet<Transport> {
        let inner = self.equations.inner(operand);
        let source = self.graph.lookup(Term::name(inner.map_or(&operand.tensor, |space| &space.name)));
        let access = self.graph.lookup(Term::Access(access_text(&operand.access)));
        let (Some(source), Some(access)) = (source, access) else { return BTreeSet::new() };
        let nodes = self.graph[class].nodes.iter();
        if inner.is_some() {
            let handed = nodes.filter(|node| self.is_handoff(node, [source, access]));
            return handed.map(|_| Transport::Handoff).collect();
        }
        let mut found: BTreeSet<Transport> =
            nodes.flat_map(|node| self.transports_of(class, node, [source, access])).collect();
        if is_constant(self.space, operand) {
            // A number goes to every point: a stream that leaves some out is none.
            found.retain(|choice| choice.streams().is_empty() || choice.streams().len() == self.space.dimension());
        }
        found
    }

    /// Whether a node hands over what the space `giver` has at the element that `access` names.
    fn is_handoff(&self, node: &Term, [giver, access]: [Id; 2]) -> bool {
        matches!(node, Term::Handoff([reader, from, _, element, _])
            if [*reader, *from, *element] == [self.name, giver, access])
    }

    fn transports_of(&self, class: Id, node: &Term, operand: [Id; 2]) -> Vec<Transport> {
        let one = match node {
            Term::Bcast([_, along, tensor, access]) if operand == [*tensor, *access] => {
                self.vector(*along).map(|vector| Transport::Broadcast(orient(vector)))
            }
            Term::Hold([_, tensor, access]) | Term::Const([_, tensor, access]) if operand == [*tensor, *access] => {
                Some(Transport::Prefetch)
            }
            Term::Feed([_, tensor, access]) if operand == [*tensor, *access] => Some(Transport::Feed),
            Term::Take([_, tensor, access]) if operand == [*tensor, *access] => Some(Transport::Handoff),
            Term::Kept([_, tensor, access]) if operand == [*tensor, *access] => Some(Transport::Local),
            Term::Stored([_, tensor, access]) if operand == [*tensor, *access] => Some(Transport::Memory),
            Term::Ite([head, first, received]) => {
                return self.carried_operand(class, [*head, *first, *received], operand);
            }
            _ => None,
        };
        one.into_iter().collect()
    }

    /// The transports that a carried value is: streams and trees of the operand, or results that points hand to later ones.
    fn carried_operand(&self, class: Id, parts: [Id; 3], operand: [Id; 2]) -> Vec<Transport> {
        let streams = self.streams(class, parts, operand);
        if !streams.is_empty() {
            return streams.into_iter().map(Transport::of_streams).collect();
        }
        let ([head, first, received], [tensor, access]) = (parts, operand);
        let Some((space, along)) = self.head(head) else { return vec![] };
        let taken = self.holds(first, &Term::Take([space, tensor, access]));
        let result = self.graph.lookup(Term::Result(space)).filter(|_| taken);
        let handed = result.is_some_and(|result| self.receives(received, space, along, result));
        handed.then_some(Transport::Handoff).into_iter().collect()
    }

    /// The directions of every stream that the carried value of `class` is, each with those on the faces of its heads.
    fn streams(&self, class: Id, [head, first, _]: [Id; 3], [tensor, access]: [Id; 2]) -> Vec<Vec<Vector>> {
        let Some((space, along)) = self.head(head) else { return vec![] };
        let starts = [Term::Load([space, along, tensor, access]), Term::Xfer([space, along, tensor, access])];
        let starts_here = starts.iter().any(|start| self.holds(first, start));
        let carried = self.carried(class, space, along, class).contains(&first);
        let Some(vector) = self.vector(along).filter(|_| starts_here && carried) else { return vec![] };
        let mut found = vec![vec![vector.clone()]];
        for node in &self.graph[first].nodes {
            let Term::Ite([head, start, received]) = node else { continue };
            let longer = self.streams(first, [*head, *start, *received], [tensor, access]);
            found.extend(longer.into_iter().map(|rest| [vec![vector.clone()], rest].concat()));
        }
        found
    }

    /// The space and the direction whose heads a condition asks for.
    fn head(&self, condition: Id) -> Option<(Id, Id)> {
        self.graph[condition].nodes.iter().find_map(|node| match node {
            Term::Head([space, along]) => Some((*space, *along)),
            _ => None,
        })
    }
}

fn depth(space: &Space) -> usize {
    match levels(space) {
        Levels::None => 0,
        Levels::Fibre(_) => 1,
        Levels::Nested(_, indices) => indices.len(),
    }
}

fn orient(vector: Vector) -> Vector {
    if lexicographic_sign(&vector) < 0 { vector.iter().map(|entry| -entry).collect() } else { vector }
}

fn turn_buses(dataflow: &Dataflow) -> Dataflow {
    let turn = |transport: &Transport| match transport {
        Transport::Broadcast(along) => Transport::Broadcast(along.iter().map(|entry| -entry).collect()),
        other => other.clone(),
    };
    Dataflow { transports: dataflow.transports.iter().map(turn).collect(), chain: dataflow.chain.clone() }
}

/// The limit where the rules offer nothing.
const RULES: &str = "dataflows are those that the rules offer";

fn no_transport(space: &Space, operand: Option<&Operand>) -> Diagnostic {
    let Some(operand) = operand else {
        return Diagnostic::new(format!("no rule lowers the body of kernel `{}`", space.kernel))
            .label(&space.source, space.span, "has no lowered form")
            .of_refusal(Refusal::beyond(RULES));
    };
    let read = format!("{}{}", operand.tensor, access_text(&operand.access));
    let diagnostic = Diagnostic::new(format!("no rule lowers the read of `{read}`"))
        .label(&space.source, operand.span, "has no lowered form")
        .of_refusal(Refusal::beyond(RULES));
    if operand.tensor == space.output {
        return diagnostic.note(format!("`{}` is computed by this very equation", operand.tensor));
    }
    diagnostic.help("allow a transport for it: stream, broadcast, prefetch, feed or handoff")
}

fn no_chain(space: &Space) -> Diagnostic {
    Diagnostic::new(format!("no rule lowers the reduction into `{}`", space.output))
        .label(&space.source, space.span, "has no lowered form")
        .help("reductions over several indices need ranges that do not depend on each other")
        .of_refusal(Refusal::beyond(RULES))
}
