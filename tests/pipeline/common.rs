//! The stages in a row, and everything one design has to satisfy on the way through them.

use super::engines::agree;
use super::specials::special_inputs;
use ndarray::{ArrayD, IxDyn};
use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::path::Path;
use systole::array::Program;
use systole::cost::Objective;
use systole::diagnostic::{Checked, Diagnostics, render};
use systole::emit::emit;
use systole::extract::{Constraint, Found, Limits, Problem, Question, Survey};
use systole::integer::Bindings;
use systole::machine::Machine;
use systole::mapping::candidates::Bounds;
use systole::mapping::{Design, SpaceTimeMap};
use systole::network::{Links, Network};
use systole::recurrence::spaces::SpaceSystem;
use systole::recurrence::{Chain, RecurrenceSystem, Role, Space, Tensors};
use systole::rewrite::{Choices, Transport};
use systole::sim::{Outcome, Settings, simulate};
use systole::span::{Source, Span};
use systole::{array, extract, recurrence, rewrite};

/// How many random cases there are: a few, and with the feature `long-tests` many (`make test-long`).
pub const fn few_or(few: u32, many: u32) -> u32 {
    if cfg!(feature = "long-tests") { many } else { few }
}

/// A kernel with what the e-graph offers for it.
pub struct Kernel {
    pub system: RecurrenceSystem,
    pub space: Space,
    /// The same as a list of one.
    pub spaces: SpaceSystem,
    pub choices: Choices,
}

/// Text to saturated e-graph.
pub fn load(text: &str) -> Checked<Kernel> {
    let system = recurrence::load(&Source::new("test.rec", text))?;
    let space = recurrence::one_space(&system)?;
    let rules = rewrite::load_rules(None)?;
    let spaces = SpaceSystem::of_one(space.clone());
    let choices = rewrite::saturate(&spaces, &rules, &rewrite::Limits::default())?.choices()?.swap_remove(0);
    Ok(Kernel { system, space, spaces, choices })
}

/// A kernel of the repository.
pub fn kernel(file: &str) -> Kernel {
    let path = Path::new(env!("SYSTOLE_ROOT")).join("kernels").join(file);
    let text = std::fs::read_to_string(path).expect("the kernel is there");
    load(&text).unwrap_or_else(|problems| panic!("{}", shown(&problems)))
}

/// Messages as the user sees them.
pub fn shown(problems: &Diagnostics) -> String {
    render(problems, false)
}

/// A machine of unit latency.
pub fn machine(network: Network) -> Machine {
    Machine { links: Links { network, ..Links::default() }, ..Machine::default() }
}

/// The machine with a memory of this latency, of which a PE may have so many loads of an array outstanding.
pub fn with_memory(mut machine: Machine, latency: i64, outstanding: Option<u64>) -> Machine {
    (machine.times.load_latency, machine.times.outstanding) = (latency, outstanding);
    machine.links.memory = latency + 1;
    machine
}

impl Kernel {
    /// Sizes in the order of the parameters.
    pub fn sizes(&self, values: &[i64]) -> Bindings {
        assert_eq!(values.len(), self.space.parameters.len());
        self.space.parameters.iter().cloned().zip(values.iter().copied()).collect()
    }

    /// Every legal design within the bounds, with its cost at these sizes.
    pub fn survey(&self, machine: &Machine, bounds: Bounds, sizes: &Bindings) -> Checked<Survey> {
        let problem = self.problem(machine, bounds, sizes, Constraint::default())?;
        Ok(extract::search(&problem, true, &|_, _| true))
    }

    /// The search of this kernel.
    pub fn problem<'a>(
        &'a self,
        machine: &'a Machine,
        bounds: Bounds,
        sizes: &'a Bindings,
        constraint: Constraint,
    ) -> Checked<Problem<'a>> {
        let choices = std::slice::from_ref(&self.choices);
        let (system, limits) = (&self.spaces, Limits::default());
        Problem::new(Question { system, choices, bounds, machine, sizes, constraint, limits })
    }

    /// The designs that a schedule of the file leaves, best first.
    pub fn scheduled(&self, schedule: &str, machine: &Machine, sizes: &Bindings) -> Vec<Found> {
        let found = self.system.schedules.iter().find(|known| &*known.name == schedule).expect("the schedule is there");
        let constraint = Constraint::from_schedule(&self.spaces, found).unwrap_or_else(|p| panic!("{}", shown(&p)));
        self.constrained(machine, sizes, constraint)
    }

    /// The best designs under a constraint, best first.
    pub fn constrained(&self, machine: &Machine, sizes: &Bindings, constraint: Constraint) -> Vec<Found> {
        let bounds = Bounds::for_dimension(self.space.dimension());
        let problem = self.problem(machine, bounds, sizes, constraint);
        let problem = problem.unwrap_or_else(|problems| panic!("{}", shown(&problems)));
        extract::search(&problem, false, &|_, _| true).sorted(Objective::Systolic)
    }

    /// The design of something found.
    pub fn design(&self, found: &Found) -> Design<'_> {
        Design::new(&self.spaces, found.parts.clone())
    }

    /// Input arrays at these sizes: whole numbers where `exact`, so that sums agree in any order.
    pub fn inputs(&self, sizes: &Bindings, exact: bool) -> Tensors {
        filled_inputs(&self.system, sizes, exact)
    }
}

/// Input arrays of a system at these sizes: whole numbers where `exact`.
pub fn filled_inputs(system: &RecurrenceSystem, sizes: &Bindings, exact: bool) -> Tensors {
    let inputs = system.tensors.iter().filter(|tensor| tensor.role == Role::Input);
    let filled = inputs.enumerate().map(|(number, tensor)| {
        let extent = |side: &systole::integer::Affine| side.evaluate(sizes).expect("a size") as usize;
        let shape: Vec<usize> = tensor.shape.iter().map(extent).collect();
        (tensor.name.clone(), filled(number, &shape, exact))
    });
    filled.collect()
}

/// Values without a pattern; where not `exact`, their sums depend on the order.
fn filled(seed: usize, shape: &[usize], exact: bool) -> ArrayD<f64> {
    let size: usize = shape.iter().product();
    let whole = |position: usize| ((position * 7919 + seed * 104_729 + 11) % 31) as f64 - 14.0;
    let value = |position: usize| if exact { whole(position) } else { whole(position) / 7.0 + 0.01 };
    ArrayD::from_shape_vec(IxDyn(shape), (0..size).map(value).collect()).expect("the shape fits")
}

/// Runs designs of one kernel at fixed sizes; the references are computed once for each order of the reduction.
pub struct Bench<'a> {
    pub kernel: &'a Kernel,
    pub machine: &'a Machine,
    pub sizes: Bindings,
    inputs: Tensors,
    references: RefCell<BTreeMap<Chain, ArrayD<f64>>>,
    /// Programs run; the first and some of the others are held to the reference of the simulator.
    runs: Cell<usize>,
}

impl<'a> Bench<'a> {
    pub fn new(kernel: &'a Kernel, machine: &'a Machine, sizes: Bindings) -> Bench<'a> {
        let inputs = kernel.inputs(&sizes, false);
        Bench { kernel, machine, sizes, inputs, references: RefCell::default(), runs: Cell::default() }
    }

    /// The program of a design: valid, and the same after a trip through its text.
    pub fn program(&self, found: &Found) -> Result<Program, String> {
        let design = self.kernel.design(found);
        let program = emit(&design, &self.machine.links).map_err(|problems| shown(&problems))?;
        array::validate(&program).map_err(|problems| shown(&problems))?;
        let text = array::print(&program);
        let read = array::parse("test.pe", &text).map_err(|problems| shown(&problems))?;
        if read != program || array::print(&read) != text {
            return Err(format!("the text reads back as another program:\n{text}"));
        }
        Ok(program)
    }

    /// The outcome of a run on the bench's inputs.
    pub fn run(&self, program: &Program) -> Result<Outcome, String> {
        let Machine { links, times, .. } = self.machine;
        let response = links.response.unsigned_abs();
        let settings = Settings { response, times: times.clone(), ..Settings::default() };
        let outcome = simulate(program, &self.sizes, &self.inputs, &settings).map_err(|problems| shown(&problems))?;
        let runs = self.runs.replace(self.runs.get() + 1);
        if runs.is_multiple_of(32) {
            agree(program, &self.sizes, &self.inputs, &settings, &outcome)?;
        }
        Ok(outcome)
    }

    /// The same with special numbers.
    pub fn with_specials(self, filling: u64) -> Bench<'a> {
        Bench { inputs: special_inputs(&self.kernel.system, &self.sizes, filling), ..self }
    }

    /// Holds a design to everything that was promised of it; `Err` with the broken promise.
    pub fn hold(&self, found: &Found) -> Result<(), String> {
        let program = self.program(found)?;
        let broken = |what: String| format!("{what}\n{found:?}\n{:?}\n{}", self.sizes, array::print(&program));
        let outcome = self.run(&program).map_err(&broken)?;
        self.compare(found, &program, &outcome).map_err(broken)
    }

    fn compare(&self, found: &Found, program: &Program, outcome: &Outcome) -> Result<(), String> {
        if let Some(deadlock) = &outcome.deadlock {
            return Err(format!("deadlock: {deadlock:?}"));
        }
        let expected = self.reference(&found.parts[0].dataflow.chain)?;
        let output = outcome.outputs.get(&self.kernel.space.output).ok_or("no output")?;
        if !same_bits(output, &expected) {
            return Err(format!("values differ: {output} instead of {expected}"));
        }
        let (cost, counters) = (&found.cost, &outcome.counters);
        promise("cycles", outcome.cycles, outcome.cycles_of(cost.cycles))?;
        promise("PEs", outcome.pes, cost.pes)?;
        let memory = counters.memory.iter().map(|(_, traffic)| traffic.loaded + traffic.prefetched).sum();
        if !self.prefetches_twice(found) {
            promise("memory words", memory, cost.memory_words)?;
        }
        promise("channel words", self.words(program, outcome), cost.channel_words)?;
        match counters.channels.iter().find(|channel| channel.max_depth > channel.declared_depth) {
            Some(channel) => Err(format!("`{}` is deeper than promised", channel.name)),
            None => Ok(()),
        }
    }

    /// Whether two reads of one tensor are prefetched: they may meet in an element, which a PE holds only once.
    fn prefetches_twice(&self, found: &Found) -> bool {
        let reads = self.kernel.space.operands.iter().zip(&found.parts[0].dataflow.transports);
        let prefetched = reads.filter(|(_, transport)| **transport == Transport::Prefetch);
        let mut tensors: Vec<&str> = prefetched.map(|(operand, _)| &*operand.tensor).collect();
        tensors.sort_unstable();
        tensors.windows(2).any(|pair| pair[0] == pair[1])
    }

    /// Words times hops, and what buses bring to listeners.
    fn words(&self, program: &Program, outcome: &Outcome) -> u64 {
        let hops = |offset: &[i64]| self.machine.links.network.hops(offset).expect("a link").unsigned_abs();
        let channels = program.channels.iter().zip(&outcome.counters.channels);
        let moved: u64 = channels.map(|(channel, counter)| hops(&channel.offset) * counter.words).sum();
        moved + outcome.counters.buses.iter().map(|bus| bus.heard).sum::<u64>()
    }

    /// The value in the order of a chain, which on whole numbers is the value of the equations.
    fn reference(&self, chain: &Chain) -> Result<ArrayD<f64>, String> {
        if let Some(known) = self.references.borrow().get(chain) {
            return Ok(known.clone());
        }
        let (system, space) = (&self.kernel.system, &self.kernel.space);
        let in_order = |inputs: &Tensors| {
            recurrence::evaluate_in_order(space, chain, &self.sizes, inputs).map_err(|problems| shown(&problems))
        };
        let exact = self.kernel.inputs(&self.sizes, true);
        let meaning = recurrence::evaluate(system, &self.sizes, &exact).map_err(|problems| shown(&problems))?;
        if !same_bits(&in_order(&exact)?, &meaning[&space.output]) {
            return Err(format!("{chain:?} is another reduction than the equations'"));
        }
        let value = in_order(&self.inputs)?;
        self.references.borrow_mut().insert(chain.clone(), value.clone());
        Ok(value)
    }
}

/// The constraint to a map.
pub fn fixed(map: &SpaceTimeMap) -> Constraint {
    let step = (map.step.clone(), Span { start: 0, end: 0 });
    Constraint { places: vec![Some(map.place.clone())], steps: vec![Some(step)], ..Constraint::default() }
}

fn promise(what: &str, found: u64, promised: u64) -> Result<(), String> {
    if found == promised { Ok(()) } else { Err(format!("{found} {what} where {promised} were promised")) }
}

/// Equal shapes and equal bits, all NaNs counting as one.
pub fn same_bits(left: &ArrayD<f64>, right: &ArrayD<f64>) -> bool {
    let same = |(a, b): (&f64, &f64)| a.to_bits() == b.to_bits() || (a.is_nan() && b.is_nan());
    left.shape() == right.shape() && left.iter().zip(right.iter()).all(same)
}
