//! Where a name comes from: the declaration of a tensor, a size or a function, and what binds an index.

use super::document::Document;
use super::place;
use systole_base::span::Span;
use systole_equations::syntax::ast::Ident;

/// The place of the name that a word stands for.
pub fn definition(document: &Document, byte: usize) -> Option<Span> {
    let (_, word) = place::word(&document.source.text, byte)?;
    let file = document.file.as_ref()?;
    let tensors = file.tensors.iter().map(|tensor| &tensor.node.name);
    let definitions = file.definitions.iter().map(|one| &one.node.name);
    let reductions = file.reductions.iter().map(|one| &one.node.name);
    let all = tensors.chain(file.kernel.node.parameters.iter()).chain(definitions).chain(reductions);
    of(word, all).or_else(|| index(document, byte, word))
}

/// What binds an index: within an equation that equation does, elsewhere the first one that has it.
fn index(document: &Document, byte: usize, word: &str) -> Option<Span> {
    match document.equation(byte) {
        Some((_, indices)) => of(word, indices.iter()),
        None => document.equations().iter().find_map(|(_, indices)| of(word, indices.iter())),
    }
}

fn of<'n>(word: &str, mut names: impl Iterator<Item = &'n Ident>) -> Option<Span> {
    names.find(|name| &*name.node == word).map(|name| name.span)
}
