//! What may be written at a place of a kernel. The text before it decides: it need not be a kernel yet.

use super::directives;
use super::document::{Document, Names};
use lsp_types::{CompletionItem, CompletionItemKind};
use systole_base::scalar::Function;
use systole_equations::recurrence::Operator;

/// The words behind which a tensor stands.
const OF_TENSORS: [&str; 9] = ["stream", "broadcast", "prefetch", "feed", "local", "memory", "room", "layout", "load"];
/// The words behind which indices stand.
const OF_INDICES: [&str; 5] = ["along", "both", "tile", "place", "time"];

/// All that may stand at a byte.
pub fn completions(document: &Document, byte: usize) -> Vec<CompletionItem> {
    let before = document.source.text.get(..byte).unwrap_or_default();
    let line = before.rsplit_once('\n').map_or(before, |(_, line)| line);
    if line.contains('#') {
        return vec![];
    }
    match is_in_schedule(before) {
        true => in_schedule(line, &document.names),
        false => in_equations(&document.names),
    }
}

/// Whether a schedule has begun on a line before.
fn is_in_schedule(before: &str) -> bool {
    before
        .rsplit_once('\n')
        .is_some_and(|(above, _)| above.lines().any(|line| line.trim_start().starts_with("schedule ")))
}

fn in_schedule(line: &str, names: &Names) -> Vec<CompletionItem> {
    let words: Vec<&str> = line.split(|letter: char| !letter.is_alphanumeric() && letter != '_').collect();
    // The last word is the one that is being written.
    let behind: Vec<&str> = words.iter().rev().skip(1).copied().filter(|word| !word.is_empty()).collect();
    let is_index = |word: &str| names.indices.iter().any(|index| index == word);
    let is_inside = line.matches('(').count() > line.matches(')').count();
    match behind.first() {
        Some(word) if OF_TENSORS.contains(word) => items(&names.tensors, CompletionItemKind::VARIABLE, "tensor"),
        Some(word) if OF_INDICES.contains(word) => items(&names.indices, CompletionItemKind::FIELD, "index"),
        Some(word) if is_index(word) && (is_inside || line.trim_end().ends_with(['+', '-', '*', ','])) => {
            items(&names.indices, CompletionItemKind::FIELD, "index")
        }
        Some(word) if names.tensors.iter().any(|tensor| tensor == word) => {
            keywords(&["along", "both"]).into_iter().chain(all_directives()).collect()
        }
        _ => all_directives(),
    }
}

fn all_directives() -> Vec<CompletionItem> {
    let item = |(word, line, meaning): &(&str, &str, &str)| CompletionItem {
        label: (*word).to_owned(),
        kind: Some(CompletionItemKind::KEYWORD),
        detail: Some(format!("{line}: {meaning}")),
        ..CompletionItem::default()
    };
    directives::WORDS.iter().map(item).collect()
}

fn in_equations(names: &Names) -> Vec<CompletionItem> {
    let functions: Vec<String> = Function::ALL.iter().map(|function| function.keyword().to_owned()).collect();
    let operators: Vec<&str> =
        Operator::ALL.iter().map(|(_, word)| *word).filter(|word| !functions.iter().any(|one| one == word)).collect();
    let lists = [
        items(&names.tensors, CompletionItemKind::VARIABLE, "tensor"),
        items(&names.indices, CompletionItemKind::FIELD, "index"),
        items(&names.sizes, CompletionItemKind::CONSTANT, "size"),
        items(&names.definitions, CompletionItemKind::FUNCTION, "of this kernel"),
        items(&functions, CompletionItemKind::FUNCTION, "scalar function"),
        keywords(&operators),
        keywords(&[
            "kernel",
            "in",
            "out",
            "local",
            "inout",
            "where",
            "elsewhere",
            "else",
            "const",
            "function",
            "schedule",
        ]),
    ];
    lists.into_iter().flatten().collect()
}

fn items(names: &[String], kind: CompletionItemKind, what: &str) -> Vec<CompletionItem> {
    let item = |name: &String| CompletionItem {
        label: name.clone(),
        kind: Some(kind),
        detail: Some(what.to_owned()),
        ..CompletionItem::default()
    };
    names.iter().map(item).collect()
}

fn keywords(words: &[&str]) -> Vec<CompletionItem> {
    let item = |word: &&str| CompletionItem {
        label: (*word).to_owned(),
        kind: Some(CompletionItemKind::KEYWORD),
        ..CompletionItem::default()
    };
    words.iter().map(item).collect()
}
