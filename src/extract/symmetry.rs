//! Reflections of the iteration space that leave the search unchanged.
//!
//! Reflecting an index of a box maps designs to designs of the same cost, provided that every choice the e-graph offers is
//! offered in its reflected form too. Then one design of each class is enough for the front. For a stencil access such as
//! `x[i+k]` no single index can be reflected, and nothing is pruned.

use crate::integer::{Matrix, Vector};
use crate::mapping::{SpaceTimeMap, candidates, clock};
use crate::recurrence::{Chain, Space};
use crate::rewrite::{Choices, Transport};

/// The sound reflections of a problem, each as a sign for every index.
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
        Reflections { signs: all.filter(|signs: &Vector| is_closed(choices, signs)).collect() }
    }

    /// Whether another map of the same class is looked at in this one's place: the one with the greatest steps in the box,
    /// or, where a reflection leaves the steps alone, the first place.
    pub fn is_redundant(&self, map: &SpaceTimeMap, steps: (i64, i64)) -> bool {
        self.signs.iter().any(|signs| {
            let step = reflect_rows(&map.step, signs);
            let inside = step.rows().last().is_none_or(|row| row.iter().all(|e| (steps.0..=steps.1).contains(e)));
            let place = || candidates::canonical_place(&reflect_rows(&map.place, signs));
            inside && (step > map.step || (step == map.step && place() > map.place))
        })
    }
}

fn is_closed(choices: &Choices, signs: &[i64]) -> bool {
    let transports = choices
        .transports
        .iter()
        .all(|offered| offered.iter().all(|choice| offered.iter().any(|other| is_reflection(choice, other, signs))));
    let reflected = |chain: &Chain| Chain { directions: chain.directions.iter().map(|d| reflect(d, signs)).collect() };
    transports && choices.chains.iter().all(|chain| choices.chains.contains(&reflected(chain)))
}

fn is_reflection(choice: &Transport, other: &Transport, signs: &[i64]) -> bool {
    match (choice, other) {
        (Transport::Stream(a), Transport::Stream(b)) => reflect(a, signs) == *b,
        (Transport::Broadcast(a), Transport::Broadcast(b)) => {
            let image = reflect(a, signs);
            image == *b || image.iter().zip(b).all(|(x, y)| *x == -y)
        }
        _ => choice == other,
    }
}

fn reflect(vector: &[i64], signs: &[i64]) -> Vector {
    vector.iter().zip(signs).map(|(entry, sign)| entry * sign).collect()
}

fn reflect_rows(matrix: &Matrix, signs: &[i64]) -> Matrix {
    Matrix::new(matrix.rows().iter().map(|row| reflect(row, signs)).collect(), matrix.columns())
}
