//! A kernel of several spaces: its stages, each over all spaces at once, and what is said of its designs.
//!
//! In: equations that need more than one space, or read their own output. Out: the [`Kernel`] of the pipeline.

mod laws;

mod refusal;

mod show;

use crate::driver::flags::limit_arguments::blamed;
use crate::driver::flags::setting::{Moves, Setting};
use crate::driver::kernels::kernel::{Counts, Kernel, LeftOut};
use crate::driver::kernels::origin::Origin;
use crate::driver::kernels::words::Words;
use crate::driver::pipeline::{LIMIT, Loaded, Searched, refused_by_checker};
use crate::driver::shown::output::Output;
use crate::report::LaidOut;
use serde_json::{Map, Value};
use systole_base::diagnostic::{Checked, Diagnostic, Diagnostics};
use systole_base::integer::Bindings;
use systole_base::network::Network;
use systole_base::span::Span;
use systole_compile::check::ChainReport;
use systole_compile::cost::{Cost, Objective};
use systole_compile::emit::emit_system;
use systole_compile::extract::{
    SystemConstraint, SystemFound, SystemLimits, SystemProblem, SystemSurvey, search_system, search_system_wholly,
    verify_system,
};
use systole_compile::mapping::{Part, SystemDesign};
use systole_compile::rewrite::{
    Choices, Dataflow, Limits, LoweredSystem, Report, RuleSet, Scheduled, Step, show_system,
};
use systole_compile::systolize::Scheme;
use systole_compile::timing::Turns;
use systole_compile::{rewrite, timing};
use systole_equations::recurrence::spaces::{SpaceSystem, evaluate_system_in_order};
use systole_equations::recurrence::{Chain, RecurrenceSystem, Schedule, Space};
use systole_program::array::{Program, Tensors};
use systole_program::obligation::Obligation;

/// A kernel of several spaces.
pub struct System {
    origin: Origin,
    cut: SpaceSystem,
    choices: Vec<Choices>,
}

impl System {
    /// The saturated e-graph of the spaces that a system was cut into.
    pub fn load(origin: Origin, cut: SpaceSystem, rules: &RuleSet, limits: &Limits) -> Checked<Loaded<System>> {
        let lowered = rewrite::saturate_system(&cut, rules, limits)?;
        let choices = lowered.choices().map_err(|why| blamed(&lowered.report, why))?;
        Ok(Loaded { kernel: System { origin, cut, choices }, lowered })
    }

    fn design(&self, parts: &[Part]) -> SystemDesign<'_> {
        SystemDesign::new(&self.cut, parts.to_vec())
    }
}

impl Kernel for System {
    type Lowered = LoweredSystem;
    type Choices = Vec<Choices>;
    type Constraint = SystemConstraint;
    type Problem<'a> = SystemProblem<'a>;
    type Survey = SystemSurvey;
    type Found = SystemFound;
    type Design<'a> = SystemDesign<'a>;

    const MAPS: (&'static str, usize) = ("placement", 7);

    fn origin(&self) -> &Origin {
        &self.origin
    }

    fn system(&self) -> &RecurrenceSystem {
        self.origin.searched()
    }

    fn spaces(&self) -> &[Space] {
        &self.cut.spaces
    }

    fn report(lowered: &LoweredSystem) -> &Report {
        &lowered.report
    }

    fn constrain(&self, schedule: Option<&Schedule>) -> Checked<SystemConstraint> {
        let none = || Ok(SystemConstraint::none(&self.cut));
        schedule.map_or_else(none, |schedule| SystemConstraint::from_schedule(&self.cut, schedule))
    }

    fn network(constraint: &SystemConstraint) -> Option<Network> {
        constraint.network
    }

    fn span(constraint: &SystemConstraint) -> Option<Span> {
        constraint.span
    }

    /// The flags speak of inputs; what is computed goes where it must.
    fn left_by(&self, moves: &Moves, _: &SystemConstraint) -> Vec<Choices> {
        let mut left = self.choices.clone();
        for (choices, sources) in left.iter_mut().zip(&self.cut.sources) {
            for (offered, _) in choices.transports.iter_mut().zip(sources).filter(|(_, sources)| sources.is_empty()) {
                offered.retain(|choice| moves.allow(choice));
            }
        }
        left
    }

    fn problem<'a>(&'a self, setting: &'a Setting<System>, constraint: SystemConstraint) -> Checked<SystemProblem<'a>> {
        let Setting { choices, bounds, machine, sizes, fold, beam, .. } = setting;
        let mut problem = SystemProblem::new(&self.cut, choices, bounds.clone(), machine, sizes, constraint)?;
        problem.limits.fold = *fold;
        if let Some(beam) = *beam {
            problem.limits = SystemLimits { beam, wholly: 0, ..problem.limits };
        }
        Ok(problem)
    }

    fn survey(problem: &SystemProblem, all: bool, progress: &(dyn Fn(usize, usize) + Sync)) -> SystemSurvey {
        if all { search_system_wholly(problem, progress) } else { search_system(problem, progress) }
    }

    fn counts(survey: &SystemSurvey) -> Counts {
        Counts { maps: survey.maps, legal: survey.legal, designs: survey.designs }
    }

    fn left_out(problem: &SystemProblem, survey: &SystemSurvey) -> Vec<LeftOut> {
        show::left_out(&problem.limits, &survey.left_out)
    }

    fn front(survey: &SystemSurvey, objective: Objective) -> Vec<SystemFound> {
        survey.sorted(objective)
    }

    fn every(survey: &SystemSurvey) -> &[SystemFound] {
        &survey.all
    }

    fn counted<'a>(problem: &'a SystemProblem) -> Option<&'a Bindings> {
        Some(&problem.sizes)
    }

    fn cost(found: &SystemFound) -> &Cost {
        &found.cost
    }

    fn design<'a>(searched: &Searched<'a, System>, found: &SystemFound) -> SystemDesign<'a> {
        SystemDesign { fold: found.fold.clone(), ..searched.kernel.design(&found.parts) }
    }

    fn forced<'a>(searched: &Searched<'a, System>) -> Checked<SystemDesign<'a>> {
        Err(refusal::nothing_found(searched, LIMIT))
    }

    fn obligations(searched: &Searched<System>, design: &SystemDesign, depth: Option<u64>) -> Checked<Vec<Obligation>> {
        let links = &searched.setting.machine.links;
        match depth {
            None => timing::system_obligations(design, links),
            Some(depth) => timing::system_obligations_within(design, links, depth),
        }
    }

    fn no_deadlock(searched: &Searched<System>, design: &SystemDesign, depth: Option<u64>) -> Checked<Vec<Obligation>> {
        let links = &searched.setting.machine.links;
        timing::system_no_deadlock_obligations(design, links, depth, Turns::AsTheyCan)
    }

    fn confirm(searched: &Searched<System>, found: &SystemFound) -> Checked<()> {
        verify_system(&searched.problem, found).map_err(|why| vec![refused_by_checker(&why)])
    }

    fn record(lowered: &mut LoweredSystem, design: &SystemDesign, proof: &str) {
        lowered.record(&scheduled(design, &show::texts(design)), proof);
    }

    fn explain(lowered: &mut LoweredSystem, design: &SystemDesign) -> Vec<Step> {
        let texts = show::texts(design);
        let parts = scheduled(design, &texts).into_iter().enumerate();
        parts.flat_map(|(space, part)| lowered.explain_scheduled(space, part)).collect()
    }

    fn check_steps(lowered: &LoweredSystem, steps: &[Step], rules: &RuleSet) -> Checked<ChainReport> {
        lowered.check_steps(steps, rules)
    }

    fn why_nothing(searched: &Searched<System>, limit: u64) -> Checked<Diagnostics> {
        Ok(refusal::nothing_found(searched, limit))
    }

    fn program(searched: &Searched<System>, design: &SystemDesign) -> Checked<Program> {
        Ok(searched.kernel.origin.finish(emit_system(design, &searched.setting.machine.links)?))
    }

    fn expected(searched: &Searched<System>, design: &SystemDesign, inputs: &Tensors) -> Checked<Tensors> {
        let (origin, sizes) = (&searched.kernel.origin, &searched.setting.given);
        let chains = design.system.spaces.iter().zip(design.parts.iter().map(|part| &part.dataflow.chain));
        match origin.tiled() {
            Some(tiled) => origin.expected(tiled, &chains.collect::<Vec<_>>(), sizes, inputs),
            None => {
                let chains: Vec<Chain> = chains.map(|(_, chain)| chain.clone()).collect();
                evaluate_system_in_order(&origin.system, design.system, &chains, sizes, inputs)
            }
        }
    }

    fn nearest<'a>(searched: &Searched<'a, System>, limit: u64) -> Option<SystemDesign<'a>> {
        refusal::nearest_design(searched, limit)
    }

    fn scheme(&self, _: &Setting<System>, _: &Output) -> Checked<Scheme> {
        let kernel = &self.system().name;
        Diagnostic::new(format!("`{kernel}` has no closed forms: it has several spaces, or is folded"))
            .note("the systolizing scheme is for one space, each point of which is a process or a step of one")
            .help("`systole emit` without --closed-form writes the program")
            .alone()
    }

    fn words(design: &SystemDesign) -> Words {
        Words::Spaces(show::parts(design))
    }

    fn laid_out<'a>(design: &'a SystemDesign<'_>) -> Vec<LaidOut<'a>> {
        show::laid_out(design)
    }

    fn recurrences(design: &SystemDesign) -> Vec<String> {
        let dataflows: Vec<Dataflow> = design.parts.iter().map(|part| part.dataflow.clone()).collect();
        show_system(design.system, &dataflows)
    }

    fn map_json(design: &SystemDesign) -> Map<String, Value> {
        show::map_json(design)
    }

    fn dataflows<'a>(design: &'a SystemDesign<'_>) -> Vec<(&'a Space, &'a Dataflow)> {
        design.system.spaces.iter().zip(design.parts.iter().map(|part| &part.dataflow)).collect()
    }
}

/// The parts with the texts of their places and steps.
fn scheduled<'a>(design: &'a SystemDesign, texts: &'a [(String, String)]) -> Vec<Scheduled<'a>> {
    let parts = design.parts.iter().zip(texts);
    parts.map(|(part, (place, step))| Scheduled { dataflow: &part.dataflow, place, step }).collect()
}
