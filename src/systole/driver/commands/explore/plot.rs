//! Plots of an exploration, as SVG.
//!
//! In: a table. Out: a text for each picture, none where there is nothing to draw: cycles against PEs with the Pareto front,
//! cycles against the first key, utilisation against the first size, and how busy each PE is at the last point.

use super::table::Table;
use crate::driver::shown::picture::{Canvas, Drawn, Scatter, draw, label};
use plotters::prelude::*;
use systole_base::diagnostic::Checked;

/// All plots with the names of their files.
pub fn all(table: &Table<'_>) -> Checked<Vec<(&'static str, Option<String>)>> {
    let sizes = table.sweeps.iter().position(|sweep| sweep.key.starts_with("size."));
    let first = (!table.sweeps.is_empty()).then_some(0);
    let scatter = |scatter: Option<Scatter<'_>>| scatter.map(|scatter| scatter.to_svg()).transpose();
    Ok(vec![
        ("pareto.svg", scatter(pareto(table))?),
        ("cycles.svg", scatter(first.and_then(|key| against(table, key, "cycles", |cycles, _| cycles)))?),
        (
            "utilisation-by-size.svg",
            scatter(sizes.and_then(|key| against(table, key, "utilisation", |_, share| share)))?,
        ),
        ("utilisation.svg", heat(table)?),
    ])
}

fn pareto<'a>(table: &Table<'_>) -> Option<Scatter<'a>> {
    let points: Vec<(usize, (f64, f64))> =
        table.measured().map(|(number, _, measured)| (number, (measured.pes as f64, measured.cycles as f64))).collect();
    let front = table.pareto();
    let line = points.iter().filter(|(number, _)| front.contains(number)).map(|(_, at)| *at).collect();
    let points = points.into_iter().map(|(_, at)| at).collect();
    Scatter {
        title: "cycles against PEs, with the Pareto front",
        axes: ["PEs", "cycles"],
        points,
        line,
        label_across: label,
    }
    .unless_empty()
}

/// A count against a key; a key without numbers is drawn by the positions of its values.
fn against<'a>(table: &Table<'a>, key: usize, count: &'a str, value: fn(f64, f64) -> f64) -> Option<Scatter<'a>> {
    let sweep = &table.sweeps[key];
    let place = |text: &String| {
        let position = sweep.values.iter().position(|value| value == text).unwrap_or(0);
        text.parse::<f64>().unwrap_or(position as f64)
    };
    let at = |values: &[String]| values.get(key).map_or(0.0, place);
    let points: Vec<(f64, f64)> = table
        .measured()
        .map(|(_, point, measured)| (at(&point.values), value(measured.cycles as f64, measured.utilisation())))
        .collect();
    let line = if table.sweeps.len() == 1 { points.clone() } else { vec![] };
    Scatter { title: count, axes: [&sweep.key, count], points, line, label_across: label }.unless_empty()
}

/// How busy each PE of the last point is, the darker the busier, the first coordinate down and the second to the right; none
/// where arrays have more than two dimensions.
fn heat(table: &Table<'_>) -> Checked<Option<String>> {
    let Some(Ok(last)) = table.rows.last() else { return Ok(None) };
    let cells: Option<Vec<([i64; 2], u64)>> = last.array.iter().map(|(pe, busy)| Some((flat(pe)?, *busy))).collect();
    let Some(cells) = cells.filter(|cells| !cells.is_empty()) else { return Ok(None) };
    let title = format!("share of {} cycles in which a PE works", last.cycles);
    draw(|canvas| paint_cells(canvas, &title, &cells, last.cycles)).map(Some)
}

/// Row and column of a PE; a line of PEs is a row.
fn flat(pe: &[i64]) -> Option<[i64; 2]> {
    match pe {
        [] => Some([0, 0]),
        [column] => Some([0, *column]),
        [row, column] => Some([*row, *column]),
        _ => None,
    }
}

fn paint_cells(canvas: &Canvas<'_>, title: &str, cells: &[([i64; 2], u64)], cycles: u64) -> Drawn {
    let range = |axis: usize| {
        let ends = cells
            .iter()
            .map(|(at, _)| at[axis])
            .fold((i64::MAX, i64::MIN), |(low, high), at| (low.min(at), high.max(at)));
        (ends.0 as f64 - 0.5, ends.1 as f64 + 0.5)
    };
    let ((top, bottom), (left, right)) = (range(0), range(1));
    let mut chart = ChartBuilder::on(canvas)
        .margin(16)
        .caption(title, ("sans-serif", 18))
        .x_label_area_size(40)
        .y_label_area_size(64)
        .build_cartesian_2d(left..right, bottom..top)?;
    chart
        .configure_mesh()
        .disable_mesh()
        .x_label_formatter(&label)
        .y_label_formatter(&label)
        .x_desc("last coordinate")
        .y_desc("first of two coordinates")
        .draw()?;
    chart.draw_series(cells.iter().map(|([row, column], busy)| {
        let (x, y) = (*column as f64, *row as f64);
        Rectangle::new([(x - 0.5, y - 0.5), (x + 0.5, y + 0.5)], shade(*busy, cycles).filled())
    }))?;
    Ok(())
}

/// From nearly white for a PE that never works to dark blue for one that always does.
fn shade(busy: u64, cycles: u64) -> RGBColor {
    let share = busy as f64 / cycles.max(1) as f64;
    let mix = |light: f64, dark: f64| (light + (dark - light) * share.clamp(0.0, 1.0)).round() as u8;
    RGBColor(mix(240.0, 8.0), mix(246.0, 48.0), mix(252.0, 107.0))
}
