//! Asks Z3 about obligations, alone or many at once.

use super::encode::{Encoding, Undeclared};
use super::smallest::{Answer, Search};
use super::solver::{NOT_FOUND, is_there};
use super::{Counterexample, Discharged, Verdict};
use rayon::prelude::*;
use solver::z3::{Context, Solver};
use std::time::{Duration, Instant};
use systole_base::cancel::Token;
use systole_program::obligation::Obligation;

/// For so long one thread asks alone, or for as long as it took to set its Z3 up, and what it has not proved by then all threads ask. Most
/// designs are proved by then, and each further thread first has to set up a Z3 of its own, which takes as long.
const ALONE: Duration = Duration::from_millis(20);

/// Proves or refutes one obligation within `limit`; the verdict is unknown where that does not suffice.
pub fn discharge(obligation: &Obligation, limit: Duration) -> Discharged {
    let start = Instant::now();
    let verdict = decide(obligation, start.checked_add(limit));
    Discharged { obligation: obligation.clone(), verdict, milliseconds: start.elapsed().as_secs_f64() * 1e3 }
}

/// The verdicts in the order of the obligations, each within `limit`; the machine's cores share the work.
pub fn discharge_all(obligations: &[Obligation], limit: Duration) -> Vec<Discharged> {
    discharge_until(obligations, limit, &Token::default())
}

/// The same until the work is cancelled: what is not asked by then is unknown.
pub fn discharge_until(obligations: &[Obligation], limit: Duration, token: &Token) -> Vec<Discharged> {
    let unasked = || Verdict::Unknown("it was stopped before the solver was asked".to_owned());
    let answered = |obligation: &Obligation| match token.is_cancelled() {
        true => Discharged { obligation: obligation.clone(), verdict: unasked(), milliseconds: 0.0 },
        false => discharge(obligation, limit),
    };
    let alone = prove_alone(obligations, limit, token);
    let asked = obligations.par_iter().zip(alone);
    asked.map(|(obligation, proved)| proved.unwrap_or_else(|| answered(obligation))).collect()
}

/// What this thread proves alone, an entry for each obligation. All other answers are left to who has the whole limit.
fn prove_alone(obligations: &[Obligation], limit: Duration, token: &Token) -> Vec<Option<Discharged>> {
    let begun = Instant::now();
    if is_there() {
        drop(Context::thread_local());
    }
    let (start, alone) = (Instant::now(), ALONE.max(begun.elapsed()));
    let proved = obligations.iter().map(|obligation| {
        let left = limit.min(alone.saturating_sub(start.elapsed()));
        let is_over = left.is_zero() || token.is_cancelled();
        (!is_over).then(|| discharge(obligation, left)).filter(|answer| matches!(answer.verdict, Verdict::Proved))
    });
    proved.collect()
}

fn decide(obligation: &Obligation, deadline: Option<Instant>) -> Verdict {
    if !is_there() {
        return Verdict::Unknown(NOT_FOUND.to_owned());
    }
    let encoding = Encoding::new(obligation);
    let violation = match encoding.formula(&obligation.violation) {
        Ok(violation) => violation,
        Err(Undeclared(name)) => {
            return Verdict::Unknown(format!("the violation mentions `{name}`, which the obligation does not declare"));
        }
    };
    let solver = Solver::new();
    // A scope makes Z3 take its incremental core at once, which is the faster one for queries this small.
    solver.push();
    solver.assert(&violation);
    let search = Search { solver, constants: encoding.constants(), parameters: obligation.parameters, deadline };
    match search.check() {
        Answer::No => Verdict::Proved,
        Answer::Unknown(reason) => Verdict::Unknown(reason),
        Answer::Yes(values) => refute(obligation, &search, values),
    }
}

/// The smallest counterexample, evaluated before it is believed.
fn refute(obligation: &Obligation, search: &Search, mut values: Vec<i64>) -> Verdict {
    let smallest = search.minimise(&mut values);
    let counterexample = Counterexample::new(obligation, &values, smallest);
    match obligation.violation.holds(&counterexample.bindings()) {
        Some(true) => Verdict::Refuted(counterexample),
        _ => Verdict::Unknown(format!("the solver's counterexample does not check: {counterexample}")),
    }
}
