//! Kernels whose values have to stream both ways from where they are computed: looked at where one way leads to no array.
//!
//! In: a kernel as it is written, the flags. Out: the kernel with its spaces cut, where that has a better design; or as it is, where a
//! schedule says anything, or no such cut helps.

use crate::driver::flags::arguments::SpaceArguments;
use crate::driver::flags::setting::Setting;
use crate::driver::kernels::kernel::Loaded;
use crate::driver::shown::output::Output;
use std::time::Instant;
use systole_base::diagnostic::Checked;
use systole_compile::cost::Cost;
use systole_compile::extract;
use systole_compile::extract::Survey;
use systole_compile::rewrite;
use systole_compile::rewrite::RuleSet;
use systole_equations::recurrence::Schedule;

/// The kernel with its spaces cut, where that is better.
///
/// # Errors
/// What stands against the flags.
pub fn streamed(
    mut whole: Loaded,
    asked: &SpaceArguments,
    schedule: Option<&Schedule>,
    (rules, limits): (&RuleSet, &rewrite::Limits),
    output: &Output,
) -> Checked<Loaded> {
    let is_open = schedule.is_none() && whole.kernel.partition.is_none() && asked.fold == 1;
    if !is_open || whole.kernel.cut.read_on_both_sides().is_empty() {
        return Ok(whole);
    }
    let start = Instant::now();
    let setting = Setting::new(&whole.kernel, asked)?;
    let (before, survey) = best(&whole, &setting, output)?;
    let cut = extract::both_ways(&whole.kernel.cut, &survey);
    whole.kernel.seen = Some((survey, start.elapsed()));
    let Some(cut) = cut else { return Ok(whole) };
    let Ok(mut streamed) = Loaded::new(whole.kernel.origin.clone(), cut, rules, limits) else { return Ok(whole) };
    let shared = Setting { shares: extract::SHARES_BOTH_WAYS, ..Setting::new(&streamed.kernel, asked)? };
    let (found, survey) = best(&streamed, &shared, output)?;
    let is_better = extract::is_better_both_ways(setting.objective, found.as_ref(), before.as_ref());
    let is_whole = !is_better || survey.is_stopped;
    // What was stopped here has not been compared with all that streams both ways.
    whole.kernel.seen.iter_mut().for_each(|(seen, elapsed)| {
        seen.is_stopped |= survey.is_stopped;
        *elapsed = start.elapsed();
    });
    streamed.kernel.seen = Some((survey, start.elapsed()));
    Ok(if is_whole { whole } else { streamed })
}

/// What the best design of a kernel costs, and what was seen.
fn best(loaded: &Loaded, setting: &Setting, output: &Output) -> Checked<(Option<Cost>, Survey)> {
    let searched = loaded.kernel.search_as_far(setting, false, output)?;
    Ok((searched.front.first().map(|found| found.cost), searched.survey))
}
