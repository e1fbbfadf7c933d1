//! The flags that ask for axes in other coordinates.
//!
//! In: `--split k=PxW`, `--turn k=i`. Out: what `algebra::recast` takes, splits first.

use super::law_arguments::CoordinateArguments;
use crate::algebra::{Coordinates, Part};
use crate::diagnostic::{Checked, Diagnostic};
use crate::integer::name;

/// What is asked of which axis.
///
/// # Errors
/// A flag without a sign of equality; a part that is neither a number nor a name.
pub fn wanted(arguments: &CoordinateArguments) -> Checked<Vec<Coordinates>> {
    let splits = arguments.split.iter().map(|text| split(text));
    let turns = arguments.turn.iter().map(|text| turn(text));
    splits.chain(turns).collect()
}

fn split(text: &str) -> Checked<Coordinates> {
    let Some((index, parts)) = text.split_once('=') else { return misread("--split", text, "k=4xW") };
    let parts: Option<Vec<Part>> = parts.split('x').map(part).collect();
    match parts {
        Some(parts) => Ok(Coordinates::Split { index: name(index), parts }),
        None => misread("--split", text, "k=4xW"),
    }
}

fn part(text: &str) -> Option<Part> {
    let is_name = text.starts_with(|first: char| first.is_alphabetic())
        && text.chars().all(|letter| letter.is_alphanumeric() || letter == '_');
    text.parse().ok().map(Part::Number).or_else(|| is_name.then(|| Part::Size(name(text))))
}

fn turn(text: &str) -> Checked<Coordinates> {
    match text.split_once('=') {
        Some((index, with)) => Ok(Coordinates::Turn { index: name(index), with: name(with) }),
        None => misread("--turn", text, "k=i"),
    }
}

fn misread(flag: &str, text: &str, example: &str) -> Checked<Coordinates> {
    Diagnostic::new(format!("`{text}` does not say what {flag} does to which index"))
        .help(format!("write an index, a sign of equality and its new coordinates, such as {flag} {example}"))
        .alone()
}
