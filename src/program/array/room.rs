//! What a run may take of memory.
//!
//! In: a program's arrays, grid and classes at given sizes. Out: a refusal where what a run holds for them would not fit,
//! before anything is allocated. In a program over tiles a register, and a slot of a channel, holds a tile.

use super::Program;
use super::code::{ClassCode, Grid, Layout, Pad};
use systole_base::diagnostic::{Checked, Diagnostic, counted};
use systole_base::integer::Bindings;
use systole_equations::tiles::Axis;

/// Bytes of an element: the user's and the simulator's copy, and whether it is stored.
pub(super) const ELEMENT_BYTES: u128 = 17;

/// Bytes of an entry of a scratchpad: where it is and what it holds, in a table that is half empty.
const ENTRY_BYTES: u128 = 64;

/// What a simulated run may take of memory, in bytes; so much of PEs each of the processes of any other.
pub const MEMORY_LIMIT: u64 = 8 << 30;

/// More bytes of arrays and tiles have no run, so that bytes are counted in 64 bits.
const ADDRESSABLE: u128 = 1 << 50;

/// What there is room for, in bytes.
pub(super) struct Room {
    /// Of the state of PEs, without tiles.
    pes: u128,
    /// In all.
    all: u128,
}

impl Room {
    /// Of a simulated run.
    pub fn of_simulation() -> Room {
        Room { pes: MEMORY_LIMIT.into(), all: MEMORY_LIMIT.into() }
    }

    /// Of a run by so many processes, whose arrays and tiles are counted by who shares them out.
    pub fn of_processes(processes: usize) -> Room {
        Room { pes: u128::from(MEMORY_LIMIT).saturating_mul(processes as u128), all: ADDRESSABLE }
    }
}

/// Refuses sizes whose state would not fit, counting what a run holds for each element and for each PE of the grid.
pub(super) fn check_memory(
    (program, sizes): (&Program, &Bindings),
    (arrays, scratchpads): (&[Layout], &[Pad]),
    grid: &Grid,
    classes: &[ClassCode],
    room: &Room,
) -> Checked<()> {
    let elements: u128 = arrays.iter().map(|array| volume(&array.elements)).fold(0, u128::saturating_add);
    let pes = volume(&grid.extents);
    let kept: u128 = scratchpads.iter().map(|pad| most_kept(pad, pes)).fold(0, u128::saturating_add);
    let pe_bytes = classes.iter().map(ClassCode::bytes).max().unwrap_or(0);
    let tiles = if program.is_over_tiles() { tiles_of_a_pe(program, classes) } else { 0 };
    let tile_bytes = u128::from(largest_word(program, sizes, arrays)) * 8;
    let of_pes = pes.saturating_mul(pe_bytes + 8);
    let of_words = pes.saturating_mul(tiles).saturating_mul(tile_bytes);
    let of_elements = elements.saturating_mul(ELEMENT_BYTES).saturating_add(kept.saturating_mul(ENTRY_BYTES));
    let bytes = of_pes.saturating_add(of_words).saturating_add(of_elements);
    if of_pes <= room.pes && bytes <= room.all {
        return Ok(());
    }
    let (need, limit) = if bytes > room.all { (bytes >> 20, room.all) } else { (of_pes >> 20, room.pes) };
    let of_tiles = if tiles > 0 {
        format!(", {} of {} a PE", counted(tiles, "tile"), counted(tile_bytes, "byte"))
    } else {
        String::new()
    };
    Diagnostic::new(format!("these sizes need about {need} MiB, more than the limit of {} MiB", limit >> 20))
        .note(format!("{} and {}{of_tiles}", counted(pes, "PE"), counted(elements, "array element")))
        .help("choose smaller sizes")
        .alone()
}

/// How many words of a scratchpad all PEs together use at most: one PE keeps an element, and each has so many words. Elements are
/// counted from 0 on, so there may not be too many of them either.
fn most_kept(pad: &Pad, pes: u128) -> u128 {
    let elements = volume(&pad.shape);
    if elements > ADDRESSABLE { elements } else { elements.min(volume(&pad.room).saturating_mul(pes)) }
}

fn volume(extents: &[usize]) -> u128 {
    extents.iter().fold(1u128, |product, extent| product.saturating_mul((*extent).max(1) as u128))
}

/// How many tiles a PE holds at most: in its registers, and in the slots of the channels that it sends on.
fn tiles_of_a_pe(program: &Program, classes: &[ClassCode]) -> u128 {
    let slots = |class: &ClassCode| {
        let sends = class.ports.iter().filter(|port| port.sends);
        sends.map(|port| u128::from(program.channels[port.channel].depth)).fold(0, u128::saturating_add)
    };
    classes.iter().map(|class| slots(class).saturating_add(class.registers as u128)).max().unwrap_or(0)
}

/// The most elements of a word: 1, or those of the largest tile that is loaded, or that a leaf gives.
fn largest_word(program: &Program, sizes: &Bindings, arrays: &[Layout]) -> u64 {
    let loaded = arrays.iter().map(|array| array.largest_word() as u64);
    given_by_leaves(program, sizes).into_iter().chain(loaded).max().unwrap_or(1)
}

/// The most elements of a tile that each leaf gives; at least 1.
pub(super) fn given_by_leaves(program: &Program, sizes: &Bindings) -> Vec<u64> {
    let given = program.leaves.iter().map(|leaf| {
        let sides = leaf.result.iter().map(|(axis, _)| longest(axis, sizes));
        u64::try_from(sides.fold(1u128, u128::saturating_mul).max(1)).unwrap_or(u64::MAX)
    });
    given.collect()
}

/// The most elements of a tile along an axis.
fn longest(axis: &Axis, sizes: &Bindings) -> u128 {
    let body = axis.body.evaluate(sizes).unwrap_or(0).min(axis.size);
    body.max(i64::from(axis.before + axis.after > 0)).max(0).unsigned_abs().into()
}

impl ClassCode {
    /// About how many bytes a back end holds for a PE of this class: the simulator's peak on arrays of 512 x 512 and
    /// 1024 x 1024, which is 350 to 400 bytes for matrix products, where this says 360 to 480.
    pub fn bytes(&self) -> u128 {
        (140 + 8 * (self.slots + self.registers) + 60 * self.ports.len() + 16 * self.taps.len()) as u128
    }
}
