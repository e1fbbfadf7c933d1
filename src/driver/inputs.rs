//! Sizes and arrays from the command line.

use crate::array::{Program, Tensors};
use crate::diagnostic::{Checked, Diagnostic, nearest};
use crate::integer::{Bindings, Name, name};
use crate::recurrence::{RecurrenceSystem, Role};
use crate::sim::npy;
use ndarray::{ArrayD, IxDyn};
use std::path::Path;

/// `M=8` and so on, every parameter once; `default` fills the rest where it is given.
pub fn sizes(given: &[String], parameters: &[Name], default: Option<i64>) -> Checked<Bindings> {
    let mut sizes = Bindings::new();
    let mut problems = vec![];
    for text in given.iter().filter(|text| !text.is_empty()) {
        match size(text, parameters) {
            Ok((parameter, value)) if !sizes.contains_key(&parameter) => _ = sizes.insert(parameter, value),
            Ok((parameter, _)) => problems.push(Diagnostic::new(format!("the size of `{parameter}` is given twice"))),
            Err(problem) => problems.push(problem),
        }
    }
    for parameter in
        parameters.iter().filter(|parameter| problems.is_empty() && !sizes.contains_key(*parameter)).collect::<Vec<_>>()
    {
        match default {
            Some(value) => _ = sizes.insert(parameter.clone(), value),
            None => problems.push(missing(parameter, parameters)),
        }
    }
    if problems.is_empty() { Ok(sizes) } else { Err(problems) }
}

fn missing(parameter: &Name, parameters: &[Name]) -> Diagnostic {
    let example = parameters.iter().map(|p| format!("{p}=8")).collect::<Vec<_>>().join(",");
    Diagnostic::new(format!("the size of `{parameter}` is missing")).help(format!("write --size {example}"))
}

fn size(text: &str, parameters: &[Name]) -> Result<(Name, i64), Diagnostic> {
    let example = parameters.first().map_or("M", |parameter| parameter);
    let Some((parameter, value)) = text.split_once('=') else {
        return Err(Diagnostic::new(format!("`{text}` is not a size")).help(format!("write --size {example}=8")));
    };
    let known: Vec<&str> = parameters.iter().map(|parameter| &**parameter).collect();
    if !known.contains(&parameter.trim()) {
        let near = nearest(parameter, known.iter().copied()).map(|near| format!("did you mean `{near}`?"));
        let help = near.unwrap_or_else(|| format!("the parameters are {}", known.join(", ")));
        return Err(Diagnostic::new(format!("`{parameter}` is not a parameter")).help(help));
    }
    match value.trim().parse::<i64>() {
        Ok(value @ 1..=1_000_000_000) => Ok((name(parameter.trim()), value)),
        Ok(value) => Err(Diagnostic::new(format!("the size `{parameter}` = {value} is out of range"))
            .help("sizes are whole numbers from 1 to 1000000000")),
        Err(_) => Err(Diagnostic::new(format!("the size of `{parameter}` is not a whole number: `{value}`"))
            .help(format!("write --size {parameter}=8"))),
    }
}

/// The input arrays of a program: read from files, or filled from the seed as the kernel assumes them, where it is known.
pub fn tensors(
    program: &Program,
    kernel: Option<&RecurrenceSystem>,
    sizes: &Bindings,
    files: &[String],
    seed: u64,
) -> Checked<Tensors> {
    let inputs: Vec<_> = program.arrays.iter().filter(|array| array.role == Role::Input).collect();
    let names: Vec<&str> = inputs.iter().map(|array| &*array.name).collect();
    let mut tensors = Tensors::new();
    for file in files {
        let (tensor, path) = assignment(file, &names, "input")?;
        tensors.insert(name(tensor), npy::read(Path::new(path), None)?);
    }
    for (number, array) in inputs.iter().enumerate() {
        if !tensors.contains_key(&array.name) {
            let extent =
                |side: &crate::array::IndexExpr| side.evaluate(sizes).and_then(|side| usize::try_from(side).ok());
            let shape: Option<Vec<usize>> = array.shape.iter().map(extent).collect();
            let total = shape.as_ref().and_then(|s| s.iter().try_fold(1usize, |p, side| p.checked_mul(*side)));
            let (Some(shape), Some(0..=MOST_ELEMENTS)) = (shape, total) else {
                return Diagnostic::new(format!("`{}` does not fit in memory at these sizes", array.name)).alone();
            };
            let values = filled(&shape, seed.wrapping_add(number as u64));
            let assumption = kernel.and_then(|kernel| kernel.tensor(&array.name)?.assumption);
            let values = match assumption {
                Some(assumption) => assumption.impose(values),
                None => values,
            };
            tensors.insert(array.name.clone(), values);
        }
    }
    Ok(tensors)
}

/// Arrays of more elements than this are refused.
const MOST_ELEMENTS: usize = 1 << 30;

/// `X=FILE.npy` where `X` is one of `names`.
pub fn assignment<'a>(text: &'a str, names: &[&str], what: &str) -> Checked<(&'a str, &'a str)> {
    let Some((tensor, path)) = text.split_once('=') else {
        let example = names.first().copied().unwrap_or("A");
        return Diagnostic::new(format!("`{text}` does not name an {what}"))
            .help(format!("write --{what} {example}={}.npy", example.to_lowercase()))
            .alone();
    };
    if !names.contains(&tensor) {
        let near = nearest(tensor, names.iter().copied()).map(|near| format!("did you mean `{near}`?"));
        let help = near.unwrap_or_else(|| format!("the {what}s are {}", names.join(", ")));
        return Diagnostic::new(format!("`{tensor}` is not an {what} of this program")).help(help).alone();
    }
    Ok((tensor, path))
}

/// Numbers in -1 to 1 that depend on the seed and the position alone (SplitMix64).
fn filled(shape: &[usize], seed: u64) -> ArrayD<f64> {
    let mut state = seed.wrapping_mul(0x9E37_79B9_7F4A_7C15);
    let mut next = || {
        state = state.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = state;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        ((z ^ (z >> 31)) >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    };
    ArrayD::from_shape_simple_fn(IxDyn(shape), &mut next)
}
