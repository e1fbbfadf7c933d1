//! Where the outputs of a run go: files, and arrays in memory where they are to be compared.

use super::inputs;
use crate::array::elements::{Sink, Sinks};
use crate::array::{ArrayDecl, Program, Tensors};
use crate::diagnostic::Checked;
use crate::integer::Bindings;
use crate::recurrence::Role;
use crate::sim::npy::NpySink;
use ndarray::ArrayD;
use std::path::Path;

/// Arrays for all outputs, filled with zeros.
pub fn blank(program: &Program, sizes: &Bindings) -> Checked<Tensors> {
    let zeros = |array: &ArrayDecl| Ok((array.name.clone(), ArrayD::zeros(inputs::shape(array, sizes)?)));
    outputs(program).map(zeros).collect()
}

/// The sinks of `--output X=FILE.npy`, and of the arrays that are kept.
pub fn sinks<'k>(program: &Program, sizes: &Bindings, files: &[String], kept: &'k mut Tensors) -> Checked<Sinks<'k>> {
    let mut sinks = Sinks::new();
    for (name, array) in kept {
        sinks.insert(name.clone(), vec![Box::new(array) as Box<dyn Sink + 'k>]);
    }
    let names: Vec<&str> = outputs(program).map(|array| &*array.name).collect();
    for file in files {
        let (tensor, path) = inputs::assignment(file, &names, "output")?;
        for array in outputs(program).filter(|array| *array.name == *tensor) {
            let file = NpySink::create(Path::new(path), &inputs::shape(array, sizes)?)?;
            sinks.entry(array.name.clone()).or_default().push(Box::new(file));
        }
    }
    Ok(sinks)
}

fn outputs(program: &Program) -> impl Iterator<Item = &ArrayDecl> {
    program.arrays.iter().filter(|array| array.role == Role::Output)
}
