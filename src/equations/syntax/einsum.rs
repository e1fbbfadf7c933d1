//! Einsum strings: `ik,kj->ij` becomes a kernel.
//!
//! In: operands as index letters and the output's letters. Out: the text of a kernel named `einsum` whose inputs are
//! `A`, `B`, .. in order, whose output has the next letter, and whose parameters are the index letters in upper case.

use std::sync::Arc;
use systole_base::diagnostic::{Checked, Diagnostic, Diagnostics};
use systole_base::span::{Source, Span};

/// Index letters with their place in the text.
type Letters = Vec<(char, Span)>;

/// The kernel that an einsum string stands for; it sums over the indices that the output lacks.
pub fn einsum(text: &str) -> Checked<Arc<Source>> {
    let source = Source::new("<einsum>", text);
    let (inputs, output) = read_operands(&source)?;
    check_output(&source, &inputs, &output)?;
    Ok(Source::new("<einsum>", write_kernel(text, &inputs, &output)))
}

fn read_operands(source: &Arc<Source>) -> Checked<(Vec<Letters>, Letters)> {
    let text = &source.text;
    let Some(arrow) = text.find("->") else {
        return Diagnostic::new("an einsum needs an output")
            .label(source, Span { start: 0, end: text.len() }, "`->` is missing")
            .help("write the output's indices after the operands, as in `ik,kj->ij`")
            .alone();
    };
    let mut errors = Diagnostics::new();
    let mut inputs = vec![];
    let mut start = 0;
    for operand in text[..arrow].split(',') {
        inputs.push(read_letters(source, operand, start, &mut errors));
        start += operand.len() + 1;
    }
    let output = read_letters(source, &text[arrow + 2..], arrow + 2, &mut errors);
    check_count(source, arrow, &inputs, &mut errors);
    if errors.is_empty() { Ok((inputs, output)) } else { Err(errors) }
}

fn read_letters(source: &Arc<Source>, text: &str, start: usize, errors: &mut Diagnostics) -> Letters {
    let mut letters = vec![];
    for (position, letter) in text.char_indices().filter(|(_, letter)| !letter.is_whitespace()) {
        let span = Span { start: start + position, end: start + position + letter.len_utf8() };
        match letter.is_ascii_lowercase() {
            true => letters.push((letter, span)),
            false => errors.push(
                Diagnostic::new(format!("`{letter}` cannot be an index of an einsum"))
                    .label(source, span, "not a lower-case letter")
                    .help("an index is one letter from `a` to `z`; write a `.rec` file for anything else"),
            ),
        }
    }
    letters
}

fn check_count(source: &Arc<Source>, arrow: usize, inputs: &[Letters], errors: &mut Diagnostics) {
    let operands = Span { start: 0, end: arrow };
    if errors.is_empty() && inputs.iter().any(Vec::is_empty) {
        errors.push(
            Diagnostic::new("an operand of an einsum has no indices")
                .label(source, operands, "one of these is empty")
                .help("leave the comma out, or write a `.rec` file for a scalar operand"),
        );
    }
    if inputs.len() > 25 {
        errors.push(Diagnostic::new(format!("an einsum of {} operands", inputs.len())).label(
            source,
            operands,
            "more than 25 operands",
        ));
    }
}

fn check_output(source: &Arc<Source>, inputs: &[Letters], output: &Letters) -> Checked<()> {
    let mut errors = Diagnostics::new();
    for (position, (letter, span)) in output.iter().enumerate() {
        if let Some((_, first)) = output[..position].iter().find(|(other, _)| other == letter) {
            errors.push(
                Diagnostic::new(format!("index `{letter}` occurs twice in the output"))
                    .label(source, *first, "first here")
                    .label(source, *span, "and again here")
                    .help("only the diagonal would be defined; use each index of the output once"),
            );
        }
        if !inputs.iter().flatten().any(|(other, _)| other == letter) {
            errors.push(
                Diagnostic::new(format!("index `{letter}` of the output is in no operand"))
                    .label(source, *span, "its extent is unknown")
                    .help("every index of the output must index an operand"),
            );
        }
    }
    if errors.is_empty() { Ok(()) } else { Err(errors) }
}

fn write_kernel(text: &str, inputs: &[Letters], output: &Letters) -> String {
    let names: Vec<String> = ('A'..='Z').take(inputs.len() + 1).map(String::from).collect();
    let result = names.last().map_or("", |name| name);
    let indices = list_indices(inputs, output);
    let size = |letter: char| size_of_index(letter, &names);
    let each = |of: &dyn Fn(char) -> String| -> Vec<String> {
        names.iter().zip(inputs).map(|(name, letters)| write_access(name, letters, of)).collect()
    };
    let summed: Vec<String> = indices.iter().skip(output.len()).map(char::to_string).collect();
    let sigma = if summed.is_empty() { String::new() } else { format!("sum({}) ", summed.join(", ")) };
    format!(
        "# {}\nkernel einsum({})\nin {}\nout {}\n{} = {sigma}{}\n",
        text.split_whitespace().collect::<String>(),
        indices.iter().map(|letter| size(*letter)).collect::<Vec<_>>().join(", "),
        each(&size).join(", "),
        write_access(result, output, &size),
        write_access(result, output, &String::from),
        each(&String::from).join(" * "),
    )
}

/// The indices, the output's first: those after them are summed over.
fn list_indices(inputs: &[Letters], output: &Letters) -> Vec<char> {
    let mut indices: Vec<char> = vec![];
    for (letter, _) in output.iter().chain(inputs.iter().flatten()) {
        if !indices.contains(letter) {
            indices.push(*letter);
        }
    }
    indices
}

fn write_access(name: &str, letters: &Letters, of: &dyn Fn(char) -> String) -> String {
    let list: Vec<String> = letters.iter().map(|(letter, _)| of(*letter)).collect();
    if list.is_empty() { name.to_owned() } else { format!("{name}[{}]", list.join(", ")) }
}

/// The parameter for an index: its letter in upper case, with `N` before it where a tensor has that name.
fn size_of_index(letter: char, tensors: &[String]) -> String {
    let upper = letter.to_ascii_uppercase().to_string();
    if tensors.contains(&upper) { format!("N{upper}") } else { upper }
}
