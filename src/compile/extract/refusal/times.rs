//! Times that no place makes right.
//!
//! In: what a schedule fixes, and the choices that it leaves. Out: whether no times can be right, whatever the places are. A value is read
//! by another point of its space in a later step, and by another space in no earlier one; what moves from point to point moves forwards
//! in time. Times that are vectors are compared lexicographically, and a sum of what is not less than zero there is not less than zero
//! either. So what rules out one row of times rules out any number of them, if the corners of the reads are points.

use super::order::rows_of_reads;
use crate::extract::Constraint;
use crate::mapping::{Row, Unknowns};
use crate::rewrite::{Choices, Transport};
use crate::smt::{LinearProblem, Optimum, attempt};
use std::time::Duration;
use systole_base::integer::{Matrix, Vector, lexicographic_sign};
use systole_equations::recurrence::spaces::SpaceSystem;

/// How long the steps of the other spaces may be looked for.
const LIMIT: Duration = Duration::from_secs(5);

/// Whether no design has these times, whatever its places are.
pub fn rule_out(system: &SpaceSystem, choices: &[Choices], constraint: &Constraint) -> bool {
    let mut given = constraint.steps.iter().zip(choices);
    let runs_back = given.any(|(step, choices)| step.as_ref().is_some_and(|(step, _)| runs_back(step, choices)));
    runs_back || goes_round(system, choices, constraint)
}

/// Whether something has to move that cannot: each choice has a direction that does not go forwards in time.
fn runs_back(step: &Matrix, choices: &Choices) -> bool {
    let is_late = |along: &Vector| along.len() != step.columns() || lexicographic_sign(&step.apply(along)) > 0;
    let moves = choices.transports.iter().any(|offered| offered.iter().all(|one| !one.streams().iter().all(is_late)));
    moves || choices.chains.iter().all(|chain| !chain.directions.iter().all(is_late))
}

/// Whether reads, what moves, and plain times that are given ask for more than any times have.
fn goes_round(system: &SpaceSystem, choices: &[Choices], constraint: &Constraint) -> bool {
    let indices = system.spaces.iter().map(|space| space.indices().to_vec()).collect();
    let unknowns = Unknowns::new(indices, system.parameters.clone());
    let least = |reader, writer| i64::from(reader == writer);
    let Some(mut rows) = rows_of_reads(system, &unknowns, least) else { return false };
    for (space, choices) in choices.iter().enumerate() {
        let forwards = common_directions(choices).into_iter().map(|along| row_along(&unknowns, space, &along, 1, 1));
        rows.extend(forwards);
    }
    if constraint.rounds() == Some(0) && constraint.rounds.iter().all(Option::is_some) {
        for (space, step) in constraint.steps.iter().enumerate() {
            let Some(row) = step.as_ref().and_then(|(step, _)| step.rows().last()) else { continue };
            rows.extend(fixed(&unknowns, space, row));
        }
    }
    let bounds = vec![(None, None); unknowns.count()];
    matches!(attempt(&LinearProblem { bounds, rows, ..LinearProblem::default() }, LIMIT), Optimum::Clash(_))
}

/// The directions along which something moves whatever is chosen.
fn common_directions(choices: &Choices) -> Vec<Vector> {
    let of_operands = choices.transports.iter().map(|offered| offered.iter().map(Transport::streams).collect());
    let of_chains = choices.chains.iter().map(|chain| &chain.directions[..]).collect();
    let all = of_operands.chain([of_chains]);
    all.flat_map(|offered: Vec<&[Vector]>| {
        let first = offered.first().map_or(&[][..], |first| first);
        let is_common = |along: &&Vector| offered.iter().all(|one| one.contains(along));
        first.iter().filter(is_common).cloned().collect::<Vec<_>>()
    })
    .collect()
}

/// That the step of a space grows by so much at least along a direction, times a sign.
fn row_along(unknowns: &Unknowns, space: usize, along: &[i64], sign: i64, least: i64) -> Row {
    let mut coefficients = vec![0; unknowns.count()];
    unknowns.step(space).zip(along).for_each(|(position, entry)| coefficients[position] = sign * entry);
    Row { coefficients, least, label: 0 }
}

/// That the step of a space is this one, up to where it starts.
fn fixed(unknowns: &Unknowns, space: usize, step: &[i64]) -> Vec<Row> {
    let unit = |index: usize| (0..step.len()).map(|other| i64::from(other == index)).collect::<Vector>();
    let row = |index: usize, sign: i64| row_along(unknowns, space, &unit(index), sign, sign * step[index]);
    (0..step.len()).flat_map(|index| [row(index, 1), row(index, -1)]).collect()
}
