//! The recurrences of a whole system, with the handshakes between its spaces.
//!
//! In: a [`SpaceSystem`] and a [`Dataflow`] for each space. Out: for each space its name and its recurrences. A value that
//! another space gives is told with the point that has it, `(i)_X.sum <- (i,i-1)_X.sum in X.sum`; only what the user asked for
//! is written to memory. Paper: Cyclotron section 4.4, Figure 6.

use super::of_space::{Place, expression, moved, operand_names, passed_on, recurrences_of_space, reduced, written_out};
use super::statement::{Carrier, Condition, Defined, Expression, Instance, Recurrence, Statement, Value};
use crate::rewrite::dataflows::{Dataflow, Transport};
use systole_base::integer::{Affine, Name, Polyhedron};
use systole_equations::recurrence::spaces::{Origin, Source, SpaceSystem, last_point};
use systole_equations::recurrence::{Role, Space};

/// The recurrences of all spaces, each list behind a line with the name of its space; one space alone needs no name.
pub fn recurrences(system: &SpaceSystem, dataflows: &[Dataflow]) -> Vec<Statement> {
    if let (Some(space), [dataflow]) = (system.only_space(), dataflows) {
        return recurrences_of_space(space, dataflow).into_iter().map(recurrence).collect();
    }
    let mut lines = vec![];
    for (position, (space, dataflow)) in system.spaces.iter().zip(dataflows).enumerate() {
        lines.push(Statement::Space(space.name.clone()));
        let reader = Reader { system, dataflows, position, space, names: operand_names(space) };
        let all = reader.operands(dataflow).into_iter().chain(reader.result(dataflow));
        lines.extend(all.map(recurrence));
    }
    lines
}

fn recurrence(one: Recurrence) -> Statement {
    Statement::Recurrence(Box::new(one))
}

/// One space of a system, and what the others give it.
struct Reader<'a> {
    system: &'a SpaceSystem,
    dataflows: &'a [Dataflow],
    position: usize,
    space: &'a Space,
    names: Vec<Name>,
}

impl Reader<'_> {
    fn operands(&self, dataflow: &Dataflow) -> Vec<Recurrence> {
        let sources = &self.system.sources[self.position];
        let moves = self.space.operands.iter().zip(&dataflow.transports).zip(sources);
        let all = moves.zip(&self.names).flat_map(|(((operand, transport), sources), name)| match sources.as_slice() {
            [] => moved(self.space, operand, name, transport),
            _ => self.handshakes(name, transport, sources),
        });
        all.collect()
    }

    /// Who gives a computed operand, to the heads of a stream or to every point, and how it is carried on.
    fn handshakes(&self, name: &Name, transport: &Transport, sources: &[Source]) -> Vec<Recurrence> {
        let everywhere = Place::default();
        let Transport::Stream(along) = transport else {
            let carrier = match transport {
                Transport::Local => Some(Carrier::Kept),
                Transport::Memory => Some(Carrier::SharedMemory),
                Transport::Broadcast(along) => Some(Carrier::Bus(Affine::from_row(self.space.indices(), along))),
                _ => None,
            };
            return self.takes(name, &everywhere, (sources, carrier));
        };
        let heads = everywhere.faces(self.space, along);
        let taken = heads.iter().flat_map(|head| self.takes(name, head, (sources, None)));
        taken.chain([passed_on(self.space, name, &everywhere, along)]).collect()
    }

    fn takes(&self, name: &Name, place: &Place, (sources, carrier): (&[Source], Option<Carrier>)) -> Vec<Recurrence> {
        let take = |source: &Source| {
            let mut place = place.clone();
            place.conditions.extend(self.conditions(&place, &source.set)?);
            let defined = Defined::Instance(place.instance(self.space, &[], name));
            let is_known = matches!(source.origin, Origin::Known(_));
            let carrier = carrier.clone().filter(|_| !is_known);
            Some(place.recurrence(defined, self.given(&place, &source.origin)).by(carrier))
        };
        sources.iter().filter_map(take).collect()
    }

    /// What holds at those points of a place that lie in `set`, beyond the domain; `None` where no point does.
    fn conditions(&self, place: &Place, set: &Polyhedron) -> Option<Vec<Condition>> {
        let sizes = Polyhedron::sizes(&self.system.parameters);
        let known = self.space.domain.set.substitute(&place.fixed).intersect(&sizes);
        let set = set.substitute(&place.fixed);
        let open = set.constraints().iter().filter(|form| !known.implies(form));
        let told = open.map(|form| Condition::NotNegative(form.clone())).collect();
        (!known.intersect(&set).is_empty()).then_some(told)
    }

    fn given(&self, place: &Place, origin: &Origin) -> Value {
        let (giver, element) = match origin {
            Origin::Known(value) => {
                return Value::Computed(expression(self.space, &value.substitute(&place.fixed), &self.names));
            }
            Origin::Space { space, element } => (*space, element),
        };
        let producer = &self.system.spaces[giver];
        let Some(last) = last_point(producer, &self.dataflows[giver].chain, element) else {
            return Value::Among(place.element(&producer.output, element), producer.name.clone());
        };
        let coordinates = last.coordinates(producer.indices());
        let point = coordinates.iter().map(|form| form.substitute(&place.fixed)).collect();
        let instance = Instance { point, variable: producer.output.clone() };
        match giver == self.position {
            true => Value::Computed(Expression::Instance(instance)),
            false => Value::Given(instance, producer.name.clone()),
        }
    }

    fn result(&self, dataflow: &Dataflow) -> Vec<Recurrence> {
        let everywhere = Place::default();
        let (mut all, ends) = match self.space.reduction {
            Some(operator) => reduced(self.space, operator, dataflow, &self.names),
            None => {
                let value = Value::Computed(expression(self.space, &self.space.body, &self.names));
                let instance = everywhere.instance(self.space, &[], &self.space.output);
                (vec![everywhere.recurrence(Defined::Instance(instance), value)], vec![everywhere])
            }
        };
        let asked = |name: &Name| self.system.tensors.iter().any(|t| t.name == *name && t.role == Role::Output);
        if asked(&self.space.output) {
            all.extend(ends.iter().map(|place| written_out(self.space, place)));
        }
        all
    }
}
