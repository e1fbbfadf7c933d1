//! The dataflow recurrences of a whole system, with the handshakes between its spaces.
//!
//! In: a [`SpaceSystem`] and a [`Dataflow`] for each space. Out: for each space its name and its recurrences. A value that
//! another space gives is told with the point that has it, `(i)_X.sum <- (i,i-1)_X.sum in X.sum`; only what the user asked for
//! is written to memory. Paper: Cyclotron section 4.4, Figure 6.

use super::recurrences::{Place, operand_names, show_dataflow, show_move, show_reduction, show_result, show_scalar};
use crate::rewrite::dataflows::{Dataflow, Transport};
use systole_base::integer::{Name, Polyhedron};
use systole_equations::recurrence::spaces::{Origin, Source, SpaceSystem, last_point};
use systole_equations::recurrence::{Role, Space};

/// The recurrences of all spaces, each list under a line with the name of its space; one space alone needs no name.
pub fn show_system(system: &SpaceSystem, dataflows: &[Dataflow]) -> Vec<String> {
    if let (Some(space), [dataflow]) = (system.only_space(), dataflows) {
        return show_dataflow(space, dataflow);
    }
    let mut lines = vec![];
    for (position, (space, dataflow)) in system.spaces.iter().zip(dataflows).enumerate() {
        lines.push(format!("{}:", space.name));
        let showing = Showing { system, dataflows, position, space, names: operand_names(space) };
        lines.extend(showing.operands(dataflow));
        lines.extend(showing.result(dataflow));
    }
    lines
}

/// One space of a system that is shown.
struct Showing<'a> {
    system: &'a SpaceSystem,
    dataflows: &'a [Dataflow],
    position: usize,
    space: &'a Space,
    names: Vec<String>,
}

impl Showing<'_> {
    fn operands(&self, dataflow: &Dataflow) -> Vec<String> {
        let sources = &self.system.sources[self.position];
        let moves = self.space.operands.iter().zip(&dataflow.transports).zip(sources);
        let lines =
            moves.zip(&self.names).flat_map(|(((operand, transport), sources), name)| match sources.as_slice() {
                [] => show_move(self.space, operand, name, transport),
                _ => self.handshakes(name, transport, sources),
            });
        lines.collect()
    }

    /// Who gives a computed operand, to the heads of a stream or to every point, and how it is carried on.
    fn handshakes(&self, name: &str, transport: &Transport, sources: &[Source]) -> Vec<String> {
        let everywhere = Place::default();
        let Transport::Stream(along) = transport else {
            let kept = match transport {
                Transport::Local => "  kept there",
                Transport::Memory => "  through memory",
                _ => "",
            };
            return self.takes(name, &everywhere, (sources, kept));
        };
        let heads = everywhere.faces(self.space, along);
        let mut lines: Vec<String> = heads.iter().flat_map(|head| self.takes(name, head, (sources, ""))).collect();
        let (here, before) = (everywhere.point(self.space, &[]), everywhere.point(self.space, along));
        lines.push(format!("{here}_{name} <- {before}_{name}"));
        lines
    }

    fn takes(&self, name: &str, place: &Place, (sources, how): (&[Source], &str)) -> Vec<String> {
        let take = |source: &Source| {
            let mut place = place.clone();
            place.conditions.extend(self.conditions(&place, &source.set)?);
            let giver = self.giver(&place, &source.origin);
            let how = if matches!(source.origin, Origin::Known(_)) { "" } else { how };
            let line = format!("{}_{name} <- {giver}{how}", place.point(self.space, &[]));
            Some(place.with_conditions(line))
        };
        sources.iter().filter_map(take).collect()
    }

    /// What holds at those points of a place that lie in `set`, beyond the domain; `None` where no point does.
    fn conditions(&self, place: &Place, set: &Polyhedron) -> Option<Vec<String>> {
        let sizes = Polyhedron::sizes(&self.system.parameters);
        let known = self.space.domain.set.substitute(&place.fixed).intersect(&sizes);
        let set = set.substitute(&place.fixed);
        let open = set.constraints().iter().filter(|form| !known.implies(form));
        let shown = open.map(|form| format!("{form} >= 0")).collect();
        (!known.intersect(&set).is_empty()).then_some(shown)
    }

    fn giver(&self, place: &Place, origin: &Origin) -> String {
        let (giver, element) = match origin {
            Origin::Known(value) => return show_scalar(self.space, &value.substitute(&place.fixed), &self.names, 0),
            Origin::Space { space, element } => (*space, element),
        };
        let producer = &self.system.spaces[giver];
        let Some(last) = last_point(producer, &self.dataflows[giver].chain, element) else {
            return format!("{} of {}", place.element(&producer.output, element), producer.name);
        };
        let coordinates = last.coordinates(producer.indices());
        let shown = coordinates.iter().map(|form| form.substitute(&place.fixed).compact());
        let value = format!("({})_{}", shown.collect::<Vec<String>>().join(","), producer.output);
        if giver == self.position { value } else { format!("{value} in {}", producer.name) }
    }

    fn result(&self, dataflow: &Dataflow) -> Vec<String> {
        let everywhere = Place::default();
        let (mut lines, ends) = match self.space.reduction {
            Some(operator) => show_reduction(self.space, operator, dataflow, &self.names),
            None => {
                let value = show_scalar(self.space, &self.space.body, &self.names, 0);
                let point = everywhere.point(self.space, &[]);
                (vec![format!("{point}_{} <- {value}", self.space.output)], vec![everywhere])
            }
        };
        let asked = |name: &Name| self.system.tensors.iter().any(|t| t.name == *name && t.role == Role::Output);
        if asked(&self.space.output) {
            lines.extend(ends.iter().map(|place| show_result(self.space, place)));
        }
        lines
    }
}
