//! Elements of outputs that are no finite numbers, as a division by zero gives them.
//!
//! In: the outputs of a run, whole or in parts, in any order. Out: for each output how many of its elements are infinite and how many are
//! not numbers, and the first of them; the same on every back end.

use crate::driver::runs::inputs;
use crate::driver::shown::output::Output;
use serde_json::{Value, json};
use std::ops::Range;
use systole_base::diagnostic::{Checked, counted};
use systole_base::integer::{Bindings, Name};
use systole_equations::recurrence::Role;
use systole_program::array::elements::{Sink, Sinks};
use systole_program::array::{ArrayDecl, Program, Tensors};

/// What is counted of an output.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    name: String,
    shape: Vec<usize>,
    infinite: usize,
    not_numbers: usize,
    /// The least address of one of these.
    first: Option<usize>,
}

/// Tallies of the outputs of a program, nothing counted yet.
pub fn tallies(program: &Program, sizes: &Bindings) -> Checked<Vec<(Name, Tally)>> {
    let outputs = program.arrays.iter().filter(|array| array.role == Role::Output);
    let blank = |array: &ArrayDecl| {
        let tally = Tally { name: array.name.to_string(), shape: inputs::shape(array, sizes)?, ..Tally::default() };
        Ok((array.name.clone(), tally))
    };
    outputs.map(blank).collect()
}

/// Lets each tally see what goes to the sinks of its output.
pub fn add<'t>(sinks: &mut Sinks<'t>, tallies: &'t mut [(Name, Tally)]) {
    for (name, tally) in tallies {
        sinks.entry(name.clone()).or_default().push(Box::new(tally));
    }
}

/// Those that there is something to say of.
pub fn found(tallies: &[(Name, Tally)]) -> Vec<Tally> {
    tallies.iter().map(|(_, tally)| tally).filter(|tally| tally.has_any()).cloned().collect()
}

/// What there is to say of whole outputs.
pub fn of_outputs(outputs: &Tensors) -> Vec<Tally> {
    let of = |(name, array): (&Name, &ndarray::ArrayD<f64>)| {
        let mut tally = Tally { name: name.to_string(), shape: array.shape().to_vec(), ..Tally::default() };
        array.iter().enumerate().for_each(|(address, value)| tally.count(address, *value));
        tally
    };
    outputs.iter().map(of).filter(Tally::has_any).collect()
}

/// Says it, each output on a line that begins so, and writes it into an object.
pub fn say(tallies: &[Tally], head: &str, (output, object): (&Output, &mut Value)) {
    tallies.iter().for_each(|tally| output.line(&format!("{head}{}", tally.line())));
    if !tallies.is_empty() {
        object["not_finite"] = tallies.iter().map(Tally::to_json).collect();
    }
}

impl Tally {
    fn count(&mut self, address: usize, value: f64) {
        if value.is_finite() {
            return;
        }
        self.infinite += usize::from(value.is_infinite());
        self.not_numbers += usize::from(value.is_nan());
        self.first = Some(self.first.map_or(address, |first| first.min(address)));
    }

    /// Whether any element is no finite number.
    pub fn has_any(&self) -> bool {
        self.first.is_some()
    }

    /// ``2 of 8 elements of `y` are infinite, 1 is not a number; first y[3]``.
    fn line(&self) -> String {
        let all = format!("of {} of `{}`", counted(self.shape.iter().product::<usize>(), "element"), self.name);
        let verb = |count: usize| if count == 1 { "is" } else { "are" };
        let [infinite, nan] = [(self.infinite, "infinite"), (self.not_numbers, "")].map(|(count, what)| match what {
            "" if count == 1 => "is not a number".to_owned(),
            "" => "are not numbers".to_owned(),
            _ => format!("{} {what}", verb(count)),
        });
        let said = match (self.infinite, self.not_numbers) {
            (count, 0) => format!("{count} {all} {infinite}"),
            (0, count) => format!("{count} {all} {nan}"),
            (count, others) => format!("{count} {all} {infinite}, {others} {nan}"),
        };
        let first: Vec<String> = self.subscripts().iter().map(usize::to_string).collect();
        format!("{said}; first {}[{}]", self.name, first.join(", "))
    }

    fn to_json(&self) -> Value {
        json!({
            "output": self.name, "elements": self.shape.iter().product::<usize>(), "infinite": self.infinite,
            "not_numbers": self.not_numbers, "first": self.subscripts(),
        })
    }

    /// The first that is no finite number.
    fn subscripts(&self) -> Vec<usize> {
        let mut rest = self.first.unwrap_or(0);
        let mut subscripts: Vec<usize> = vec![];
        for side in self.shape.iter().rev() {
            subscripts.push(rest % side.max(&1));
            rest /= side.max(&1);
        }
        subscripts.reverse();
        subscripts
    }
}

impl Sink for &mut Tally {
    fn write(&mut self, runs: &[Range<usize>], values: &[f64]) -> Checked<()> {
        let addresses = runs.iter().flat_map(Range::clone);
        addresses.zip(values).for_each(|(address, value)| self.count(address, *value));
        Ok(())
    }

    fn seal(&mut self) -> Checked<()> {
        Ok(())
    }

    fn publish(&mut self) -> Checked<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_finite_is_counted_whatever_the_order_of_the_parts() {
        let mut tally = Tally { name: "y".to_owned(), shape: vec![2, 4], ..Tally::default() };
        let values = [1.0, 2.0, 3.0, f64::INFINITY, 0.0, f64::NAN, f64::NEG_INFINITY, 4.0];
        (&mut tally).write(&[4..6, 6..8], &values[4..]).expect("counted");
        (&mut tally).write(&[0..2, 2..4], &values[..4]).expect("counted");
        assert_eq!(tally.line(), "2 of 8 elements of `y` are infinite, 1 is not a number; first y[0, 3]");
        let whole = ndarray::ArrayD::from_shape_vec(vec![2, 4], values.to_vec()).expect("a shape");
        assert_eq!(of_outputs(&[(systole_base::integer::name("y"), whole)].into_iter().collect()), [tally]);
    }

    #[test]
    fn finite_numbers_are_not_spoken_of() {
        let whole = ndarray::ArrayD::from_elem(vec![3], f64::MAX);
        assert_eq!(of_outputs(&[(systole_base::integer::name("y"), whole)].into_iter().collect()), []);
        let one = |values: Vec<f64>| {
            of_outputs(&[(systole_base::integer::name("s"), ndarray::arr1(&values).into_dyn())].into())
        };
        assert_eq!(one(vec![f64::NAN])[0].line(), "1 of 1 element of `s` is not a number; first s[0]");
        assert_eq!(one(vec![f64::NAN; 2])[0].line(), "2 of 2 elements of `s` are not numbers; first s[0]");
    }
}
