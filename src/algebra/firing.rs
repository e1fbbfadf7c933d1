//! Where the laws of algebra fire: the kernels that ship as they are first written down.
//!
//! In: rules. Out: for each the kernels in which it teaches something. Limits count rounds and e-nodes, so the counts are the
//! same on every machine.

use super::derive::saturate_equations;
use crate::diagnostic::Checked;
use crate::recurrence::load;
use crate::rewrite::check::by_rule;
use crate::rewrite::{Limits, RuleSet};
use crate::span::Source;
use rayon::prelude::*;
use std::collections::BTreeMap;

macro_rules! shipped {
    ($($name:literal)*) => {
        /// The kernels of `kernels/naive`, with their texts at the time of the build.
        pub const NAIVE: &[(&str, &str)] =
            &[$(($name, include_str!(concat!("../../kernels/naive/", $name, ".rec")))),*];
    };
}

shipped! {
    "argmax" "atax" "attention" "biased_sum" "bicg" "chain" "cross_entropy" "distances" "gemver" "gesummv" "gram" "log_sum_exp" "mean_variance" "mvt" "normal_product" "polynomial" "prefix_sum" "sliding_sum" "soft_maximum" "softmax_attention" "two_factors" "two_terms"
}

/// Rounds and e-nodes for one kernel.
const LIMITS: Limits = Limits::of(30, 1000);

/// In which of [`NAIVE`] each rule fires; rules that never do are left out.
pub fn find_naive(rules: &RuleSet) -> Checked<BTreeMap<String, Vec<String>>> {
    let fired = NAIVE.par_iter().map(|(name, text)| fired(name, text, rules)).collect::<Checked<Vec<_>>>()?;
    Ok(by_rule(NAIVE.iter().map(|(name, _)| *name).zip(fired)))
}

fn fired(name: &str, text: &str, rules: &RuleSet) -> Checked<Vec<String>> {
    let system = load(&Source::new(format!("{name}.rec"), text))?;
    Ok(saturate_equations(&system, rules, &LIMITS)?.report.fired.into_keys().collect())
}
