//! The search itself: for every map an exact Pareto combination of the choices, for all maps in parallel.

use super::at_once::heard_at_once;
use super::offers::Offers;
use super::paces::{Face, Paces, faces};
use super::place_table::{PlaceTable, Priced};
use super::symmetry::{Candidate, Reflections};
use super::{Constraint, Found, Front};
use crate::cost::{Cost, Region};
use crate::mapping::candidates::Bounds;
use crate::mapping::clock::Clock;
use crate::mapping::{SpaceTimeMap, candidates, clock};
use crate::rewrite::Choices;
use rayon::prelude::*;
use std::collections::{BTreeMap, BTreeSet};
use systole_base::diagnostic::{Checked, Diagnostic};
use systole_base::integer::{Bindings, Matrix, Name, Polyhedron, Vector, dot};
use systole_base::machine::Machine;
use systole_equations::recurrence::{Space, ends};

/// Spaces of more points than this are not costed: every count of words and cycles must fit 64 bits.
const MOST_POINTS: u64 = 1 << 52;

/// What is searched.
pub struct Problem<'a> {
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

/// Why maps were turned down.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Rejections {
    /// Two points of a PE would share a time.
    pub conflicts: u64,
    /// Vector time whose rows have no closed length.
    pub unclocked: u64,
    /// The array is larger than the machine.
    pub oversized: u64,
    /// A tensor has no link for where it would have to go, by tensor; counted by place.
    pub unreachable: BTreeMap<Name, u64>,
    /// A tensor has no time to travel, by tensor.
    pub late: BTreeMap<Name, u64>,
    /// A tensor has time to travel only where a row of a vector time is longer than one step, by tensor.
    pub short: BTreeMap<Name, u64>,
}

impl Rejections {
    /// Counts a place at which `tensor` cannot be moved.
    pub fn add_unreachable(&mut self, tensor: &Name) {
        *self.unreachable.entry(tensor.clone()).or_default() += 1;
    }

    /// Counts a map under which `tensor` has no time to travel.
    pub fn add_late(&mut self, tensor: &Name) {
        *self.late.entry(tensor.clone()).or_default() += 1;
    }

    /// Counts a map under which `tensor` has no time to travel where rows are short.
    pub fn add_short(&mut self, tensor: &Name) {
        *self.short.entry(tensor.clone()).or_default() += 1;
    }

    /// Whether a map was turned down for its clock, of which no obligation speaks: proofs compare vectors.
    pub fn are_of_the_clock(&self) -> bool {
        self.unclocked > 0 || !self.short.is_empty()
    }

    fn merge(mut self, other: Rejections) -> Rejections {
        self.conflicts += other.conflicts;
        self.unclocked += other.unclocked;
        self.oversized += other.oversized;
        other.unreachable.into_iter().for_each(|(name, count)| *self.unreachable.entry(name).or_default() += count);
        other.late.into_iter().for_each(|(name, count)| *self.late.entry(name).or_default() += count);
        other.short.into_iter().for_each(|(name, count)| *self.short.entry(name).or_default() += count);
        self
    }
}

/// What the search saw.
#[derive(Clone, Debug, Default)]
pub struct Survey {
    /// Maps looked at.
    pub maps: u64,
    /// Maps with at least one legal form.
    pub legal: u64,
    /// Legal (map, form) pairs.
    pub designs: u64,
    /// The Pareto front.
    pub front: Front,
    /// Every legal design, where asked for.
    pub all: Vec<Found>,
    /// Why the other maps were turned down.
    pub rejections: Rejections,
}

impl Survey {
    fn merge(mut self, other: Survey) -> Survey {
        self.all.extend(other.all);
        Survey {
            maps: self.maps + other.maps,
            legal: self.legal + other.legal,
            designs: self.designs.saturating_add(other.designs),
            front: self.front.merge(other.front),
            all: self.all,
            rejections: self.rejections.merge(other.rejections),
        }
    }
}

impl<'a> Problem<'a> {
    /// Sets a problem up: restricts the choices and counts what the sizes decide.
    ///
    /// # Errors
    /// Restrictions that leave nothing, and a reduction over several indices on a domain where its lines do not end on one
    /// face.
    pub fn new(
        space: &'a Space,
        choices: &Choices,
        bounds: Bounds,
        machine: &'a Machine,
        sizes: &Bindings,
        constraint: Constraint,
    ) -> Checked<Problem<'a>> {
        let network = machine.links.network;
        let rank = constraint.place.as_ref().map_or(0, |place| place.rows().len());
        if !network.carries_rank(rank) {
            return Diagnostic::new(format!("a `{network}` network has no arrays of rank {rank}"))
                .label(&space.source, constraint.span.unwrap_or(space.span), "asks for one")
                .help("choose another network, such as `mesh`, or fewer dimensions in `place`")
                .alone();
        }
        let choices = heard_at_once(space, constraint.restrict(space, choices)?, machine)?;
        let unbounded = || Diagnostic::new(format!("the domain of `{}` is not bounded at these sizes", space.kernel));
        let region = Region::new(&space.domain.set, space.indices(), sizes).ok_or_else(unbounded)?;
        if region.count() > MOST_POINTS {
            return Diagnostic::new(format!("`{}` has too many points at these sizes to be costed", space.kernel))
                .help("legality and proofs do not depend on the sizes: search at smaller ones")
                .alone();
        }
        let levels = levels(space, &choices, sizes)?;
        let faces = faces(space, &choices, sizes).ok_or_else(unbounded)?;
        let (space, sizes) = (space, sizes.clone());
        Ok(Problem { space, choices, bounds, machine, sizes, constraint, region, levels, faces })
    }

    fn places(&self) -> Vec<Matrix> {
        match &self.constraint.place {
            Some(place) => vec![place.clone()],
            None => {
                let all = |rank: &usize| candidates::places(self.space.dimension(), *rank, self.bounds.bound);
                let ranks = self.bounds.ranks.iter().filter(|rank| self.machine.links.network.carries_rank(**rank));
                ranks.flat_map(all).collect()
            }
        }
    }

    /// The steps for places of each rank that is looked at.
    fn steps(&self, places: &[Matrix], reflections: &Reflections) -> BTreeMap<usize, Vec<Candidate>> {
        let (dimension, within) = (self.space.dimension(), self.bounds.steps);
        let ranks: BTreeSet<usize> = places.iter().map(|place| place.rows().len()).collect();
        let of = |rank| match &self.constraint.step {
            Some(step) => vec![step.clone()],
            None => candidates::steps(rank, dimension, within),
        };
        ranks.into_iter().map(|rank| (rank, reflections.thin_out(of(rank), within))).collect()
    }

    /// Whether the array fits the machine, in one orientation or another.
    fn fits(&self, place: &Matrix) -> bool {
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

/// Runs the search; `all` also keeps every legal design, and then no class of reflected designs is thinned out.
/// `progress` hears how many of how many places are done. The result does not depend on the number of threads.
pub fn search(problem: &Problem, all: bool, progress: &(dyn Fn(usize, usize) + Sync)) -> Survey {
    let places = problem.places();
    let fixed = problem.constraint.place.is_some() || problem.constraint.step.is_some();
    let reflections = if all || fixed { Reflections::none() } else { Reflections::of(problem.space, &problem.choices) };
    let steps = problem.steps(&places, &reflections);
    let done = std::sync::atomic::AtomicUsize::new(0);
    let surveys: Vec<Survey> = places
        .par_iter()
        .map(|place| {
            let survey = search_place(problem, place, &steps[&place.rows().len()], all);
            progress(1 + done.fetch_add(1, std::sync::atomic::Ordering::Relaxed), places.len());
            survey
        })
        .collect();
    surveys.into_iter().fold(Survey::default(), Survey::merge)
}

fn search_place(problem: &Problem, place: &Matrix, steps: &[Candidate], all: bool) -> Survey {
    let mut survey = Survey::default();
    if !problem.fits(place) {
        survey.maps = steps.len() as u64;
        survey.rejections.oversized = survey.maps;
        return survey;
    }
    let table = PlaceTable::new(problem, place);
    table.blame(&mut survey.rejections);
    for candidate in steps.iter().filter(|candidate| !candidate.is_redundant_at(place)) {
        let map = SpaceTimeMap { place: place.clone(), step: candidate.step.clone() };
        survey.maps += 1;
        search_map(&table, problem, &map, all, &mut survey);
    }
    survey
}

fn search_map(table: &PlaceTable, problem: &Problem, map: &SpaceTimeMap, all: bool, survey: &mut Survey) {
    if let Some(tensor) = table.first_late(&map.step, Priced::is_in_time) {
        match table.first_late(&map.step, Priced::is_in_long_rows) {
            Some(_) => survey.rejections.add_late(tensor),
            None => survey.rejections.add_short(tensor),
        }
        return;
    }
    let Some(whole) = pace(table, map) else {
        survey.rejections.conflicts += 1;
        return;
    };
    let Some(cycles) = cycles(problem, map) else {
        survey.rejections.unclocked += 1;
        return;
    };
    let base = Cost { cycles, ..table.base };
    let paces = Paces::new(map, whole.as_ref());
    let Some(offers) = Offers::new(table, problem, map, paces, &mut survey.rejections) else { return };
    let designs = offers.count();
    survey.designs = survey.designs.saturating_add(designs);
    survey.legal += u64::from(designs > 0);
    if all {
        survey.all.extend(offers.every_form(base).iter().map(|form| form.found(problem, map)));
    }
    if !survey.front.beats(&offers.least(base)) {
        offers.best_forms(base).iter().for_each(|form| survey.front.add(form.found(problem, map)));
    }
}

/// The time between two points of a PE that follow each other: `Some(None)` where every PE has one point only, `None` where
/// two points would share a time.
fn pace(table: &PlaceTable, map: &SpaceTimeMap) -> Option<Option<Vector>> {
    match (&table.kernel[..], map.step.rows()) {
        ([], _) => Some(None),
        ([line], [row]) => Some(dot(line, row)).filter(|pace| *pace != 0).map(|pace| Some(vec![pace.abs()])),
        _ => {
            let basis = clock::row_basis_of(&table.kernel, &map.step)?;
            Some(basis.last().map(|inner| map.delay(inner)))
        }
    }
}

fn cycles(problem: &Problem, map: &SpaceTimeMap) -> Option<u64> {
    let row = match map.step.rows() {
        [row] => row.clone(),
        _ => Clock::new(problem.space, map)?.row(map, &problem.sizes)?,
    };
    let (first, last) = problem.region.range(&row)?;
    Some((last - first).unsigned_abs() + 1)
}
