//! Steps for all spaces of a system together.
//!
//! In: parts with places and dataflows, and their handoffs. Out: the shortest steps, by the optimiser over the generators
//! of every dependence, and, where the system is small, every step within the box that satisfies them.

use crate::integer::{Affine, Bindings, Matrix, Name, Polyhedron, Vector, generators, name};
use crate::mapping::{Dependence, Giver, Handoff, Links, Part, Row, SystemDesign, Unknowns, holds};
use crate::smt::{Goal, LinearProblem, NonZero, Optimum, attempt, minimise};
use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// How long one optimisation may take; running out of it is an error, never "no schedule".
const LIMIT: Duration = Duration::from_secs(10);

/// The labels of the span start here; no system has so many laws.
const SPAN_LABELS: usize = 1 << 20;

/// Boxes of more steps than this are not enumerated.
const MOST_STEPS: u64 = 20_000;

/// What a condition on the steps says, for messages.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Law {
    /// The value of this operand of this space moves on.
    Stream(usize, usize),
    /// The reduction of this space runs on.
    Reduction(usize),
    /// This handoff takes time.
    Handoff(usize),
    /// No two points of this space on one PE at one time.
    Conflict(usize),
    /// These two spaces do not meet on a PE.
    Apart(usize, usize),
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
    unknowns: Unknowns,
    rows: Vec<Row>,
    nonzero: Vec<NonZero>,
    /// The rows of the span; their labels follow those of the laws.
    span: Vec<Row>,
    /// What each label stands for.
    pub laws: Vec<Law>,
}

impl Conditions {
    /// States the conditions; `None` where a value has no link, a place leaves more than one dimension to a PE, or a
    /// number does not fit.
    pub fn new(design: &SystemDesign, handoffs: &[Handoff], links: &Links, known: &KnownRows) -> Option<Conditions> {
        let system = design.system;
        let indices = system.spaces.iter().map(|space| space.indices().to_vec()).collect();
        let unknowns = Unknowns::new(indices, system.parameters.clone());
        let mut conditions = Conditions { unknowns, rows: vec![], nonzero: vec![], span: vec![], laws: vec![] };
        for space in 0..system.spaces.len() {
            conditions.add_flows(design, space, links)?;
            conditions.add_conflict(space, &design.parts[space])?;
        }
        for (position, handoff) in handoffs.iter().enumerate() {
            conditions.add_handoff(design, (position, handoff), links, known)?;
        }
        for (space, points) in system.spaces.iter().enumerate() {
            conditions.span.extend(known.span(&conditions.unknowns, space, &points.domain.set)?.iter().cloned());
        }
        Some(conditions)
    }

    /// What travels inside a space: computed operands and the reduction; an input may always be fed instead.
    fn add_flows(&mut self, design: &SystemDesign, space: usize, links: &Links) -> Option<()> {
        let alone = design.alone(space);
        for flow in alone.flows()? {
            let law = match flow.role {
                crate::mapping::FlowRole::Operand(operand) | crate::mapping::FlowRole::Face(operand, _) => {
                    Law::Stream(space, operand)
                }
                crate::mapping::FlowRole::Reduction(_) => Law::Reduction(space),
            };
            let row = self.along(space, &flow.direction);
            let least = flow.least_delay(links)?;
            self.add(row, least, law);
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

    fn add_conflict(&mut self, space: usize, part: &Part) -> Option<()> {
        let shared = part.map.place.null_lattice();
        match shared.as_slice() {
            [] => Some(()),
            [line] => {
                let coefficients = self.along(space, line);
                self.nonzero.push(NonZero { coefficients, label: self.laws.len() });
                self.laws.push(Law::Conflict(space));
                Some(())
            }
            _ => None,
        }
    }

    fn add_handoff(
        &mut self,
        design: &SystemDesign,
        (position, handoff): (usize, &Handoff),
        links: &Links,
        known: &KnownRows,
    ) -> Option<()> {
        let Giver::Point { space, at, .. } = &handoff.giver else { return Some(()) };
        if handoff.is_within_point(&design.system.spaces[*space]) {
            return Some(());
        }
        let dependence = Dependence {
            reader: handoff.reader,
            writer: *space,
            set: handoff.set.clone(),
            at: at.clone(),
            least: design.least_handoff_delay(handoff, links)?,
            exact: None,
            label: 0,
        };
        let label = self.laws.len();
        let rows = known.of(&self.unknowns, &dependence)?;
        self.rows.extend(rows.iter().map(|row| Row { label, ..row.clone() }));
        if design.gives_many(handoff) {
            // A queue of fixed depth: what a row allows to grow without bound, a row of a direction, must not grow.
            let growing = rows.iter().filter(|row| row.least == 0);
            let level = growing.map(|row| row.coefficients.iter().map(|entry| -entry).collect());
            self.rows.extend(level.map(|coefficients| Row { coefficients, least: 0, label }));
        }
        self.laws.push(Law::Handoff(position));
        Some(())
    }

    /// On every PE the points of one space run before those of another; false where that has no finite rows.
    pub fn keep_in_turn(&mut self, design: &SystemDesign, first: usize, second: usize) -> bool {
        let rows = self.rows_in_turn(design, first, second);
        let label = self.laws.len();
        let found = rows.is_some();
        self.rows.extend(rows.into_iter().flatten().map(|row| Row { label, ..row }));
        self.laws.push(Law::Apart(first, second));
        found
    }

    /// One row for each generator of the pairs of points that share a PE.
    fn rows_in_turn(&self, design: &SystemDesign, first: usize, second: usize) -> Option<Vec<Row>> {
        let spaces = &design.system.spaces;
        let marked = |index: &Name| name(&format!("{index}'"));
        let image: BTreeMap<Name, Affine> =
            spaces[second].indices().iter().map(|index| (index.clone(), Affine::variable(&marked(index)))).collect();
        let here = design.place(first, &design.point(first));
        let there = design.place(second, &design.point(second));
        let meets = here.into_iter().zip(there).flat_map(|(here, there)| {
            let apart = here - there.substitute(&image);
            [apart.clone(), -apart]
        });
        let sizes = Polyhedron::sizes(&design.system.parameters);
        let (one, other) = (&spaces[first].domain.set, spaces[second].domain.set.substitute(&image));
        let all = one
            .constraints()
            .iter()
            .chain(other.constraints())
            .cloned()
            .chain(meets)
            .chain(sizes.constraints().to_vec());
        let names: Vec<Name> = spaces[first]
            .indices()
            .iter()
            .cloned()
            .chain(spaces[second].indices().iter().map(marked))
            .chain(design.system.parameters.iter().cloned())
            .collect();
        let points = generators(&Polyhedron::new(all), &names)?;
        Some(points.iter().map(|point| self.row_in_turn(point, first, second)).collect())
    }

    /// The second space's step less the first's, at a generator: coordinates of both points, sizes, scale.
    fn row_in_turn(&self, point: &[i64], first: usize, second: usize) -> Row {
        let sizes = self.unknowns.parameters().len() + 1;
        let (one, other) = (self.unknowns.step(first), self.unknowns.step(second));
        let (x, rest) = point.split_at(one.len() - sizes);
        let (y, shared) = rest.split_at(other.len() - sizes);
        let mut coefficients = vec![0; self.unknowns.count()];
        one.zip(x.iter().chain(shared)).for_each(|(position, value)| coefficients[position] -= value);
        other.zip(y.iter().chain(shared)).for_each(|(position, value)| coefficients[position] += value);
        Row { coefficients, least: *shared.last().unwrap_or(&1), label: 0 }
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
        let known = self.nonzero.iter().any(|sum| sum.coefficients == coefficients);
        if !known {
            self.nonzero.push(NonZero { coefficients, label: self.laws.len() });
            self.laws.push(Law::Apart(one.0, other.0));
        }
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

    /// The shortest steps: the least span, then the smallest coefficients; or the laws that clash.
    pub fn shortest(&self, design: &SystemDesign, explained: bool) -> Result<Vec<Part>, Stuck> {
        let mut stuck = Stuck::Clash(vec![]);
        for shifted in [false, true] {
            match self.optimum(design, shifted, explained && shifted) {
                Optimum::Found(values) => return Ok(self.parts(design, &values)),
                Optimum::Clash(labels) => stuck = Stuck::Clash(labels.iter().map(|label| self.law(*label)).collect()),
                Optimum::Unknown(why) => return Err(Stuck::Undecided(why)),
            }
        }
        Err(stuck)
    }

    /// Takes a law away, for a design that breaks it.
    pub fn forget(&mut self, law: &Law) {
        let label = self.laws.iter().position(|known| known == law);
        self.rows.retain(|row| Some(row.label) != label);
        self.nonzero.retain(|sum| Some(sum.label) != label);
    }

    fn law(&self, label: usize) -> Law {
        self.laws.get(label).cloned().unwrap_or_else(|| Law::Span(label.saturating_sub(SPAN_LABELS)))
    }

    /// Without `shifted` all steps are linear; with it they may be shifted by constants and sizes.
    fn optimum(&self, design: &SystemDesign, shifted: bool, explained: bool) -> Optimum {
        let rows: Vec<Row> = self.rows.iter().chain(&self.span).cloned().collect();
        let unit = |position: usize| (0..self.unknowns.count()).map(|other| i64::from(other == position)).collect();
        let span = self.unknowns.span();
        let (constant, sizes) = (span.end - 1, span.start..span.end - 1);
        let total = (0..self.unknowns.count()).map(|other| i64::from(sizes.contains(&other))).collect();
        let steps: Vec<usize> = (0..span.start).collect();
        let solve = if explained { minimise } else { attempt };
        solve(
            &LinearProblem {
                bounds: self.free(design, shifted),
                rows,
                nonzero: self.nonzero.clone(),
                goals: vec![Goal::Form(total), Goal::Form(unit(constant)), Goal::Magnitudes(steps)],
            },
            LIMIT,
        )
    }

    fn free(&self, design: &SystemDesign, shifted: bool) -> Vec<(Option<i64>, Option<i64>)> {
        let mut bounds = vec![(None, None); self.unknowns.count()];
        for (space, points) in design.system.spaces.iter().enumerate() {
            let shifts = self.unknowns.step(space).skip(points.dimension());
            if !shifted {
                shifts.for_each(|position| bounds[position] = (Some(0), Some(0)));
            }
        }
        bounds
    }

    /// The parts with the steps of a solution.
    fn parts(&self, design: &SystemDesign, values: &[i64]) -> Vec<Part> {
        let step = |(space, part): (usize, &Part)| {
            let indices = design.system.spaces[space].indices();
            let form = self.unknowns.step_form(space, values).unwrap_or_default();
            let row = form.row(indices);
            let start = form - Affine::from_row(indices, &row);
            let mut part = part.clone();
            part.map.step = Matrix::new(vec![row], indices.len());
            part.start = start;
            part
        };
        design.parts.iter().enumerate().map(step).collect()
    }

    /// Every linear step within the box that satisfies all conditions; `None` where the box is too large to look through.
    pub fn within(&self, design: &SystemDesign, (low, high): (i64, i64)) -> Option<Vec<Vec<Part>>> {
        let free: Vec<usize> = design
            .system
            .spaces
            .iter()
            .enumerate()
            .flat_map(|(space, points)| self.unknowns.step(space).take(points.dimension()))
            .collect();
        let choices = u64::try_from(high - low + 1).ok()?;
        u32::try_from(free.len()).ok().and_then(|count| choices.checked_pow(count)).filter(|all| *all <= MOST_STEPS)?;
        let mut found = vec![];
        let mut values = vec![0; self.unknowns.count()];
        self.enumerate(&free, (low, high), &mut values, &mut |values| found.push(self.parts(design, values)));
        Some(found)
    }

    fn enumerate(&self, free: &[usize], range: (i64, i64), values: &mut Vector, see: &mut dyn FnMut(&[i64])) {
        let Some((first, rest)) = free.split_first() else {
            let apart = |sum: &NonZero| crate::integer::dot(&sum.coefficients, values) != 0;
            if holds(&self.rows, values) && self.nonzero.iter().all(apart) {
                see(values);
            }
            return;
        };
        for value in range.0..=range.1 {
            values[*first] = value;
            self.enumerate(rest, range, values, see);
        }
        values[*first] = 0;
    }
}

/// The rows of dependences that were met before: the same dependence comes under many places.
#[derive(Debug, Default)]
pub struct KnownRows {
    rows: Mutex<HashMap<Dependence, Option<Arc<Vec<Row>>>>>,
    spans: Mutex<HashMap<usize, Option<Arc<Vec<Row>>>>>,
}

impl KnownRows {
    fn span(&self, unknowns: &Unknowns, space: usize, set: &Polyhedron) -> Option<Arc<Vec<Row>>> {
        let mut spans = self.spans.lock().unwrap_or_else(PoisonError::into_inner);
        let rows = || unknowns.span_rows(space, set, SPAN_LABELS + space).map(Arc::new);
        spans.entry(space).or_insert_with(rows).clone()
    }

    fn of(&self, unknowns: &Unknowns, dependence: &Dependence) -> Option<Arc<Vec<Row>>> {
        if let Some(known) = self.rows.lock().unwrap_or_else(PoisonError::into_inner).get(dependence) {
            return known.clone();
        }
        let rows = unknowns.dependence_rows(dependence).map(Arc::new);
        self.rows.lock().unwrap_or_else(PoisonError::into_inner).insert(dependence.clone(), rows.clone());
        rows
    }
}

/// Why there are no steps.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Stuck {
    /// These laws cannot hold together, and each is needed for that.
    Clash(Vec<Law>),
    /// The solver did not decide.
    Undecided(String),
}
