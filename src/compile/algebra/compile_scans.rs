//! The ways to compute reductions from those at the point before, or from their mirror image.
//!
//! In: nodes of the e-graph that say so. Out: ways for `compile`: a reduction whose range grows, a sum over a window that slides, a sum of
//! which one half is the other.

use super::compile::Compiler;
use super::goals::{GoalId, Value, Way};
use crate::rewrite::{Graph, Id, Symbol, Term};
use systole_base::integer::{Affine, Name, Polyhedron, name};
use systole_equations::recurrence::Operator;

impl Compiler<'_> {
    pub fn running(&mut self, goal: GoalId, operator: Id, index: Id, body: Id) -> Vec<Way> {
        let (Some(operator), Some(index)) = (self.name(operator), self.name(index)) else { return vec![] };
        let free = self.graph[self.graph.find(body)].data.free.clone();
        let with = self.frame.grows_with(Symbol::from(&*index), &free);
        let (Some(with), Some(operator)) = (with, Operator::from_keyword(&operator)) else { return vec![] };
        let operations = self.points(&self.goals.goals[goal].indices);
        let children = vec![self.class(body)];
        vec![Way::of(Value::Running { operator, index, with }, operations, children)]
    }

    /// The half of a sum where one index is not above the other; its products are counted here, since only these are needed.
    pub fn mirrored(&mut self, goal: GoalId, whole: Id) -> Vec<Way> {
        let mut ways = vec![];
        for (index, factors, accesses) in products(self.graph, whole) {
            let accesses = accesses.map(|access| self.access(access));
            let ([Some(first), Some(second)], Some(index)) = (accesses, self.name(index)) else { continue };
            let Some((one, other)) = self.frame.swapped(first, second) else { continue };
            let indices = self.goals.goals[goal].indices.clone();
            let half = Polyhedron::new([Affine::variable(&one) - Affine::variable(&other)]);
            let all: Vec<Name> = indices.iter().cloned().chain([index.clone()]).collect();
            let operations = 2 * self.points_within(&all, &half);
            let children = factors.iter().map(|factor| self.class(*factor)).collect();
            let pass = self.axis(&index);
            let value = Value::Mirrored { index, one, other };
            ways.push(Way { pass, ..Way::of(value, operations, children) });
        }
        ways
    }

    pub fn sliding(&mut self, goal: GoalId, index: Id, body: Id) -> Vec<Way> {
        let body = self.graph.find(body);
        let Some(index) = self.name(index) else { return vec![] };
        let facts = &self.graph[body].data;
        let bound = Symbol::from(&*index);
        let mut along = facts.sliding.iter().filter(|(along, other)| *other == bound && facts.free.contains(along));
        let along = along.next().map(|(along, _)| name(along.as_str()));
        // What enters and what leaves is read elsewhere than at the point, so it has to be an element.
        let is_read = self.graph[body].nodes.iter().any(|node| matches!(node, Term::At(_)));
        let Some(along) = along.filter(|_| is_read) else { return vec![] };
        let indices = self.goals.goals[goal].indices.clone();
        let first: Vec<Name> =
            indices.iter().filter(|other| **other != along).cloned().chain([index.clone()]).collect();
        let operations = 2 * self.points(&indices) + self.points(&first);
        let children = vec![self.class(body)];
        vec![Way::of(Value::Sliding { index, along }, operations, children)]
    }
}

/// The sums of products of two elements of one tensor in a class: the index and the two elements, with their access maps.
fn products(graph: &Graph, whole: Id) -> Vec<(Id, [Id; 2], [Id; 2])> {
    let mut found = vec![];
    let element = |class: Id| {
        graph[class].nodes.iter().find_map(|node| match node {
            Term::At([_, access]) => Some(*access),
            _ => None,
        })
    };
    for node in &graph[graph.find(whole)].nodes {
        let Term::Reduce([_, _, index, body]) = node else { continue };
        for node in &graph[graph.find(*body)].nodes {
            let Term::Other(word, children) = node else { continue };
            let ("mul", [one, other]) = (word.as_str(), &children[..]) else { continue };
            let (one, other) = (graph.find(*one), graph.find(*other));
            if let (Some(first), Some(second)) = (element(one), element(other)) {
                found.push((*index, [one, other], [first, second]));
            }
        }
    }
    found
}
