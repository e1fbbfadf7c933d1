//! Declared monoids put to the test.
//!
//! In: a [`Monoid`], a number of cases and a seed. Out: a [`MonoidReport`]. A case is three lists of random tuples; each list is reduced to
//! a state, and the laws of monoids are tried on these states alone: what no reduction reaches need not keep them. A state of no
//! tuples is not tried, since nothing was combined. What fails is made smaller: fewer tuples, then simpler numbers.

use super::monoid_report::MonoidReport;
use super::run::{PATIENCE, Settings};
use crate::rewrite::check::instances::{Random, mixed_text};
use crate::rewrite::check::semantics::{Arithmetic, Palette, State};
use crate::rewrite::rules::{Monoid, RuleSet};
use rayon::prelude::*;

/// What a monoid claims.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MonoidLaw {
    /// `(a b) c = a (b c)`.
    Associative,
    /// `neutral a = a`.
    NeutralBefore,
    /// `a neutral = a`.
    NeutralAfter,
    /// `a b = b a`.
    Commutative,
}

impl MonoidLaw {
    /// The laws that a monoid has to keep.
    fn of(monoid: &Monoid) -> &'static [MonoidLaw] {
        let all = &[MonoidLaw::Associative, MonoidLaw::NeutralBefore, MonoidLaw::NeutralAfter, MonoidLaw::Commutative];
        if monoid.ordered { &all[..3] } else { all }
    }
}

/// Tuples, one list for each of `a`, `b` and `c`.
pub(super) type Lists = [Vec<Vec<f64>>; 3];

/// Lists on which a law fails.
#[derive(Clone, Debug)]
pub(super) struct Failure {
    pub law: MonoidLaw,
    pub lists: Lists,
}

/// What both sides of a law are, given the states; `None` where these are not defined, or too large to tell.
pub(super) type Sides = Option<(State, State)>;

/// A report for each declared monoid of `rules`.
pub fn check_monoids(rules: &RuleSet, settings: &Settings) -> Vec<MonoidReport> {
    rules.monoids().par_iter().map(|monoid| check_monoid(monoid, settings)).collect()
}

/// Tries one monoid until it has passed as often as asked for, or fails.
pub fn check_monoid(monoid: &Monoid, settings: &Settings) -> MonoidReport {
    let mut report = MonoidReport::of(monoid);
    let start = mixed_text(settings.seed, &monoid.name);
    let palettes = Palette::of(monoid.tag, &monoid.law);
    for number in 0..settings.cases.saturating_mul(PATIENCE) {
        if report.passed >= settings.cases {
            break;
        }
        let mut random = Random::new(start.wrapping_add(number as u64));
        let lists = random_lists(monoid, palettes[number % palettes.len()], &mut random);
        report.made += 1;
        match failure(monoid, &lists) {
            Tried::Kept => report.passed += 1,
            Tried::Unfit => {}
            Tried::Broken(law) => {
                report.refute(monoid, &Failure { law, lists }.shrunk(monoid));
                return report;
            }
        }
    }
    report.few = report.passed < settings.cases;
    report
}

fn random_lists(monoid: &Monoid, palette: Palette, random: &mut Random) -> Lists {
    [(); 3].map(|()| {
        let count = [1, 1, 2, 3][random.below(4)];
        let tuple = |random: &mut Random| (0..monoid.width()).map(|_| palette.number(random.next())).collect();
        (0..count).map(|_| tuple(random)).collect()
    })
}

/// What trying all laws on lists has found.
enum Tried {
    Kept,
    Unfit,
    Broken(MonoidLaw),
}

fn failure(monoid: &Monoid, lists: &Lists) -> Tried {
    for law in MonoidLaw::of(monoid) {
        let arithmetic = Arithmetic::of(monoid.tag);
        let Some((one, other)) = sides(monoid, *law, lists, &arithmetic) else { return Tried::Unfit };
        if !one.iter().zip(&other).all(|(one, other)| arithmetic.agree(*one, *other)) {
            return Tried::Broken(*law);
        }
    }
    Tried::Kept
}

/// Both sides of a law.
pub(super) fn sides(monoid: &Monoid, law: MonoidLaw, lists: &Lists, arithmetic: &Arithmetic) -> Sides {
    let state = |list: &Vec<Vec<f64>>| -> Option<State> {
        let tuples = list.iter().map(|tuple| tuple.iter().map(|number| Some(*number)).collect());
        Some(arithmetic.folded(monoid, tuples)).filter(|state: &State| state.iter().all(Option::is_some))
    };
    let [a, b, c] = [state(&lists[0])?, state(&lists[1])?, state(&lists[2])?];
    let merged = |one: &State, other: &State| arithmetic.merged(monoid, one, other);
    let neutral: State = monoid.neutral.iter().map(|number| Some(*number)).collect();
    let sides = match law {
        MonoidLaw::Associative => (merged(&merged(&a, &b), &c), merged(&a, &merged(&b, &c))),
        MonoidLaw::NeutralBefore => (merged(&neutral, &a), a),
        MonoidLaw::NeutralAfter => (merged(&a, &neutral), a),
        MonoidLaw::Commutative => (merged(&a, &b), merged(&b, &a)),
    };
    Some(sides).filter(|_| !arithmetic.is_undecided())
}

impl Failure {
    fn fails(&self, monoid: &Monoid) -> bool {
        let arithmetic = Arithmetic::of(monoid.tag);
        let sides = sides(monoid, self.law, &self.lists, &arithmetic);
        sides.is_some_and(|(one, other)| !one.iter().zip(&other).all(|(one, other)| arithmetic.agree(*one, *other)))
    }

    /// The same with as few tuples and as simple numbers as it fails with.
    fn shrunk(mut self, monoid: &Monoid) -> Failure {
        for list in 0..3 {
            while self.lists[list].len() > 1 {
                let mut shorter = self.clone();
                shorter.lists[list].pop();
                if !shorter.fails(monoid) {
                    break;
                }
                self = shorter;
            }
        }
        self.simplify(monoid);
        self
    }

    fn simplify(&mut self, monoid: &Monoid) {
        for list in 0..3 {
            for place in 0..self.lists[list].len() * monoid.width() {
                let (tuple, component) = (place / monoid.width(), place % monoid.width());
                for simple in [0.0, 1.0, 2.0, -1.0] {
                    let mut other = self.clone();
                    other.lists[list][tuple][component] = simple;
                    if other.fails(monoid) {
                        *self = other;
                        break;
                    }
                }
            }
        }
    }
}
