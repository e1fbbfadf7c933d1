//! Declared reductions: that they are well formed and keep the laws of a reduction.
//!
//! In: `reduction NAME(a, ..) with (b, ..) = (..) from (..)`. Out: a report where names or counts do not fit, where the
//! operator is not associative, or where the tuple after `from` changes something. The laws are tried on tuples of small
//! numbers, always the same ones: a counterexample refutes, none proves nothing. Law: Blelloch, Prefix sums and their
//! applications, 1990, section 1.4.
//!
//! Then they are tried on infinities, what is not a number, zeros of both signs, the least and large numbers. Infinities that the neutral
//! tuple has in their place are what masks leave, so with them the laws have to hold too; but what stands beside a mask says nothing, so the
//! neutral tuple may change it as long as no further tuple sees that. With others, and where finite numbers overflow, a law is broken
//! only where both sides have numbers.

use super::Lowering;
use super::expressions::{comparison_function, infix_function};
use crate::recurrence::number_text;
use crate::syntax::ast;
use crate::syntax::ast::{Ident, Reduction, Spanned, Term};
use systole_base::integer::Name;
use systole_base::scalar::Function;
use systole_base::span::Span;

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
        self.check_made_of(neutral, &[], "only numbers and `infinity` can be neutral");
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
        let tried = Tried { reduction, neutral: &neutral };
        let Some([a, b, c]) = tried.counterexample() else { return };
        let ([left, right], triple) = (tried.associated(&a, &b, &c), [a, b, c]);
        let [a, b, c] = &triple;
        if !tried.associates(&triple) {
            let message = format!("reduction `{}` is not associative", title.node);
            let note = format!("for a = {}, b = {}, c = {}:", show(a), show(b), show(c));
            let values = format!("(a b) c = {}, a (b c) = {}", show(&left), show(&right));
            let help = "where the order matters, write plain equations, each step from the one before";
            let diagnostic = self.blame(title.span, message, "declared here").note(note).note(values).help(help);
            return self.report(diagnostic);
        }
        let [before, after] = tried.beside_neutral(a);
        let message = format!("`{}` is not neutral for reduction `{}`", show(&neutral), title.node);
        let note = format!("for a = {}: neutral a = {}, a neutral = {}", show(a), show(&before), show(&after));
        self.report(self.blame(title.span, message, "declared here").note(note));
    }
}

/// A reduction whose laws are tried on tuples `a`, `b` and `c`.
struct Tried<'r> {
    reduction: &'r Reduction,
    neutral: &'r [f64],
}

/// Three tuples.
type Triple = [Tuple; 3];

impl Tried<'_> {
    /// Tuples on which a law is broken, as simple as they are found.
    fn counterexample(&self) -> Option<Triple> {
        let (mut numbers, width) = (Numbers::default(), self.neutral.len());
        let plain = |numbers: &mut Numbers| [0; 3].map(|_| numbers.tuple(width));
        let special = |numbers: &mut Numbers| [0; 3].map(|_| numbers.special(width));
        let mut all =
            (0..2 * TRIALS).map(|trial| if trial < TRIALS { plain(&mut numbers) } else { special(&mut numbers) });
        all.find(|tuples| self.is_broken(tuples)).map(|tuples| self.simplified(tuples))
    }

    fn is_broken(&self, tuples: &Triple) -> bool {
        !self.associates(tuples) || !self.is_neutral(tuples)
    }

    fn merged(&self, one: &[f64], other: &[f64]) -> Tuple {
        combine(self.reduction, one, other)
    }

    /// `(a b) c` and `a (b c)`.
    fn associated(&self, a: &[f64], b: &[f64], c: &[f64]) -> [Tuple; 2] {
        [self.merged(&self.merged(a, b), c), self.merged(a, &self.merged(b, c))]
    }

    /// A tuple with the neutral one before it, and behind it.
    fn beside_neutral(&self, a: &[f64]) -> [Tuple; 2] {
        [self.merged(self.neutral, a), self.merged(a, self.neutral)]
    }

    fn associates(&self, tuples: &Triple) -> bool {
        let [a, b, c] = tuples;
        let [left, right] = self.associated(a, b, c);
        let is_decided = !tuples.iter().all(|tuple| is_finite(tuple)) || is_finite(&left) && is_finite(&right);
        !is_decided || self.are_one(&left, &right, tuples)
    }

    /// Whether the neutral tuple changes nothing in `a`, or beside a mask nothing that `b` would see.
    fn is_neutral(&self, tuples: &Triple) -> bool {
        let [a, b, _] = tuples;
        self.beside_neutral(a).iter().all(|changed| {
            let is_unseen = || {
                let before = self.are_one(&self.merged(changed, b), &self.merged(a, b), tuples);
                before && self.are_one(&self.merged(b, changed), &self.merged(b, a), tuples)
            };
            self.are_one(changed, a, tuples) || a.iter().any(|number| number.is_infinite()) && is_unseen()
        })
    }

    /// Whether two tuples that these have led to are one, as far as the laws speak of them.
    fn are_one(&self, one: &[f64], other: &[f64], tuples: &Triple) -> bool {
        let numbers = || tuples.iter().flatten();
        let is_own = |tuple: &Tuple| {
            let mut pairs = tuple.iter().zip(self.neutral);
            pairs.all(|(number, neutral)| number.is_finite() || number == neutral)
        };
        let may_overflow = numbers().any(|number| number.is_finite() && number.abs() >= LARGE);
        let is_strict = tuples.iter().all(is_own) && !may_overflow;
        let has_values =
            |tuple: &[f64]| tuple.iter().all(|value| if may_overflow { value.is_finite() } else { !value.is_nan() });
        let scale = numbers().filter(|number| number.is_finite()).fold(1.0, |most: f64, number| most.max(number.abs()));
        let is_told = is_strict || has_values(one) && has_values(other);
        !is_told || are_close(one, other, scale)
    }

    /// The tuples with as simple numbers as they break the same law with.
    fn simplified(&self, mut tuples: Triple) -> Triple {
        let (width, associates) = (self.neutral.len(), self.associates(&tuples));
        let breaks = |tuples: &Triple| if associates { !self.is_neutral(tuples) } else { !self.associates(tuples) };
        for place in 0..3 * width {
            let simple = [0.0, 1.0, -1.0, 2.0, f64::NEG_INFINITY, f64::INFINITY].into_iter().map(|number| {
                let mut simpler = tuples.clone();
                simpler[place / width][place % width] = number;
                simpler
            });
            tuples = simple.collect::<Vec<Triple>>().into_iter().find(|simpler| breaks(simpler)).unwrap_or(tuples);
        }
        tuples
    }
}

/// The tuple that changes nothing; what is wrong with it is told by [`Lowering::check_reductions`].
pub(super) fn neutral(reduction: &Reduction) -> Tuple {
    reduction.neutral.iter().map(|component| number(component, &[])).collect()
}

/// Whether the operator makes another tuple of the neutral one and a first term than that term. Tried with small numbers, and with the
/// infinities that the neutral tuple has, in place of each term that is no number itself.
pub(super) fn changes_first_term(reduction: &Reduction, terms: &[ast::Expr]) -> bool {
    let (neutral, mut numbers) = (neutral(reduction), Numbers::default());
    let mut first = || -> Tuple {
        let drawn = numbers.tuple(neutral.len());
        let masked = |(drawn, own): (f64, &f64)| match numbers.next() % 4 {
            0 if own.is_infinite() => *own,
            _ => drawn,
        };
        let drawn = drawn.into_iter().zip(&neutral).map(masked).zip(terms);
        drawn.map(|(drawn, term)| if let Term::Number(value) = term.node { value } else { drawn }).collect()
    };
    (0..TRIALS).map(|_| first()).any(|first| !are_close(&combine(reduction, &neutral, &first), &first, 1.0))
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
pub(super) fn evaluate(expression: &ast::Expr, known: &[(Name, f64)]) -> Result<f64, Span> {
    let apply = |function: Function, arguments: &[&ast::Expr]| {
        let values = arguments.iter().map(|argument| evaluate(argument, known)).collect::<Result<Tuple, Span>>()?;
        // Of what is not a number nothing is greater and nothing is less.
        let is_lost =
            matches!(function, Function::Maximum | Function::Minimum) && values.iter().any(|value| value.is_nan());
        Ok(if is_lost { f64::NAN } else { function.apply(&values) })
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
        Term::Access(..) | Term::Else(..) | Term::Divide(..) | Term::Reduce(..) => Err(expression.span),
    }
}

fn is_finite(tuple: &[f64]) -> bool {
    tuple.iter().all(|value| value.is_finite())
}

/// Whether the tuples are equal up to rounding of numbers as large as `scale`; what is not a number is close to nothing.
fn are_close(a: &[f64], b: &[f64], scale: f64) -> bool {
    let near = |a: f64, b: f64| (a - b).abs() <= TOLERANCE * a.abs().max(b.abs()).max(scale);
    let close = |(a, b): (&f64, &f64)| a == b || a.is_finite() && b.is_finite() && near(*a, *b);
    a.iter().zip(b).all(close)
}

fn show(tuple: &[f64]) -> String {
    let list: Vec<String> = tuple.iter().map(|number| number_text(*number)).collect();
    format!("({})", list.join(", "))
}

/// Numbers of at least this magnitude may overflow in a product.
const LARGE: f64 = 1e150;

/// Multiples of one half from -3 to 3, or special numbers among them, the same at every run (SplitMix64).
#[derive(Default)]
struct Numbers {
    state: u64,
}

impl Numbers {
    fn tuple(&mut self, length: usize) -> Tuple {
        (0..length).map(|_| (self.next() % 13) as f64 / 2.0 - 3.0).collect()
    }

    fn special(&mut self, length: usize) -> Tuple {
        let rare = [f64::NAN, -0.0, 5e-324, 1e300, -1.7e308, f64::INFINITY, 0.0, 1.0];
        let mut number = || match self.next() % 16 {
            0..=4 => f64::NEG_INFINITY,
            5 => f64::INFINITY,
            6 | 7 => rare[(self.next() % 8) as usize],
            _ => (self.next() % 13) as f64 / 2.0 - 3.0,
        };
        (0..length).map(|_| number()).collect()
    }

    fn next(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mixed = (self.state ^ (self.state >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    }
}
