//! Broadcasts on machines whose buses take time.
//!
//! In: the choices for a space. Out: those that the machine's buses can serve. A broadcast has its listeners run in the step
//! of the drive (obligation `alignment`), so no schedule is right for a bus of latency 1 or more, and none is offered.

use crate::rewrite::{Choices, Transport};
use systole_base::diagnostic::{Checked, Diagnostic};
use systole_base::machine::Machine;
use systole_equations::recurrence::Space;

/// The choices less the broadcasts that would be heard too late.
///
/// # Errors
/// A tensor that the schedule, or a flag, broadcasts: nothing else is left for it.
pub fn heard_at_once(space: &Space, mut choices: Choices, machine: &Machine) -> Checked<Choices> {
    if machine.buses.latency == 0 {
        return Ok(choices);
    }
    let mut problems = vec![];
    for (operand, offered) in space.operands.iter().zip(&mut choices.transports) {
        let is_offered = !offered.is_empty();
        offered.retain(|choice| !matches!(choice, Transport::Broadcast(_) | Transport::Bus));
        if is_offered && offered.is_empty() {
            problems.push(too_late(space, &operand.tensor, machine));
        }
    }
    if problems.is_empty() { Ok(choices) } else { Err(problems) }
}

fn too_late(space: &Space, tensor: &str, machine: &Machine) -> Diagnostic {
    let (name, latency) = (&machine.name, machine.buses.latency);
    Diagnostic::new(format!("`{tensor}` cannot be broadcast on `{name}`, whose buses have latency {latency}"))
        .label(&space.source, space.span, format!("`{tensor}` would be heard in the step in which it is driven"))
        .help("stream it; or emit the program for buses of latency 0 and see with `sim --machine` what it loses")
}
