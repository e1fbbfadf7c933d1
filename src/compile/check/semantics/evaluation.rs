//! The value of a [`Meaning`] at a point.
//!
//! In: a meaning, a world, elements, an arithmetic. Out: a [`Value`]; undefined where the term is. Brute force over lines and
//! fibres, on spaces of few points.

use super::elements::Computed;
use super::meaning::{Around, Local, Meaning, meaning};
use super::numbers::{Arithmetic, Palette, Seen, Tensors, Value};
use super::texts::AffineRow;
use super::world::{Heads, World};
use crate::rewrite::registry::Equations;
use crate::rewrite::rules::Tag;
use crate::rewrite::terms::Term;
use egg::RecExpr;
use std::cell::RefCell;
use systole_base::integer::Bindings;
use systole_equations::recurrence::{Operator, Space};

/// What meanings are evaluated with.
pub(in crate::check) struct Evaluation<'a> {
    pub world: &'a World,
    pub elements: &'a dyn Tensors,
    pub arithmetic: Arithmetic,
    /// The elements that were looked at, where they are asked for.
    pub seen: Option<RefCell<Seen>>,
    /// Elements that equations define, as far as they were looked at.
    pub computed: RefCell<Computed>,
}

fn subscripts(forms: &[AffineRow], point: &[i64]) -> Vec<i64> {
    forms.iter().map(|form| form.at(point)).collect()
}

impl<'a> Evaluation<'a> {
    pub fn new(world: &'a World, elements: &'a dyn Tensors, arithmetic: Arithmetic) -> Evaluation<'a> {
        Evaluation { world, elements, arithmetic, seen: None, computed: RefCell::default() }
    }

    /// The value as one number; `None` where it is undefined.
    pub fn number(&self, meaning: &Meaning, point: &[i64]) -> Option<f64> {
        let value = self.value(meaning, point);
        self.arithmetic.number(value)
    }

    fn element(&self, tensor: &str, subscripts: Vec<i64>) -> Value {
        let value = self.elements.element(tensor, &subscripts);
        if let Some(seen) = &self.seen {
            seen.borrow_mut().insert((tensor.to_owned(), subscripts), value);
        }
        Value::Number(value)
    }

    fn value(&self, meaning: &Meaning, x: &[i64]) -> Value {
        match meaning {
            Meaning::Number(number) => Value::Number(*number),
            Meaning::Form(form) => Value::Number(form.at(x) as f64),
            Meaning::Element(tensor, forms) => match self.known(tensor) {
                Some(known) => self.stored(known, &subscripts(forms, x), x),
                None => self.element(tensor, subscripts(forms, x)),
            },
            Meaning::Defined(tensor, forms) => {
                self.known(tensor).map_or(Value::Undefined, |known| self.defined(known, &subscripts(forms, x)))
            }
            Meaning::At(place, form, value) => {
                let mut there = x.to_vec();
                there[*place] = form.at(x);
                self.value(value, &there)
            }
            Meaning::Given(giver, operator, forms, value) => {
                self.given(*giver, *operator, &subscripts(forms, x), value)
            }
            Meaning::Neutral(operator) => Value::Terms(*operator, vec![]),
            Meaning::Combine(operator, parts) => {
                self.arithmetic.combine(*operator, parts.iter().map(|part| self.value(part, x)))
            }
            Meaning::If(parts) => match self.number(&parts[0], x) {
                None => Value::Undefined,
                Some(condition) => self.value(&parts[if condition == 0.0 { 2 } else { 1 }], x),
            },
            Meaning::Apply(function, parts) => {
                self.arithmetic.apply(*function, parts.iter().map(|part| self.value(part, x)).collect())
            }
            Meaning::Call(parts) => {
                let both = self.number(&parts[0], x).zip(self.number(&parts[1], x));
                both.map_or(Value::Undefined, |(called, argument)| Value::Number(0.75 * called + argument))
            }
            Meaning::Part(component, folded) => self.fold(*component, folded, x),
            Meaning::OnFace(face, local) if self.world.is_on(face, x) => self.on_face(face, local, x),
            Meaning::OnFace(..) => Value::Undefined,
        }
    }

    /// The value at a point of the face.
    fn on_face(&self, face: &Heads, local: &Local, x: &[i64]) -> Value {
        let at = |value: &Meaning, point: Option<&Vec<i64>>| {
            point.map_or(Value::Undefined, |point| self.value(value, point))
        };
        let line = |along: &[i64]| self.world.line(face, along, x);
        let before = |along: &[i64]| self.world.before(face, along, x);
        match local {
            Local::Itself(value) => self.value(value, x),
            Local::Steady(forms, sets, value) if self.is_steady(face, forms, sets, x) => self.value(value, x),
            Local::Steady(..) => Value::Undefined,
            Local::AtHead(along, value) => at(value, line(along).first()),
            Local::AtEnd(along, value) => at(value, line(along).last()),
            Local::OnlyAtHead(along, value) if before(along).is_none() => self.value(value, x),
            Local::OnlyAtHead(..) => Value::Undefined,
            Local::Before(along, value) => at(value, before(along).as_ref()),
            Local::IsHead(along) => Value::Number(f64::from(before(along).is_none())),
            Local::Over(operator, sets, value) => self.over(face, *operator, sets, value, x),
            Local::UpTo(operator, along, value) => {
                let line = line(along);
                let upto = line.iter().position(|point| point == x).map_or(0, |position| position + 1);
                self.arithmetic.combine(*operator, line[..upto].iter().map(|point| self.value(value, point)))
            }
        }
    }

    /// Whether subscripts are the same at all points of the sets.
    fn is_steady(&self, face: &Heads, forms: &[AffineRow], sets: &[Around], x: &[i64]) -> bool {
        let here = subscripts(forms, x);
        sets.iter().all(|set| self.around(face, set, x).iter().all(|point| subscripts(forms, point) == here))
    }

    pub fn around(&self, face: &Heads, set: &Around, x: &[i64]) -> Vec<Vec<i64>> {
        match set {
            Around::Line(along) => self.world.line(face, along, x),
            Around::Differing(indices) => self.world.differing(face, indices, x),
            Around::Turned(index, first) => self.world.turned(face, (*index, *first), x),
            Around::Fibre(forms) => {
                let element = subscripts(forms, x);
                let points = self.world.points(face.space).iter().filter(|point| self.world.is_on(face, point));
                points.filter(|point| subscripts(forms, point) == element).cloned().collect()
            }
        }
    }

    fn over(&self, face: &Heads, operator: Operator, sets: &[Around], value: &Meaning, x: &[i64]) -> Value {
        let sorted = |set: &Around| {
            let mut points = self.around(face, set, x);
            points.sort();
            points
        };
        let Some((first, others)) = sets.split_first() else { return Value::Undefined };
        let points = sorted(first);
        if others.iter().any(|set| sorted(set) != points) {
            return Value::Undefined;
        }
        self.arithmetic.combine(operator, points.iter().map(|point| self.value(value, point)))
    }

    /// The value at the first point that works on an element; any of a line will do.
    fn given(&self, giver: usize, operator: Operator, element: &[i64], value: &Meaning) -> Value {
        let mut points = self.world.points(giver).iter();
        let worker = points.find(|point| subscripts(self.world.output(giver), point) == element);
        worker.map_or(Value::Terms(operator, vec![]), |point| self.value(value, point))
    }
}

/// The value of a term over the names of `space` at each of its points, in their order; `None` at points where it is undefined.
///
/// # Errors
/// Why the term means nothing there.
pub fn values(
    space: &Space,
    sizes: &Bindings,
    term: &RecExpr<Term>,
    element: impl Fn(&str, &[i64]) -> f64,
) -> Result<Vec<Option<f64>>, String> {
    let world = World::new(Equations::of_space(space), sizes.clone(), &[]);
    let world = world.ok_or_else(|| format!("`{}` has no bounds", space.name))?;
    let meaning = meaning(&world, term, 0)?;
    let evaluation = Evaluation::new(&world, &element, Arithmetic::of(Tag::Exact, Palette::Integers));
    Ok(world.points(0).iter().map(|point| evaluation.number(&meaning, point)).collect())
}
