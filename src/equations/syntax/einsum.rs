//! Einsum strings: `ik,kj->ij` becomes a kernel.
//!
//! In: operands as indices, and the output's indices, as NumPy and opt_einsum have them. An index is a letter; where an operand is several
//! words, an index is a word, as in `batch time, time out -> batch out`. Without `->` the output has each index that stands once, in
//! alphabetical order. `where` and conditions may follow: what they leave out of a sum is no term of it, and an element that they leave
//! out is 0. Out: the text of a kernel named `einsum` whose inputs are `A`, `B`, .. in order, whose output has the next letter, and whose
//! parameters are the indices in upper case.

use super::tokens::{REDUCTIONS, is_reserved, is_word};
use std::collections::BTreeMap;
use std::fmt::Write;
use std::sync::Arc;
use systole_base::diagnostic::{Checked, Diagnostic, Diagnostics};
use systole_base::integer::{Name, name, unused};
use systole_base::scalar::Function;
use systole_base::span::{Source, Span};

/// How many operands there may be: one more letter is the output.
const MOST_OPERANDS: usize = 25;

/// Indices with their place in the text.
type Indices = Vec<(String, Span)>;

/// The kernel that an einsum string stands for; it sums over the indices that the output lacks.
pub fn einsum(text: &str) -> Checked<Arc<Source>> {
    let source = Source::new("<einsum>", text);
    let (product, conditions) = match text.split_once(" where ") {
        Some((product, conditions)) => (product, conditions),
        None => (text, ""),
    };
    let (inputs, output) = read_operands(&source, product)?;
    check_output(&source, &inputs, &output)?;
    let einsum = Einsum::named(inputs, output);
    Ok(Source::new("<einsum>", einsum.write(product, conditions)))
}

fn read_operands(source: &Arc<Source>, text: &str) -> Checked<(Vec<Indices>, Indices)> {
    let (operands, output) = match text.split_once("->") {
        Some((operands, output)) => (operands, Some(output)),
        None => (text, None),
    };
    let parts = || operands.split(',').chain(output);
    let words = |part: &str| part.split_whitespace().map(str::to_owned).collect::<Vec<String>>();
    let is_in_words =
        parts().any(|part| words(part).len() > 1) && parts().flat_map(words).any(|word| word.chars().count() > 1);
    let mut errors = Diagnostics::new();
    let mut read = |part: &str, start: usize| match is_in_words {
        true => read_words(source, part, start, &mut errors),
        false => read_letters(source, part, start, &mut errors),
    };
    let mut inputs = vec![];
    let mut start = 0;
    for operand in operands.split(',') {
        inputs.push(read(operand, start));
        start += operand.len() + 1;
    }
    let output = match output {
        Some(output) => read(output, operands.len() + 2),
        None => once(&inputs),
    };
    check_count(source, operands.len(), &inputs, &mut errors);
    if errors.is_empty() { Ok((inputs, output)) } else { Err(errors) }
}

/// The indices that stand once, in alphabetical order.
fn once(inputs: &[Indices]) -> Indices {
    let all: Vec<&(String, Span)> = inputs.iter().flatten().collect();
    let is_once = |(index, _): &&&(String, Span)| all.iter().filter(|(other, _)| other == index).count() == 1;
    let mut found: Indices = all.iter().filter(is_once).map(|index| (*index).clone()).collect();
    found.sort();
    found
}

fn read_letters(source: &Arc<Source>, text: &str, start: usize, errors: &mut Diagnostics) -> Indices {
    let mut indices = vec![];
    for (position, letter) in text.char_indices().filter(|(_, letter)| !letter.is_whitespace()) {
        let span = Span { start: start + position, end: start + position + letter.len_utf8() };
        match letter.is_ascii_alphabetic() {
            true => indices.push((letter.to_string(), span)),
            false => errors.push(refuse_index(source, &letter.to_string(), span, "not a letter")),
        }
    }
    indices
}

fn read_words(source: &Arc<Source>, text: &str, start: usize, errors: &mut Diagnostics) -> Indices {
    let mut indices = vec![];
    for word in text.split_whitespace() {
        let position = start + word.as_ptr() as usize - text.as_ptr() as usize;
        let span = Span { start: position, end: position + word.len() };
        match is_word(word) {
            true => indices.push((word.to_owned(), span)),
            false => errors.push(refuse_index(source, word, span, "not a name")),
        }
    }
    indices
}

fn refuse_index(source: &Arc<Source>, index: &str, span: Span, label: &str) -> Diagnostic {
    let help = match index {
        "." | "..." => "write out the indices that `...` stands for",
        _ => "an index is a letter, or a word where words stand apart: `batch time, time out -> batch out`",
    };
    Diagnostic::new(format!("`{index}` cannot be an index of an einsum")).label(source, span, label).help(help)
}

fn check_count(source: &Arc<Source>, end: usize, inputs: &[Indices], errors: &mut Diagnostics) {
    let operands = Span { start: 0, end };
    if errors.is_empty() && inputs.iter().any(Vec::is_empty) {
        errors.push(
            Diagnostic::new("an operand of an einsum has no indices")
                .label(source, operands, "one of these is empty")
                .help("leave the comma out, or write a `.rec` file for a scalar operand"),
        );
    }
    if inputs.len() > MOST_OPERANDS {
        let message = format!("an einsum of {} operands", inputs.len());
        let label = format!("more than {MOST_OPERANDS} operands");
        errors.push(Diagnostic::new(message).label(source, operands, label));
    }
}

fn check_output(source: &Arc<Source>, inputs: &[Indices], output: &Indices) -> Checked<()> {
    let mut errors = Diagnostics::new();
    for (position, (index, span)) in output.iter().enumerate() {
        if let Some((_, first)) = output[..position].iter().find(|(other, _)| other == index) {
            errors.push(
                Diagnostic::new(format!("index `{index}` occurs twice in the output"))
                    .label(source, *first, "first here")
                    .label(source, *span, "and again here")
                    .help("only the diagonal would be defined; use each index of the output once"),
            );
        }
        if !inputs.iter().flatten().any(|(other, _)| other == index) {
            errors.push(
                Diagnostic::new(format!("index `{index}` of the output is in no operand"))
                    .label(source, *span, "its extent is unknown")
                    .help("every index of the output must index an operand"),
            );
        }
    }
    if errors.is_empty() { Ok(()) } else { Err(errors) }
}

/// An einsum with a name for everything in its kernel.
struct Einsum {
    inputs: Vec<Indices>,
    output: Indices,
    /// The inputs, then the output.
    arrays: Vec<String>,
    /// For each index of the string its name in the kernel and its size, those of the output first.
    names: Vec<(String, Name, Name)>,
}

impl Einsum {
    fn named(inputs: Vec<Indices>, output: Indices) -> Einsum {
        let arrays: Vec<String> = ('A'..='Z').take(inputs.len() + 1).map(String::from).collect();
        let mut indices: Vec<String> = vec![];
        for (index, _) in output.iter().chain(inputs.iter().flatten()) {
            if !indices.contains(index) {
                indices.push(index.clone());
            }
        }
        let mut taken: Vec<Name> = arrays.iter().chain(&indices).map(|used| name(used)).collect();
        let mut fresh = |wanted: &str| {
            let found = unused(wanted, &taken);
            taken.push(found.clone());
            found
        };
        let named = |index: &String| {
            let is_free = !arrays.contains(index) && !is_taken(index);
            let own = if is_free { name(index) } else { fresh(&format!("{index}_")) };
            let upper = index.to_uppercase();
            let is_clash = arrays.contains(&upper) || upper == *index;
            (index.clone(), own, fresh(&if is_clash { format!("N{upper}") } else { upper }))
        };
        let names = indices.iter().map(named).collect();
        Einsum { inputs, output, arrays, names }
    }

    fn write(&self, product: &str, conditions: &str) -> String {
        let names = self.names.iter();
        let index: BTreeMap<&str, &str> = names.clone().map(|(index, own, _)| (index.as_str(), &**own)).collect();
        let size: BTreeMap<&str, &str> = names.map(|(index, _, size)| (index.as_str(), &**size)).collect();
        let sizes: Vec<&str> = self.names.iter().map(|(_, _, size)| &**size).collect();
        let each = |of: &BTreeMap<&str, &str>| -> Vec<String> {
            self.arrays.iter().zip(&self.inputs).map(|(array, indices)| write_access(array, indices, of)).collect()
        };
        let result = self.arrays.last().map_or("", |array| array);
        let target = write_access(result, &self.output, &index);
        let summed: Vec<&str> = self.names.iter().skip(self.output.len()).map(|(_, own, _)| &**own).collect();
        let (within, around) = divide_conditions(&rename_words(conditions, &index), &summed);
        let sigma = match summed.is_empty() {
            true => String::new(),
            false => format!("sum({}{within}) ", summed.join(", ")),
        };
        let mut text = format!(
            "# {}\nkernel einsum({})\nin {}\nout {}\n{target} = {sigma}{}{around}\n",
            product.split_whitespace().collect::<Vec<_>>().join(" "),
            sizes.join(", "),
            each(&size).join(", "),
            write_access(result, &self.output, &size),
            each(&index).join(" * "),
        );
        if !around.is_empty() {
            let _ = writeln!(text, "{target} = 0 elsewhere");
        }
        text
    }
}

/// Whether a word of the language has the name.
fn is_taken(index: &str) -> bool {
    let is_reduction = REDUCTIONS.iter().any(|(word, _)| *word == index);
    is_reduction || is_reserved(index) || Function::from_keyword(index).is_some()
}

/// The conditions of a sum, which name indices that are summed over, and those of the elements.
fn divide_conditions(conditions: &str, summed: &[&str]) -> (String, String) {
    let all = conditions.split(',').map(str::trim).filter(|condition| !condition.is_empty());
    let is_within = |condition: &&str| words_of(condition).any(|word| summed.contains(&word));
    let (within, around): (Vec<&str>, Vec<&str>) = all.partition(is_within);
    let clause = |list: &[&str]| if list.is_empty() { String::new() } else { format!(" where {}", list.join(", ")) };
    (clause(&within), clause(&around))
}

fn words_of(text: &str) -> impl Iterator<Item = &str> {
    text.split(|letter: char| !letter.is_ascii_alphanumeric() && letter != '_').filter(|word| !word.is_empty())
}

/// The text with the names that indices have in the kernel.
fn rename_words(text: &str, names: &BTreeMap<&str, &str>) -> String {
    let mut renamed = String::new();
    let mut rest = text;
    while !rest.is_empty() {
        let end = rest.find(|letter: char| !letter.is_ascii_alphanumeric() && letter != '_').unwrap_or(rest.len());
        let (word, after) = rest.split_at(end);
        renamed.push_str(names.get(word).unwrap_or(&word));
        let sign = after.chars().next();
        renamed.extend(sign);
        rest = &after[sign.map_or(0, char::len_utf8)..];
    }
    renamed
}

fn write_access(array: &str, indices: &Indices, of: &BTreeMap<&str, &str>) -> String {
    let list: Vec<&str> = indices.iter().filter_map(|(index, _)| of.get(index.as_str()).copied()).collect();
    if list.is_empty() { array.to_owned() } else { format!("{array}[{}]", list.join(", ")) }
}
