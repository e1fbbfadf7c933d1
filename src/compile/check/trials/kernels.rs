//! Where rules fire: the kernels that ship, one of them over tiles as well, and one with the functions that no other needs.
//!
//! In: rules. Out: for each rule the kernels in which it teaches something beside all others. Invariant: limits count
//! rounds and e-nodes, so the counts are the same on every machine.

use crate::rewrite::rules::RuleSet;
use crate::rewrite::saturation::{Limits, saturate};
use rayon::prelude::*;
use std::collections::BTreeMap;
use systole_base::diagnostic::Checked;
use systole_base::integer::name;
use systole_base::span::Source;
use systole_equations::recurrence::spaces::spaces_of;
use systole_equations::recurrence::{RecurrenceSystem, load};
use systole_equations::tiles::{TileSize, tile};

macro_rules! shipped {
    ($($name:literal)*) => {
        /// The kernels that ship, with their texts at the time of the build.
        pub const KERNELS: &[(&str, &str)] = &[$(($name, include_str!(concat!("../../kernels/", $name, ".rec")))),*];
    };
}

shipped! {
    "cholesky" "conv1d" "conv2d" "divergences" "edit_distance" "fir" "flash_attention" "jacobi1d" "jacobi2d" "lu" "matmul" "matvec"
    "minkowski" "mttkrp" "polynomial_product" "prefix_sum" "prefix_sum_by_definition" "qr_givens" "ranks" "smith_waterman"
    "transitive_closure" "triangular_inverse" "trisolve" "trsm" "ttm"
}

/// Rounds and e-nodes for one kernel: rules that multiply terms are cut off here.
const LIMITS: Limits = Limits::of(20, 5_000);

/// What the kernel over tiles is called.
const OVER_TILES: &str = "matmul over tiles";

/// Functions that none of these kernels has, one after the other.
const FUNCTIONS: (&str, &str) = (
    "functions",
    "kernel functions(N)\nin x[N], z[N]\nout y[N]\n\
     y[i] = atan2(tanh(sin(x[i])), cos(z[i])) + floor(x[i]) * ceil(z[i]) * sign(x[i])\n",
);

/// In which of the kernels that are looked at each rule fires; rules that never do are left out.
pub fn find_kernels(rules: &RuleSet) -> Checked<BTreeMap<String, Vec<String>>> {
    let texts = KERNELS.iter().chain([&FUNCTIONS]);
    let systems = texts.map(|(name, text)| load(&Source::new(format!("{name}.rec"), *text)));
    let mut systems = systems.collect::<Checked<Vec<RecurrenceSystem>>>()?;
    systems.extend(tiled(&systems)?);
    let fired = systems.par_iter().map(|system| fired(system, rules)).collect::<Checked<Vec<_>>>()?;
    let names = KERNELS.iter().map(|(name, _)| *name).chain([FUNCTIONS.0, OVER_TILES]);
    Ok(by_rule(names.zip(fired)))
}

/// For each rule the kernels that it fires in, in their order.
pub fn by_rule<'a>(fired: impl Iterator<Item = (&'a str, Vec<String>)>) -> BTreeMap<String, Vec<String>> {
    let mut kernels: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for (kernel, rules) in fired {
        for rule in rules {
            kernels.entry(rule).or_default().push(kernel.to_owned());
        }
    }
    kernels
}

/// The matrix product over tiles, whose body is a leaf.
fn tiled(systems: &[RecurrenceSystem]) -> Checked<Option<RecurrenceSystem>> {
    let Some(matmul) = systems.iter().find(|system| &*system.name == "matmul") else { return Ok(None) };
    let size = |index: &str| TileSize { index: name(index), size: 4, span: None };
    let tiled = tile(matmul, &["i", "j", "k"].map(size))?;
    Ok(Some(tiled.system))
}

fn fired(system: &RecurrenceSystem, rules: &RuleSet) -> Checked<Vec<String>> {
    Ok(saturate(&spaces_of(system)?, rules, &LIMITS)?.report.fired.into_keys().collect())
}
