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
use std::cell::Cell;
use std::time::Instant;
use systole_base::diagnostic::Checked;
use systole_base::integer::Bindings;
use systole_compile::cost::Cost;
use systole_compile::extract;
use systole_compile::extract::{Partition, Survey};
use systole_compile::rewrite;
use systole_compile::rewrite::RuleSet;
use systole_equations::recurrence::Schedule;

/// What the best design of a way to divide costs, the sizes at which that was counted, and the divided kernel with all that was seen.
type Tried = (Cost, Bindings, (Loaded, Survey));

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
    let count = all.len().max(1) as u64;
    let running = stop::Search::begin(&setting.end);
    let has_one = Cell::new(false);
    let best = extract::best_division(all, objective, |partition| {
        // When the time is over the first way that has a design will do.
        if has_one.get() && !running.goes_on() {
            return Ok(None);
        }
        let Some(divided) = in_strips(&whole, partition, (rules, limits))? else { return Ok(None) };
        let tried = search(divided, (asked, count), output)?;
        has_one.set(has_one.get() || tried.is_some());
        Ok(tried)
    })?;
    let Some((best, ways)) = best else { return Ok(whole) };
    let extract::TriedPartition { cost, counted, found: (mut loaded, mut survey), .. } = best;
    let question = whole.kernel.question(&setting, setting.constraint.clone());
    let as_it_is = with_threads(setting.threads, || {
        extract::undivided(&question, objective, &counted, &|_, _| running.goes_on())
    })??;
    // What was stopped here has not been compared with all designs of the whole.
    survey.is_stopped |= !running.goes_on();
    if !survey.is_stopped && !extract::is_better_divided(objective, &cost, as_it_is.as_ref()) {
        return Ok(whole);
    }
    if let Some(divided) = &mut loaded.kernel.partition {
        let elsewhere = Some(&counted).filter(|counted| **counted != setting.sizes);
        divided.said = said(&divided.partition, ways, (as_it_is, elsewhere));
    }
    loaded.kernel.seen = Some((survey, start.elapsed()));
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
    loaded.kernel.partition = Some(Divided { partition: partition.clone(), said: String::new() });
    Ok(Some(loaded))
}

/// The best design of a kernel that is divided in one of so many ways, which share the budget.
fn search(loaded: Loaded, (asked, ways): (&SpaceArguments, u64), output: &Output) -> Checked<Option<Tried>> {
    let mut setting = Setting::new(&loaded.kernel, asked)?;
    setting.shares = ways;
    setting.design = None;
    let searched = loaded.kernel.search(&setting, output)?;
    let Some(best) = searched.front.first().map(|found| found.cost) else { return Ok(None) };
    let (survey, counted) = (searched.survey.clone(), searched.counted().unwrap_or(&setting.sizes).clone());
    Ok(Some((best, counted, (loaded, survey))))
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
