//! Pictures, as SVG.
//!
//! In: points. Out: a text that draws them.

use plotters::coord::Shift;
use plotters::prelude::*;
use std::error::Error;
use systole_base::diagnostic::{Checked, Diagnostic};

/// Width and height, in pixels.
const SIZE: (u32, u32) = (720, 480);

/// What is drawn on.
pub type Canvas<'a> = DrawingArea<SVGBackend<'a>, Shift>;

/// Whether it could be drawn.
pub type Drawn = Result<(), Box<dyn Error>>;

/// Points of one picture with the names of its axes.
pub struct Scatter<'a> {
    pub title: &'a str,
    pub axes: [&'a str; 2],
    pub points: Vec<(f64, f64)>,
    /// Drawn as a line, from left to right.
    pub line: Vec<(f64, f64)>,
    /// What stands at a number of the axis to the right.
    pub label_across: fn(&f64) -> String,
}

/// A picture as text.
pub fn draw(paint: impl FnOnce(&Canvas<'_>) -> Drawn) -> Checked<String> {
    let mut text = String::new();
    let drawn = {
        let canvas = SVGBackend::with_string(&mut text, SIZE).into_drawing_area();
        canvas.fill(&WHITE).map_err(Into::into).and_then(|()| paint(&canvas)).and_then(|()| Ok(canvas.present()?))
    };
    drawn.map_err(|error| vec![Diagnostic::new(format!("a plot cannot be drawn: {error}"))])?;
    Ok(text)
}

impl<'a> Scatter<'a> {
    /// Nothing where there are no points.
    pub fn unless_empty(self) -> Option<Scatter<'a>> {
        (!self.points.is_empty()).then_some(self)
    }

    /// The picture.
    ///
    /// # Errors
    /// Where it cannot be drawn.
    pub fn to_svg(&self) -> Checked<String> {
        draw(|canvas| self.draw(canvas))
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
            .x_label_formatter(&self.label_across)
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
pub fn label(number: &f64) -> String {
    let text = format!("{number:.6}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}
