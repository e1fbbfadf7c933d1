//! The first of equally good solutions of a linear problem.
//!
//! In: a [`LinearProblem`] and the least value of each of its goals, as the optimiser found them. Out: the solution whose
//! unknowns are smallest in their order, positive before negative. Unknowns are fixed one after the other, nearest to 0
//! first, and after each the bounds of the others are drawn in by every row until nothing moves; what is met first is
//! the answer, as no earlier value was left out. A search that grows too long is given up, not cut short.

use super::linear::{Goal, LinearProblem};

/// More values than this are not tried.
const MOST_TRIALS: usize = 20_000;

/// Bounds are not drawn in more often than this before the next value is fixed.
const MOST_ROUNDS: usize = 64;

/// Stands for no bound. Sums of multiples of it fit 128 bits.
const FAR: i64 = 1 << 40;

/// The first solution with these scores; `None` where there is none, or the search was given up.
pub(super) fn first(problem: &LinearProblem, scores: &[i64]) -> Option<Vec<i64>> {
    let mut conditions = Conditions { problem, rows: vec![], sums: vec![], trials: 0 };
    conditions.rows.extend(problem.rows.iter().map(|row| (row.coefficients.clone(), row.least)));
    for (goal, score) in problem.goals.iter().zip(scores) {
        match goal {
            Goal::Form(form) => conditions.rows.push((form.iter().map(|entry| -entry).collect(), score.checked_neg()?)),
            Goal::Magnitudes(positions) => conditions.sums.push((positions, *score)),
        }
    }
    let bound = |(least, most): &(Option<i64>, Option<i64>)| (least.unwrap_or(-FAR), most.unwrap_or(FAR));
    conditions.solve(problem.bounds.iter().map(bound).collect(), 0)
}

/// The least and the greatest value that each unknown may still have.
type Bounds = Vec<(i64, i64)>;

/// What holds of the unknowns.
struct Conditions<'a> {
    problem: &'a LinearProblem,
    /// Sums of multiples with their least value; the goals' forms are among them.
    rows: Vec<(Vec<i64>, i64)>,
    /// Unknowns with the most that their magnitudes may add up to.
    sums: Vec<(&'a [usize], i64)>,
    trials: usize,
}

impl Conditions<'_> {
    /// The first solution within the bounds; all unknowns before `next` are fixed.
    fn solve(&mut self, mut bounds: Bounds, next: usize) -> Option<Vec<i64>> {
        self.draw_in(&mut bounds)?;
        if next == bounds.len() {
            let values: Vec<i64> = bounds.iter().map(|(value, _)| *value).collect();
            return self.problem.allows(&values).then_some(values);
        }
        let (least, most) = bounds[next];
        let (nearest, farthest) = distances(least, most);
        for magnitude in nearest..=farthest {
            for value in [magnitude, -magnitude] {
                if !(least..=most).contains(&value) || (value == 0 && magnitude != 0) {
                    continue;
                }
                self.trials += 1;
                if self.trials > MOST_TRIALS {
                    return None;
                }
                let mut fixed = bounds.clone();
                fixed[next] = (value, value);
                if let Some(values) = self.solve(fixed, next + 1) {
                    return Some(values);
                }
            }
        }
        None
    }

    /// Draws the bounds in until no condition moves one, or they creep; `None` where nothing is left.
    fn draw_in(&self, bounds: &mut Bounds) -> Option<()> {
        for _ in 0..MOST_ROUNDS {
            let before = bounds.clone();
            self.rows.iter().try_for_each(|(row, least)| keep_row(bounds, row, *least))?;
            self.sums.iter().try_for_each(|(positions, most)| keep_sum(bounds, positions, *most))?;
            bounds.iter().all(|(least, most)| least <= most).then_some(())?;
            if *bounds == before {
                break;
            }
        }
        Some(())
    }
}

/// The smallest and the largest magnitude of the numbers of an interval.
fn distances(least: i64, most: i64) -> (i64, i64) {
    let nearest = if least > 0 { least } else { (-most).max(0) };
    (nearest, least.abs().max(most.abs()))
}

/// Keeps the sum of multiples at `least` or more: each term is at least what the others cannot make up for.
fn keep_row(bounds: &mut Bounds, row: &[i64], least: i64) -> Option<()> {
    let most = |(factor, (low, high)): (&i64, &(i64, i64))| {
        let factor = i128::from(*factor);
        (factor * i128::from(*low)).max(factor * i128::from(*high))
    };
    let total: i128 = row.iter().zip(bounds.iter()).map(most).sum();
    let slack = total - i128::from(least);
    if slack < 0 {
        return None;
    }
    for (factor, bound) in row.iter().zip(bounds.iter_mut()).filter(|(factor, _)| **factor != 0) {
        let room = i64::try_from(slack / i128::from(factor.unsigned_abs())).unwrap_or(i64::MAX);
        match *factor > 0 {
            true => bound.0 = bound.0.max(bound.1.saturating_sub(room)),
            false => bound.1 = bound.1.min(bound.0.saturating_add(room)),
        }
    }
    Some(())
}

/// Keeps the sum of magnitudes at `most` or less.
fn keep_sum(bounds: &mut Bounds, positions: &[usize], most: i64) -> Option<()> {
    let nearest = |bounds: &Bounds, position: usize| distances(bounds[position].0, bounds[position].1).0;
    let taken = positions.iter().try_fold(0i64, |sum, position| sum.checked_add(nearest(bounds, *position)))?;
    let room = most.checked_sub(taken).filter(|room| *room >= 0)?;
    for position in positions {
        let farthest = nearest(bounds, *position) + room;
        let (low, high) = &mut bounds[*position];
        (*low, *high) = ((*low).max(-farthest), (*high).min(farthest));
    }
    Some(())
}
