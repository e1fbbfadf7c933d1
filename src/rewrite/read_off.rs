//! Reads the choices off a saturated e-graph.
//!
//! In: a [`Lowered`]. Out: [`Choices`], found by walking from the root class downwards over fully lowered nodes only:
//! `last` over an accumulation, pointwise functions, and the statements that move an operand. What no rule produced is
//! not found; with `choose-broadcast` taken out of the rules there is no broadcast.

use super::context::access_text;
use super::dataflow::{Dataflow, Transport};
use super::input::{Levels, levels, lowered_term};
use super::language::{Literal, Term};
use super::saturate::Lowered;
use crate::diagnostic::{Checked, Diagnostic};
use crate::integer::{Vector, lexicographic_sign};
use crate::recurrence::{Chain, Function, Operand, Scalar, Space};
use egg::{Id, RecExpr};
use std::collections::BTreeSet;

/// Every way to lower a space: any transport of each operand goes with any chain.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Choices {
    /// For each operand, in the order of [`Space::operands`], its transports in ascending order.
    pub transports: Vec<Vec<Transport>>,
    /// The orders of the reduction in ascending order; one empty chain where nothing is reduced.
    pub chains: Vec<Chain>,
}

impl Choices {
    /// How many dataflows there are.
    pub fn count(&self) -> usize {
        self.transports.iter().map(Vec::len).product::<usize>() * self.chains.len()
    }

    /// All dataflows: the last operand's transport changes fastest, then the others', then the chain.
    pub fn dataflows(&self) -> impl Iterator<Item = Dataflow> + '_ {
        (0..self.count()).map(|mut rank| {
            let mut pick = |count: usize| {
                let choice = rank % count;
                rank /= count;
                choice
            };
            let picked: Vec<usize> = self.transports.iter().rev().map(|list| pick(list.len())).collect();
            let transports = self.transports.iter().zip(picked.iter().rev());
            let transports = transports.map(|(list, choice)| list[*choice].clone()).collect();
            Dataflow { transports, chain: self.chains[pick(self.chains.len())].clone() }
        })
    }
}

impl Lowered {
    /// The transports of each operand and the orders of the reduction that the e-graph holds.
    ///
    /// A bus has no direction of travel, so a broadcast is listed once, with the first non-zero entry of its direction
    /// positive. An operand that is the same at all points is listed as [`Transport::Prefetch`]: its one number is put
    /// into every PE before the run.
    ///
    /// # Errors
    ///
    /// An operand or a reduction for which the rules have no lowered form.
    pub fn choices(&self) -> Checked<Choices> {
        let bases = self.chains_of(self.root, depth(&self.space));
        let mut wrong = None;
        for (_, base) in &bases {
            match self.transports_below(*base) {
                Ok(transports) => return Ok(self.collect_choices(transports, &bases, *base)),
                Err(diagnostic) => wrong = wrong.or(Some(diagnostic)),
            }
        }
        wrong.unwrap_or_else(|| no_chain(&self.space)).alone()
    }

    /// The lowered term of a dataflow, if the e-graph holds it.
    pub fn term(&self, dataflow: &Dataflow) -> Option<RecExpr<Term>> {
        let exact = lowered_term(&self.space, dataflow).filter(|term| self.contains(term));
        // A bus along `d` is a bus along `-d`.
        exact.or_else(|| lowered_term(&self.space, &turn_buses(dataflow)).filter(|term| self.contains(term)))
    }

    fn collect_choices(&self, transports: Vec<Vec<Transport>>, bases: &[(Chain, Id)], base: Id) -> Choices {
        let chains: BTreeSet<Chain> =
            bases.iter().filter(|(_, other)| *other == base).map(|(chain, _)| chain.clone()).collect();
        Choices { transports, chains: chains.into_iter().collect() }
    }

    /// The chains of `depth` reductions in a class, each with the class of what is reduced.
    fn chains_of(&self, class: Id, depth: usize) -> Vec<(Chain, Id)> {
        if depth == 0 {
            return vec![(Chain { directions: vec![] }, class)];
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
        match self.graph[direction].data.constant {
            Some(Term::Direction(text)) => self.graph.analysis.context.vector(text).cloned(),
            _ => None,
        }
    }

    fn transports_below(&self, base: Id) -> Result<Vec<Vec<Transport>>, Diagnostic> {
        let mut found = vec![BTreeSet::new(); self.space.operands.len()];
        if self.walk_body(base, &self.space.body, &mut found) {
            return Ok(found.into_iter().map(|set| set.into_iter().collect()).collect());
        }
        let stuck = self.space.operands.iter().zip(&found).find(|(_, set)| set.is_empty());
        Err(no_transport(&self.space, stuck.map(|(operand, _)| operand)))
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

    /// The lowered statements of `class` that bring `operand`.
    fn moves(&self, class: Id, operand: &Operand) -> BTreeSet<Transport> {
        let tensor = self.graph.lookup(Term::name(&operand.tensor));
        let access = self.graph.lookup(Term::Access(access_text(&operand.access)));
        let (Some(tensor), Some(access)) = (tensor, access) else { return BTreeSet::new() };
        let nodes = self.graph[class].nodes.iter();
        nodes.filter_map(|node| self.transport_of(class, node, [tensor, access])).collect()
    }

    fn transport_of(&self, class: Id, node: &Term, operand: [Id; 2]) -> Option<Transport> {
        match node {
            Term::Bcast([_, along, tensor, access]) if operand == [*tensor, *access] => {
                self.vector(*along).map(|vector| Transport::Broadcast(orient(vector)))
            }
            Term::Hold([_, tensor, access]) | Term::Const([_, tensor, access]) if operand == [*tensor, *access] => {
                Some(Transport::Prefetch)
            }
            Term::Feed([_, tensor, access]) if operand == [*tensor, *access] => Some(Transport::Feed),
            Term::Ite([head, first, _]) => self.streamed(class, *head, *first, operand),
            _ => None,
        }
    }

    /// The stream that a carried value is, if it starts with a load of the operand.
    fn streamed(&self, class: Id, head: Id, first: Id, [tensor, access]: [Id; 2]) -> Option<Transport> {
        let (space, along) = self.graph[head].nodes.iter().find_map(|node| match node {
            Term::Head([space, along]) => Some((*space, *along)),
            _ => None,
        })?;
        let loaded = self.holds(first, &Term::Load([space, along, tensor, access]));
        let carried = self.carried(class, space, along, class).contains(&first);
        self.vector(along).filter(|_| loaded && carried).map(Transport::Stream)
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

fn no_transport(space: &Space, operand: Option<&Operand>) -> Diagnostic {
    let Some(operand) = operand else {
        return Diagnostic::new(format!("no rule lowers the body of kernel `{}`", space.kernel)).label(
            &space.source,
            space.span,
            "has no lowered form",
        );
    };
    let read = format!("{}{}", operand.tensor, access_text(&operand.access));
    let diagnostic = Diagnostic::new(format!("no rule lowers the read of `{read}`")).label(
        &space.source,
        operand.span,
        "has no lowered form",
    );
    if operand.tensor == space.output {
        return diagnostic.note(format!("`{}` is computed by this very equation", operand.tensor));
    }
    diagnostic.help("allow a transport for it: stream, broadcast, prefetch or feed")
}

fn no_chain(space: &Space) -> Diagnostic {
    Diagnostic::new(format!("no rule lowers the reduction into `{}`", space.output))
        .label(&space.source, space.span, "has no lowered form")
        .help("reductions over several indices need ranges that do not depend on each other")
}
