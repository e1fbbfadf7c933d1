//! A trace as a value change dump, IEEE 1364-2005 clause 18.
//!
//! In: a trace. Out: text that waveform viewers read. A scope for each PE with its `state`, one for each wire with its
//! `depth` and the last `word` put on it, one for each line of a bus with the last `word`. Time stamps are cycles. No date
//! is written, so the same run gives the same bytes.

use super::curve::Curve;
use super::record::Activity;
use super::{Trace, Window};
use std::io;
use std::io::Write;
use vcd::{IdCode, SimulationCommand, TimescaleUnit, Value, VarType, Writer};

/// What `state` says, by its number; `blocked` is to wait for ever.
const STATES: [&str; 5] = ["idle", "busy", "stalled", "starved", "blocked"];

const IDLE: u64 = 0;

const BLOCKED: u64 = 4;

/// How many bits number the states.
const STATE_BITS: u32 = 3;

const DEPTH_BITS: u32 = 64;

fn state_of(activity: Activity) -> u64 {
    match activity {
        Activity::Busy => 1,
        Activity::Stalled(_) => 2,
        Activity::Starved(_) | Activity::Unheard(_) => 3,
    }
}

/// A new value of a variable.
#[derive(Clone, Copy)]
enum Reading {
    Number(u64),
    /// The bits of a word, so that words which are not numbers compare.
    Word(u64),
}

/// The changes of all variables: clock, variable, value.
type Changes = Vec<(u64, IdCode, Reading)>;

/// Writes the dump.
pub(super) fn write(trace: &Trace, to: &mut impl Write) -> io::Result<()> {
    let mut writer = Writer::new(to);
    write_head(trace, &mut writer)?;
    let mut changes = declare(trace, &mut writer)?;
    writer.enddefinitions()?;
    changes.sort_by_key(|(clock, variable, _)| (*clock, *variable));
    write_changes(trace.window, &changes, &mut writer)
}

fn write_head<W: Write>(trace: &Trace, writer: &mut Writer<W>) -> io::Result<()> {
    let states: Vec<String> = STATES.iter().enumerate().map(|(number, name)| format!("{number} {name}")).collect();
    writer.version(&format!("systole {}", env!("CARGO_PKG_VERSION")))?;
    writer.comment(&format!("cycles {}..{}, one a microsecond", trace.window.from(), trace.window.to()))?;
    writer.comment(&format!("state of a PE: {}", states.join(", ")))?;
    writer.timescale(1, TimescaleUnit::US)
}

/// Declares all variables; gives their changes, each variable's own in the order of time, the first at the start of the
/// window.
fn declare<W: Write>(trace: &Trace, writer: &mut Writer<W>) -> io::Result<Changes> {
    let mut changes = vec![];
    writer.add_module(&identifier(&trace.kernel))?;
    within(writer, "pes", |writer| {
        (0..trace.pes.len()).try_for_each(|pe| declare_pe(trace, pe, writer, &mut changes))
    })?;
    within(writer, "channels", |writer| {
        (0..trace.wires.len()).try_for_each(|wire| declare_wire(trace, wire, writer, &mut changes))
    })?;
    within(writer, "buses", |writer| {
        (0..trace.lines.len()).try_for_each(|line| declare_line(trace, line, writer, &mut changes))
    })?;
    writer.upscope()?;
    Ok(changes)
}

fn within<W: Write>(
    writer: &mut Writer<W>,
    scope: &str,
    declare: impl FnOnce(&mut Writer<W>) -> io::Result<()>,
) -> io::Result<()> {
    writer.add_module(scope)?;
    declare(writer)?;
    writer.upscope()
}

fn declare_pe<W: Write>(trace: &Trace, pe: usize, writer: &mut Writer<W>, changes: &mut Changes) -> io::Result<()> {
    let name = format!("{}{}", identifier(&trace.plan.pes[pe].class), coordinates(trace, pe));
    within(writer, &name, |writer| {
        let state = writer.add_var(VarType::Reg, STATE_BITS, "state", None)?;
        let curve = states(trace, pe);
        changes.extend(curve.points().iter().map(|(clock, number)| (*clock, state, Reading::Number(*number))));
        Ok(())
    })
}

fn declare_wire<W: Write>(trace: &Trace, wire: usize, writer: &mut Writer<W>, changes: &mut Changes) -> io::Result<()> {
    let named = &trace.plan.wires[wire];
    let [from, to] = [named.sender, named.receiver].map(|pe| coordinates(trace, pe));
    within(writer, &format!("{}_from{from}_to{to}", identifier(&named.channel)), |writer| {
        let depth = writer.add_var(VarType::Reg, DEPTH_BITS, "depth", None)?;
        let curve = trace.depth(wire);
        changes.extend(curve.points().iter().map(|(clock, number)| (*clock, depth, Reading::Number(*number))));
        let record = &trace.wires[wire];
        let words = record.words.iter().map(|word| (word.clock, word.value));
        declare_word(trace.window, record.value_before, words, writer, changes)
    })
}

fn declare_line<W: Write>(trace: &Trace, line: usize, writer: &mut Writer<W>, changes: &mut Changes) -> io::Result<()> {
    let named = &trace.plan.lines[line];
    within(writer, &format!("{}_from{}", identifier(&named.bus), coordinates(trace, named.first)), |writer| {
        let record = &trace.lines[line];
        let driven = record.spoken.iter().filter(|spoken| spoken.drives);
        let words = driven.map(|spoken| (spoken.clock, spoken.value));
        declare_word(trace.window, record.before.map(|spoken| spoken.value), words, writer, changes)
    })
}

/// The last word put on a link; before the first one it is not a number, like a register that was never written.
fn declare_word<W: Write>(
    window: Window,
    before: Option<f64>,
    words: impl Iterator<Item = (u64, f64)>,
    writer: &mut Writer<W>,
    changes: &mut Changes,
) -> io::Result<()> {
    let variable = writer.add_var(VarType::Real, 64, "word", None)?;
    let mut curve = Curve::new(window.from(), before.unwrap_or(f64::NAN).to_bits());
    words.for_each(|(clock, value)| curve.set(clock, value.to_bits()));
    changes.extend(curve.points().iter().map(|(clock, bits)| (*clock, variable, Reading::Word(*bits))));
    Ok(())
}

fn states(trace: &Trace, pe: usize) -> Curve<u64> {
    let spans = trace.pes[pe].spans.iter().map(|span| (state_of(span.activity), span.from, span.to));
    let last = trace.last_wait(pe).map(|(from, to)| (BLOCKED, from, to));
    let mut curve = Curve::new(trace.window.from(), IDLE);
    for (state, from, to) in spans.chain(last) {
        curve.set(from, state);
        if trace.window.holds(to) {
            curve.set(to, IDLE);
        }
    }
    curve
}

fn write_changes<W: Write>(window: Window, changes: &Changes, writer: &mut Writer<W>) -> io::Result<()> {
    let begins = changes.partition_point(|(clock, ..)| *clock == window.from());
    let (first, later) = changes.split_at(begins);
    writer.timestamp(window.from())?;
    writer.begin(SimulationCommand::Dumpvars)?;
    first.iter().try_for_each(|(_, variable, reading)| write_reading(*variable, *reading, writer))?;
    writer.end()?;
    let mut now = window.from();
    for (clock, variable, reading) in later {
        if *clock != now {
            now = *clock;
            writer.timestamp(now)?;
        }
        write_reading(*variable, *reading, writer)?;
    }
    writer.timestamp(window.to())
}

fn write_reading<W: Write>(variable: IdCode, reading: Reading, writer: &mut Writer<W>) -> io::Result<()> {
    match reading {
        Reading::Number(number) => writer.change_vector(variable, bits(number)),
        Reading::Word(word) => writer.change_real(variable, f64::from_bits(word)),
    }
}

/// A number from its highest bit that is set; a viewer fills in the zeros before it.
fn bits(number: u64) -> impl Iterator<Item = Value> {
    let length = (u64::BITS - number.leading_zeros()).max(1);
    (0..length).rev().map(move |bit| Value::from(number >> bit & 1 == 1))
}

/// The coordinates of a PE as the end of a name: `_1_-2`.
fn coordinates(trace: &Trace, pe: usize) -> String {
    trace.plan.pes[pe].point.iter().map(|entry| format!("_{entry}")).collect()
}

/// A name in the letters that every viewer takes, different names still different: others by their number after a `$`.
fn identifier(name: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
    let show = |c: char| if plain(c) { c.to_string() } else { format!("${:x}_", u32::from(c)) };
    name.chars().map(show).collect()
}
