//! Kernels that are larger than the array of their machine: the ways to divide them, each searched, and the best gone on with.
//!
//! In: a kernel as it is written, the flags. Out: the kernel with indices in strips, and what lies along the axes; or as it is, where
//! it fits, where something else is asked for, or where no way to divide it has a better design. Costs are compared at one size.

use crate::driver::flags::arguments::SpaceArguments;
use crate::driver::flags::setting::Setting;
use crate::driver::kernels::kernel::{Divided, Loaded};
use crate::driver::shown::output::Output;
use crate::driver::shown::show;
use std::time::Instant;
use systole_base::diagnostic::{Checked, counted};
use systole_base::integer::Bindings;
use systole_compile::cost::Cost;
use systole_compile::extract::{Partition, Survey};
use systole_compile::rewrite;
use systole_compile::rewrite::RuleSet;
use systole_equations::recurrence::{Directive, Schedule};

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
    if asked.fold != 1 || schedule.is_some_and(says_where) {
        return Ok(whole);
    }
    let start = Instant::now();
    let setting = Setting::new(&whole.kernel, asked)?;
    let (objective, ranks) = (setting.objective, &setting.bounds.ranks);
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
    let as_it_is = undivided(&whole, setting, &counted, output)?;
    if as_it_is.is_some_and(|cost| objective.key(&cost) <= objective.key(&best)) {
        return Ok(whole);
    }
    for divided in &mut loaded.kernel.partition {
        divided.said = said(&divided.partition, ways, as_it_is);
        divided.seen = Some((survey.clone(), start.elapsed()));
    }
    Ok(loaded)
}

/// Whether a schedule places points, or is a design.
fn says_where(schedule: &Schedule) -> bool {
    let says = |directive: &Directive| {
        matches!(
            directive,
            Directive::Place(_) | Directive::Time(_) | Directive::FoldBy(_) | Directive::BoundaryIo(true)
        )
    };
    !schedule.spaces.is_empty() || !schedule.strips.is_empty() || schedule.directives.iter().any(|(line, _)| says(line))
}

/// The kernel divided in one way; nothing where it cannot be.
fn in_strips(
    whole: &Loaded,
    partition: &Partition,
    (rules, limits): (&RuleSet, &rewrite::Limits),
) -> Checked<Option<Loaded>> {
    let kernel = &whole.kernel;
    let Ok(cut) = kernel.cut.in_strips(&partition.strips_at(kernel.cut.spaces[0].span)) else { return Ok(None) };
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

/// What the best design costs that divides nothing and fits, at these sizes; nothing where it cannot be told.
fn undivided(whole: &Loaded, mut setting: Setting, counted: &Bindings, output: &Output) -> Checked<Option<Cost>> {
    let found = {
        let searched = whole.kernel.search(&setting, output)?;
        let at = searched.counted().unwrap_or(&setting.sizes).clone();
        let Some(found) = searched.front.first() else { return Ok(None) };
        if at == *counted {
            return Ok(Some(found.cost));
        }
        found.clone()
    };
    // A kernel of one space is counted at the sizes asked for, where its design fits: the same one is counted again.
    let Some(part) = found.parts.first().filter(|_| whole.kernel.cut.only_space().is_some()) else { return Ok(None) };
    let span = whole.kernel.spaces()[0].span;
    setting.constraint.places = vec![Some(part.map.place.clone())];
    setting.constraint.steps = vec![Some((part.map.step.clone(), span))];
    setting.sizes = counted.clone();
    let searched = whole.kernel.search(&setting, output)?;
    Ok(searched.front.first().map(|found| found.cost))
}

fn said(partition: &Partition, ways: usize, as_it_is: Option<Cost>) -> String {
    let strips: Vec<String> =
        partition.strips.iter().map(|strip| format!("{} in strips of {}", strip.index, strip.size)).collect();
    let whole = match as_it_is {
        Some(cost) => format!("undivided it is {}", show::cost(&cost)),
        None => "undivided it does not fit".to_owned(),
    };
    format!("{}: the best of {}; {whole}", strips.join(", "), counted(ways, "way"))
}
