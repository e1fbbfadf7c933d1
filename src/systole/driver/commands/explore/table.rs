//! The rows of an exploration as CSV, as JSON and as a table for people.
//!
//! In: keys, points and rows. Out: texts with one line or object for each point, in the order of the points.

use super::measure::{Measured, Row};
use super::sweep::{Point, Sweep};
use crate::driver::shown::columns::{aligned, comma_separated};
use serde_json::{Map, Value, json};

/// The columns behind the keys.
const COLUMNS: [&str; 9] =
    ["predicted", "cycles", "pes", "utilisation", "words", "fifo_slots", "proved", "design", "reason"];

/// An exploration that is done.
pub struct Table<'a> {
    /// The kernel's name.
    pub kernel: &'a str,
    /// The swept keys.
    pub sweeps: &'a [Sweep],
    /// All points.
    pub points: &'a [Point],
    /// A row for each point.
    pub rows: &'a [Row],
    /// What saturation did.
    pub saturation: Value,
}

impl Table<'_> {
    /// All points that were measured, with what was.
    pub fn measured(&self) -> impl Iterator<Item = (usize, &Point, &Measured)> {
        let numbered = self.points.iter().zip(self.rows).enumerate();
        numbered.filter_map(|(number, (point, row))| Some((number, point, row.as_ref().ok()?)))
    }

    /// The points that no other beats in cycles or PEs without losing in the other.
    pub fn pareto(&self) -> Vec<usize> {
        let counts = |measured: &Measured| (measured.cycles, measured.pes);
        let beats = |(a, b): (u64, u64), (c, d): (u64, u64)| a <= c && b <= d && (a, b) != (c, d);
        let best = |mine: &Measured| !self.measured().any(|(.., other)| beats(counts(other), counts(mine)));
        self.measured().filter(|(.., measured)| best(measured)).map(|(number, ..)| number).collect()
    }

    /// One line for each point below the names of the columns.
    pub fn to_csv(&self) -> String {
        let keys = self.sweeps.iter().map(|sweep| sweep.key.clone());
        let head: Vec<String> = keys.chain(COLUMNS.map(str::to_owned)).collect();
        let rows = self.points.iter().zip(self.rows).map(|(point, row)| [point.values.clone(), cells(row)].concat());
        comma_separated(std::iter::once(head).chain(rows))
    }

    /// The object for programs; `utilisation` is that of each PE at the last point.
    pub fn to_json(&self) -> Value {
        let points = self.points.iter().zip(self.rows).map(|(point, row)| self.point_json(point, row));
        let share = |measured: &Measured, busy: u64| busy as f64 / measured.cycles.max(1) as f64;
        let array = self.rows.last().and_then(|row| row.as_ref().ok()).map(|measured| {
            let pe = |(at, busy): &(Vec<i64>, u64)| json!({ "pe": at, "busy": busy, "share": share(measured, *busy) });
            measured.array.iter().map(pe).collect::<Vec<_>>()
        });
        json!({
            "kernel": self.kernel,
            "keys": self.sweeps.iter().map(|sweep| &sweep.key).collect::<Vec<_>>(),
            "points": points.collect::<Vec<_>>(),
            "pareto": self.pareto(),
            "saturation": self.saturation,
            "utilisation": array,
        })
    }

    fn point_json(&self, point: &Point, row: &Row) -> Value {
        let keys = self.sweeps.iter().zip(&point.values);
        let mut object: Map<String, Value> = keys
            .map(|(sweep, value)| (sweep.key.clone(), value.parse::<i64>().map_or(json!(value), Value::from)))
            .collect();
        let values = match row {
            Ok(measured) => json!({
                "predicted": measured.predicted,
                "cycles": measured.cycles,
                "pes": measured.pes,
                "utilisation": measured.utilisation(),
                "words": measured.words,
                "fifo_slots": measured.slots,
                "proved": measured.proved,
                "design": measured.design,
            }),
            Err(reason) => json!({ "reason": reason }),
        };
        object.extend(values.as_object().cloned().unwrap_or_default());
        if let Some(missed) = row.as_ref().ok().and_then(|measured| measured.missed.as_ref()) {
            object.insert("missed".to_owned(), json!(missed));
        }
        Value::Object(object)
    }

    /// Aligned columns; the design, with why it missed its prediction, or why there is none, stands last.
    pub fn to_text(&self) -> String {
        let keys = self.sweeps.iter().map(|sweep| sweep.key.clone());
        let head: Vec<String> =
            keys.chain(COLUMNS[..COLUMNS.len() - 1].iter().map(|name| (*name).to_owned())).collect();
        let row = |(point, row): (&Point, &Row)| {
            let mut cells = [point.values.clone(), cells(row)].concat();
            let reason = cells.pop().unwrap_or_default();
            if let (Some(last), false) = (cells.last_mut(), reason.is_empty()) {
                *last = if row.is_ok() { format!("{last}   ({reason})") } else { reason };
            }
            cells
        };
        let rows: Vec<Vec<String>> = std::iter::once(head).chain(self.points.iter().zip(self.rows).map(row)).collect();
        aligned(&rows)
    }
}

/// The cells behind the keys.
fn cells(row: &Row) -> Vec<String> {
    match row {
        Ok(measured) => vec![
            measured.predicted.map_or_else(String::new, |cycles| cycles.to_string()),
            measured.cycles.to_string(),
            measured.pes.to_string(),
            format!("{:.6}", measured.utilisation()),
            measured.words.to_string(),
            measured.slots.to_string(),
            if measured.proved { "yes" } else { "no" }.to_owned(),
            measured.design.clone(),
            measured.missed.clone().unwrap_or_default(),
        ],
        Err(reason) => {
            let mut cells = vec![String::new(); COLUMNS.len() - 1];
            cells.push(reason.clone());
            cells
        }
    }
}
