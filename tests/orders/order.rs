//! Whether a system has an affine order, row by row (Feautrier, Some efficient solutions to the affine scheduling problem, part II, 1992).
//!
//! Every equation is a statement, and so are the terms of each reduction, with its indices beside those of the equation. Each has
//! an affine form a row. A row must not fall along any dependence that is left, and rise along as many as can be; those it has
//! satisfied. What a form is along all points of a dependence is stated by Farkas' lemma, and a linear program over the rationals
//! finds the row. It shares no code with the search.

use crate::systems::{Equation, Expression, Form, Range, System};
use std::collections::BTreeMap;
use z3::ast::{Int, Real};
use z3::{Optimize, Params, SatResult, Solver};

/// The most rows of an order.
const ROWS: usize = 4;

/// What is known of the order of a system.
#[derive(Clone, Debug, PartialEq)]
pub enum Order {
    /// There is one of these rows.
    Rows(Vec<Row>),
    /// After so many rows no row satisfies any of the dependences left, of which there are so many.
    None(usize, usize),
    /// The linear program was not solved.
    Unknown,
}

/// A factor of a row for each statement and each index or size of it; the constant has the name `1`.
pub type Row = BTreeMap<(usize, String), Rational>;

/// A numerator and a denominator, which is positive.
pub type Rational = (i64, i64);

/// Points with their own affine form: those of an equation, or the terms of a reduction.
struct Statement {
    ranges: Vec<Range>,
}

/// A giver and a reader, and between which of their points: all forms are at least 0, or equal to 0. Indices of the giver have a
/// dash, so that they are others than the reader's.
struct Dependence {
    giver: usize,
    reader: usize,
    bounds: Vec<Form>,
    equal: Vec<Form>,
}

pub fn order(system: &System) -> Order {
    let (statements, mut left) = dependences(system);
    left.retain(|dependence| !dependence.is_empty());
    let mut rows = vec![];
    while !left.is_empty() && rows.len() < ROWS {
        let Some((row, satisfied)) = best_row(system, &statements, &left) else { return Order::Unknown };
        if !satisfied.contains(&true) {
            break;
        }
        rows.push(row);
        let mut satisfied = satisfied.into_iter();
        left.retain(|_| !satisfied.next().unwrap_or(false));
    }
    if left.is_empty() { Order::Rows(rows) } else { Order::None(rows.len(), left.len()) }
}

fn dashed(form: &Form, ranges: &[Range]) -> Form {
    let is_index = |name: &str| ranges.iter().any(|range| range.index == name);
    let dash = |name: &str| if is_index(name) { format!("{name}'") } else { name.to_owned() };
    let terms = form.terms.iter().map(|(name, factor)| (dash(name), *factor)).collect();
    Form { terms, constant: form.constant }
}

/// `left - right - less`.
fn difference(left: &Form, right: &Form, less: i64) -> Form {
    let mut form = left.clone();
    right.terms.iter().for_each(|(name, factor)| form.add(name, -factor));
    form.constant -= right.constant + less;
    form
}

/// That the points of the ranges lie within them.
fn bounds(ranges: &[Range]) -> Vec<Form> {
    let of = |Range { index, low, high }: &Range| {
        let index = Form::of(index);
        [difference(&index, low, 0), difference(high, &index, 1)]
    };
    ranges.iter().flat_map(of).collect()
}

/// A tensor that is read, and where.
type Access<'a> = (&'a str, &'a [Form]);

/// What an expression reads, and its reductions, each with what its terms read.
struct Reads<'a> {
    plain: Vec<Access<'a>>,
    reductions: Vec<(&'a [Range], Vec<Access<'a>>)>,
}

fn collect<'a>(value: &'a Expression, reads: &mut Reads<'a>) {
    match value {
        Expression::Number(_) => {}
        Expression::Read(tensor, subscripts) => reads.plain.push((tensor, subscripts)),
        Expression::Apply(_, sides) => sides.iter().for_each(|side| collect(side, reads)),
        Expression::Reduce(_, ranges, body) => {
            let mut inner = Reads { plain: vec![], reductions: vec![] };
            collect(body, &mut inner);
            assert!(inner.reductions.is_empty(), "a reduction within a reduction is none of the generator's");
            reads.reductions.push((ranges, inner.plain));
        }
    }
}

fn dependences(system: &System) -> (Vec<Statement>, Vec<Dependence>) {
    let mut statements: Vec<Statement> =
        system.equations.iter().map(|equation| Statement { ranges: equation.ranges.clone() }).collect();
    let mut found = vec![];
    for (number, equation) in system.equations.iter().enumerate() {
        let mut reads = Reads { plain: vec![], reductions: vec![] };
        collect(&equation.value, &mut reads);
        add_reads(system, (number, &equation.ranges), &reads.plain, &mut found);
        for (ranges, terms) in reads.reductions {
            let all = [&equation.ranges, ranges].concat();
            let term = statements.len();
            add_reads(system, (term, &all), &terms, &mut found);
            found.push(term_to_result(term, number, equation, &all));
            statements.push(Statement { ranges: all });
        }
    }
    (statements, found)
}

/// A term comes before the result.
fn term_to_result(giver: usize, reader: usize, equation: &Equation, all: &[Range]) -> Dependence {
    let bounds = bounds(all).iter().map(|form| dashed(form, all)).collect();
    let same = |range: &Range| {
        let index = Form::of(&range.index);
        difference(&index, &dashed(&index, all), 0)
    };
    Dependence { giver, reader, bounds, equal: equation.ranges.iter().map(same).collect() }
}

/// An element is there before it is read: one dependence for each equation that may define it.
fn add_reads(system: &System, (reader, ranges): (usize, &[Range]), reads: &[Access], found: &mut Vec<Dependence>) {
    for (tensor, subscripts) in reads {
        for (giver, equation) in system.equations.iter().enumerate().filter(|(_, giver)| giver.target == *tensor) {
            let given = bounds(&equation.ranges);
            let given = given.iter().map(|form| dashed(form, &equation.ranges));
            let written = equation.subscripts.iter().map(|form| dashed(form, &equation.ranges));
            let equal = written.zip(*subscripts).map(|(written, read)| difference(&written, read, 0)).collect();
            found.push(Dependence { giver, reader, bounds: bounds(ranges).into_iter().chain(given).collect(), equal });
        }
    }
}

impl Dependence {
    /// Whether it has no point at any sizes.
    fn is_empty(&self) -> bool {
        let solver = Solver::new();
        let value = |form: &Form| {
            let terms = form.terms.iter().map(|(name, factor)| Int::new_const(name.as_str()) * Int::from_i64(*factor));
            terms.fold(Int::from_i64(form.constant), |sum, term| sum + term)
        };
        let zero = Int::from_i64(0);
        self.bounds.iter().for_each(|form| solver.assert(value(form).ge(&zero)));
        self.equal.iter().for_each(|form| solver.assert(value(form).eq(&zero)));
        ["M", "N", "T"].iter().for_each(|size| solver.assert(Int::new_const(*size).ge(Int::from_i64(1))));
        solver.check() == SatResult::Unsat
    }

    /// All forms that are at least 0 on its points, sizes being at least 1.
    fn not_negative(&self, system: &System) -> Vec<Form> {
        let sizes = system.sizes.iter().map(|size| difference(&Form::of(size), &Form::default(), 1));
        self.bounds.iter().cloned().chain(sizes).collect()
    }
}

/// A number times an unknown, added up by the name of the variable that both are a factor of; the constant has no name.
type Sums = BTreeMap<String, Real>;

fn add(sums: &mut Sums, name: &str, value: &Real) {
    let sum = sums.remove(name).map_or_else(|| value.clone(), |sum| sum + value);
    sums.insert(name.to_owned(), sum);
}

fn real(value: i64) -> Real {
    Real::from_rational(value, 1)
}

/// What is sought of a row.
fn factor(statement: usize, name: &str) -> Real {
    Real::new_const(format!("row {statement} {name}"))
}

/// The row that satisfies the most dependences, and which.
fn best_row(system: &System, statements: &[Statement], left: &[Dependence]) -> Option<(Row, Vec<bool>)> {
    let solver = Optimize::new();
    let mut limit = Params::new();
    limit.set_u32("timeout", 20_000);
    solver.set_params(&limit);
    let (zero, one) = (real(0), real(1));
    let mut rises = vec![];
    for (number, dependence) in left.iter().enumerate() {
        let rise = Real::new_const(format!("rise {number}"));
        solver.assert(rise.ge(&zero));
        solver.assert(rise.le(&one));
        // What the row is at the reader, less what it is at the giver and the rise, is a sum of the bounds that has no negative factor.
        let mut sums = Sums::new();
        add(&mut sums, "", &-&rise);
        for (statement, dash, sign) in [(dependence.reader, "", 1), (dependence.giver, "'", -1)] {
            let factor = |name: &str| real(sign) * factor(statement, name);
            let indices = statements[statement].ranges.iter().map(|range| (&range.index, dash));
            for (name, dash) in indices.chain(system.sizes.iter().map(|size| (size, ""))) {
                add(&mut sums, &format!("{name}{dash}"), &factor(name));
            }
            add(&mut sums, "", &factor("1"));
        }
        let bounds = dependence.not_negative(system);
        let kinds = [("bound", &bounds), ("equal", &dependence.equal)];
        for (kind, forms) in kinds {
            for (place, form) in forms.iter().enumerate() {
                let multiple = Real::new_const(format!("{kind} {number} {place}"));
                if kind == "bound" {
                    solver.assert(multiple.ge(&zero));
                }
                for (name, factor) in &form.terms {
                    add(&mut sums, name, &(real(-factor) * &multiple));
                }
                add(&mut sums, "", &(real(-form.constant) * &multiple));
            }
        }
        let slack = Real::new_const(format!("slack {number}"));
        solver.assert(slack.ge(&zero));
        add(&mut sums, "", &-slack);
        sums.values().for_each(|sum| solver.assert(sum.eq(&zero)));
        rises.push(rise);
    }
    let total = rises.iter().fold(real(0), |sum, rise| sum + rise);
    solver.maximize(&total);
    if solver.check(&[]) != SatResult::Sat {
        return None;
    }
    let model = solver.get_model()?;
    // The best rows can be added up and stretched, so the most that each can rise is 0 or 1.
    let satisfied = rises.iter().map(|rise| Some(model.eval(rise, true)?.as_rational()? == (1, 1)));
    let mut row = Row::new();
    for (statement, Statement { ranges }) in statements.iter().enumerate() {
        let names = ranges.iter().map(|range| &range.index).chain(&system.sizes).cloned();
        for name in names.chain(["1".to_owned()]) {
            let factor = model.eval(&factor(statement, &name), true)?.as_rational()?;
            row.insert((statement, name), factor);
        }
    }
    Some((row, satisfied.collect::<Option<_>>()?))
}
