//! Kernels that are larger than the array of their machine: the ways to divide them, each searched, and the best gone on with.
//!
//! In: a kernel as it is written, the flags. Out: the kernel with indices in strips, and what lies along the axes; or as it is, where
//! it fits, where something else is asked for, or where no way to divide it has a better design. Costs are compared at one size.

use crate::driver::flags::arguments::SpaceArguments;
use crate::driver::flags::setting::Setting;
use crate::driver::kernels::kernel::{Divided, Loaded};
use crate::driver::pipeline::with_threads;
use crate::driver::shown::output::Output;
use crate::driver::shown::show;
use crate::driver::stop;
use std::time::Instant;
use systole_base::diagnostic::Checked;
use systole_base::integer::Bindings;
use systole_compile::cost::Cost;
use systole_compile::extract::{Partition, Survey, undivided};
use systole_compile::rewrite;
use systole_compile::rewrite::RuleSet;
use systole_equations::recurrence::Schedule;

/// A way to divide that was searched, with its best design.
struct Tried {
    loaded: Loaded,
    survey: Survey,
    best: Cost,
    counted: Bindings,
}

/// The kernel divided in the best way, if one is better than none.
///
/// # Errors
/// What stands against the flags.
pub fn divided(
    whole: Loaded,
    asked: &SpaceArguments,
    schedule: Option<&Schedule>,
    (rules, limits): (&RuleSet, &rewrite::Limits),
    output: &Output,
) -> Checked<Loaded> {
    if asked.fold != 1 || schedule.is_some_and(Schedule::says_where) {
        return Ok(whole);
    }
    let start = Instant::now();
    let setting = Setting::new(&whole.kernel, asked)?;
    let objective = setting.objective;
    let ranks = if asked.rank.is_empty() { &Partition::RANKS[..] } else { &asked.rank };
    let all = Partition::all(&whole.kernel.cut, &setting.machine, &setting.sizes, ranks);
    let (mut best, mut ways): (Option<Tried>, usize) = (None, 0);
    for partition in &all {
        // In a smaller array a PE does more: it is for kernels that have no design in a larger one.
        let is_smaller = |best: &Tried| {
            best.loaded.kernel.partition.as_ref().is_some_and(|known| known.partition.rank() > partition.rank())
        };
        if best.as_ref().is_some_and(is_smaller) {
            break;
        }
        let Some(tried) = in_strips(&whole, partition, (rules, limits))? else { continue };
        let Some(tried) = search(tried, asked, output)? else { continue };
        ways += 1;
        let is_better = |best: &Tried| objective.key(&tried.best) < objective.key(&best.best);
        if best.as_ref().is_none_or(is_better) {
            best = Some(tried);
        }
    }
    let Some(Tried { mut loaded, survey, best, counted }) = best else { return Ok(whole) };
    let question = whole.kernel.question(&setting, setting.constraint.clone());
    let running = stop::Search::begin();
    let as_it_is =
        with_threads(setting.threads, || undivided(&question, objective, &counted, &|_, _| running.goes_on()))??;
    if as_it_is.is_some_and(|cost| objective.key(&cost) <= objective.key(&best)) {
        return Ok(whole);
    }
    if let Some(divided) = &mut loaded.kernel.partition {
        let elsewhere = Some(&counted).filter(|counted| **counted != setting.sizes);
        divided.said = said(&divided.partition, ways, (as_it_is, elsewhere));
        divided.seen = Some((survey.clone(), start.elapsed()));
    }
    Ok(loaded)
}

/// The kernel divided in one way; nothing where it cannot be.
fn in_strips(
    whole: &Loaded,
    partition: &Partition,
    (rules, limits): (&RuleSet, &rewrite::Limits),
) -> Checked<Option<Loaded>> {
    let kernel = &whole.kernel;
    let Some(cut) = partition.divide(&kernel.cut) else { return Ok(None) };
    let mut loaded = Loaded::new(kernel.origin.clone(), cut, rules, limits)?;
    loaded.kernel.partition = Some(Divided { partition: partition.clone(), said: String::new(), seen: None });
    Ok(Some(loaded))
}

/// The best design of a kernel that is divided.
fn search(loaded: Loaded, asked: &SpaceArguments, output: &Output) -> Checked<Option<Tried>> {
    let setting = Setting::new(&loaded.kernel, asked)?;
    let searched = loaded.kernel.search(&setting, output)?;
    let Some(best) = searched.front.first().map(|found| found.cost) else { return Ok(None) };
    let (survey, counted) = (searched.survey.clone(), searched.counted().unwrap_or(&setting.sizes).clone());
    Ok(Some(Tried { loaded, survey, best, counted }))
}

fn said(partition: &Partition, ways: usize, (as_it_is, counted): (Option<Cost>, Option<&Bindings>)) -> String {
    let strips: Vec<String> =
        partition.strips.iter().map(|strip| format!("{} in strips of {}", strip.index, strip.size)).collect();
    let whole = match as_it_is {
        Some(cost) => format!("undivided it is {}", show::cost(&cost)),
        None => "undivided it has no design that fits".to_owned(),
    };
    let at = counted
        .filter(|_| as_it_is.is_some())
        .map_or_else(String::new, |sizes| format!(" at {}", show::sizes_text(sizes)));
    let best = if ways == 1 { "the only way".to_owned() } else { format!("the best of {ways} ways") };
    format!("{}, {best}; {whole}{at}", strips.join(" and "))
}
