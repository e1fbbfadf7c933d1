//! The shortest steps under which spaces take turns.
//!
//! In: the conditions on the steps of a placement, a number of turns `n`, and how turns move from PE to PE. Out: the shortest steps under
//! which space `s` runs on PE `p` at times that are `begin + turn s + slant . p` modulo `n`. So two spaces whose turns differ modulo `n` never
//! run on a PE at one time. The times are `n u + begin + turn + slant . p`, where `begin` is a sum of sizes that all spaces share: the conditions
//! are linear over `u`, `begin`, the turns and the span, all of them whole.

use crate::extract::solve::steps::Conditions;
use crate::mapping::{Design, Row, SpaceDesign};
use crate::smt::{Goal, LinearProblem, Series, Unequal};
use std::ops::Range;
use systole_base::integer::{Affine, Bindings, Vector, dot};

/// Steps in turns.
pub struct InterleavedSteps {
    /// How many steps there are, with the first and the last.
    pub span: Affine,
    /// The turn of each space, not reduced.
    pub turns: Vector,
    /// The parts with the steps.
    pub parts: Vec<SpaceDesign>,
}

/// Two spaces, and by how much the turn of the first must not be after that of the second.
pub type InterleavedApart = ((usize, usize), i64);

/// How many turns there are, how they move from PE to PE along each axis, and whose they are.
#[derive(Clone, Copy)]
pub struct Interleaving<'a> {
    /// The turns.
    pub count: i64,
    /// The moves.
    pub slant: &'a [i64],
    /// The turn of each space up to whole rounds, where it is not to be found.
    pub turns: Option<&'a [usize]>,
    /// Of steps that grow alike those are wanted that are fewest at these sizes.
    pub sizes: &'a Bindings,
    /// So many cycles there are too many.
    pub less_than: Option<i64>,
}

impl Conditions {
    /// The shortest such steps; `None` where there are none, or branch and bound does not find them soon. The series is of these conditions.
    pub fn in_turns(
        &self,
        design: &Design,
        turning: Interleaving,
        apart: &[InterleavedApart],
        series: &mut Series,
    ) -> Option<InterleavedSteps> {
        let offsets = self.offsets(design, turning);
        let mut task = self.turned(&offsets);
        let cycles = self.cycles(turning.sizes);
        task.rows.extend(turning.less_than.map(|most| self.shorter(&cycles, most)));
        task.goals.insert(2, Goal::Form(cycles));
        task.unequal.extend(apart.iter().map(|apart| self.turns_apart(apart)));
        let values = series.any_optimum(&task, &self.multiples(turning))?;
        let (values, begin) = values.split_at(self.unknowns.count());
        let mut times: Vector = values.iter().zip(&offsets).map(|(value, offset)| value + offset).collect();
        self.froms().for_each(|from| from.zip(begin).for_each(|(unknown, begin)| times[unknown] += begin));
        let (constant, sizes) = values[self.unknowns.span()].split_last()?;
        let span = Affine::from_row(self.unknowns.parameters(), sizes) + Affine::constant(*constant + 1);
        let turns = self.froms().map(|from| times[from.end] - offsets[from.end]).collect();
        Some(InterleavedSteps { span, turns, parts: self.parts(design, &times) })
    }

    /// Where the coefficients of the sizes are in the step of each space; the constant follows.
    fn froms(&self) -> impl Iterator<Item = Range<usize>> {
        let steps = (0..).map(|space| self.unknowns.step(space)).take_while(|step| !step.is_empty());
        steps.map(|step| step.end - self.unknowns.span().len()..step.end - 1)
    }

    /// What each unknown is a multiple of: the turns where they are not to be found, but neither the span nor `begin`.
    fn multiples(&self, turning: Interleaving) -> Vector {
        let span = self.unknowns.span();
        let mut multiples = vec![turning.count; span.start];
        multiples.resize(span.end + self.unknowns.parameters().len(), 1);
        if turning.turns.is_none() {
            self.froms().for_each(|from| multiples[from.end] = 1);
        }
        multiples
    }

    /// What is added to `n u`, unknown by unknown, before `begin` and the turns that are to be found.
    fn offsets(&self, design: &Design, Interleaving { slant, turns, .. }: Interleaving) -> Vector {
        let mut offsets = vec![0; self.unknowns.count()];
        for (space, part) in design.parts.iter().enumerate() {
            let along =
                |entry: &dyn Fn(usize) -> i64| (0..slant.len()).map(|axis| slant[axis] * entry(axis)).sum::<i64>();
            let places = (0..part.map.place.columns()).map(|index| along(&|axis| part.map.place.rows()[axis][index]));
            let sizes =
                self.unknowns.parameters().iter().map(|size| along(&|axis| part.origin[axis].coefficient(size)));
            let turn = turns.map_or(0, |turns| turns[space] as i64);
            let all = places.chain(sizes).chain([turn + along(&|axis| part.origin[axis].constant_term())]);
            self.unknowns.step(space).zip(all).for_each(|(unknown, offset)| offsets[unknown] = offset);
        }
        offsets
    }

    /// What is asked of `n u`, the turns and the span, and of what `begin` has of each size.
    fn turned(&self, offsets: &[i64]) -> LinearProblem {
        let all = self.unknowns.count() + self.unknowns.parameters().len();
        let row = |row: &Row| Row {
            coefficients: self.with_begin(&row.coefficients),
            least: row.least - dot(&row.coefficients, offsets),
            ..row.clone()
        };
        let unequal = |sum: &Unequal| Unequal {
            coefficients: self.with_begin(&sum.coefficients),
            value: sum.value - dot(&sum.coefficients, offsets),
            ..sum.clone()
        };
        LinearProblem {
            bounds: vec![(None, None); all],
            rows: self.rows.iter().chain(&self.span).map(row).collect(),
            unequal: self.unequal.iter().map(unequal).collect(),
            goals: self.goals(all),
        }
    }

    /// A sum of times and span as one of the unknowns.
    fn with_begin(&self, coefficients: &[i64]) -> Vector {
        let of_size = |size| self.froms().map(|from| coefficients[from.start + size]).sum::<i64>();
        coefficients.iter().copied().chain((0..self.unknowns.parameters().len()).map(of_size)).collect()
    }

    /// The span at these sizes: one less than the cycles.
    fn cycles(&self, sizes: &Bindings) -> Vector {
        let mut coefficients = vec![0; self.unknowns.count() + self.unknowns.parameters().len()];
        let sizes = self.unknowns.parameters().iter().map(|size| sizes.get(size).copied().unwrap_or(1));
        self.unknowns.span().zip(sizes.chain([1])).for_each(|(unknown, size)| coefficients[unknown] = size);
        coefficients
    }

    /// There are fewer cycles than so many.
    fn shorter(&self, cycles: &[i64], most: i64) -> Row {
        let coefficients = cycles.iter().map(|entry| -entry).collect();
        Row { coefficients, least: 2 - most, label: self.laws.len() }
    }

    fn turns_apart(&self, ((one, other), value): &InterleavedApart) -> Unequal {
        let mut coefficients = vec![0; self.unknowns.count() + self.unknowns.parameters().len()];
        let turn = |space: usize| self.unknowns.step(space).end - 1;
        (coefficients[turn(*one)], coefficients[turn(*other)]) = (1, -1);
        Unequal { coefficients, value: *value, label: self.laws.len() }
    }
}
