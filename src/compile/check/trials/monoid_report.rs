//! What is said of a declared monoid that has been checked.
//!
//! In: the counts of its cases, and tuples on which a law fails where some were found. Out: a [`MonoidReport`], and the message that
//! refuses the declaration at its line.

use super::monoids::{Failure, MonoidLaw, sides};
use crate::check::semantics::{Arithmetic, State};
use crate::rewrite::rules::{Monoid, Tag};
use systole_base::diagnostic::Diagnostic;
use systole_equations::recurrence::number_text;

/// What the cases of a monoid have found.
#[derive(Clone, Debug)]
pub struct MonoidReport {
    /// Its name.
    pub name: String,
    /// Its file and line.
    pub origin: String,
    /// How far it says that it holds.
    pub tag: Tag,
    /// Its law.
    pub law: String,
    /// Whether the order of what is combined matters.
    pub ordered: bool,
    /// Cases that were made.
    pub made: usize,
    /// Cases in which all its laws were found to hold.
    pub passed: usize,
    /// Whether these are fewer than were asked for.
    pub few: bool,
    /// The law that fails.
    pub broken: Option<MonoidLaw>,
    /// Why it is refused.
    pub refusal: Option<Diagnostic>,
}

impl MonoidReport {
    /// A report with nothing in it yet.
    pub(super) fn of(monoid: &Monoid) -> MonoidReport {
        MonoidReport {
            name: monoid.name.clone(),
            origin: monoid.origin.clone(),
            tag: monoid.tag,
            law: monoid.law.clone(),
            ordered: monoid.ordered,
            made: 0,
            passed: 0,
            few: false,
            broken: None,
            refusal: None,
        }
    }

    /// Refuses the monoid for these tuples.
    pub(super) fn refute(&mut self, monoid: &Monoid, failure: &Failure) {
        self.broken = Some(failure.law);
        self.refusal = Some(message(monoid, failure));
    }
}

fn message(monoid: &Monoid, failure: &Failure) -> Diagnostic {
    let FailureText { what, one, other, lists, help } = words(failure.law);
    let law = format!("{}: {}", monoid.tag, monoid.law);
    let diagnostic = Diagnostic::new(format!("monoid `{}` is unsound: {what}", monoid.name))
        .label(&monoid.source, monoid.span, law)
        .note(format!("neutral = {}", tuple(&monoid.neutral)));
    let named = ["a", "b", "c"].into_iter().zip(&failure.lists).take(lists);
    let diagnostic = named.fold(diagnostic, |diagnostic, (name, list)| {
        let tuples: Vec<String> = list.iter().map(|numbers| tuple(numbers)).collect();
        diagnostic.note(format!("{name} is what {} gives", tuples.join(", then ")))
    });
    let values = sides(monoid, failure.law, &failure.lists, &Arithmetic::of(monoid.tag, failure.palette));
    let (left, right) = values.unwrap_or_default();
    diagnostic.note(format!("{one} = {}, {other} = {}", state(&left), state(&right))).help(help)
}

/// What is said of a law that fails.
struct FailureText {
    what: &'static str,
    one: &'static str,
    other: &'static str,
    /// How many lists it speaks of.
    lists: usize,
    help: &'static str,
}

fn words(law: MonoidLaw) -> FailureText {
    let (what, one, other, lists, help) = match law {
        MonoidLaw::Associative => {
            ("it is not associative", "(a b) c", "a (b c)", 3, "a reduction combines what has been combined in any way")
        }
        MonoidLaw::NeutralBefore => (
            "what stands after `from` is not neutral",
            "neutral a",
            "a",
            1,
            "a reduction starts from the neutral tuple",
        ),
        MonoidLaw::NeutralAfter => {
            ("what stands after `from` is not neutral", "a neutral", "a", 1, "a reduction over nothing changes nothing")
        }
        MonoidLaw::Commutative => {
            ("it is not commutative", "a b", "b a", 2, "say `ordered monoid` where the order matters")
        }
    };
    FailureText { what, one, other, lists, help }
}

fn tuple(numbers: &[f64]) -> String {
    state(&numbers.iter().map(|number| Some(*number)).collect())
}

fn state(state: &State) -> String {
    let shown =
        |value: &Option<f64>| value.as_ref().map_or_else(|| "undefined".to_owned(), |number| number_text(*number));
    let list: Vec<String> = state.iter().map(shown).collect();
    format!("({})", list.join(", "))
}
