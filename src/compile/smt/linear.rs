//! Linear problems over integer unknowns: what is asked of the optimiser, and the arithmetic that checks its answer.
//!
//! Nothing here knows the solver. A sum that does not fit 64 bits satisfies nothing.

use crate::mapping::{Row, holds};
use std::collections::BTreeSet;

/// Which integer vectors are wanted, and which of them is best.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LinearProblem {
    /// The least and the greatest value of each unknown, where there is one.
    pub bounds: Vec<(Option<i64>, Option<i64>)>,
    /// Sums of multiples of the unknowns that have a least value.
    pub rows: Vec<Row>,
    /// Sums that must not have a certain value.
    pub unequal: Vec<Unequal>,
    /// What is to be least, the first goal before all others.
    pub goals: Vec<Goal>,
}

/// The sum of `coefficients` times the unknowns is not `value`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unequal {
    /// One for each unknown.
    pub coefficients: Vec<i64>,
    /// What the sum must not be.
    pub value: i64,
    /// Which condition this belongs to; labels are shared with the rows.
    pub label: usize,
}

/// What is to be as small as can be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Goal {
    /// The sum of these multiples of the unknowns.
    Form(Vec<i64>),
    /// The sum of the absolute values of the unknowns at these positions.
    Magnitudes(Vec<usize>),
}

impl LinearProblem {
    /// Whether every row, sum and goal speaks of the unknowns that there are.
    pub fn is_well_formed(&self) -> bool {
        let count = self.bounds.len();
        let goal = |goal: &Goal| match goal {
            Goal::Form(coefficients) => coefficients.len() == count,
            Goal::Magnitudes(positions) => positions.iter().all(|position| *position < count),
        };
        self.rows.iter().all(|row| row.coefficients.len() == count)
            && self.unequal.iter().all(|sum| sum.coefficients.len() == count)
            && self.goals.iter().all(goal)
    }

    /// The labels that occur.
    pub fn labels(&self) -> BTreeSet<usize> {
        self.rows.iter().map(|row| row.label).chain(self.unequal.iter().map(|sum| sum.label)).collect()
    }

    /// The problem with the conditions of these labels only.
    pub fn restrict(&self, labels: &BTreeSet<usize>) -> LinearProblem {
        let rows = self.rows.iter().filter(|row| labels.contains(&row.label)).cloned().collect();
        let unequal = self.unequal.iter().filter(|sum| labels.contains(&sum.label)).cloned().collect();
        LinearProblem { bounds: self.bounds.clone(), rows, unequal, goals: self.goals.clone() }
    }

    /// Whether these values satisfy all bounds, rows and sums.
    pub fn allows(&self, values: &[i64]) -> bool {
        let within = |((least, most), value): (&(Option<i64>, Option<i64>), &i64)| {
            least.is_none_or(|least| least <= *value) && most.is_none_or(|most| *value <= most)
        };
        let differs = |sum: &Unequal| product(&sum.coefficients, values).is_some_and(|value| value != sum.value);
        values.len() == self.bounds.len()
            && self.bounds.iter().zip(values).all(within)
            && holds(&self.rows, values)
            && self.unequal.iter().all(differs)
    }

    /// The value of each goal; `None` where one does not fit.
    pub fn scores(&self, values: &[i64]) -> Option<Vec<i64>> {
        let score = |goal: &Goal| match goal {
            Goal::Form(coefficients) => product(coefficients, values),
            Goal::Magnitudes(positions) => {
                positions.iter().try_fold(0i64, |sum, at| sum.checked_add(values.get(*at)?.checked_abs()?))
            }
        };
        self.goals.iter().map(score).collect()
    }
}

fn product(a: &[i64], b: &[i64]) -> Option<i64> {
    a.iter().zip(b).try_fold(0i64, |sum, (x, y)| sum.checked_add(x.checked_mul(*y)?))
}
