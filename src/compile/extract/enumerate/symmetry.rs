//! Reflections of the iteration space that leave the search unchanged.
//!
//! Reflecting an index of a box maps designs to designs of the same cost, provided that every choice the e-graph offers is
//! offered in its reflected form too. Then one design of each class is enough for the front. For a stencil access such as
//! `x[i+k]` no single index can be reflected, and nothing is pruned.

use crate::mapping::{candidates, clock};
use crate::rewrite::{Choices, Transport};
use rustc_hash::FxHashSet;
use std::cmp::Ordering;
use systole_base::integer::{Matrix, Vector};
use systole_equations::recurrence::{Chain, Space};

/// The sound reflections of a task, each as a sign for every index.
#[derive(Clone, Debug)]
pub struct Reflections {
    signs: Vec<Vector>,
}

impl Reflections {
    /// No reflection: nothing is pruned.
    pub fn none() -> Reflections {
        Reflections { signs: vec![] }
    }

    /// All reflections under which the choices are closed.
    pub fn of(space: &Space, choices: &Choices) -> Reflections {
        if clock::sides(space).is_none() {
            return Reflections::none();
        }
        let size = space.dimension();
        let all = (1..1usize << size).map(|set| (0..size).map(|i| 1 - 2 * ((set >> i) & 1) as i64).collect());
        let offered: Vec<FxHashSet<&Transport>> =
            choices.transports.iter().map(|offered| offered.iter().collect()).collect();
        let chains: FxHashSet<&Chain> = choices.chains.iter().collect();
        Reflections { signs: all.filter(|signs: &Vector| is_closed((&offered, &chains), signs)).collect() }
    }

    /// How many classes there are of what reflections lead to each other, where `fixed` says how many do not change while so many
    /// indices are reflected: the mean over all reflections, and none, of these (Burnside).
    pub fn count_classes(&self, fixed: impl Fn(usize) -> u128) -> u128 {
        let reflected = |signs: &Vector| signs.iter().filter(|sign| **sign < 0).count();
        let all = self.signs.iter().map(|signs| fixed(reflected(signs))).fold(fixed(0), u128::saturating_add);
        all / (1 + self.signs.len() as u128)
    }

    /// The steps to look at: of each class the greatest among these entries. A map is decided by its step alone unless a
    /// reflection leaves the step as it is; then its place decides.
    pub fn thin_out(&self, steps: impl IntoIterator<Item = Matrix>, entries: &[i64]) -> Vec<Candidate> {
        steps.into_iter().filter_map(|step| self.candidate(step, entries)).collect()
    }

    fn candidate(&self, step: Matrix, entries: &[i64]) -> Option<Candidate> {
        let mut fixed_by = vec![];
        for signs in &self.signs {
            let reflected = reflect_rows(&step, signs);
            let last = reflected.rows().last();
            let inside = last.is_none_or(|row| row.iter().all(|entry| entries.contains(entry)));
            match reflected.cmp(&step) {
                Ordering::Greater if inside => return None,
                Ordering::Equal => fixed_by.push(signs.clone()),
                _ => {}
            }
        }
        Some(Candidate { step, fixed_by })
    }
}

/// A step with the reflections that leave it as it is.
#[derive(Clone, Debug)]
pub struct Candidate {
    /// The step.
    pub step: Matrix,
    fixed_by: Vec<Vector>,
}

impl Candidate {
    /// Whether the reflected place is looked at with this step instead.
    pub fn is_redundant_at(&self, place: &Matrix) -> bool {
        let reflected = |signs: &Vector| candidates::canonical_place(&reflect_rows(place, signs));
        self.fixed_by.iter().any(|signs| reflected(signs) > *place)
    }
}

/// Whether the reflection of each choice is offered too.
fn is_closed((offered, chains): (&[FxHashSet<&Transport>], &FxHashSet<&Chain>), signs: &[i64]) -> bool {
    let transports =
        offered.iter().all(|all| all.iter().all(|choice| reflections(choice, signs).iter().any(|it| all.contains(it))));
    let reflected = |chain: &Chain| Chain {
        directions: chain.directions.iter().map(|d| reflect(d, signs)).collect(),
        ..chain.clone()
    };
    transports && chains.iter().all(|chain| chains.contains(&reflected(chain)))
}

/// A choice reflected, in each way of saying it: a bus along a direction is one along the opposite too.
fn reflections(choice: &Transport, signs: &[i64]) -> Vec<Transport> {
    match choice {
        Transport::Stream(along) => vec![Transport::Stream(reflect(along, signs))],
        Transport::Tree(all) => vec![Transport::Tree(all.iter().map(|along| reflect(along, signs)).collect())],
        Transport::Broadcast(along) => {
            let image = reflect(along, signs);
            let opposite = image.iter().map(|entry| -entry).collect();
            vec![Transport::Broadcast(image), Transport::Broadcast(opposite)]
        }
        other => vec![other.clone()],
    }
}

fn reflect(vector: &[i64], signs: &[i64]) -> Vector {
    vector.iter().zip(signs).map(|(entry, sign)| entry * sign).collect()
}

fn reflect_rows(matrix: &Matrix, signs: &[i64]) -> Matrix {
    Matrix::new(matrix.rows().iter().map(|row| reflect(row, signs)).collect(), matrix.columns())
}
