//! One stream at one kind of process: taking its elements in, passing them on, and handing them out.
//!
//! Inside the array an element comes from the process before and goes to the one behind. The first process of a pipe is its
//! input process too: it loads the element from the array, or starts a result. The last one is its output process: it
//! stores a result, and drops what was only read. Report, sections 6.3 and 7.3; its separate input and output processes
//! are these two halves.

use super::decide::{Decision, decide};
use super::text::{Divisions, condition, replace};
use crate::mapping::FlowRole;
use crate::systolize::{Pipe, Scheme, Stream};
use systole_base::integer::{Affine, Name, Polyhedron};
use systole_equations::recurrence::Space;
use systole_program::array::{Condition, IndexExpr, Instruction, ScalarExpr};

/// A scheme with the names of its program.
pub struct Writer<'a> {
    /// The space.
    pub space: &'a Space,
    /// The scheme.
    pub scheme: &'a Scheme,
    /// The register of each stream.
    pub registers: Vec<Name>,
    /// What passes through a process on its own.
    pub passing: Name,
    /// The loop index.
    pub number: Name,
    /// The quotients as text.
    pub divisions: Divisions,
}

/// An element at a process: the one with this number in a pipe of a stream, and the register for it.
#[derive(Clone, Copy)]
pub struct Word<'a> {
    /// Which stream.
    pub stream: usize,
    /// The pipe through the process.
    pub pipe: &'a Pipe,
    /// The element's number.
    pub number: &'a Affine,
    /// Where the process has it.
    pub register: &'a Name,
}

/// One end of a stretch.
pub enum End {
    /// The largest of these.
    Largest(Vec<Affine>),
    /// The smallest of these.
    Smallest(Vec<Affine>),
    /// The least or the greatest of the ends of several streams.
    Outermost(IndexExpr),
}

/// The elements from `first` to `last`, by their numbers in a pipe; none where `last` is less.
pub struct Stretch {
    /// The first number.
    pub first: End,
    /// The last number.
    pub last: End,
}

impl End {
    /// The end, moved by `shift`.
    pub fn moved(forms: &[Affine], shift: i64) -> Vec<Affine> {
        forms.iter().map(|form| form.clone() + Affine::constant(shift)).collect()
    }

    fn single(&self) -> Option<&Affine> {
        match self {
            End::Largest(forms) | End::Smallest(forms) if forms.len() == 1 => forms.first(),
            _ => None,
        }
    }
}

impl Writer<'_> {
    /// A form as text.
    pub fn text(&self, form: &Affine) -> IndexExpr {
        replace(&IndexExpr::affine(form), &self.divisions)
    }

    /// The largest of forms as text.
    pub fn largest(&self, forms: &[Affine]) -> IndexExpr {
        self.combine(forms, IndexExpr::Max)
    }

    /// The smallest of forms as text.
    pub fn smallest(&self, forms: &[Affine]) -> IndexExpr {
        self.combine(forms, IndexExpr::Min)
    }

    fn combine(&self, forms: &[Affine], join: impl Fn(Vec<IndexExpr>) -> IndexExpr) -> IndexExpr {
        match forms {
            [only] => self.text(only),
            _ => join(forms.iter().map(|form| self.text(form)).collect()),
        }
    }

    /// An end of a stretch as text.
    pub fn end(&self, end: &End) -> IndexExpr {
        match end {
            End::Largest(forms) => self.largest(forms),
            End::Smallest(forms) => self.smallest(forms),
            End::Outermost(text) => text.clone(),
        }
    }

    /// How many elements a stretch has.
    fn count(&self, stretch: &Stretch) -> IndexExpr {
        if let (Some(first), Some(last)) = (stretch.first.single(), stretch.last.single()) {
            return self.text(&(last.clone() - first.clone() + Affine::constant(1)));
        }
        let next = match &stretch.last {
            End::Largest(forms) => self.largest(&End::moved(forms, 1)),
            End::Smallest(forms) => self.smallest(&End::moved(forms, 1)),
            End::Outermost(text) => IndexExpr::Sum(vec![text.clone(), IndexExpr::Constant(1)]),
        };
        match self.end(&stretch.first) {
            IndexExpr::Constant(0) => next,
            first => IndexExpr::Difference(Box::new(next), Box::new(first)),
        }
    }

    /// A condition `form >= 0` as text.
    pub fn condition(&self, form: &Affine) -> Condition {
        let leading = std::iter::once(&self.number).chain(&self.scheme.processes.coordinates);
        condition(form, leading, &self.divisions)
    }

    /// One list or the other, decided now where `known` allows that.
    pub fn when(
        &self,
        conditions: &[Affine],
        known: &Polyhedron,
        then: Vec<Instruction>,
        otherwise: Vec<Instruction>,
    ) -> Vec<Instruction> {
        match decide(conditions, known) {
            Decision::Always => then,
            Decision::Never => otherwise,
            Decision::Test(_) if then == otherwise => then,
            Decision::Test(open) => {
                let conditions = open.iter().map(|form| self.condition(form)).collect();
                vec![Instruction::If { conditions, then, otherwise }]
            }
        }
    }

    /// The loop over a stretch.
    pub fn repeat(&self, stretch: &Stretch, body: Vec<Instruction>) -> Vec<Instruction> {
        if body.is_empty() {
            return vec![];
        }
        let (first, last) = (self.end(&stretch.first), self.end(&stretch.last));
        vec![Instruction::Loop { index: self.number.clone(), first, last, body }]
    }

    /// The stream's channel.
    pub fn channel(&self, stream: usize) -> Name {
        systole_base::integer::name(&format!("{}-link", self.registers[stream]))
    }

    fn stream(&self, stream: usize) -> &Stream {
        &self.scheme.streams[stream]
    }

    /// The element comes into its register.
    pub fn take(&self, word: Word, known: &Polyhedron) -> Vec<Instruction> {
        let receive = Instruction::Receive(word.register.clone(), self.channel(word.stream));
        self.when(&self.has_before(word.stream), known, vec![receive], vec![self.inject(word)])
    }

    /// The element leaves from its register.
    pub fn give(&self, word: Word, known: &Polyhedron) -> Vec<Instruction> {
        let send = Instruction::Send(self.channel(word.stream), word.register.clone());
        self.when(&self.has_behind(word.stream), known, vec![send], self.extract(word))
    }

    /// Elements pass through the process, in at one side and out at the other.
    pub fn pass(&self, stream: usize, pipe: &Pipe, stretch: &Stretch, known: &Polyhedron) -> Vec<Instruction> {
        let (number, register) = (Affine::variable(&self.number), &self.passing);
        let (from, to) = (self.channel(stream), self.channel(stream));
        let word = Word { stream, pipe, number: &number, register };
        let inject = vec![self.inject(word)];
        let receive = vec![Instruction::Receive(register.clone(), from.clone())];
        let send = vec![Instruction::Send(to.clone(), register.clone())];
        let extract = self.extract(word);
        let through = vec![Instruction::Pass(from, to, self.count(stretch))];
        let alone = match extract.is_empty() {
            true => vec![],
            false => self.repeat(stretch, [inject.clone(), extract.clone()].concat()),
        };
        let enter = self.repeat(stretch, [inject, send].concat());
        let leave = self.repeat(stretch, [receive, extract].concat());
        let (before, behind) = (self.has_before(stream), self.has_behind(stream));
        let inside = self.when(&behind, known, through, leave);
        let first = self.when(&behind, known, enter, alone);
        self.when(&before, known, inside, first)
    }

    /// Whether a process stands before this one in the pipe.
    pub fn has_before(&self, stream: usize) -> Vec<Affine> {
        let back: Vec<i64> = self.stream(stream).direction.iter().map(|entry| -entry).collect();
        self.scheme.processes.has_neighbour(&back)
    }

    /// Whether a process stands behind this one in the pipe.
    pub fn has_behind(&self, stream: usize) -> Vec<Affine> {
        self.scheme.processes.has_neighbour(&self.stream(stream).direction)
    }

    fn inject(&self, word: Word) -> Instruction {
        let stream = self.stream(word.stream);
        match stream.role {
            FlowRole::Operand(_) | FlowRole::Face(..) => {
                Instruction::Load(word.register.clone(), stream.tensor.clone(), self.element(word))
            }
            FlowRole::Reduction(_) => {
                let neutral = self.space.reduction.map_or(0.0, |operator| operator.neutral());
                Instruction::Let(word.register.clone(), ScalarExpr::Number(neutral))
            }
        }
    }

    fn extract(&self, word: Word) -> Vec<Instruction> {
        let stream = self.stream(word.stream);
        match stream.role {
            FlowRole::Operand(_) | FlowRole::Face(..) => vec![],
            FlowRole::Reduction(_) => {
                vec![Instruction::Store(stream.tensor.clone(), self.element(word), word.register.clone())]
            }
        }
    }

    fn element(&self, word: Word) -> Vec<IndexExpr> {
        let element = self.stream(word.stream).element(&self.scheme.indices, word.pipe, word.number);
        element.iter().map(|form| self.text(form)).collect()
    }
}
