//! The scheme of a design that the search chose.
//!
//! A design says how each operand reaches its uses. The scheme lets every stream pass from process to process; it covers
//! designs whose operands stream that way, and prefetched ones that stay on their PE: loading them through the array is
//! how they get there when memory is at the border only.

use super::{Loading, Scheme, systolize};
use crate::mapping::MappedSpace;
use crate::rewrite::Transport;
use systole_base::diagnostic::{Checked, Diagnostic, Diagnostics};

/// The scheme that loads, moves and recovers the streams of a design.
///
/// # Errors
/// Every restriction of the scheme that the design breaks; operands that do not pass from process to process.
pub fn scheme_of(design: &MappedSpace, loading: &[Loading]) -> Checked<Scheme> {
    let scheme = systolize(design.space, &design.map, loading)?;
    let operands = design.dataflow.transports.iter().zip(&scheme.streams);
    let mut problems: Diagnostics = vec![];
    for (position, (transport, stream)) in operands.enumerate() {
        let covered = match transport {
            Transport::Stream(along) => *along == stream.reuse || stream.is_stationary(),
            Transport::Prefetch => stream.is_stationary(),
            Transport::Tree(_)
            | Transport::Broadcast(_)
            | Transport::Bus
            | Transport::Feed
            | Transport::Handoff
            | Transport::Local
            | Transport::Memory => false,
        };
        if !covered {
            problems.push(refusal(design, position, transport));
        }
    }
    let output = scheme.accumulation();
    if design.dataflow.chain.directions.iter().any(|along| along != output) {
        let space = design.space;
        let message = format!("`{}` is not accumulated along {}", space.output, space.show_direction(output));
        problems.push(Diagnostic::new(message).label(&space.source, space.span, "this equation"));
    }
    if problems.is_empty() { Ok(scheme) } else { Err(problems) }
}

fn refusal(design: &MappedSpace, position: usize, transport: &Transport) -> Diagnostic {
    let (space, operand) = (design.space, &design.space.operands[position]);
    let message = format!("`{}` does not pass from process to process: {}", operand.tensor, transport.show(space));
    Diagnostic::new(message)
        .label(&space.source, operand.span, "this operand")
        .help("the scheme has no other way in than from a neighbour; use `stream`")
}
