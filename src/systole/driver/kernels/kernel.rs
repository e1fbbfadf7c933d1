//! A kernel as the stages take it: a list of spaces with what the e-graph offers for each. One space is a list of one.
//!
//! In: equations and rules. Out: a [`Kernel`] with its saturated e-graph; from flags and schedules what is searched.

use crate::driver::flags::limit_arguments::blamed;
use crate::driver::flags::setting::{Moves, Setting};
use crate::driver::kernels::origin::Origin;
use crate::driver::kernels::searched::Searched;
use crate::driver::kernels::{border, searched};
use crate::driver::shown::output::Output;
use crate::driver::stop;
use std::sync::Arc;
use std::time::Duration;
use systole_base::diagnostic::Checked;
use systole_base::integer::Name;
use systole_compile::extract::{Constraint, Inquiry, Limits, Partition, Question, Survey};
use systole_compile::rewrite;
use systole_compile::rewrite::{Choices, Lowered, RuleSet, Transport};
use systole_compile::systolize::Scheme;
use systole_equations::recurrence::spaces::SpaceSystem;
use systole_equations::recurrence::{RecurrenceSystem, Schedule, Space};

/// A kernel.
pub struct Kernel {
    /// The kernel as the user gave it.
    pub origin: Arc<Origin>,
    /// The spaces.
    pub cut: SpaceSystem,
    /// What lies along the axes of an array that is smaller than the kernel.
    pub partition: Option<Divided>,
    /// What was seen of it where it was compared with other ways to cut the kernel, and how long all of that took: it is not searched
    /// again.
    pub seen: Option<(Survey, Duration)>,
    choices: Vec<Choices>,
}

/// How a kernel is divided that is larger than its array.
pub struct Divided {
    /// What lies where.
    pub partition: Partition,
    /// The same in words, and what it is better than.
    pub said: String,
}

/// A kernel with its saturated e-graph.
pub struct Loaded {
    /// The kernel.
    pub kernel: Kernel,
    /// The saturated e-graph.
    pub lowered: Lowered,
}

impl Loaded {
    /// Lowers the spaces of a kernel.
    ///
    /// # Errors
    /// What rewriting refuses; a space for which the rules have no lowered form.
    pub fn new(origin: Arc<Origin>, cut: SpaceSystem, rules: &RuleSet, limits: &rewrite::Limits) -> Checked<Loaded> {
        let lowered = rewrite::saturate(&cut, rules, limits)?;
        let choices = lowered.choices().map_err(|why| blamed(&lowered.report, why))?;
        Ok(Loaded { kernel: Kernel { origin, cut, partition: None, seen: None, choices }, lowered })
    }
}

impl Kernel {
    /// The equations that are searched: over elements, or over tiles.
    pub fn system(&self) -> &RecurrenceSystem {
        self.origin.searched()
    }

    /// The spaces; at least one where there is anything to prove.
    pub fn spaces(&self) -> &[Space] {
        &self.cut.spaces
    }

    /// What a schedule fixes, if there is one.
    pub fn constrain(&self, schedule: Option<&Schedule>) -> Checked<Constraint> {
        let mut constraint = match schedule {
            None => Constraint::none(&self.cut),
            Some(schedule) => Constraint::from_schedule(&self.cut, schedule)?,
        };
        let divided = self.partition.iter();
        divided.for_each(|divided| divided.partition.constrain(&self.cut, &mut constraint));
        Ok(constraint)
    }

    /// The choices left by `--transports` and `--reuse`. The flags speak of what is given, and of where what is computed may be stored or broadcast:
    /// what is handed over goes where it must, and what the schedule names is kept whatever they say.
    pub fn left_by(&self, moves: &Moves, constraint: &Constraint) -> Vec<Choices> {
        if constraint.given.is_some() {
            return self.choices.clone();
        }
        let is_open = |tensor: &Name| !constraint.moves(tensor);
        let mut left = self.choices.clone();
        for ((space, choices), sources) in self.cut.spaces.iter().zip(&mut left).zip(&self.cut.sources) {
            let operands = space.operands.iter().zip(&mut choices.transports).zip(sources);
            for ((_, offered), sources) in operands.filter(|((operand, _), _)| is_open(&operand.tensor)) {
                let is_given = sources.is_empty();
                let is_asked = |choice: &Transport| is_given || choice.is_stored() || choice.is_bus();
                offered.retain(|choice| !is_asked(choice) || moves.allow(choice));
            }
        }
        if self.cut.only_space().is_some_and(|space| is_open(&space.output)) {
            let is_allowed = |along: &Vec<i64>| moves.allow_along(along);
            left.iter_mut().for_each(|choices| choices.chains.retain(|chain| chain.directions.iter().all(is_allowed)));
        }
        left
    }

    /// The search that the flags ask for, with what is fixed.
    pub fn question<'a>(&'a self, setting: &'a Setting, constraint: Constraint) -> Question<'a> {
        let Setting { choices, bounds, machine, sizes, fold, budget, shares, is_plain, .. } = setting;
        let limits = Limits { fold: *fold, ..Limits::of_budget(*budget) };
        let limits = if self.partition.is_some() { limits.share_of_a_way(*shares) } else { limits.share(*shares) };
        let limits = if *is_plain { Limits { rounds: 0, deepens: false, ..limits } } else { limits };
        Question { system: &self.cut, choices, bounds: bounds.clone(), machine, sizes, constraint, limits }
    }

    /// Asks why nothing comes of a question with this fixed.
    pub fn inquire<T>(&self, setting: &Setting, constraint: Constraint, ask: impl FnOnce(&Inquiry) -> T) -> T {
        let running = stop::Search::begin(&setting.end);
        let constrain = |schedule: &Schedule| self.constrain(Some(schedule));
        let progress = |_, _| running.goes_on();
        ask(&Inquiry {
            question: self.question(setting, constraint),
            schedule: setting.schedule.as_ref(),
            constrain: &constrain,
            unscheduled: setting.unscheduled,
            progress: &progress,
        })
    }

    /// Runs the search, and decides how the schedule's `io` is kept to. With the time that it has it ends with the best so far.
    ///
    /// # Errors
    /// The best so far, where it was interrupted.
    pub fn search<'a>(&'a self, setting: &'a Setting, output: &Output) -> Checked<Searched<'a>> {
        let searched = self.search_as_far(setting, false, output)?;
        if searched.survey.is_stopped && setting.end.token.is_cancelled() {
            searched.stopped()
        } else {
            searched.chosen()
        }
    }

    /// The same, where what was found is compared with what other searches find.
    ///
    /// # Errors
    /// The best so far, where it was interrupted or had no time to end.
    pub fn search_to_the_end<'a>(&'a self, setting: &'a Setting, output: &Output) -> Checked<Searched<'a>> {
        let searched = self.search_as_far(setting, false, output)?;
        if searched.survey.is_stopped { searched.stopped() } else { searched.chosen() }
    }

    /// The same as far as it goes until it is stopped; every legal design is kept where `all` is set.
    pub fn search_as_far<'a>(&'a self, setting: &'a Setting, all: bool, output: &Output) -> Checked<Searched<'a>> {
        match setting.constraint.boundary_io {
            true => border::search(self, setting, all, output),
            false => searched::search_within(self, setting, setting.constraint.clone(), all, output),
        }
    }

    /// The closed forms of what each process does.
    pub fn scheme(&self, setting: &Setting, output: &Output) -> Checked<Scheme> {
        border::scheme(self, setting, output)
    }
}
