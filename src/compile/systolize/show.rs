//! A scheme as text for people.
//!
//! One line a value; where it has cases, one line each with its guard. A value that is missing at some processes has none
//! there: they are null processes, or their pipe is empty.

use super::cases::{Case, Cases};
use super::{Quotient, Scheme, Stream};
use std::fmt;
use systole_base::diagnostic::WIDEST;
use systole_base::integer::{Affine, Name, Polyhedron};

/// A point or vector: `(i, j + 1)`, without parentheses where it has one component.
pub fn show_point<T: fmt::Display>(entries: &[T]) -> String {
    match entries {
        [only] => only.to_string(),
        _ => format!("({})", entries.iter().map(T::to_string).collect::<Vec<_>>().join(", ")),
    }
}

/// A guard as conditions, a coordinate alone on the left where it can be; empty where it always holds.
pub fn show_guard(guard: &Polyhedron, coordinates: &[Name]) -> String {
    let mut texts: Vec<String> = vec![];
    for form in guard.constraints() {
        let equal = guard.constraints().contains(&-form.clone());
        let text = show_condition(form, equal, coordinates);
        if !texts.contains(&text) {
            texts.push(text);
        }
    }
    texts.join(", ")
}

fn show_condition(form: &Affine, equal: bool, coordinates: &[Name]) -> String {
    let alone = coordinates.iter().find(|name| form.coefficient(name).abs() == 1);
    let Some(name) = alone else {
        return format!("{form} {} 0", if equal { "=" } else { ">=" });
    };
    let variable = Affine::variable(name);
    match (form.coefficient(name), equal) {
        (1, true) => format!("{name} = {}", variable - form.clone()),
        (_, true) => format!("{name} = {}", variable + form.clone()),
        (1, false) => format!("{name} >= {}", variable - form.clone()),
        (_, false) => format!("{name} <= {}", variable + form.clone()),
    }
}

impl fmt::Display for Scheme {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let row = |row: &Vec<i64>| Affine::from_row(&self.indices, row).to_string();
        let place: Vec<String> = self.place.rows().iter().map(row).collect();
        writeln!(
            f,
            "{}({})   place ({})   time {}",
            self.kernel,
            self.parameters.join(", "),
            place.join(", "),
            row(&self.step)
        )?;
        for (axis, name) in self.processes.coordinates.iter().enumerate() {
            writeln!(f, "  process     {}", self.show_side(axis, name))?;
        }
        self.quotients.iter().try_for_each(|quotient| writeln!(f, "  where       {}", show_quotient(quotient)))?;
        writeln!(f, "  increment   {}", show_point(&self.increment))?;
        self.write_cases(f, "first", &self.first, |point| show_point(point))?;
        self.write_cases(f, "last", &self.last, |point| show_point(point))?;
        self.write_cases(f, "count", &self.count, Affine::to_string)?;
        self.streams.iter().try_for_each(|stream| self.write_stream(f, stream))
    }
}

/// `q0 = floor((p0 + 1) / 2)`.
fn show_quotient(quotient: &Quotient) -> String {
    format!("{} = floor(({}) / {})", quotient.name, quotient.numerator, quotient.divisor)
}

impl Scheme {
    /// `p0 = 0 .. N - 1`, with the largest and the smallest of several ends.
    pub fn show_side(&self, axis: usize, name: &Name) -> String {
        let text = |bounds: &[systole_base::integer::Bound], round: &str, join: &str| {
            let texts: Vec<String> = bounds
                .iter()
                .map(|bound| match bound.coefficient {
                    1 => bound.form.to_string(),
                    divisor => format!("{round}(({}) / {divisor})", bound.form),
                })
                .collect();
            if texts.len() == 1 { texts.concat() } else { format!("{join}({})", texts.join(", ")) }
        };
        let first = text(&self.processes.lower[axis], "ceil", "max");
        format!("{name} = {first} .. {}", text(&self.processes.upper[axis], "floor", "min"))
    }

    fn write_stream(&self, f: &mut fmt::Formatter<'_>, stream: &Stream) -> fmt::Result {
        let to = show_point(&stream.direction);
        let fraction = |(a, b): &(i64, i64)| if *b == 1 { a.to_string() } else { format!("{a}/{b}") };
        let flow: Vec<String> = stream.flow.iter().map(fraction).collect();
        match stream.is_stationary() {
            true => writeln!(f, "  stream {}   stays; loaded and recovered along {to}", stream.tensor)?,
            false => writeln!(f, "  stream {}   flow {}; passed to {to}", stream.tensor, show_point(&flow))?,
        }
        writeln!(f, "    increment {}", show_point(&stream.increment))?;
        self.write_cases(f, "  first", &stream.first, |point| show_point(point))?;
        self.write_cases(f, "  last", &stream.last, |point| show_point(point))?;
        self.write_cases(f, "  elements", &stream.count, Affine::to_string)?;
        let (before, after) = if stream.is_stationary() { ("  recover", "  load") } else { ("  soak", "  drain") };
        self.write_cases(f, before, &stream.before, Affine::to_string)?;
        self.write_cases(f, after, &stream.after, Affine::to_string)?;
        match stream.denominator {
            1 => Ok(()),
            steps => writeln!(f, "    buffers   {} in front of every process", steps - 1),
        }
    }

    fn write_cases<T>(
        &self,
        f: &mut fmt::Formatter<'_>,
        label: &str,
        cases: &Cases<T>,
        value: impl Fn(&T) -> String,
    ) -> fmt::Result {
        let values: Vec<(String, &Case<T>)> = cases.iter().map(|case| (value(&case.value), case)).collect();
        let width = values.iter().map(|(text, _)| text.chars().count()).max().unwrap_or(0).min(WIDEST);
        for (position, (text, case)) in values.iter().enumerate() {
            let label = if position == 0 { label } else { "" };
            let guard = show_guard(&case.guard, &self.processes.coordinates);
            match guard.is_empty() {
                true => writeln!(f, "  {label:<11} {text}")?,
                false => writeln!(f, "  {label:<11} {text:<width$}   where {guard}")?,
            }
        }
        Ok(())
    }
}
