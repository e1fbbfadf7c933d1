//! Steps for all spaces of a system together.
//!
//! In: parts with places and dataflows, and their handoffs. Out: the shortest steps, by the optimiser over the generators
//! of every dependence; or where these take too long, and nothing else is left, some steps.

use crate::extract::solve::Task;
use crate::extract::solve::task::Work;
use crate::mapping::{Dependence, Design, Giver, Handoff, Row, SpaceDesign, Unknowns};
use crate::rewrite::Transport;
use crate::smt::{Goal, LinearProblem, Optimum, Unequal, attempt_alone, attempt_counted, minimise, soon};
use row_cache::SPAN_LABELS;
use std::ops::Range;
use std::sync::Arc;
use std::time::Duration;
use systole_base::integer::{Affine, Bindings, Matrix, Polyhedron, Vector, dot, lexicographic_sign};
use systole_base::network::Links;
use systole_equations::recurrence::Space;

mod row_cache;

pub use row_cache::RowCache;

mod components;

mod every_step;

mod on_links;

mod positions;

pub use on_links::on_links;
pub use positions::positions;

/// How long one optimisation may take; running out of it is an error, never "no schedule".
const LIMIT: Duration = Duration::from_secs(10);

/// What a condition on the steps says, for messages.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Law {
    /// The value of this operand of this space moves on.
    Stream(usize, usize),
    /// All that hear this operand of this space over a bus hear it at one time.
    Bus(usize, usize),
    /// The reduction of this space runs on.
    Reduction(usize),
    /// This handoff takes time.
    Handoff(usize),
    /// No two points of this space on one PE at one time.
    Conflict(usize),
    /// These two spaces do not meet on a PE.
    Apart(usize, usize),
    /// No two words of this handoff meet on a link.
    Link(usize),
    /// The schedule says so.
    Given(usize),
    /// The steps of this space lie between the first and the last.
    Span(usize),
}

/// A space and one of its points.
pub type SpacePoint = (usize, Vector);

/// The conditions on the steps of one placement and dataflow.
#[derive(Clone)]
pub struct Conditions {
    pub(super) unknowns: Unknowns,
    pub(super) rows: Vec<Row>,
    pub(super) unequal: Vec<Unequal>,
    /// The rows of the span; their labels follow those of the laws.
    pub(super) span: Vec<Row>,
    /// What each label stands for.
    pub laws: Vec<Law>,
    /// What it takes to solve for steps is counted here.
    work: Arc<Work>,
    /// The position of each space within a step, where operations share steps.
    positions: Vec<usize>,
    /// Whether a solver is asked for what takes many branches.
    asks: bool,
    /// Whether what is not decided is solved for by components.
    by_components: bool,
    /// What all points of each space have in common.
    equations: Vec<Arc<Vec<Affine>>>,
}

/// When a value of a handoff may be read at the earliest, in steps after it is given; `None` where it has no link.
type Least<'a> = &'a dyn Fn(&Handoff) -> Option<i64>;

impl Conditions {
    /// States the conditions; `None` where a value has no link, a place leaves more than one dimension to a PE, or a
    /// number does not fit.
    pub fn new(task: &Task, design: &Design, handoffs: &[Handoff]) -> Option<Conditions> {
        let links = &task.machine.links;
        Conditions::with(task, design, handoffs, &|handoff| design.least_handoff_delay(handoff, links))
    }

    /// The conditions in which whatever stays on a PE may be read by another space in the step in which it is computed.
    pub fn in_one_step(task: &Task, design: &Design, handoffs: &[Handoff]) -> Option<Conditions> {
        let least = |handoff: &Handoff| match design.may_share_step(handoff) {
            true => Some(0),
            false => design.least_handoff_delay(handoff, &task.machine.links),
        };
        Conditions::with(task, design, handoffs, &least)
    }

    fn with(task: &Task, design: &Design, handoffs: &[Handoff], least: Least) -> Option<Conditions> {
        let (system, links, known) = (design.system, &task.machine.links, &task.known);
        let indices = system.spaces.iter().map(|space| space.indices().to_vec()).collect();
        let unknowns = Unknowns::new(indices, system.parameters.clone());
        let positions = design.parts.iter().map(|part| part.position).collect();
        let (rows, unequal, span, laws, work) = (vec![], vec![], vec![], vec![], task.work.clone());
        let (asks, by_components, spaces) =
            (task.limits.asks, task.limits.by_components, system.spaces.iter().enumerate());
        let equations = spaces.map(|(number, space)| known.equations(number, &space.domain.set)).collect();
        let mut conditions =
            Conditions { unknowns, rows, unequal, span, laws, work, positions, asks, by_components, equations };
        for space in 0..system.spaces.len() {
            conditions.add_flows(design, space, links)?;
            conditions.add_buses(design, space)?;
            conditions.add_conflict(space, &design.parts[space])?;
        }
        for (position, handoff) in handoffs.iter().enumerate() {
            conditions.add_handoff(design, (position, handoff), least, known)?;
        }
        for (space, points) in system.spaces.iter().enumerate() {
            conditions.span.extend(known.span(&conditions.unknowns, space, &points.domain.set)?.iter().cloned());
        }
        Some(conditions)
    }

    /// What travels inside a space: computed operands and the reduction; an input may always be fed instead.
    fn add_flows(&mut self, design: &Design, space: usize, links: &Links) -> Option<()> {
        let alone = design.alone(space);
        for flow in alone.flows()? {
            let law = match flow.role {
                crate::mapping::FlowRole::Operand(operand) | crate::mapping::FlowRole::Face(operand, _) => {
                    Law::Stream(space, operand)
                }
                crate::mapping::FlowRole::Reduction(_) => Law::Reduction(space),
            };
            let least = flow.least_delay(links)?;
            let (_, rounds) = flow.delay.split_last()?;
            match lexicographic_sign(rounds) {
                // In a later round there is time enough, in an earlier one none.
                1 => self.laws.push(law),
                0 => self.add(self.along(space, &flow.direction), least, law),
                _ => return None,
            }
        }
        Some(())
    }

    /// What is computed and comes over a bus is heard by all at one time; an input may always be fed instead.
    fn add_buses(&mut self, design: &Design, space: usize) -> Option<()> {
        let (part, sources) = (&design.parts[space], &design.system.sources[space]);
        for (operand, transport) in part.dataflow.transports.iter().enumerate() {
            let Transport::Broadcast(along) = transport else { continue };
            if sources[operand].is_empty() {
                continue;
            }
            if part.rounds().iter().any(|row| dot(row, along) != 0) {
                return None;
            }
            for sign in [1, -1] {
                let coefficients = self.along(space, along).into_iter().map(|entry| sign * entry).collect();
                self.rows.push(Row { coefficients, least: 0, label: self.laws.len() });
            }
            self.laws.push(Law::Bus(space, operand));
        }
        Some(())
    }

    fn along(&self, space: usize, direction: &[i64]) -> Vector {
        let mut row = vec![0; self.unknowns.count()];
        let start = self.unknowns.step(space).start;
        direction.iter().enumerate().for_each(|(index, entry)| row[start + index] = *entry);
        row
    }

    fn add(&mut self, coefficients: Vector, least: i64, law: Law) {
        self.rows.push(Row { coefficients, least, label: self.laws.len() });
        self.laws.push(law);
    }

    fn add_conflict(&mut self, space: usize, part: &SpaceDesign) -> Option<()> {
        let rounds = Matrix::new(part.rounds().to_vec(), part.map.place.columns());
        let shared = part.map.place.above(&rounds).null_lattice();
        match shared.as_slice() {
            [] => Some(()),
            [line] => {
                let coefficients = self.along(space, line);
                self.unequal.push(Unequal { coefficients, value: 0, label: self.laws.len() });
                self.laws.push(Law::Conflict(space));
                Some(())
            }
            _ => None,
        }
    }

    fn add_handoff(
        &mut self,
        design: &Design,
        (position, handoff): (usize, &Handoff),
        least: Least,
        known: &RowCache,
    ) -> Option<()> {
        let Giver::Point { space, at, .. } = &handoff.giver else { return Some(()) };
        if handoff.is_within_point(&design.system.spaces[*space]) {
            return Some(());
        }
        let dependence = Dependence {
            reader: handoff.reader,
            writer: *space,
            set: handoff.divided_set(),
            at: at.clone(),
            quotients: handoff.quotients.iter().map(|division| division.quotient.clone()).collect(),
            least: least(handoff)?,
            exact: None,
            label: 0,
        };
        let label = self.laws.len();
        let within = within_round(design, handoff)?;
        let sizes = Polyhedron::sizes(&design.system.parameters);
        if !within.intersect(&sizes).is_empty() {
            let rows = known.of(&self.unknowns, Dependence { set: within, ..dependence.clone() })?;
            self.rows.extend(rows.iter().map(|row| Row { label, ..row.clone() }));
        }
        if design.gives_many(handoff) {
            // A queue of fixed depth: what a row allows to grow without bound, a row of a direction, must not grow.
            let a_step = Dependence { least: dependence.least.max(1), ..dependence };
            let rows = known.of(&self.unknowns, a_step)?;
            let growing = rows.iter().filter(|row| row.least == 0);
            let both = |row: &Row| [1, -1].map(|sign| row.coefficients.iter().map(|entry| sign * entry).collect());
            let level = growing.flat_map(both);
            self.rows.extend(level.map(|coefficients| Row { coefficients, least: 0, label }));
        }
        self.laws.push(Law::Handoff(position));
        Some(())
    }

    /// Two points of different spaces, at these sizes, do not run at one time.
    pub fn keep_apart(&mut self, one: &SpacePoint, other: &SpacePoint, sizes: &Bindings) {
        let mut coefficients = vec![0; self.unknowns.count()];
        for ((space, point), sign) in [(one, 1), (other, -1)] {
            let names = &self.unknowns.step(*space);
            let sizes = self.unknowns.parameters().iter().map(|size| sizes.get(size).copied().unwrap_or(1));
            let values = point.iter().copied().chain(sizes).chain([1]);
            names.clone().zip(values).for_each(|(position, value)| coefficients[position] += sign * value);
        }
        let known = self.unequal.iter().any(|sum| sum.coefficients == coefficients);
        if !known {
            self.unequal.push(Unequal { coefficients, value: 0, label: self.laws.len() });
            self.laws.push(Law::Apart(one.0, other.0));
        }
    }

    /// Two words of a handoff that leave points of `writer` so far apart do not have these times between them.
    pub fn keep_words_apart(&mut self, (handoff, writer): (usize, usize), apart: &[i64], times: i64) {
        let coefficients = self.along(writer, apart);
        self.unequal.push(Unequal { coefficients, value: times, label: self.laws.len() });
        self.laws.push(Law::Link(handoff));
    }

    /// Fixes the step of a space up to its start.
    pub fn fix(&mut self, space: usize, step: &[i64], directive: usize) {
        let start = self.unknowns.step(space).start;
        for (index, entry) in step.iter().enumerate() {
            for sign in [1, -1] {
                let mut row = vec![0; self.unknowns.count()];
                row[start + index] = sign;
                self.rows.push(Row { coefficients: row, least: sign * entry, label: self.laws.len() });
            }
        }
        self.laws.push(Law::Given(directive));
    }

    /// The shortest steps: the least span, then the smallest coefficients; or the laws that clash. Where these are not decided, and the
    /// limits say so, some that satisfy all conditions (`by_components`).
    pub fn shortest(&self, design: &Design, explained: bool) -> Result<Vec<SpaceDesign>, Stuck> {
        let shortest = self.shortest_by(design, |task, shifted| match explained && shifted {
            true => minimise(task, LIMIT),
            false if self.asks => self.counted(|work| attempt_counted(task, LIMIT, work)),
            false => self.counted(|work| attempt_alone(task, work)),
        });
        match shortest {
            Err(Stuck::Undecided(why)) if self.by_components && !explained => {
                self.by_components(design).ok_or(Stuck::Undecided(why))
            }
            other => other,
        }
    }

    /// The same where branch and bound decides: of many dataflows, those that take longer are passed over.
    pub fn shortest_alone(&self, design: &Design) -> Option<Vec<SpaceDesign>> {
        self.shortest_by(design, |task, _| self.counted(|work| attempt_alone(task, work))).ok()
    }

    fn shortest_by(
        &self,
        design: &Design,
        solve: impl Fn(&LinearProblem, bool) -> Optimum,
    ) -> Result<Vec<SpaceDesign>, Stuck> {
        let mut stuck = Stuck::Clash(vec![]);
        for shifted in [false, true] {
            let solve = |task: &LinearProblem| solve(task, shifted);
            let mut task = self.problem(design, shifted);
            let mut optimum = solve(&task);
            if optimum == Optimum::Endless {
                // The spaces have points at some sizes only, such as those with K < N, and a span may fall with K where there are
                // none. A span that falls with no size is as good a bound.
                self.unknowns.span().for_each(|position| task.bounds[position] = (Some(0), None));
                optimum = solve(&task);
            }
            match optimum {
                Optimum::Found(values) => return Ok(self.parts(design, &values)),
                Optimum::Clash(labels) => stuck = Stuck::Clash(labels.iter().map(|label| self.law(*label)).collect()),
                Optimum::Endless => return Err(Stuck::Undecided("the span has no least value".to_owned())),
                Optimum::Unknown(why) => return Err(Stuck::Undecided(why)),
            }
        }
        Err(stuck)
    }

    /// The shortest steps, where few branches lead to them.
    pub fn shortest_soon(&self, design: &Design) -> Option<Vec<SpaceDesign>> {
        let solve = |shifted| self.counted(|work| soon(&self.problem(design, shifted), work));
        [false, true].into_iter().find_map(solve).map(|values| self.parts(design, &values))
    }

    /// Counts what it takes to solve something.
    fn counted<T>(&self, solve: impl FnOnce(&mut u64) -> T) -> T {
        let mut numbers = 0;
        let solved = solve(&mut numbers);
        self.work.add(Work::in_numbers(numbers));
        solved
    }

    /// Takes a law away, for a design that breaks it.
    pub fn forget(&mut self, law: &Law) {
        let label = self.laws.iter().position(|known| known == law);
        self.rows.retain(|row| Some(row.label) != label);
        self.unequal.retain(|sum| Some(sum.label) != label);
    }

    fn law(&self, label: usize) -> Law {
        self.laws.get(label).cloned().unwrap_or_else(|| Law::Span(label.saturating_sub(SPAN_LABELS)))
    }

    /// Without `shifted` all steps are linear; with it they may be shifted by constants and sizes.
    fn problem(&self, design: &Design, shifted: bool) -> LinearProblem {
        LinearProblem {
            bounds: self.free(design, shifted),
            rows: self.rows.iter().chain(&self.span).cloned().collect(),
            unequal: self.unequal.clone(),
            goals: self.goals(self.unknowns.count()),
        }
    }

    /// The least span, first of the sizes, then the smallest coefficients; there are `count` unknowns, those of the conditions first.
    pub(super) fn goals(&self, count: usize) -> Vec<Goal> {
        let span = self.unknowns.span();
        let form = |of: Range<usize>| Goal::Form((0..count).map(|other| i64::from(of.contains(&other))).collect());
        let constant = span.end - 1;
        vec![form(span.start..constant), form(constant..span.end), Goal::Magnitudes((0..span.start).collect())]
    }

    fn free(&self, design: &Design, shifted: bool) -> Vec<(Option<i64>, Option<i64>)> {
        let mut bounds = vec![(None, None); self.unknowns.count()];
        for (space, points) in design.system.spaces.iter().enumerate() {
            let step = self.unknowns.step(space);
            if !shifted {
                step.clone().skip(points.dimension()).for_each(|position| bounds[position] = (Some(0), Some(0)));
            }
            let told = self.redundant(space, points).into_iter();
            told.for_each(|entry| bounds[step.start + entry] = (Some(0), Some(0)));
        }
        bounds
    }

    /// The entries of sizes in the step of a space that those of indices can stand in for: that of `N` where all points have `i = N - 1`. With
    /// them a step could be written in endlessly many ways. Where something asks for the entry of `i` itself, nothing stands in for another.
    fn redundant(&self, space: usize, points: &Space) -> Vec<usize> {
        if self.equations[space].is_empty() {
            return vec![];
        }
        let step = self.unknowns.step(space);
        let indices = step.start..step.start + points.dimension();
        let is_of_entries = |row: &&Row| {
            let law = self.laws.get(row.label);
            matches!(law, Some(Law::Stream(..) | Law::Bus(..) | Law::Reduction(_) | Law::Given(_)))
        };
        let of_entries = self.rows.iter().filter(is_of_entries);
        let directions: Vec<&[i64]> = of_entries.map(|row| &row.coefficients[indices.clone()]).collect();
        let is_free = |equation: &Affine| {
            let row = equation.row(points.indices());
            directions.iter().all(|direction| dot(&row, direction) == 0)
        };
        let mut equations: Vec<Affine> = self.equations[space].iter().filter(|form| is_free(form)).cloned().collect();
        let mut told = vec![];
        while let Some(equation) = equations.pop() {
            let size = points.parameters.iter().enumerate().find(|(_, size)| equation.coefficient(size).abs() == 1);
            let Some((number, size)) = size else { continue };
            let sign = equation.coefficient(size);
            let image = [(size.clone(), Affine::variable(size) - equation * sign)].into_iter().collect();
            equations.iter_mut().for_each(|other| *other = other.substitute(&image));
            told.push(points.dimension() + number);
        }
        told
    }

    /// The parts with the steps of a solution.
    pub(super) fn parts(&self, design: &Design, values: &[i64]) -> Vec<SpaceDesign> {
        let step = |(space, part): (usize, &SpaceDesign)| {
            let indices = design.system.spaces[space].indices();
            let form = self.unknowns.step_form(space, values).unwrap_or_default();
            let row = form.row(indices);
            let start = form - Affine::from_row(indices, &row);
            let mut part = part.clone();
            let rounds = part.rounds().iter().cloned();
            part.map.step = Matrix::new(rounds.chain([row]).collect(), indices.len());
            part.shift(|_| start);
            part.position = self.positions[space];
            part
        };
        design.parts.iter().enumerate().map(step).collect()
    }
}

/// Of the points that take a handoff those in the round of their giver: the others take it in a later one. `None` where some
/// would take it in an earlier one.
fn within_round(design: &Design, handoff: &Handoff) -> Option<Polyhedron> {
    let mut within = handoff.divided_set();
    if design.rounds() == 0 {
        return Some(within);
    }
    let sizes = Polyhedron::sizes(&design.system.parameters);
    let delay = design.handoff_delay(handoff)?;
    for rounds in &delay[..design.rounds()] {
        let mut earlier = within.intersect(&sizes);
        earlier.add(-rounds.clone() - Affine::constant(1));
        if !earlier.is_empty() {
            return None;
        }
        within.add(rounds.clone());
        within.add(-rounds.clone());
    }
    Some(within)
}

/// Why there are no steps.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Stuck {
    /// These laws cannot hold together, and each is needed for that.
    Clash(Vec<Law>),
    /// The solver did not decide.
    Undecided(String),
}
