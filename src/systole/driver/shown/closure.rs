//! How much of what its bounds allow a search looked at.
//!
//! In: a search. Out: a line for people, an object for programs. Invariant: it says that a search is closed only where nothing was left out.

use crate::driver::kernels::left_out::left_out;
use crate::driver::kernels::searched::Searched;
use serde_json::{Value, json};
use systole_compile::extract::Strategy;

/// What part of its maps or placements a search looked at.
pub struct Closure {
    strategy: Strategy,
    /// Nothing was left out.
    is_whole: bool,
    /// Spaces that no constant number of links joins were placed beside each other as well.
    is_wide: bool,
    /// The whole budget is given already.
    is_exact: bool,
    /// So many were looked at, of so many, where these can be counted.
    counts: Option<(u64, u64)>,
}

impl Closure {
    /// That of a search.
    pub fn of(searched: &Searched) -> Closure {
        let (survey, strategy) = (&searched.survey, searched.problem.strategy());
        let left_out = left_out(searched);
        let others = left_out.iter().any(|left| left.count > 0 && !["maps", "placements"].contains(&left.key));
        let beyond = match strategy {
            Strategy::Enumerate => survey.left_out.maps,
            Strategy::Solve => survey.left_out.placements,
        };
        let counts = (beyond > 0).then(|| (survey.maps, survey.maps.saturating_add(beyond)));
        Closure {
            strategy,
            is_whole: beyond == 0 && !others && !survey.is_stopped,
            is_wide: survey.keep || strategy == Strategy::Enumerate,
            is_exact: searched.setting.budget == u64::MAX,
            counts,
        }
    }

    /// For people.
    pub fn line(&self) -> String {
        let (what, each) = match self.strategy {
            Strategy::Enumerate => ("maps", ""),
            Strategy::Solve => ("placements", ", each with its shortest steps"),
        };
        let reach = if self.is_wide { "" } else { ", of spaces in reach of each other," };
        match (self.is_whole, self.share()) {
            (true, _) => format!("closed    all {what} within the bounds{reach} were looked at{each}"),
            (false, Some(share)) => format!("open      {share:.1}% of the {what} were looked at; --exact looks at all"),
            (false, None) if self.is_exact => {
                "open      not all was looked at: `left out` has what, and why".to_owned()
            }
            (false, None) => {
                "open      not all within the bounds was looked at; a larger --budget looks further".to_owned()
            }
        }
    }

    /// For programs.
    pub fn to_json(&self) -> Value {
        json!({ "all": self.is_whole, "share": self.share().map(|share| share / 100.0) })
    }

    fn share(&self) -> Option<f64> {
        self.counts.map(|(seen, all)| 100.0 * seen as f64 / all as f64)
    }
}
