//! From text to tree: cuts the text into items, parses each, and puts the file together.
//!
//! Each stretch is parsed on its own, so one bad item hides no other's errors. Nesting and length are limited before the
//! recursive grammar sees the text, so no input can exhaust the stack, here or in any later walk over the tree.

use super::ast::{
    Definition, Direction, Directive, Equation, File, JointEquation, Kernel, Reduction, Schedule, Spanned, Tensor,
};
use super::items::{Item, items};
use super::layout::{blank_comments, first_word, split_items};
use super::messages::describe;
use super::tokens::{REDUCTIONS, is_word};
use chumsky::Parser;
use chumsky::extra::SimpleState;
use std::ops::Range;
use std::sync::Arc;
use systole_base::diagnostic::{Checked, Diagnostic, Diagnostics, MessageCode, about};
use systole_base::span::{Source, Span};

/// How many brackets and reductions may enclose a place in the text.
const NESTING_LIMIT: usize = 48;

/// How many operators an item may have; their tree can be this deep.
const OPERATOR_LIMIT: usize = 400;

/// Reads a whole file. All syntax errors are reported at once, in the order of the text.
pub fn parse(source: &Arc<Source>) -> Checked<File> {
    about(MessageCode::Syntax, read(source))
}

fn read(source: &Arc<Source>) -> Checked<File> {
    let clean = blank_comments(&source.text);
    let grammar = items();
    let mut errors = Diagnostics::new();
    let mut file = Assembly::default();
    for range in split_items(&clean) {
        let text = &clean[range.clone()];
        if let Some(error) = find_excess(source, &range, text) {
            errors.push(error);
            continue;
        }
        let mut offset = SimpleState(range.start);
        let (items, problems) = grammar.parse_with_state(text, &mut offset).into_output_errors();
        errors.extend(problems.iter().map(|problem| describe(source, text, range.start, problem)));
        items.into_iter().flatten().for_each(|item| file.add(source, item, &mut errors));
    }
    file.finish(source, errors)
}

/// Whether an item is nested too deeply or has too many operators to be walked over safely.
fn find_excess(source: &Arc<Source>, range: &Range<usize>, text: &str) -> Option<Diagnostic> {
    let (mut depth, mut operators, mut reductions) = (0usize, 0, 0);
    let mut previous = ' ';
    for (position, letter) in text.char_indices() {
        match letter {
            '(' | '[' => depth += 1,
            ')' | ']' => depth = depth.saturating_sub(1),
            '+' | '-' | '*' | '/' => operators += 1,
            _ if !previous.is_ascii_alphanumeric() && is_reduction(first_word(&text[position..])) => {
                reductions += 1;
            }
            _ if !previous.is_ascii_alphanumeric() && first_word(&text[position..]) == "else" => operators += 1,
            _ => {}
        }
        previous = letter;
        let span = Span { start: range.start + position, end: range.start + position + letter.len_utf8() };
        if depth + reductions > NESTING_LIMIT {
            let message = format!("more than {NESTING_LIMIT} brackets and reductions inside each other");
            return Some(excess(source, span, message));
        }
        if operators > OPERATOR_LIMIT {
            return Some(excess(source, span, format!("more than {OPERATOR_LIMIT} operators in one item")));
        }
    }
    None
}

fn is_reduction(word: &str) -> bool {
    REDUCTIONS.iter().any(|(known, _)| *known == word)
}

fn excess(source: &Arc<Source>, span: Span, message: String) -> Diagnostic {
    let help = "split the equation: give the inner part a `local` tensor of its own";
    Diagnostic::new(message).label(source, span, "the limit is reached here").help(help)
}

/// The file as far as it has been read.
#[derive(Default)]
struct Assembly {
    kernel: Option<Spanned<Kernel>>,
    definitions: Vec<Spanned<Definition>>,
    tensors: Vec<Spanned<Tensor>>,
    reductions: Vec<Spanned<Reduction>>,
    equations: Vec<Spanned<Equation>>,
    joint_equations: Vec<Spanned<JointEquation>>,
    schedules: Vec<Schedule>,
}

impl Assembly {
    fn add(&mut self, source: &Arc<Source>, item: Item, errors: &mut Diagnostics) {
        match item {
            Item::Kernel(kernel) => self.add_kernel(source, kernel, errors),
            Item::Tensors(tensors) => match (self.kept(&tensors), self.schedules.last_mut()) {
                (Some(directive), Some(schedule)) => schedule.directives.push(directive),
                _ => self.tensors.extend(tensors),
            },
            Item::Definition(definition) => self.definitions.push(definition),
            Item::Reduction(reduction) => self.reductions.push(reduction),
            Item::Equation(equation) => self.equations.push(equation),
            Item::JointEquation(equation) => self.joint_equations.push(equation),
            Item::Schedule(Spanned { node: name, span }) => {
                self.schedules.push(Schedule { name, directives: vec![], header: Spanned::new((), span) });
            }
            Item::Directive(directive) => match self.schedules.last_mut() {
                Some(schedule) => schedule.directives.push(directive),
                None if !errors.is_empty() => {}
                None => errors.push(
                    Diagnostic::new("a directive stands before any schedule")
                        .label(source, directive.span, "belongs to no schedule")
                        .help("write `schedule NAME` on the line before it"),
                ),
            },
        }
    }

    /// `local X` behind a schedule, where `X` is declared already and so is no tensor anew: PEs keep it. Behind a space of a design it may
    /// be what no text declares, such as the strips of what is written by strides.
    fn kept(&self, tensors: &[Spanned<Tensor>]) -> Option<Spanned<Directive>> {
        let [Spanned { node: tensor, span }] = tensors else { return None };
        let is_local = tensor.direction == Direction::Local && tensor.shape.is_empty() && tensor.assumption.is_none();
        let is_known = self.tensors.iter().any(|known| known.node.name.node == tensor.name.node);
        let is_space = |directive: &Spanned<Directive>| matches!(directive.node, Directive::Space(_));
        let is_in_design = self.schedules.last().is_some_and(|schedule| schedule.directives.iter().any(is_space));
        (is_local && (is_known || is_in_design)).then(|| Spanned::new(Directive::Local(tensor.name.clone()), *span))
    }

    fn add_kernel(&mut self, source: &Arc<Source>, kernel: Spanned<Kernel>, errors: &mut Diagnostics) {
        match &self.kernel {
            None => self.kernel = Some(kernel),
            Some(first) => errors.push(
                Diagnostic::new("a file holds one kernel, this one has two")
                    .label(source, first.span, "the first kernel")
                    .label(source, kernel.span, "the second kernel")
                    .help("move the second kernel to a file of its own"),
            ),
        }
    }

    fn finish(self, source: &Arc<Source>, mut errors: Diagnostics) -> Checked<File> {
        match self.kernel {
            Some(kernel) if errors.is_empty() => Ok(File {
                kernel,
                definitions: self.definitions,
                tensors: self.tensors,
                reductions: self.reductions,
                equations: self.equations,
                joint_equations: self.joint_equations,
                schedules: self.schedules,
            }),
            Some(_) => Err(errors),
            None if !errors.is_empty() && has_header(&source.text) => Err(errors),
            None => {
                errors.insert(0, missing_kernel(source));
                Err(errors)
            }
        }
    }
}

/// Whether some line tries to be the kernel's header; its own error says what is wrong with it.
fn has_header(text: &str) -> bool {
    text.lines().any(|line| is_word(first_word(line.trim())) && first_word(line.trim()) == "kernel")
}

fn missing_kernel(source: &Arc<Source>) -> Diagnostic {
    Diagnostic::new("the file declares no kernel")
        .label(source, Span { start: 0, end: 0 }, "expected `kernel` here")
        .help("begin with a line such as `kernel matmul(M, N, K)`")
}
