//! For every map an exact Pareto combination of the choices, for all maps in parallel.

use super::Task;
use super::maps::Maps;
use super::offers::Offers;
use super::paces::Paces;
use super::place_table::PlaceTable;
use super::symmetry::{Candidate, Reflections};
use super::timeliness::Timeliness;
use crate::cost::Cost;
use crate::extract::{LeftOut, Strategy, Survey};
use crate::mapping::clock::Clock;
use crate::mapping::{SpaceTimeMap, clock};
use rayon::prelude::*;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed};
use systole_base::integer::{Matrix, Vector, dot};

/// Runs the search; `all` also keeps every legal design, and then no class of reflected designs is thinned out.
/// `progress` hears how many of how many places are done, and says whether to go on. Where it always does the result does not depend
/// on the number of threads.
pub fn search(task: &Task, all: bool, progress: &(dyn Fn(usize, usize) -> bool + Sync)) -> Survey {
    let fixed = task.constraint.only_place().is_some() || task.constraint.only_step().is_some();
    let reflections = if all || fixed { Reflections::none() } else { Reflections::of(task.space, &task.choices) };
    let maps = Maps::of(task, &reflections);
    let (done, is_stopped) = (AtomicUsize::new(0), AtomicBool::new(false));
    let surveys: Vec<Survey> = maps
        .places
        .par_iter()
        .map(|place| {
            if is_stopped.load(Relaxed) {
                return Survey { is_stopped: true, ..Survey::default() };
            }
            let go_on = |done: usize| {
                let goes_on = progress(done, maps.places.len());
                is_stopped.fetch_or(!goes_on, Relaxed);
                goes_on
            };
            let survey = search_place(task, place, maps.at(place), (all, &|| go_on(done.load(Relaxed))));
            go_on(1 + done.fetch_add(1, Relaxed));
            survey
        })
        .collect();
    let left_out = LeftOut { maps: maps.left_out, ..LeftOut::default() };
    let start = Survey { strategy: Strategy::Enumerate, left_out, ..Survey::default() };
    let mut survey = surveys.into_iter().fold(start, Survey::merge);
    if survey.is_stopped {
        survey.left_out.maps = maps.all.saturating_sub(survey.maps);
    }
    survey
}

/// Between so many maps it is asked whether to go on.
const BETWEEN: u64 = 10_000;

fn search_place<'a>(
    task: &Task,
    place: &Matrix,
    steps: impl Iterator<Item = &'a Candidate>,
    (all, goes_on): (bool, &dyn Fn() -> bool),
) -> Survey {
    let mut survey = Survey::default();
    if !task.fits(place) {
        survey.maps = steps.count() as u64;
        survey.rejections.oversized = survey.maps;
        return survey;
    }
    let table = PlaceTable::new(task, place);
    table.blame(&mut survey.rejections);
    let mut timeliness = table.timeliness();
    for candidate in steps.filter(|candidate| !candidate.is_redundant_at(place)) {
        survey.maps += 1;
        if survey.maps.is_multiple_of(BETWEEN) && !goes_on() {
            survey.is_stopped = true;
            break;
        }
        timeliness.begin(&candidate.step);
        search_map((&table, &mut timeliness), &candidate.step, all, &mut survey);
    }
    survey
}

fn search_map((table, timeliness): (&PlaceTable, &mut Timeliness), step: &Matrix, all: bool, survey: &mut Survey) {
    let task = table.task;
    if let Some(late) = timeliness.late() {
        match late.is_in_long_rows {
            true => survey.rejections.add_short(late.tensor),
            false => survey.rejections.add_late(late.tensor),
        }
        return;
    }
    let Some(basis) = basis(table, step) else {
        survey.rejections.conflicts += 1;
        return;
    };
    let map = &SpaceTimeMap { place: table.place.clone(), step: step.clone() };
    let whole = basis.last().map(|inner| map.delay(inner));
    let Some((cycles, clock)) = cycles(task, map, &basis) else {
        survey.rejections.unclocked += 1;
        return;
    };
    let base = Cost { cycles, ..table.base };
    let paces = Paces::new(map, whole.as_ref());
    let Some(offers) = Offers::new((table, timeliness), (map, clock.as_ref()), paces, &mut survey.rejections) else {
        return;
    };
    let designs = offers.count();
    survey.designs = survey.designs.saturating_add(designs);
    survey.legal += u64::from(designs > 0);
    if all {
        survey.all.extend(offers.every_form(base).iter().map(|form| form.found(task, map)));
    }
    if !survey.front.beats(&offers.least(base)) {
        for form in offers.best_forms(base) {
            // Most are beaten, and a design is far larger than its cost.
            if !survey.front.beats(&form.cost) {
                survey.front.add(form.found(task, map));
            }
        }
    }
}

/// A basis of the points that share a PE, in the order of their times; `None` where two of them would share one.
fn basis(table: &PlaceTable, step: &Matrix) -> Option<Vec<Vector>> {
    match (&table.kernel[..], step.rows()) {
        ([], _) => Some(vec![]),
        ([line], [row]) => match dot(line, row) {
            0 => None,
            pace => Some(vec![line.iter().map(|entry| entry * pace.signum()).collect()]),
        },
        _ => {
            // A time with more rows than a PE has dimensions has no closed weights.
            clock::row_basis_of(&table.kernel, step).filter(|basis| basis.len() == step.rows().len())
        }
    }
}

/// How many cycles a map takes, and its clock where it has several rows.
fn cycles(task: &Task, map: &SpaceTimeMap, basis: &[Vector]) -> Option<(u64, Option<Clock>)> {
    let (row, clock) = match map.step.rows() {
        [row] => (row.clone(), None),
        rows if rows.len() != basis.len() => return None,
        _ => {
            let clock = Clock::on_box(task.extents.as_deref()?, map, basis)?;
            (clock.row(map, &task.sizes)?, Some(clock))
        }
    };
    let (first, last) = task.region.range(&row)?;
    Some(((last - first).unsigned_abs() + 1, clock))
}
