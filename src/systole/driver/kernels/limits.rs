//! The limits within which a search looked, for messages of one that found nothing.
//!
//! In: bounds, and what was left out. Out: words for them and the flags that raise them.

use crate::driver::flags::setting::{LARGEST_BOUND, LONGEST_STEP};
use crate::driver::shown::show::grouped_count;
use systole_base::diagnostic::Diagnostic;
use systole_compile::extract::Limits;
use systole_compile::mapping::candidates::Bounds;

/// A limit that left something out.
#[derive(Clone, Debug)]
pub struct Limit {
    /// What was looked at, or was not.
    said: String,
    /// The flag that raises it, where one does.
    raise: Option<String>,
}

impl Limit {
    /// One of which no flag speaks, or one with the flag that raises it.
    pub fn new(said: impl Into<String>, raise: Option<String>) -> Limit {
        Limit { said: said.into(), raise }
    }

    /// The entries of places.
    pub fn of_places(bounds: &Bounds) -> Limit {
        let bound = bounds.bound;
        let raise = (bound < LARGEST_BOUND).then(|| format!("--bound {}", bound + 1));
        Limit::new(format!("entries of a place are {}..{bound} (--bound {bound})", -bound), raise)
    }

    /// So many maps, which left out so many at most.
    pub fn of_budget(budget: u64, left_out: u64) -> Limit {
        let beyond = grouped_count(left_out, "map");
        let raise = Some(format!("--budget {}", budget.saturating_mul(10)));
        Limit::new(format!("{beyond} at most left out, for which --budget {budget} has no room"), raise)
    }

    /// So many designs of some of the spaces, where these are searched one after the other.
    pub fn of_partial_designs(limits: &Limits) -> Limit {
        let (beam, budget) = (limits.beam, limits.asked_for());
        let said =
            format!("designs of some of the spaces gone on with are {beam} under each objective (--budget {budget})");
        Limit::new(said, Some(format!("--budget {}", limits.larger_budget())))
    }

    /// The ranks of arrays, for a space of this dimension.
    pub fn of_ranks(bounds: &Bounds, dimension: usize) -> Limit {
        let most = dimension.saturating_sub(1);
        let raise = (!bounds.ranks.contains(&most)).then(|| format!("--rank {most}"));
        let ranks: Vec<String> = bounds.ranks.iter().map(usize::to_string).collect();
        let ranks = ranks.join(",");
        Limit::new(format!("ranks of arrays are {ranks} (--rank {ranks})"), raise)
    }

    /// The entries of steps, on links of this latency.
    pub fn of_steps(bounds: &Bounds, latency: i64) -> Limit {
        let (low, high) = bounds.steps;
        let longer = if latency == 1 { String::new() } else { format!(", or {latency} times as long") };
        let (wider_low, wider_high) = ((low - 1).max(-LONGEST_STEP), (high + 1).min(LONGEST_STEP));
        let raise = ((wider_low, wider_high) != (low, high)).then(|| format!("--steps {wider_low}..{wider_high}"));
        Limit::new(format!("entries of a step are {low}..{high}{longer} (--steps {low}..{high})"), raise)
    }
}

/// What limits say, and the flags that raise them.
pub fn in_words(limits: &[Limit]) -> (Vec<String>, Vec<String>) {
    let said = limits.iter().map(|limit| limit.said.clone()).collect();
    (said, limits.iter().filter_map(|limit| limit.raise.clone()).collect())
}

/// A message with the limits.
pub fn noted(said: Diagnostic, limits: &[Limit]) -> Diagnostic {
    limits.iter().fold(said, |said, limit| said.note(&limit.said))
}

/// The flags that raise limits, or else what to do all the same.
pub fn next_step(limits: &[Limit], otherwise: &str) -> String {
    let flags: Vec<&str> = limits.iter().filter_map(|limit| limit.raise.as_deref()).collect();
    if flags.is_empty() { otherwise.to_owned() } else { format!("search more: {}; or {otherwise}", flags.join(", ")) }
}
