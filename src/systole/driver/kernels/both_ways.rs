//! Kernels whose values have to stream both ways from where they are computed: looked at where one way leads to no array.
//!
//! In: a kernel as it is written, the flags. Out: the kernel with its spaces cut, where that has a better design; or as it is, where a
//! schedule says anything, or no such cut helps.

use crate::driver::flags::arguments::SpaceArguments;
use crate::driver::flags::setting::Setting;
use crate::driver::kernels::kernel::Loaded;
use crate::driver::shown::output::Output;
use systole_base::diagnostic::Checked;
use systole_compile::cost::Cost;
use systole_compile::extract;
use systole_compile::extract::{Limits, Survey};
use systole_compile::rewrite;
use systole_compile::rewrite::RuleSet;
use systole_equations::recurrence::Schedule;

/// The kernel with its spaces cut, where that is better.
///
/// # Errors
/// What stands against the flags.
pub fn streamed(
    whole: Loaded,
    asked: &SpaceArguments,
    schedule: Option<&Schedule>,
    (rules, limits): (&RuleSet, &rewrite::Limits),
    output: &Output,
) -> Checked<Loaded> {
    let is_open = schedule.is_none() && whole.kernel.partition.is_none() && asked.fold == 1;
    if !is_open || whole.kernel.cut.read_on_both_sides().is_empty() {
        return Ok(whole);
    }
    let setting = Setting::new(&whole.kernel, asked)?;
    let (before, survey) = best(&whole, &setting, output)?;
    let Some(cut) = extract::both_ways(&whole.kernel.cut, &survey) else { return Ok(whole) };
    let Ok(streamed) = Loaded::new(whole.kernel.origin.clone(), cut, rules, limits) else { return Ok(whole) };
    let budget = extract::limits_both_ways(Limits::of_budget(setting.budget)).budget;
    let shared = Setting { budget, ..Setting::new(&streamed.kernel, asked)? };
    let (found, survey) = best(&streamed, &shared, output)?;
    let is_better = extract::is_better_both_ways(setting.objective, found.as_ref(), before.as_ref());
    Ok(if is_better && !survey.is_stopped { streamed } else { whole })
}

/// What the best design of a kernel costs, and what was seen.
fn best(loaded: &Loaded, setting: &Setting, output: &Output) -> Checked<(Option<Cost>, Survey)> {
    let searched = loaded.kernel.search_as_far(setting, false, output)?;
    Ok((searched.front.first().map(|found| found.cost), searched.survey))
}
