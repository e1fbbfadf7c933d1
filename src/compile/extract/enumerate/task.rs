//! What is enumerated: the maps of one space, with what is counted once for all of them.

use super::paces::{LaterHeads, faces};
use crate::cost::Region;
use crate::extract::at_once::heard_at_once;
use crate::extract::{Constraint, Limits};
use crate::mapping::candidates::Bounds;
use crate::mapping::{candidates, clock};
use crate::rewrite::Choices;
use systole_base::diagnostic::{Checked, Diagnostic};
use systole_base::integer::{Affine, Bindings, Matrix, Polyhedron, Vector};
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
    /// How many maps are looked at.
    pub budget: u64,
    /// The extent of every index, where the space is a box.
    pub extents: Option<Vec<Affine>>,
    /// The points at these sizes.
    pub region: Region,
    /// For each chain and level the set it runs over, with its points.
    pub levels: Vec<Vec<(Polyhedron, Region)>>,
    /// For each operand and transport the faces that later streams of a tree run over.
    pub faces: Vec<Vec<Vec<LaterHeads>>>,
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
        let (sizes, extents, budget) = (sizes.clone(), clock::extents(space), Limits::default().budget);
        Ok(Task { space, choices, bounds, machine, sizes, constraint, budget, extents, region, levels, faces })
    }

    /// The ranks of the arrays that are looked at.
    pub(super) fn ranks(&self) -> Vec<usize> {
        match self.constraint.only_place() {
            Some(place) => vec![place.rows().len()],
            None => {
                let carries = |rank: &&usize| self.machine.links.network.carries_rank(**rank);
                self.bounds.ranks.iter().filter(carries).copied().collect()
            }
        }
    }

    /// All places.
    pub(super) fn places(&self) -> Vec<Matrix> {
        let all = |rank: usize| candidates::places(self.space.dimension(), rank, self.bounds.bound);
        self.constraint
            .only_place()
            .map_or_else(|| self.ranks().into_iter().flat_map(all).collect(), |place| vec![place.clone()])
    }

    /// How many places there are of a rank, with those whose rows depend on each other.
    pub(super) fn count_places(&self, rank: usize) -> u128 {
        if self.constraint.only_place().is_some() {
            return 1;
        }
        candidates::count_places(self.space.dimension(), rank, self.bounds.bound)
    }

    /// How many steps there are for places of a rank that do without so many indices, whose last rows have one of so many entries
    /// for each of the others.
    pub(super) fn count_steps(&self, rank: usize, entries: usize, without: usize) -> u128 {
        let leading = (self.space.dimension() - rank).saturating_sub(1);
        let indices = self.space.dimension() - without;
        let of_row = |row: usize| 2 * indices.saturating_sub(row) as u128;
        let orders = (0..leading).map(of_row).fold(1, u128::saturating_mul);
        orders.saturating_mul((entries as u128).saturating_pow(indices as u32))
    }

    /// The entries of the last row of a time.
    pub fn entries(&self) -> Vec<i64> {
        self.bounds.entries(self.machine.links.latency)
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
