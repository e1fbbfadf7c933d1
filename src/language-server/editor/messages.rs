//! What is wrong with a text: the messages of the command line, as the protocol has them.

use super::document::{Document, Language};
use super::place;
use lsp_types::{
    Diagnostic as Shown, DiagnosticRelatedInformation, DiagnosticSeverity, Location, NumberOrString, Range, Uri,
};
use std::sync::Arc;
use systole_base::diagnostic::{Checked, Diagnostic, Diagnostics, MessageCode, about};
use systole_base::span::Source;
use systole_compile::rewrite::{RuleSet, read_recurrences, split_recurrences};
use systole_equations::recurrence;
use systole_program::array;

/// All messages of a document.
pub fn messages(document: &Document, uri: &Uri) -> Vec<Shown> {
    let shown =
        |severity| move |said: &Diagnostic| Shown { severity: Some(severity), ..shown(said, &document.source, uri) };
    let errors = wrong(document);
    let changed =
        array::changed(&document.source).filter(|_| errors.is_empty() && document.language == Language::Program);
    let errors = errors.iter().map(shown(DiagnosticSeverity::ERROR));
    errors.chain(changed.iter().map(shown(DiagnosticSeverity::WARNING))).collect()
}

fn wrong(document: &Document) -> Diagnostics {
    let source = &document.source;
    let read = match document.language {
        Language::Kernel => kernel(source),
        Language::Rules => about(MessageCode::Rules, RuleSet::from_sources(std::slice::from_ref(source)).map(drop)),
        Language::Program => array::parse(&source.name, &source.text).map(drop),
    };
    read.err().unwrap_or_default()
}

/// What `systole check` says of a kernel.
fn kernel(source: &Arc<Source>) -> Checked<()> {
    let (kernel, claimed) = split_recurrences(source);
    claimed.map(|within| read_recurrences(source, within)).transpose()?;
    recurrence::load(&kernel).map(drop)
}

/// A message at the first place that it points at; the others go with it.
fn shown(said: &Diagnostic, source: &Source, uri: &Uri) -> Shown {
    let range = |span| place::range(&source.text, span);
    // What points into no text stands at the beginning of this one.
    let labels = if said.source().is_some() { said.labels() } else { &[] };
    let others = labels.iter().skip(1).map(|(span, text)| DiagnosticRelatedInformation {
        location: Location { uri: uri.clone(), range: range(*span) },
        message: text.clone(),
    });
    let others: Vec<DiagnosticRelatedInformation> = others.collect();
    Shown {
        range: labels.first().map_or_else(Range::default, |(span, _)| range(*span)),
        code: Some(NumberOrString::String(said.code().keyword().to_owned())),
        source: Some("systole".to_owned()),
        message: text(said),
        related_information: (!others.is_empty()).then_some(others),
        ..Shown::default()
    }
}

/// The message, what stands at its first place, the facts, and what to do.
fn text(said: &Diagnostic) -> String {
    let label = said.labels().first().map(|(_, text)| text.as_str()).filter(|text| !text.is_empty());
    let help = said.help_text().map(|help| format!("help: {help}"));
    let lines = [said.message()].into_iter().chain(label).chain(said.notes().iter().map(String::as_str));
    lines.chain(help.as_deref()).collect::<Vec<_>>().join("\n")
}
