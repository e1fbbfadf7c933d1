//! The flags that ask for axes in other coordinates.
//!
//! In: `--split k=PxW`, `--rotate k=i`. Out: what `algebra::recast` takes, splits first; a refusal of sizes that are no product of their parts.

use crate::driver::flags::law_arguments::CoordinateArguments;
use crate::driver::runs::inputs;
use systole_base::diagnostic::{Checked, Diagnostic};
use systole_base::integer::{Bindings, Name, name};
use systole_compile::algebra::{CoordinateCount, Coordinates};
use systole_equations::recurrence::RecurrenceSystem;

/// What is asked of which axis.
///
/// # Errors
/// A flag without a sign of equality; a part that is neither a number nor a name.
pub fn wanted(arguments: &CoordinateArguments) -> Checked<Vec<Coordinates>> {
    inputs::check_once("--split", &arguments.split)?;
    inputs::check_once("--rotate", &arguments.rotate)?;
    let splits = arguments.split.iter().map(|text| split(text));
    let turns = arguments.rotate.iter().map(|text| turn(text));
    splits.chain(turns).collect()
}

fn split(text: &str) -> Checked<Coordinates> {
    let Some((index, parts)) = text.split_once('=') else { return misread("--split", text, "k=4xW") };
    let parts: Option<Vec<CoordinateCount>> = parts.split('x').map(part).collect();
    match parts {
        Some(parts) => Ok(Coordinates::Split { index: name(index), parts }),
        None => misread("--split", text, "k=4xW"),
    }
}

fn part(text: &str) -> Option<CoordinateCount> {
    let is_name = text.starts_with(|first: char| first.is_alphabetic())
        && text.chars().all(|letter| letter.is_alphanumeric() || letter == '_');
    text.parse().ok().map(CoordinateCount::Number).or_else(|| is_name.then(|| CoordinateCount::Size(name(text))))
}

fn turn(text: &str) -> Checked<Coordinates> {
    match text.split_once('=') {
        Some((index, with)) => Ok(Coordinates::Rotate { index: name(index), with: name(with) }),
        None => misread("--rotate", text, "k=i"),
    }
}

/// Refuses the size of an axis that is cut: blocks are of one width, and their number and width are what is given.
///
/// # Errors
/// Such a size, with the parts that would make it, or come closest to it.
pub fn check_sizes(given: &[String], system: &RecurrenceSystem, wanted: &[Coordinates]) -> Checked<()> {
    for change in wanted {
        let (Coordinates::Split { parts, .. }, Some(size)) = (change, change.cut_size(system)) else { continue };
        let named =
            parts.iter().filter_map(|part| if let CoordinateCount::Size(size) = part { Some(size) } else { None });
        let named: Vec<Name> = named.chain([&size]).cloned().collect();
        // What is no such size is read, or refused, with all others.
        let known: Bindings = given.iter().filter_map(|text| inputs::size(text, &named).ok()).collect();
        if let Some(value) = known.get(&size).filter(|_| !parts.contains(&CoordinateCount::Size(size.clone()))) {
            return cut_otherwise((&size, *value), parts, &known).alone();
        }
    }
    Ok(())
}

fn cut_otherwise((size, value): (&Name, i64), parts: &[CoordinateCount], known: &Bindings) -> Diagnostic {
    let texts = parts.iter().map(|part| match part {
        CoordinateCount::Number(count) => count.to_string(),
        CoordinateCount::Size(size) => size.to_string(),
    });
    let product = texts.collect::<Vec<_>>().join(" * ");
    let count = |part: &CoordinateCount| match part {
        CoordinateCount::Number(count) => Some(*count),
        CoordinateCount::Size(size) => known.get(size).copied(),
    };
    let block = parts.iter().filter_map(count).fold(1i64, i64::saturating_mul).max(1);
    let open: Vec<&CoordinateCount> = parts.iter().filter(|part| count(part).is_none()).collect();
    let said = Diagnostic::usage(format!("`{size}` is {product} where it is cut, so it has no size of its own"));
    match open.as_slice() {
        [CoordinateCount::Size(part)] if value % block == 0 => {
            said.help(format!("write {part}={} in place of {size}={value}", value / block))
        }
        [CoordinateCount::Size(part)] => said
            .note(format!("blocks are of one width: {value} = {} * {block} + {}", value / block, value % block))
            .help(format!(
                "write {part}={} for {size} = {}, or other parts",
                value / block + 1,
                (value - value % block).saturating_add(block)
            )),
        _ => said.help(format!("write the sizes of its parts, whose product is {value}, in place of {size}={value}")),
    }
}

fn misread(flag: &str, text: &str, example: &str) -> Checked<Coordinates> {
    Diagnostic::usage(format!("`{text}` does not say what {flag} does to which index"))
        .help(format!("write an index, a sign of equality and its new coordinates, such as {flag} {example}"))
        .alone()
}
