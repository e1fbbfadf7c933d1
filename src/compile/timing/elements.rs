//! Each element that a system computes is computed once: at one point, which one PE runs and which leaves it there.
//!
//! In: equations. Out: two obligations for each tensor that is no input, over the coordinates of one element. An equation writes an
//! element at one point, whose coordinates are affine in the element's, so the elements that it writes are a set of these: the sets
//! of all equations cover the tensor, and no two have an element in common. Where subscripts have gaps, as in `C[2*i]`, there is no such
//! set, and the tensor is named instead. What a map adds is nothing: it gives each point one PE.

use systole_base::diagnostic::counted;
use systole_base::integer::{Affine, Name, Polyhedron};
use systole_equations::recurrence::spaces::{coordinate_names, solve};
use systole_equations::recurrence::{RecurrenceSystem, Role, Tensor, gather};
use systole_program::obligation::{Formula, Kind, Obligation, Reason};

/// The obligations of all tensors that are computed, and the names of those of which they cannot be stated.
pub fn element_obligations(system: &RecurrenceSystem) -> (Vec<Obligation>, Vec<Name>) {
    let (mut stated, mut left) = (vec![], vec![]);
    for tensor in system.tensors.iter().filter(|tensor| tensor.role != Role::Input) {
        match Elements::of(system, tensor) {
            Some(elements) => stated.extend(elements.obligations()),
            None => left.push(tensor.name.clone()),
        }
    }
    (stated, left)
}

/// One element of a tensor.
struct Elements<'a> {
    system: &'a RecurrenceSystem,
    tensor: &'a Tensor,
    coordinates: Vec<Name>,
    /// For each equation of the tensor, that it writes the element.
    written: Vec<Formula>,
}

impl<'a> Elements<'a> {
    fn of(system: &'a RecurrenceSystem, tensor: &'a Tensor) -> Option<Elements<'a>> {
        let coordinates = coordinate_names(system, &tensor.name);
        let element: Vec<Affine> = coordinates.iter().map(Affine::variable).collect();
        let equations = system.equations.iter().filter(|equation| equation.target == tensor.name);
        let written = equations.map(|equation| {
            let equation = gather(equation, tensor);
            let point = solve(&equation.subscripts, &equation.domain.indices, &element)?;
            Some(lies_in(&point.image(&equation.domain.set)))
        });
        Some(Elements { system, tensor, written: written.collect::<Option<_>>()?, coordinates })
    }

    fn obligations(&self) -> [Obligation; 2] {
        let by_nobody = Formula::All(self.written.iter().cloned().map(Formula::negate).collect());
        let pairs = self
            .written
            .iter()
            .enumerate()
            .flat_map(|(at, one)| self.written[..at].iter().map(move |other| (other, one)));
        let by_two = Formula::Any(pairs.map(|(other, one)| Formula::All(vec![other.clone(), one.clone()])).collect());
        [
            self.state(
                Kind::ElementCover,
                by_nobody,
                ("no equation", "at least one"),
                "widen the `where` of an equation",
            ),
            self.state(Kind::ElementApart, by_two, ("two equations", "at most one"), "separate the two with `where`"),
        ]
    }

    fn state(&self, kind: Kind, broken: Formula, (writers, needed): (&str, &str), help: &str) -> Obligation {
        let sizes = self.system.parameters.sizes();
        let sizes = sizes.constraints().iter().cloned().map(Formula::AtLeastZero);
        let shape = self.coordinates.iter().zip(&self.tensor.shape).flat_map(|(coordinate, extent)| {
            let at = Affine::variable(coordinate);
            [Formula::AtLeastZero(at.clone()), Formula::less(&at, extent)]
        });
        let name = &self.tensor.name;
        let subscripts: Vec<&str> = self.coordinates.iter().map(|coordinate| &**coordinate).collect();
        let element = format!("{name}[{}]", subscripts.join(", "));
        let reason = Reason {
            broken: format!("an element of `{name}` is written by {writers}"),
            blame: format!("has {} for {name}", count(self.written.len())),
            available: format!("written       by {writers}   {element}"),
            needed: format!("needed        {needed} for each element"),
            help: help.to_owned(),
            moments: vec![],
        };
        Obligation {
            kind,
            of: name.clone(),
            variables: self.system.parameters.iter().chain(&self.coordinates).cloned().collect(),
            parameters: self.system.parameters.len(),
            points: vec![],
            violation: Formula::All(sizes.chain(shape).chain([broken]).collect()),
            reason,
        }
    }
}

fn count(equations: usize) -> String {
    counted(equations, "equation")
}

fn lies_in(set: &Polyhedron) -> Formula {
    Formula::All(set.constraints().iter().cloned().map(Formula::AtLeastZero).collect())
}
