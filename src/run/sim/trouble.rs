//! Why a simulated run was broken off, as a message.

use super::engine::{Engine, Meeting, Stop};
use crate::shared::{Fault, explain_fault};
use systole_base::diagnostic::Diagnostic;
use systole_program::array::{Program, show_point};

/// The message for a run that was broken off.
pub(super) fn explain(program: &Program, engine: &Engine<'_>, stop: Stop) -> Diagnostic {
    match stop {
        Stop::Failure(failure) => {
            let clock = Some(failure.clock);
            let fault = Fault { pe: failure.pe, counter: failure.counter, clock, trouble: failure.trouble };
            explain_fault(program, engine.code(), &fault)
        }
        Stop::Budget(most) => Diagnostic::new(format!("the run takes more than {most} instructions"))
            .note("all PEs together; a loop may be longer than was meant".to_owned())
            .help("choose smaller sizes"),
        Stop::Cancelled => Diagnostic::new("the run was stopped before its end"),
        Stop::Memory(bytes) => {
            let [need, limit] = bytes.map(|bytes| bytes >> 20);
            Diagnostic::new(format!("the tiles of the run take {need} MiB, more than the limit of {limit} MiB"))
                .note("those that PEs hold, and those on channels and buses".to_owned())
                .help("choose smaller sizes, or smaller tiles")
        }
    }
}

/// The message for two words that were on one bus in one cycle.
pub(super) fn explain_meeting(program: &Program, engine: &Engine<'_>, meeting: &Meeting) -> Diagnostic {
    let (code, bus) = (engine.code(), &program.buses[meeting.bus].name);
    let [one, other] = meeting.words.each_ref().map(|(pe, tag)| {
        let pe = code.grid.point(code.pes[*pe].position);
        format!("PE {} drives tag {}", show_point(&pe), show_point(tag))
    });
    Diagnostic::new(format!("bus `{bus}` carries two words of one line in cycle {}", meeting.clock))
        .note(format!("{one}, and {other}"))
        .help("a bus carries one word in a cycle: let its drivers take turns")
}
