//! What the solver said of an obligation.

use std::fmt;
use systole_base::integer::{Bindings, Name};
use systole_program::obligation::Obligation;

/// An answer about one obligation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// It holds for all sizes.
    Proved,
    /// It fails, for example here.
    Refuted(Counterexample),
    /// The solver did not decide it, for this reason.
    Unknown(String),
}

/// Sizes and points at which an obligation fails.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Counterexample {
    /// A value for each variable of the obligation, in its order.
    pub values: Vec<(Name, i64)>,
    /// How many of them are sizes.
    pub parameters: usize,
    /// How many coordinates each point has that follows the sizes.
    pub points: Vec<usize>,
    /// Whether no counterexample is smaller: by the sum of the sizes, then the sizes, then the other values in their
    /// order, small magnitudes first and negative before positive. `false` where the time limit cut the search short.
    pub smallest: bool,
}

/// An obligation with its verdict.
#[derive(Clone, Debug)]
pub struct Discharged {
    /// What was to be proved.
    pub obligation: Obligation,
    /// The answer.
    pub verdict: Verdict,
    /// How long it took.
    pub milliseconds: f64,
}

impl Verdict {
    /// The word for it in tables and JSON.
    pub fn keyword(&self) -> &'static str {
        match self {
            Verdict::Proved => "proved",
            Verdict::Refuted(_) => "refuted",
            Verdict::Unknown(_) => "unknown",
        }
    }
}

impl Counterexample {
    /// The values of an obligation's variables, given in its order.
    pub(super) fn new(obligation: &Obligation, values: &[i64], smallest: bool) -> Counterexample {
        Counterexample {
            values: obligation.variables.iter().cloned().zip(values.iter().copied()).collect(),
            parameters: obligation.parameters,
            points: obligation.points.clone(),
            smallest,
        }
    }

    /// The values by name.
    pub fn bindings(&self) -> Bindings {
        self.values.iter().cloned().collect()
    }

    /// The sizes alone.
    pub fn sizes(&self) -> &[(Name, i64)] {
        self.values.split_at_checked(self.parameters).map_or(&self.values, |(sizes, _)| sizes)
    }

    fn show_points(&self) -> Vec<String> {
        let mut values = self.values.iter().skip(self.parameters).map(|(_, value)| value.to_string());
        self.points.iter().map(|length| format!("({})", join(values.by_ref().take(*length)))).collect()
    }
}

impl fmt::Display for Counterexample {
    /// `M = 1, N = 2, K = 1: point (0, 1, 0)`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let assign = |(name, value): &(Name, i64)| format!("{name} = {value}");
        f.write_str(&join(self.sizes().iter().map(assign)))?;
        let separator = if self.parameters == 0 { "" } else { ": " };
        match self.show_points().as_slice() {
            [] => {}
            [point] => write!(f, "{separator}point {point}")?,
            [points @ .., last] => write!(f, "{separator}points {} and {last}", points.join(", "))?,
        }
        let rest = self.values.iter().skip(self.parameters + self.points.iter().sum::<usize>());
        rest.map(assign).try_for_each(|text| write!(f, ", {text}"))
    }
}

fn join(parts: impl Iterator<Item = String>) -> String {
    parts.collect::<Vec<_>>().join(", ")
}
