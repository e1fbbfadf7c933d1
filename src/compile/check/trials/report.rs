//! What is said of a rule that has been checked.
//!
//! In: the counts of its trials, and a counterexample where one was found. Out: a [`RuleReport`], and the message that refuses an
//! unsound rule at its line, in the variables of the rule.

use super::shrink::Failing;
use crate::check::instances::{describe, is_obeyed};
use crate::rewrite::rules::{Condition, Rule, Tag};
use systole_base::diagnostic::Diagnostic;
use systole_equations::recurrence::number_text;

/// A condition of a rule and how often it kept the rule from an instance.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConditionReport {
    /// As it is written: `free_of(?k ?a)`.
    pub text: String,
    /// Instances on which it does not hold.
    pub rejected: usize,
    /// Instances on which it alone does not hold, and without it the sides would differ.
    pub needed: usize,
    /// Whether instances are made such that it holds, since it says what a variable is.
    pub obeyed: bool,
}

/// An instance on which both sides of a rule differ, in the rule's own variables.
#[derive(Clone, Debug, PartialEq)]
pub struct Counterexample {
    /// What each variable stands for.
    pub variables: Vec<(String, String)>,
    /// The points of the spaces that occur.
    pub spaces: Vec<String>,
    /// The point at which they differ, such as `i = 1, j = 0`.
    pub point: String,
    /// The elements that are read there, with what they hold.
    pub elements: Vec<(String, f64)>,
    /// The left value; `None` where it is undefined.
    pub left: Option<f64>,
    /// The right value.
    pub right: Option<f64>,
    /// The right side that differs.
    pub right_term: String,
    /// Why the right side means nothing, where that is so.
    pub nonsense: Option<String>,
}

/// What the trials of a rule have found.
#[derive(Clone, Debug)]
pub struct RuleReport {
    /// The rule's name.
    pub name: String,
    /// Its file and line.
    pub origin: String,
    /// How far it says that it holds.
    pub tag: Tag,
    /// Its law.
    pub law: String,
    /// Instances that were made.
    pub made: usize,
    /// Instances on which all conditions hold, and both sides were found to be one at every point.
    pub passed: usize,
    /// Whether these are fewer than were asked for.
    pub few: bool,
    /// The conditions.
    pub conditions: Vec<ConditionReport>,
    /// The kernels in which it taught something; `None` where nobody has looked.
    pub kernels: Option<Vec<String>>,
    /// An instance on which it fails.
    pub counterexample: Option<Counterexample>,
    /// Why it is refused.
    pub refusal: Option<Diagnostic>,
}

impl RuleReport {
    /// A report with nothing in it yet.
    pub(super) fn of(rule: &Rule) -> RuleReport {
        let condition = |known: &Condition| ConditionReport {
            text: known.to_string(),
            rejected: 0,
            needed: 0,
            obeyed: is_obeyed(known.predicate.name),
        };
        RuleReport {
            name: rule.name.clone(),
            origin: rule.origin.clone(),
            tag: rule.tag,
            law: rule.law.clone(),
            made: 0,
            passed: 0,
            few: false,
            conditions: rule.conditions.all().iter().map(condition).collect(),
            kernels: None,
            counterexample: None,
            refusal: None,
        }
    }

    /// Conditions that held in all instances, where there were some.
    pub fn idle_conditions(&self) -> impl Iterator<Item = &str> {
        let is_idle = |condition: &&ConditionReport| self.made > 0 && condition.rejected == 0 && !condition.obeyed;
        self.conditions.iter().filter(is_idle).map(|condition| &*condition.text)
    }

    /// Refuses the rule for a reason that somebody else has found.
    pub fn refuse(&mut self, rule: &Rule, reason: &str) {
        let message = format!("rule `{}` is unsound: {reason}", rule.name);
        let help = "correct a side, or add a condition";
        self.refusal = Some(Diagnostic::new(message).label(&rule.source, rule.span, rule.law.clone()).help(help));
    }

    /// Refuses the rule for this counterexample.
    pub(super) fn refute(&mut self, rule: &Rule, failing: &Failing) {
        let example = counterexample(rule, failing);
        self.refusal = Some(message(rule, &example));
        self.counterexample = Some(example);
    }
}

fn counterexample(rule: &Rule, failing: &Failing) -> Counterexample {
    let (world, instance, difference) = (&failing.world, &failing.instance, &failing.difference);
    let variables: Vec<(String, String)> =
        instance.bound.iter().map(|(name, bound)| (name.clone(), bound.text.clone())).collect();
    let mentions = |text: &str, name: &str| text.split([' ', '(', ')']).any(|word| word == name);
    let occurs = |position: &usize| {
        let name = &*world.space(*position).name;
        *position == instance.space || variables.iter().any(|(_, text)| mentions(text, name))
    };
    let spaces = (0..world.equations.spaces.len()).filter(occurs).map(|position| describe(world, position));
    let indices = world.indices(instance.space).iter().zip(&difference.point);
    let point: Vec<String> = indices.map(|(index, value)| format!("{index} = {value}")).collect();
    let element = |(tensor, subscripts): &(String, Vec<i64>)| {
        let list: Vec<String> = subscripts.iter().map(i64::to_string).collect();
        format!("{tensor}[{}]", list.join(", "))
    };
    Counterexample {
        spaces: spaces.collect(),
        point: point.join(", "),
        elements: failing.seen(rule).iter().map(|(place, value)| (element(place), *value)).collect(),
        left: difference.left,
        right: difference.right,
        right_term: difference.term.clone(),
        nonsense: difference.nonsense.clone(),
        variables,
    }
}

/// A value in words.
fn shown(value: Option<f64>) -> String {
    value.map_or_else(|| "undefined".to_owned(), number_text)
}

fn message(rule: &Rule, example: &Counterexample) -> Diagnostic {
    let law = format!("{}: {}", rule.tag, rule.law);
    let mut diagnostic = Diagnostic::new(format!("rule `{}` is unsound: its sides differ", rule.name))
        .label(&rule.source, rule.span, law)
        .note(format!("left   {}", rule.left))
        .note(format!("right  {}", rule.right));
    for (name, text) in &example.variables {
        diagnostic = diagnostic.note(format!("{name} = {text}"));
    }
    for space in &example.spaces {
        diagnostic = diagnostic.note(space.clone());
    }
    let elements: Vec<String> =
        example.elements.iter().map(|(element, value)| format!("{element} = {}", number_text(*value))).collect();
    if !elements.is_empty() {
        diagnostic = diagnostic.note(format!("where {}", elements.join(", ")));
    }
    let right = example.nonsense.clone().unwrap_or_else(|| shown(example.right));
    diagnostic
        .note(format!("at {}: left {}, right {right}", example.point, shown(example.left)))
        .help(next_step(rule, example))
}

/// What to do about it.
fn next_step(rule: &Rule, example: &Counterexample) -> &'static str {
    let both = example.left.zip(example.right);
    let is_near = |(left, right): (f64, f64)| (left - right).abs() <= 1e-9 * left.abs().max(right.abs());
    match (rule.tag, both) {
        _ if example.nonsense.is_some() => "a term stands on one space: name the same one on both sides",
        (Tag::Exact, Some(values)) if is_near(values) => {
            "only rounding differs here: say `# law real:` if it holds over the reals"
        }
        (Tag::Exact, Some((left, right))) if !left.is_finite() || !right.is_finite() => {
            "infinities and what is not a number count too: say `# law real:` if it holds for all real numbers"
        }
        (Tag::Real, _) if example.elements.iter().any(|(_, value)| !value.is_finite()) => {
            "infinities count too: correct a side, add a condition such as `filled`, or say `# law finite:` if it holds for finite values"
        }
        (Tag::Real | Tag::Finite, None) => {
            "one side is undefined here: say `# law assume:` with what has to hold, such as a divisor that is not 0"
        }
        _ => {
            "correct a side, or add a condition that excludes this instance; they stand in src/compile/rewrite/rules/predicates.rs"
        }
    }
}
