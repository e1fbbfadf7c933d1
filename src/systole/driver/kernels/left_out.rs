//! What a search did not look at, in words.

use crate::driver::kernels::searched::Searched;
use crate::driver::shown::show::grouped;
use systole_base::diagnostic::plural;
use systole_compile::extract::{LeftOut as Seen, Limits, MOST_FREE};

/// Something that a search did not look at.
#[derive(Clone, Debug)]
pub struct LeftOut {
    /// Its name in the output for programs.
    pub key: &'static str,
    /// How many there are.
    pub count: u64,
    /// What they are.
    pub what: String,
}

impl LeftOut {
    /// How many of what.
    pub fn said(&self) -> String {
        // Counts end there.
        match self.count {
            u64::MAX => format!("more than 10^19 {}", self.what),
            count => format!("{} {}", grouped(count), self.what),
        }
    }
}

/// What the search left out; empty where it has no limits but its bounds. Under a place that is given, whoever gave it is told of
/// the times that were not looked at.
pub fn left_out(searched: &Searched) -> Vec<LeftOut> {
    if let Some(limits) = searched.problem.limits() {
        return beyond_limits(limits, &searched.survey.left_out);
    }
    let (maps, unclocked) = (searched.survey.left_out.maps, searched.survey.rejections.unclocked);
    let beyond = format!("{} at most, for which --budget {} has no room", plural(maps, "map"), searched.setting.budget);
    let what = format!("{} whose rows have no one length", plural(unclocked, "time"));
    let is_placed = searched.problem.constraint().only_place().is_some();
    let all = [
        LeftOut { key: "maps", count: maps, what: beyond },
        LeftOut { key: "unclocked_times", count: if is_placed { unclocked } else { 0 }, what },
    ];
    all.into_iter().filter(|left| left.count > 0).collect()
}

pub fn beyond_limits(limits: &Limits, seen: &Seen) -> Vec<LeftOut> {
    let (placements, dataflows) = (grouped(limits.placements as u64), grouped(limits.dataflows as u64));
    let some = |count, noun, rest: &str| format!("{} {rest}", plural(count, noun));
    let slanted = match u128::from(seen.slanted) < MOST_FREE {
        true => some(seen.slanted, "place", &format!("not along the axes (more than {} spaces)", limits.spaces)),
        false => some(seen.slanted, "place", "not along the axes (too many)"),
    };
    let crowded = match seen.partial {
        0 => some(seen.crowded, "place", &format!("cut short at {placements} placements")),
        _ => {
            let beside = format!("beside which no more than {} places were looked at", limits.next);
            some(seen.crowded, "partial design", &beside)
        }
    };
    let beyond =
        some(seen.dataflows, "dataflow", &format!("beyond the budget, or beyond {dataflows} for one placement"));
    let beside = some(seen.beside, "dataflow", "whose spaces take turns (too many ways to be beside each other)");
    let asked = format!("with more than {} ways to stream inputs in steps of their own", limits.asked);
    let streams = some(seen.streams, "dataflow", &asked);
    let unlisted = some(seen.unlisted, "line", "of a place not looked at to the end (too many placements)");
    let one_by_one = "(too many to look at all: the spaces were searched one after the other)";
    let partial = some(seen.partial, "partial design", one_by_one);
    let unseen = some(seen.placements, "placement", &format!("for which --budget {} has no room", limits.asked_for()));
    vec![
        LeftOut { key: "placements", count: seen.placements, what: unseen },
        LeftOut { key: "partial_designs", count: seen.partial, what: partial },
        LeftOut { key: "slanted_places", count: seen.slanted, what: slanted },
        LeftOut { key: "crowded_places", count: seen.crowded, what: crowded },
        LeftOut { key: "unlisted_places", count: seen.unlisted, what: unlisted },
        LeftOut { key: "dataflows", count: seen.dataflows, what: beyond },
        LeftOut { key: "beside", count: seen.beside, what: beside },
        LeftOut { key: "streams", count: seen.streams, what: streams },
    ]
}
