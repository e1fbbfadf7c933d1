//! Words of one handoff, kept from being on one link at one time.
//!
//! In: the conditions on the steps of a dataflow, and its shortest steps. Out: the shortest under which the words of handoffs
//! over several hops never meet, at any size. `X[i]` from `X[i - 2]` on a line passes the PE between them, whose word leaves
//! when the other comes by if a step is as long as a hop. How far apart two points are and in how many hops their words meet
//! is constant, so each meeting that is found is a sum of the steps' entries with a value that it must not have.

use crate::extract::solve::Task;
use crate::extract::solve::steps::Conditions;
use crate::mapping::{Design, Giver, Handoff, SpaceDesign};
use crate::smt::{Counterexample, Verdict, settle};
use crate::timing::handed_words_apart;
use std::time::Duration;
use systole_base::integer::{Affine, Vector, dot};

/// How often the steps of one dataflow are asked for anew because two words meet.
const MOST_QUESTIONS: usize = 24;

/// How long one proof may take.
const LIMIT: Duration = Duration::from_secs(10);

/// The shortest steps under which no words of a handoff meet, with `conditions` made to say so; `None` where none are found.
pub fn on_links(
    task: &Task,
    design: &Design,
    handoffs: &[Handoff],
    conditions: &mut Conditions,
    shortest: &[SpaceDesign],
) -> Option<Vec<SpaceDesign>> {
    let mut parts = shortest.to_vec();
    for _ in 0..MOST_QUESTIONS {
        let timed = Design { parts, ..design.clone() };
        let Some((number, case)) = first_meeting(task, &timed, handoffs)? else { return Some(timed.parts) };
        let (writer, apart) = apart(task, &handoffs[number], &case)?;
        let times = dot(timed.parts[writer].map.step.rows().last()?, &apart);
        conditions.keep_words_apart((number, writer), &apart, times);
        parts = conditions.shortest(design, false).ok()?;
    }
    None
}

/// The first handoff of which two words meet, and where; `None` where a proof was not decided.
fn first_meeting(task: &Task, timed: &Design, handoffs: &[Handoff]) -> Option<Option<(usize, Counterexample)>> {
    for (number, handoff) in handoffs.iter().enumerate() {
        let Some(owed) = handed_words_apart(timed, &task.machine.links, handoff) else { continue };
        match settle(&owed, LIMIT) {
            Verdict::Proved => {}
            Verdict::Refuted(case) => return Some(Some((number, case))),
            Verdict::Unknown(_) => return None,
        }
    }
    Some(None)
}

/// The giving space, and by how much its points differ whose words meet.
fn apart(task: &Task, handoff: &Handoff, case: &Counterexample) -> Option<(usize, Vector)> {
    let Giver::Point { space, at, .. } = &handoff.giver else { return None };
    let reader = &task.system.spaces[handoff.reader];
    let sizes = case.sizes().iter().cloned().collect();
    let coordinates: Vector = case.values.iter().skip(case.parameters).map(|(_, value)| *value).collect();
    let (one, rest) = coordinates.split_at_checked(reader.dimension())?;
    let gives = |point: &[i64]| -> Option<Vector> {
        let bindings = reader.bind(&sizes, point);
        at.iter().map(|form: &Affine| form.evaluate(&bindings)).collect()
    };
    let (late, early) = (gives(one)?, gives(rest.get(..reader.dimension())?)?);
    Some((*space, late.iter().zip(&early).map(|(late, early)| late - early).collect()))
}
