//! A dataflow in the notation of dataflow recurrences: values belong to points, and come from neighbours.
//!
//! In: a [`Space`] that reads what is given, and a [`Dataflow`]. Out: one recurrence a line, such as `(i,j,k)_A <- (i,j-1,k)_A`. Lines that load
//! or start a value stand at the faces of the domain through which its lines enter, so diagonals print right as well; a
//! face that is thicker than one point is told by a condition. Paper: Cyclotron section 4, Figure 4.

use crate::rewrite::dataflows::{Dataflow, Transport, is_constant};
use crate::rewrite::registry::access_text;
use std::collections::BTreeMap;
use systole_base::integer::{Affine, Name, Vector, dot};
use systole_base::scalar::Function;
use systole_equations::recurrence::{Operand, Operator, Scalar, Space, number_text};

/// The recurrences of `dataflow`, operands first, in the order of the space.
pub fn show_dataflow(space: &Space, dataflow: &Dataflow) -> Vec<String> {
    let names = operand_names(space);
    let moves = space.operands.iter().zip(&names).zip(&dataflow.transports);
    let mut lines: Vec<String> =
        moves.flat_map(|((operand, name), transport)| show_move(space, operand, name, transport)).collect();
    match space.reduction {
        Some(operator) => {
            let (reduced, ends) = show_reduction(space, operator, dataflow, &names);
            lines.extend(reduced);
            lines.extend(ends.iter().map(|place| show_result(space, place)));
        }
        None => {
            let everywhere = Place::default();
            let value = show_scalar(space, &space.body, &names, 0);
            lines.push(format!("{} <- {value}", everywhere.element(&space.output, &space.output_access)));
        }
    }
    lines
}

/// The line that writes the result out at the points of `place`.
pub(super) fn show_result(space: &Space, place: &Place) -> String {
    let element = place.element(&space.output, &space.output_access);
    place.with_conditions(format!("{element} <- {}_{}", place.point(space, &[]), space.output))
}

/// The tensor's name, with a number behind it where the tensor is read more than once, or written as well.
pub(super) fn operand_names(space: &Space) -> Vec<String> {
    let name = |(position, operand): (usize, &Operand)| {
        let same = |other: &&Operand| other.tensor == operand.tensor;
        let rank = space.operands[..position].iter().filter(same).count() + 1;
        match space.operands.iter().filter(same).count() {
            1 if operand.tensor != space.output => operand.tensor.to_string(),
            _ => format!("{}.{rank}", operand.tensor),
        }
    };
    space.operands.iter().enumerate().map(name).collect()
}

pub(super) fn show_move(space: &Space, operand: &Operand, name: &str, transport: &Transport) -> Vec<String> {
    let everywhere = Place::default();
    let (tensor, access) = (&operand.tensor, &operand.access);
    let from = |how: &str| {
        let element = everywhere.element(tensor, access);
        vec![format!("{}_{name} <- {element}  {how}", everywhere.point(space, &[]))]
    };
    match transport {
        Transport::Tree(directions) => show_tree(space, operand, name, directions),
        Transport::Stream(along) => {
            let load = |head: &Place| {
                let line = format!("{}_{name} <- {}", head.point(space, &[]), head.element(tensor, access));
                head.with_conditions(line)
            };
            let mut lines: Vec<String> = everywhere.faces(space, along).iter().map(load).collect();
            lines.push(format!("{}_{name} <- {}_{name}", everywhere.point(space, &[]), everywhere.point(space, along)));
            lines
        }
        Transport::Broadcast(along) => from(&format!("on a bus along {}", space.show_direction(along))),
        Transport::Prefetch if is_constant(space, operand) => from("known everywhere"),
        Transport::Prefetch => from("from own memory"),
        Transport::Feed => from("through own port"),
        Transport::Bus => from("over one bus from memory"),
        Transport::Handoff => from("from the point that computes it"),
        Transport::Local => from("kept by the PE that computes it"),
        Transport::Memory => from("through memory"),
    }
}

/// A tree: the loads at the heads of its last streams, then its streams, each on the faces that the one before it leaves.
fn show_tree(space: &Space, operand: &Operand, name: &str, directions: &[Vector]) -> Vec<String> {
    let mut places = vec![Place::default()];
    let mut streams = vec![];
    for along in directions {
        let pass = |place: &Place| {
            let line = format!("{}_{name} <- {}_{name}", place.point(space, &[]), place.point(space, along));
            place.with_conditions(line)
        };
        streams.push(places.iter().map(pass).collect::<Vec<String>>());
        places = places.iter().flat_map(|place| place.faces(space, along)).collect();
    }
    let load = |head: &Place| {
        let line = format!("{}_{name} <- {}", head.point(space, &[]), head.element(&operand.tensor, &operand.access));
        head.with_conditions(line)
    };
    places.iter().map(load).chain(streams.into_iter().rev().flatten()).collect()
}

/// How the values are combined, and the places where the lines of the last level end.
pub(super) fn show_reduction(
    space: &Space,
    operator: Operator,
    dataflow: &Dataflow,
    names: &[String],
) -> (Vec<String>, Vec<Place>) {
    let depth = dataflow.chain.directions.len();
    let level_name = |level: usize| match level + 1 == depth {
        true => space.output.to_string(),
        false => format!("{}.{}", space.output, level + 1),
    };
    let mut lines = vec![];
    let mut places = vec![Place::default()];
    for (level, along) in dataflow.chain.directions.iter().enumerate() {
        let name = level_name(level);
        for place in &places {
            let value = match level {
                0 => show_scalar(space, &space.body, names, binding(operator)),
                _ => format!("{}_{}", place.point(space, &[]), level_name(level - 1)),
            };
            lines.extend(show_level(space, operator, place, along, &name, &value));
        }
        let back: Vec<i64> = along.iter().map(|entry| -entry).collect();
        places = places.iter().flat_map(|place| place.faces(space, &back)).collect();
    }
    (lines, places)
}

/// One level of a reduction at the points of `place`: where it starts, and how it goes on along `along`.
fn show_level(space: &Space, operator: Operator, place: &Place, along: &[i64], name: &str, value: &str) -> Vec<String> {
    let start = |head: &Place| {
        let line = format!("{}_{name} <- {}", head.point(space, along), operator.neutral());
        head.with_conditions(line)
    };
    let mut lines: Vec<String> = place.faces(space, along).iter().map(start).collect();
    let before = format!("{}_{name}", place.point(space, along));
    let total = match operator {
        Operator::Sum => format!("{before} + {value}"),
        Operator::Product => format!("{before} * {value}"),
        Operator::Max | Operator::Min => format!("{}({before}, {value})", operator.keyword()),
    };
    lines.push(place.with_conditions(format!("{}_{name} <- {total}", place.point(space, &[]))));
    lines
}

/// Some points of the domain: all of them, or those on a face.
#[derive(Clone, Debug, Default)]
pub(super) struct Place {
    /// Indices that the face fixes, as forms of the others.
    pub fixed: BTreeMap<Name, Affine>,
    /// What holds on faces that fix no index.
    pub conditions: Vec<String>,
}

impl Place {
    /// The point, moved back by `along` (not at all where it is empty): `(i,j-1,k)`.
    pub fn point(&self, space: &Space, along: &[i64]) -> String {
        let back = along.iter().copied().chain(std::iter::repeat(0));
        let coordinates = space.indices().iter().zip(back).map(|(index, step)| {
            let form = Affine::variable(index).substitute(&self.fixed) - Affine::constant(step);
            form.compact()
        });
        format!("({})", coordinates.collect::<Vec<String>>().join(","))
    }

    /// A tensor's element: `A[i,k]`.
    pub fn element(&self, tensor: &str, access: &[Affine]) -> String {
        let forms: Vec<Affine> = access.iter().map(|form| form.substitute(&self.fixed)).collect();
        if forms.is_empty() {
            return tensor.to_owned();
        }
        format!("{tensor}{}", access_text(&forms))
    }

    pub fn with_conditions(&self, line: String) -> String {
        match self.conditions.is_empty() {
            true => line,
            false => format!("{line}  where {}", self.conditions.join(" and ")),
        }
    }

    /// The faces of this place that lines along `along` enter through.
    pub fn faces(&self, space: &Space, along: &[i64]) -> Vec<Place> {
        let constraints = space.domain.set.constraints().iter();
        let entered = constraints.map(|form| (form, dot(&form.row(space.indices()), along)));
        entered.filter(|(_, step)| *step > 0).map(|(form, step)| self.cut(space, along, form, step)).collect()
    }

    /// The points of this place where `form` is less than `step`.
    fn cut(&self, space: &Space, along: &[i64], form: &Affine, step: i64) -> Place {
        let mut place = self.clone();
        let moving = space.indices().iter().zip(along).filter(|(_, entry)| **entry != 0).map(|(index, _)| index);
        let mut solvable = moving.filter(|index| step == 1 && form.coefficient(index).abs() == 1);
        match solvable.next() {
            Some(index) => {
                let coefficient = form.coefficient(index);
                let rest = form.clone() - Affine::term(index, coefficient);
                place.fixed.insert(index.clone(), (rest * -coefficient).substitute(&self.fixed));
            }
            None => place.conditions.push(format!("{} < {step}", form.substitute(&self.fixed))),
        }
        place
    }
}

/// How tightly the operator of a reduction holds what it combines.
fn binding(operator: Operator) -> usize {
    match operator {
        Operator::Product => 2,
        Operator::Sum | Operator::Max | Operator::Min => 0,
    }
}

/// The body at a point, in parentheses where it binds less tightly than `outer`.
pub(super) fn show_scalar(space: &Space, scalar: &Scalar, names: &[String], outer: usize) -> String {
    match scalar {
        Scalar::Number(value) => number_text(*value),
        Scalar::Index(form) => format!("({form})"),
        Scalar::Operand(position) => {
            let name = names.get(*position).map_or("?", String::as_str);
            format!("{}_{name}", Place::default().point(space, &[]))
        }
        Scalar::Apply(function, arguments) => show_apply(space, *function, arguments, names, outer),
    }
}

fn show_apply(space: &Space, function: Function, arguments: &[Scalar], names: &[String], outer: usize) -> String {
    let (sign, level) = match function {
        Function::Add => ("+", 1),
        Function::Subtract => ("-", 1),
        Function::Multiply => ("*", 2),
        Function::Divide => ("/", 2),
        _ => ("", 0),
    };
    let ([left, right], true) = (arguments, level > 0) else {
        let shown: Vec<String> = arguments.iter().map(|argument| show_scalar(space, argument, names, 0)).collect();
        return format!("{}({})", function.keyword(), shown.join(", "));
    };
    let left = show_scalar(space, left, names, level);
    // `a - (b + c)` needs its parentheses: the right side has to bind more tightly.
    let right = show_scalar(space, right, names, level + 1);
    let text = format!("{left} {sign} {right}");
    if level < outer { format!("({text})") } else { text }
}
