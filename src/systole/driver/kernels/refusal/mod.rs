//! Why there is no design, in the words of the source.
//!
//! In: a search that found nothing. Out: messages: what stood in the way of how many maps (`enumerated`), or which laws clash
//! (`solved`), with the smallest case of what is broken.

mod enumerated;

mod laws;

mod solved;

use crate::driver::kernels::searched::Searched;
use systole_base::diagnostic::{Checked, Diagnostics};
use systole_compile::extract::Strategy;
use systole_compile::mapping::Design;

pub use enumerated::nothing_found;

/// Why the search found nothing; what is proved for that has so many milliseconds for each obligation.
pub fn why_nothing(searched: &Searched, limit: u64) -> Checked<Diagnostics> {
    match searched.problem.strategy() {
        Strategy::Enumerate => enumerated::why_nothing(searched, limit),
        Strategy::Solve => Ok(solved::nothing_found(searched, limit)),
    }
}

/// The design whose broken laws [`why_nothing`] shows, where steps are solved for.
pub fn nearest_design<'a>(searched: &Searched<'a>, limit: u64) -> Option<Design<'a>> {
    solved::nearest_design(searched, limit)
}
