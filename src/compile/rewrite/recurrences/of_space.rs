//! The recurrences of one space: values belong to points, and come from neighbours.
//!
//! In: a [`Space`] that reads what is given, and a [`Dataflow`]. Out: recurrences such as `(i,j,k)_A <- (i,j-1,k)_A`. Those that load
//! or start a value stand at the faces of the domain through which its lines enter, so diagonals come out right as well; a
//! face that is thicker than one point is told by a condition. Paper: Cyclotron section 4, Figure 4.

use super::statement::{Carrier, Condition, Defined, Element, Expression, Instance, Recurrence, Value};
use crate::rewrite::dataflows::{Dataflow, Transport, is_constant};
use std::collections::BTreeMap;
use systole_base::integer::{Affine, Name, Vector, dot, name};
use systole_base::scalar::Function;
use systole_equations::recurrence::{Operand, Operator, Scalar, Space};

/// The recurrences of `dataflow`, operands first, in the order of the space.
pub fn recurrences_of_space(space: &Space, dataflow: &Dataflow) -> Vec<Recurrence> {
    let names = operand_names(space);
    let moves = space.operands.iter().zip(&names).zip(&dataflow.transports);
    let mut all: Vec<Recurrence> =
        moves.flat_map(|((operand, name), transport)| moved(space, operand, name, transport)).collect();
    match space.reduction {
        Some(operator) => {
            let (reduced, ends) = reduced(space, operator, dataflow, &names);
            all.extend(reduced);
            all.extend(ends.iter().map(|place| written_out(space, place)));
        }
        None => {
            let everywhere = Place::default();
            let element = Defined::Element(everywhere.element(&space.output, &space.output_access));
            all.push(everywhere.recurrence(element, Value::Computed(expression(space, &space.body, &names))));
        }
    }
    all
}

/// What writes the result out at the points of `place`.
pub(super) fn written_out(space: &Space, place: &Place) -> Recurrence {
    let element = place.element(&space.output, &space.output_access);
    place.recurrence(Defined::Element(element), here(place.instance(space, &[], &space.output)))
}

/// A value that a point of the space has.
fn here(instance: Instance) -> Value {
    Value::Computed(Expression::Instance(instance))
}

/// The tensor's name, with a number behind it where the tensor is read more than once, or written as well.
pub(super) fn operand_names(space: &Space) -> Vec<Name> {
    let named = |(position, operand): (usize, &Operand)| {
        let same = |other: &&Operand| other.tensor == operand.tensor;
        let rank = space.operands[..position].iter().filter(same).count() + 1;
        match space.operands.iter().filter(same).count() {
            1 if operand.tensor != space.output => operand.tensor.clone(),
            _ => name(&format!("{}.{rank}", operand.tensor)),
        }
    };
    space.operands.iter().enumerate().map(named).collect()
}

/// How an operand that is given comes to the points.
pub(super) fn moved(space: &Space, operand: &Operand, name: &Name, transport: &Transport) -> Vec<Recurrence> {
    let everywhere = Place::default();
    let carrier = match transport {
        Transport::Tree(directions) => return tree(space, operand, name, directions),
        Transport::Stream(along) => {
            let heads = everywhere.faces(space, along);
            let loads = heads.iter().map(|head| load(space, operand, name, head));
            return loads.chain([passed_on(space, name, &everywhere, along)]).collect();
        }
        Transport::Broadcast(along) => Carrier::Bus(Affine::from_row(space.indices(), along)),
        Transport::Prefetch if is_constant(space, operand) => Carrier::Everywhere,
        Transport::Prefetch => Carrier::OwnMemory,
        Transport::Feed => Carrier::OwnPort,
        Transport::Bus => Carrier::OneBus,
        Transport::Handoff => Carrier::Producer,
        Transport::Local => Carrier::Kept,
        Transport::Memory => Carrier::SharedMemory,
    };
    vec![load(space, operand, name, &everywhere).by(Some(carrier))]
}

/// An operand from memory at the points of `place`.
fn load(space: &Space, operand: &Operand, name: &Name, place: &Place) -> Recurrence {
    let element = place.element(&operand.tensor, &operand.access);
    place.recurrence(Defined::Instance(place.instance(space, &[], name)), Value::Element(element))
}

/// A variable from the neighbour before, at the points of `place`.
pub(super) fn passed_on(space: &Space, name: &Name, place: &Place, along: &[i64]) -> Recurrence {
    let before = here(place.instance(space, along, name));
    place.recurrence(Defined::Instance(place.instance(space, &[], name)), before)
}

/// A tree: the loads at the heads of its last streams, then its streams, each on the faces that the one before it leaves.
fn tree(space: &Space, operand: &Operand, name: &Name, directions: &[Vector]) -> Vec<Recurrence> {
    let mut places = vec![Place::default()];
    let mut streams: Vec<Vec<Recurrence>> = vec![];
    for along in directions {
        streams.push(places.iter().map(|place| passed_on(space, name, place, along)).collect());
        places = places.iter().flat_map(|place| place.faces(space, along)).collect();
    }
    let loads = places.iter().map(|head| load(space, operand, name, head));
    loads.chain(streams.into_iter().rev().flatten()).collect()
}

/// How the values are combined, and the places where the lines of the last level end.
pub(super) fn reduced(
    space: &Space,
    operator: Operator,
    dataflow: &Dataflow,
    names: &[Name],
) -> (Vec<Recurrence>, Vec<Place>) {
    let depth = dataflow.chain.directions.len();
    let level_name = |level: usize| match level + 1 == depth {
        true => space.output.clone(),
        false => name(&format!("{}.{}", space.output, level + 1)),
    };
    let mut all = vec![];
    let mut places = vec![Place::default()];
    for (level, along) in dataflow.chain.directions.iter().enumerate() {
        let name = level_name(level);
        for place in &places {
            let value = match level {
                0 => expression(space, &space.body, names),
                _ => Expression::Instance(place.instance(space, &[], &level_name(level - 1))),
            };
            all.extend(combined(space, operator, place, along, &name, value));
        }
        let back: Vec<i64> = along.iter().map(|entry| -entry).collect();
        places = places.iter().flat_map(|place| place.faces(space, &back)).collect();
    }
    (all, places)
}

/// One level of a reduction at the points of `place`: where it starts, and how it goes on along `along`.
fn combined(
    space: &Space,
    operator: Operator,
    place: &Place,
    along: &[i64],
    name: &Name,
    value: Expression,
) -> Vec<Recurrence> {
    let start = |head: &Place| {
        let neutral = Value::Computed(Expression::Number(operator.neutral()));
        head.recurrence(Defined::Instance(head.instance(space, along, name)), neutral)
    };
    let mut all: Vec<Recurrence> = place.faces(space, along).iter().map(start).collect();
    let function = match operator {
        Operator::Sum => Function::Add,
        Operator::Product => Function::Multiply,
        Operator::Max => Function::Maximum,
        Operator::Min => Function::Minimum,
    };
    let before = Expression::Instance(place.instance(space, along, name));
    let total = Value::Computed(Expression::Apply(function, vec![before, value]));
    all.push(place.recurrence(Defined::Instance(place.instance(space, &[], name)), total));
    all
}

/// The body at a point, whose operands are called `names`.
pub(super) fn expression(space: &Space, scalar: &Scalar, names: &[Name]) -> Expression {
    match scalar {
        Scalar::Number(value) => Expression::Number(*value),
        Scalar::Index(form) => Expression::Index(form.clone()),
        Scalar::Operand(position) => {
            let variable = names.get(*position).cloned().unwrap_or_else(|| name("unknown"));
            Expression::Instance(Place::default().instance(space, &[], &variable))
        }
        Scalar::Apply(function, arguments) => {
            let arguments = arguments.iter().map(|argument| expression(space, argument, names));
            Expression::Apply(*function, arguments.collect())
        }
    }
}

/// Some points of the domain: all of them, or those on a face.
#[derive(Clone, Debug, Default)]
pub(super) struct Place {
    /// Indices that the face fixes, as forms of the others.
    pub fixed: BTreeMap<Name, Affine>,
    /// What holds on faces that fix no index.
    pub conditions: Vec<Condition>,
}

impl Place {
    /// A variable at the point, moved back by `along` (not at all where it is empty): `(i,j-1,k)_x`.
    pub fn instance(&self, space: &Space, along: &[i64], variable: &Name) -> Instance {
        let back = along.iter().copied().chain(std::iter::repeat(0));
        let coordinates = space.indices().iter().zip(back);
        let moved =
            |(index, step): (&Name, i64)| Affine::variable(index).substitute(&self.fixed) - Affine::constant(step);
        Instance { point: coordinates.map(moved).collect(), variable: variable.clone() }
    }

    /// A tensor's element: `A[i,k]`.
    pub fn element(&self, tensor: &Name, access: &[Affine]) -> Element {
        let subscripts = access.iter().map(|form| form.substitute(&self.fixed)).collect();
        Element { tensor: tensor.clone(), subscripts }
    }

    /// What holds at these points.
    pub fn recurrence(&self, defined: Defined, value: Value) -> Recurrence {
        Recurrence { defined, value, carrier: None, guard: self.conditions.clone() }
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
            None => place.conditions.push(Condition::Below(form.substitute(&self.fixed), step)),
        }
        place
    }
}

impl Recurrence {
    /// The same, carried in another way.
    pub(super) fn by(self, carrier: Option<Carrier>) -> Recurrence {
        Recurrence { carrier, ..self }
    }
}
