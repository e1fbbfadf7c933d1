//! That a program does not keep to its schedule: some PE waits, though links and memory are as fast as its text says.
//!
//! In: a run in the program's own time. Out: nothing where nobody waits, else a warning that says who waits first, where and when. No
//! value is wrong for that, since PEs wait for one another; but the text is not one that was proved. The run is run once more before an
//! observer, which costs time only where something is to be told.

use systole_base::diagnostic::{Checked, Diagnostic};
use systole_base::integer::Bindings;
use systole_program::array::{Instruction, Program, Tensors, show_point};
use systole_run::sim;
use systole_run::sim::first_wait::{Awaited, FirstWait, FirstWaits};
use systole_run::sim::{Outcome, Settings};

/// The first wait of a run that says when its points begin; `None` where nobody waits, or for ever, which is told by itself.
///
/// # Errors
/// Those of the run, which had none.
pub fn first_wait(
    (program, sizes, inputs): (&Program, &Bindings, &Tensors),
    settings: &Settings,
    outcome: &Outcome,
) -> Checked<Option<FirstWait>> {
    let waited = outcome.counters.pes.iter().any(|pe| pe.stalled + pe.starved > 0);
    if !waited || outcome.deadlock.is_some() || !has_schedule(program) {
        return Ok(None);
    }
    let mut waits = FirstWaits::default();
    sim::simulate_observed(program, sizes, inputs, settings, &mut waits)?;
    Ok(waits.first())
}

/// Whether its text says when points begin.
fn has_schedule(program: &Program) -> bool {
    let mut is_timed = false;
    program.each_instruction(|instruction| is_timed |= matches!(instruction, Instruction::At(_)));
    is_timed
}

/// `warning: PE (0) waits from cycle 1 to 3 for a word on bus `X-memory`; ..`.
pub fn warning(program: &Program, wait: &FirstWait) -> Diagnostic {
    let channel = |number: usize| program.channels.get(number).map_or("", |channel| &*channel.name);
    let bus = |number: usize| program.buses.get(number).map_or("", |bus| &*bus.name);
    let awaited = match wait.awaited {
        Awaited::Word(number) => format!("a word of channel `{}`", channel(number)),
        Awaited::Bus(number) => format!("a word on bus `{}`", bus(number)),
        Awaited::Slot(number) => format!("a slot of channel `{}`", channel(number)),
    };
    let FirstWait { pe, from, to, .. } = wait;
    Diagnostic::new(format!(
        "PE {} waits from cycle {from} to {to} for {awaited}; a program that keeps to its schedule waits for nothing",
        show_point(pe)
    ))
}
