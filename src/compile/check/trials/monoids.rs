//! Declared monoids put to the test.
//!
//! In: a [`Monoid`], a number of cases and a seed. Out: a [`MonoidReport`]. A case is three lists of random tuples; each list is reduced to
//! a state, and the laws of monoids are tried on these states alone: what no reduction reaches need not keep them. A state of no
//! tuples is not tried, since nothing was combined. What fails is made smaller: fewer tuples, then simpler numbers.
//!
//! Infinities come up too. Those that the neutral tuple has in their place are what masks and empty reductions leave, so with them every
//! law has to hold, but for one thing: what stands beside a mask says nothing, so the neutral tuple may change it as long as no further
//! tuple sees that. With others a law is broken only where both sides have numbers.

use super::monoid_report::MonoidReport;
use super::run::{PATIENCE, Settings};
use crate::check::instances::{Random, mixed_text};
use crate::check::semantics::{Arithmetic, Palette, State, neutral};
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
    pub palette: Palette,
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
        let palette = palettes[number % palettes.len()];
        let lists = random_lists(monoid, palette, &mut random);
        report.made += 1;
        match tried(monoid, &lists, palette) {
            Tried::Kept => report.passed += 1,
            Tried::Unfit => {}
            Tried::Broken(law) => {
                report.refute(monoid, &Failure { law, lists, palette }.shrunk(monoid));
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

fn tried(monoid: &Monoid, lists: &Lists, palette: Palette) -> Tried {
    for law in MonoidLaw::of(monoid) {
        match tried_for(monoid, *law, lists, palette) {
            Tried::Kept => {}
            other => return other,
        }
    }
    Tried::Kept
}

fn tried_for(monoid: &Monoid, law: MonoidLaw, lists: &Lists, palette: Palette) -> Tried {
    let arithmetic = Arithmetic::of(monoid.tag, palette);
    let Some((one, other)) = sides(monoid, law, lists, &arithmetic) else { return Tried::Unfit };
    let is_foreign = arithmetic.is_extended() && !lists.iter().flatten().all(|tuple| has_own_infinities(monoid, tuple));
    let undefined = |state: &State| state.iter().any(Option::is_none);
    if is_foreign && (undefined(&one) || undefined(&other)) {
        return Tried::Unfit;
    }
    let is_kept = are_alike(&arithmetic, &one, &other)
        || arithmetic.is_extended() && has_mask(&lists[0]) && is_unseen(monoid, law, lists, palette);
    if is_kept { Tried::Kept } else { Tried::Broken(law) }
}

fn are_alike(arithmetic: &Arithmetic, one: &State, other: &State) -> bool {
    one.iter().zip(other).all(|(one, other)| arithmetic.agree(*one, *other))
}

/// Whether the infinities of a tuple are those that the neutral one has in their place.
fn has_own_infinities(monoid: &Monoid, tuple: &[f64]) -> bool {
    tuple.iter().zip(&monoid.neutral).all(|(number, neutral)| !number.is_infinite() || number == neutral)
}

fn has_mask(list: &[Vec<f64>]) -> bool {
    list.iter().flatten().any(|number| number.is_infinite())
}

/// Whether what the neutral tuple changes is seen by no further tuple, on either side.
fn is_unseen(monoid: &Monoid, law: MonoidLaw, lists: &Lists, palette: Palette) -> bool {
    let arithmetic = Arithmetic::of(monoid.tag, palette);
    let (Some(a), Some(b)) = (reduced(monoid, &lists[0], &arithmetic), reduced(monoid, &lists[1], &arithmetic)) else {
        return false;
    };
    let merged = |one: &State, other: &State| arithmetic.merged(monoid, one, other);
    let changed = match law {
        MonoidLaw::NeutralBefore => merged(&neutral(monoid), &a),
        MonoidLaw::NeutralAfter => merged(&a, &neutral(monoid)),
        MonoidLaw::Associative | MonoidLaw::Commutative => return false,
    };
    are_alike(&arithmetic, &merged(&changed, &b), &merged(&a, &b))
        && are_alike(&arithmetic, &merged(&b, &changed), &merged(&b, &a))
}

/// What the tuples of a list give; `None` where that is not defined.
fn reduced(monoid: &Monoid, list: &[Vec<f64>], arithmetic: &Arithmetic) -> Option<State> {
    let tuples = list.iter().map(|tuple| tuple.iter().map(|number| arithmetic.element(*number)).collect());
    Some(arithmetic.folded(monoid, tuples)).filter(|state: &State| state.iter().all(Option::is_some))
}

/// Both sides of a law.
pub(super) fn sides(monoid: &Monoid, law: MonoidLaw, lists: &Lists, arithmetic: &Arithmetic) -> Sides {
    let state = |list: usize| reduced(monoid, &lists[list], arithmetic);
    let [a, b, c] = [state(0)?, state(1)?, state(2)?];
    let merged = |one: &State, other: &State| arithmetic.merged(monoid, one, other);
    let neutral = neutral(monoid);
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
        matches!(tried_for(monoid, self.law, &self.lists, self.palette), Tried::Broken(_))
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
                for simple in [0.0, 1.0, 2.0, -1.0, f64::NEG_INFINITY, f64::INFINITY] {
                    if self.lists[list][tuple][component].to_bits() == f64::to_bits(simple) {
                        break;
                    }
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
