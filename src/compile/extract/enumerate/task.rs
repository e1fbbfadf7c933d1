//! What is enumerated: the maps of one space, with what is counted once for all of them.

use super::paces::{Face, faces};
use super::symmetry::{Candidate, Reflections};
use crate::cost::Region;
use crate::extract::Constraint;
use crate::extract::at_once::heard_at_once;
use crate::mapping::candidates;
use crate::mapping::candidates::Bounds;
use crate::rewrite::Choices;
use std::collections::{BTreeMap, BTreeSet};
use systole_base::diagnostic::{Checked, Diagnostic};
use systole_base::integer::{Bindings, Matrix, Polyhedron, Vector};
use systole_base::machine::Machine;
use systole_equations::recurrence::{Space, ends};

/// Spaces of more points than this are not costed: every count of words and cycles must fit 64 bits.
const MOST_POINTS: u64 = 1 << 52;

/// What is enumerated.
pub struct Task<'a> {
    /// The space.
    pub space: &'a Space,
    /// What the e-graph offers, after the schedule's and the user's restrictions.
    pub choices: Choices,
    /// The maps to look at.
    pub bounds: Bounds,
    /// The machine.
    pub machine: &'a Machine,
    /// The sizes at which designs are costed; legality does not depend on them.
    pub sizes: Bindings,
    /// What the schedule fixes of the map.
    pub constraint: Constraint,
    /// The points at these sizes.
    pub region: Region,
    /// For each chain and level the set it runs over, with its points.
    pub levels: Vec<Vec<(Polyhedron, Region)>>,
    /// For each operand and transport the faces that later streams of a tree run over.
    pub faces: Vec<Vec<Vec<Face>>>,
}

impl<'a> Task<'a> {
    /// Sets the task up for what a schedule leaves of the choices, and counts what the sizes decide.
    ///
    /// # Errors
    /// Restrictions that leave nothing, and a reduction over several indices on a domain where its lines do not end on one
    /// face.
    pub fn new(
        space: &'a Space,
        choices: Choices,
        bounds: Bounds,
        machine: &'a Machine,
        sizes: &Bindings,
        constraint: Constraint,
    ) -> Checked<Task<'a>> {
        let network = machine.links.network;
        let rank = constraint.only_place().map_or(0, |place| place.rows().len());
        if !network.carries_rank(rank) {
            return Diagnostic::new(format!("a `{network}` network has no arrays of rank {rank}"))
                .label(&space.source, constraint.span.unwrap_or(space.span), "asks for one")
                .help("choose another network, such as `mesh`, or fewer dimensions in `place`")
                .alone();
        }
        let unbounded = || Diagnostic::new(format!("the domain of `{}` is not bounded at these sizes", space.kernel));
        let choices = heard_at_once(space, choices, machine)?;
        let region = Region::new(&space.domain.set, space.indices(), sizes).ok_or_else(unbounded)?;
        if region.count() > MOST_POINTS {
            return Diagnostic::new(format!("`{}` has too many points at these sizes to be costed", space.kernel))
                .help("legality and proofs do not depend on the sizes: search at smaller ones")
                .alone();
        }
        let levels = levels(space, &choices, sizes)?;
        let faces = faces(space, &choices, sizes).ok_or_else(unbounded)?;
        let (space, sizes) = (space, sizes.clone());
        Ok(Task { space, choices, bounds, machine, sizes, constraint, region, levels, faces })
    }

    pub(super) fn places(&self) -> Vec<Matrix> {
        match self.constraint.only_place() {
            Some(place) => vec![place.clone()],
            None => {
                let all = |rank: &usize| candidates::places(self.space.dimension(), *rank, self.bounds.bound);
                let ranks = self.bounds.ranks.iter().filter(|rank| self.machine.links.network.carries_rank(**rank));
                ranks.flat_map(all).collect()
            }
        }
    }

    /// The steps for places of each rank that is looked at.
    pub(super) fn steps(&self, places: &[Matrix], reflections: &Reflections) -> BTreeMap<usize, Vec<Candidate>> {
        let (dimension, within) = (self.space.dimension(), self.bounds.steps);
        let ranks: BTreeSet<usize> = places.iter().map(|place| place.rows().len()).collect();
        let of = |rank| match self.constraint.only_step() {
            Some(step) => vec![step.clone()],
            None => candidates::steps(rank, dimension, within),
        };
        ranks.into_iter().map(|rank| (rank, reflections.thin_out(of(rank), within))).collect()
    }

    /// Whether the array fits the machine, in one orientation or another.
    pub(super) fn fits(&self, place: &Matrix) -> bool {
        let ranges = place.rows().iter().filter_map(|row| self.region.range(row));
        self.machine.has_room(ranges.map(|(low, high)| 1 + (high - low).unsigned_abs()).collect())
    }
}

fn levels(space: &Space, choices: &Choices, sizes: &Bindings) -> Checked<Vec<Vec<(Polyhedron, Region)>>> {
    let level = |set: &Polyhedron| Some((set.clone(), Region::new(set, space.indices(), sizes)?));
    let chain = |directions: &Vec<Vector>| {
        let mut sets = vec![space.domain.set.clone()];
        for direction in directions.iter().take(directions.len().saturating_sub(1)) {
            let next = ends(space, &sets[sets.len() - 1], direction)?;
            sets.push(next);
        }
        sets.iter().map(level).collect::<Option<Vec<_>>>()
    };
    let levels = choices.chains.iter().map(|order| chain(&order.directions)).collect::<Option<Vec<_>>>();
    levels.ok_or_else(|| {
        Diagnostic::new(format!(
            "the reduction of `{}` runs over several indices of a domain that is not a box",
            space.output
        ))
        .label(&space.source, space.span, "the lines of the inner reduction do not end on one face")
        .into()
    })
}
