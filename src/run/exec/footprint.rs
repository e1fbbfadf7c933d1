//! The bytes that a worker holds at most, from the plan alone.
//!
//! In: a plan, what the PEs of a worker need, and a limit. Out: a [`Footprint`], before anything is read or allocated for it,
//! and a refusal where one does not fit. Registers may all hold the largest word that gets there, wires as many such words as they
//! have slots; buses everything that is driven on them, since how far a PE runs ahead of those who listen is not known before. What the program,
//! its wiring and its PEs take is estimated; what the process takes for its own code and its libraries is not in it.
//!
//! In every register and every slot stands the largest tile that gets there, which `array::widths` follows through the
//! code. `predict` and `tune` say the same of the rank that holds most. The limit is `--memory`, or what the machine
//! and the control groups of the process leave each of its ranks. What was held is counted in the run, and shown with
//! the peak that the system saw.

use super::plan::Plan;
use super::sharing::needs::{Needs, elements_of, words_of};
use super::workers::outbox::{FULL, POSTED, SLOTS};
use super::workers::word::Word;
use std::sync::atomic::AtomicU64;
use systole_base::diagnostic::{Checked, Diagnostic, counted, plural};
use systole_program::array::elements::PART;
use systole_program::array::{Layout, Wire};

/// What one rank, or the process of all threads, holds at most, in bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Footprint {
    /// Elements of inputs that its PEs read.
    pub inputs: u64,
    /// Elements of outputs that its PEs store.
    pub outputs: u64,
    /// Words in the registers of its PEs, and the tile that a leaf works on.
    pub registers: u64,
    /// Words in the slots of its channels, on its buses, from the homes of others, and those that may come back to a rank.
    pub channels: u64,
    /// The program, its wiring, the state of PEs, and parts of arrays on their way; an estimate.
    pub bookkeeping: u64,
}

/// What was held of that in a run, as it was counted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Held {
    /// Elements of inputs.
    pub inputs: u64,
    /// Elements of outputs.
    pub outputs: u64,
    /// The most that words in channels took at a time, and all those on buses.
    pub channels: u64,
}

/// The memory of one rank, or of the process of all threads, in bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Usage {
    /// What was said before the run.
    pub stated: Footprint,
    /// What was counted in the run.
    pub held: Held,
    /// What the process took before the run, where the system tells.
    pub before: Option<u64>,
    /// The most that the process took, where the system tells.
    pub peak: Option<u64>,
}

impl Footprint {
    /// All of it.
    pub fn total(&self) -> u64 {
        let parts = [self.inputs, self.outputs, self.registers, self.channels, self.bookkeeping];
        parts.into_iter().fold(0, u64::saturating_add)
    }

    /// Of a worker that has a memory of its own; `driven` has for each bus line the words that all workers drive.
    pub(super) fn of_rank<W: Word>(plan: &Plan<'_>, rank: usize, needs: &Needs, driven: &[u64]) -> Footprint {
        let ends = plan.wiring.wires.iter().map(|wire| {
            let touches = [wire.sender, wire.receiver].map(|pe| plan.owner(pe) == rank);
            if touches.contains(&true) { slots(plan, wire) } else { 0 }
        });
        let lines = plan.reach.iter().zip(driven).zip(&plan.wiring.lines);
        let heard = lines.filter(|((reach, _), _)| reach.contains(&rank));
        let heard = heard.map(|((_, words), bus)| words.saturating_mul(plan.code.widths.buses[*bus]));
        // Beside what channels hold, MPI may still read what was sent; what a home sends is among its inputs.
        let widths = &plan.code.widths;
        let moved = plan.under_way(rank).saturating_add(plan.kept(rank)).saturating_mul(widths.largest_moved());
        let from_home = needs.given.min(SLOTS as u64).saturating_add(needs.supplied);
        let from_home = from_home.saturating_mul(widths.largest_loaded());
        let all = sum([sum(ends), sum(heard), moved, from_home].into_iter());
        Footprint {
            inputs: elements::<W>(plan, &needs.read),
            outputs: elements::<W>(plan, &needs.stored),
            registers: registers::<W>(plan, rank),
            channels: all.saturating_mul(element::<W>()),
            bookkeeping: bookkeeping::<W>(plan, rank, needs),
        }
    }

    /// Of each of all workers that have memories of their own, one after the other.
    pub(super) fn of_ranks<W: Word>(plan: &Plan<'_>) -> Vec<Footprint> {
        let needs: Vec<Needs> = (0..plan.workers).map(|rank| Needs::of(plan, rank)).collect();
        let driven: Vec<u64> =
            (0..plan.wiring.lines.len()).map(|line| sum(needs.iter().map(|needs| needs.driven[line]))).collect();
        needs.iter().enumerate().map(|(rank, needs)| Footprint::of_rank::<W>(plan, rank, needs, &driven)).collect()
    }

    /// Of all workers of one process, which share whole arrays.
    pub(super) fn of_threads<W: Word>(plan: &Plan<'_>) -> Footprint {
        let is_walked = !plan.wiring.lines.is_empty() || plan.homes.is_some();
        let volume = |is_output: bool| {
            let layouts = plan.code.arrays.iter().filter(move |layout| layout.is_output() == is_output);
            sum(layouts.map(|layout| layout.volume() as u64))
        };
        // Any thread may store a number, into a cell as wide as a double.
        let cell = if W::IS_SHARED { element::<W>() } else { size_of::<AtomicU64>() as u64 };
        let in_slots = sum(plan.wiring.wires.iter().map(|wire| slots(plan, wire)));
        let mut footprint = Footprint {
            inputs: volume(false).saturating_mul(element::<W>()),
            outputs: volume(true).saturating_mul(cell),
            channels: in_slots.saturating_mul(element::<W>()),
            ..Footprint::default()
        };
        for worker in 0..plan.workers {
            let needs = if is_walked { Needs::of(plan, worker) } else { Needs::default() };
            footprint.registers = footprint.registers.saturating_add(registers::<W>(plan, worker));
            footprint.bookkeeping = footprint.bookkeeping.saturating_add(bookkeeping::<W>(plan, worker, &needs));
            let heard = plan.reach.iter().zip(&needs.driven).zip(&plan.wiring.lines);
            let copies = heard.map(|((reach, words), bus)| {
                let copies = if W::IS_SHARED { 1 } else { reach.len() as u64 };
                words.saturating_mul(copies).saturating_mul(plan.code.widths.buses[*bus])
            });
            // Tiles on their way are among the inputs or the outputs.
            let given = if W::IS_SHARED { 0 } else { needs.given };
            let from_home = needs.supplied.saturating_add(given).saturating_mul(plan.code.widths.largest_loaded());
            let all = sum(copies).saturating_add(from_home);
            footprint.channels = footprint.channels.saturating_add(all.saturating_mul(element::<W>()));
        }
        footprint
    }

    /// `inputs 3.2 MB, ..`, of what there is.
    pub fn shown(&self) -> String {
        let parts = [
            ("inputs", self.inputs),
            ("outputs", self.outputs),
            ("registers", self.registers),
            ("channels", self.channels),
            ("bookkeeping", self.bookkeeping),
        ];
        let there = parts.into_iter().filter(|(_, bytes)| *bytes > 0);
        there.map(|(what, bytes)| format!("{what} {}", show_bytes(bytes))).collect::<Vec<_>>().join(", ")
    }
}

/// Refuses footprints that do not fit; each comes with who it is and what that may hold.
///
/// # Errors
/// Names everybody who would hold too much, with the bytes and what they are for, up to [`MOST_NAMED`].
pub fn check_footprints(all: &[(String, Footprint, Option<u64>)]) -> Checked<()> {
    let too_large = |(_, footprint, limit): &&(String, Footprint, Option<u64>)| {
        limit.is_some_and(|limit| footprint.total() > limit)
    };
    let said = |(who, footprint, limit): &(String, Footprint, Option<u64>)| {
        let [total, limit] = [footprint.total(), limit.unwrap_or(u64::MAX)].map(show_bytes);
        format!("{who} would hold {total}, and may hold {limit}")
    };
    let refused: Vec<&(String, Footprint, Option<u64>)> = all.iter().filter(too_large).collect();
    let Some(first) = refused.first() else { return Ok(()) };
    let most = refused.iter().map(|(_, footprint, _)| footprint.total()).max().unwrap_or(0);
    let fault = Diagnostic::new(said(first)).note(first.1.shown());
    let others = refused.iter().skip(1).take(MOST_NAMED - 1);
    let fault = others.fold(fault, |fault, other| fault.note(format!("{}: {}", said(other), other.1.shown())));
    let fault = match refused.len().saturating_sub(MOST_NAMED) {
        0 => fault,
        more => fault.note(format!("and {more} more {}", plural(more, "rank"))),
    };
    fault
        .help(format!("take more ranks, smaller sizes or smaller tiles, or allow more: `--memory {}`", allowing(most)))
        .alone()
}

/// How many of those who would hold too much are named.
pub const MOST_NAMED: usize = 8;

/// Bytes that are enough, as the flag is written.
fn allowing(bytes: u64) -> String {
    match bytes {
        0..1_000_000 => format!("{}kB", bytes.div_ceil(1000)),
        _ => format!("{}MB", bytes.div_ceil(1_000_000)),
    }
}

/// Bytes as people read them, such as `9999 bytes` or `33.6 MB`.
pub fn show_bytes(bytes: u64) -> String {
    const UNITS: [(u64, &str); 4] = [(1_000_000_000_000, "TB"), (1_000_000_000, "GB"), (1_000_000, "MB"), (1000, "kB")];
    match UNITS.iter().find(|(unit, _)| bytes >= 10_000 && bytes >= *unit) {
        Some((unit, name)) => format!("{:.1} {name}", bytes as f64 / *unit as f64),
        None => counted(bytes, "byte"),
    }
}

fn sum(parts: impl Iterator<Item = u64>) -> u64 {
    parts.fold(0, u64::saturating_add)
}

/// The bytes of an element.
fn element<W: Word>() -> u64 {
    size_of::<W::Element>() as u64
}

/// The elements in all slots of a wire.
fn slots(plan: &Plan<'_>, wire: &Wire) -> u64 {
    plan.capacities[wire.channel].saturating_mul(plan.code.widths.channels[wire.channel])
}

/// The bytes of the elements at these addresses of all arrays.
fn elements<W: Word>(plan: &Plan<'_>, runs: &[Vec<std::ops::Range<usize>>]) -> u64 {
    let bytes = |(layout, runs): (&Layout, &Vec<_>)| elements_of(layout, runs) as u64 * element::<W>();
    sum(plan.code.arrays.iter().zip(runs).map(bytes))
}

/// The bytes of all registers of a worker, and of a tile that a leaf begins.
fn registers<W: Word>(plan: &Plan<'_>, worker: usize) -> u64 {
    let widths = &plan.code.widths;
    let of_class: Vec<u64> = widths.registers.iter().map(|registers| sum(registers.iter().copied())).collect();
    let held = sum(plan.pes_of(worker).map(|pe| of_class[plan.code.pes[pe].class]));
    let begun = if W::IS_SHARED { widths.largest() } else { 0 };
    held.saturating_add(begun).saturating_mul(element::<W>())
}

/// Bytes beside a word that is shared: who holds it, how many do, and where its elements are.
const HANDLE: usize = 64;

// About the bytes of a wire, of a PE of anybody, of a run of addresses, of something prefetched.
const WIRE: usize = 40;

const PE: usize = 40;

// Beside what a simulator has for it, about the bytes of a PE of one's own and of an end of a wire here: processes of products of numbers on
// arrays of 64 x 64 to 400 x 400 grow by 1.1 to 1.3 KB for each PE with its two wires, where these say 1.5.
const OWN_PE: usize = 500;

const END: usize = 200;

/// What the allocator of a worker has begun to fill with many small things of many sizes: such processes grow by up to this much more.
const BEGUN: usize = 8 << 20;

const RUN: usize = 48;

const PREFETCHED: usize = 40;

fn bookkeeping<W: Word>(plan: &Plan<'_>, worker: usize, needs: &Needs) -> u64 {
    let code = plan.code;
    let own = plan.pes_of(worker).map(|pe| code.classes[code.pes[pe].class].bytes() + OWN_PE as u128);
    let own = u64::try_from(own.sum::<u128>()).unwrap_or(u64::MAX);
    let is_here = |wire: &&Wire| [wire.sender, wire.receiver].iter().any(|pe| plan.owner(*pe) == worker);
    let ends = plan.wiring.wires.iter().filter(is_here).count();
    let runs: usize = needs.read.iter().chain(&needs.stored).map(Vec::len).sum();
    let words: usize = needs.read.iter().chain(&needs.stored).map(|runs| words_of(runs)).sum();
    let handles = if W::IS_SHARED { words.saturating_mul(HANDLE) } else { words / 8 };
    let begun = if W::IS_SHARED { 0 } else { BEGUN };
    let all = [plan.wiring.wires.len() * WIRE, ends * END, code.pes.len() * PE, runs * RUN, handles, begun];
    let packets = (POSTED + SLOTS + plan.workers) * FULL + 4 * PART;
    let rest = all.into_iter().fold(packets * size_of::<u64>(), usize::saturating_add);
    own.saturating_add(rest as u64).saturating_add(needs.prefetched.saturating_mul(PREFETCHED as u64))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_are_shown_in_units_and_the_flag_allows_enough() {
        let shown = [0, 9_999, 10_000, 33_554_432, 2_500_000_000].map(show_bytes);
        assert_eq!(shown, ["0 bytes", "9999 bytes", "10.0 kB", "33.6 MB", "2.5 GB"]);
        assert_eq!([1, 999_001, 33_554_432].map(allowing), ["1kB", "1000kB", "34MB"]);
    }

    #[test]
    fn everybody_who_holds_too_much_is_named() {
        let footprint = |inputs| Footprint { inputs, outputs: 10, ..Footprint::default() };
        let all =
            |limit| [70, 90, 100].map(|inputs| (format!("rank {inputs}"), footprint(inputs), Some(limit))).to_vec();
        assert!(check_footprints(&all(110)).is_ok());
        let fault = check_footprints(&all(99)).expect_err("a refusal");
        let text = systole_base::diagnostic::render(&fault, false);
        assert!(text.contains("rank 90 would hold 100 bytes, and may hold 99 bytes"), "{text}");
        assert!(text.contains("rank 100 would hold 110 bytes") && text.contains("inputs 100 bytes, outputs 10 bytes"));
        assert!(!text.contains("rank 70") && text.contains("`--memory 1kB`"), "{text}");
    }
}
