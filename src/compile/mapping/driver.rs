//! Buses of computed values: which point of a line puts the word on the bus.
//!
//! All points of a line read one element. Where their PEs lie along one axis and one of them is the PE that computes the element, the
//! point of the line on that PE takes the word and drives it, and all others hear it. In: the points that read, where they and the
//! giver are. Out: the points that drive, one of each line.

use super::constant_on;
use std::collections::BTreeMap;
use systole_base::integer::{Affine, Name, Polyhedron, dot};
use systole_equations::recurrence::Space;

/// The points of a space that read one operand, and where they are.
pub struct Listeners<'a> {
    /// The reading space.
    pub space: &'a Space,
    /// The points that read from the same giver, over the space's indices and the parameters.
    pub set: &'a Polyhedron,
    /// The direction of the lines.
    pub along: &'a [i64],
    /// By how many PEs a point lies beside the one before it on its line.
    pub by: &'a [i64],
}

/// Why no point of some line can drive the bus.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Undriven {
    /// The PE that computes the element does not lie on the bus.
    OffTheBus,
    /// It does, but no point of the line runs there.
    NoReader,
}

impl Listeners<'_> {
    /// The points that drive; `apart` is the way from the giver's PE to the reader's, a form for each axis of the array.
    ///
    /// # Errors
    /// Lines of which some have no driver.
    pub fn drivers(&self, apart: &[Affine]) -> Result<Polyhedron, Undriven> {
        let axis = self.by.iter().position(|entry| entry.abs() == 1).ok_or(Undriven::OffTheBus)?;
        let (Some(way), Some(by)) = (apart.get(axis), self.by.get(axis)) else { return Err(Undriven::OffTheBus) };
        let steps = way.clone() * -by;
        let indices = self.space.indices();
        let meets = |(way, by): (&Affine, &i64)| constant_on(self.set, indices, &(way.clone() + steps.clone() * *by));
        if !apart.iter().zip(self.by).all(|pair| meets(pair) == Some(0)) {
            return Err(Undriven::OffTheBus);
        }
        if !(self.has_whole_lines() && self.holds_moved(&steps)) {
            return Err(Undriven::NoReader);
        }
        let mut drivers = self.set.clone();
        [way.clone(), -way.clone()].into_iter().for_each(|form| drivers.add(form));
        Ok(drivers.with_equations(&self.sizes()))
    }

    fn sizes(&self) -> Polyhedron {
        Polyhedron::sizes(&self.space.parameters)
    }

    /// Whether the set has all points of the space's lines that it has one of.
    fn has_whole_lines(&self) -> bool {
        let all = self.space.domain.set.intersect(&self.sizes());
        let crosses = |form: &&Affine| dot(&form.row(self.space.indices()), self.along) != 0;
        self.set.constraints().iter().filter(crosses).all(|form| all.implies(form))
    }

    /// Whether each point of the set, moved by so many steps along its line, is one of the set.
    fn holds_moved(&self, steps: &Affine) -> bool {
        let moved = |(index, entry): (&Name, &i64)| (index.clone(), Affine::variable(index) + steps.clone() * *entry);
        let image: BTreeMap<Name, Affine> = self.space.indices().iter().zip(self.along).map(moved).collect();
        let known = self.set.intersect(&self.sizes());
        self.set.constraints().iter().all(|form| known.implies(&form.substitute(&image)))
    }
}
