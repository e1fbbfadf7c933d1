//! Messages for programs: what people read on standard error, as data.
//!
//! In: a [`Diagnostic`]. Out: its object, from which the text that people see can be made again. `book/src/messages.md` has its
//! schema.

use super::refusal_json::refusal_json;
use serde_json::{Map, Value, json};
use systole_base::diagnostic::Diagnostic;
use systole_base::span::{Source, Span};

/// A message that ends a command, or says what it found out.
pub fn diagnostic_json(said: &Diagnostic) -> Value {
    let mut object = json!({
        "severity": "error",
        "code": said.code().keyword(),
        "message": said.message(),
        "notes": said.notes(),
        "help": said.help_text(),
        "spans": spans(said),
    });
    let values: Map<String, Value> =
        said.counterexample_values().iter().map(|(name, value)| (name.clone(), json!(value))).collect();
    if !values.is_empty() {
        object["counterexample"] = Value::Object(values);
    }
    if let Some(refusal) = said.refusal() {
        object["refusal"] = refusal_json(refusal);
    }
    object
}

/// A message that stops nothing.
pub fn warning_json(said: &Diagnostic) -> Value {
    let mut object = diagnostic_json(said);
    object["severity"] = json!("warning");
    object["code"] = json!("warning");
    object
}

fn spans(said: &Diagnostic) -> Vec<Value> {
    let Some(source) = said.source() else { return vec![] };
    said.labels().iter().map(|(span, label)| span_json(source, *span, label)).collect()
}

fn span_json(source: &Source, span: Span, label: &str) -> Value {
    let at = |byte: usize| {
        let (line, column) = source.position(byte);
        json!({ "byte": byte, "line": line, "column": column })
    };
    json!({
        "file": source.name,
        "from": at(span.start),
        "to": at(span.end),
        "text": source.slice(span),
        "label": label,
    })
}
