//! What differs between a kernel of one space and one of several; the pipeline and the commands are the same for both.
//!
//! In: equations, flags, and what the stage before gave. Out: what the next stage takes, and words and objects for it.
//! Invariant: an implementation calls the stages; that they come in their order is the matter of `pipeline`.

use crate::driver::flags::setting::{Moves, Setting};
use crate::driver::kernels::origin::Origin;
use crate::driver::kernels::words::Words;
use crate::driver::pipeline;
use crate::driver::pipeline::Searched;
use crate::driver::shown::output::Output;
use crate::report::LaidOut;
use serde_json::{Map, Value};
use systole_base::diagnostic::{Checked, Diagnostics};
use systole_base::integer::Bindings;
use systole_base::network::Network;
use systole_base::span::Span;
use systole_compile::check::ChainReport;
use systole_compile::cost::{Cost, Objective};
use systole_compile::rewrite::{Dataflow, Report, RuleSet, Step};
use systole_compile::systolize::Scheme;
use systole_equations::recurrence::{RecurrenceSystem, Schedule, Space};
use systole_program::array::{Program, Tensors};
use systole_program::obligation::Obligation;

/// How many maps a search looked at, how many had a legal design, and how many designs there were.
#[derive(Clone, Copy, Debug)]
pub struct Counts {
    /// Maps, or placements of several spaces.
    pub maps: u64,
    /// Those with a legal design.
    pub legal: u64,
    /// Legal designs.
    pub designs: u64,
}

/// Something that a search did not look at.
#[derive(Clone, Debug)]
pub struct LeftOut {
    /// Its name in the output for programs.
    pub key: &'static str,
    /// How many there are.
    pub count: u64,
    /// What they are.
    pub what: String,
}

/// What a search tells of the maps it looks at.
type Progress<'a> = &'a (dyn Fn(usize, usize) + Sync);

/// A kernel as the stages take it: as one space, or as several that hand values to each other.
pub trait Kernel: Sized + Sync {
    /// The saturated e-graph.
    type Lowered;
    /// What the e-graph offers.
    type Choices;
    /// What a schedule fixes.
    type Constraint: Clone;
    /// What is searched.
    type Problem<'a>: Sync
    where
        Self: 'a;
    /// What a search saw.
    type Survey: Send;
    /// A design as a search finds it.
    type Found: Clone + PartialEq;
    /// A design as it is proved.
    type Design<'a>
    where
        Self: 'a;

    /// What the search counts, and the columns that are left for its time.
    const MAPS: (&'static str, usize);

    /// The kernel as the user gave it.
    fn origin(&self) -> &Origin;
    /// The equations that are searched: over elements, or over tiles.
    fn system(&self) -> &RecurrenceSystem;
    /// The spaces; at least one where there is anything to prove.
    fn spaces(&self) -> &[Space];
    /// What saturation did.
    fn report(lowered: &Self::Lowered) -> &Report;

    /// What a schedule fixes, if there is one.
    fn constrain(&self, schedule: Option<&Schedule>) -> Checked<Self::Constraint>;
    /// The network that the schedule is for.
    fn network(constraint: &Self::Constraint) -> Option<Network>;
    /// Where the step, or else the schedule, stands in the source.
    fn span(constraint: &Self::Constraint) -> Option<Span>;
    /// The choices left by `--transports` and `--reuse`.
    fn left_by(&self, moves: &Moves, constraint: &Self::Constraint) -> Self::Choices;

    /// The search that the flags ask for, with what is fixed.
    fn problem<'a>(&'a self, setting: &'a Setting<Self>, constraint: Self::Constraint) -> Checked<Self::Problem<'a>>;
    /// Searches; every legal design is kept where `all` is set.
    fn survey(problem: &Self::Problem<'_>, all: bool, progress: Progress) -> Self::Survey;
    /// What was counted.
    fn counts(survey: &Self::Survey) -> Counts;
    /// What the search left out; empty where it has no limits but its bounds.
    fn left_out(_: &Self::Problem<'_>, _: &Self::Survey) -> Vec<LeftOut> {
        vec![]
    }
    /// The front, best first.
    fn front(survey: &Self::Survey, objective: Objective) -> Vec<Self::Found>;
    /// Every legal design, where the search kept them.
    fn every(survey: &Self::Survey) -> &[Self::Found];
    /// The sizes at which designs were costed, where these may be others than those asked for.
    fn counted<'a>(problem: &'a Self::Problem<'_>) -> Option<&'a Bindings>;
    /// Runs the search, and decides how the schedule's `io` is kept to.
    fn search<'a>(&'a self, setting: &'a Setting<Self>, all: bool, output: &Output) -> Checked<Searched<'a, Self>> {
        pipeline::search_within(self, setting, setting.constraint.clone(), all, output)
    }

    /// What a design costs.
    fn cost(found: &Self::Found) -> &Cost;
    /// A design of the front as a design to prove.
    fn design<'a>(searched: &Searched<'a, Self>, found: &Self::Found) -> Self::Design<'a>;
    /// Where the front is empty: the wrong design that the schedule describes, or why there is none.
    fn forced<'a>(searched: &Searched<'a, Self>) -> Checked<Self::Design<'a>>;
    /// All obligations of a design, with this depth claimed of every channel where it is given.
    fn obligations(
        searched: &Searched<Self>,
        design: &Self::Design<'_>,
        depth: Option<u64>,
    ) -> Checked<Vec<Obligation>>;
    /// What must be proved of a design so that no run of its program without clocks waits for ever, whoever owns which PE; at this
    /// depth of every channel where it is given.
    fn no_deadlock(
        searched: &Searched<Self>,
        design: &Self::Design<'_>,
        depth: Option<u64>,
    ) -> Checked<Vec<Obligation>>;
    /// Has the separate checker count a design again, point by point.
    fn confirm(searched: &Searched<Self>, found: &Self::Found) -> Checked<()>;
    /// Enters a proved design into the e-graph; the union's reason is the name of the proof record.
    fn record(lowered: &mut Self::Lowered, design: &Self::Design<'_>, proof: &str);
    /// The steps from the equations to a recorded design.
    fn explain(lowered: &mut Self::Lowered, design: &Self::Design<'_>) -> Vec<Step>;
    /// Puts each step of an explanation to the test.
    fn check_steps(lowered: &Self::Lowered, steps: &[Step], rules: &RuleSet) -> Checked<ChainReport>;
    /// Why the search found nothing; what is proved for that has so many milliseconds for each obligation.
    fn why_nothing(searched: &Searched<Self>, limit: u64) -> Checked<Diagnostics>;

    /// A design that does what the schedule says and breaks as few laws as it can, where no search finds one; `None` where
    /// [`Kernel::forced`] has it, or there is none.
    fn nearest<'a>(_: &Searched<'a, Self>, _: u64) -> Option<Self::Design<'a>> {
        None
    }
    /// The closed forms of what each process does.
    fn scheme(&self, setting: &Setting<Self>, output: &Output) -> Checked<Scheme>;
    /// The program of a proved design.
    fn program(searched: &Searched<Self>, design: &Self::Design<'_>) -> Checked<Program>;
    /// What the equations mean for these inputs, in the order of the design.
    fn expected(searched: &Searched<Self>, design: &Self::Design<'_>, inputs: &Tensors) -> Checked<Tensors>;

    /// A design in words.
    fn words(design: &Self::Design<'_>) -> Words;
    /// The spaces of a design, each with its place and time.
    fn laid_out<'a>(design: &'a Self::Design<'_>) -> Vec<LaidOut<'a>>;
    /// The recurrences of a design: its dataflow, written out.
    fn recurrences(design: &Self::Design<'_>) -> Vec<String>;
    /// Place and step as an object, keyed by space.
    fn map_json(design: &Self::Design<'_>) -> Map<String, Value>;
    /// The spaces of a design, each with how its values move.
    fn dataflows<'a>(design: &'a Self::Design<'_>) -> Vec<(&'a Space, &'a Dataflow)>;
}
