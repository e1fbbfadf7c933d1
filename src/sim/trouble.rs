//! What a program did wrong in a run, as a message that names the PE, the instruction and the element.

use super::engine::{Engine, Failure, Stop};
use super::memory::show_element;
use crate::array::{Instruction, Port, Program, Trouble, show_point};
use crate::diagnostic::Diagnostic;

/// The message for a run that was broken off.
pub(super) fn explain(program: &Program, engine: &Engine<'_>, stop: &Stop) -> Diagnostic {
    match stop {
        Stop::Failure(failure) => explain_failure(program, engine, failure),
        Stop::Budget(most) => Diagnostic::new(format!("the run takes more than {most} instructions"))
            .note("all PEs together; a loop may be longer than was meant".to_owned())
            .help("choose smaller sizes"),
    }
}

fn explain_failure(program: &Program, engine: &Engine<'_>, failure: &Failure) -> Diagnostic {
    let placed = engine.code().pes[failure.pe];
    let (class, code) = (&program.classes[placed.class], &engine.code().classes[placed.class]);
    let pe = show_point(&engine.code().grid.point(placed.position));
    let number = code.origins.get(failure.counter).copied().unwrap_or(0);
    let instruction = class.instruction(number).map(Instruction::summary).unwrap_or_default();
    Diagnostic::new(format!("PE {pe} {}", describe(program, engine, failure)))
        .note(format!("at `{instruction}` of class `{}`, clock {}", class.name, failure.clock))
}

fn describe(program: &Program, engine: &Engine<'_>, failure: &Failure) -> String {
    let class = &engine.code().classes[engine.code().pes[failure.pe].class];
    let layouts = &engine.code().arrays;
    match &failure.trouble {
        Trouble::Overflow => "computes a number that does not fit 64 bits".to_owned(),
        Trouble::OutOfRange { array, subscripts } => {
            let layout = &layouts[*array];
            let (name, element) = (&layout.name, show_point(subscripts));
            format!("reaches for `{name}{element}`, outside the shape {:?}", layout.shape)
        }
        Trouble::NotPrefetched { array, address } => {
            format!(
                "reads {} from its own memory without having prefetched it",
                show_element(&layouts[*array], *address)
            )
        }
        Trouble::StoredTwice { array, address } => {
            format!("stores {}, which was stored before", show_element(&layouts[*array], *address))
        }
        Trouble::NoPeer { port } => describe_missing_peer(program, engine, failure.pe, class.ports[*port]),
        Trouble::DrivenTwice { tap, tag } => {
            let bus = &program.buses[class.taps[*tap]].name;
            format!("drives tag {} of bus `{bus}`, which was driven before on this line", show_point(tag))
        }
    }
}

fn describe_missing_peer(program: &Program, engine: &Engine<'_>, pe: usize, port: Port) -> String {
    let channel = &program.channels[port.channel];
    let point = engine.code().grid.point(engine.code().pes[pe].position);
    let peer: Vec<i64> = point.iter().zip(&channel.offset).map(|(at, by)| at.saturating_add(*by)).collect();
    format!("sends on `{}` to PE {}, which does not receive on it", channel.name, show_point(&peer))
}
