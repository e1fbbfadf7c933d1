//! For every map an exact Pareto combination of the choices, for all maps in parallel.

use super::Task;
use super::offers::Offers;
use super::paces::Paces;
use super::place_table::{PlaceTable, Priced};
use super::symmetry::{Candidate, Reflections};
use crate::cost::Cost;
use crate::extract::{Strategy, Survey};
use crate::mapping::clock::Clock;
use crate::mapping::{SpaceTimeMap, clock};
use rayon::prelude::*;
use systole_base::integer::{Matrix, Vector, dot};

/// Runs the search; `all` also keeps every legal design, and then no class of reflected designs is thinned out.
/// `progress` hears how many of how many places are done. The result does not depend on the number of threads.
pub fn search(task: &Task, all: bool, progress: &(dyn Fn(usize, usize) + Sync)) -> Survey {
    let places = task.places();
    let fixed = task.constraint.only_place().is_some() || task.constraint.only_step().is_some();
    let reflections = if all || fixed { Reflections::none() } else { Reflections::of(task.space, &task.choices) };
    let steps = task.steps(&places, &reflections);
    let done = std::sync::atomic::AtomicUsize::new(0);
    let surveys: Vec<Survey> = places
        .par_iter()
        .map(|place| {
            let survey = search_place(task, place, &steps[&place.rows().len()], all);
            progress(1 + done.fetch_add(1, std::sync::atomic::Ordering::Relaxed), places.len());
            survey
        })
        .collect();
    let start = Survey { strategy: Strategy::Enumerate, ..Survey::default() };
    surveys.into_iter().fold(start, Survey::merge)
}

fn search_place(task: &Task, place: &Matrix, steps: &[Candidate], all: bool) -> Survey {
    let mut survey = Survey::default();
    if !task.fits(place) {
        survey.maps = steps.len() as u64;
        survey.rejections.oversized = survey.maps;
        return survey;
    }
    let table = PlaceTable::new(task, place);
    table.blame(&mut survey.rejections);
    for candidate in steps.iter().filter(|candidate| !candidate.is_redundant_at(place)) {
        let map = SpaceTimeMap { place: place.clone(), step: candidate.step.clone() };
        survey.maps += 1;
        search_map(&table, task, &map, all, &mut survey);
    }
    survey
}

fn search_map(table: &PlaceTable, task: &Task, map: &SpaceTimeMap, all: bool, survey: &mut Survey) {
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
    let Some(cycles) = cycles(task, map) else {
        survey.rejections.unclocked += 1;
        return;
    };
    let base = Cost { cycles, ..table.base };
    let paces = Paces::new(map, whole.as_ref());
    let Some(offers) = Offers::new(table, task, map, paces, &mut survey.rejections) else { return };
    let designs = offers.count();
    survey.designs = survey.designs.saturating_add(designs);
    survey.legal += u64::from(designs > 0);
    if all {
        survey.all.extend(offers.every_form(base).iter().map(|form| form.found(task, map)));
    }
    if !survey.front.beats(&offers.least(base)) {
        offers.best_forms(base).iter().for_each(|form| survey.front.add(form.found(task, map)));
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
            // A time with more rows than a PE has dimensions has no closed weights.
            (basis.len() == map.step.rows().len()).then_some(())?;
            Some(basis.last().map(|inner| map.delay(inner)))
        }
    }
}

fn cycles(task: &Task, map: &SpaceTimeMap) -> Option<u64> {
    let row = match map.step.rows() {
        [row] => row.clone(),
        _ => Clock::new(task.space, map)?.row(map, &task.sizes)?,
    };
    let (first, last) = task.region.range(&row)?;
    Some((last - first).unsigned_abs() + 1)
}
