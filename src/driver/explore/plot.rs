//! Plots of an exploration, as SVG.
//!
//! In: a table. Out: a text for each picture, none where there is nothing to draw: cycles against PEs with the Pareto front,
//! cycles against the first key, utilisation against the first size, and how busy each PE is at the last point.

use super::table::Table;
use crate::diagnostic::{Checked, Diagnostic};
use plotters::coord::Shift;
use plotters::prelude::*;
use std::error::Error;

/// Width and height, in pixels.
const SIZE: (u32, u32) = (720, 480);

type Canvas<'a> = DrawingArea<SVGBackend<'a>, Shift>;

type Drawn = Result<(), Box<dyn Error>>;

/// Points of one picture with the names of its axes.
struct Scatter<'a> {
    title: &'a str,
    axes: [&'a str; 2],
    points: Vec<(f64, f64)>,
    /// Drawn as a line, from left to right.
    line: Vec<(f64, f64)>,
}

/// All plots with the names of their files.
pub fn all(table: &Table<'_>) -> Checked<Vec<(&'static str, Option<String>)>> {
    let sizes = table.sweeps.iter().position(|sweep| sweep.key.starts_with("size."));
    let first = (!table.sweeps.is_empty()).then_some(0);
    let scatter = |scatter: Option<Scatter<'_>>| scatter.map(|scatter| draw(|canvas| scatter.draw(canvas))).transpose();
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

/// A picture as text.
fn draw(paint: impl FnOnce(&Canvas<'_>) -> Drawn) -> Checked<String> {
    let mut text = String::new();
    let drawn = {
        let canvas = SVGBackend::with_string(&mut text, SIZE).into_drawing_area();
        canvas.fill(&WHITE).map_err(Into::into).and_then(|()| paint(&canvas)).and_then(|()| Ok(canvas.present()?))
    };
    drawn.map_err(|error| vec![Diagnostic::new(format!("a plot cannot be drawn: {error}"))])?;
    Ok(text)
}

fn pareto<'a>(table: &Table<'_>) -> Option<Scatter<'a>> {
    let points: Vec<(usize, (f64, f64))> =
        table.measured().map(|(number, _, measured)| (number, (measured.pes as f64, measured.cycles as f64))).collect();
    let front = table.pareto();
    let line = points.iter().filter(|(number, _)| front.contains(number)).map(|(_, at)| *at).collect();
    let points = points.into_iter().map(|(_, at)| at).collect();
    Scatter { title: "cycles against PEs, with the Pareto front", axes: ["PEs", "cycles"], points, line }.unless_empty()
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
    Scatter { title: count, axes: [&sweep.key, count], points, line }.unless_empty()
}

impl<'a> Scatter<'a> {
    fn unless_empty(self) -> Option<Scatter<'a>> {
        (!self.points.is_empty()).then_some(self)
    }

    fn draw(&self, canvas: &Canvas<'_>) -> Drawn {
        let [across, up] = [self.most(|at| at.0), self.most(|at| at.1)];
        let mut chart = ChartBuilder::on(canvas)
            .margin(16)
            .caption(self.title, ("sans-serif", 18))
            .x_label_area_size(40)
            .y_label_area_size(64)
            .build_cartesian_2d(0.0..across * 1.05, 0.0..up * 1.05)?;
        chart
            .configure_mesh()
            .light_line_style(TRANSPARENT)
            .x_label_formatter(&label)
            .y_label_formatter(&label)
            .x_desc(self.axes[0])
            .y_desc(self.axes[1])
            .draw()?;
        let mut line = self.line.clone();
        line.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.total_cmp(&b.1)));
        chart.draw_series(LineSeries::new(line, &RED))?;
        chart.draw_series(self.points.iter().map(|at| Circle::new(*at, 4, BLUE.filled())))?;
        Ok(())
    }

    /// The largest coordinate, or 1 where all are 0.
    fn most(&self, coordinate: fn(&(f64, f64)) -> f64) -> f64 {
        let most = self.points.iter().map(coordinate).fold(0.0, f64::max);
        if most > 0.0 { most } else { 1.0 }
    }
}

/// A number on an axis without the noise of binary fractions.
fn label(number: &f64) -> String {
    let text = format!("{number:.6}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
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
