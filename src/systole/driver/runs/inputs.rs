//! Sizes and arrays from the command line.

use crate::driver::flags::program_arguments::ArrayArguments;
use crate::driver::runs::archive;
use crate::driver::runs::filled::Filled;
use crate::driver::shown::output::Output;
use serde_json::{Value, json};
use std::path::Path;
use systole_base::diagnostic::{Checked, Diagnostic, Diagnostics, nearest};
use systole_base::integer::{Affine, Bindings, Name, Parameters, name};
use systole_equations::recurrence::{RecurrenceSystem, Role, Tensor, other_shape};
use systole_program::array::elements::{Source, Sources, read_whole};
use systole_program::array::{ArrayDecl, IndexExpr, Program, Tensors};
use systole_run::shared::npy::NpySource;

/// `M=8` and so on, every parameter once; `default` fills the rest where it is given, or what the kernel assumes asks for.
pub fn sizes(given: &[String], parameters: &Parameters, default: Option<i64>) -> Checked<Bindings> {
    let mut sizes = Bindings::new();
    let mut problems = vec![];
    for text in given.iter().filter(|text| !text.is_empty()) {
        match size(text, parameters) {
            Ok((parameter, value)) if !sizes.contains_key(&parameter) => _ = sizes.insert(parameter, value),
            Ok((parameter, value)) => problems.push(twice(&parameter, sizes[&parameter], value)),
            Err(problem) => problems.push(problem),
        }
    }
    if default.is_none() && problems.is_empty() {
        let lacking: Vec<Name> =
            parameters.iter().filter(|parameter| !sizes.contains_key(*parameter)).cloned().collect();
        problems.extend(lacking.iter().map(|parameter| missing(parameter, &lacking)));
    }
    match (problems.is_empty(), default) {
        (true, Some(usual)) => Ok(parameters.filled(&sizes, usual)),
        (true, None) => Ok(sizes),
        (false, _) => Err(problems),
    }
}

fn twice(parameter: &Name, first: i64, second: i64) -> Diagnostic {
    Diagnostic::usage(format!("the size of `{parameter}` is given twice"))
        .note(format!("`{parameter}={first}` and `{parameter}={second}`"))
        .help("give each size once")
}

/// Refuses a flag that says two things of one name, such as `i=4` and `i=8`.
pub fn check_once(flag: &str, texts: &[String]) -> Checked<()> {
    let name = |text: &String| text.split_once('=').map(|(name, _)| name.trim().to_owned());
    for (at, text) in texts.iter().enumerate() {
        let Some(named) = name(text) else { continue };
        if let Some(first) = texts[..at].iter().find(|other| name(other).as_ref() == Some(&named)) {
            return Diagnostic::usage(format!("`{flag}` says two things of `{named}`"))
                .note(format!("`{}` and `{}`", first.trim(), text.trim()))
                .help("leave one of them out")
                .alone();
        }
    }
    Ok(())
}

fn missing(parameter: &Name, parameters: &[Name]) -> Diagnostic {
    let example = parameters.iter().map(|p| format!("{p}=8")).collect::<Vec<_>>().join(",");
    Diagnostic::usage(format!("the size of `{parameter}` is missing")).help(format!("write --size {example}"))
}

/// `M=8`, where `M` is one of `parameters`.
pub fn size(text: &str, parameters: &[Name]) -> Result<(Name, i64), Diagnostic> {
    let example = parameters.first().map_or("M", |parameter| parameter);
    let Some((parameter, value)) = text.split_once('=') else {
        return Err(Diagnostic::usage(format!("`{text}` is not a size")).help(format!("write --size {example}=8")));
    };
    let known: Vec<&str> = parameters.iter().map(|parameter| &**parameter).collect();
    if !known.contains(&parameter.trim()) {
        let near = nearest(parameter, known.iter().copied()).map(|near| format!("did you mean `{near}`?"));
        let help = near.unwrap_or_else(|| all_of("parameter", &known));
        return Err(Diagnostic::usage(format!("`{parameter}` is not a parameter")).help(help));
    }
    match value.trim().parse::<i64>() {
        Ok(value @ 1..=1_000_000_000) => Ok((name(parameter.trim()), value)),
        Ok(value) => Err(Diagnostic::usage(format!("the size `{parameter}` = {value} is out of range"))
            .help("sizes are whole numbers from 1 to 1000000000")),
        Err(_) => Err(Diagnostic::usage(format!("the size of `{parameter}` is not a whole number: `{value}`"))
            .help(format!("write --size {parameter}=8"))),
    }
}

impl ArrayArguments {
    /// `X=FILE` for each array that is given; those of an archive that is named alone one by one.
    ///
    /// # Errors
    /// An archive that cannot be read.
    pub fn given(&self) -> Checked<Vec<String>> {
        let each = |text: &String| match archive::is_archive(Path::new(text)) && !text.contains('=') {
            true => Ok(archive::names(Path::new(text))?.iter().map(|name| format!("{name}={text}")).collect()),
            false => Ok(vec![text.clone()]),
        };
        Ok(self.input.iter().map(each).collect::<Checked<Vec<Vec<String>>>>()?.concat())
    }
}

/// An array, of a file of its own or of an archive.
fn opened(path: &Path, tensor: &str) -> Checked<NpySource> {
    if archive::is_archive(path) { archive::array(path, tensor) } else { NpySource::open(path) }
}

/// The sizes that are the extent of a dimension of an array that is given, the first of several; a tensor that the kernel does not have is
/// left to [`sources`].
///
/// # Errors
/// A file that cannot be read.
pub fn sizes_of_arrays(kernel: &RecurrenceSystem, files: &[String]) -> Checked<Bindings> {
    let mut sizes = Bindings::new();
    for (tensor, path) in files.iter().filter_map(|file| file.split_once('=')) {
        let Some(tensor) = kernel.tensors_with(Role::Input).find(|input| &*input.name == tensor) else { continue };
        let source = opened(Path::new(path), &tensor.name)?;
        for (side, extent) in tensor.shape.iter().zip(source.shape()) {
            let extent = i64::try_from(*extent).ok().filter(|extent| *extent > 0);
            if let (Some(size), Some(extent)) = (side.as_variable(), extent) {
                sizes.entry(size.clone()).or_insert(extent);
            }
        }
    }
    Ok(sizes)
}

/// Where the inputs of a program come from: files, or the seed, as the program assumes them; one that does not say so may be of a
/// kernel that does. A file for an input of the kernel that the program does without is looked at, and no more.
pub fn sources(
    program: &Program,
    kernel: Option<&RecurrenceSystem>,
    sizes: &Bindings,
    files: &[String],
    seed: u64,
) -> Checked<Sources<'static>> {
    let inputs: Vec<_> = program.arrays.iter().filter(|array| array.role == Role::Input).collect();
    let is_read = |tensor: &str| inputs.iter().any(|array| &*array.name == tensor);
    let others = kernel.into_iter().flat_map(|kernel| kernel.tensors_with(Role::Input));
    let others: Vec<&Tensor> = others.filter(|tensor| !is_read(&tensor.name)).collect();
    let names = inputs.iter().map(|array| &*array.name).chain(others.iter().map(|tensor| &*tensor.name));
    let names: Vec<&str> = names.collect();
    check_once("--input", files)?;
    let mut sources = Sources::new();
    for file in files {
        let (tensor, path) = assignment(file, &names, "input")?;
        let source = opened(Path::new(path), tensor)?;
        match others.iter().find(|other| &*other.name == tensor) {
            Some(other) => check_shape(other, sizes, source.shape())?,
            None => _ = sources.insert(name(tensor), Box::new(source)),
        }
    }
    for (number, array) in inputs.iter().enumerate() {
        if !sources.contains_key(&array.name) {
            let assumption = array.assumption.or_else(|| kernel?.tensor(&array.name)?.assumption);
            let seed = seed.wrapping_add(number as u64);
            let filled = Filled { shape: shape(array, sizes)?, seed, assumption };
            sources.insert(array.name.clone(), Box::new(filled));
        }
    }
    Ok(sources)
}

/// Refuses files that are for no array of a kernel, or of another shape than its inputs, before there is anything to search.
///
/// # Errors
/// The name that is meant; both shapes; a file that cannot be read.
pub fn check_arrays(kernel: &RecurrenceSystem, sizes: &Bindings, arrays: &ArrayArguments) -> Checked<()> {
    let names = |role| kernel.tensors_with(role).map(|tensor| &*tensor.name).collect::<Vec<&str>>();
    check_once("--output", &arrays.output)?;
    arrays.output.iter().try_for_each(|file| assignment(file, &names(Role::Output), "output").map(|_| ()))?;
    let inputs: Vec<&Tensor> = kernel.tensors_with(Role::Input).collect();
    let (files, names) = (&arrays.given()?, names(Role::Input));
    check_once("--input", files)?;
    for file in files {
        let (name, path) = assignment(file, &names, "input")?;
        let source = opened(Path::new(path), name)?;
        inputs
            .iter()
            .filter(|tensor| &*tensor.name == name)
            .try_for_each(|tensor| check_shape(tensor, sizes, source.shape()))?;
    }
    Ok(())
}

/// Refuses an array of another shape than that of an input of a kernel.
fn check_shape(tensor: &Tensor, sizes: &Bindings, found: &[usize]) -> Checked<()> {
    let extent = |side: &Affine| side.evaluate(sizes).and_then(|side| usize::try_from(side).ok());
    match tensor.shape.iter().map(extent).collect::<Option<Vec<usize>>>() {
        Some(expected) if expected == found => Ok(()),
        Some(expected) => other_shape(&tensor.name, found, &expected).alone(),
        None => does_not_fit(&tensor.name).alone(),
    }
}

/// The inputs that no equation of the kernel reads, and no PE of the program, of those that a file is given for.
pub fn unused(kernel: Option<&RecurrenceSystem>, program: Option<&Program>, files: &[String]) -> Vec<Name> {
    let of_kernel = kernel.into_iter().flat_map(|kernel| {
        let unread = kernel.tensors_with(Role::Input).filter(|tensor| !kernel.reads(&tensor.name));
        unread.map(|tensor| tensor.name.clone())
    });
    let of_program = program.into_iter().flat_map(|program| {
        let unread = program.arrays.iter().filter(|array| array.role == Role::Input && !program.reads(&array.name));
        unread.map(|array| array.name.clone())
    });
    let mut all: Vec<Name> = of_kernel.chain(of_program).collect();
    all.sort();
    all.dedup();
    all.retain(|name| is_given(name, files));
    all
}

/// Whether a file is given for the array of this name.
fn is_given(name: &Name, files: &[String]) -> bool {
    files.iter().any(|file| file.split_once('=').is_some_and(|(given, _)| given == &**name))
}

/// Says which inputs are given in vain, on a line that begins so, and writes it into an object.
pub fn say_unused(unused: &[Name], head: &str, said: (&Output, &mut Value)) {
    say(unused, "unused", |names, them| format!("{head}{names}: no equation reads {them}"), said);
}

/// The inputs that a program reads and no file is given for, where one is given for others: who forgets one is to hear of it.
pub fn filled(program: &Program, files: &[String]) -> Vec<Name> {
    let inputs = program.arrays.iter().filter(|array| array.role == Role::Input && program.reads(&array.name));
    let missing = inputs.filter(|array| !files.is_empty() && !is_given(&array.name, files));
    missing.map(|array| array.name.clone()).collect()
}

/// Says which inputs no file gives, on a line that begins so, and writes it into an object.
pub fn say_filled(filled: &[Name], (head, seed): (&str, u64), said: (&Output, &mut Value)) {
    say(filled, "filled", |names, them| format!("{head}{names}, from --seed {seed}: no file gives {them}"), said);
}

/// Says something of inputs, if there are any, and writes their names into an object.
fn say(inputs: &[Name], key: &str, line: impl FnOnce(String, &str) -> String, (output, object): (&Output, &mut Value)) {
    if inputs.is_empty() {
        return;
    }
    let names: Vec<String> = inputs.iter().map(|name| format!("`{name}`")).collect();
    output.line(&line(names.join(", "), if names.len() == 1 { "it" } else { "them" }));
    object[key] = inputs.iter().map(|name| json!(&**name)).collect();
}

/// The input arrays of a program of a kernel, whole.
pub fn tensors(
    program: &Program,
    kernel: &RecurrenceSystem,
    sizes: &Bindings,
    files: &[String],
    seed: u64,
) -> Checked<Tensors> {
    read_all(&mut sources(program, Some(kernel), sizes, files, seed)?)
}

/// All arrays of these sources.
pub fn read_all(sources: &mut Sources<'_>) -> Checked<Tensors> {
    let is_too_large = |shape: &[usize]| shape.iter().product::<usize>() > MOST_ELEMENTS;
    if let Some((name, _)) = sources.iter().find(|(_, source)| is_too_large(source.shape())) {
        return does_not_fit(name).alone();
    }
    sources.iter_mut().map(|(name, source)| Ok((name.clone(), read_whole(&mut **source)?))).collect()
}

/// Arrays of more elements than this are not made whole.
const MOST_ELEMENTS: usize = 1 << 30;

/// The extents of an array in elements.
pub fn shape(array: &ArrayDecl, sizes: &Bindings) -> Checked<Vec<usize>> {
    let extent = |side: &IndexExpr| side.evaluate(sizes).and_then(|side| usize::try_from(side).ok());
    let shape: Option<Vec<usize>> = array.shape.iter().map(extent).collect();
    let volume = |shape: &Vec<usize>| shape.iter().try_fold(8usize, |product, side| product.checked_mul(*side));
    shape.filter(|shape| volume(shape).is_some()).ok_or_else(|| vec![does_not_fit(&array.name)])
}

fn does_not_fit(name: &Name) -> Diagnostic {
    Diagnostic::new(format!("`{name}` does not fit in memory at these sizes"))
}

/// `X=FILE.npy` where `X` is one of `names`.
pub fn assignment<'a>(text: &'a str, names: &[&str], what: &str) -> Checked<(&'a str, &'a str)> {
    let Some((tensor, path)) = text.split_once('=') else {
        return Err(nameless(text, what, names.first().copied()));
    };
    if !names.contains(&tensor) {
        let near = nearest(tensor, names.iter().copied()).map(|near| format!("did you mean `{near}`?"));
        let help = near.unwrap_or_else(|| all_of(what, names));
        return Diagnostic::usage(format!("`{tensor}` is not an {what} of this program")).help(help).alone();
    }
    Ok((tensor, path))
}

/// What is said of a text that is not `X=FILE.npy`.
pub fn nameless(text: &str, what: &str, example: Option<&str>) -> Diagnostics {
    let example = example.or_else(|| text.split_once('=').map(|(name, _)| name)).unwrap_or("A");
    let said = Diagnostic::usage(format!("`{text}` does not name an {what} and its file"));
    said.help(format!("write --{what} {example}={}.npy", example.to_lowercase())).into()
}

/// `the inputs are A, B`; that there are none, where there are none.
fn all_of(what: &str, names: &[&str]) -> String {
    match names {
        [] => format!("there is no {what}"),
        [one] => format!("the only {what} is {one}"),
        _ => format!("the {what}s are {}", names.join(", ")),
    }
}
