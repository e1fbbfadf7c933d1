//! Why there is no design where all maps were looked at: what stood in the way of how many.

use super::Reason;
use crate::driver::kernels::described;
use crate::driver::kernels::limits::{Limit, next_step};
use crate::driver::kernels::searched::{Border, Searched};
use crate::driver::pipeline::{messages, prove};
use crate::driver::shown::show::grouped_count;
use systole_base::diagnostic::{Checked, Diagnostic, Diagnostics};
use systole_compile::extract::Rejections;

/// Why the search found nothing: for a schedule with place and time, its refuted obligations, unless it fails by its clock; else
/// what stood in the way.
pub fn why_nothing(searched: &Searched, reason: &Reason, limit: u64) -> Checked<Diagnostics> {
    let mut said = vec![];
    let described = described::design(searched.kernel, searched.setting)?;
    if let Some(design) = described.filter(|_| !searched.survey.rejections.are_of_the_clock()) {
        said = messages(searched, &prove(searched, &design, limit)?);
    }
    if said.is_empty() {
        said.push(nothing_found(searched, reason));
    }
    if let Border::Ports(reasons) = &searched.border {
        said.extend(reasons.iter().cloned());
    }
    Ok(said)
}

/// The message for an empty front: what stood in the way, most frequent first, and what to relax.
pub fn nothing_found(searched: &Searched, reason: &Reason) -> Diagnostic {
    let (cut, constraint) = (&searched.kernel.cut, searched.problem.constraint());
    let links = &searched.setting.machine.links;
    let mut diagnostic = reason.message(searched);
    if let Some(span) = constraint.span {
        diagnostic = diagnostic.label(&cut.source, span, "with what this schedule fixes");
    }
    let reasons = reasons(&searched.survey.rejections, links.network.keyword(), links.latency, constraint.boundary_io);
    let otherwise = reasons.first().map_or("change the schedule", |(_, _, help)| *help);
    let help = next_step(&reason.limits, otherwise);
    reasons.into_iter().fold(diagnostic, |diagnostic, (_, text, _)| diagnostic.note(text)).help(help)
}

/// What kept the search from other maps; nothing where the schedule gives the map.
pub fn limits(searched: &Searched) -> Vec<Limit> {
    let (constraint, bounds) = (searched.problem.constraint(), &searched.setting.bounds);
    let is_open = constraint.only_place().is_none();
    let dimension = searched.kernel.cut.dimension();
    let of_ranks = is_open.then(|| Limit::of_ranks(bounds, dimension));
    let of_places = is_open.then(|| Limit::of_places(bounds));
    let of_steps =
        constraint.only_step().is_none().then(|| Limit::of_steps(bounds, searched.setting.machine.links.latency));
    let left_out = searched.survey.left_out.maps;
    let of_budget = (left_out > 0).then(|| Limit::of_budget(searched.setting.budget, left_out));
    of_budget.into_iter().chain(of_ranks).chain(of_places).chain(of_steps).collect()
}

/// `1 map gives ..`, `2 maps give ..`.
fn maps(count: u64, [one, many]: [&str; 2], what: &str) -> String {
    format!("{} {} {what}", grouped_count(count, "map"), if count == 1 { one } else { many })
}

fn reasons(rejections: &Rejections, network: &str, latency: i64, boundary: bool) -> Vec<(u64, String, &'static str)> {
    let mut reasons = vec![];
    let conflicts = maps(rejections.conflicts, ["gives", "give"], "two points of a PE the same time");
    reasons.push((
        rejections.conflicts,
        conflicts,
        "change the place or the time so that [place; time] is non-singular",
    ));
    let oversized = maps(rejections.oversized, ["needs", "need"], "a larger array than the machine has");
    reasons.push((rejections.oversized, oversized, "smaller sizes, a lower rank, or a machine with a larger `extent`"));
    let unclocked = maps(rejections.unclocked, ["has", "have"], "rows of unequal length");
    reasons.push((rejections.unclocked, unclocked, "choose another order of the leading rows of the time"));
    for (tensor, count) in &rejections.unreachable {
        let inside = if boundary { ", or values would cross inside the array" } else { "" };
        let at = grouped_count(*count, "place");
        let text = format!("at {at} the {network} network has no link for `{tensor}`{inside}");
        reasons.push((*count, text, "choose another --network, or let the tensor stay"));
    }
    for (tensor, count) in &rejections.late {
        let under = grouped_count(*count, "map");
        let text = format!("under {under} `{tensor}` has no time to travel at latency {latency}");
        reasons.push((*count, text, "give the direction the tensor moves along a larger coefficient in the time"));
    }
    for (tensor, count) in &rejections.short {
        let rows = "a row of the time is longer than one step";
        let under = grouped_count(*count, "map");
        let text = format!("under {under} `{tensor}` has time to travel only where {rows}");
        reasons.push((*count, text, "let the tensor move along the last row of the time, or forwards in it"));
    }
    reasons.retain(|(count, ..)| *count > 0);
    reasons.sort_by_key(|(count, ..)| std::cmp::Reverse(*count));
    reasons
}
