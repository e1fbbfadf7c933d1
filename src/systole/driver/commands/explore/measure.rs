//! What one point of a sweep gives.
//!
//! In: a kernel, flags, and a point, or a design that is kept. Out: a [`Row`]: what the search promised and the run took, or
//! why there is no design. A row is a function of these alone, so points may be measured in any order and any number at a
//! time.

use super::sweep::{Point, Sweep};
use crate::driver::Failure;
use crate::driver::flags::arguments::ExploreArguments;
use crate::driver::flags::setting::Setting;
use crate::driver::kernels::kernel::Kernel;
use crate::driver::kernels::searched::Border;
use crate::driver::kernels::searched::Searched;
use crate::driver::kernels::shape;
use crate::driver::pipeline::first_proved;
use crate::driver::runs::agreement::{check_numbers, compare};
use crate::driver::runs::as_written::AsWritten;
use crate::driver::runs::inputs;
use crate::driver::runs::missed::Missed;
use crate::driver::runs::timed::{on_machine, settings};
use crate::driver::shown::output::Output;
use serde::{Deserialize, Serialize};
use systole_base::diagnostic::{Checked, Diagnostic};
use systole_base::integer::Bindings;
use systole_base::machine::Machine;
use systole_base::scalar::Precision;
use systole_program::array::{Program, Tensors, validate};
use systole_run::sim;
use systole_run::sim::{Counters, Outcome};

/// What a point gave: a measured design, or why there is none.
pub type Row = Result<Measured, String>;

/// A design with its counts.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Measured {
    /// Cycles as the search counts them; none for a design that is kept, and where the search counted at other sizes.
    pub predicted: Option<u64>,
    /// By how much the run took more, and what was waited for; none where it is as predicted.
    #[serde(default)]
    pub missed: Option<String>,
    /// Cycles of the run.
    pub cycles: u64,
    /// PEs that ran.
    pub pes: u64,
    /// Cycles in which a PE worked, over all PEs.
    pub busy: u64,
    /// Words sent over channels.
    pub words: u64,
    /// Slots of all channels.
    pub slots: u64,
    /// Whether the proofs, which are for all sizes, are for links of this timing.
    pub proved: bool,
    /// The design on one line.
    pub design: String,
    /// Each PE that ran, with the cycles in which it worked.
    pub array: Vec<(Vec<i64>, u64)>,
}

impl Measured {
    /// The share of the cycles of the PEs in which they worked.
    pub fn utilisation(&self) -> f64 {
        let available = self.pes.saturating_mul(self.cycles);
        if available == 0 { 0.0 } else { self.busy as f64 / available as f64 }
    }
}

/// An exploration: what all points have in common.
pub struct Exploration<'a> {
    /// The kernel.
    pub kernel: &'a Kernel,
    /// The flags.
    pub arguments: &'a ExploreArguments,
    /// The swept keys.
    pub sweeps: &'a [Sweep],
}

/// The design of the first point, kept for all others.
pub struct Kept {
    program: Program,
    design: String,
    machine: Machine,
}

impl Exploration<'_> {
    /// The flags at a point.
    pub fn setting(&self, point: &Point) -> Checked<Setting> {
        let space = &self.arguments.sought.space;
        let sizes = point.sizes(self.sweeps, &space.size);
        Setting::with(self.kernel, space, &sizes, |machine| point.machine(self.sweeps, machine))
    }

    /// Searches, proves and runs at a point.
    pub fn measure(&self, point: &Point) -> Row {
        self.search(point).map_err(|failure| in_one_line(&failure))
    }

    fn search(&self, point: &Point) -> Result<Measured, Failure> {
        let (setting, silent) = (self.setting(point)?, Output::silent());
        let searched = self.kernel.search_to_the_end(&setting, &silent)?;
        let (_, found, design, _) = first_proved(&searched, self.arguments.limit, &silent)?;
        let program = searched.program(&design)?;
        validate(&program)?;
        let tensors = self.tensors(&program, &setting.given)?;
        // What is too large to be compared is refused before it is simulated.
        let expected = searched.expected(&design, &tensors)?;
        let as_written = AsWritten::expected(self.kernel.origin.written.as_ref(), &setting.given, &tensors)?;
        check_numbers(&expected)?;
        let outcome = self.run(&program, &setting.given, &tensors, &setting.machine)?;
        if !compare(&expected, &outcome, Precision::Double).strictly().is_good() {
            return Err(vec![Diagnostic::new("the run differs from the reference")].into());
        }
        as_written.map(|expected| AsWritten::of(expected, &outcome)).iter().try_for_each(AsWritten::check)?;
        let predicted = is_comparable(&searched).then(|| outcome.cycles_of(found.cost.cycles));
        let (run, timing) = ((&program, &setting.given, &tensors), settings(&setting.machine));
        let missed = predicted.map(|cycles| Missed::find(run, &timing, &outcome, cycles)).transpose()?.flatten();
        let missed = missed.map(|missed| missed.text());
        let text = shape::line(&design);
        let blank = blank(&program, &outcome, &setting.machine);
        Ok(count(&outcome, Measured { predicted, missed, proved: true, design: text, ..blank }))
    }

    /// The proved design of a point, to be kept.
    pub fn keep(&self, point: &Point) -> Result<Kept, Failure> {
        let (setting, silent) = (self.setting(point)?, Output::silent());
        let searched = self.kernel.search_to_the_end(&setting, &silent)?;
        let (_, _, design, _) = first_proved(&searched, self.arguments.limit, &silent)?;
        let program = searched.program(&design)?;
        validate(&program)?;
        Ok(Kept { design: shape::line(&design), program, machine: setting.machine.clone() })
    }

    /// Runs the kept design at a point.
    pub fn measure_kept(&self, kept: &Kept, point: &Point) -> Row {
        let measured = || -> Result<Measured, Failure> {
            let setting = self.setting(point)?;
            let machine = &setting.machine;
            let program = on_machine(&kept.program, machine, None)?;
            let tensors = self.tensors(&program, &setting.given)?;
            let outcome = self.run(&program, &setting.given, &tensors, machine)?;
            let proved = (machine.links, machine.buses.latency) == (kept.machine.links, kept.machine.buses.latency);
            let blank = blank(&program, &outcome, machine);
            Ok(count(&outcome, Measured { proved, design: kept.design.clone(), ..blank }))
        };
        measured().map_err(|failure| in_one_line(&failure))
    }

    fn tensors(&self, program: &Program, sizes: &Bindings) -> Checked<Tensors> {
        inputs::tensors(program, &self.kernel.origin.system, sizes, &[], self.arguments.seed)
    }

    fn run(
        &self,
        program: &Program,
        sizes: &Bindings,
        tensors: &Tensors,
        machine: &Machine,
    ) -> Result<Outcome, Failure> {
        let token = self.arguments.sought.space.time.token.clone();
        let outcome = sim::simulate(program, sizes, tensors, &sim::Settings { token, ..settings(machine) })?;
        match &outcome.deadlock {
            Some(deadlock) => Err(vec![deadlock.to_diagnostic()].into()),
            None => Ok(outcome),
        }
    }
}

/// Whether the search counted at the sizes of the run, and counts all that the run does.
fn is_comparable(searched: &Searched) -> bool {
    let at_sizes = searched.counted().is_none_or(|counted| *counted == searched.setting.sizes);
    at_sizes && !matches!(searched.border, Border::Loads)
}

/// What does not come from the counters of PEs.
fn blank(program: &Program, outcome: &Outcome, machine: &Machine) -> Measured {
    let settings = settings(machine);
    let wires = program.channels.iter().zip(&outcome.counters.channels);
    let slots = wires.map(|(channel, counter)| counter.wires.saturating_mul(settings.capacity_of(channel)));
    Measured {
        predicted: None,
        missed: None,
        cycles: outcome.cycles,
        pes: outcome.pes,
        busy: 0,
        words: outcome.counters.messages(),
        slots: slots.fold(0, u64::saturating_add),
        proved: false,
        design: String::new(),
        array: vec![],
    }
}

fn count(outcome: &Outcome, measured: Measured) -> Measured {
    let counters: &Counters = &outcome.counters;
    let array = counters.pes.iter().filter(|pe| pe.active).map(|pe| (pe.point.clone(), pe.busy));
    Measured { busy: counters.busy(), array: array.collect(), ..measured }
}

fn in_one_line(failure: &Failure) -> String {
    let texts: Vec<String> = failure.diagnostics.iter().map(|problem| problem.message().to_owned()).collect();
    texts.join("; ")
}
