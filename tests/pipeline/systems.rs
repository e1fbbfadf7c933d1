//! Random kernels of one to three equations under random schedules through all stages: a design is proved, and its program
//! gives the bits of the reference and takes the predicted cycles, at three sizes.
//!
//! A schedule is one transport for each input and a design of the front that is left; every fiftieth kernel takes the best
//! design of all, every fifth may be folded. `PROPTEST_CASES` sets the number of kernels; their seed is fixed. Every tenth design is proved with the solver,
//! all of them are held to the checker that shares no code with the search.

use super::common::{few_or, filled_inputs, same_bits, shown};
use super::engines::agree;
use super::grown::Choices;
use super::grown_systems::kernel;
use super::specials::special_inputs;
use ndarray::ArrayD;
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::test_runner::{RngSeed, TestRunner};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;
use systole::cost::Objective;
use systole::diagnostic::Checked;
use systole::emit::emit;
use systole::extract::{Constraint, Found, solve};
use systole::integer::{Bindings, Name, name};
use systole::machine::Machine;
use systole::mapping::Design;
use systole::mapping::candidates::Bounds;
use systole::recurrence::spaces::{SpaceSystem, cut_spaces, evaluate_system_in_order};
use systole::recurrence::{Chain, RecurrenceSystem, Tensors, evaluate};
use systole::rewrite::{Choices as Offered, RuleSet};
use systole::sim::{Outcome, Settings, simulate};
use systole::smt::{Verdict, discharge_all};
use systole::span::Source;
use systole::timing::obligations;
use systole::{array, recurrence, rewrite};

const AMPLE: Duration = Duration::from_secs(60);

/// Kernels where the variable asks for no other number.
const KERNELS: u32 = if cfg!(debug_assertions) { 60 } else { few_or(80, 1_000) };

/// How many PEs may be one, in turn.
const FOLDS: [i64; 10] = [1, 1, 1, 2, 1, 1, 1, 1, 3, 1];

/// The number that a variable of the environment asks for.
fn asked(variable: &str) -> Option<u32> {
    std::env::var(variable).ok().and_then(|number| number.parse().ok())
}

/// One kernel, always the same for its number.
fn config(case: u32) -> ProptestConfig {
    let seed = asked("PROPTEST_RNG_SEED").unwrap_or(20_260);
    ProptestConfig {
        cases: 1,
        rng_seed: RngSeed::Fixed((u64::from(seed) << 32) + u64::from(case)),
        failure_persistence: None,
        max_shrink_iters: 30,
        ..ProptestConfig::default()
    }
}

/// A kernel with its spaces and what the rules offer for them.
struct Grown {
    system: RecurrenceSystem,
    cut: SpaceSystem,
    offered: Vec<Offered>,
}

fn load(text: &str, rules: &RuleSet) -> Checked<Grown> {
    let system = recurrence::load(&Source::new("test.rec", text))?;
    let cut = cut_spaces(&system)?;
    let offered = rewrite::saturate(&cut, rules, &rewrite::Limits::default())?.choices()?;
    Ok(Grown { system, cut, offered })
}

fn sizes(m: i64, n: i64) -> Bindings {
    Bindings::from([(name("M"), m), (name("N"), n)])
}

impl Grown {
    fn dimension(&self) -> usize {
        self.cut.spaces.iter().map(|space| space.dimension()).max().unwrap_or(0)
    }

    fn problem<'a>(
        &'a self,
        machine: &'a Machine,
        sizes: &Bindings,
        offered: &[Offered],
    ) -> Result<solve::Task<'a>, String> {
        let bounds = Bounds { ranks: vec![self.dimension().saturating_sub(1)], bound: 1, steps: (0, 1) };
        let none = Constraint::none(&self.cut);
        solve::Task::new(&self.cut, offered, bounds, machine, sizes, none).map_err(|problems| shown(&problems))
    }

    fn free<'a>(&'a self, machine: &'a Machine, sizes: &Bindings) -> Result<solve::Task<'a>, String> {
        self.problem(machine, sizes, &self.offered)
    }

    /// The best design of all; `slanted` says whether spaces of three dimensions try places that are not along the axes.
    fn best(&self, machine: &Machine, slanted: bool) -> Result<Option<Found>, String> {
        let mut problem = self.free(machine, &sizes(4, 3))?;
        if self.dimension() > 2 && !slanted {
            problem.limits.spaces = 0;
        }
        Ok(solve::search(&problem, false, &|_, _| true).sorted(Objective::Systolic).into_iter().next())
    }

    /// A design on the front under random transports, or under any where these leave none; a folded one where there is one.
    fn scheduled(&self, machine: &Machine, choices: &mut Choices, fold: i64) -> Result<Option<Found>, String> {
        let random = self.front(machine, &self.one_way_each(choices), fold)?;
        let front = if random.is_empty() { self.front(machine, &self.offered, fold)? } else { random };
        let folded: Vec<Found> = front.iter().filter(|found| !found.fold.is_none()).cloned().collect();
        let front = if folded.is_empty() { front } else { folded };
        Ok(if front.is_empty() { None } else { Some(choices.pick(&front).clone()) })
    }

    /// The best designs; kernels with spaces of three dimensions try places along the axes only.
    fn front(&self, machine: &Machine, offered: &[Offered], fold: i64) -> Result<Vec<Found>, String> {
        let mut problem = self.problem(machine, &sizes(4, 3), offered)?;
        problem.limits.fold = fold;
        if self.dimension() > 2 {
            problem.limits.spaces = 0;
        }
        Ok(solve::search(&problem, false, &|_, _| true).sorted(Objective::Systolic))
    }

    /// One transport for each operand that is an input, one order for each reduction.
    fn one_way_each(&self, choices: &mut Choices) -> Vec<Offered> {
        let mut offered = self.offered.clone();
        for (space, offered) in self.cut.spaces.iter().zip(&mut offered) {
            for (operand, ways) in space.operands.iter().zip(&mut offered.transports) {
                if self.cut.spaces.iter().all(|giver| giver.output != operand.tensor) {
                    *ways = vec![choices.pick(ways).clone()];
                }
            }
            offered.chains = vec![choices.pick(&offered.chains).clone()];
        }
        offered
    }

    fn design(&self, found: &Found) -> Design<'_> {
        Design { fold: found.fold.clone(), ..Design::new(&self.cut, found.parts.clone()) }
    }

    /// The values of the equations, which reductions as written give bit for bit; else those of the chosen orders.
    fn reference(&self, found: &Found, sizes: &Bindings, inputs: &Tensors) -> Checked<Tensors> {
        let chains: Vec<Chain> = found.parts.iter().map(|part| part.dataflow.chain.clone()).collect();
        let written = self.cut.spaces.iter().zip(&chains).all(|(space, chain)| *chain == Chain::as_written(space));
        match written {
            true => evaluate(&self.system, sizes, inputs),
            false => evaluate_system_in_order(&self.system, &self.cut, &chains, sizes, inputs),
        }
    }

    /// At these sizes the checker agrees, the program ends in the counted cycles, and its values are the reference's.
    fn hold(&self, found: &Found, machine: &Machine, sizes: &Bindings) -> Result<(), String> {
        let problems = |problems| shown(&problems);
        let program = emit(&self.design(found), &machine.links).map_err(problems)?;
        array::validate(&program).map_err(problems)?;
        let inputs = filled_inputs(&self.system, sizes, false);
        let settings = Settings { response: machine.links.response.unsigned_abs(), ..Settings::default() };
        let outcome = simulate(&program, sizes, &inputs, &settings).map_err(problems)?;
        agree(&program, sizes, &inputs, &settings, &outcome)?;
        let text = || format!("at {sizes:?}\n{}", array::print(&program));
        if let Some(deadlock) = &outcome.deadlock {
            return Err(format!("{deadlock:?} {}", text()));
        }
        self.hold_bits(found, &outcome, sizes, &inputs).map_err(|what| format!("{what} {}", text()))?;
        let filling = sizes.values().fold(found.cost.cycles, |filling, size| 7 * filling + size.unsigned_abs());
        let inputs = special_inputs(&self.system, sizes, filling);
        let outcome = simulate(&program, sizes, &inputs, &settings).map_err(problems)?;
        agree(&program, sizes, &inputs, &settings, &outcome)?;
        self.hold_bits(found, &outcome, sizes, &inputs).map_err(|what| format!("{what} {inputs:?} {}", text()))?;
        let mut at = found.clone();
        (at.cost.cycles, at.cost.pes) = (outcome.cycles, outcome.pes);
        solve::verify(&self.free(machine, sizes)?, &at).map_err(|why| format!("{why}, but {:?} {}", at.cost, text()))
    }

    fn hold_bits(&self, found: &Found, outcome: &Outcome, sizes: &Bindings, inputs: &Tensors) -> Result<(), String> {
        let expected = self.reference(found, sizes, inputs).map_err(|problems| shown(&problems))?;
        let differs = |(tensor, values): &(&Name, &ArrayD<f64>)| !same_bits(&outcome.outputs[*tensor], values);
        expected.iter().find(differs).map_or(Ok(()), |(tensor, values)| {
            Err(format!("{tensor}: {} instead of {values}", outcome.outputs[tensor]))
        })
    }

    fn prove(&self, found: &Found, machine: &Machine) -> Result<(), String> {
        let stated = obligations(&self.design(found), &machine.links).map_err(|problems| shown(&problems))?;
        let proofs = discharge_all(&stated, AMPLE);
        match proofs.iter().find(|proof| proof.verdict != Verdict::Proved) {
            Some(proof) => Err(format!("{} of {} is {:?}", proof.obligation.kind, proof.obligation.of, proof.verdict)),
            None => Ok(()),
        }
    }
}

/// Takes one kernel through all stages; whether a design was found.
fn judge(text: &str, rules: &RuleSet, choices: &mut Choices, case: u32) -> Result<bool, String> {
    let grown = load(text, rules).map_err(|problems| shown(&problems))?;
    let mut machine = Machine::default();
    machine.links.latency = 1 + (choices.choose(4) / 3) as i64;
    let found = match case.is_multiple_of(50) {
        true => grown.best(&machine, case.is_multiple_of(500))?,
        false => grown.scheduled(&machine, choices, FOLDS[case as usize % FOLDS.len()])?,
    };
    let Some(found) = found else { return Ok(false) };
    let broken = |why: String| format!("{why}\n{found:?}");
    let small = |choices: &mut Choices| 1 + choices.choose(6) as i64;
    if case.is_multiple_of(10) {
        grown.prove(&found, &machine).map_err(broken)?;
    }
    let others = (0..2).map(|_| sizes(small(choices), small(choices)));
    [sizes(4, 3)].into_iter().chain(others).try_for_each(|at| grown.hold(&found, &machine, &at)).map_err(broken)?;
    Ok(true)
}

/// What came of all kernels, which the workers share.
#[derive(Default)]
struct Tally {
    next: AtomicU32,
    found: AtomicU32,
    broken: Mutex<Vec<String>>,
}

impl Tally {
    /// Takes kernels until all are taken; one thread for all stages of one kernel.
    fn work(&self, cases: u32, rules: &RuleSet) {
        let alone = rayon::ThreadPoolBuilder::new().num_threads(1).build().expect("a thread");
        let next = || Some(self.next.fetch_add(1, Ordering::Relaxed)).filter(|case| *case < cases);
        std::iter::from_fn(next).for_each(|case| alone.install(|| self.take(case, rules)));
    }

    fn take(&self, case: u32, rules: &RuleSet) {
        let outcome = TestRunner::new(config(case)).run(&vec(any::<u32>(), 60), |numbers| {
            let choices = &mut Choices::new(numbers);
            let text = kernel(choices);
            let judged = judge(&text, rules, choices, case);
            self.found.fetch_add(u32::from(judged == Ok(true)), Ordering::Relaxed);
            prop_assert!(judged.is_ok(), "{}\n{}", judged.unwrap_err(), text);
            Ok(())
        });
        self.broken.lock().unwrap().extend(outcome.err().map(|why| format!("kernel {case}: {why}")));
    }
}

#[test]
fn best_designs_of_random_kernels_are_right_at_every_size() {
    let rules = rewrite::load_rules(None).expect("rules that ship");
    let (cases, tally) = (asked("PROPTEST_CASES").unwrap_or(KERNELS), Tally::default());
    let workers = std::thread::available_parallelism().map_or(1, usize::from);
    std::thread::scope(|scope| (0..workers).for_each(|_| drop(scope.spawn(|| tally.work(cases, &rules)))));
    let (broken, found) = (tally.broken.into_inner().unwrap(), tally.found.into_inner());
    assert!(broken.is_empty(), "{} of {cases} kernels\n{}", broken.len(), broken.join("\n\n"));
    assert!(3 * found >= 2 * cases, "{found} of {cases} kernels have a design");
}
