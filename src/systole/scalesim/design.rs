//! Our design for the folds of layers: proved once for all sizes, counted for each.
//!
//! In: a dataflow and a machine, then folds. Out: the cycles of the schedule of that name of `kernels/layers/folded_product.rec`.

use super::portions::{Dataflow, Portions};
use std::sync::Arc;
use systole_base::diagnostic::{Checked, Diagnostic};
use systole_base::integer::{Bindings, name};
use systole_base::machine::Machine;
use systole_base::span::Source;
use systole_compile::cost::Objective;
use systole_compile::extract::{Constraint, Limits, Question, search_every_way};
use systole_compile::mapping::SpaceDesign;
use systole_compile::mapping::candidates::Bounds;
use systole_compile::rewrite::{self, Choices, load_rules, saturate};
use systole_compile::{Options, compile};
use systole_equations::recurrence;
use systole_equations::recurrence::spaces::{SpaceSystem, spaces_under};

/// The sizes of the kernel.
const SIZES: [&str; 4] = ["F", "M", "N", "K"];

/// The sizes at which the design is found that is proved for all.
const FEW: i64 = 2;

/// A design that is proved.
pub struct FoldedDesign {
    system: SpaceSystem,
    choices: Vec<Choices>,
    constraint: Constraint,
    machine: Machine,
    parts: Vec<SpaceDesign>,
    /// How many obligations were proved.
    pub proved: usize,
}

impl FoldedDesign {
    /// Finds and proves the design of a dataflow on a machine; `kernel` is the text of `folded_product.rec`.
    ///
    /// # Errors
    /// What refutes it on this machine.
    pub fn new(kernel: &Arc<Source>, dataflow: Dataflow, machine: Machine) -> Checked<FoldedDesign> {
        let sizes = SIZES.map(|size| (name(size), FEW)).into_iter().collect();
        let schedule = Some(dataflow.schedule().to_owned());
        let compiled = compile(kernel, &Options { schedule, machine: machine.clone(), sizes, ..Options::default() })?;
        let equations = recurrence::load(kernel)?;
        let schedule = equations.asked_schedule(dataflow.schedule())?;
        let system = spaces_under(&equations, schedule)?;
        let choices = saturate(&system, &load_rules(None)?, &rewrite::Limits::default())?.choices()?;
        let constraint = Constraint::from_schedule(&system, schedule)?;
        let parts = compiled.design().parts;
        Ok(FoldedDesign { system, choices, constraint, machine, parts, proved: compiled.proofs.len() })
    }

    /// The cycles of all folds of a layer.
    ///
    /// # Errors
    /// More cycles than can be counted; that the design at these sizes is not the proved one, which is a defect.
    pub fn cycles(&self, folds: &Portions) -> Checked<u64> {
        let [m, n, k] = folds.sizes;
        let sizes: Bindings = SIZES.map(name).into_iter().zip([folds.count, m, n, k]).collect();
        let (_, survey) = search_every_way(self.question(&sizes), false, &|_, _| true)?;
        let found = survey.sorted(Objective::Cycles);
        match found.iter().find(|found| found.parts == self.parts) {
            Some(found) => Ok(found.cost.cycles),
            None => Diagnostic::new(format!("the design that is proved cannot be counted at {sizes:?}")).alone(),
        }
    }

    fn question<'a>(&'a self, sizes: &'a Bindings) -> Question<'a> {
        Question {
            system: &self.system,
            choices: &self.choices,
            bounds: Bounds::for_system(&self.system),
            machine: &self.machine,
            sizes,
            constraint: self.constraint.clone(),
            limits: Limits::usual(),
        }
    }
}
