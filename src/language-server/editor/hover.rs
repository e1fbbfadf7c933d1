//! What a word means where it stands: extents and reads of a tensor, the range of an index, a line of a schedule.

use super::directives;
use super::document::Document;
use super::place;
use systole_equations::recurrence::RecurrenceSystem;
use systole_equations::syntax::ast::{Direction, Tensor};

/// What is shown for a byte of a kernel, as Markdown.
pub fn hover(document: &Document, byte: usize) -> Option<String> {
    let (_, word) = place::word(&document.source.text, byte)?;
    directive(document, byte, word)
        .or_else(|| tensor(document, word))
        .or_else(|| size(document, word))
        .or_else(|| equation(document, byte))
}

/// A line of a schedule, where the word is the one that leads it.
fn directive(document: &Document, byte: usize, word: &str) -> Option<String> {
    let schedule = document.schedule(byte)?;
    let line =
        schedule.directives.iter().find(|line| line.span.start <= byte && byte <= line.span.start + word.len())?;
    let meaning = directives::meaning(word)?;
    let more = directives::of_this_line(&line.node, schedule, &document.source);
    let text = document.source.slice(line.span).trim();
    Some([code(text), format!("`{word}`: {meaning}.")].into_iter().chain(more).collect::<Vec<_>>().join("\n\n"))
}

/// A tensor: its declaration, its extents, and how it is read.
fn tensor(document: &Document, word: &str) -> Option<String> {
    let file = document.file.as_ref()?;
    let tensor = &file.tensors.iter().find(|tensor| &*tensor.node.name.node == word)?.node;
    let said = [code(&declaration(tensor, document)), role(tensor.direction).to_owned()];
    let reads = document.system.as_ref().map(|system| reads(system, word)).filter(|reads| !reads.is_empty());
    Some(said.into_iter().chain(reads.map(|reads| code(&reads.join("\n")))).collect::<Vec<_>>().join("\n\n"))
}

fn declaration(tensor: &Tensor, document: &Document) -> String {
    let extents: Vec<&str> = tensor.shape.iter().map(|extent| document.source.slice(extent.span).trim()).collect();
    let extents = if extents.is_empty() { String::new() } else { format!("[{}]", extents.join(", ")) };
    let assumed = tensor.assumption.as_ref().map_or_else(String::new, |word| format!(" is {}", word.node));
    format!("{} {}{extents}{assumed}", tensor.direction.keyword(), tensor.name.node)
}

fn role(direction: Direction) -> &'static str {
    match direction {
        Direction::In => "It is given. Each subscript runs from 0 to its extent, which is left out.",
        Direction::Out => "It is computed and handed out. Each subscript runs from 0 to its extent, which is left out.",
        Direction::Local => "It is computed and used inside only.",
        Direction::InOut => "It is given, replaced step by step, and handed out again.",
    }
}

/// The lines of the normal form that are about the reads of a tensor.
fn reads(system: &RecurrenceSystem, tensor: &str) -> Vec<String> {
    let is_of_it = |read: &str| {
        let rest = read.strip_prefix(tensor);
        rest.is_some_and(|rest| !rest.starts_with(|next: char| next.is_alphanumeric() || next == '_'))
    };
    let text = system.to_string();
    let lines =
        text.lines().map(str::trim).filter(|line| line.strip_prefix("reads").is_some_and(|rest| is_of_it(rest.trim())));
    lines.map(str::to_owned).collect()
}

fn size(document: &Document, word: &str) -> Option<String> {
    let kernel = &document.file.as_ref()?.kernel.node;
    kernel.parameters.iter().find(|size| &*size.node == word)?;
    let assumed = kernel.assumptions.iter().map(|one| document.source.slice(one.span).trim());
    let assumed =
        assumed.filter(|text| text.contains(word)).map(|text| format!(" `{text}` is assumed.")).collect::<String>();
    Some(format!("`{word}` is a size of the kernel, at least 1. What is proved holds for all sizes.{assumed}"))
}

/// The equations of the normal form that come from the one that a byte lies in: the range of each index, and each read.
fn equation(document: &Document, byte: usize) -> Option<String> {
    let (span, _) = document.equation(byte)?;
    let system = document.system.as_ref()?;
    let text = system.to_string();
    // The first stretch is of the declarations, each further one of an equation.
    let stretches = text.split("\n\n").skip(1).zip(&system.equations);
    let own: Vec<&str> = stretches.filter(|(_, one)| span.holds(one.span)).map(|(text, _)| text.trim_end()).collect();
    (!own.is_empty()).then(|| code(&own.join("\n\n")))
}

fn code(text: &str) -> String {
    format!("```rec\n{text}\n```")
}
