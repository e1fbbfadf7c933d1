//! What a design must satisfy before obligations can be stated: shapes that agree, numbers that cannot overflow, links
//! that exist.

use super::wording::vector;
use crate::diagnostic::{Checked, Diagnostic};
use crate::mapping::{Design, Flow, Links};
use crate::rewrite::Transport;

/// The largest entry of a map, a direction or a link: products of three of them, summed over all indices, fit 64 bits.
const LARGEST: i64 = 100_000;

/// Refuses a design whose parts do not fit together or whose numbers are too large to reckon with.
pub(super) fn check_design(design: &Design, links: &Links) -> Checked<()> {
    let dimension = design.space.dimension();
    let shapes = [&design.map.place, &design.map.step].iter().all(|matrix| matrix.columns() == dimension)
        && directions(design).all(|direction| direction.len() == dimension)
        && design.dataflow.transports.len() == design.space.operands.len();
    let fits = |entry: &i64| entry.unsigned_abs() <= LARGEST.unsigned_abs();
    let rows = design.map.place.rows().iter().chain(design.map.step.rows());
    let kernel = &design.space.kernel;
    if !shapes {
        return Diagnostic::new(format!("the design does not fit the {dimension} indices of `{kernel}`")).alone();
    }
    if design.map.step.rows().is_empty() {
        return Diagnostic::new(format!("the points of `{kernel}` have no time"))
            .help("give the schedule a line such as `time i + j`")
            .alone();
    }
    if !rows.chain(directions(design)).flatten().chain([&links.latency, &links.response]).all(fits) {
        return Diagnostic::new(format!("the schedule of `{kernel}` has a number beyond {LARGEST}"))
            .help("use smaller coefficients, latencies and response times")
            .alone();
    }
    check_links(links)
}

/// Refuses flows that one network cannot carry together.
pub(super) fn check_network(design: &Design, flows: &[Flow], links: &Links) -> Checked<()> {
    let (network, rank) = (links.network, design.map.rank());
    if !network.carries_rank(rank) {
        return Diagnostic::new(format!("a `{network}` network has no arrays of rank {rank}"))
            .help("choose another network, such as `mesh`, or fewer dimensions in `place`")
            .alone();
    }
    if !network.joins(flows.iter().map(|flow| flow.displacement.as_slice())) {
        let moves: Vec<String> =
            flows.iter().map(|flow| format!("`{}` moves by {}", flow.of, vector(&flow.displacement))).collect();
        return Diagnostic::new(format!("the flows need both diagonals of a `{network}` network"))
            .note(moves.join(", "))
            .help("a `king` network has both diagonals")
            .alone();
    }
    Ok(())
}

fn check_links(links: &Links) -> Checked<()> {
    if links.latency < 1 || links.response < 0 {
        return Diagnostic::new("a link takes at least 1 cycle, and a response at least 0")
            .note(format!("latency {}, response {}", links.latency, links.response))
            .alone();
    }
    Ok(())
}

fn directions<'a>(design: &'a Design) -> impl Iterator<Item = &'a Vec<i64>> {
    let transported = design.dataflow.transports.iter().filter_map(|transport| match transport {
        Transport::Stream(direction) | Transport::Broadcast(direction) => Some(direction),
        Transport::Prefetch | Transport::Feed => None,
    });
    transported.chain(&design.dataflow.chain.directions)
}
