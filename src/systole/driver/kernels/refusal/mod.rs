//! Why there is no design, in the words of the source.
//!
//! In: a search that found nothing. Out: which kind of refusal that is, and messages: what stood in the way of how many maps
//! (`enumerated`), or which laws clash (`solved`), with the smallest case of what is broken. The first message carries the kind.

mod enumerated;

mod laws;

mod solved;

use crate::driver::kernels::limits::{Limit, in_words, noted};
use crate::driver::kernels::searched::{Border, Searched};
use systole_base::diagnostic::{Checked, Diagnostic, Diagnostics, refused};
use systole_base::refusal::{Clash, Refusal, WithoutOne};
use systole_compile::extract::Strategy;
use systole_compile::mapping::Design;

/// Why a search found nothing, and what it did not look at.
pub struct Reason {
    /// The kind, with its data.
    pub refusal: Refusal,
    limits: Vec<Limit>,
}

impl Reason {
    /// Finds out why the search found nothing.
    pub fn of(searched: &Searched) -> Reason {
        let limits = match searched.problem.strategy() {
            Strategy::Enumerate => enumerated::limits(searched),
            Strategy::Solve => solved::limits(searched),
        };
        let (constraint, (said, flags)) = (searched.problem.constraint().clone(), in_words(&limits));
        let (problem, survey) = (&searched.problem, &searched.survey);
        let refusal = searched
            .kernel
            .inquire(searched.setting, constraint, |inquiry| inquiry.refusal(problem, survey, (&said, &flags)));
        Reason { refusal: as_tried(searched, refusal), limits }
    }

    /// The message that there is no design, with how much was looked at.
    fn message(&self, searched: &Searched) -> Diagnostic {
        let said = Diagnostic::new(self.refusal.message(&searched.kernel.cut.kernel)).note(searched.survey.looked_at());
        match self.refusal {
            Refusal::NotFound { .. } => noted(said, &self.limits),
            _ => said,
        }
    }

    /// Whether the schedule is at fault, whatever else is chosen.
    fn contradicts(&self) -> bool {
        matches!(self.refusal, Refusal::Contradiction(_))
    }
}

/// The systolizing scheme is not tried with fewer lines, so of a border nobody knows whether all lines are needed.
fn as_tried(searched: &Searched, refusal: Refusal) -> Refusal {
    let unknown = |clash: Clash| Clash { without_one: WithoutOne::Unknown, ..clash };
    match (&searched.border, refusal) {
        (Border::Anywhere, refusal) => refusal,
        (_, Refusal::Contradiction(clash)) => Refusal::Contradiction(unknown(clash)),
        (_, Refusal::NotFound { limits, flags, lines }) => {
            Refusal::NotFound { limits, flags, lines: lines.map(unknown) }
        }
        (_, refusal) => refusal,
    }
}

/// Why no design of a front is taken, each of which is refuted or not decided: a whole design contradicts itself, of what was searched
/// there may be others.
pub fn of_front(searched: &Searched) -> Refusal {
    let constraint = searched.problem.constraint();
    match constraint.span.filter(|_| constraint.given.is_some()) {
        Some(span) => Refusal::Contradiction(Clash::of_one(&searched.kernel.cut.source, span)),
        None => Refusal::beyond("only the designs of the front are proved"),
    }
}

/// Why the search found nothing; what is proved for that has so many milliseconds for each obligation.
pub fn why_nothing(searched: &Searched, limit: u64) -> Checked<Diagnostics> {
    let reason = Reason::of(searched);
    let said = match searched.problem.strategy() {
        Strategy::Enumerate => enumerated::why_nothing(searched, &reason, limit)?,
        Strategy::Solve => solved::nothing_found(searched, &reason, limit),
    };
    Ok(refused(reason.refusal, said))
}

/// What stood in the way where all maps were looked at.
pub fn nothing_found(searched: &Searched) -> Diagnostic {
    let reason = Reason::of(searched);
    enumerated::nothing_found(searched, &reason).refuses(reason.refusal)
}

/// The design whose broken laws [`why_nothing`] shows, where steps are solved for.
pub fn nearest_design<'a>(searched: &Searched<'a>, limit: u64) -> Option<Design<'a>> {
    solved::nearest_design(searched, limit)
}
