//! The search over forms, programs and maps together: each form of the equations is searched for its best design.
//!
//! In: a kernel, flags. Out: the form whose best design is best of all, a line for each form, and the front of all forms where the command
//! shows it. Otherwise a form is passed over where no schedule of it can have as few steps as a design that is known. Forms are all that the laws lead to, or the first of them; the line says which.

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
use crate::driver::kernels::together::{Design, Together};
use crate::driver::pipeline::{KernelCommand, Loaded, Searched, run_on};
use crate::driver::runs::inputs;
use crate::driver::shown::output::Output;
use crate::driver::shown::show;
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
pub fn best(
    system: &RecurrenceSystem,
    (sought, is_all_shown): (&SoughtArguments, bool),
    output: &Output,
) -> Checked<Derived> {
    let laws = LawArguments { rules: sought.kernel.rules.clone(), forbid: vec![], limits: sought.limits };
    let asked = coordinates::wanted(&sought.space.coordinates)?;
    coordinates::check_sizes(&sought.space.size, system, &asked)?;
    let recast = algebra::recast(system, &asked)?;
    let sizes = inputs::sizes(&sought.space.size, &recast.system.parameters, Some(8))?;
    let wanted = Wanted { sizes: &sizes, limits: laws.limits.of_laws(), all: Some(MOST_FORMS) };
    let rules = derive::rules(&laws)?;
    let derivation = algebra::derive_recast(&recast, &rules, &wanted)?;
    let mut chosen: Option<(usize, [u128; 6], Cost)> = None;
    let (mut designs, mut objective) = (vec![], None);
    for (number, form) in derivation.forms.iter().enumerate() {
        let known = chosen.as_ref().filter(|_| !is_all_shown).map(|(_, _, cost)| cost);
        let told = weigh((number, form), sought, known);
        output.line(&format!(
            "form {number:<3} {} operations, {} passes: {}",
            form.cost.operations,
            form.cost.passes,
            told.line()
        ));
        let Told::Found(front) = told else { continue };
        objective = Some(front.objective);
        if chosen.as_ref().is_none_or(|(_, best, _)| front.key() < *best) {
            chosen = Some((number, front.key(), front.best));
        }
        designs.extend(front.designs);
    }
    let report = derivation.report.clone();
    output.line(&format!("laws     {}", told(&report)));
    let Some((number, ..)) = chosen else { return none_found(system).map_err(|why| blamed(&report, why)) };
    let form = &derivation.explained(&derivation.forms[number], &rules);
    let rest = if derivation.is_whole { "all forms" } else { "the first forms, there are more" };
    output.line(&format!("form {number} is best of {} ({rest}), {}\n", derivation.forms.len(), form.tag));
    let chain = Chain::of_laws(&form.steps, derivation.check_steps(form, &rules)?);
    let together = objective.filter(|_| is_all_shown).and_then(|objective| Together::of(designs, objective));
    let system = recurrence::load(&source(system, form))?;
    Ok(Derived { system, algebra: chain, followed: Some(report), together })
}

fn source(system: &RecurrenceSystem, form: &Form) -> std::sync::Arc<Source> {
    Source::new(format!("{}, derived", system.name), form.text.clone())
}

fn none_found<T>(system: &RecurrenceSystem) -> Checked<T> {
    Diagnostic::new(format!("no form of `{}` has a design", system.name))
        .help("each line says why; `systole search` without --forms tells of the equations as they are written")
        .alone()
}

/// The front of a form, and its best cost.
struct Front {
    best: Cost,
    objective: Objective,
    designs: Vec<Design>,
}

impl Front {
    fn key(&self) -> [u128; 6] {
        self.objective.key(&self.best)
    }
}

/// What the search said of a form.
enum Told {
    Found(Front),
    /// It takes more steps than a design that is known.
    Behind(u64),
    Nothing(String),
}

impl Told {
    fn line(&self) -> String {
        match self {
            Told::Found(front) => show::cost(&front.best),
            Told::Behind(steps) => format!("passed over, {steps} steps at least"),
            Told::Nothing(why) => format!("no design: {why}"),
        }
    }
}

fn weigh((number, form): (usize, &Form), sought: &SoughtArguments, best: Option<&Cost>) -> Told {
    let by_cycles = sought.space.objective == "cycles";
    if by_cycles && best.is_some_and(|best| form.steps_at_least > best.cycles) {
        return Told::Behind(form.steps_at_least);
    }
    let weighing = Weighing { sought, number, found: RefCell::new(None) };
    let searched = recurrence::load(&Source::new("form", form.text.clone()))
        .map_err(crate::driver::Failure::from)
        .and_then(|system| run_on(Derived::plain(system), &weighing, &Output::silent()));
    match (searched, weighing.found.into_inner()) {
        (Ok(_), Some(front)) => Told::Found(front),
        (Err(failure), _) => Told::Nothing(failure.diagnostics.first().map_or_else(String::new, in_one_line)),
        (Ok(_), None) => Told::Nothing("none is legal".to_owned()),
    }
}

fn in_one_line(why: &Diagnostic) -> String {
    why.to_string().lines().map(str::trim).collect::<Vec<&str>>().join("; ")
}

/// A search that keeps its front.
struct Weighing<'a> {
    sought: &'a SoughtArguments,
    number: usize,
    found: RefCell<Option<Front>>,
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
        let designs = || searched.front.iter().map(|found| self.design(&searched, found)).collect();
        *self.found.borrow_mut() = best.map(|best| Front { best, objective, designs: designs() });
        Ok(Verdict::Good)
    }
}

impl Weighing<'_> {
    fn design<K: Kernel>(&self, searched: &Searched<K>, found: &K::Found) -> Design {
        let words = K::words(&K::design(searched, found));
        Design {
            form: self.number,
            cost: *K::cost(found),
            counted: K::counted(&searched.problem).unwrap_or(&searched.setting.sizes).clone(),
            lines: words.line().into_iter().chain(words.spaces().iter().cloned()).collect(),
            object: show::found_json(searched, found),
        }
    }
}
