//! Where the laws of algebra fire: the kernels that ship as they are first written down.
//!
//! In: rules. Out: for each the kernels in which it teaches something. Limits count rounds and e-nodes, so the counts are the
//! same on every machine.

use super::coordinates::{CoordinateCount, Coordinates, Recast, recast};
use super::derive::saturate_equations;
use crate::check::by_rule;
use crate::rewrite::{Limits, RuleSet};
use rayon::prelude::*;
use std::collections::{BTreeMap, BTreeSet};
use systole_base::diagnostic::Checked;
use systole_base::integer::name;
use systole_base::span::Source;
use systole_equations::recurrence::load;

macro_rules! shipped {
    ($($name:literal)*) => {
        /// The kernels of `kernels/naive`, with their texts at the time of the build.
        pub const NAIVE: &[(&str, &str)] =
            &[$(($name, include_str!(concat!("../kernels/naive/", $name, ".rec")))),*];
    };
}

shipped! {
    "argmax" "atax" "attention" "biased_sum" "bicg" "chain" "cross_entropy" "decode_attention" "distances" "gemver" "gesummv" "gram" "inverse_times" "log_sum_exp" "masked_attention" "mean_variance" "mvt" "normal_product" "polynomial" "prefix_sum" "sliding_sum" "soft_average" "soft_maximum" "softmax_attention" "two_factors" "two_terms"
}

/// Rounds and e-nodes for one kernel.
const LIMITS: Limits = Limits::of(30, 1000);

/// The one of them that is also looked at in other coordinates, with two indices of different axes.
const RECAST: (&str, &str, &str) = ("soft_average", "j", "i");

/// In which of [`NAIVE`] each rule fires; rules that never do are left out.
pub fn find_naive(rules: &RuleSet) -> Checked<BTreeMap<String, Vec<String>>> {
    let fired = NAIVE.par_iter().map(|(name, text)| fired_in_any(name, text, rules)).collect::<Checked<Vec<_>>>()?;
    Ok(by_rule(NAIVE.iter().map(|(name, _)| *name).zip(fired)))
}

/// The rules that fire in a kernel, in whichever coordinates it is looked at.
fn fired_in_any(kernel: &str, text: &str, rules: &RuleSet) -> Checked<Vec<String>> {
    let system = load(&Source::new(format!("{kernel}.rec"), text))?;
    let mut all = fired(&Recast::plain(&system), rules)?;
    let (known, index, with) = RECAST;
    if kernel == known {
        let parts = vec![CoordinateCount::Number(2), CoordinateCount::Size(name("W"))];
        let split = Coordinates::Split { index: name(index), parts };
        let turn = Coordinates::Rotate { index: name(index), with: name(with) };
        for change in [split, turn] {
            all.extend(fired(&recast(&system, &[change])?, rules)?);
        }
    }
    Ok(all.into_iter().collect())
}

fn fired(recast: &Recast, rules: &RuleSet) -> Checked<BTreeSet<String>> {
    Ok(saturate_equations(recast, rules, &LIMITS)?.report.fired.into_keys().collect())
}
