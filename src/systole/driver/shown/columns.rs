//! Rows of cells as text.

use systole_base::diagnostic::WIDEST;

/// Columns for people: all but the last to the right.
pub fn aligned(rows: &[Vec<String>]) -> String {
    let columns = rows.first().map_or(0, Vec::len);
    let width = |column: usize| rows.iter().filter_map(|row| row.get(column)).map(|cell| cell.chars().count()).max();
    let widths: Vec<usize> = (0..columns).map(|column| width(column).unwrap_or(0).min(WIDEST)).collect();
    let line = |row: &Vec<String>| {
        let (last, front) = row.split_last().map_or(("", &row[..]), |(last, front)| (last.as_str(), front));
        let front = front.iter().zip(&widths).map(|(cell, width)| format!("{cell:>width$}  "));
        format!("{}{last}\n", front.collect::<String>())
    };
    rows.iter().map(line).collect()
}

/// Comma-separated values, one line a row.
pub fn comma_separated(rows: impl Iterator<Item = Vec<String>>) -> String {
    let line = |cells: Vec<String>| cells.iter().map(|cell| quoted(cell)).collect::<Vec<_>>().join(",") + "\n";
    rows.map(line).collect()
}

/// A cell of a CSV, in quotes where it needs them.
fn quoted(cell: &str) -> String {
    if cell.contains([',', '"', '\n']) { format!("\"{}\"", cell.replace('"', "\"\"")) } else { cell.to_owned() }
}
