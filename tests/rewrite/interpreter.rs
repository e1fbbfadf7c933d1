//! The meaning of terms, by brute force: the value of a term at a point of a small domain.
//!
//! Shares nothing with the stage but the printed form of terms. An undefined value is NaN, so that a rule which looks at
//! a value where there is none is found out.

use crate::kernels::form;
use egg::{Id, Language, RecExpr};
use std::collections::BTreeSet;
use systole::integer::{Affine, Bindings};
use systole::recurrence::{Function, Operator, Space};
use systole::rewrite::Term;

/// A space with sizes: all its points.
pub struct World<'a> {
    space: &'a Space,
    sizes: Bindings,
    points: BTreeSet<Vec<i64>>,
}

/// Parameters get `sizes` in turn.
pub fn world<'a>(space: &'a Space, sizes: &[i64]) -> World<'a> {
    let sizes: Bindings = space.parameters.iter().cloned().zip(sizes.iter().cycle().copied()).collect();
    let points = space.domain.set.points(space.indices(), &sizes).unwrap().into_iter().collect();
    World { space, sizes, points }
}

/// The forms of `[i+k,2*j]`, the form of `<i-k>`.
fn forms(text: &str) -> Vec<Affine> {
    let inner = &text[1..text.len() - 1];
    inner.split(',').filter(|piece| !piece.is_empty()).map(form).collect()
}

/// An integer in -4..=4 that depends on the tensor and the element only.
fn element(tensor: &str, subscripts: &[i64]) -> f64 {
    let bytes = tensor.bytes().map(i64::from).chain(subscripts.iter().copied());
    let mixed = bytes.fold(17_i64, |hash, byte| hash.wrapping_mul(1_000_003).wrapping_add(byte * 7919 + 13));
    ((mixed >> 7).rem_euclid(9) - 4) as f64
}

impl World<'_> {
    /// The value of `term` at each point.
    pub fn values(&self, term: &RecExpr<Term>) -> Vec<f64> {
        self.points.iter().map(|point| self.value(term, term.root(), point)).collect()
    }

    /// The first point at which the two terms differ, with both values.
    pub fn difference(&self, one: &RecExpr<Term>, other: &RecExpr<Term>) -> Option<String> {
        let pairs = self.values(one).into_iter().zip(self.values(other));
        let differ = |(a, b): &(f64, f64)| a != b && !(a.is_nan() && b.is_nan());
        let (point, (a, b)) = self.points.iter().zip(pairs).find(|(_, pair)| differ(pair))?;
        Some(format!("at {point:?} of {:?}\n  {one}\n    = {a}\n  {other}\n    = {b}", self.sizes))
    }

    fn apply(&self, map: &str, point: &[i64]) -> Vec<i64> {
        let bindings = self.space.bind(&self.sizes, point);
        forms(map).iter().map(|form| form.evaluate(&bindings).unwrap()).collect()
    }

    fn vector(&self, direction: &str) -> Vec<i64> {
        forms(direction)[0].row(self.space.indices())
    }

    fn moved(&self, point: &[i64], along: &[i64], factor: i64) -> Option<Vec<i64>> {
        let target: Vec<i64> = point.iter().zip(along).map(|(x, d)| x + factor * d).collect();
        self.points.contains(&target).then_some(target)
    }

    /// The line through `point`, from its head on.
    fn line(&self, point: &[i64], along: &[i64]) -> Vec<Vec<i64>> {
        let mut head = point.to_vec();
        while let Some(before) = self.moved(&head, along, -1) {
            head = before;
        }
        let mut line = vec![head];
        while let Some(next) = self.moved(&line[line.len() - 1], along, 1) {
            line.push(next);
        }
        line
    }

    fn combine(&self, operator: &str, values: impl Iterator<Item = f64>) -> f64 {
        let operator = Operator::from_keyword(operator).unwrap();
        values.fold(operator.neutral(), |a, b| operator.combine(a, b))
    }

    fn value(&self, term: &RecExpr<Term>, id: Id, x: &[i64]) -> f64 {
        let node = &term[id];
        let text = |child: Id| term[child].to_string();
        let at = |child: Id, point: &[i64]| self.value(term, child, point);
        let read = |tensor: Id, map: Id, point: &[i64]| element(&text(tensor), &self.apply(&text(map), point));
        let line = |direction: Id| self.line(x, &self.vector(&text(direction)));
        let before = |direction: Id| self.moved(x, &self.vector(&text(direction)), -1);
        match node {
            Term::Number(literal) => literal.value(),
            Term::At([tensor, map]) => read(*tensor, *map, x),
            Term::Index(map) | Term::Here([_, map]) => self.apply(&text(*map), x)[0] as f64,
            Term::In([_, e]) | Term::Send([_, _, e]) | Term::Sched([_, _, e]) => at(*e, x),
            Term::Reduce([_, o, k, e]) => {
                let position = self.space.indices().iter().position(|index| **index == *text(*k)).unwrap();
                let same = |y: &&Vec<i64>| (0..x.len()).all(|place| place == position || x[place] == y[place]);
                self.combine(&text(*o), self.points.iter().filter(same).map(|y| at(*e, y)))
            }
            Term::Accum([_, o, g, e]) => {
                let fibre = |y: &&Vec<i64>| self.apply(&text(*g), y) == self.apply(&text(*g), x);
                self.combine(&text(*o), self.points.iter().filter(fibre).map(|y| at(*e, y)))
            }
            Term::Read([_, tensor, map, _])
            | Term::Hold([_, tensor, map])
            | Term::Feed([_, tensor, map])
            | Term::Const([_, tensor, map]) => read(*tensor, *map, x),
            Term::Stream([_, d, tensor, map]) => read(*tensor, *map, line(*d).first().unwrap()),
            Term::Bcast([_, d, tensor, map]) => read(*tensor, *map, line(*d).last().unwrap()),
            Term::Load([_, d, tensor, map]) => before(*d).map_or_else(|| read(*tensor, *map, x), |_| f64::NAN),
            Term::Fby([_, d, h]) => before(*d).map_or_else(|| at(*h, x), |y| at(id, &y)),
            Term::Red([_, o, ds, f]) => {
                let points = self.reduced_points(term, *ds, x);
                self.combine(&text(*o), points.iter().map(|y| at(*f, y)))
            }
            Term::Acc([_, o, d, f]) => {
                let line = line(*d);
                let upto = line.iter().take_while(|y| y.as_slice() != x).chain(line.iter().filter(|y| *y == x));
                self.combine(&text(*o), upto.map(|y| at(*f, y)))
            }
            Term::Last([_, d, v]) => at(*v, line(*d).last().unwrap()),
            Term::Combine([o, a, b]) => Operator::from_keyword(&text(*o)).unwrap().combine(at(*a, x), at(*b, x)),
            Term::Neutral(o) => Operator::from_keyword(&text(*o)).unwrap().neutral(),
            Term::Ite([c, a, b]) => at(if at(*c, x) == 0.0 { *b } else { *a }, x),
            Term::Head([_, d]) => f64::from(before(*d).is_none()),
            Term::Shift([_, d, v]) | Term::Recv([_, d, v]) => before(*d).map_or(f64::NAN, |y| at(*v, &y)),
            Term::Other(word, children) => {
                let values: Vec<f64> = children.iter().map(|child| at(*child, x)).collect();
                Function::from_keyword(word.as_str()).map_or(f64::NAN, |function| function.apply(&values))
            }
            Term::Access(_) | Term::Direction(_) | Term::End | Term::Nulls(_) | Term::Signs(_) | Term::Dir(_) => {
                f64::NAN
            }
        }
    }

    /// The points that a list of directions, or what folds to one, reduces over.
    fn reduced_points(&self, term: &RecExpr<Term>, list: Id, x: &[i64]) -> Vec<Vec<i64>> {
        let text = |child: Id| term[child].to_string();
        match &term[list] {
            Term::Dir([d, _]) => self.line(x, &self.vector(&text(*d))),
            Term::Signs([_, k]) => self.line(x, &self.vector(&format!("<{}>", text(*k)))),
            Term::Nulls([_, g]) => {
                let fibre = |y: &&Vec<i64>| self.apply(&text(*g), y) == self.apply(&text(*g), x);
                self.points.iter().filter(fibre).cloned().collect()
            }
            _ => vec![x.to_vec()],
        }
    }
}

/// Whether a term denotes numbers at points, not a list, a map or a name.
pub fn is_field(term: &RecExpr<Term>) -> bool {
    match &term[term.root()] {
        Term::Access(_) | Term::Direction(_) | Term::End | Term::Nulls(_) | Term::Signs(_) | Term::Dir(_) => false,
        Term::Other(_, children) => !children.is_empty(),
        node => !node.is_leaf() || matches!(node, Term::Number(_)),
    }
}
