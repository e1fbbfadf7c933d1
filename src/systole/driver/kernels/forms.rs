//! The search over forms, programs and maps together: each form of the equations is searched for its best design.
//!
//! In: a kernel, a command. Out: the form whose best design is best of all, a line for each form, and the front of all forms where the
//! command shows it; where it does not, a form is passed over of which no schedule can have as few steps as a design that is known. Forms
//! are all that the laws lead to, or the first of them; the line says which. Invariant: what is compared was counted at the same sizes.

use crate::driver::commands::derive;
use crate::driver::flags::arguments::SoughtArguments;
use crate::driver::flags::coordinates;
use crate::driver::flags::law_arguments::LawArguments;
use crate::driver::flags::limit_arguments::{blamed, told};
use crate::driver::flags::setting::Setting;
use crate::driver::kernels::kernel::Loaded;
use crate::driver::kernels::origin::Derived;
use crate::driver::kernels::searched::Searched;
use crate::driver::kernels::together::{Design, Together};
use crate::driver::pipeline::{KernelCommand, run_on};
use crate::driver::runs::inputs;
use crate::driver::shown::output::Output;
use crate::driver::shown::show;
use crate::driver::shown::steps::Chain;
use crate::driver::{Done, Verdict};
use std::cell::RefCell;
use systole_base::diagnostic::{Checked, Diagnostic, counted};
use systole_base::integer::Bindings;
use systole_base::span::Source;
use systole_compile::algebra;
use systole_compile::algebra::{Derivation, Form, Wanted};
use systole_compile::cost::{Cost, Objective};
use systole_compile::extract::Found;
use systole_equations::recurrence;
use systole_equations::recurrence::RecurrenceSystem;

/// How many forms are searched at most.
const MOST_FORMS: usize = 64;

/// The form of the best design, and the chain of laws that leads to it.
///
/// # Errors
/// What `algebra::derive` refuses; no form with a design; a step of the chain that does not hold.
pub fn best(system: &RecurrenceSystem, command: &impl KernelCommand, output: &Output) -> Checked<Derived> {
    let sought = command.sought();
    let (limits, time) = (sought.limits, sought.space.time.clone());
    let laws = LawArguments { rules: sought.kernel.rules.clone(), forbid: vec![], limits, time };
    let asked = coordinates::wanted(&sought.space.coordinates)?;
    coordinates::check_sizes(&sought.space.size, system, &asked)?;
    let recast = algebra::recast(system, &asked)?;
    let sizes = inputs::sizes(&sought.space.size, &recast.system.parameters, Some(8))?;
    let wanted = Wanted { sizes: &sizes, limits: laws.limits.of_laws(laws.time.half()), all: Some(MOST_FORMS) };
    let rules = derive::rules(&laws)?;
    let derivation = algebra::derive_recast(&recast, &rules, &wanted)?;
    let shows_all = command.shows_all_forms();
    let fronts = Forms { forms: &derivation.forms, sizes: &sizes, sought, shows_all }.fronts(output);
    let report = derivation.report.clone();
    output.line(&format!("laws     {}", told(&report)));
    let Some(best) = fronts.iter().min_by_key(|front| front.key()) else {
        return none_found(system).map_err(|why| blamed(&report, why));
    };
    let form = &derivation.explained(&derivation.forms[best.form], &rules);
    print_best(&derivation, (best.form, form), output);
    let chain = Chain::of_laws(&form.steps, derivation.check_steps(form, &rules)?);
    let together = shows_all.then(|| Together::of(fronts));
    let derived = recurrence::load(&source(system, form))?;
    Ok(Derived { system: derived, algebra: chain, followed: Some(report), together, written: Some(recast.system) })
}

fn print_best(derivation: &Derivation, (number, form): (usize, &Form), output: &Output) {
    let rest = if derivation.is_whole { "all forms" } else { "the first forms, there are more" };
    output.line(&format!("form {number} is best of {} ({rest}), {}\n", derivation.forms.len(), derive::promise(form)));
}

fn source(system: &RecurrenceSystem, form: &Form) -> std::sync::Arc<Source> {
    Source::new(format!("{}, derived", system.name), form.text.clone())
}

fn none_found<T>(system: &RecurrenceSystem) -> Checked<T> {
    Diagnostic::new(format!("no design of any form of `{}` was found", system.name))
        .help("each line says why; `systole search` without --forms tells of the equations as they are written")
        .alone()
}

/// The front of a form.
pub struct Front {
    /// The number of the form.
    pub form: usize,
    /// What is best.
    pub objective: Objective,
    /// The sizes at which its designs were counted.
    pub counted: Bindings,
    /// Its designs, best first.
    pub designs: Vec<Design>,
    /// What the best of them costs.
    best: Cost,
    /// Whether it was counted at other sizes than were asked for, where it has too many points or none.
    counts_elsewhere: bool,
}

impl Front {
    fn key(&self) -> [u128; 6] {
        self.objective.key(&self.best)
    }
}

/// What the search said of a form.
enum FormOutcome {
    Found(Front),
    /// It takes more steps than a design that is known.
    Behind(u64),
    Nothing(String),
}

impl FormOutcome {
    /// A form is left out that has to be counted at sizes at which another one could not be.
    fn unless_counted_at(self, tried: &[Bindings]) -> FormOutcome {
        match self {
            FormOutcome::Found(front) if front.counts_elsewhere && tried.contains(&front.counted) => {
                FormOutcome::Nothing("at no sizes can its points and those of the others be counted".to_owned())
            }
            told => told,
        }
    }

    fn line(&self) -> String {
        match self {
            FormOutcome::Found(front) => show::cost(&front.best),
            FormOutcome::Behind(steps) => format!("passed over, {} at least", counted(*steps, "step")),
            FormOutcome::Nothing(why) => format!("no design: {why}"),
        }
    }
}

/// The forms of a kernel, each to be searched.
struct Forms<'a> {
    forms: &'a [Form],
    /// The sizes at which their steps are counted.
    sizes: &'a Bindings,
    sought: &'a SoughtArguments,
    /// Whether each is searched, whatever is known of others.
    shows_all: bool,
}

impl Forms<'_> {
    /// The fronts of the forms that have one. Where a form has too many points at the sizes asked for, or none, all are counted at its own.
    fn fronts(&self, output: &Output) -> Vec<Front> {
        let mut tried: Vec<Bindings> = vec![];
        loop {
            match self.fronts_at(&tried, output) {
                Ok(fronts) => return fronts,
                Err(counted) => {
                    let has = if counted.values().sum::<i64>() < self.sizes.values().sum() { "too many" } else { "no" };
                    output
                        .line(&format!("that has {has} points to count: each form at {}", show::sizes_text(&counted)));
                    tried.push(counted);
                }
            }
        }
    }

    /// The fronts at the sizes that were tried last; the sizes of a form that is counted at others, where these were not tried yet.
    fn fronts_at(&self, tried: &[Bindings], output: &Output) -> Result<Vec<Front>, Bindings> {
        let mut fronts: Vec<Front> = vec![];
        for (number, form) in self.forms.iter().enumerate() {
            let told = if self.is_behind(form, &fronts) {
                FormOutcome::Behind(form.steps_at_least)
            } else {
                weigh((number, form), self.sought, tried.last())
            };
            let told = told.unless_counted_at(tried);
            let of_form = format!("form {number:<3} {}", derive::cost(&form.cost));
            output.line(&format!("{of_form}: {}", told.line()));
            match told {
                FormOutcome::Found(front) if front.counts_elsewhere => return Err(front.counted),
                FormOutcome::Found(front) => fronts.push(front),
                _ => {}
            }
        }
        Ok(fronts)
    }

    /// Whether no schedule of the form has as few steps as a design that is known. Steps are those of elements, at the sizes asked for.
    fn is_behind(&self, form: &Form, fronts: &[Front]) -> bool {
        let mut known = fronts.iter().filter(|front| front.counted == *self.sizes);
        let by_cycles = self.sought.space.objective == "cycles";
        !self.shows_all && by_cycles && known.any(|front| form.steps_at_least > front.best.cycles)
    }
}

fn weigh((number, form): (usize, &Form), sought: &SoughtArguments, at: Option<&Bindings>) -> FormOutcome {
    let weighing = Weighing { sought, number, at, found: RefCell::new(None) };
    let searched = recurrence::load(&Source::new("form", form.text.clone()))
        .map_err(crate::driver::Failure::from)
        .and_then(|system| run_on(Derived::plain(system), &weighing, &Output::silent()));
    match (searched, weighing.found.into_inner()) {
        (Ok(_), Some(front)) => FormOutcome::Found(front),
        (Err(failure), _) => FormOutcome::Nothing(failure.diagnostics.first().map_or_else(String::new, in_one_line)),
        (Ok(_), None) => FormOutcome::Nothing(
            "none was found within the limits, with plain times and without memories of PEs".to_owned(),
        ),
    }
}

fn in_one_line(why: &Diagnostic) -> String {
    why.to_string().lines().map(str::trim).collect::<Vec<&str>>().join("; ")
}

/// A search that keeps its front.
struct Weighing<'a> {
    sought: &'a SoughtArguments,
    number: usize,
    /// Sizes in place of those asked for.
    at: Option<&'a Bindings>,
    found: RefCell<Option<Front>>,
}

impl KernelCommand for Weighing<'_> {
    fn sought(&self) -> &SoughtArguments {
        self.sought
    }

    fn divides(&self) -> bool {
        false
    }

    fn run(&self, Loaded { kernel, .. }: Loaded, output: &Output) -> Done {
        let mut setting = Setting::new(&kernel, &self.sought.space)?;
        self.at.into_iter().for_each(|at| setting.sizes = at.clone());
        // Rounds and memories are looked for where nothing else has a design: of many forms that would take long.
        setting.is_plain = true;
        setting.design = None;
        let searched = kernel.search(&setting, output)?;
        *self.found.borrow_mut() = searched.front.first().map(|best| self.front(&searched, best));
        Ok(Verdict::Good)
    }
}

impl Weighing<'_> {
    fn front(&self, searched: &Searched, best: &Found) -> Front {
        let asked = &searched.setting.sizes;
        let counted = searched.counted().unwrap_or(asked);
        Front {
            form: self.number,
            objective: searched.setting.objective,
            counted: counted.clone(),
            designs: searched.front.iter().map(|found| self.design(searched, found)).collect(),
            best: best.cost,
            counts_elsewhere: counted != asked,
        }
    }

    fn design(&self, searched: &Searched, found: &Found) -> Design {
        Design {
            form: self.number,
            cost: found.cost,
            rows: show::design_rows(searched, found),
            line: show::design_line(searched, found),
            object: show::found_json(searched, found),
        }
    }
}
