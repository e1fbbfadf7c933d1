//! The best integer solution of a linear problem, or the smallest set of conditions that have none.
//!
//! In: a [`LinearProblem`]. Out: an [`Optimum`]. Branch and bound decides nearly all problems in less time than Z3 takes to
//! read one; what it leaves is asked of Z3's optimiser, and both give the same answer. An answer counts only after the
//! problem's own arithmetic has checked it. Among equally good solutions the one is taken whose unknowns are smallest in their order, positive before
//! negative, so the answer does not depend on the solver's mood. A clash is minimal: without any one of its labels there
//! is a solution. Labels are tried from the last, so a clash leans on the first.

use super::branch::{Best, Left, Size, any_best, best, has_point};
use super::limit::within;
use super::linear::{Goal, LinearProblem};
use super::smallest::{Answer, Search};
use super::solver::{NOT_FOUND, is_there};
use solver::z3::ast::{Bool, Int};
use solver::z3::{Optimize, SatResult, Solver};
use std::time::{Duration, Instant};

/// More nodes than this are not looked at before Z3 is asked.
const MOST_NODES: usize = 200;

/// No more nodes than this are few.
const FEW_NODES: usize = 20;

/// Where many problems are solved, no more numbers than this are written for one.
const MOST_WRITTEN: u64 = 100_000_000;

/// Where few are, one may take seconds: what it leads to is most often the design that is sought.
const MOST_ALONE: u64 = 10_000_000_000;

/// What Z3 takes for a problem counts as writing so many numbers.
const ASKED: u64 = 100_000_000;

/// How many of Z3's own steps a search waits for: about a tenth of a second, and as many on every machine.
const MOST_STEPS: u32 = 1_000_000;

/// The answer to a [`LinearProblem`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Optimum {
    /// The value of each unknown.
    Found(Vec<i64>),
    /// The labels of conditions that no integers satisfy together, sorted; none where the bounds alone have no solution.
    Clash(Vec<usize>),
    /// A goal has no least value: it falls without end.
    Endless,
    /// Not decided, for this reason.
    Unknown(String),
}

/// Solves `problem` within `limit`; a clash is minimal.
pub fn minimise(problem: &LinearProblem, limit: Duration) -> Optimum {
    let deadline = Instant::now().checked_add(limit);
    match attempt(problem, limit) {
        Optimum::Clash(_) if !is_there() => Optimum::Unknown(NOT_FOUND.to_owned()),
        Optimum::Clash(_) => clash(problem, &Terms::new(problem), deadline),
        answer => answer,
    }
}

/// Solves `problem` within `limit`; a clash names every label, which costs no further question.
pub fn attempt(problem: &LinearProblem, limit: Duration) -> Optimum {
    let asked = || asked(problem, (limit, u32::MAX));
    decided(problem, u64::MAX, &mut 0).unwrap_or_else(asked)
}

/// Solves `problem` as [`attempt`] does, as far as a search waits for it; `work` counts the numbers that are written meanwhile.
pub fn attempt_counted(problem: &LinearProblem, limit: Duration, work: &mut u64) -> Optimum {
    decided(problem, MOST_ALONE, work).unwrap_or_else(|| {
        *work = work.saturating_add(ASKED);
        asked(problem, (limit, MOST_STEPS))
    })
}

/// What branch and bound decides while it writes so many numbers.
fn decided(problem: &LinearProblem, written: u64, work: &mut u64) -> Option<Optimum> {
    if !problem.is_well_formed() {
        return Some(Optimum::Unknown("the problem speaks of an unknown that it does not have".into()));
    }
    let most = Size { nodes: MOST_NODES, written };
    let clash = || Optimum::Clash(problem.labels().into_iter().collect());
    Some(match best(problem, most, work)? {
        Best::At(values) => Optimum::Found(values),
        Best::Nowhere => clash(),
        Best::Endless if has_point(problem, most, work)? => Optimum::Endless,
        Best::Endless => clash(),
    })
}

/// The best solution, where few branches lead to it; `work` counts the numbers that are written meanwhile.
pub fn soon(problem: &LinearProblem, work: &mut u64) -> Option<Vec<i64>> {
    match problem.is_well_formed().then(|| best(problem, Size::of_nodes(FEW_NODES), work))?? {
        Best::At(values) => Some(values),
        Best::Nowhere | Best::Endless => None,
    }
}

/// Solves `problem` as far as branch and bound does; `work` counts the numbers that are written meanwhile.
pub fn attempt_alone(problem: &LinearProblem, work: &mut u64) -> Optimum {
    decided(problem, MOST_WRITTEN, work).unwrap_or_else(|| Optimum::Unknown("it takes too many branches".to_owned()))
}

/// Problems one after the other that differ in their right sides only, as a rule: each is solved from where the one before was left.
#[derive(Default)]
pub struct Series {
    left: Option<Left>,
    work: u64,
}

impl Series {
    /// How many numbers have been written in all to solve them.
    pub fn work(&self) -> u64 {
        self.work
    }

    /// One of the solutions that are best among those of which each unknown is a multiple of a number of its own, where branch and bound
    /// finds one soon: the same each time for the same problems in the same order, without asking for the first of them.
    pub fn any_optimum(&mut self, problem: &LinearProblem, multiples: &[i64]) -> Option<Vec<i64>> {
        if !problem.is_well_formed() || multiples.len() != problem.bounds.len() {
            return None;
        }
        let is_multiple = |(value, multiple): (&i64, &i64)| value % multiple == 0;
        match any_best(
            problem,
            multiples,
            Size { nodes: MOST_NODES, written: MOST_ALONE },
            (&mut self.left, &mut self.work),
        )? {
            Best::At(values) => values.iter().zip(multiples).all(is_multiple).then_some(values),
            Best::Nowhere | Best::Endless => None,
        }
    }
}

/// Z3's answer within a time, and so many of its steps.
fn asked(problem: &LinearProblem, (limit, steps): (Duration, u32)) -> Optimum {
    if !is_there() {
        return Optimum::Unknown(NOT_FOUND.to_owned());
    }
    let deadline = Instant::now().checked_add(limit);
    let terms = Terms::new(problem);
    let solver = Optimize::new();
    terms.conditions(problem).iter().for_each(|condition| solver.assert(condition));
    terms.goals(problem).iter().for_each(|goal| solver.minimize(goal));
    let mut parameters = within(limit);
    parameters.set_u32("rlimit", steps);
    solver.set_params(&parameters);
    match solver.check(&[]) {
        SatResult::Sat => found(problem, &terms, &solver, deadline),
        SatResult::Unsat => Optimum::Clash(problem.labels().into_iter().collect()),
        SatResult::Unknown => Optimum::Unknown(solver.get_reason_unknown().unwrap_or_default()),
    }
}

/// The first of the solutions that are as good as the optimiser's, checked.
fn found(problem: &LinearProblem, terms: &Terms, optimiser: &Optimize, deadline: Option<Instant>) -> Optimum {
    let (mut values, scores) = match read(problem, terms, optimiser) {
        Ok(solution) => solution,
        Err(other) => return other,
    };
    if !make_first(problem, terms, &scores, &mut values, deadline) {
        return Optimum::Unknown("the time limit has passed".into());
    }
    match problem.allows(&values) && problem.scores(&values) == Some(scores) {
        true => Optimum::Found(values),
        false => Optimum::Unknown("the solver's solution does not check".into()),
    }
}

/// The optimiser's solution and the value of each goal, which is the least one that the optimiser claims.
fn read(problem: &LinearProblem, terms: &Terms, optimiser: &Optimize) -> Result<(Vec<i64>, Vec<i64>), Optimum> {
    let too_large = |what: &str| Optimum::Unknown(format!("{what} does not fit 64 bits"));
    let model = optimiser.get_model();
    let value = |unknown: &Int| model.as_ref()?.eval(unknown, true)?.as_i64();
    let values: Option<Vec<i64>> = terms.unknowns.iter().map(value).collect();
    let values = values.ok_or_else(|| too_large("the solver's solution"))?;
    let scores = problem.scores(&values).ok_or_else(|| too_large("the value of a goal"))?;
    // Where a goal falls without end the claim is no number.
    let claimed = |number: u32| optimiser.get_lower(number)?.as_int()?.as_i64();
    match (0..).zip(&scores).all(|(number, score)| claimed(number) == Some(*score)) {
        true => Ok((values, scores)),
        false => Err(Optimum::Endless),
    }
}

/// Makes `values` the first solution with these scores; `false` where time ran out.
fn make_first(
    problem: &LinearProblem,
    terms: &Terms,
    scores: &[i64],
    values: &mut [i64],
    deadline: Option<Instant>,
) -> bool {
    let solver = Solver::new();
    solver.push();
    terms.conditions(problem).iter().for_each(|condition| solver.assert(condition));
    terms.goals(problem).iter().zip(scores).for_each(|(goal, score)| solver.assert(goal.le(*score)));
    // The search prefers negative values, so it is given the opposites.
    let opposites: Vec<Int> = terms.unknowns.iter().map(Int::unary_minus).collect();
    let mut opposite: Vec<i64> = values.iter().map(|value| value.saturating_neg()).collect();
    let search = Search { solver, constants: &opposites, parameters: 0, deadline };
    let decided = search.minimise(&mut opposite);
    values.iter_mut().zip(opposite).for_each(|(value, opposite)| *value = opposite.saturating_neg());
    decided
}

/// A minimal clash: each label is dropped without which there is still no solution.
fn clash(problem: &LinearProblem, terms: &Terms, deadline: Option<Instant>) -> Optimum {
    let search = Search { solver: Solver::new(), constants: &terms.unknowns, parameters: 0, deadline };
    let mut labels = problem.labels();
    for label in problem.labels().into_iter().rev() {
        labels.remove(&label);
        search.solver.push();
        terms.conditions(&problem.restrict(&labels)).iter().for_each(|condition| search.solver.assert(condition));
        let answer = search.check();
        search.solver.pop(1);
        match answer {
            Answer::No => {}
            Answer::Yes(_) => drop(labels.insert(label)),
            Answer::Unknown(reason) => return Optimum::Unknown(reason),
        }
    }
    Optimum::Clash(labels.into_iter().collect())
}

/// The solver's constants: the unknowns, and for each a bound of its absolute value.
struct Terms {
    unknowns: Vec<Int>,
    magnitudes: Vec<Int>,
}

impl Terms {
    fn new(problem: &LinearProblem) -> Terms {
        let named = |parity: u32| (0..).zip(&problem.bounds).map(|(at, _)| Int::new_const(2 * at + parity)).collect();
        Terms { unknowns: named(0), magnitudes: named(1) }
    }

    /// Bounds, rows, sums that are not some value, and what binds the magnitudes that goals mention.
    fn conditions(&self, problem: &LinearProblem) -> Vec<Bool> {
        let mut all = vec![];
        for (unknown, (least, most)) in self.unknowns.iter().zip(&problem.bounds) {
            all.extend(least.map(|least| unknown.ge(least)));
            all.extend(most.map(|most| unknown.le(most)));
        }
        all.extend(problem.rows.iter().map(|row| self.sum(&row.coefficients).ge(row.least)));
        all.extend(problem.unequal.iter().map(|sum| self.sum(&sum.coefficients).eq(sum.value).not()));
        for goal in &problem.goals {
            let Goal::Magnitudes(positions) = goal else { continue };
            for (unknown, magnitude) in positions.iter().map(|at| (&self.unknowns[*at], &self.magnitudes[*at])) {
                all.extend([magnitude.ge(unknown), magnitude.ge(unknown.unary_minus())]);
            }
        }
        all
    }

    fn goals(&self, problem: &LinearProblem) -> Vec<Int> {
        let term = |goal: &Goal| match goal {
            Goal::Form(coefficients) => self.sum(coefficients),
            Goal::Magnitudes(positions) => total(positions.iter().map(|at| self.magnitudes[*at].clone()).collect()),
        };
        problem.goals.iter().map(term).collect()
    }

    fn sum(&self, coefficients: &[i64]) -> Int {
        let terms = coefficients.iter().zip(&self.unknowns).filter(|(coefficient, _)| **coefficient != 0);
        total(terms.map(|(coefficient, unknown)| Int::mul(&[Int::from_i64(*coefficient), unknown.clone()])).collect())
    }
}

/// The sum, 0 where there is nothing to add.
fn total(mut terms: Vec<Int>) -> Int {
    terms.push(Int::from_i64(0));
    Int::add(&terms)
}
