//! What a process of a scheme does: load, soak, repeat, drain, recover; and what a null process passes.
//!
//! Report, sections 5 and 7.5. A process with statements keeps the first element it receives of a stationary stream, passes
//! the others on, and at the end passes those before its own and then its own. A null process is one process here, not one
//! for each stream, so it must not finish one stream before it begins the next: elements that carry the same number pass a
//! process in the same step of the array, and it passes them in the order of their numbers.

use super::body::scalar_expression;
use super::systolic::Phases;
use super::systolic_pipe::{End, Stretch, Word, Writer};
use crate::mapping::ends::assume;
use crate::systolize::{Pipe, Stream};
use std::collections::BTreeMap;
use systole_base::integer::{Affine, Name, Polyhedron, dot};
use systole_base::scalar::Function;
use systole_equations::recurrence::Operator;
use systole_program::array::{IndexExpr, Instruction, ScalarExpr};

impl Writer<'_> {
    /// The body of processes with statements.
    pub fn busy(&self, phases: &Phases, known: &Polyhedron) -> Vec<Instruction> {
        let stays = |stream: &&usize| self.scheme.streams[**stream].is_stationary();
        let (held, moving): (Vec<usize>, Vec<usize>) = phases.soak.iter().partition(stays);
        let (kept, leaving): (Vec<usize>, Vec<usize>) = phases.drain.iter().partition(stays);
        let mut body: Vec<Instruction> = held.iter().flat_map(|stream| self.load(*stream, known)).collect();
        body.extend(self.soak_all(&moving, phases.together, known));
        body.extend(self.repeater(&moving, known));
        body.extend(self.drain_all(&leaving, phases.together, known));
        body.extend(kept.iter().flat_map(|stream| self.recover(*stream, known)));
        body
    }

    /// The body of processes without statements.
    pub fn null(&self, phases: &Phases, known: &Polyhedron) -> Vec<Instruction> {
        let stays = |stream: &&usize| self.scheme.streams[**stream].is_stationary();
        let (held, moving): (Vec<usize>, Vec<usize>) = phases.soak.iter().partition(stays);
        let kept: Vec<usize> = phases.drain.iter().filter(stays).copied().collect();
        let mut body: Vec<Instruction> = held.iter().flat_map(|stream| self.pass_loaded(*stream, known)).collect();
        body.extend(self.pass_moving(&moving, known));
        body.extend(kept.iter().flat_map(|stream| self.pass_recovered(*stream, known)));
        body
    }

    fn own(&self, stream: usize) -> (&Stream, &Pipe) {
        (&self.scheme.streams[stream], &self.scheme.streams[stream].pipes[0])
    }

    /// The element with this number in the register of its stream.
    fn held<'a>(&'a self, stream: usize, number: &'a Affine) -> Word<'a> {
        Word { stream, pipe: self.own(stream).1, number, register: &self.registers[stream] }
    }

    /// Keeps the first element, passes the rest on.
    fn load(&self, stream: usize, known: &Polyhedron) -> Vec<Instruction> {
        let mut body = self.take(self.held(stream, &Affine::default()), known);
        body.extend(self.pass_load(stream, known));
        body
    }

    /// The elements of the processes behind.
    fn pass_load(&self, stream: usize, known: &Polyhedron) -> Vec<Instruction> {
        let pipe = self.own(stream).1;
        let one = End::Largest(vec![Affine::constant(1)]);
        let rest = Stretch { first: one, last: End::Smallest(pipe.numbers.upper.clone()) };
        let behind = self.has_behind(stream);
        let body = self.pass(stream, pipe, &rest, &assume(known, &behind));
        self.when(&behind, known, body, vec![])
    }

    /// Passes the elements of the processes before, then its own.
    fn recover(&self, stream: usize, known: &Polyhedron) -> Vec<Instruction> {
        let mut body = self.pass_recover(stream, known);
        body.extend(self.give(self.held(stream, &Affine::default()), known));
        body
    }

    /// The elements of the processes before.
    fn pass_recover(&self, stream: usize, known: &Polyhedron) -> Vec<Instruction> {
        let pipe = self.own(stream).1;
        let before = End::Smallest(vec![Affine::constant(-1)]);
        let rest = Stretch { first: End::Largest(pipe.numbers.lower.clone()), last: before };
        let before = self.has_before(stream);
        let body = self.pass(stream, pipe, &rest, &assume(known, &before));
        self.when(&before, known, body, vec![])
    }

    /// What passes before the first statement.
    fn soak_all(&self, moving: &[usize], together: bool, known: &Polyhedron) -> Vec<Instruction> {
        let first = &self.scheme.statements.lower;
        let lower = |stream: usize| self.own(stream).1.numbers.lower.clone();
        let moving: Vec<usize> = moving.iter().copied().filter(|stream| lower(*stream) != *first).collect();
        let last = || End::Largest(End::moved(first, -1));
        if together && moving.len() > 1 {
            let ends = moving.iter().map(|stream| self.largest(&lower(*stream))).collect();
            let stretch = Stretch { first: End::Outermost(outermost(ends, IndexExpr::Min)), last: last() };
            let number = Affine::variable(&self.number);
            let before = first.iter().map(|low| low.clone() - number.clone() - Affine::constant(1));
            return self.pass_together(&moving, &stretch, &beside(known, before));
        }
        let soak = |stream: usize| {
            let stretch = Stretch { first: End::Largest(lower(stream)), last: last() };
            self.pass(stream, self.own(stream).1, &stretch, known)
        };
        moving.into_iter().flat_map(soak).collect()
    }

    /// What passes after the last statement.
    fn drain_all(&self, moving: &[usize], together: bool, known: &Polyhedron) -> Vec<Instruction> {
        let last = &self.scheme.statements.upper;
        let upper = |stream: usize| self.own(stream).1.numbers.upper.clone();
        let moving: Vec<usize> = moving.iter().copied().filter(|stream| upper(*stream) != *last).collect();
        let first = || End::Smallest(End::moved(last, 1));
        if together && moving.len() > 1 {
            let ends = moving.iter().map(|stream| self.smallest(&upper(*stream))).collect();
            let stretch = Stretch { first: first(), last: End::Outermost(outermost(ends, IndexExpr::Max)) };
            let number = Affine::variable(&self.number);
            let after = last.iter().map(|high| number.clone() - high.clone() - Affine::constant(1));
            return self.pass_together(&moving, &stretch, &beside(known, after));
        }
        let drain = |stream: usize| {
            let stretch = Stretch { first: first(), last: End::Smallest(upper(stream)) };
            self.pass(stream, self.own(stream).1, &stretch, known)
        };
        moving.into_iter().flat_map(drain).collect()
    }

    /// The statements: receive what moves, compute, send it.
    fn repeater(&self, moving: &[usize], known: &Polyhedron) -> Vec<Instruction> {
        let number = Affine::variable(&self.number);
        let mut known = known.clone();
        self.scheme.statements.conditions_for(&number).into_iter().for_each(|form| known.add(form));
        let take = |stream: &usize| self.take(self.held(*stream, &number), &known);
        let give = |stream: &usize| self.give(self.held(*stream, &number), &known);
        let mut body: Vec<Instruction> = moving.iter().flat_map(take).collect();
        body.extend(self.statement(&number, &known));
        body.extend(moving.iter().flat_map(give));
        body.push(Instruction::Tick(1));
        let (lower, upper) = (self.scheme.statements.lower.clone(), self.scheme.statements.upper.clone());
        self.repeat(&Stretch { first: End::Largest(lower), last: End::Smallest(upper) }, body)
    }

    /// The first user of a result sets it, the others add to it.
    fn statement(&self, number: &Affine, known: &Polyhedron) -> Vec<Instruction> {
        let image = self.point(number);
        let index = |form: &Affine| self.text(&form.substitute(&image));
        let register = |operand: usize| self.registers[operand].clone();
        let value = scalar_expression(&self.space.body, &index, &register);
        let result = &self.registers[self.scheme.streams.len() - 1];
        let operator = self.space.reduction.map_or(Function::Add, Operator::function);
        let sum = ScalarExpr::Apply(operator, vec![ScalarExpr::Register(result.clone()), value.clone()]);
        let join = vec![Instruction::Let(result.clone(), sum)];
        let start = vec![Instruction::Let(result.clone(), value)];
        self.when(&self.has_earlier_user(&image), known, join, start)
    }

    fn point(&self, number: &Affine) -> BTreeMap<Name, Affine> {
        let parts = self.scheme.indices.iter().zip(&self.scheme.chart.base).zip(&self.scheme.increment);
        parts.map(|((index, base), pace)| (index.clone(), base.clone() + number.clone() * *pace)).collect()
    }

    /// Whether the point before along the accumulation is one of the space.
    fn has_earlier_user(&self, image: &BTreeMap<Name, Affine>) -> Vec<Affine> {
        let change = |form: &Affine| dot(&form.row(&self.scheme.indices), self.scheme.accumulation());
        let rising = self.space.domain.set.constraints().iter().filter(|form| change(form) > 0);
        rising.map(|form| form.substitute(image) - Affine::constant(change(form))).collect()
    }

    /// One number after the other, each moving stream that has it.
    fn pass_moving(&self, moving: &[usize], known: &Polyhedron) -> Vec<Instruction> {
        let full = |stream: &usize| !known.intersect(&Polyhedron::new(self.some(self.own(*stream).1))).is_empty();
        let moving: Vec<usize> = moving.iter().copied().filter(full).collect();
        match moving.as_slice() {
            [] => vec![],
            [only] => self.pass_all(*only, self.own(*only).1, known),
            _ => {
                let ranges = || moving.iter().map(|stream| &self.own(*stream).1.numbers);
                let first = outermost(ranges().map(|range| self.largest(&range.lower)).collect(), IndexExpr::Min);
                let last = outermost(ranges().map(|range| self.smallest(&range.upper)).collect(), IndexExpr::Max);
                let stretch = Stretch { first: End::Outermost(first), last: End::Outermost(last) };
                self.pass_together(&moving, &stretch, known)
            }
        }
    }

    /// The elements of a stretch, number by number, of each stream that has the number.
    fn pass_together(&self, moving: &[usize], stretch: &Stretch, known: &Polyhedron) -> Vec<Instruction> {
        let number = Affine::variable(&self.number);
        let word = |stream: &usize| {
            let pipe = self.own(*stream).1;
            let word = Word { stream: *stream, pipe, number: &number, register: &self.passing };
            let pass = [self.take(word, known), self.give(word, known)].concat();
            let lattice = pipe.chart.lattice.iter().map(|form| -form.clone());
            let here: Vec<Affine> = lattice.chain(pipe.numbers.conditions_for(&number)).collect();
            self.when(&here, known, pass, vec![])
        };
        self.repeat(stretch, moving.iter().flat_map(word).collect())
    }

    /// Every element of a pipe, where the pipe has some.
    fn pass_all(&self, stream: usize, pipe: &Pipe, known: &Polyhedron) -> Vec<Instruction> {
        let numbers = &pipe.numbers;
        let (lower, upper) = (numbers.lower.clone(), numbers.upper.clone());
        let all = Stretch { first: End::Largest(lower), last: End::Smallest(upper) };
        let body = self.pass(stream, pipe, &all, known);
        self.when(&self.some(pipe), known, body, vec![])
    }

    /// Where a pipe is the one through the process and has elements.
    fn some(&self, pipe: &Pipe) -> Vec<Affine> {
        let lattice = pipe.chart.lattice.iter().map(|form| -form.clone());
        lattice.chain(pipe.numbers.conditions()).collect()
    }

    /// What a null process passes of a stationary stream at the beginning: the elements of the processes behind.
    fn pass_loaded(&self, stream: usize, known: &Polyhedron) -> Vec<Instruction> {
        let pass = |pipe: &Pipe| {
            let behind = [pipe.numbers.lower.as_slice(), &[Affine::constant(1)]].concat();
            let rest = Stretch { first: End::Largest(behind), last: End::Smallest(pipe.numbers.upper.clone()) };
            self.when(&self.some(pipe), known, self.pass(stream, pipe, &rest, known), vec![])
        };
        let mut pipes = self.scheme.streams[stream].pipes.iter();
        let own = pipes.next().map(|pipe| {
            let keep = self.load(stream, known);
            self.when(&self.holds(pipe), known, keep, pass(pipe))
        });
        own.into_iter().flatten().chain(pipes.flat_map(pass)).collect()
    }

    /// What it passes at the end: the elements of the processes before.
    fn pass_recovered(&self, stream: usize, known: &Polyhedron) -> Vec<Instruction> {
        let pass = |(shift, pipe): (usize, &Pipe)| {
            let most = Affine::constant(if shift == 0 { -1 } else { 0 });
            let before = [pipe.numbers.upper.as_slice(), &[most]].concat();
            let rest = Stretch { first: End::Largest(pipe.numbers.lower.clone()), last: End::Smallest(before) };
            self.when(&self.some(pipe), known, self.pass(stream, pipe, &rest, known), vec![])
        };
        let mut pipes = self.scheme.streams[stream].pipes.iter().enumerate();
        let own = pipes.next().map(|(shift, pipe)| {
            let keep = self.recover(stream, known);
            self.when(&self.holds(pipe), known, keep, pass((shift, pipe)))
        });
        own.into_iter().flatten().chain(pipes.flat_map(pass)).collect()
    }

    /// Where a process without statements still holds an element: one that nobody uses.
    fn holds(&self, pipe: &Pipe) -> Vec<Affine> {
        let lattice = pipe.chart.lattice.iter().map(|form| -form.clone());
        lattice.chain(pipe.numbers.conditions_for(&Affine::default())).collect()
    }
}

/// The least or the greatest of ends.
fn outermost(mut ends: Vec<IndexExpr>, join: impl Fn(Vec<IndexExpr>) -> IndexExpr) -> IndexExpr {
    ends.sort();
    ends.dedup();
    if ends.len() == 1 { ends.remove(0) } else { join(ends) }
}

/// `known`, where the number lies outside the statements. Where these have several ends, one of them decides, and which one
/// is not known.
fn beside(known: &Polyhedron, ends: impl Iterator<Item = Affine>) -> Polyhedron {
    let ends: Vec<Affine> = ends.collect();
    match ends.as_slice() {
        [only] => known.intersect(&Polyhedron::new([only.clone()])),
        _ => known.clone(),
    }
}
