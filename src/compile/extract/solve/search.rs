//! The loop over placements, dataflows and steps.

use super::asked::see_asked;
use super::beam::search_by_parts;
use super::dataflows::Dataflows;
use super::folds::folds;
use super::places::{Axes, Edge, Kept, NearRows, Placement, Places, edges, in_order, strict_operands};
use super::sharing::{Laid, Tried, apart, side_by_side, take_turns, words_are_apart};
use super::steps::{Conditions, Law, Stuck, on_links, positions};
use super::tally;
use super::task::{Lines, Task, Work};
use crate::cost::Cost;
use crate::extract::{Found, LeftOut, Limits, Survey};
use crate::mapping::{Design, Fold, Handoff, SpaceDesign, check_ways};
use rayon::prelude::*;
use systole_base::diagnostic::Checked;

/// Placements between two looks at the budget.
const AT_ONCE: usize = 16;

/// So many at first, and where they take long.
const LEAST_AT_ONCE: usize = 2;

/// Placements that take more than one part in so many of the budget take long.
const LOOKS: u64 = 64;

/// Dataflows of a placement between two looks at the budget.
const DATAFLOWS_AT_ONCE: usize = 4;

/// So many placements in order are looked at for one order of the reductions.
const IN_ORDER: usize = 8;

/// What may be done for placements in order, however small the budget is: there is always an answer.
const LEAST_IN_ORDER: u64 = 750_000;

/// A further kind of array, of times or of moves gets one part in so many of the budget.
const SHARE: u64 = 8;

/// Hears how many of how many placements are done, and says whether to go on.
type Progress<'a> = &'a (dyn Fn(usize, usize) -> bool + Sync);

/// Runs the search; `keep` also keeps every legal design beside the front. Smaller budgets are searched with first, as long as they do not
/// suffice, and the arrays that they find are kept, so that a larger one never leads to more cycles or a worse array. One search of a task goes
/// on at a time. The result does not depend on the number of threads.
pub fn search(task: &Task, keep: bool, progress: Progress) -> Survey {
    let deepening = if keep { vec![task.limits] } else { task.limits.deepening() };
    let (mut several, mut alone) = (Survey { keep, ..Survey::default() }, None);
    for limits in deepening {
        let task = &task.within(limits);
        task.work.begin();
        several = several.deepened(search_several(task, keep, progress));
        if several.designs == 0 {
            let before = alone.unwrap_or_else(|| Survey { keep, ..Survey::default() });
            let found = search_alone(task, several.clone(), (before.designs > 0, keep, progress));
            alone = Some(before.deepened(found));
        }
        let is_stopped = several.is_stopped || alone.as_ref().is_some_and(|alone| alone.is_stopped);
        if is_stopped || !task.work.is_short() {
            break;
        }
    }
    match alone {
        Some(alone) if several.designs == 0 => alone,
        // A larger budget never leads to more cycles.
        Some(alone) => several.with_faster(&alone.front),
        None => several,
    }
}

/// The search for arrays of several PEs within some limits, in every way that values could take.
fn search_several(task: &Task, keep: bool, progress: Progress) -> Survey {
    let mut survey = Survey { keep, ..Survey::default() };
    for arrays in [Arrays::Several, Arrays::InRounds] {
        survey = survey_of(task, arrays, survey, (keep, progress));
    }
    survey
}

/// The search for one PE that runs everything in rounds or, where there is no design yet, in order; after one for arrays of several that found
/// none.
fn search_alone(task: &Task, several: Survey, (has_one, keep, progress): (bool, bool, Progress)) -> Survey {
    let survey = survey_of(task, Arrays::One, several, (keep, progress));
    // It takes little time, so it does not ask whether to go on.
    if survey.designs == 0 && !has_one { survey.merge(search_in_order(task, keep)) } else { survey }
}

/// What was seen before, with the search in these arrays where it goes on and nothing was found.
fn survey_of(task: &Task, arrays: Arrays, before: Survey, (keep, progress): (bool, Progress)) -> Survey {
    let is_open = arrays == Arrays::Several || arrays.in_rounds(task).next().is_some();
    match is_open && before.designs == 0 && !before.is_stopped {
        true => before.merge(search_ways(task, arrays, (keep, progress))),
        false => before,
    }
}

/// The arrays that are looked at together, in every way that values could take, before the next ones are.
#[derive(Clone, Copy, PartialEq)]
enum Arrays {
    /// Those of several PEs; for systems of many spaces without those in rounds.
    Several,
    /// Those of several PEs in rounds, for systems of many spaces.
    InRounds,
    /// One PE that runs everything in rounds.
    One,
}

impl Arrays {
    /// Those that run in rounds, the largest first.
    fn in_rounds(self, task: &Task) -> impl Iterator<Item = Axes> {
        let several = if task.has_rounds_at_once() { Arrays::Several } else { Arrays::InRounds };
        let of = move |axes: &Axes| if axes.rank == 0 { Arrays::One } else { several };
        task.arrays_in_rounds().into_iter().filter(move |axes| of(axes) == self)
    }
}

/// The search in these arrays. Times are plain where that leads to designs, else vectors; where neither does, what is computed is
/// broadcast, or stored by each PE for itself or in a memory.
fn search_ways(task: &Task, arrays: Arrays, (keep, progress): (bool, Progress)) -> Survey {
    let storing = task.storing();
    // Where something has to pass through memory, what is kept on its PE is looked at at once.
    let mut survey = match task.constraint.through_memory.is_empty() || storing.is_empty() {
        true => search_times(task, arrays, room_for(task, 1), (keep, progress)),
        false => Survey { keep, ..Survey::default() },
    };
    if survey.designs > 0 {
        return survey;
    }
    // Buses and what PEs keep are looked at both, and the cost decides: one takes many PEs, the other many cycles.
    let driving = task.driving().filter(|_| task.constraint.through_memory.is_empty() && !survey.is_stopped);
    if let Some(driving) = driving {
        let driven = search_times(&driving, arrays, room_for(task, SHARE), (keep, progress));
        // What buses do not lead to either says nothing new of what streams have not led to.
        survey = match driven.designs > 0 || driven.is_stopped {
            true => survey.merge(driven),
            false => Survey { left_out: survey.left_out.join(driven.left_out), ..survey },
        };
    }
    let mut are_stored = false;
    for storing in storing {
        if are_stored || survey.is_stopped {
            break;
        }
        let stored = search_times(&storing, arrays, room_for(task, SHARE), (keep, progress));
        are_stored = stored.designs > 0;
        survey = survey.merge(stored);
    }
    survey
}

/// PEs that run everything in order and keep what they compute, or store it: one PE, or those along which strips lie. This is where
/// nothing else was found, and no schedule says otherwise.
fn search_in_order(task: &Task, keep: bool) -> Survey {
    let mut survey = Survey { keep, ..Survey::default() };
    let Some(places) = task.places_in_order() else { return survey };
    // Nothing comes after it, so it has all that is left.
    let limit = task.limits.budget.max(task.work.sum().saturating_add(LEAST_IN_ORDER));
    for task in task.keeping_all() {
        let task = task.within(Limits { by_components: true, ..task.limits });
        let edges = edges(task.system, &task.choices, &task.takers);
        let mut looked_at: Vec<Placement> = vec![];
        for is_tight in [false, true] {
            if survey.designs > 0 {
                return survey;
            }
            if task.work.has_reached(limit) {
                survey.left_out.unlisted += 1;
                return survey;
            }
            let kept = Kept { places: &places, is_tight };
            let (mut placements, tried) = in_order(task.system, &task.choices, &edges, (kept, IN_ORDER));
            task.work.add(Work::JOINED.saturating_mul(tried));
            placements.retain(|placement| !looked_at.contains(placement));
            survey = search_placements(&task, (&forms(&task, &edges), u64::MAX), &placements, survey, &|_, _| true);
            looked_at.extend(placements);
        }
    }
    survey
}

fn search_times(task: &Task, arrays: Arrays, limit: u64, (keep, progress): (bool, Progress)) -> Survey {
    let edges = edges(task.system, &task.choices, &task.takers);
    let mut survey = match arrays {
        Arrays::Several => search_arrays(task, &task.plain_arrays(), (&edges, limit), (keep, progress)),
        Arrays::InRounds | Arrays::One => Survey { keep, ..Survey::default() },
    };
    // The largest arrays that lead to designs: in smaller ones a PE does more, round by round.
    let in_rounds: Vec<Axes> = arrays.in_rounds(task).collect();
    for (number, axes) in in_rounds.iter().enumerate() {
        if survey.is_stopped {
            break;
        }
        if survey.designs > 0 && (number > 0 || !task.is_stacked()) {
            survey.left_out.unlisted += if number > 0 { (in_rounds.len() - number) as u64 } else { 0 };
            break;
        }
        survey = survey.merge(search_arrays(task, &[*axes], (&edges, room_for(task, SHARE)), (keep, progress)));
    }
    survey
}

/// How much may have been done in all, before the search in some kinds of arrays ends: one part in so many of the budget more than
/// was used so far.
fn room_for(task: &Task, parts: u64) -> u64 {
    task.work.sum().saturating_add(task.limits.budget / parts)
}

/// The search in some kinds of arrays.
fn search_arrays(
    task: &Task,
    arrays: &[Axes],
    (edges, limit): (&[Edge], u64),
    (keep, progress): (bool, Progress),
) -> Survey {
    let forms = forms(task, edges);
    let goes_on = || progress(0, 0);
    let all = |most: usize| placements(task, arrays, edges, (most, keep, &goes_on));
    let listed = if keep { Some(all(usize::MAX)) } else { few(&all, (task.limits.wholly, &forms)) };
    if listed.is_none() {
        task.work.fell_short();
    }
    let by_parts = || search_by_parts(task, arrays, (edges, limit), progress);
    let before = if listed.is_none() { by_parts() } else { Survey::default() };
    if before.designs > 0 || before.is_stopped {
        return before;
    }
    // What the search by parts gave up is left out as well, where it found nothing; then not much is hoped of all placements.
    let is_whole = listed.is_some();
    let done = task.work.sum();
    let hoped = if is_whole { u64::MAX } else { done.saturating_add(limit.saturating_sub(done) / SHARE) };
    let limit = limit.min(hoped);
    // No more are listed than may be looked at: a list of all takes longer than that.
    let room = (limit.saturating_sub(done) / Work::SOLVED).min(task.limits.wholly).max(AT_ONCE as u64);
    let Listed { placements, left_out, is_cut_short } = listed.unwrap_or_else(|| all(room as usize));
    let start = Survey { left_out: before.left_out.join(left_out), keep, ..before };
    if is_cut_short && !goes_on() {
        return Survey { is_stopped: true, ..start };
    }
    let survey = search_placements(task, (&forms, limit), &placements, start, progress);
    // What is beyond the budget may be near to what the search by parts comes to.
    if is_whole && !keep && survey.left_out.placements > 0 && !survey.is_stopped {
        survey.merge(by_parts())
    } else {
        survey
    }
}

/// Placements are looked at until the budget is used up, so many side by side whatever the number of threads.
fn search_placements(
    task: &Task,
    (forms, limit): (&Dataflows, u64),
    placements: &[Placement],
    start: Survey,
    progress: Progress,
) -> Survey {
    let (mut survey, mut done, mut at_once) = (start, 0, LEAST_AT_ONCE);
    let keep = survey.keep;
    while done < placements.len() {
        let before = task.work.sum();
        if task.work.has_reached(limit) {
            survey.left_out.placements += (placements.len() - done) as u64;
            break;
        }
        let some = &placements[done..placements.len().min(done + at_once)];
        let goes_on = || progress(done, placements.len());
        let surveys = search_some(task, (forms, limit), some, (keep, &goes_on));
        survey = surveys.into_iter().fold(survey, Survey::merge);
        done += some.len();
        // The more they take the fewer are next, so that the budget holds.
        at_once = match task.work.sum() - before > task.limits.budget / LOOKS {
            true => (at_once / 2).max(LEAST_AT_ONCE),
            false => (at_once * 2).min(AT_ONCE),
        };
        if !progress(done, placements.len()) && done < placements.len() {
            survey.is_stopped = true;
            break;
        }
    }
    survey
}

/// The dataflows of a task.
pub(super) fn forms<'a>(task: &'a Task, edges: &'a [Edge]) -> Dataflows<'a> {
    let (system, choices, network) = (task.system, &task.choices, task.machine.links.network);
    Dataflows::new((system, choices), edges, (network, task.limits.dataflows))
}

/// The placements, where there are no more dataflows over all of them than are looked at. Most often the first few tell.
fn few(all: &dyn Fn(usize) -> Listed, (most, forms): (u64, &Dataflows)) -> Option<Listed> {
    for first in [most / 8, most] {
        let listed = all(first as usize);
        let count = || listed.placements.par_iter().map(|placement| forms.count(placement).min(most + 1)).sum::<u64>();
        if listed.is_cut_short || listed.placements.len() as u64 > most || count() > most {
            return None;
        }
        if listed.placements.len() as u64 <= first {
            return Some(listed);
        }
    }
    None
}

/// Placements of several arrays, and what was left out.
struct Listed {
    placements: Vec<Placement>,
    left_out: LeftOut,
    /// Whether of some array not all rows were tried.
    is_cut_short: bool,
}

/// The placements of these arrays and all lines, one more than the most if there are, and the lines that are left out or cut short;
/// `keep` where every design is wanted.
fn placements(
    task: &Task,
    arrays: &[Axes],
    edges: &[Edge],
    (all_most, keep, goes_on): (usize, bool, &dyn Fn() -> bool),
) -> Listed {
    let (system, network, bound) = (task.system, task.machine.links.network, task.bounds.bound);
    let (most, stays) = (task.limits.placements, keep || task.constraint.rank().is_some());
    let strict = strict_operands(system, &task.choices);
    let (mut placements, mut left_out, mut is_cut_short) = (vec![], LeftOut::default(), false);
    let near = NearRows::default();
    for axes in arrays.iter().copied() {
        let Lines { each, count, slanted } = task.lines(axes);
        left_out.slanted += slanted;
        for (done, fixed) in each.enumerate() {
            // What leads nowhere under one line mostly does under the others.
            if is_cut_short || placements.len() > all_most {
                left_out.unlisted += count - done as u64;
                break;
            }
            let strict = strict.clone();
            let most = most.min(all_most.saturating_add(1) - placements.len());
            let found =
                Places { system, edges, axes, bound, network, fixed, stays, strict, most, near: &near }.all(goes_on);
            placements.extend(found.placements);
            is_cut_short |= found.is_cut_short;
            let is_last = placements.len() > all_most;
            left_out.unlisted += u64::from(is_last);
            left_out.crowded += u64::from((found.are_more || found.is_cut_short) && !is_last);
        }
    }
    Listed { placements, left_out, is_cut_short }
}

/// Some placements, a few dataflows of each at a time until the budget is used up: the same ones whatever the number of threads.
fn search_some(
    task: &Task,
    (forms, limit): (&Dataflows, u64),
    placements: &[Placement],
    (keep, goes_on): (bool, &(dyn Fn() -> bool + Sync)),
) -> Vec<Survey> {
    let begin = |placement: &Placement| {
        let mut survey = Survey { maps: 1, keep, ..Survey::default() };
        let (all, beyond) = forms.all(placement);
        survey.left_out.dataflows = beyond;
        survey.formless = u64::from(all.is_empty());
        let fits = all.first().is_none_or(|parts| task.room.holds(parts));
        survey.rejections.oversized = u64::from(!fits);
        (survey, if fits { all } else { vec![] })
    };
    let mut open: Vec<(Survey, Vec<Vec<SpaceDesign>>)> = placements.par_iter().map(begin).collect();
    let most = open.iter().map(|(_, all)| all.len()).max().unwrap_or(0);
    for from in (0..most).step_by(DATAFLOWS_AT_ONCE) {
        if from > 0 && task.work.has_reached(limit) {
            let left = |all: &Vec<Vec<SpaceDesign>>| all.len().saturating_sub(from) as u64;
            open.iter_mut().for_each(|(survey, all)| survey.left_out.dataflows += left(all));
            break;
        }
        open.par_iter_mut().for_each(|(survey, all)| {
            let some = all.iter().skip(from).take(DATAFLOWS_AT_ONCE);
            for parts in some {
                if !goes_on() {
                    survey.is_stopped = true;
                    break;
                }
                search_dataflow(task, parts, survey);
            }
        });
    }
    open.iter_mut().for_each(|(survey, _)| survey.legal = u64::from(survey.designs > 0));
    open.into_iter().map(|(survey, _)| survey).collect()
}

fn search_dataflow(task: &Task, parts: &[SpaceDesign], survey: &mut Survey) {
    let design = Design::new(task.system, parts.to_vec());
    task.work.add(Work::JOINED);
    match joined_handoffs(task, &design) {
        Ok(handoffs) => search_form(task, &design, &handoffs, survey),
        Err(why) => {
            survey.unreachable.get_or_insert(why);
        }
    }
}

/// The handoffs of a dataflow, where one array carries them and everything that is computed.
pub(super) fn joined_handoffs(task: &Task, design: &Design) -> Checked<Vec<Handoff>> {
    let network = task.machine.links.network;
    let handoffs = design.handoffs_among(network, &task.takers)?;
    check_ways(network, &design.ways(&handoffs)).map_err(|problem| vec![problem])?;
    Ok(handoffs)
}

/// The shortest steps of one dataflow, those that streams of its inputs ask for, and all within the box where they are few.
fn search_form(task: &Task, design: &Design, handoffs: &[Handoff], survey: &mut Survey) {
    let Some(mut conditions) = conditions(task, design, handoffs) else {
        survey.unstated += 1;
        return;
    };
    let mut timed = conditions.within(design, task.steps()).unwrap_or_default();
    task.work.add(Work::SOLVED + Work::PRICED * timed.len() as u64);
    let shortest = shortest_apart(task, design, handoffs, &mut conditions);
    let apart = shortest.as_ref().and_then(|(_, apart)| apart.clone());
    timed.extend(apart.clone().filter(|parts| !timed.contains(parts)));
    let before = survey.designs;
    // So many side by side, each against what was found before them, whatever the number of threads.
    for some in timed.chunks(AT_ONCE) {
        let found: Vec<Legal> = some.par_iter().map(|parts| legal(task, parts, handoffs, survey)).collect();
        found.into_iter().for_each(|found| add_all(found, survey));
    }
    let Some((shortest, _)) = shortest else { return survey.add_stuck(design.parts.clone()) };
    if survey.designs == before && !task.constraint.fixes_a_step() {
        task.work.add(Work::KEPT_APART);
        let (found, are_more) = legal_in_turns(task, (design, handoffs, &conditions), &shortest, survey);
        survey.left_out.beside += u64::from(are_more);
        add_all(found, survey);
    }
    if let Some(apart) = apart {
        let tried = [apart, shortest.clone()];
        let are_more = see_asked(task, (design, tried), |streamed| search_streamed(task, streamed, survey));
        survey.left_out.streams += u64::from(are_more);
    }
    if let Some(beside) = side_by_side(task, design, &shortest)
        && let Some(tried) = search_streamed(task, &beside, survey)
    {
        let are_more = see_asked(task, (&beside, tried), |streamed| search_streamed(task, streamed, survey));
        survey.left_out.streams += u64::from(are_more);
    }
    if survey.designs == before && survey.refused.is_none() {
        let timed = Design::new(task.system, shortest);
        let fold = task.constraint.fold.as_ref().and_then(|(factors, _)| Fold::by(factors).into_iter().next());
        survey.refused = Some((tally::nearest_inputs(task, &timed, handoffs), fold.unwrap_or_default()));
    }
}

/// The shortest steps of a dataflow, whose words do not meet on links, and those under which its spaces do not meet either, if there are any.
fn shortest_apart(
    task: &Task,
    design: &Design,
    handoffs: &[Handoff],
    conditions: &mut Conditions,
) -> Option<(Vec<SpaceDesign>, Option<Vec<SpaceDesign>>)> {
    let parts = conditions.shortest(design, false).ok()?;
    let shortest = on_links(task, design, handoffs, conditions, &parts).unwrap_or(parts);
    let apart = apart(task, design, conditions, &shortest);
    Some((shortest, apart))
}

/// Adds the designs of a dataflow of which some inputs are to stream; tells the steps that were tried, where its spaces do not meet under them.
fn search_streamed(task: &Task, streamed: &Design, survey: &mut Survey) -> Option<[Vec<SpaceDesign>; 2]> {
    let handoffs = joined_handoffs(task, streamed).ok()?;
    let mut conditions = conditions(task, streamed, &handoffs)?;
    task.work.add(Work::SOLVED);
    let (shortest, apart) = shortest_apart(task, streamed, &handoffs, &mut conditions)?;
    let apart = apart?;
    add_all(legal(task, &apart, &handoffs, survey), survey);
    Some([apart, shortest])
}

/// The designs with the shortest legal steps under which spaces take turns, on as many PEs as before or on more, and whether there are more ways
/// for that than were looked at.
pub(super) fn legal_in_turns(task: &Task, laid: Laid, shortest: &[SpaceDesign], survey: &Survey) -> (Legal, bool) {
    let found = |tried: &Tried| legal(task, &tried.parts, &tried.handoffs, survey);
    let taken = |tried: &Tried| Some(found(tried)).filter(|found| found.count > 0);
    let (taken, are_more) = take_turns(task, laid, shortest, taken);
    (taken.into_iter().fold(Legal::default(), Legal::join), are_more)
}

/// The legal designs of some steps.
#[derive(Default)]
pub(super) struct Legal {
    /// Those that no design on the front beats.
    pub found: Vec<Found>,
    /// How many there are, those that are beaten among them.
    count: usize,
}

impl Legal {
    fn join(mut self, other: Legal) -> Legal {
        self.found.extend(other.found);
        Legal { count: self.count + other.count, ..self }
    }
}

/// The designs with these steps, every best way to move the inputs with its folds; none where two points meet.
pub(super) fn legal(task: &Task, parts: &[SpaceDesign], handoffs: &[Handoff], survey: &Survey) -> Legal {
    let timed = Design::new(task.system, parts.to_vec());
    let priced = tally::price(task, &timed, handoffs);
    let apart = || task.meetings.are_none(&timed) && words_are_apart(&timed, &task.machine.links, handoffs);
    let all = priced.costs().count();
    if all == 0 || !apart() {
        return Legal::default();
    }
    // The fold of a design that is beaten may not be: it takes fewer PEs.
    let is_wanted = |cost: &Cost| survey.keep || task.has_folds() || !survey.beats(cost);
    let wanted = priced.parts(parts, is_wanted);
    let beaten = all - wanted.len();
    let folded = |(cost, parts): (Cost, Vec<SpaceDesign>)| {
        let design = Design::new(task.system, parts);
        let folds = folds(task, &design, handoffs, &cost, |cost| !survey.keep && survey.beats(cost));
        folds.into_iter().map(move |(cost, fold)| Found { cost, parts: design.parts.clone(), fold })
    };
    let found: Vec<Found> = wanted.into_iter().flat_map(folded).collect();
    Legal { count: found.len() + beaten, found }
}

/// Adds legal designs.
fn add_all(legal: Legal, survey: &mut Survey) {
    survey.designs += legal.count as u64;
    survey.add_all(legal.found);
}

/// What the steps of a dataflow must satisfy, with what the schedule fixes.
pub(super) fn conditions(task: &Task, design: &Design, handoffs: &[Handoff]) -> Option<Conditions> {
    let ordered = in_positions(task, design, handoffs);
    let conditions = Conditions::new(task, ordered.as_ref().unwrap_or(design), handoffs)?;
    with_given_steps(task, conditions)
}

/// Where operations share steps: the design with the order of its spaces within a step that leads to the shortest ones.
fn in_positions<'a>(task: &Task, design: &Design<'a>, handoffs: &[Handoff]) -> Option<Design<'a>> {
    let links = &task.machine.links;
    if !links.cell.is_shared() || !handoffs.iter().any(|handoff| design.may_share_step(handoff)) {
        return None;
    }
    let open = with_given_steps(task, Conditions::in_one_step(task, design, handoffs)?)?;
    let timed = Design { parts: open.shortest(design, false).ok()?, ..design.clone() };
    let positions = positions(&timed, handoffs);
    let mut ordered = design.clone();
    ordered.parts.iter_mut().zip(positions).for_each(|(part, position)| part.position = position);
    Some(ordered)
}

/// The conditions with the steps that a schedule says.
fn with_given_steps(task: &Task, mut conditions: Conditions) -> Option<Conditions> {
    for (space, step) in task.constraint.steps.iter().enumerate() {
        if let Some((step, _)) = step {
            conditions.fix(space, step.rows().last()?, space);
        }
    }
    Some(conditions)
}

/// Why a dataflow has no steps: the laws that clash. `None` where it has some.
pub fn why_stuck(task: &Task, parts: &[SpaceDesign]) -> Option<Stuck> {
    let design = Design::new(task.system, parts.to_vec());
    let handoffs = design.handoffs_among(task.machine.links.network, &task.takers).ok()?;
    conditions(task, &design, &handoffs)?.shortest(&design, true).err()
}

/// A design that does what the schedule says and breaks a law of each clash: the case to show.
pub fn nearest(task: &Task, parts: &[SpaceDesign]) -> Option<Vec<SpaceDesign>> {
    let design = Design::new(task.system, parts.to_vec());
    let handoffs = design.handoffs_among(task.machine.links.network, &task.takers).ok()?;
    let mut left = conditions(task, &design, &handoffs)?;
    let parts = loop {
        let laws = match left.shortest(&design, true) {
            Ok(parts) => break parts,
            Err(Stuck::Clash(laws)) => laws,
            Err(Stuck::Undecided(_)) => return None,
        };
        left.forget(laws.iter().find(|law| !matches!(law, Law::Given(_) | Law::Span(_)))?);
    };
    Some(tally::nearest_inputs(task, &Design { parts, ..design }, &handoffs))
}
