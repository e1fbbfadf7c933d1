//! What a program did wrong in a run, as a message that names the PE, the instruction and the element.
//!
//! In: a [`Fault`], of the simulator or of a back end without clocks. Out: one [`Diagnostic`], the same for all of them but
//! for the clock.

use super::memory::show_element;
use systole_base::diagnostic::{Diagnostic, counted};
use systole_program::array::{Code, Instruction, Port, Program, Trouble, show_point, unflatten};

/// What a PE did wrong.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Fault {
    /// The PE, as a position in the code.
    pub pe: usize,
    /// The op it stands at.
    pub counter: usize,
    /// None on a back end without clocks.
    pub clock: Option<u64>,
    pub trouble: Trouble,
}

/// The message for what a PE did wrong.
pub(crate) fn explain_fault(program: &Program, code: &Code, fault: &Fault) -> Diagnostic {
    let placed = code.pes[fault.pe];
    let (class, flat) = (&program.classes[placed.class], &code.classes[placed.class]);
    let pe = show_point(&code.grid.point(placed.position));
    let number = flat.origins.get(fault.counter).copied().unwrap_or(0);
    let instruction = class.instruction(number).map(Instruction::summary).unwrap_or_default();
    let clock = fault.clock.map_or_else(String::new, |clock| format!(", clock {clock}"));
    Diagnostic::new(format!("PE {pe} {}", describe(program, code, fault)))
        .note(format!("at `{instruction}` of class `{}`{clock}", class.name))
}

fn describe(program: &Program, code: &Code, fault: &Fault) -> String {
    let class = &code.classes[code.pes[fault.pe].class];
    let layouts = &code.arrays;
    match &fault.trouble {
        Trouble::Overflow => "computes a number that does not fit 64 bits".to_owned(),
        Trouble::OutOfRange { array, subscripts } => {
            let layout = &layouts[*array];
            let (name, element) = (&layout.name, show_point(subscripts));
            let of_tiles = if layout.boxes.is_empty() { "" } else { " of tiles" };
            format!("reaches for `{name}{element}`, outside the shape {:?}{of_tiles}", layout.shape)
        }
        Trouble::NotPrefetched { array, address } => {
            format!(
                "reads {} from its own memory without having prefetched it",
                show_element(&layouts[*array], *address)
            )
        }
        Trouble::OutsideScratchpad { pad, subscripts } => {
            let (name, shape) = (&program.scratchpads[*pad].name, &code.scratchpads[*pad].shape);
            format!("reaches for `{name}{}`, outside its scratchpad of shape {shape:?}", show_point(subscripts))
        }
        Trouble::NotKept { pad, element } => {
            format!("recalls {} from its scratchpad, which it has not kept", show_kept(program, code, *pad, *element))
        }
        Trouble::KeptOver { pad, element, by } => {
            let [element, by] = [element, by].map(|element| show_kept(program, code, *pad, *element));
            format!("recalls {element} from its scratchpad, where the word holds {by}")
        }
        Trouble::FullCell { operations } => {
            format!("does {} in one step, more than its cell holds", counted(*operations, "operation"))
        }
        Trouble::StoredTwice { array, address } => {
            format!("stores {}, which was stored before", show_element(&layouts[*array], *address))
        }
        Trouble::OtherBox { needed, found } => {
            format!("has a tile of {} where one of {needed} is needed", counted(*found, "element"))
        }
        Trouble::NoPeer { port } => describe_missing_peer(program, code, fault.pe, class.ports[*port]),
        Trouble::DrivenTwice { tap, tag } => {
            let bus = &program.buses[class.taps[*tap]].name;
            format!("drives tag {} of bus `{bus}`, which was driven before on this line", show_point(tag))
        }
        Trouble::WrongTile { leaf } => {
            format!(
                "calls leaf `{}` with a tile that does not have the elements of its box",
                program.leaves[*leaf].name
            )
        }
        Trouble::OutsideWindow { leaf, window } => {
            let leaf = &program.leaves[*leaf];
            format!("calls leaf `{}`, which reaches out of its window of `{}`", leaf.name, leaf.windows[*window].tensor)
        }
    }
}

/// An element of a scratchpad: `X-kept(1, 0)`.
fn show_kept(program: &Program, code: &Code, pad: usize, element: usize) -> String {
    let subscripts = unflatten(&code.scratchpads[pad].shape, element);
    let subscripts: Vec<i64> = subscripts.into_iter().map(|subscript| subscript as i64).collect();
    format!("`{}{}`", program.scratchpads[pad].name, show_point(&subscripts))
}

fn describe_missing_peer(program: &Program, code: &Code, pe: usize, port: Port) -> String {
    let channel = &program.channels[port.channel];
    let point = code.grid.point(code.pes[pe].position);
    let peer: Vec<i64> = point.iter().zip(&channel.offset).map(|(at, by)| at.saturating_add(*by)).collect();
    format!("sends on `{}` to PE {}, which does not receive on it", channel.name, show_point(&peer))
}
