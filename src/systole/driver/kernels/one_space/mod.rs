//! A kernel of one space: its stages, and what is said of its designs.
//!
//! In: equations that one iteration space holds. Out: the [`Kernel`] of the pipeline.

mod border;

mod described;

mod refusal;

mod show;

use crate::driver::flags::limit_arguments::blamed;
use crate::driver::flags::setting::{Moves, Setting};
use crate::driver::kernels::kernel::{Counts, Kernel, LeftOut};
use crate::driver::kernels::origin::Origin;
use crate::driver::kernels::words::Words;
use crate::driver::pipeline::{Border, Loaded, Searched, defect, refused_by_checker};
use crate::driver::shown::output::Output;
use crate::report::LaidOut;
use serde_json::{Map, Value};
use systole_base::diagnostic::{Checked, Diagnostics};
use systole_base::integer::Bindings;
use systole_base::network::Network;
use systole_base::span::Span;
use systole_compile::check::ChainReport;
use systole_compile::cost::{Cost, Objective, Region};
use systole_compile::extract::{Constraint, Found, Problem, Survey};
use systole_compile::mapping::Design;
use systole_compile::rewrite::{Choices, Dataflow, Limits, Lowered, Report, RuleSet, Step, show_dataflow};
use systole_compile::systolize::Scheme;
use systole_compile::timing::Turns;
use systole_compile::{extract, rewrite, timing};
use systole_equations::recurrence;
use systole_equations::recurrence::{RecurrenceSystem, Schedule, Space};
use systole_program::array::{Program, Tensors};
use systole_program::obligation::Obligation;

/// Spaces of more points than this are not counted point by point.
const MOST_POINTS: u64 = 100_000;

/// A kernel of one space.
pub struct OneSpace {
    origin: Origin,
    space: Space,
    choices: Choices,
}

impl OneSpace {
    /// The saturated e-graph of a space.
    pub fn load(origin: Origin, space: Space, rules: &RuleSet, limits: &Limits) -> Checked<Loaded<OneSpace>> {
        let lowered = rewrite::saturate(&space, rules, limits)?;
        let choices = lowered.choices().map_err(|why| blamed(&lowered.report, why))?;
        Ok(Loaded { kernel: OneSpace { origin, space, choices }, lowered })
    }
}

impl Kernel for OneSpace {
    type Lowered = Lowered;
    type Choices = Choices;
    type Constraint = Constraint;
    type Problem<'a> = Problem<'a>;
    type Survey = Survey;
    type Found = Found;
    type Design<'a> = Design<'a>;

    const MAPS: (&'static str, usize) = ("map", 12);

    fn origin(&self) -> &Origin {
        &self.origin
    }

    fn system(&self) -> &RecurrenceSystem {
        self.origin.searched()
    }

    fn spaces(&self) -> &[Space] {
        std::slice::from_ref(&self.space)
    }

    fn report(lowered: &Lowered) -> &Report {
        &lowered.report
    }

    fn constrain(&self, schedule: Option<&Schedule>) -> Checked<Constraint> {
        schedule.map_or_else(|| Ok(Constraint::default()), |schedule| Constraint::from_schedule(&self.space, schedule))
    }

    fn network(constraint: &Constraint) -> Option<Network> {
        constraint.network
    }

    fn span(constraint: &Constraint) -> Option<Span> {
        constraint.span
    }

    /// What the schedule names is kept whatever the flags say.
    fn left_by(&self, moves: &Moves, constraint: &Constraint) -> Choices {
        let mut choices = self.choices.clone();
        let is_open = |tensor| constraint.transports.iter().all(|(named, ..)| named != tensor);
        for (operand, offered) in self.space.operands.iter().zip(&mut choices.transports) {
            if is_open(&operand.tensor) {
                offered.retain(|choice| moves.allow(choice));
            }
        }
        if is_open(&self.space.output) {
            choices.chains.retain(|chain| chain.directions.iter().all(|along| moves.allow_along(along)));
        }
        choices
    }

    fn problem<'a>(&'a self, setting: &'a Setting<OneSpace>, constraint: Constraint) -> Checked<Problem<'a>> {
        let Setting { choices, bounds, machine, sizes, .. } = setting;
        Problem::new(&self.space, choices, bounds.clone(), machine, sizes, constraint)
    }

    fn survey(problem: &Problem, all: bool, progress: &(dyn Fn(usize, usize) + Sync)) -> Survey {
        extract::search(problem, all, progress)
    }

    fn counts(survey: &Survey) -> Counts {
        Counts { maps: survey.maps, legal: survey.legal, designs: survey.designs }
    }

    /// Under a place that is given whoever gave it is told of the times that were not looked at.
    fn left_out(problem: &Problem, survey: &Survey) -> Vec<LeftOut> {
        let count = survey.rejections.unclocked;
        let what = "times whose rows have no one length".to_owned();
        let is_told = problem.constraint.place.is_some() && count > 0;
        if is_told { vec![LeftOut { key: "unclocked_times", count, what }] } else { vec![] }
    }

    fn front(survey: &Survey, objective: Objective) -> Vec<Found> {
        survey.front.clone().sorted(objective)
    }

    fn every(survey: &Survey) -> &[Found] {
        &survey.all
    }

    fn counted<'a>(_: &'a Problem) -> Option<&'a Bindings> {
        None
    }

    fn search<'a>(
        &'a self,
        setting: &'a Setting<OneSpace>,
        all: bool,
        output: &Output,
    ) -> Checked<Searched<'a, OneSpace>> {
        border::search(self, setting, all, output)
    }

    fn cost(found: &Found) -> &Cost {
        &found.cost
    }

    fn design<'a>(searched: &Searched<'a, OneSpace>, found: &Found) -> Design<'a> {
        design(searched.kernel, found, searched.problem.constraint.boundary_io)
    }

    /// A map that is turned down for its clock may break no law that a proof is about.
    fn forced<'a>(searched: &Searched<'a, OneSpace>) -> Checked<Design<'a>> {
        let described = searched.kernel.described(searched.setting)?;
        let described = described.filter(|_| !searched.survey.rejections.are_of_the_clock());
        described.ok_or_else(|| vec![refusal::nothing_found(searched)])
    }

    fn obligations(searched: &Searched<OneSpace>, design: &Design, depth: Option<u64>) -> Checked<Vec<Obligation>> {
        let links = &searched.setting.machine.links;
        match depth {
            None => timing::obligations(design, links),
            Some(depth) => timing::obligations_within(design, links, depth),
        }
    }

    /// What loads and recovers through the array has a program of its own, which says itself why it ends.
    fn no_deadlock(searched: &Searched<OneSpace>, design: &Design, depth: Option<u64>) -> Checked<Vec<Obligation>> {
        match searched.border {
            Border::Loads => Ok(vec![]),
            Border::Anywhere | Border::Ports(_) => {
                let links = &searched.setting.machine.links;
                timing::no_deadlock_obligations(design, links, depth, Turns::AsTheyCan)
            }
        }
    }

    fn confirm(searched: &Searched<OneSpace>, found: &Found) -> Checked<()> {
        let (space, Setting { machine, sizes, .. }) = (&searched.kernel.space, searched.setting);
        let region = Region::new(&space.domain.set, space.indices(), sizes);
        if region.is_none_or(|region| region.count() > MOST_POINTS) {
            return Ok(());
        }
        match extract::verify(space, machine, sizes, found) {
            Ok(cost) if cost == found.cost => Ok(()),
            Ok(cost) => defect("the search and its checker count differently")
                .note(format!("search  {:?}", found.cost))
                .note(format!("checker {cost:?}"))
                .alone(),
            Err(why) => refused_by_checker(&why).alone(),
        }
    }

    fn record(lowered: &mut Lowered, design: &Design, proof: &str) {
        let (place, step) = show::rows(design.space, &design.map);
        lowered.record(&design.dataflow, &place, &step, proof);
    }

    fn explain(lowered: &mut Lowered, design: &Design) -> Vec<Step> {
        let (place, step) = show::rows(design.space, &design.map);
        lowered.explain_scheduled(&design.dataflow, &place, &step)
    }

    fn check_steps(lowered: &Lowered, steps: &[Step], rules: &RuleSet) -> Checked<ChainReport> {
        lowered.check_steps(steps, rules)
    }

    fn why_nothing(searched: &Searched<OneSpace>, limit: u64) -> Checked<Diagnostics> {
        refusal::why_nothing(searched, limit)
    }

    fn scheme(&self, setting: &Setting<OneSpace>, output: &Output) -> Checked<Scheme> {
        border::scheme(self, setting, output)
    }

    fn program(searched: &Searched<OneSpace>, design: &Design) -> Checked<Program> {
        Ok(searched.kernel.origin.finish(border::program(searched, design)?))
    }

    fn expected(searched: &Searched<OneSpace>, design: &Design, inputs: &Tensors) -> Checked<Tensors> {
        let origin = &searched.kernel.origin;
        if let Some(tiled) = origin.tiled() {
            let space = (design.space, &design.dataflow.chain);
            return origin.expected(tiled, &[space], &searched.setting.given, inputs);
        }
        let output = &design.space.output;
        let chain = &design.dataflow.chain;
        let expected = recurrence::evaluate_in_order(design.space, chain, &searched.setting.sizes, inputs)?;
        Ok([(output.clone(), expected)].into_iter().collect())
    }

    fn words(design: &Design) -> Words {
        Words::Line {
            map: show::map(design.space, &design.map),
            dataflow: show::dataflow(design.space, &design.map, &design.dataflow),
        }
    }

    fn laid_out<'a>(design: &'a Design<'_>) -> Vec<LaidOut<'a>> {
        vec![show::laid_out(design)]
    }

    fn recurrences(design: &Design) -> Vec<String> {
        show_dataflow(design.space, &design.dataflow)
    }

    fn map_json(design: &Design) -> Map<String, Value> {
        show::map_json(&design.map)
    }

    fn dataflows<'a>(design: &'a Design<'_>) -> Vec<(&'a Space, &'a Dataflow)> {
        vec![(design.space, &design.dataflow)]
    }
}

/// A design of the front as a design to prove.
fn design<'a>(kernel: &'a OneSpace, found: &Found, boundary_io: bool) -> Design<'a> {
    Design { space: &kernel.space, dataflow: found.dataflow.clone(), map: found.map.clone(), boundary_io }
}
