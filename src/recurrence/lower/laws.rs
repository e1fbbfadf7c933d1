//! Declared reductions: that they are well formed and keep the laws of a reduction.
//!
//! In: `reduction NAME(a, ..) with (b, ..) = (..) from (..)`. Out: a report where names or counts do not fit, where the
//! operator is not associative, or where the tuple after `from` changes something. The laws are tried on tuples of small
//! numbers, always the same ones: a counterexample refutes, none proves nothing. Law: Blelloch, Prefix sums and their
//! applications, 1990, section 1.4.

use super::Lowering;
use super::expressions::{comparison_function, infix_function};
use crate::integer::{Name, name};
use crate::recurrence::Function;
use crate::span::Span;
use crate::syntax::ast::{self, Ident, Reduction, Spanned, Term};

/// How many components a tuple may have.
const COMPONENT_LIMIT: usize = 16;

/// How many triples of tuples are tried.
const TRIALS: usize = 300;

/// How far two values may be apart for rounding's sake, relative to the larger of them and 1.
const TOLERANCE: f64 = 1e-9;

/// A tuple of numbers.
type Tuple = Vec<f64>;

impl Lowering<'_> {
    /// The declared reductions that are as they should be.
    pub(super) fn check_reductions<'f>(&mut self, reductions: &'f [Spanned<Reduction>]) -> Vec<&'f Reduction> {
        let mut sound: Vec<&Reduction> = vec![];
        for (position, reduction) in reductions.iter().map(|reduction| &reduction.node).enumerate() {
            let errors = self.errors.len();
            self.check_not_a_function(&reduction.name);
            if let Some(first) = reductions[..position].iter().find(|other| other.node.name == reduction.name) {
                let message = format!("reduction `{}` is declared twice", reduction.name.node);
                let diagnostic = self.blame(first.node.name.span, message, "first here");
                self.report(diagnostic.label(self.source, reduction.name.span, "again here"));
            }
            self.check_form(reduction);
            if self.errors.len() == errors {
                self.check_laws(reduction);
            }
            sound.extend((self.errors.len() == errors).then_some(reduction));
        }
        sound
    }

    /// Whether the tuples are equally long, the names distinct, and the expressions made of them alone.
    fn check_form(&mut self, reduction: &Reduction) {
        let Reduction { name: title, left, right, values, neutral } = reduction;
        let wanted = left.len();
        if [right.len(), values.len(), neutral.len()].iter().any(|length| *length != wanted) {
            let (right, values, neutral) = (right.len(), values.len(), neutral.len());
            let message = format!("the tuples of reduction `{}` are not equally long", title.node);
            let label = format!("combines {wanted} with {right} into {values}, from {neutral}");
            self.report(self.blame(title.span, message, &label));
        }
        if wanted > COMPONENT_LIMIT {
            let message = format!("a reduction of {wanted} components, the limit is {COMPONENT_LIMIT}");
            self.report(self.blame(title.span, message, "declared here"));
        }
        let names: Vec<&Ident> = left.iter().chain(right).collect();
        for (position, other) in names.iter().enumerate() {
            if let Some(first) = names[..position].iter().find(|first| *first == other) {
                let message = format!("`{}` names two components", other.node);
                let diagnostic = self.blame(first.span, message, "first here");
                self.report(diagnostic.label(self.source, other.span, "again here"));
            }
        }
        let ones: Vec<(Name, f64)> = names.iter().map(|ident| (ident.node.clone(), 1.0)).collect();
        let known = names.iter().map(|ident| format!("`{}`", ident.node)).collect::<Vec<_>>().join(", ");
        self.check_made_of(values, &ones, &format!("only {known}, numbers and functions can be combined"));
        self.check_made_of(neutral, &limits(), "only numbers and `infinity` can be neutral");
    }

    fn check_made_of(&mut self, tuple: &[ast::Expr], known: &[(Name, f64)], message: &str) {
        let wrong: Vec<Span> = tuple.iter().filter_map(|component| evaluate(component, known).err()).collect();
        for span in wrong {
            self.report(self.blame(span, message.to_owned(), "something else"));
        }
    }

    fn check_laws(&mut self, reduction: &Reduction) {
        let title = &reduction.name;
        let neutral = neutral(reduction);
        let mut numbers = Numbers::default();
        for _ in 0..TRIALS {
            let [a, b, c] = [0; 3].map(|_| numbers.tuple(reduction.left.len()));
            let left = combine(reduction, &combine(reduction, &a, &b), &c);
            let right = combine(reduction, &a, &combine(reduction, &b, &c));
            if is_finite(&left) && is_finite(&right) && !are_close(&left, &right) {
                let message = format!("reduction `{}` is not associative", title.node);
                let note = format!("for a = {}, b = {}, c = {}:", show(&a), show(&b), show(&c));
                let values = format!("(a b) c = {}, a (b c) = {}", show(&left), show(&right));
                let help = "where the order matters, write plain equations, each step from the one before";
                let diagnostic = self.blame(title.span, message, "declared here").note(note).note(values).help(help);
                return self.report(diagnostic);
            }
            let (before, after) = (combine(reduction, &neutral, &a), combine(reduction, &a, &neutral));
            if !are_close(&before, &a) || !are_close(&after, &a) {
                let message = format!("`{}` is not neutral for reduction `{}`", show(&neutral), title.node);
                let note = format!("for a = {}: neutral a = {}, a neutral = {}", show(&a), show(&before), show(&after));
                return self.report(self.blame(title.span, message, "declared here").note(note));
            }
        }
    }
}

/// The one constant that no literal can say.
fn limits() -> Vec<(Name, f64)> {
    vec![(name("infinity"), f64::INFINITY)]
}

/// The tuple that changes nothing; what is wrong with it is told by [`Lowering::check_reductions`].
pub(super) fn neutral(reduction: &Reduction) -> Tuple {
    reduction.neutral.iter().map(|component| number(component, &limits())).collect()
}

/// `a` combined with `b`, in this order.
fn combine(reduction: &Reduction, a: &[f64], b: &[f64]) -> Tuple {
    let names = reduction.left.iter().chain(&reduction.right).map(|ident| ident.node.clone());
    let known: Vec<(Name, f64)> = names.zip(a.iter().chain(b).copied()).collect();
    reduction.values.iter().map(|component| number(component, &known)).collect()
}

fn number(expression: &ast::Expr, known: &[(Name, f64)]) -> f64 {
    evaluate(expression, known).unwrap_or(f64::NAN)
}

/// The value of a scalar expression, or the place of what it may not hold.
fn evaluate(expression: &ast::Expr, known: &[(Name, f64)]) -> Result<f64, Span> {
    let apply = |function: Function, arguments: &[&ast::Expr]| {
        let values = arguments.iter().map(|argument| evaluate(argument, known)).collect::<Result<Tuple, Span>>()?;
        Ok(function.apply(&values))
    };
    match &expression.node {
        Term::Number(value) => Ok(*value),
        Term::Name(name) => {
            known.iter().find(|(known, _)| known == name).map(|(_, value)| *value).ok_or(expression.span)
        }
        Term::Call(word, arguments) => match Function::from_keyword(&word.node) {
            Some(function) if function.arity() == arguments.len() => {
                apply(function, &arguments.iter().collect::<Vec<_>>())
            }
            _ => Err(expression.span),
        },
        Term::Negate(operand) => apply(Function::Negate, &[operand]),
        Term::Infix(infix, left, right) => apply(infix_function(*infix), &[left, right]),
        Term::Compare(relation, left, right) => match comparison_function(*relation) {
            (function, false) => apply(function, &[left, right]),
            (function, true) => apply(function, &[right, left]),
        },
        Term::Access(..) | Term::Reduce(..) => Err(expression.span),
    }
}

fn is_finite(tuple: &[f64]) -> bool {
    tuple.iter().all(|value| value.is_finite())
}

/// Whether the tuples are equal up to rounding; what is not a number is close to nothing.
fn are_close(a: &[f64], b: &[f64]) -> bool {
    let close = |(a, b): (&f64, &f64)| (a - b).abs() <= TOLERANCE * a.abs().max(b.abs()).max(1.0);
    a.iter().zip(b).all(close)
}

fn show(tuple: &[f64]) -> String {
    let list: Vec<String> = tuple.iter().map(f64::to_string).collect();
    format!("({})", list.join(", "))
}

/// Multiples of one half from -3 to 3, the same at every run (SplitMix64).
#[derive(Default)]
struct Numbers {
    state: u64,
}

impl Numbers {
    fn tuple(&mut self, length: usize) -> Tuple {
        (0..length).map(|_| (self.next() % 13) as f64 / 2.0 - 3.0).collect()
    }

    fn next(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mixed = (self.state ^ (self.state >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    }
}
