//! Classes of PEs: the array cut along every condition that depends on the PE alone.
//!
//! A class is a consistent choice of answers to these conditions. Classes that only occur where an extent is 1, such as a
//! row that is the first and the last at once, are marked thin: a reader of the program may skip them. PEs that do
//! nothing have no class.

use super::decide::negation;
use super::work::{Work, conditions};
use systole_base::integer::{Affine, Polyhedron, name};
use systole_program::array::Class;

/// For each space, more conditions than this stay tests inside the bodies.
const MOST_CONDITIONS: usize = 12;

/// A condition that cuts the array.
struct Question {
    condition: Affine,
    /// Whether it looks forwards along a stream.
    is_forwards: bool,
    /// The space whose points it is about: PEs without any need no answer.
    space: Option<usize>,
}

/// All classes, in the order of their conditions: heads of streams first.
pub fn classes(work: &Work) -> Vec<Class> {
    let questions = questions(work);
    let mut sets = vec![];
    split(work, &work.pes, &questions, &mut sets);
    let (thin, wide): (Vec<Polyhedron>, Vec<Polyhedron>) = sets.into_iter().partition(|set| is_thin(work, set));
    let marked = wide.into_iter().map(|set| (set, false)).chain(thin.into_iter().map(|set| (set, true)));
    let written = marked.map(|(set, thin)| class(work, &set, thin)).filter(|class| !class.body.is_empty());
    written.enumerate().map(|(number, class)| Class { name: name(&format!("pe{number}")), ..class }).collect()
}

fn questions(work: &Work) -> Vec<Question> {
    let mut questions: Vec<Question> = vec![];
    if !work.once.is_empty() {
        for condition in work.sides.iter().filter_map(|side| side.is_first()) {
            questions.push(Question { condition, is_forwards: true, space: None });
        }
    }
    for body in &work.bodies {
        let own = body.all.pes.constraints().iter().filter(|form| body.all.is_of_pe(form) && !work.pes.implies(form));
        questions.extend(own.map(|form| Question { condition: form.clone(), is_forwards: true, space: None }));
    }
    for (space, body) in work.bodies.iter().enumerate() {
        let mut count = 0;
        for (conditions, is_forwards) in body.conditions() {
            for condition in conditions.into_iter().filter(|condition| work.is_of_pe(body, condition)) {
                if questions.iter().all(|known| known.condition != condition) && count < MOST_CONDITIONS {
                    count += 1;
                    questions.push(Question { condition, is_forwards, space: Some(space) });
                }
            }
        }
    }
    questions
}

/// For each question both answers, the one nearer to the head first, as long as some PE fits.
fn split(work: &Work, set: &Polyhedron, questions: &[Question], sets: &mut Vec<Polyhedron>) {
    let Some((Question { condition, is_forwards, space }, rest)) = questions.split_first() else {
        return sets.push(set.clone());
    };
    if space.is_some_and(|space| !work.has_points(space, set)) {
        return split(work, set, rest, sets);
    }
    let no = negation(condition);
    let answers = if *is_forwards { [condition.clone(), no] } else { [no, condition.clone()] };
    for answer in answers {
        let mut part = set.clone();
        part.add(answer);
        if !part.is_empty() && !part.has_no_integers() {
            split(work, &part, rest, sets);
        }
    }
}

/// Whether the class has no PE when every size is at least 2.
fn is_thin(work: &Work, set: &Polyhedron) -> bool {
    let mut large = set.clone();
    let parameters = work.bodies.iter().flat_map(|body| &body.design.space.parameters);
    parameters.for_each(|p| large.add(Affine::variable(p) - Affine::constant(2)));
    large.is_empty()
}

/// A class without its name: the constraints that the grid, and the rest of the guard, do not imply already.
fn class(work: &Work, set: &Polyhedron, thin: bool) -> Class {
    let scan = &work.bodies[0].all;
    let mut guard = conditions(scan, set, &work.inside());
    if work.bodies.len() == 1 {
        guard.extend(scan.lattice.iter().cloned());
    }
    Class { name: name("pe"), thin, guard, body: work.write(set) }
}
