//! What a nest of loops says, in the form in which two nests are compared.
//!
//! In: a loop. Out: its [`Shape`]: bounds with coefficient 1, values as trees. Where a reduction may have no terms, a leaf has
//! `if its terms exist (set x .. s ..) (set x .. 0 ..)` behind the loop of the terms. This becomes one set, with the note
//! under which conditions `s` counts as 0: since the loop is empty where they fail, that is the same as setting `s` to 0 first.

use crate::leaf::routine::{Access, Loop, Node, Operation, Set, SlotAffine};
use systole_base::scalar::Function;

/// A step.
#[derive(Clone, Debug)]
pub(super) enum Shape {
    Loop { index: usize, lower: Vec<SlotAffine>, upper: Vec<SlotAffine>, body: Vec<Shape> },
    If { conditions: Vec<SlotAffine>, then: Vec<Shape>, otherwise: Vec<Shape> },
    Set { target: usize, value: Term, reset: Option<Reset> },
}

/// An element that counts as a number where not all conditions hold.
#[derive(Clone, Debug)]
pub(super) struct Reset {
    /// The access.
    pub element: usize,
    pub number: f64,
    pub conditions: Vec<SlotAffine>,
}

/// A value.
#[derive(Clone, Debug)]
pub(super) enum Term {
    Number(f64),
    Index(SlotAffine),
    /// An access.
    Load(usize),
    Apply(Function, Vec<Term>),
}

impl Shape {
    /// All accesses, in the order of the text.
    pub fn accesses(&self) -> Vec<usize> {
        let all = |shapes: &[Shape]| shapes.iter().flat_map(Shape::accesses).collect::<Vec<usize>>();
        match self {
            Shape::Loop { body, .. } => all(body),
            Shape::If { then, otherwise, .. } => [all(then), all(otherwise)].concat(),
            Shape::Set { target, value, .. } => [vec![*target], value.accesses()].concat(),
        }
    }
}

impl Term {
    fn accesses(&self) -> Vec<usize> {
        match self {
            Term::Number(_) | Term::Index(_) => vec![],
            Term::Load(access) => vec![*access],
            Term::Apply(_, arguments) => arguments.iter().flat_map(Term::accesses).collect(),
        }
    }
}

/// The shape of a loop; `None` where an index in a bound has a factor.
pub(super) fn shape_of(repeated: &Loop, accesses: &[Access]) -> Option<Shape> {
    let exact = |bounds: &[(SlotAffine, i64)]| {
        bounds.iter().map(|(form, by)| (*by == 1).then(|| form.clone())).collect::<Option<Vec<SlotAffine>>>()
    };
    // Definitions rise.
    (!repeated.falls).then_some(())?;
    Some(Shape::Loop {
        index: repeated.index,
        lower: exact(&repeated.lower)?,
        upper: exact(&repeated.upper)?,
        body: block(&repeated.body, accesses)?,
    })
}

fn block(nodes: &[Node], accesses: &[Access]) -> Option<Vec<Shape>> {
    let mut shapes: Vec<Shape> = vec![];
    for node in nodes {
        let shape = match node {
            Node::Loop(repeated) => shape_of(repeated, accesses)?,
            Node::Set(set) => Shape::Set { target: set.target, value: tree(set)?, reset: None },
            Node::If { conditions, then, otherwise } => {
                match merged((conditions, then, otherwise), shapes.last(), accesses) {
                    Some(shape) => shape,
                    None => Shape::If {
                        conditions: conditions.clone(),
                        then: block(then, accesses)?,
                        otherwise: block(otherwise, accesses)?,
                    },
                }
            }
            Node::Known(_) => return None,
        };
        shapes.push(shape);
    }
    Some(shapes)
}

/// The tree of a value in postfix order.
fn tree(set: &Set) -> Option<Term> {
    let mut stack: Vec<Term> = vec![];
    for operation in &set.value {
        let term = match operation {
            Operation::Number(number) => Term::Number(*number),
            Operation::Index(form) => Term::Index(form.clone()),
            Operation::Load(access) => Term::Load(*access),
            Operation::Apply(function) => {
                let arguments = stack.split_off(stack.len().checked_sub(function.arity())?);
                Term::Apply(*function, arguments)
            }
        };
        stack.push(term);
    }
    stack.pop().filter(|_| stack.is_empty())
}

type Choice<'a> = (&'a [SlotAffine], &'a [Node], &'a [Node]);

/// One set for two that differ in an element against a number, where the loop before says that nothing is added to it.
fn merged((conditions, then, otherwise): Choice<'_>, before: Option<&Shape>, accesses: &[Access]) -> Option<Shape> {
    let ([Node::Set(full)], [Node::Set(empty)]) = (then, otherwise) else { return None };
    if accesses[full.target] != accesses[empty.target] || full.value.len() != empty.value.len() {
        return None;
    }
    let mut found = None;
    for (a, b) in full.value.iter().zip(&empty.value) {
        match (a, b) {
            (Operation::Load(element), Operation::Number(number)) if found.is_none() => {
                found = Some((*element, *number))
            }
            _ if !is_same(a, b, accesses) => return None,
            _ => {}
        }
    }
    let (element, number) = found?;
    let Shape::Loop { lower, upper, body, .. } = before? else { return None };
    let [Shape::Set { target, .. }] = body.as_slice() else { return None };
    let is_emptiness =
        |form: &SlotAffine| upper.iter().any(|to| form == to || lower.iter().any(|from| *form == to.minus(from)));
    let fits = accesses[*target] == accesses[element] && conditions.iter().all(is_emptiness);
    let reset = Some(Reset { element, number, conditions: conditions.to_vec() });
    fits.then_some(Shape::Set { target: full.target, value: tree(full)?, reset })
}

fn is_same(a: &Operation, b: &Operation, accesses: &[Access]) -> bool {
    match (a, b) {
        (Operation::Number(a), Operation::Number(b)) => a.to_bits() == b.to_bits(),
        (Operation::Index(a), Operation::Index(b)) => a == b,
        (Operation::Load(a), Operation::Load(b)) => accesses[*a] == accesses[*b],
        (Operation::Apply(a), Operation::Apply(b)) => a == b,
        _ => false,
    }
}
