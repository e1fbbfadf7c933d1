//! The search over forms, programs and maps together: each form of the equations is searched for its best design.
//!
//! In: a kernel, flags. Out: the form whose best design is best of all, and a line for each form. A form is passed over where no schedule of
//! it can have as few steps as a design that is known. Forms are all that the laws lead to, or the first of them; the line says which.

use crate::algebra::{self, Form, Wanted};
use crate::cost::{Cost, Objective};
use crate::diagnostic::{Checked, Diagnostic};
use crate::driver::commands::derive;
use crate::driver::flags::arguments::SoughtArguments;
use crate::driver::flags::coordinates;
use crate::driver::flags::law_arguments::LawArguments;
use crate::driver::flags::limit_arguments::{blamed, told};
use crate::driver::flags::setting::Setting;
use crate::driver::kernels::kernel::Kernel;
use crate::driver::kernels::origin::Derived;
use crate::driver::pipeline::{KernelCommand, Loaded, run_on};
use crate::driver::runs::inputs;
use crate::driver::shown::output::Output;
use crate::driver::shown::steps::Chain;
use crate::driver::{Done, Verdict};
use crate::recurrence::{self, RecurrenceSystem};
use crate::span::Source;
use std::cell::RefCell;

/// How many forms are searched at most.
const MOST_FORMS: usize = 64;

/// The form of the best design, and the chain of laws that leads to it.
///
/// # Errors
/// What `algebra::derive` refuses; no form with a design; a step of the chain that does not hold.
pub fn best(system: &RecurrenceSystem, sought: &SoughtArguments, output: &Output) -> Checked<Derived> {
    let laws = LawArguments { rules: sought.kernel.rules.clone(), forbid: vec![], limits: sought.limits };
    let asked = coordinates::wanted(&sought.space.coordinates)?;
    coordinates::check_sizes(&sought.space.size, system, &asked)?;
    let recast = algebra::recast(system, &asked)?;
    let sizes = inputs::sizes(&sought.space.size, &recast.system.parameters, Some(8))?;
    let wanted = Wanted { sizes: &sizes, limits: laws.limits.of_laws(), all: Some(MOST_FORMS) };
    let rules = derive::rules(&laws)?;
    let derivation = algebra::derive_recast(&recast, &rules, &wanted)?;
    let mut chosen: Option<(usize, [u128; 6], Cost)> = None;
    for (number, form) in derivation.forms.iter().enumerate() {
        let told = weigh(form, sought, chosen.as_ref().map(|(_, _, cost)| cost));
        output.line(&format!(
            "form {number:<3} {} operations, {} passes: {}",
            form.cost.operations,
            form.cost.passes,
            told.line()
        ));
        if let Told::Found(cost, key) = told
            && chosen.as_ref().is_none_or(|(_, best, _)| key < *best)
        {
            chosen = Some((number, key, cost));
        }
    }
    let report = derivation.report.clone();
    output.line(&format!("laws     {}", told(&report)));
    let Some((number, ..)) = chosen else { return none_found(system).map_err(|why| blamed(&report, why)) };
    let form = &derivation.explained(&derivation.forms[number], &rules);
    let rest = if derivation.is_whole { "all forms" } else { "the first forms, there are more" };
    output.line(&format!("form {number} is best of {} ({rest}), {}\n", derivation.forms.len(), form.tag));
    let chain = Chain::of_laws(&form.steps, derivation.check_steps(form, &rules)?);
    Ok(Derived { system: recurrence::load(&source(system, form))?, algebra: chain, followed: Some(report) })
}

fn source(system: &RecurrenceSystem, form: &Form) -> std::sync::Arc<Source> {
    Source::new(format!("{}, derived", system.name), form.text.clone())
}

fn none_found<T>(system: &RecurrenceSystem) -> Checked<T> {
    Diagnostic::new(format!("no form of `{}` has a design", system.name))
        .help("each line says why; `systole search` without --forms tells of the equations as they are written")
        .alone()
}

/// What the search said of a form.
enum Told {
    Found(Cost, [u128; 6]),
    /// It takes more steps than a design that is known.
    Behind(u64),
    Nothing(String),
}

impl Told {
    fn line(&self) -> String {
        match self {
            Told::Found(cost, _) => crate::driver::shown::show::cost(cost),
            Told::Behind(steps) => format!("passed over, {steps} steps at least"),
            Told::Nothing(why) => format!("no design: {why}"),
        }
    }
}

fn weigh(form: &Form, sought: &SoughtArguments, best: Option<&Cost>) -> Told {
    let by_cycles = sought.space.objective == "cycles";
    if by_cycles && best.is_some_and(|best| form.steps_at_least > best.cycles) {
        return Told::Behind(form.steps_at_least);
    }
    let weighing = Weighing { sought, found: RefCell::new(None) };
    let searched = recurrence::load(&Source::new("form", form.text.clone()))
        .map_err(crate::driver::Failure::from)
        .and_then(|system| run_on(Derived::plain(system), &weighing, &Output::silent()));
    match (searched, weighing.found.into_inner()) {
        (Ok(_), Some((cost, key))) => Told::Found(cost, key),
        (Err(failure), _) => Told::Nothing(failure.diagnostics.first().map_or_else(String::new, in_one_line)),
        (Ok(_), None) => Told::Nothing("none is legal".to_owned()),
    }
}

fn in_one_line(why: &Diagnostic) -> String {
    why.to_string().lines().map(str::trim).collect::<Vec<&str>>().join("; ")
}

/// A search that keeps the cost of the best design.
struct Weighing<'a> {
    sought: &'a SoughtArguments,
    found: RefCell<Option<(Cost, [u128; 6])>>,
}

impl KernelCommand for Weighing<'_> {
    fn sought(&self) -> &SoughtArguments {
        self.sought
    }

    fn run<K: Kernel>(&self, Loaded { kernel, .. }: Loaded<K>, output: &Output) -> Done {
        let setting = Setting::new(&kernel, &self.sought.space)?;
        let objective: Objective = setting.objective;
        let searched = kernel.search(&setting, false, output)?;
        let best = searched.front.first().map(|found| *K::cost(found));
        *self.found.borrow_mut() = best.map(|cost| (cost, objective.key(&cost)));
        Ok(Verdict::Good)
    }
}
