//! `--memory`, and what is said of the memory of a run.

use crate::driver::shown::output::Output;
use serde_json::{Value, json};
use systole_base::diagnostic::{Checked, Diagnostic, plural};
use systole_run::exec::{MOST_NAMED, Usage, show_bytes};

/// The units of bytes, longest first.
const UNITS: [(&str, u64); 8] = [
    ("KiB", 1 << 10),
    ("MiB", 1 << 20),
    ("GiB", 1 << 30),
    ("TiB", 1 << 40),
    ("kB", 1000),
    ("MB", 1_000_000),
    ("GB", 1_000_000_000),
    ("TB", 1_000_000_000_000),
];

/// Bytes such as `512MB` or `2GiB`, or a number of them.
pub fn parse(text: &str) -> Checked<u64> {
    let unit = UNITS.iter().find_map(|(unit, bytes)| Some((text.strip_suffix(unit)?, *bytes)));
    let (number, unit) = unit.unwrap_or((text, 1));
    let bytes = number.trim().parse::<u64>().ok().and_then(|number| number.checked_mul(unit));
    bytes.ok_or_else(|| {
        vec![Diagnostic::usage(format!("`{text}` is no number of bytes")).help("write --memory 512MB, or 2GiB")]
    })
}

/// A line for each rank, or one for all threads: what it holds at most, as stated before the run, and what its process took.
pub fn show(memory: &[Usage], kind: &str, output: &Output) {
    for (number, usage) in memory.iter().enumerate().take(MOST_NAMED) {
        let who = if kind == "rank" { format!("rank {number} holds") } else { "they hold".to_owned() };
        let stated = format!("{} at most: {}", show_bytes(usage.stated.total()), usage.stated.shown());
        let peak = usage.peak.map_or_else(String::new, |peak| format!("; its process took {}", show_bytes(peak)));
        let before =
            usage.before.map_or_else(String::new, |before| format!(", {} before it began", show_bytes(before)));
        output.line(&format!("  {who} {stated}{peak}{before}"));
    }
    if let Some(more) = memory.len().checked_sub(MOST_NAMED).filter(|more| *more > 0) {
        output.line(&format!("  and so on for {more} more {}", plural(more, "rank")));
    }
}

/// The memory of each rank, or of all threads together, in bytes.
pub fn to_json(memory: &[Usage]) -> Value {
    let object = |usage: &Usage| {
        let Usage { stated, held, before, peak } = usage;
        json!({
            "stated": stated.total(),
            "inputs": stated.inputs,
            "outputs": stated.outputs,
            "registers": stated.registers,
            "channels": stated.channels,
            "bookkeeping": stated.bookkeeping,
            "held": { "inputs": held.inputs, "outputs": held.outputs, "channels": held.channels },
            "before": before,
            "peak": peak,
        })
    };
    memory.iter().map(object).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_come_in_units() {
        let found = ["7", "3kB", "512MB", "2GiB", "1 KiB"].map(|text| parse(text).ok());
        assert_eq!(found, [7, 3000, 512_000_000, 2 << 30, 1024].map(Some));
        assert!(["", "MB", "1.5GB", "-1", "9999999999TB", "12 apples"].iter().all(|text| parse(text).is_err()));
    }
}
