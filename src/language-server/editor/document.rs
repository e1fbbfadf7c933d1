//! The text of a file as far as it can be read.

use std::sync::Arc;
use systole_base::span::{Source, Span};
use systole_compile::rewrite::split_recurrences;
use systole_equations::recurrence::{RecurrenceSystem, load};
use systole_equations::syntax::ast::{Expr, File, Ident, Schedule, Spanned, Term};
use systole_equations::syntax::{ast, parse};

/// What a file holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Language {
    /// A kernel and its schedules.
    Kernel,
    /// Rules.
    Rules,
    /// A program.
    Program,
}

impl Language {
    /// The languages with the endings of their files.
    const ENDINGS: [(Language, &'static str); 3] =
        [(Language::Kernel, ".rec"), (Language::Rules, ".rules"), (Language::Program, ".pe")];

    fn of(name: &str) -> Option<Language> {
        Language::ENDINGS.iter().find(|(_, ending)| name.ends_with(ending)).map(|(language, _)| *language)
    }
}

/// Names that a kernel has.
#[derive(Clone, Debug, Default)]
pub struct Names {
    /// Its tensors.
    pub tensors: Vec<String>,
    /// Its sizes.
    pub sizes: Vec<String>,
    /// The indices of its equations, in the order in which they are written.
    pub indices: Vec<String>,
    /// Its constants, functions and reductions.
    pub definitions: Vec<String>,
}

/// A text, and what is known of it.
#[derive(Clone, Debug)]
pub struct Document {
    /// The text.
    pub source: Arc<Source>,
    /// What it holds.
    pub language: Language,
    /// The tree of a kernel, where the text has one.
    pub file: Option<File>,
    /// What the kernel means, where it is one.
    pub system: Option<RecurrenceSystem>,
    /// The names of a kernel; while it cannot be read, those that it had.
    pub names: Names,
}

impl Document {
    /// The text of a file, which was another text before; `None` for files that hold nothing of ours.
    pub fn new(name: &str, text: &str, before: Option<&Document>) -> Option<Document> {
        let language = Language::of(name)?;
        let source = Source::new(name, text);
        let kernel = Some(split_recurrences(&source).0).filter(|_| language == Language::Kernel);
        let file = kernel.as_ref().and_then(|kernel| parse(kernel).ok());
        let system = kernel.as_ref().filter(|_| file.is_some()).and_then(|kernel| load(kernel).ok());
        let had = || before.map(|before| before.names.clone()).unwrap_or_default();
        let names = file.as_ref().map_or_else(had, names);
        Some(Document { source, language, file, system, names })
    }

    /// The schedule that a byte lies in.
    pub fn schedule(&self, byte: usize) -> Option<&Schedule> {
        self.file.as_ref()?.schedules.iter().rfind(|schedule| schedule.header.span.start <= byte)
    }

    /// The equation that a byte lies in: its span, and the indices that its left-hand side or its reductions name.
    pub fn equation(&self, byte: usize) -> Option<(Span, Vec<Ident>)> {
        let mut all = self.file.as_ref().map(equations).unwrap_or_default().into_iter();
        all.find(|(span, _)| span.start <= byte && byte <= span.end)
    }

    /// All equations as [`Document::equation`] has them.
    pub fn equations(&self) -> Vec<(Span, Vec<Ident>)> {
        self.file.as_ref().map(equations).unwrap_or_default()
    }
}

fn names(file: &File) -> Names {
    let text = |name: &Ident| name.node.to_string();
    let mut indices: Vec<String> = vec![];
    for index in equations(file).iter().flat_map(|(_, indices)| indices).map(text) {
        if !indices.contains(&index) {
            indices.push(index);
        }
    }
    let definitions = file.definitions.iter().map(|one| text(&one.node.name));
    Names {
        tensors: file.tensors.iter().map(|tensor| text(&tensor.node.name)).collect(),
        sizes: file.kernel.node.parameters.iter().map(text).collect(),
        indices,
        definitions: definitions.chain(file.reductions.iter().map(|one| text(&one.node.name))).collect(),
    }
}

/// The equations of a file in the order of its text, each with the indices that it binds.
fn equations(file: &File) -> Vec<(Span, Vec<Ident>)> {
    let sizes: Vec<&Ident> = file.kernel.node.parameters.iter().collect();
    let plain = file.equations.iter().map(|equation| {
        let ast::Equation { subscripts, value, .. } = &equation.node;
        (equation.span, bound(subscripts.iter(), [value].into_iter(), &sizes))
    });
    let joint = file.joint_equations.iter().map(|equation| {
        let ast::JointEquation { targets, binding, terms, .. } = &equation.node;
        let mut indices = bound(targets.iter().flat_map(|(_, subscripts)| subscripts), terms.iter(), &sizes);
        indices.push(binding.index.clone());
        (equation.span, indices)
    });
    let mut all: Vec<(Span, Vec<Ident>)> = plain.chain(joint).collect();
    all.sort_by_key(|(span, _)| span.start);
    all
}

/// The names in subscripts of a left-hand side that are no sizes, and the indices of the reductions on the right.
fn bound<'e>(
    left: impl Iterator<Item = &'e Expr>,
    right: impl Iterator<Item = &'e Expr>,
    sizes: &[&Ident],
) -> Vec<Ident> {
    let mut found = vec![];
    for subscript in left {
        walk(subscript, &mut |expression| {
            if let Term::Name(name) = &expression.node
                && !sizes.iter().any(|size| size.node == *name)
            {
                found.push(Spanned::new(name.clone(), expression.span));
            }
        });
    }
    for value in right {
        walk(value, &mut |expression| {
            if let Term::Reduce(_, bindings, ..) = &expression.node {
                found.extend(bindings.iter().map(|binding| binding.index.clone()));
            }
        });
    }
    found
}

/// Calls `see` with an expression and all that it is made of.
pub fn walk<'e>(expression: &'e Expr, see: &mut impl FnMut(&'e Expr)) {
    see(expression);
    match &expression.node {
        Term::Number(_) | Term::Name(_) => {}
        Term::Access(_, of) | Term::Call(_, of) => of.iter().for_each(|one| walk(one, see)),
        Term::Negate(of) | Term::Divide(_, of, _) | Term::Reduce(_, _, _, of) => walk(of, see),
        Term::Infix(_, left, right) | Term::Compare(_, left, right) | Term::Else(left, right) => {
            walk(left, see);
            walk(right, see);
        }
    }
}
