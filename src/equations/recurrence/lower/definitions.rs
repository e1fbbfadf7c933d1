//! Constants and functions of the user's own, written out where they are named.
//!
//! In: a file with `const W = 5` and `function gelu(x) = ..`. Out: the file without them, in which a number stands for each constant, and what a
//! function says of its arguments for each call. A definition may name those above it, so none leads back to itself. `pi` is a
//! constant where a file has no other use of the name. Later stages know nothing of definitions.

use super::Lowering;
use super::laws::evaluate;
use super::scan::rewrite;
use crate::syntax::ast;
use crate::syntax::ast::{Binding, Condition, Definition, Directive, Expr, Ident, Reduction, Spanned, Term};
use std::cell::RefCell;
use std::f64::consts::PI;
use systole_base::diagnostic::{Checked, Diagnostics, counted};
use systole_base::integer::{Name, name};
use systole_base::span::Span;

/// So many numbers, names and operators an expression may have behind the writing out.
const WRITTEN_LIMIT: usize = 1000;

/// A function whose size times that of its largest argument is more is not written out even for a moment.
const LARGEST_CALL: usize = 100_000;

impl Lowering<'_> {
    /// The file without its definitions.
    ///
    /// # Errors
    /// What is wrong with definitions and their uses; what follows from that is not looked for.
    pub(super) fn write_out(&mut self, file: &ast::File) -> Checked<ast::File> {
        let before = self.errors.len();
        let mut known = Defined { constants: vec![], functions: vec![] };
        if !is_used(file, "pi") {
            known.constants.push((name("pi"), PI));
        }
        for definition in &file.definitions {
            self.define(file, &definition.node, &mut known);
        }
        for operand in file.reductions.iter().flat_map(|reduction| operands(&reduction.node)) {
            self.are_free(std::slice::from_ref(operand), &known);
        }
        let mut written = ast::File { definitions: vec![], ..file.clone() };
        let writing = Writing { lowering: self, known: &known, errors: RefCell::default() };
        writing.in_file(&mut written);
        let errors = writing.errors.into_inner();
        self.errors.extend(errors);
        if self.errors.len() > before { Err(std::mem::take(&mut self.errors)) } else { Ok(written) }
    }

    /// Whether names of arguments are none of constants, and each is there once; else that is reported.
    fn are_free(&mut self, arguments: &[Ident], known: &Defined) -> bool {
        let before = self.errors.len();
        for (position, argument) in arguments.iter().enumerate() {
            let is_constant = known.constants.iter().any(|(constant, _)| *constant == argument.node);
            let is_twice = arguments[..position].contains(argument);
            let what = if is_constant { "a constant and cannot be an argument too" } else { "an argument already" };
            if is_constant || is_twice {
                let diagnostic = self.blame(argument.span, format!("`{}` is {what}", argument.node), "named here");
                self.report(diagnostic.help("rename one of the two"));
            }
        }
        self.errors.len() == before
    }

    /// Adds a definition to those that are known, or says what is wrong with it.
    fn define(&mut self, file: &ast::File, definition: &Definition, known: &mut Defined) {
        self.check_not_a_function(&definition.name);
        if let Some(other) = other_use(file, &definition.name) {
            let message = format!("`{}` is declared twice", definition.name.node);
            let diagnostic = self.blame(other, message, "here").label(self.source, definition.name.span, "and here");
            return self.report(diagnostic.help("rename one of the two"));
        }
        let arguments: &[Ident] = definition.arguments.as_deref().unwrap_or_default();
        if !self.are_free(arguments, known) {
            return;
        }
        let writing = Writing { lowering: self, known, errors: RefCell::default() };
        let value = writing.expression(&definition.value);
        let errors = writing.errors.into_inner();
        let is_sound = errors.is_empty();
        self.errors.extend(errors);
        let ones: Vec<(Name, f64)> = arguments.iter().map(|argument| (argument.node.clone(), 1.0)).collect();
        match (evaluate(&value, &ones), &definition.arguments) {
            _ if !is_sound => {}
            (Err(span), None) => {
                let message = format!("constant `{}` is made of numbers and constants above it", definition.name.node);
                self.report(self.blame(span, message, "something else"));
            }
            (Err(span), Some(_)) => {
                let message = format!(
                    "function `{}` is made of its arguments, numbers, and what is defined above it",
                    definition.name.node
                );
                self.report(self.blame(span, message, "something else"));
            }
            (Ok(number), None) if number.is_nan() => {
                let message = format!("constant `{}` is not a number", definition.name.node);
                self.report(self.blame(definition.value.span, message, "has no value"));
            }
            (Ok(number), None) => known.constants.push((definition.name.node.clone(), number)),
            (Ok(_), Some(arguments)) => {
                let arguments = arguments.iter().map(|argument| argument.node.clone()).collect();
                known.functions.push(Function { name: definition.name.node.clone(), arguments, value });
            }
        }
    }
}

/// The names of arguments and operands.
fn named(file: &ast::File) -> impl Iterator<Item = &Ident> {
    let arguments = file.definitions.iter().filter_map(|definition| definition.node.arguments.as_ref()).flatten();
    arguments.chain(file.reductions.iter().flat_map(|reduction| operands(&reduction.node)))
}

/// The names of the components that a reduction combines.
fn operands(reduction: &Reduction) -> impl Iterator<Item = &Ident> {
    reduction.left.iter().chain(&reduction.right)
}

/// The constants and functions above some place.
struct Defined {
    constants: Vec<(Name, f64)>,
    functions: Vec<Function>,
}

/// A function whose value names its arguments, and no definition.
struct Function {
    name: Name,
    arguments: Vec<Name>,
    value: Expr,
}

/// Whether a file declares the name or binds it.
fn is_used(file: &ast::File, word: &str) -> bool {
    let ident = Spanned::new(name(word), Span { start: 0, end: 0 });
    let is_index = |form: &Expr| matches!(&form.node, Term::Name(index) if &**index == word);
    let subscripts = file.equations.iter().flat_map(|equation| &equation.node.subscripts);
    let is_named = named(file).any(|argument| &*argument.node == word);
    is_named || other_use(file, &ident).is_some() || subscripts.into_iter().any(is_index)
}

/// Where else a file declares a name.
fn other_use(file: &ast::File, wanted: &Ident) -> Option<Span> {
    let parameters = file.kernel.node.parameters.iter();
    let tensors = file.tensors.iter().map(|tensor| &tensor.node.name);
    let reductions = file.reductions.iter().map(|reduction| &reduction.node.name);
    let definitions = file.definitions.iter().map(|definition| &definition.node.name);
    let before = definitions.take_while(|name| name.span.start != wanted.span.start);
    let mut all = parameters.chain(tensors).chain(reductions).chain(before);
    all.find(|name| **name == *wanted).map(|name| name.span)
}

/// Definitions being written out.
struct Writing<'w, 'l> {
    lowering: &'w Lowering<'l>,
    known: &'w Defined,
    errors: RefCell<Diagnostics>,
}

impl Writing<'_, '_> {
    fn in_file(&self, file: &mut ast::File) {
        for tensor in &mut file.tensors {
            self.in_list(&mut tensor.node.shape);
            tensor.node.over = tensor.node.over.as_ref().map(|steps| self.binding(steps));
        }
        for reduction in &mut file.reductions {
            self.in_list(&mut reduction.node.values);
            self.in_list(&mut reduction.node.neutral);
        }
        for equation in &mut file.equations {
            self.in_list(&mut equation.node.subscripts);
            equation.node.value = self.expression(&equation.node.value);
            equation.node.conditions.iter_mut().for_each(|condition| self.in_condition(&mut condition.node));
        }
        file.kernel.node.assumptions.iter_mut().for_each(|condition| self.in_condition(&mut condition.node));
        for equation in &mut file.joint_equations {
            equation.node.targets.iter_mut().for_each(|(_, subscripts)| self.in_list(subscripts));
            equation.node.binding = self.binding(&equation.node.binding);
            self.in_list(&mut equation.node.terms);
        }
        for directive in file.schedules.iter_mut().flat_map(|schedule| &mut schedule.directives) {
            match &mut directive.node {
                Directive::Place(forms) | Directive::Time(forms) => self.in_list(forms),
                _ => {}
            }
        }
    }

    fn in_condition(&self, condition: &mut Condition) {
        condition.first = self.expression(&condition.first);
        condition.rest.iter_mut().for_each(|(_, form)| *form = self.expression(form));
    }

    fn in_list(&self, list: &mut [Expr]) {
        list.iter_mut().for_each(|expression| *expression = self.expression(expression));
    }

    /// An expression that names no definition.
    fn expression(&self, expression: &Expr) -> Expr {
        let written = rewrite(expression, &|part| self.part(part));
        if size(&written) > WRITTEN_LIMIT && size(&written) > size(expression) {
            return self.too_large(expression.span);
        }
        written
    }

    /// Reports an expression that is too large; what stands in for it.
    fn too_large(&self, span: Span) -> Expr {
        let message = format!("more than {WRITTEN_LIMIT} numbers, names and operators in one expression");
        let blamed = self.lowering.blame(span, message, "with its functions written out");
        self.errors.borrow_mut().push(blamed.help("give an inner part a `local` tensor of its own"));
        Spanned::new(Term::Number(0.0), span)
    }

    /// What stands for a constant, a call of a function, or a reduction with its ranges; nothing for other expressions.
    fn part(&self, part: &Expr) -> Option<Expr> {
        match &part.node {
            Term::Name(word) => {
                let (_, value) = self.known.constants.iter().find(|(constant, _)| constant == word)?;
                Some(number(*value, part.span))
            }
            Term::Call(word, arguments) => {
                let function = self.known.functions.iter().find(|function| function.name == word.node)?;
                Some(self.call(function, word, arguments, part.span))
            }
            Term::Reduce(word, bindings, conditions, body) => {
                let bindings = bindings.iter().map(|binding| self.binding(binding)).collect();
                let mut conditions = conditions.clone();
                conditions.iter_mut().for_each(|condition| self.in_condition(&mut condition.node));
                let body = Box::new(self.expression(body));
                Some(Spanned::new(Term::Reduce(word.clone(), bindings, conditions, body), part.span))
            }
            _ => None,
        }
    }

    fn binding(&self, binding: &Binding) -> Binding {
        if self.known.constants.iter().any(|(constant, _)| *constant == binding.index.node) {
            let message = format!("`{}` is a constant and cannot be an index too", binding.index.node);
            let blamed = self.lowering.blame(binding.index.span, message, "bound here").help("rename one of the two");
            self.errors.borrow_mut().push(blamed);
        }
        let range = binding.range.as_ref().map(|(low, high)| (self.expression(low), self.expression(high)));
        Binding { index: binding.index.clone(), range, step: binding.step }
    }

    /// The value of a function of these arguments, all of it where the call stands.
    fn call(&self, function: &Function, word: &Ident, arguments: &[Expr], span: Span) -> Expr {
        if function.arguments.len() != arguments.len() {
            let wanted = counted(function.arguments.len(), "argument");
            let message = format!("`{}` takes {wanted}, {} given", word.node, arguments.len());
            self.errors.borrow_mut().push(self.lowering.blame(word.span, message, "called here"));
            return Spanned::new(Term::Number(0.0), span);
        }
        let arguments: Vec<Expr> = arguments.iter().map(|argument| self.expression(argument)).collect();
        let largest = arguments.iter().map(size).max().unwrap_or(1);
        if size(&function.value) * largest > LARGEST_CALL {
            return self.too_large(span);
        }
        let value = |part: &Expr| match &part.node {
            Term::Name(argument) => {
                let position = function.arguments.iter().position(|known| known == argument)?;
                arguments.get(position).cloned()
            }
            _ => None,
        };
        rewrite(&at(&function.value, span), &value)
    }
}

/// The expression as if all of it stood in one place.
fn at(expression: &Expr, span: Span) -> Expr {
    let mut moved = expression.clone();
    let mut open = vec![&mut moved];
    while let Some(part) = open.pop() {
        part.span = span;
        open.extend(parts(&mut part.node));
    }
    moved
}

/// The expressions right inside a scalar one.
fn parts(term: &mut Term) -> Vec<&mut Expr> {
    match term {
        Term::Number(_) | Term::Name(_) => vec![],
        Term::Access(_, list) | Term::Call(_, list) => list.iter_mut().collect(),
        Term::Negate(operand) | Term::Divide(_, operand, _) | Term::Reduce(_, _, _, operand) => vec![operand],
        Term::Else(left, right) | Term::Infix(_, left, right) | Term::Compare(_, left, right) => vec![left, right],
    }
}

/// A number as the language writes it: with its sign before it.
fn number(value: f64, span: Span) -> Expr {
    let size = Spanned::new(Term::Number(value.abs()), span);
    if value < 0.0 { Spanned::new(Term::Negate(Box::new(size)), span) } else { size }
}

/// How many numbers, names and operators an expression has.
fn size(expression: &Expr) -> usize {
    all_within(expression).count()
}

/// An expression and all that stand in it, but for the bounds of ranges.
pub(super) fn all_within(expression: &Expr) -> impl Iterator<Item = &Expr> {
    let mut open = vec![expression];
    std::iter::from_fn(move || {
        let next = open.pop()?;
        match &next.node {
            Term::Number(_) | Term::Name(_) => {}
            Term::Access(_, list) | Term::Call(_, list) => open.extend(list.iter().rev()),
            Term::Negate(operand) | Term::Divide(_, operand, _) | Term::Reduce(_, _, _, operand) => open.push(operand),
            Term::Else(left, right) | Term::Infix(_, left, right) | Term::Compare(_, left, right) => {
                open.extend([&**right, &**left]);
            }
        }
        Some(next)
    })
}
