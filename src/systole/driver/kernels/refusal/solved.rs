//! Why there is no design: the laws that clash, and the smallest case of what is broken, in the words of the source.

use super::Reason;
use super::laws::Laws;
use crate::driver::kernels::left_out::beyond_limits;
use crate::driver::kernels::limits::{Limit, next_step};
use crate::driver::kernels::searched::Searched;
use crate::driver::pipeline::{defect, messages, prove};
use crate::driver::shown::show::grouped_count;
use systole_base::diagnostic::{Diagnostic, Diagnostics};
use systole_compile::extract::{Law, Stuck, nearest, why_stuck};
use systole_compile::mapping::{Design, SpaceDesign};

/// The messages for an empty front. What stands against one design says nothing of those that were not looked at, so where there may be
/// such the limits come first.
pub fn nothing_found(searched: &Searched, reason: &Reason, limit: u64) -> Diagnostics {
    let clash = plainest(searched);
    let refused = refused(searched, clash.as_ref());
    if let Some(design) = &refused {
        let broken = broken(searched, design, limit);
        if !broken.is_empty() {
            return with_limits(searched, reason, broken);
        }
    }
    let survey = &searched.survey;
    match (&clash, &survey.unreachable) {
        (Some((parts, why)), _) => with_limits(searched, reason, stuck(searched, reason, (parts, why), limit)),
        (None, Some(why)) if is_placed(searched) => {
            with_limits(searched, reason, why.iter().map(|one| at_place(searched, one.clone())).collect())
        }
        (None, Some(why)) => vec![out_of_hand(searched, reason, why)],
        (None, None) if survey.rejections.oversized > 0 => vec![oversized(searched, reason)],
        (None, None) if refused.is_some() => vec![unfounded(searched)],
        (None, None) => vec![no_place(searched, reason)],
    }
}

fn with_limits(searched: &Searched, reason: &Reason, said: Diagnostics) -> Diagnostics {
    if reason.contradicts() {
        return said;
    }
    let otherwise = "a schedule whose place is not that of the design below";
    let first = reason.message(searched).help(next_step(&reason.limits, otherwise));
    std::iter::once(first).chain(said).collect()
}

/// The design whose broken laws [`nothing_found`] shows.
pub fn nearest_design<'a>(searched: &Searched<'a>, limit: u64) -> Option<Design<'a>> {
    let clash = plainest(searched);
    let refused = refused(searched, clash.as_ref());
    let shown = refused.filter(|design| !broken(searched, design, limit).is_empty());
    shown.or_else(|| Some(with_parts(searched, &nearest(searched.problem.solved()?, clash?.0)?)))
}

/// The design with steps that is not legal all the same, unless the clash of another one is plainer.
fn refused<'a>(searched: &Searched<'a>, clash: Option<&(&Vec<SpaceDesign>, Stuck)>) -> Option<Design<'a>> {
    let (parts, fold) = searched.survey.refused.as_ref()?;
    let plain = clash.is_none_or(|(stuck, _)| backwards(parts) <= backwards(stuck));
    plain.then(|| Design { fold: fold.clone(), ..with_parts(searched, parts) })
}

/// The design of these parts.
fn with_parts<'a>(searched: &Searched<'a>, parts: &[SpaceDesign]) -> Design<'a> {
    Design::new(&searched.kernel.cut, parts.to_vec())
}

/// Whether a schedule gives the place.
fn is_placed(searched: &Searched) -> bool {
    searched.setting.constraint.place_span.is_some()
}

/// What kept the search from other designs; nothing where the schedule gives all places and times, and nothing was left out.
pub fn limits(searched: &Searched) -> Vec<Limit> {
    let (problem, seen) = (&searched.problem, &searched.survey.left_out);
    let Some(limits) = problem.limits() else { return vec![] };
    let is_open = problem.constraint().places.iter().any(Option::is_none);
    let of_places = is_open.then(|| Limit::of_places(&searched.setting.bounds));
    let of_beam = (seen.partial > 0).then(|| Limit::of_partial_designs(limits));
    let left_out = beyond_limits(limits, seen).into_iter().filter(|left| left.count > 0);
    let said = left_out.map(|left| Limit::new(format!("left out {}", left.said()), None));
    let unasked = limits.rounds > 0 && problem.constraint().rounds.iter().any(Option::is_none);
    let of_times = unasked.then(|| {
        let bound = searched.setting.bounds.bound;
        Limit::new(format!("entries of the rounds of a time are {}..{bound} (--bound {bound})", -bound), None)
    });
    let of_starts = searched.survey.refused.is_some().then(|| {
        let said = "of steps under which spaces meet or a queue grows only the shortest were looked at";
        Limit::new(said, None)
    });
    of_places.into_iter().chain(of_beam).chain(of_times).chain(of_starts).chain(said).collect()
}

/// In a placement that was tried a value has no way to one that reads it: `why` is that of one of them.
fn out_of_hand(searched: &Searched, reason: &Reason, why: &[Diagnostic]) -> Diagnostic {
    let source = &searched.kernel.cut.source;
    let said = why.iter().fold(reason.message(searched), |said, one| {
        let said = said.note(format!("in one a value has no way to its reader: {}", one.message()));
        one.labels().iter().fold(said, |said, (span, text)| said.label(source, *span, text))
    });
    said.help(next_step(&reason.limits, "let fewer readers share a value, or take another --network"))
}

/// The machine has fewer PEs along an axis than any placement needs.
fn oversized(searched: &Searched, reason: &Reason) -> Diagnostic {
    let count = grouped_count(searched.survey.rejections.oversized, "placement");
    let needs = if searched.survey.rejections.oversized == 1 { "needs" } else { "need" };
    let said = reason
        .message(searched)
        .note(format!("{count} {needs} a larger array than the machine has"))
        .help("smaller sizes, a lower rank, or a machine with a larger `extent`");
    at_place(searched, said)
}

/// A design with steps was turned down of which nothing that is owed is broken: the one or the other is wrong.
fn unfounded(searched: &Searched) -> Diagnostic {
    let kernel = &searched.kernel.cut.kernel;
    defect(format!("the search turns down a design of `{kernel}` of which everything is proved"))
}

/// Of the dataflows without times the one to speak of: one that meets what the schedule says, whose values go forwards, and
/// whose clash is small.
fn plainest<'a>(searched: &'a Searched) -> Option<(&'a Vec<SpaceDesign>, Stuck)> {
    let mut explained = vec![];
    for parts in &searched.survey.stuck {
        explained.extend(why_stuck(searched.problem.solved()?, parts).map(|why| (parts, why)));
        // What is too large to be decided takes long, and the others are as large.
        if matches!(explained.last(), Some((_, Stuck::Undecided(_)))) {
            break;
        }
    }
    explained.into_iter().min_by_key(|(parts, why)| match why {
        Stuck::Clash(laws) => {
            let given = laws.iter().any(|law| matches!(law, Law::Given(_)));
            (false, !given, backwards(parts), laws.len())
        }
        Stuck::Undecided(_) => (true, true, 0, 0),
    })
}

/// How many entries of the directions are negative.
fn backwards(parts: &[SpaceDesign]) -> usize {
    let moves = |part: &SpaceDesign| {
        let streams = part.dataflow.transports.iter().flat_map(|transport| transport.directions()).flatten();
        streams.chain(part.dataflow.chain.directions.iter().flatten()).filter(|entry| **entry < 0).count()
    };
    parts.iter().map(moves).sum()
}

/// The laws that cannot hold together, and what is broken where one of them gives way.
fn stuck(searched: &Searched, reason: &Reason, (parts, why): (&[SpaceDesign], &Stuck), limit: u64) -> Diagnostics {
    let (setting, kernel) = (searched.setting, &searched.kernel.cut.kernel);
    let laws = match why {
        Stuck::Undecided(why) => {
            let message = format!("the solver did not decide the steps of `{}`", kernel);
            return vec![Diagnostic::new(message).note(why)];
        }
        Stuck::Clash(laws) => laws,
    };
    let design = with_parts(searched, parts);
    let handoffs = design.handoffs(setting.machine.links.network).unwrap_or_default();
    let said = Laws { design: &design, handoffs: &handoffs, setting };
    let first = match reason.contradicts() {
        true => Diagnostic::new(reason.refusal.message(kernel)),
        false => Diagnostic::new(format!("under one placement of `{kernel}` no times can have all of this")),
    };
    let clash = said.add_all(first, laws).help("each is needed for the contradiction: change any one of them");
    let given = laws.iter().any(|law| matches!(law, Law::Given(_)));
    let task = searched.problem.solved().filter(|_| given);
    let near = task.and_then(|task| nearest(task, parts));
    let cases = near.map(|near| broken(searched, &with_parts(searched, &near), limit)).unwrap_or_default();
    std::iter::once(clash).chain(cases).collect()
}

/// What is wrong with a design that has times: the obligations that are refuted, or why they cannot be stated, or a bus that
/// no PE can feed.
fn broken(searched: &Searched, design: &Design, limit: u64) -> Diagnostics {
    match prove(searched, design, limit).map(|proofs| messages(searched, &proofs)) {
        Ok(refuted) if refuted.is_empty() => design.check_feeders().err().unwrap_or_default(),
        Ok(refuted) => refuted,
        Err(why) => why.into_iter().map(|problem| at_place(searched, problem)).collect(),
    }
}

/// A message without a place in the source is about the place that the schedule gives.
fn at_place(searched: &Searched, problem: Diagnostic) -> Diagnostic {
    match searched.setting.constraint.place_span {
        Some(span) if problem.labels().is_empty() => problem.label(&searched.kernel.cut.source, span, "this place"),
        _ => problem,
    }
}

/// No placement came as far as times.
fn no_place(searched: &Searched, reason: &Reason) -> Diagnostic {
    let diagnostic = match searched.setting.constraint.place_span {
        Some(_) if searched.survey.maps == 0 => out_of_reach(searched, reason),
        _ => without_reason(searched, reason),
    };
    let otherwise = "change the place: its rank, what its rows add up, or the network it is for";
    at_place(searched, diagnostic.help(next_step(&reason.limits, otherwise)))
}

/// What is known of placements of which none came as far as times.
fn without_reason(searched: &Searched, reason: &Reason) -> Diagnostic {
    let survey = &searched.survey;
    let formless = grouped_count(survey.formless, "placement");
    let unstated = grouped_count(survey.unstated, "dataflow");
    let notes = [
        (
            survey.formless,
            format!("in {formless} a value that is computed is neither handed over nor streamed to its reader"),
        ),
        (
            survey.unstated,
            format!(
                "in {unstated} a stream has no link or runs back in time, a PE runs two points at one time, or a number is too large"
            ),
        ),
    ];
    let said = notes.into_iter().filter(|(count, _)| *count > 0);
    said.fold(reason.message(searched), |diagnostic, (_, note)| diagnostic.note(note))
}

/// No places of the other spaces are a link away from what they take.
fn out_of_reach(searched: &Searched, reason: &Reason) -> Diagnostic {
    let (cut, setting) = (&searched.kernel.cut, searched.setting);
    let network = setting.machine.links.network;
    if let Some(rank) = setting.constraint.rank().filter(|rank| !network.carries_rank(*rank)) {
        return reason.message(searched).note(format!("a `{network}` network has no arrays of rank {rank}"));
    }
    let first = reason.message(searched).note("under this place a value has no link to where it is used");
    let said = first.note(format!("a {} network joins each PE with those next to it", network.keyword()));
    let reads = cut.spaces.iter().zip(&cut.sources).flat_map(|(space, sources)| {
        let computed = space.operands.iter().zip(sources).filter(|(_, sources)| !sources.is_empty());
        computed.map(move |(operand, _)| format!("`{}` takes `{}`", space.name, operand.tensor))
    });
    let reads: std::collections::BTreeSet<String> = reads.collect();
    said.note(reads.into_iter().collect::<Vec<_>>().join(", "))
}
