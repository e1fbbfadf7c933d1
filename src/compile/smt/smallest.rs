//! The smallest model of a formula, by asking again with ever tighter bounds.
//!
//! In: a solver that holds the violation, and the values of one model. Out: the values of the smallest: least sum of
//! sizes, then each size, then each other variable by magnitude, negative before positive. Each objective is found by
//! galloping up from its least possible value, as small counterexamples are the rule, and then fixed.

use super::limit::within;
use solver::z3::ast::{Bool, Int};
use solver::z3::{SatResult, Solver};
use std::time::{Duration, Instant};

/// What the solver answers to one question.
pub(super) enum Answer {
    /// Satisfiable, with the values of all variables.
    Yes(Vec<i64>),
    /// Unsatisfiable.
    No,
    /// Not decided, for this reason.
    Unknown(String),
}

/// A solver with the variables that matter and the moment at which it must stop.
pub(super) struct Search<'a> {
    pub solver: Solver,
    pub constants: &'a [Int],
    pub parameters: usize,
    pub deadline: Option<Instant>,
}

impl Search<'_> {
    /// Whether what is asserted has a model.
    pub fn check(&self) -> Answer {
        let Some(left) = self.remaining() else { return Answer::Unknown("the time limit has passed".into()) };
        self.solver.set_params(&within(left));
        match self.solver.check() {
            SatResult::Unsat => Answer::No,
            SatResult::Unknown => Answer::Unknown(self.solver.get_reason_unknown().unwrap_or_default()),
            SatResult::Sat => match self.values() {
                Some(values) => Answer::Yes(values),
                None => Answer::Unknown("the solver's model does not fit 64 bits".into()),
            },
        }
    }

    /// Makes `values` the smallest model; `false` where time ran out, with the best found so far left in `values`.
    pub fn minimise(&self, values: &mut Vec<i64>) -> bool {
        self.minimise_sizes(values).and_then(|()| self.minimise_rest(values)).is_some()
    }

    fn minimise_sizes(&self, values: &mut Vec<i64>) -> Option<()> {
        let sizes = self.constants.get(..self.parameters)?;
        if sizes.is_empty() {
            return Some(());
        }
        let (sum, count) = (Int::add(sizes), sizes.len());
        let least = i64::try_from(count).ok()?;
        self.lower(values, least, &|bound| sum.le(bound), &|model| model.iter().take(count).fold(0, add))?;
        for (position, size) in sizes.iter().enumerate() {
            self.lower(values, 1, &|bound| size.le(bound), &|model| model[position])?;
        }
        Some(())
    }

    fn minimise_rest(&self, values: &mut Vec<i64>) -> Option<()> {
        for (position, constant) in self.constants.iter().enumerate().skip(self.parameters) {
            let within = |bound: i64| Bool::and(&[constant.le(bound), constant.ge(bound.saturating_neg())]);
            self.lower(values, 0, &within, &|model| model[position].saturating_abs())?;
            let negative = constant.eq(values[position].saturating_abs().saturating_neg());
            if values[position] > 0 {
                self.improve(values, &negative)?;
            }
            self.solver.assert(constant.eq(values[position]));
        }
        Some(())
    }

    /// Lowers `measure(values)` as far as the solver lets `at_most` hold, and asserts the result.
    fn lower(
        &self,
        values: &mut Vec<i64>,
        least: i64,
        at_most: &dyn Fn(i64) -> Bool,
        measure: &dyn Fn(&[i64]) -> i64,
    ) -> Option<()> {
        let (mut low, mut step) = (least, 0i64);
        while low < measure(values) {
            let probe = low + step.min((measure(values) - low) / 2);
            if !self.improve(values, &at_most(probe))? {
                low = probe + 1;
                step = step.saturating_mul(2) + 1;
            }
        }
        self.solver.assert(at_most(low));
        Some(())
    }

    /// Replaces `values` by a model that also satisfies `condition`, and says whether there is one.
    fn improve(&self, values: &mut Vec<i64>, condition: &Bool) -> Option<bool> {
        self.solver.push();
        self.solver.assert(condition);
        let answer = self.check();
        self.solver.pop(1);
        match answer {
            Answer::Yes(better) => {
                *values = better;
                Some(true)
            }
            Answer::No => Some(false),
            Answer::Unknown(_) => None,
        }
    }

    fn values(&self) -> Option<Vec<i64>> {
        let model = self.solver.get_model()?;
        self.constants.iter().map(|constant| model.eval(constant, true)?.as_i64()).collect()
    }

    /// The time left; `None` where none is. A search without a deadline has all there is.
    fn remaining(&self) -> Option<Duration> {
        let Some(deadline) = self.deadline else { return Some(Duration::MAX) };
        deadline.checked_duration_since(Instant::now()).filter(|left| !left.is_zero())
    }
}

fn add(sum: i64, value: &i64) -> i64 {
    sum.saturating_add(*value)
}
