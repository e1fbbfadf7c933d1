//! One bus from memory to all PEs: who feeds it, and who listens.
//!
//! In: a space that takes an operand off one bus, and its map. Out: the PE that loads the words, and the map under which it
//! drives them. A bus carries one word at a time, so the points run one after the other, along the only index of the space,
//! and their PEs lie on a line. The first PE of the line is the feeder: it has points wherever any PE has. It keeps the words
//! of its own points and drives each of the others in the step in which it is due. Paper: Cyclotron, Figure 11.

use super::{Design, SpaceTimeMap};
use crate::rewrite::Transport;
use systole_base::diagnostic::{Checked, Diagnostic};
use systole_base::integer::{Affine, Bound, Matrix, Polyhedron, Vector, lexicographic_sign};
use systole_equations::recurrence::{Operand, Space};

/// The PE that feeds a bus.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Feeder {
    /// Where it is: one form over the parameters for each dimension of the array, without the origin of the part.
    pub place: Vec<Affine>,
    /// Over the indices and the parameters: 0 or more at its own points, less than 0 at the points that listen.
    pub own: Affine,
    /// From one listener to the next in the array; zero where the feeder has all points, so that there is no bus.
    pub direction: Vector,
    /// Where and when the word of a point is driven: no place, on the feeder, and the step of the point.
    pub map: SpaceTimeMap,
}

impl Feeder {
    /// The feeder of a space under a map; `None` where the words follow each other along several indices, or where no one
    /// form is the first PE for all sizes.
    pub fn of(space: &Space, map: &SpaceTimeMap) -> Option<Feeder> {
        let (rank, dimension) = (map.rank(), space.dimension());
        let driven = SpaceTimeMap { place: Matrix::new(vec![vec![0; dimension]; rank], dimension), ..map.clone() };
        if map.place == driven.place {
            let place = vec![Affine::default(); rank];
            return Some(Feeder { place, own: Affine::default(), direction: vec![0; rank], map: driven });
        }
        let [index] = space.indices() else { return None };
        let along = map.place.column(0);
        let (lower, upper) = space.domain.set.bounds(index);
        let sign = lexicographic_sign(&along);
        let first = the_bound(if sign > 0 { &lower } else { &upper })?;
        Some(Feeder {
            place: along.iter().map(|entry| first.clone() * *entry).collect(),
            own: (first.clone() - Affine::variable(index)) * sign,
            direction: along.iter().map(|entry| entry * sign).collect(),
            map: driven,
        })
    }

    /// Whether words go over the bus: the feeder has not all points.
    pub fn has_listeners(&self) -> bool {
        self.direction.iter().any(|entry| *entry != 0)
    }

    /// The points of the space that listen.
    pub fn listeners(&self, space: &Space) -> Polyhedron {
        let mut set = space.domain.set.clone();
        set.add(-self.own.clone() - Affine::constant(1));
        set
    }
}

/// The bound where it is one form, for all sizes.
fn the_bound(bounds: &[Bound]) -> Option<&Affine> {
    match bounds {
        [Bound { form, coefficient: 1 }] => Some(form),
        _ => None,
    }
}

impl Design<'_> {
    /// The operands that come over one bus from memory, each with its space and its position there.
    pub fn bus_operands(&self) -> impl Iterator<Item = (usize, usize)> + '_ {
        let operands = |space: usize| self.parts[space].dataflow.transports.iter().enumerate();
        let all = (0..self.parts.len()).flat_map(move |space| operands(space).map(move |operand| (space, operand)));
        all.filter(|(_, (_, transport))| **transport == Transport::Bus).map(|(space, (operand, _))| (space, operand))
    }

    /// That every bus from memory has a feeder.
    ///
    /// # Errors
    /// Words that follow each other along several indices, or whose first PE is no one form for all sizes.
    pub fn check_feeders(&self) -> Checked<()> {
        let lacks =
            |(space, _): &(usize, usize)| Feeder::of(&self.system.spaces[*space], &self.parts[*space].map).is_none();
        let refused = self.bus_operands().filter(lacks);
        let problems: Vec<Diagnostic> = refused
            .map(|(space, operand)| no_feeder(&self.system.spaces[space], &self.system.spaces[space].operands[operand]))
            .collect();
        if problems.is_empty() { Ok(()) } else { Err(problems) }
    }
}

fn no_feeder(space: &Space, operand: &Operand) -> Diagnostic {
    let (tensor, name) = (&operand.tensor, &space.name);
    let why = match space.dimension() {
        1 => format!("the first PE with a point of `{name}` is another one from size to size"),
        _ => format!("the points of `{name}` follow each other along several indices"),
    };
    Diagnostic::new(format!("no PE can feed a bus with `{tensor}`"))
        .label(&space.source, operand.span, "read here")
        .note(why)
        .help(format!("give each PE a port of its own with `feed {tensor}`"))
}
