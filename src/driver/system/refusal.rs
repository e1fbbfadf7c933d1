//! Why there is no design: the laws that clash, and the smallest case of what is broken, in the words of the source.

use super::pipeline::{self, Loaded, Searched};
use super::setting::Setting;
use super::words::Words;
use crate::diagnostic::{Diagnostic, Diagnostics};
use crate::driver::show::grouped;
use crate::extract::{Law, Stuck, nearest, why_stuck};
use crate::mapping::{Part, SystemDesign, restrict};
use crate::smt::{Discharged, refutation_message};
use crate::span::Span;

/// The messages of all obligations that are not proved; `schedule` is the line that sets the times.
pub fn messages(loaded: &Loaded, schedule: Option<Span>, proofs: &[Discharged]) -> Vec<Diagnostic> {
    proofs.iter().filter_map(|proof| refutation_message(&loaded.cut.spaces[0], schedule, proof)).collect()
}

/// The messages for an empty front.
pub fn nothing_found(loaded: &Loaded, searched: &Searched, setting: &Setting, limit: u64) -> Vec<Diagnostic> {
    let survey = &searched.survey;
    let clash = plainest(loaded, setting, &survey.stuck);
    let plain = |parts: &Vec<Part>| clash.as_ref().is_none_or(|(stuck, _)| backwards(parts) <= backwards(stuck));
    if let Some(parts) = survey.refused.as_ref().filter(|parts| plain(parts)) {
        let broken = broken(loaded, searched, setting, parts, limit);
        if !broken.is_empty() {
            return broken;
        }
    }
    match (&clash, &survey.unreachable) {
        (Some((parts, why)), _) => stuck(loaded, searched, setting, (parts, why), limit),
        (None, Some(why)) => why.iter().map(|problem| at_place(loaded, setting, problem.clone())).collect(),
        (None, None) => vec![no_place(loaded, searched, setting)],
    }
}

/// Of the dataflows without times the one to speak of: one that meets what the schedule says, whose values go forwards, and
/// whose clash is small.
fn plainest<'a>(loaded: &Loaded, setting: &Setting, all: &'a [Vec<Part>]) -> Option<(&'a Vec<Part>, Stuck)> {
    let problem = setting.problem(loaded).ok()?;
    let explained = all.iter().filter_map(|parts| Some((parts, why_stuck(&problem, parts)?)));
    explained.min_by_key(|(parts, why)| match why {
        Stuck::Clash(laws) => {
            let given = laws.iter().any(|law| matches!(law, Law::Given(_)));
            (false, !given, backwards(parts), laws.len())
        }
        Stuck::Undecided(_) => (true, true, 0, 0),
    })
}

/// How many entries of the directions are negative.
fn backwards(parts: &[Part]) -> usize {
    let moves = |part: &Part| {
        let streams = part.dataflow.transports.iter().filter_map(|transport| transport.direction()).flatten();
        streams.chain(part.dataflow.chain.directions.iter().flatten()).filter(|entry| **entry < 0).count()
    };
    parts.iter().map(moves).sum()
}

/// The laws that cannot hold together, and what is broken where one of them gives way.
fn stuck(
    loaded: &Loaded,
    searched: &Searched,
    setting: &Setting,
    (parts, why): (&[Part], &Stuck),
    limit: u64,
) -> Diagnostics {
    let laws = match why {
        Stuck::Undecided(why) => {
            let message = format!("the solver did not decide the steps of `{}`", loaded.cut.kernel);
            return vec![Diagnostic::new(message).note(why)];
        }
        Stuck::Clash(laws) => laws,
    };
    let design = SystemDesign { system: &loaded.cut, parts: parts.to_vec() };
    let handoffs = design.handoffs(setting.machine.links.network).unwrap_or_default();
    let words = Words { design: &design, handoffs: &handoffs, setting };
    let first = Diagnostic::new(format!("no times of `{}` satisfy all of these together", loaded.cut.kernel));
    let clash = words.add_all(first, laws).help("each is needed for the contradiction: change any one of them");
    let given = laws.iter().any(|law| matches!(law, Law::Given(_)));
    let problem = setting.problem(loaded).ok().filter(|_| given);
    let near = problem.and_then(|problem| nearest(&problem, parts));
    let cases = near.map(|near| broken(loaded, searched, setting, &near, limit)).unwrap_or_default();
    std::iter::once(clash).chain(cases).collect()
}

/// What is wrong with a design that has times: the obligations that are refuted, or why they cannot be stated.
fn broken(loaded: &Loaded, searched: &Searched, setting: &Setting, parts: &[Part], limit: u64) -> Diagnostics {
    let design = SystemDesign { system: &loaded.cut, parts: parts.to_vec() };
    match pipeline::prove(&design, &searched.machine, limit) {
        Ok(proofs) => messages(loaded, setting.constraint.span, &proofs),
        Err(why) => why.into_iter().map(|problem| at_place(loaded, setting, problem)).collect(),
    }
}

/// A message without a place in the source is about the place that the schedule gives.
fn at_place(loaded: &Loaded, setting: &Setting, problem: Diagnostic) -> Diagnostic {
    match setting.constraint.place_span {
        Some(span) if problem.labels().is_empty() => problem.label(&loaded.cut.source, span, "this place"),
        _ => problem,
    }
}

/// No placement came as far as times.
fn no_place(loaded: &Loaded, searched: &Searched, setting: &Setting) -> Diagnostic {
    let cut = &loaded.cut;
    let crowded: Vec<String> = (0..cut.spaces.len()).filter_map(|space| crowd(loaded, setting, space)).collect();
    let diagnostic = match (crowded.is_empty(), setting.constraint.place_span) {
        (false, _) => crowded.iter().fold(
            Diagnostic::new(format!("a PE would run more than one dimension of a space of `{}`", cut.kernel)),
            |diagnostic, note| diagnostic.note(note),
        ),
        (true, Some(_)) if searched.survey.maps == 0 => out_of_reach(loaded, setting),
        _ => {
            let maps = grouped(searched.survey.maps);
            Diagnostic::new(format!("no design of `{}` is legal among {maps} placements", cut.kernel))
        }
    };
    let diagnostic = diagnostic.help("change the place: its rank, what its rows add up, or the network it is for");
    at_place(loaded, setting, diagnostic)
}

/// What the schedule's place leaves of a space to each PE, where that is more than one dimension.
fn crowd(loaded: &Loaded, setting: &Setting, space: usize) -> Option<String> {
    let (cut, member) = (&loaded.cut, &loaded.cut.members[space]);
    let place = setting.constraint.places[member.family].as_ref()?;
    let points = &cut.spaces[space];
    let family = &cut.families[member.family].indices;
    let (place, _) = restrict(place, family, &member.embedding, points.indices());
    let shared: Vec<String> = place.null_lattice().iter().map(|along| points.show_direction(along)).collect();
    let note = || format!("`{}` would run along {} on one PE; its times are plain", points.name, shared.join(" and "));
    (shared.len() > 1).then(note)
}

/// No places of the other spaces are a link away from what they take.
fn out_of_reach(loaded: &Loaded, setting: &Setting) -> Diagnostic {
    let (cut, network) = (&loaded.cut, setting.machine.links.network);
    if let Some(rank) = setting.constraint.rank().filter(|rank| !network.carries_rank(*rank)) {
        return Diagnostic::new(format!("a `{network}` network has no arrays of rank {rank}"));
    }
    let first =
        Diagnostic::new(format!("under this place a value of `{}` has no link to where it is used", cut.kernel));
    let noted = first.note(format!("a {} network joins each PE with those next to it", network.keyword()));
    let reads = cut.spaces.iter().zip(&cut.sources).flat_map(|(space, sources)| {
        let computed = space.operands.iter().zip(sources).filter(|(_, sources)| !sources.is_empty());
        computed.map(move |(operand, _)| format!("`{}` takes `{}`", space.name, operand.tensor))
    });
    let reads: std::collections::BTreeSet<String> = reads.collect();
    noted.note(reads.into_iter().collect::<Vec<_>>().join(", "))
}
