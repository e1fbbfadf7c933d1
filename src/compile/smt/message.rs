//! Verdicts as messages: both sides of the contradiction, the counterexample, and the next step.

use super::{Discharged, Verdict};
use systole_base::diagnostic::{Diagnostic, MessageCode};
use systole_base::span::Span;
use systole_equations::recurrence::Space;
use systole_program::obligation::Obligation;

/// What to tell the user; `None` where the obligation is proved.
///
/// `schedule` is the line of the source that sets the time or the place, where there is one.
pub fn refutation_message(space: &Space, schedule: Option<Span>, discharged: &Discharged) -> Option<Diagnostic> {
    let diagnostic = unproved_message(discharged)?;
    Some(match (schedule, &discharged.verdict) {
        (Some(span), Verdict::Refuted(_)) => diagnostic.label(&space.source, span, &discharged.obligation.reason.blame),
        _ => diagnostic,
    })
}

/// The same without a line of the source.
pub fn unproved_message(discharged: &Discharged) -> Option<Diagnostic> {
    let reason = &discharged.obligation.reason;
    let message = match &discharged.verdict {
        Verdict::Proved => return None,
        Verdict::Unknown(why) if !discharged.obligation.is_stated() => unstated(discharged, why),
        Verdict::Unknown(why) => undecided(discharged, why),
        Verdict::Refuted(counterexample) => {
            let case = if counterexample.smallest { "smallest case" } else { "one case" };
            Diagnostic::new(format!("refuted: {}", reason.broken))
                .note(&reason.available)
                .note(&reason.needed)
                .note(format!("{case} {counterexample}"))
                .help(&reason.help)
                .counterexample(counterexample.values.iter().map(|(name, value)| (name.to_string(), *value)))
        }
    };
    Some(message.about(MessageCode::Obligation(discharged.obligation.kind.keyword())))
}

fn unstated(discharged: &Discharged, why: &str) -> Diagnostic {
    let Obligation { kind, of, reason, .. } = &discharged.obligation;
    Diagnostic::new(format!("the {kind} of `{of}` is not stated")).note(why).help(&reason.help)
}

fn undecided(discharged: &Discharged, why: &str) -> Diagnostic {
    let (kind, of) = (discharged.obligation.kind, &discharged.obligation.of);
    Diagnostic::new(format!("the solver did not decide the {kind} of `{of}`"))
        .note(format!("after {:.0} ms: {why}", discharged.milliseconds))
        .help("allow more time with `--limit`, or write the queries with `systole prove --dump-smt FILE` for another solver")
}
