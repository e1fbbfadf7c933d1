//! All trials of a rule, and of all rules.
//!
//! In: rules and [`Settings`]. Out: a report each, in the order of the rules. The trials of a rule follow from the seed and the rule's
//! name alone, so neither threads nor other rules change them.

use super::report::RuleReport;
use super::shrink::Failing;
use super::trial::{Outcome, Trial};
use crate::check::instances::{Random, Sorts, Terms, mixed_text, random_frame, random_instance, random_world};
use crate::check::semantics::{Elements, Palette, World};
use crate::rewrite::rules::{Monoid, Phase, Rule, RuleSet, Tag};
use crate::rewrite::terms::Term;
use egg::ENodeOrVar;
use rayon::prelude::*;
use std::collections::BTreeMap;

/// How much is tried.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Settings {
    /// Instances on which both sides have to be found equal, for each rule.
    pub cases: usize,
    /// Where the random numbers start.
    pub seed: u64,
    /// Where the rules are applied: laws of algebra to terms over a frame, the others to those over spaces.
    pub phase: Phase,
}

/// Instances tried on one system of spaces.
const ON_ONE_WORLD: usize = 8;

/// How many instances are made at most, for each that is asked for.
pub(super) const PATIENCE: usize = 100;

/// A report for each rule; the machine's cores share the work.
pub fn check_rules(rules: &RuleSet, settings: &Settings) -> Vec<RuleReport> {
    rules.rules().par_iter().map(|rule| check_rule(rule, rules.monoids(), settings)).collect()
}

/// Tries one rule, which may reduce by these monoids, until it has passed as often as asked for, or fails.
pub fn check_rule(rule: &Rule, monoids: &[Monoid], settings: &Settings) -> RuleReport {
    let mut report = RuleReport::of(rule);
    let sorts = match Sorts::of(rule) {
        Ok(sorts) => sorts,
        Err(diagnostic) => {
            report.refusal = Some(diagnostic);
            return report;
        }
    };
    let start = mixed_text(settings.seed, &rule.name);
    let mut trials = Trials { rule, sorts, start, phase: settings.phase, monoids, world: None };
    for number in 0..settings.cases.saturating_mul(PATIENCE) {
        if report.passed >= settings.cases {
            break;
        }
        if let Some(mut failing) = trials.run(number, &mut report) {
            failing.shrink(rule);
            report.refute(rule, &failing);
            return report;
        }
    }
    report.few = report.passed < settings.cases;
    report
}

struct Trials<'a> {
    rule: &'a Rule,
    sorts: Sorts,
    start: u64,
    phase: Phase,
    monoids: &'a [Monoid],
    world: Option<World>,
}

impl Trials<'_> {
    /// The trial with this number; what it failed on, if it did.
    fn run(&mut self, number: usize, report: &mut RuleReport) -> Option<Failing> {
        if number.is_multiple_of(ON_ONE_WORLD) {
            let mut random = Random::new(self.start ^ (number as u64).rotate_left(32));
            self.world = match self.phase {
                Phase::Algebra => random_frame(&mut random, self.monoids, speaks_of_definitions(self.rule)),
                Phase::Dataflow => random_world(&mut random, self.monoids),
            };
        }
        let world = self.world.as_ref()?;
        let mut random = Random::new(self.start.wrapping_add(number as u64));
        let palettes = Palette::of(self.rule.tag, &self.rule.law);
        let palette = palettes[number % palettes.len()];
        let reals = self.rule.tag != Tag::Exact;
        let terms = Terms { palette, reals };
        let instance = random_instance(self.rule, &self.sorts, world, terms, &mut random)?;
        let elements = Elements { seed: random.next(), palette, fixed: BTreeMap::new() };
        let outcome = Trial { rule: self.rule, world, elements: &elements }.outcome(&instance);
        tally(report, &outcome);
        let Outcome::Differs(difference) = outcome else { return None };
        Some(Failing { world: world.clone(), instance, elements, difference })
    }
}

/// Whether a rule is about what equations say of elements.
fn speaks_of_definitions(rule: &Rule) -> bool {
    let is_defined = |node: &ENodeOrVar<Term>| matches!(node, ENodeOrVar::ENode(Term::Defined(_)));
    [&rule.left, &rule.right].iter().any(|side| side.as_ref().iter().any(is_defined))
}

/// Counts an instance.
fn tally(report: &mut RuleReport, outcome: &Outcome) {
    report.made += usize::from(*outcome != Outcome::Unfit);
    report.passed += usize::from(*outcome == Outcome::Same);
    let Outcome::Refused(holds, needed) = outcome else { return };
    for (condition, _) in report.conditions.iter_mut().zip(holds).filter(|(_, holds)| !**holds) {
        condition.rejected += 1;
        condition.needed += usize::from(*needed);
    }
}
