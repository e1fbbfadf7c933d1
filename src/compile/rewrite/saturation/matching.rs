//! Where the left side of a rule occurs.
//!
//! In: a pattern; an e-graph. Out: for each occurrence the classes of the pattern's variables, one after the other in one list, in egg's own
//! order. Egg makes a list for every occurrence, and most of them have been found before or fail a condition.
//! Paper: de Moura and Bjorner, "Efficient E-Matching for SMT Solvers", 2007: the code trees of section 3, of one pattern.

use super::analysis::Graph;
use crate::rewrite::terms::Term;
use egg::{ENodeOrVar, Id, Language, PatternAst, Var};
use std::cmp::Reverse;
use std::collections::BTreeSet;

/// How to find a pattern. A register holds a class; register 0 that of the pattern itself.
#[derive(Clone, Debug)]
pub(crate) struct Matcher {
    root: Term,
    instructions: Vec<Instruction>,
    /// The leaves that occur.
    leaves: Vec<Term>,
    /// The variables with their registers.
    variables: Vec<(Var, usize)>,
}

#[derive(Clone, Debug)]
enum Instruction {
    /// Each node of the class in `register` that is like `node`: its children go to the registers from `out` on.
    Bind { node: Term, register: usize, out: usize },
    /// The class in `register` is that of leaf number `leaf`.
    Leaf { leaf: usize, register: usize },
    /// Both registers hold one class.
    Compare { one: usize, other: usize },
    /// The class in `register` is that of a term whose variables are bound.
    Lookup { term: Vec<LookupNode>, register: usize },
}

/// A node over the parts before it, or what a register holds.
#[derive(Clone, Debug)]
enum LookupNode {
    Node(Term),
    Register(usize),
}

impl Matcher {
    /// How to find `pattern`; `None` for a lone variable.
    pub fn new(pattern: &PatternAst<Term>) -> Option<Matcher> {
        let ENodeOrVar::ENode(root) = &pattern[pattern.root()] else { return None };
        let mut compiler = Compiler { pattern, open: vec![], instructions: vec![], leaves: vec![], variables: vec![] };
        compiler.compile();
        let Compiler { instructions, leaves, variables, .. } = compiler;
        Some(Matcher { root: root.clone(), instructions, leaves, variables })
    }

    /// The variables, in the order in which [`Matcher::search`] gives their classes.
    pub fn variables(&self) -> impl Iterator<Item = Var> {
        self.variables.iter().map(|(variable, _)| *variable)
    }

    /// How many classes [`Matcher::search`] gives for each occurrence: its own where there is no variable.
    pub fn width(&self) -> usize {
        self.variables.len().max(1)
    }

    /// Adds the classes of the variables of every occurrence in a clean graph to `found`.
    pub fn search(&self, graph: &Graph, found: &mut Vec<Id>) {
        // Without one of its leaves the pattern is nowhere.
        let leaves = self.leaves.iter().map(|leaf| graph.lookup(leaf.clone())).collect::<Option<Vec<Id>>>();
        let Some(leaves) = leaves else { return };
        let mut registers = vec![];
        for class in graph.classes_for_op(&self.root.discriminant()).into_iter().flatten() {
            registers.clear();
            registers.push(class);
            self.run((graph, &leaves), 0, &mut registers, found);
        }
    }

    fn run(&self, (graph, leaves): (&Graph, &[Id]), step: usize, registers: &mut Vec<Id>, found: &mut Vec<Id>) {
        match self.instructions.get(step) {
            None if self.variables.is_empty() => found.push(registers[0]),
            None => found.extend(self.variables.iter().map(|(_, register)| registers[*register])),
            Some(Instruction::Bind { node, register, out }) => {
                for known in graph[registers[*register]].nodes.iter().filter(|known| node.matches(known)) {
                    registers.truncate(*out);
                    registers.extend_from_slice(known.children());
                    self.run((graph, leaves), step + 1, registers, found);
                }
            }
            Some(instruction) => {
                if instruction.holds((graph, leaves), registers) {
                    self.run((graph, leaves), step + 1, registers, found);
                }
            }
        }
    }
}

impl Instruction {
    /// Whether what is bound so far may go on.
    fn holds(&self, (graph, leaves): (&Graph, &[Id]), registers: &[Id]) -> bool {
        let class = |register: &usize| graph.find(registers[*register]);
        match self {
            Instruction::Bind { .. } => true,
            Instruction::Leaf { leaf, register } => leaves[*leaf] == class(register),
            Instruction::Compare { one, other } => class(one) == class(other),
            Instruction::Lookup { term, register } => look_up(graph, term, registers) == Some(class(register)),
        }
    }
}

/// The class of a term; `None` where the graph has none.
fn look_up(graph: &Graph, term: &[LookupNode], registers: &[Id]) -> Option<Id> {
    let mut classes: Vec<Id> = vec![];
    for part in term {
        classes.push(match part {
            LookupNode::Node(node) => graph.lookup(node.clone().map_children(|child| classes[usize::from(child)]))?,
            LookupNode::Register(register) => graph.find(registers[*register]),
        });
    }
    classes.last().copied()
}

/// What is not matched yet stands in `open`, with its register. What has all its variables goes first, as it only has to be looked up; then
/// what binds most variables, and is smallest.
struct Compiler<'a> {
    pattern: &'a PatternAst<Term>,
    open: Vec<(Id, usize)>,
    instructions: Vec<Instruction>,
    leaves: Vec<Term>,
    variables: Vec<(Var, usize)>,
}

impl Compiler<'_> {
    fn compile(&mut self) {
        self.add(self.pattern.root(), 0);
        let mut out = 1;
        while let Some((id, register)) = self.next() {
            let ENodeOrVar::ENode(node) = &self.pattern[id] else { continue };
            if node.is_leaf() {
                self.instructions.push(Instruction::Leaf { leaf: self.leaves.len(), register });
                self.leaves.push(node.clone());
                continue;
            }
            if self.unbound(id) == 0 {
                let mut term = vec![];
                self.add_parts(id, &mut term);
                self.instructions.push(Instruction::Lookup { term, register });
                continue;
            }
            let children = node.children();
            let node = node.clone().map_children(|_| Id::from(0));
            self.instructions.push(Instruction::Bind { node, register, out });
            children.iter().enumerate().for_each(|(place, child)| self.add(*child, out + place));
            out += children.len();
        }
    }

    fn add(&mut self, id: Id, register: usize) {
        match &self.pattern[id] {
            ENodeOrVar::ENode(_) => self.open.push((id, register)),
            ENodeOrVar::Var(variable) => match self.register(*variable) {
                Some(other) => self.instructions.push(Instruction::Compare { one: register, other }),
                None => self.variables.push((*variable, register)),
            },
        }
    }

    fn next(&mut self) -> Option<(Id, usize)> {
        let rank = |id: Id| {
            let unbound = self.unbound(id);
            (unbound == 0, unbound, Reverse(self.size(id)))
        };
        let best = (0..self.open.len()).max_by_key(|place| rank(self.open[*place].0))?;
        Some(self.open.swap_remove(best))
    }

    /// Adds a part whose variables are bound behind those that it is made of; its place.
    fn add_parts(&self, id: Id, term: &mut Vec<LookupNode>) -> Id {
        let part = match &self.pattern[id] {
            ENodeOrVar::ENode(node) => LookupNode::Node(node.clone().map_children(|child| self.add_parts(child, term))),
            ENodeOrVar::Var(variable) => LookupNode::Register(self.register(*variable).unwrap_or_default()),
        };
        term.push(part);
        Id::from(term.len() - 1)
    }

    fn register(&self, variable: Var) -> Option<usize> {
        self.variables.iter().find(|(known, _)| *known == variable).map(|(_, register)| *register)
    }

    /// How many variables of a part are not bound yet.
    fn unbound(&self, id: Id) -> usize {
        let mut variables = BTreeSet::new();
        self.collect_variables(id, &mut variables);
        variables.into_iter().filter(|variable| self.register(*variable).is_none()).count()
    }

    fn collect_variables(&self, id: Id, found: &mut BTreeSet<Var>) {
        match &self.pattern[id] {
            ENodeOrVar::Var(variable) => {
                found.insert(*variable);
            }
            ENodeOrVar::ENode(node) => node.children().iter().for_each(|child| self.collect_variables(*child, found)),
        }
    }

    /// How many nodes a part has.
    fn size(&self, id: Id) -> usize {
        match &self.pattern[id] {
            ENodeOrVar::Var(_) => 0,
            ENodeOrVar::ENode(node) => 1 + node.children().iter().map(|child| self.size(*child)).sum::<usize>(),
        }
    }
}
