//! Whether linear inequalities have a rational solution, by Fourier and Motzkin's elimination on rows of numbers.
//!
//! It says what elimination by names says ([`Polyhedron::eliminate`](super::Polyhedron::eliminate)), variable by variable in the same
//! order. A search asks this more often than anything else, and a row of numbers is compared and copied at once.

use super::affine::mix;
use super::{Affine, Name, gcd};
use smallvec::SmallVec;

/// A coefficient for each variable.
type Row = SmallVec<[i64; 12]>;

/// `coefficients . variables + constant >= 0`.
#[derive(Clone, Debug)]
struct Inequality {
    coefficients: Row,
    constant: i64,
}

/// What is left of a set when variables are forgotten one after the other.
struct Shadow {
    variables: usize,
    rows: Vec<Inequality>,
}

/// Whether no rational point satisfies all constraints.
pub fn is_empty<'a>(constraints: impl Iterator<Item = &'a Affine> + Clone) -> bool {
    let mut names: Vec<&Name> = constraints.clone().flat_map(|form| form.terms().map(|(name, _)| name)).collect();
    names.sort_unstable();
    names.dedup();
    let mut shadow = Shadow { variables: names.len(), rows: vec![] };
    for form in constraints {
        let mut coefficients = Row::from_elem(0, names.len());
        for (name, coefficient) in form.terms() {
            if let Ok(column) = names.binary_search(&name) {
                coefficients[column] = coefficient;
            }
        }
        if shadow.add(Inequality { coefficients, constant: form.constant_term() }).is_contradiction() {
            return true;
        }
    }
    shadow.is_empty()
}

/// What adding an inequality shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Added {
    /// No point satisfies it.
    Contradiction,
    /// Some may.
    Open,
}

impl Added {
    fn is_contradiction(self) -> bool {
        self == Added::Contradiction
    }
}

impl Shadow {
    fn is_empty(&mut self) -> bool {
        while let Some(variable) = self.cheapest() {
            if self.forget(variable).is_contradiction() {
                return true;
            }
        }
        false
    }

    /// The variable whose elimination leaves the fewest rows, of those that occur.
    fn cheapest(&self) -> Option<usize> {
        let growth = |variable: usize| {
            let of_sign = |(positive, negative): (i64, i64), row: &Inequality| match row.coefficients[variable].signum()
            {
                1 => (positive + 1, negative),
                -1 => (positive, negative + 1),
                _ => (positive, negative),
            };
            let (positive, negative) = self.rows.iter().fold((0, 0), of_sign);
            (positive + negative > 0).then(|| positive * negative - positive - negative)
        };
        let occurring = (0..self.variables).filter_map(|variable| Some((growth(variable)?, variable)));
        occurring.min().map(|(_, variable)| variable)
    }

    /// Pairs each lower bound with each upper one; a row whose numbers would not fit is left out, which only makes the shadow larger.
    fn forget(&mut self, variable: usize) -> Added {
        let (bounds, free): (Vec<Inequality>, Vec<Inequality>) =
            std::mem::take(&mut self.rows).into_iter().partition(|row| row.coefficients[variable] != 0);
        self.rows = free;
        let (lower, upper): (Vec<&Inequality>, Vec<&Inequality>) =
            bounds.iter().partition(|row| row.coefficients[variable] > 0);
        for low in lower {
            for high in &upper {
                let row = high.without(variable, low);
                if row.is_some_and(|row| self.add(row).is_contradiction()) {
                    return Added::Contradiction;
                }
            }
        }
        Added::Open
    }

    /// Adds a row, unless another says as much.
    fn add(&mut self, row: Inequality) -> Added {
        let row = row.tightened();
        if row.coefficients.iter().all(|coefficient| *coefficient == 0) {
            return if row.constant < 0 { Added::Contradiction } else { Added::Open };
        }
        match self.rows.iter_mut().find(|known| known.coefficients == row.coefficients) {
            Some(known) => known.constant = known.constant.min(row.constant),
            None => self.rows.push(row),
        }
        Added::Open
    }
}

impl Inequality {
    /// What this upper bound on a variable and a lower one say together.
    fn without(&self, variable: usize, lower: &Inequality) -> Option<Inequality> {
        let (mine, its) = (lower.coefficients[variable], -self.coefficients[variable]);
        let pairs = self.coefficients.iter().zip(&lower.coefficients);
        let coefficients = pairs.map(|(high, low)| mix((*high, mine), (*low, its))).collect::<Option<Row>>()?;
        Some(Inequality { coefficients, constant: mix((self.constant, mine), (lower.constant, its))? })
    }

    /// The same integer points, with coefficients that have no common factor.
    fn tightened(mut self) -> Inequality {
        // Most rows have a variable once.
        let is_open = self.coefficients.iter().all(|coefficient| coefficient.abs() != 1);
        let common = || self.coefficients.iter().fold(0, |factor, coefficient| gcd(factor, *coefficient));
        let factor = if is_open { common() } else { 1 };
        if factor > 1 {
            self.coefficients.iter_mut().for_each(|coefficient| *coefficient /= factor);
            self.constant = self.constant.div_euclid(factor);
        }
        self
    }
}
