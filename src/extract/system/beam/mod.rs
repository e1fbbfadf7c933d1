//! The search from part to part, for systems of more designs than can be looked at.
//!
//! In: a problem. Out: what a beam search over its families saw. Families are placed one after the other; after each the best
//! designs of the families so far, under each objective, are gone on with. They are legal by themselves, and their steps are
//! found anew with each family, so that only places and dataflows stay. An input's stream is chosen with its space, and asks
//! for steps under which it passes: the whole search would have to look through all steps for that.

mod draft;

mod keep;

mod partial;

mod stage;

use super::SystemProblem;
use super::edges::Edge;
use super::places::{Places, strict_operands};
use super::survey::SystemSurvey;
use keep::best;
use partial::Partial;
use stage::Stage;

/// Searches a system part by part. The result does not depend on the number of threads.
pub fn search_by_parts(
    problem: &SystemProblem,
    edges: &[Edge],
    progress: &(dyn Fn(usize, usize) + Sync),
) -> SystemSurvey {
    let ranks = problem.ranks();
    let order = order(problem, edges);
    let surveys = ranks.iter().enumerate().map(|(number, rank)| {
        let seen = |stage: usize| progress(number * order.len() + stage, ranks.len() * order.len());
        search_rank(problem, *rank, &order, &seen)
    });
    surveys.fold(SystemSurvey::default(), SystemSurvey::merge)
}

/// The families in the order in which they are placed.
fn order(problem: &SystemProblem, edges: &[Edge]) -> Vec<usize> {
    let system = problem.system;
    let (network, bound, fixed) = (problem.machine.links.network, problem.bounds.bound, vec![]);
    let strict = strict_operands(system, &problem.choices);
    Places { system, edges, rank: 0, bound, network, fixed, given: false, strict, most: 0 }.order()
}

fn search_rank(problem: &SystemProblem, rank: usize, order: &[usize], seen: &dyn Fn(usize)) -> SystemSurvey {
    let mut survey = SystemSurvey::default();
    let mut beam = vec![Partial::none(problem.system)];
    for placed in 1..=order.len() {
        let (families, newest) = (&order[..placed], order[placed - 1]);
        let is_last = placed == order.len();
        let system = problem.system.among(&ascending(families));
        let stage = Stage::new(problem, &system, ascending(families), newest, rank);
        let found = stage.go_on(&beam, is_last.then_some(&mut survey));
        let count = found.drafts + found.designs.len();
        beam = best(found.designs, problem.limits.beam);
        survey.left_out.crowded += found.crowded;
        survey.left_out.partial += if is_last { 0 } else { (count - beam.len()) as u64 };
        seen(placed);
    }
    survey
}

fn ascending(families: &[usize]) -> Vec<usize> {
    let mut families = families.to_vec();
    families.sort_unstable();
    families
}
