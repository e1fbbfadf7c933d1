//! What each PE computes, point by point: for the cells of the page, and for the line of the source that is lit.
//!
//! In: a design with its sizes. Out: for each PE its points in the order in which it runs them, in groups that share a step; and for each
//! space a text of its equation with gaps for the elements. The page pairs these groups with the clocks at which the PE began its steps.
//! Invariant: at most [`MOST_POINTS`] points, else none.

use super::schedule::LaidOut;
use serde::Serialize;
use std::collections::BTreeMap;
use systole_base::integer::{Affine, Bindings};
use systole_base::scalar::Function;
use systole_compile::cost::Region;
use systole_equations::recurrence::{Operator, Scalar, Space};

/// The points that are kept at most.
const MOST_POINTS: u64 = 1 << 16;

/// A form at the sizes of the run: a number, and a multiple of each index.
type Form = (i64, Vec<i64>);

/// A part of the text of an equation.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(untagged)]
pub enum Piece {
    /// Text as it is.
    Text(String),
    /// An element: its tensor and its subscripts.
    Element(String, Vec<Form>),
    /// The value of a form.
    Value(Form),
}

/// What a space computes at a point.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct SpaceText {
    /// The space.
    pub name: String,
    /// Its indices.
    pub indices: Vec<String>,
    /// The element that a point writes, or that it is added to.
    pub target: Piece,
    /// What is between the element and the value: `=`, or the operator of a reduction.
    pub sign: &'static str,
    /// The value.
    pub value: Vec<Piece>,
    /// The first and the last line of its equation in the source, from 1.
    pub lines: (usize, usize),
}

/// A point: the position of its space, and its coordinates.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Worked(pub usize, pub Vec<i64>);

/// A PE with its steps in order, each with the points that share it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Worker(pub Vec<i64>, pub Vec<Vec<Worked>>);

/// The work of all PEs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Work {
    /// What is computed in each space.
    pub spaces: Vec<SpaceText>,
    /// The PEs with their points.
    pub pes: Vec<Worker>,
}

/// The points of a PE by their times.
type Timetable = BTreeMap<Vec<i64>, Vec<Worked>>;

impl Work {
    /// The work of a design at these sizes; `None` where its points are too many, or cannot be counted.
    pub fn of(design: &[LaidOut], sizes: &Bindings) -> Option<Work> {
        let mut found: BTreeMap<Vec<i64>, Timetable> = BTreeMap::new();
        let mut count = 0u64;
        for (number, laid) in design.iter().enumerate() {
            let region = Region::new(&laid.space.domain.set, laid.space.indices(), sizes)?;
            count = count.checked_add(region.count()).filter(|count| *count <= MOST_POINTS)?;
            region.visit(&mut |point| enter(&mut found, (number, laid), sizes, point));
        }
        let pes = found.into_iter().map(|(pe, steps)| Worker(pe, steps.into_values().collect())).collect();
        let spaces = design.iter().map(|laid| SpaceText::of(laid.space, sizes)).collect::<Option<Vec<SpaceText>>>()?;
        Some(Work { spaces, pes })
    }
}

/// Enters a point at its PE and its time.
fn enter(
    found: &mut BTreeMap<Vec<i64>, Timetable>,
    (number, laid): (usize, &LaidOut),
    sizes: &Bindings,
    point: &[i64],
) {
    let bindings = laid.space.bind(sizes, point);
    let values = |forms: &[Affine]| forms.iter().map(|form| form.evaluate(&bindings)).collect::<Option<Vec<i64>>>();
    if let (Some(place), Some(time)) = (values(&laid.place), values(&laid.time)) {
        let steps = found.entry(laid.fold.pe(place)).or_default();
        steps.entry(time).or_default().push(Worked(number, point.to_vec()));
    }
}

impl SpaceText {
    fn of(space: &Space, sizes: &Bindings) -> Option<SpaceText> {
        let mut value = vec![];
        Writer { space, sizes }.scalar(&space.body, &mut value, 0)?;
        let writer = Writer { space, sizes };
        let line = |at: usize| space.source.line(at);
        Some(SpaceText {
            name: space.name.to_string(),
            indices: space.indices().iter().map(ToString::to_string).collect(),
            target: Piece::Element(space.output.to_string(), writer.forms(&space.output_access)?),
            sign: sign(space.reduction),
            value: joined(value),
            lines: (line(space.span.start), line(space.span.end.saturating_sub(1))),
        })
    }
}

/// What takes a value into the running result.
fn sign(reduction: Option<Operator>) -> &'static str {
    match reduction {
        None => "=",
        Some(Operator::Sum) => "+=",
        Some(Operator::Product) => "*=",
        Some(Operator::Max) => "max=",
        Some(Operator::Min) => "min=",
    }
}

/// How tightly an operator binds: comparisons, sums, products.
const COMPARISON: u8 = 1;
const SUM: u8 = 2;
const PRODUCT: u8 = 3;

/// The sign of a function that stands between its arguments, and how tightly it binds.
fn infix(function: Function) -> Option<(&'static str, u8)> {
    match function {
        Function::Add => Some((" + ", SUM)),
        Function::Subtract => Some((" - ", SUM)),
        Function::Multiply => Some(("*", PRODUCT)),
        Function::Divide => Some(("/", PRODUCT)),
        Function::Less => Some((" < ", COMPARISON)),
        Function::LessEqual => Some((" <= ", COMPARISON)),
        Function::Equal => Some((" == ", COMPARISON)),
        Function::NotEqual => Some((" != ", COMPARISON)),
        _ => None,
    }
}

struct Writer<'a> {
    space: &'a Space,
    sizes: &'a Bindings,
}

impl Writer<'_> {
    /// Writes an expression that stands where what binds less tightly needs parentheses.
    fn scalar(&self, scalar: &Scalar, parts: &mut Vec<Piece>, around: u8) -> Option<()> {
        match scalar {
            Scalar::Number(number) => parts.push(Piece::Text(number.to_string())),
            Scalar::Index(form) => parts.push(Piece::Value(self.form(form)?)),
            Scalar::Operand(position) => {
                let operand = self.space.operands.get(*position)?;
                parts.push(Piece::Element(operand.tensor.to_string(), self.forms(&operand.access)?));
            }
            Scalar::Apply(function, arguments) => self.application(*function, arguments, parts, around)?,
        }
        Some(())
    }

    fn application(&self, function: Function, arguments: &[Scalar], parts: &mut Vec<Piece>, around: u8) -> Option<()> {
        // In a call nothing needs parentheses. What is subtracted, and what is divided by, binds tighter than what is before it.
        let (open, between, close, inner) = match infix(function) {
            Some((sign, own)) if own < around => ("(".to_owned(), sign, ")", [own, own + 1]),
            Some((sign, own)) => (String::new(), sign, "", [own, own + 1]),
            None => (format!("{}(", function.keyword()), ", ", ")", [0, 0]),
        };
        parts.push(Piece::Text(open));
        for (number, argument) in arguments.iter().enumerate() {
            let before = if number > 0 { between } else { "" };
            parts.push(Piece::Text(before.to_owned()));
            self.scalar(argument, parts, inner[number.min(1)])?;
        }
        parts.push(Piece::Text(close.to_owned()));
        Some(())
    }

    fn forms(&self, forms: &[Affine]) -> Option<Vec<Form>> {
        forms.iter().map(|form| self.form(form)).collect()
    }

    fn form(&self, form: &Affine) -> Option<Form> {
        let indices = self.space.indices();
        let at_zero = form.evaluate(&self.space.bind(self.sizes, &vec![0; indices.len()]))?;
        Some((at_zero, form.row(indices)))
    }
}

/// Texts that follow each other as one.
fn joined(parts: Vec<Piece>) -> Vec<Piece> {
    let mut joined: Vec<Piece> = vec![];
    for part in parts {
        match (joined.last_mut(), part) {
            (_, Piece::Text(text)) if text.is_empty() => {}
            (Some(Piece::Text(before)), Piece::Text(text)) => before.push_str(&text),
            (_, part) => joined.push(part),
        }
    }
    joined
}
