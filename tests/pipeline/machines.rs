//! What the search predicts is what the simulator counts, for the kernels that ship on the machines that ship; an array that
//! a machine cannot hold is refused.

use super::common::{filled_inputs, shown, with_memory};
use crate::share::share;
use std::fs;
use std::path::Path;
use systole::array::Program;
use systole::cost::{Cost, Objective};
use systole::diagnostic::Checked;
use systole::emit::emit;
use systole::extract::{Constraint, Problem, Question};
use systole::integer::Bindings;
use systole::machine::Machine;
use systole::mapping::Design;
use systole::mapping::candidates::Bounds;
use systole::recurrence::spaces::{SpaceSystem, cut_spaces, spaces_of};
use systole::recurrence::{RecurrenceSystem, Schedule};
use systole::rewrite::{Choices, Limits};
use systole::sim::{Outcome, Settings, simulate};
use systole::span::Source;
use systole::{extract, recurrence, rewrite};

/// A kernel with a place for it, where `#` is the latency of the machine's links, three sizes whose arrays fit four by four PEs, and one whose array does not.
struct Case {
    kernel: &'static str,
    place: &'static str,
    sizes: [&'static [i64]; 3],
    beyond: &'static [i64],
}

const fn case(kernel: &'static str, place: &'static str, sizes: [&'static [i64]; 3], beyond: &'static [i64]) -> Case {
    Case { kernel, place, sizes, beyond }
}

/// Sizes in the order of the parameters.
const CASES: [Case; 22] = [
    case("cholesky", "(i, j)", [&[2], &[3], &[4]], &[5]),
    case("conv1d", "(i)", [&[2, 3], &[3, 2], &[4, 4]], &[5, 2]),
    case("conv2d", "(i, j)   time (k, #*i + #*j + l)", [&[1, 2, 2, 2], &[3, 2, 1, 2], &[4, 3, 2, 2]], &[2, 5, 2, 2]),
    case("divergences", "(i, j)", [&[2, 2, 3], &[4, 3, 2], &[4, 4, 4]], &[5, 2, 2]),
    case("edit_distance", "(i)", [&[2, 3], &[3, 5], &[4, 4]], &[5, 3]),
    case("fir", "(i)", [&[2, 3], &[3, 2], &[4, 4]], &[5, 2]),
    case("jacobi1d", "(i)", [&[1, 1], &[3, 2], &[5, 2]], &[2, 3]),
    case("jacobi2d", "(i, j)", [&[1, 1], &[2, 2], &[3, 2]], &[1, 3]),
    case("lu", "(i, j)", [&[2], &[3], &[4]], &[5]),
    case("matmul", "(i, j)", [&[2, 2, 3], &[4, 3, 2], &[4, 4, 4]], &[5, 2, 2]),
    case("matvec", "(i)", [&[2, 3], &[3, 5], &[4, 4]], &[5, 2]),
    case("minkowski", "(i, j)", [&[2, 2, 3], &[4, 3, 2], &[4, 4, 4]], &[5, 2, 2]),
    case("mttkrp", "(i, j)   time (k, #*i + #*j + l)", [&[1, 2, 2, 2], &[2, 2, 2, 3], &[4, 3, 2, 2]], &[5, 2, 2, 2]),
    case("polynomial_product", "(i)", [&[2, 3], &[3, 3], &[4, 4]], &[5, 2]),
    case("prefix_sum", "(i)", [&[2], &[3], &[4]], &[5]),
    case("prefix_sum_by_definition", "(i)", [&[2], &[3], &[4]], &[5]),
    case("ranks", "(i)", [&[2], &[3], &[4]], &[5]),
    case("smith_waterman", "(i)", [&[2, 3], &[3, 5], &[4, 4]], &[5, 3]),
    case("triangular_inverse", "(i, j)", [&[2], &[3], &[4]], &[5]),
    case("trisolve", "(i)", [&[2], &[3], &[4]], &[5]),
    case("trsm", "(r, i)", [&[2, 3], &[3, 2], &[4, 4]], &[5, 2]),
    case("ttm", "(i, k)   time (j, #*i + #*k + l)", [&[1, 2, 2, 2], &[3, 2, 4, 2], &[4, 3, 2, 2]], &[5, 2, 2, 2]),
];

fn read(path: &str) -> String {
    fs::read_to_string(Path::new(env!("SYSTOLE_ROOT")).join(path)).expect("the file is there")
}

fn machine(name: &str) -> Machine {
    let path = format!("machines/{name}.toml");
    Machine::parse(&Source::new(&path, read(&path))).unwrap_or_else(|problems| panic!("{}", shown(&problems)))
}

/// A kernel under the place of its case, on a machine.
struct Bench<'a> {
    system: RecurrenceSystem,
    machine: &'a Machine,
}

/// The best design: what it is predicted to cost, and its program; or how many of how many maps are too large.
type Best = Result<(Cost, Program), (u64, u64)>;

impl<'a> Bench<'a> {
    fn new(case: &Case, machine: &'a Machine) -> Bench<'a> {
        let kernel = read(&format!("kernels/{}.rec", case.kernel));
        let place = case.place.replace('#', &machine.links.latency.to_string());
        let text = format!("{kernel}\nschedule here\nplace {place}\n");
        let system = recurrence::load(&Source::new(case.kernel, text));
        Bench { system: system.unwrap_or_else(|problems| panic!("{}", shown(&problems))), machine }
    }

    fn schedule(&self) -> &Schedule {
        self.system.schedules.iter().find(|schedule| &*schedule.name == "here").expect("it was added")
    }

    fn sizes(&self, values: &[i64]) -> Bindings {
        assert_eq!(self.system.parameters.len(), values.len());
        self.system.parameters.iter().cloned().zip(values.iter().copied()).collect()
    }

    /// Slow links need long steps.
    fn bounds(&self, dimension: usize) -> Bounds {
        Bounds { steps: (0, 1 + self.machine.links.latency), ..Bounds::for_dimension(dimension) }
    }

    fn best(&self, sizes: &Bindings) -> Best {
        self.found(sizes).unwrap_or_else(|problems| panic!("{}", shown(&problems)))
    }

    fn found(&self, sizes: &Bindings) -> Checked<Best> {
        let cut = spaces_of(&self.system)?;
        let choices = rewrite::saturate(&cut, &rewrite::load_rules(None)?, &Limits::default())?.choices()?;
        let problem = self.problem(&cut, &choices, sizes)?;
        let survey = extract::search(&problem, false, &|_, _| true);
        let Some(found) = survey.sorted(Objective::Systolic).into_iter().next() else {
            return Ok(Err((survey.rejections.oversized, survey.maps)));
        };
        Ok(Ok((found.cost, emit(&problem.design(&found), &self.machine.links)?)))
    }

    fn problem<'b>(
        &'b self,
        system: &'b SpaceSystem,
        choices: &'b [Choices],
        sizes: &'b Bindings,
    ) -> Checked<Problem<'b>> {
        let (constraint, machine) = (Constraint::from_schedule(system, self.schedule())?, self.machine);
        let dimension = system.spaces.iter().map(|space| space.dimension()).max().unwrap_or(0);
        let (bounds, limits) = (self.bounds(dimension), extract::Limits::default());
        let steps = if system.only_space().is_some() { bounds.steps } else { (0, 1) };
        let bounds = Bounds { steps, ..bounds };
        Problem::new(Question { system, choices, bounds, machine, sizes, constraint, limits })
    }

    fn run(&self, program: &Program, sizes: &Bindings) -> Outcome {
        let Machine { links, capacity, times, .. } = self.machine;
        let (response, capacity, times) = (links.response.unsigned_abs(), *capacity, times.clone());
        let settings = Settings { response, capacity, times, ..Settings::default() };
        let outcome = simulate(program, sizes, &filled_inputs(&self.system, sizes, false), &settings);
        let outcome = outcome.unwrap_or_else(|problems| panic!("{}", shown(&problems)));
        assert!(outcome.deadlock.is_none());
        outcome
    }
}

/// Kernels of many spaces: a search at the first size gives the design for all three.
static LONG: [Case; 3] = [
    case("flash_attention", "(i, j)", [&[3, 3, 2], &[2, 4, 3], &[4, 1, 2]], &[5, 2, 2]),
    case("qr_givens", "(k, j)", [&[3, 3], &[2, 4], &[5, 2]], &[2, 5]),
    case("transitive_closure", "(i, j)", [&[3], &[2], &[4]], &[5]),
];

#[test]
fn every_kernel_that_ships_has_a_case() {
    let folder = fs::read_dir(Path::new(env!("SYSTOLE_ROOT")).join("kernels")).expect("a folder");
    let files = folder.map(|entry| entry.unwrap().path()).filter(|path| path.is_file());
    let mut kernels: Vec<String> = files.map(|path| path.file_stem().unwrap().to_string_lossy().into_owned()).collect();
    kernels.sort();
    let mut known: Vec<&str> = CASES.iter().chain(&LONG).map(|case| case.kernel).collect();
    known.sort_unstable();
    assert_eq!(kernels, known);
}

/// How long memory takes, and how many loads of an array a PE may have outstanding.
type Memory = (i64, Option<u64>);

fn hold(name: &str) {
    hold_on(&machine(name), &CASES);
}

fn hold_on(machine: &Machine, cases: &[Case]) {
    let name = &machine.name;
    for case in cases {
        let bench = Bench::new(case, machine);
        for values in case.sizes {
            let sizes = bench.sizes(values);
            let (cost, program) =
                bench.best(&sizes).unwrap_or_else(|why| panic!("{} {values:?}: {why:?}", case.kernel));
            let outcome = bench.run(&program, &sizes);
            let predicted = outcome.cycles_of(cost.cycles);
            assert_eq!(outcome.cycles, predicted, "{} {values:?} on {name}", case.kernel);
            let (latency, steps) = (machine.times.load_latency.unsigned_abs(), cost.cycles);
            assert!(predicted <= latency + steps || machine.times.outstanding.is_some(), "{}", case.kernel);
        }
    }
}

/// A search without optimisation takes a minute for all but the last.
fn long() -> &'static [Case] {
    if cfg!(debug_assertions) { &LONG[2..] } else { &LONG }
}

/// The design of the first size has at each size the cycles that the checker counts, and not one more.
fn hold_long(name: &str) {
    hold_long_on(&machine(name));
}

fn hold_long_on(machine: &Machine) {
    let name = &machine.name;
    for case in long() {
        let bench = Bench::new(case, machine);
        let cut = cut_spaces(&bench.system).unwrap();
        let choices = rewrite::saturate(&cut, &rewrite::load_rules(None).unwrap(), &Limits::default());
        let choices = choices.unwrap().choices().unwrap();
        let first = bench.sizes(case.sizes[0]);
        let survey = extract::search(&bench.problem(&cut, &choices, &first).unwrap(), false, &|_, _| true);
        let best = survey.sorted(Objective::Systolic).into_iter().next().expect("a design");
        let design = Design::new(&cut, best.parts.clone());
        let program = emit(&design, &machine.links).unwrap();
        for values in case.sizes {
            let (sizes, mut at) = (bench.sizes(values), best.clone());
            let problem = bench.problem(&cut, &choices, &sizes).unwrap();
            let outcome = bench.run(&program, &sizes);
            let cycles = (outcome.cycles - outcome.lead) / outcome.step;
            assert_eq!(outcome.cycles, outcome.cycles_of(cycles), "{} {values:?} on {name}", case.kernel);
            (at.cost.cycles, at.cost.pes) = (cycles, outcome.pes);
            assert_eq!(extract::verify(&problem, &at), Ok(()), "{} {values:?} on {name}", case.kernel);
            assert!(values != case.sizes[0] || cycles == best.cost.cycles, "{} on {name}", case.kernel);
            at.cost.cycles += 1;
            assert!(extract::verify(&problem, &at).is_err(), "{} {values:?} on {name}", case.kernel);
        }
    }
}

#[test]
fn predicted_cycles_are_simulated_cycles_on_the_ideal_machine() {
    hold("ideal");
}

/// Operations that share steps are recounted as well.
#[test]
fn predicted_cycles_are_simulated_cycles_on_cells() {
    hold("cells");
}

#[test]
fn predicted_cycles_of_many_spaces_are_simulated_cycles_on_cells() {
    hold_long("cells");
}

#[test]
fn predicted_cycles_of_many_spaces_are_simulated_cycles_on_the_ideal_machine() {
    hold_long("ideal");
}

#[test]
fn predicted_cycles_of_many_spaces_are_simulated_cycles_on_chiplets() {
    hold_long("chiplets");
}

#[test]
fn predicted_cycles_of_many_spaces_are_simulated_cycles_on_a_wafer() {
    hold_long("wafer");
}

#[test]
fn predicted_cycles_are_simulated_cycles_on_chiplets() {
    hold("chiplets");
}

#[test]
fn predicted_cycles_are_simulated_cycles_on_a_wafer() {
    hold("wafer");
}

const MEMORIES: [Memory; 4] = [(200, None), (1, None), (20, Some(3)), (3, None)];

/// With as many loads outstanding as it takes, the latency of memory is paid for once.
#[test]
fn predicted_cycles_are_simulated_cycles_where_memory_is_slow() {
    for (latency, outstanding) in share(MEMORIES, 2) {
        for name in share(["chiplets", "ideal"], 2) {
            hold_on(&with_memory(machine(name), latency, outstanding), &CASES);
        }
        hold_long_on(&with_memory(machine("ideal"), latency, outstanding));
    }
}

#[test]
fn what_sixteen_chiplets_cannot_hold_is_refused() {
    let (chiplets, wafer) = (machine("chiplets"), machine("wafer"));
    for case in share(CASES.iter().chain(long()), 3) {
        let (small, large) = (Bench::new(case, &chiplets), Bench::new(case, &wafer));
        let refused = small.best(&small.sizes(case.beyond)).expect_err("an array of more than four PEs on a side");
        assert!(refused.0 > 0 && refused.0 == refused.1, "{}: {refused:?}", case.kernel);
        assert!(large.best(&large.sizes(case.beyond)).is_ok(), "{} on a wafer", case.kernel);
    }
}
