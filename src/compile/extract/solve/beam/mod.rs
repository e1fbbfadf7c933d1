//! The search from part to part, for systems of more designs than can be looked at.
//!
//! In: a task. Out: what a beam search over its families saw. Families are placed one after the other; after each the best
//! designs of the families so far, under each objective, are gone on with. They are legal by themselves, and their steps are
//! found anew with each family, so that only places and dataflows stay. Where spaces would have to take turns, the beam is
//! widened first. An input's stream is chosen with its space, and asks for steps under which it passes: the whole search
//! would have to look through all steps for that.
//!
//! A stage has the system of the families so far (`SpaceSystem::among`); what others compute is there as if it were
//! given. It puts the next family beside each design of the beam in its plainest places (48), and makes drafts:
//! dataflows with their shortest steps, spaces apart or not (`draft`). In the order of what these would cost, objective
//! by objective, drafts are made legal until six are. Of these at most two may cost the same, since mirror images do
//! (`keep`). If no draft of a stage is legal but for spaces that alternate, the search begins anew with a beam twice as
//! wide, and once more. A stage without a draft ends the search of its arrays. How far edges reach is linear in the rows of a
//! place, so what equations of the readers fix is put in once an edge (`mapping::fixed`). 750 placements are most often
//! enough to see that there are too many.

mod draft;

mod keep;

mod partial;

mod stage;

use super::Task;
use super::places::{Axes, Edge, GivenRows, NearRows, Places, strict_operands};
use crate::extract::Survey;
use keep::best;
use partial::Partial;
use stage::Stage;

/// How often a beam is made twice as wide, rather than have spaces take turns.
const DOUBLINGS: u32 = 2;

/// Searches a system part by part, as long as `progress` says so. The result does not depend on the number of threads.
pub fn search_by_parts(
    task: &Task,
    arrays: &[Axes],
    (edges, limit): (&[Edge], u64),
    progress: &(dyn Fn(usize, usize) -> bool + Sync),
) -> Survey {
    let order = order(task, edges);
    let surveys = arrays.iter().enumerate().map(|(number, axes)| {
        let seen = |stage: usize| progress(number * order.len() + stage, arrays.len() * order.len());
        search_array(task, (*axes, limit), &order, &seen)
    });
    let mut seen = Survey::default();
    for survey in surveys {
        seen = seen.merge(survey);
        if seen.is_stopped {
            break;
        }
    }
    seen
}

/// The families in the order in which they are placed.
fn order(task: &Task, edges: &[Edge]) -> Vec<usize> {
    let system = task.system;
    let (network, bound, fixed) = (task.machine.links.network, task.bounds.bound, GivenRows::default());
    let strict = strict_operands(system, &task.choices);
    let (axes, near) = (Axes::default(), &NearRows::default());
    Places { system, edges, axes, bound, network, fixed, stays: false, strict, most: 0, near }.order()
}

/// The search in arrays of one kind. What a narrow beam gives up may be all that goes on without turns, so it is widened before any space
/// takes turns, as long as the limit allows.
fn search_array(task: &Task, (axes, limit): (Axes, u64), order: &[usize], seen: &dyn Fn(usize) -> bool) -> Survey {
    let mut width = task.limits.beam;
    for doubled in 0..=DOUBLINGS {
        let in_turns = doubled == DOUBLINGS || task.work.sum() >= limit;
        match search_as_wide(task, (axes, order), (width, in_turns, limit), seen) {
            Some(survey) => return survey,
            None if in_turns => break,
            None => width = width.saturating_mul(2),
        }
    }
    Survey::default()
}

/// The search that goes on with so many designs under each objective; `None` where spaces would have to take turns and may not.
fn search_as_wide(
    task: &Task,
    (axes, order): (Axes, &[usize]),
    (width, in_turns, limit): (usize, bool, u64),
    seen: &dyn Fn(usize) -> bool,
) -> Option<Survey> {
    let mut survey = Survey::default();
    let mut beam = vec![Partial::none(task.system)];
    for placed in 1..=order.len() {
        let (families, newest) = (&order[..placed], order[placed - 1]);
        let is_last = placed == order.len();
        let system = task.system.among(&ascending(families));
        let stage = Stage::new(task, &system, ascending(families), newest, axes);
        let found = stage.go_on(&beam, (width, in_turns, limit), is_last.then_some(&mut survey))?;
        let count = found.drafts + found.designs.len();
        beam = best(found.designs, width);
        survey.left_out.crowded += found.crowded;
        survey.left_out.dataflows = survey.left_out.dataflows.saturating_add(found.beyond);
        survey.left_out.partial += if is_last { 0 } else { (count - beam.len()) as u64 };
        if beam.is_empty() {
            break;
        }
        if !seen(placed) && !is_last {
            return Some(Survey { is_stopped: true, ..Survey::default() });
        }
    }
    Some(survey)
}

fn ascending(families: &[usize]) -> Vec<usize> {
    let mut families = families.to_vec();
    families.sort_unstable();
    families
}
