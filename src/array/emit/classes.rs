//! Classes of PEs: the array cut along every condition that depends on the PE alone.
//!
//! A class is a consistent choice of answers to these conditions. Classes that only occur where an extent is 1, such as a
//! row that is the first and the last at once, are marked thin: a reader of the program may skip them.

use super::body::Body;
use super::known::{Decision, decide, negation};
use crate::array::Class;
use crate::integer::{Affine, Polyhedron, name};

/// More conditions than this stay tests inside the bodies.
const MOST_CONDITIONS: usize = 12;

/// All classes, in the order of their conditions: heads of streams first.
pub fn classes(body: &Body) -> Vec<Class> {
    let mut questions: Vec<(Affine, bool)> = vec![];
    for (conditions, forwards) in body.conditions() {
        for condition in conditions.into_iter().filter(|condition| !condition.mentions(&body.scan.loops)) {
            if questions.iter().all(|(known, _)| *known != condition) && questions.len() < MOST_CONDITIONS {
                questions.push((condition, forwards));
            }
        }
    }
    let mut sets = vec![];
    split(&body.scan.pes, &questions, &mut sets);
    let (thin, wide): (Vec<Polyhedron>, Vec<Polyhedron>) = sets.into_iter().partition(|set| is_thin(body, set));
    let numbered = wide.into_iter().map(|set| (set, false)).chain(thin.into_iter().map(|set| (set, true))).enumerate();
    numbered.map(|(number, (set, thin))| class(body, number, &set, thin)).collect()
}

/// For each question both answers, the one nearer to the head first, as long as some PE fits.
fn split(set: &Polyhedron, questions: &[(Affine, bool)], sets: &mut Vec<Polyhedron>) {
    let Some(((condition, forwards), rest)) = questions.split_first() else { return sets.push(set.clone()) };
    let no = negation(condition);
    let answers = if *forwards { [condition.clone(), no] } else { [no, condition.clone()] };
    for answer in answers {
        let mut part = set.clone();
        part.add(answer);
        if !part.is_empty() {
            split(&part, rest, sets);
        }
    }
}

/// Whether the class has no PE when every size is at least 2.
fn is_thin(body: &Body, set: &Polyhedron) -> bool {
    let mut large = set.clone();
    body.design.space.parameters.iter().for_each(|p| large.add(Affine::variable(p) - Affine::constant(2)));
    large.is_empty()
}

fn class(body: &Body, number: usize, set: &Polyhedron, thin: bool) -> Class {
    let guard = guard(body, set).into_iter().chain(body.scan.lattice.iter().cloned()).collect();
    Class { name: name(&format!("pe{number}")), thin, guard, body: body.write(set) }
}

/// The constraints of the class that the grid, and the rest of the guard, do not imply already.
fn guard(body: &Body, set: &Polyhedron) -> Vec<crate::array::Condition> {
    let mut known = body.scan.inside_grid(body.design.space);
    let mut guard = vec![];
    let open =
        |known: &Polyhedron, form: &Affine| !matches!(decide(std::slice::from_ref(form), known), Decision::Always);
    for form in set.constraints() {
        let opposite = -form.clone();
        if open(&known, form) {
            let equal = set.constraints().contains(&opposite) || known.implies(&opposite);
            let mut condition = body.scan.condition(form);
            if equal {
                condition.comparison = crate::array::Comparison::Equal;
                known.add(opposite);
            }
            known.add(form.clone());
            guard.push(condition);
        }
    }
    guard
}
