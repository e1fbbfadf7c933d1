//! Where the outputs of a run go: files, and arrays in memory where they are to be compared.

use crate::driver::runs::inputs;
use ndarray::ArrayD;
use std::path::Path;
use systole_base::diagnostic::Checked;
use systole_base::integer::Bindings;
use systole_base::scalar::Precision;
use systole_equations::recurrence::Role;
use systole_program::array::elements::{Sink, Sinks, publish_all};
use systole_program::array::{ArrayDecl, Program, Tensors};
use systole_run::shared::npy::NpySink;
use systole_run::sim::Outcome;

/// Arrays for all outputs, filled with zeros.
pub fn blank(program: &Program, sizes: &Bindings) -> Checked<Tensors> {
    let zeros = |array: &ArrayDecl| Ok((array.name.clone(), ArrayD::zeros(inputs::shape(array, sizes)?)));
    outputs(program).map(zeros).collect()
}

/// The sinks of `--output X=FILE.npy`, for elements of this precision, and of the arrays that are kept.
pub fn sinks<'k>(
    (program, sizes): (&Program, &Bindings),
    files: &[String],
    precision: Precision,
    kept: &'k mut Tensors,
) -> Checked<Sinks<'k>> {
    let mut sinks = Sinks::new();
    for (name, array) in kept {
        sinks.insert(name.clone(), vec![Box::new(array) as Box<dyn Sink + 'k>]);
    }
    let names: Vec<&str> = outputs(program).map(|array| &*array.name).collect();
    inputs::check_once("--output", files)?;
    for file in files {
        let (tensor, path) = inputs::assignment(file, &names, "output")?;
        for array in outputs(program).filter(|array| *array.name == *tensor) {
            let file = NpySink::create(Path::new(path), &inputs::shape(array, sizes)?, precision)?;
            sinks.entry(array.name.clone()).or_default().push(Box::new(file));
        }
    }
    Ok(sinks)
}

/// Writes the outputs asked for, all of them or none; none of a run that deadlocked.
pub fn write(program: &Program, sizes: &Bindings, outcome: &Outcome, files: &[String]) -> Checked<()> {
    let mut none = Tensors::new();
    let mut sinks = sinks((program, sizes), files, Precision::Double, &mut none)?;
    if outcome.deadlock.is_some() {
        return Ok(());
    }
    for (name, array) in &outcome.outputs {
        let array = array.as_standard_layout();
        let whole = 0..array.len();
        let mut mine = sinks.get_mut(name).into_iter().flatten();
        mine.try_for_each(|sink| sink.write(std::slice::from_ref(&whole), array.as_slice().unwrap_or_default()))?;
    }
    publish_all(&mut sinks)
}

fn outputs(program: &Program) -> impl Iterator<Item = &ArrayDecl> {
    program.arrays.iter().filter(|array| array.role == Role::Output)
}
