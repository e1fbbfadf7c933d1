//! The exchange with an editor: it says what is written, and asks what to show.

use super::document::Document;
use super::streams::{Said, read, write};
use super::{completion, definition, hover, messages, place};
use lsp_server::{ErrorCode, Message, Notification, Request, Response};
use lsp_types::notification::{
    DidChangeTextDocument, DidCloseTextDocument, DidOpenTextDocument, Exit, Notification as _, PublishDiagnostics,
};
use lsp_types::request::{Completion, GotoDefinition, HoverRequest, Initialize, Request as _, Shutdown};
use lsp_types::{
    CompletionOptions, CompletionParams, DidChangeTextDocumentParams, DidCloseTextDocumentParams,
    DidOpenTextDocumentParams, GotoDefinitionParams, GotoDefinitionResponse, Hover, HoverContents, HoverParams,
    HoverProviderCapability, Location, MarkupContent, MarkupKind, OneOf, PublishDiagnosticsParams, ServerCapabilities,
    TextDocumentPositionParams, TextDocumentSyncCapability, TextDocumentSyncKind, Uri,
};
use serde_json::{Value, json};
use std::collections::{BTreeMap, VecDeque};
use std::error::Error;
use std::io::{self, BufRead, BufReader, Write};
use std::sync::mpsc::channel;
use std::thread;

/// Why an exchange broke off.
type Broken = Box<dyn Error + Send + Sync>;

/// Serves an editor on the streams of this process, until it says that it is done.
///
/// # Errors
/// The editor does not speak the protocol.
pub fn serve_stdio() -> Result<(), Broken> {
    serve(BufReader::new(io::stdin()), io::stdout())
}

/// Serves an editor, until it says that it is done, or has gone away.
///
/// # Errors
/// The editor does not speak the protocol.
pub fn serve(mut input: impl BufRead + Send + 'static, output: impl Write) -> Result<(), Broken> {
    // What has been said meanwhile is known, so a text that was changed again is not read.
    let (sender, receiver) = channel();
    thread::spawn(move || {
        while let Some(said) = read(&mut input).transpose() {
            let is_last = said.is_err();
            if sender.send(said).is_err() || is_last {
                break;
            }
        }
    });
    let mut server = Server { output, documents: BTreeMap::new(), state: State::Begun };
    let mut open = VecDeque::new();
    while server.state != State::Gone {
        if open.is_empty() {
            let Ok(said) = receiver.recv() else { return Ok(()) };
            open.push_back(said);
        }
        open.extend(receiver.try_iter());
        match open.pop_front().transpose()? {
            Some(said) if !is_stale(&said, &open) => server.take(said)?,
            _ => {}
        }
    }
    Ok(())
}

/// Whether a text is changed once more before anybody asks something.
fn is_stale(said: &Said, open: &VecDeque<io::Result<Said>>) -> bool {
    let changed = |said: &Said| match said {
        Said::Message(Message::Notification(said)) if said.method == DidChangeTextDocument::METHOD => {
            Some(said.params["textDocument"]["uri"].clone())
        }
        _ => None,
    };
    let Some(uri) = changed(said) else { return false };
    let mut changes = open.iter().map_while(|said| changed(said.as_ref().ok()?));
    changes.any(|other| other == uri)
}

fn capabilities() -> ServerCapabilities {
    ServerCapabilities {
        text_document_sync: Some(TextDocumentSyncCapability::Kind(TextDocumentSyncKind::FULL)),
        hover_provider: Some(HoverProviderCapability::Simple(true)),
        definition_provider: Some(OneOf::Left(true)),
        completion_provider: Some(CompletionOptions::default()),
        ..ServerCapabilities::default()
    }
}

/// How far an exchange is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    /// The editor has not said `initialize`.
    Begun,
    Ready,
    /// The editor has said `shutdown`.
    Over,
    /// The editor has said `exit`.
    Gone,
}

struct Server<W> {
    output: W,
    documents: BTreeMap<String, Document>,
    state: State,
}

impl<W: Write> Server<W> {
    fn take(&mut self, said: Said) -> Result<(), Broken> {
        match said {
            Said::Faulty { id, code, why } => {
                self.send(json!({ "id": id, "error": { "code": code as i32, "message": why } }))
            }
            Said::Message(Message::Request(request)) => {
                let answer = self.answer(request);
                self.send(serde_json::to_value(answer)?)
            }
            Said::Message(Message::Notification(said)) if said.method == Exit::METHOD => {
                let is_over = self.state == State::Over;
                self.state = State::Gone;
                if is_over { Ok(()) } else { Err("it said `exit` before `shutdown`".into()) }
            }
            Said::Message(Message::Notification(said)) if self.state == State::Ready => self.note(said),
            Said::Message(Message::Notification(_) | Message::Response(_)) => Ok(()),
        }
    }

    fn send(&mut self, message: Value) -> Result<(), Broken> {
        Ok(write(&mut self.output, message)?)
    }

    /// What the editor says without asking; what has not the form of the protocol is passed over, since nobody waits for an answer.
    fn note(&mut self, said: Notification) -> Result<(), Broken> {
        match self.noted(said) {
            Err(why) if why.is::<serde_json::Error>() => Ok(()),
            other => other,
        }
    }

    fn noted(&mut self, said: Notification) -> Result<(), Broken> {
        match said.method.as_str() {
            DidOpenTextDocument::METHOD => {
                let DidOpenTextDocumentParams { text_document } = serde_json::from_value(said.params)?;
                self.read(text_document.uri, &text_document.text, Some(text_document.version))
            }
            DidChangeTextDocument::METHOD => {
                let DidChangeTextDocumentParams { text_document, content_changes } =
                    serde_json::from_value(said.params)?;
                let Some(change) = content_changes.into_iter().next_back() else { return Ok(()) };
                self.read(text_document.uri, &change.text, Some(text_document.version))
            }
            DidCloseTextDocument::METHOD => {
                let DidCloseTextDocumentParams { text_document } = serde_json::from_value(said.params)?;
                self.documents.remove(text_document.uri.as_str());
                self.publish(text_document.uri, vec![], None)
            }
            _ => Ok(()),
        }
    }

    /// Reads a text, and says what is wrong with it.
    fn read(&mut self, uri: Uri, text: &str, version: Option<i32>) -> Result<(), Broken> {
        let before = self.documents.remove(uri.as_str());
        let Some(document) = Document::new(file_name(&uri), text, before.as_ref()) else { return Ok(()) };
        let found = messages(&document, &uri);
        self.documents.insert(uri.as_str().to_owned(), document);
        self.publish(uri, found, version)
    }

    fn publish(
        &mut self,
        uri: Uri,
        diagnostics: Vec<lsp_types::Diagnostic>,
        version: Option<i32>,
    ) -> Result<(), Broken> {
        let params = serde_json::to_value(PublishDiagnosticsParams { uri, diagnostics, version })?;
        self.send(json!({ "method": PublishDiagnostics::METHOD, "params": params }))
    }

    /// What the editor asks.
    fn answer(&mut self, request: Request) -> Response {
        let Request { id, method, params } = request;
        let refused = |code: ErrorCode, why: String| Response::new_err(id.clone(), code as i32, why);
        let found = match (self.state, method.as_str()) {
            (State::Begun, Initialize::METHOD) => {
                self.state = State::Ready;
                Ok(json!({ "capabilities": capabilities() }))
            }
            (State::Begun, _) => {
                return refused(ErrorCode::ServerNotInitialized, "`initialize` is asked first".to_owned());
            }
            (State::Over | State::Gone, _) => {
                return refused(ErrorCode::InvalidRequest, "after `shutdown` nothing is asked".to_owned());
            }
            (State::Ready, Initialize::METHOD) => {
                return refused(ErrorCode::InvalidRequest, "`initialize` is asked once".to_owned());
            }
            (State::Ready, Shutdown::METHOD) => {
                self.state = State::Over;
                Ok(Value::Null)
            }
            (State::Ready, HoverRequest::METHOD) => serde_json::from_value(params).map(|asked| self.hover(&asked)),
            (State::Ready, GotoDefinition::METHOD) => {
                serde_json::from_value(params).map(|asked| self.definition(asked))
            }
            (State::Ready, Completion::METHOD) => serde_json::from_value(params).map(|asked| self.completion(&asked)),
            (State::Ready, _) => {
                return refused(ErrorCode::MethodNotFound, format!("`{method}` is not answered here"));
            }
        };
        match found {
            Ok(value) => Response::new_ok(id, value),
            Err(why) => refused(ErrorCode::InvalidParams, why.to_string()),
        }
    }

    /// The document and the byte of a place in it.
    fn at(&self, asked: &TextDocumentPositionParams) -> Option<(&Document, usize)> {
        let document = self.documents.get(asked.text_document.uri.as_str())?;
        Some((document, place::byte(&document.source.text, asked.position)))
    }

    fn hover(&self, asked: &HoverParams) -> Value {
        let at = self.at(&asked.text_document_position_params);
        let shown = at.and_then(|(document, byte)| hover::hover(document, byte)).map(|value| Hover {
            contents: HoverContents::Markup(MarkupContent { kind: MarkupKind::Markdown, value }),
            range: None,
        });
        json!(shown)
    }

    fn definition(&self, asked: GotoDefinitionParams) -> Value {
        let asked = asked.text_document_position_params;
        let found = self.at(&asked).and_then(|(document, byte)| {
            let span = definition::definition(document, byte)?;
            Some(place::range(&document.source.text, span))
        });
        let uri = asked.text_document.uri;
        json!(found.map(|range| GotoDefinitionResponse::Scalar(Location { uri, range })))
    }

    fn completion(&self, asked: &CompletionParams) -> Value {
        let at = self.at(&asked.text_document_position);
        json!(at.map(|(document, byte)| completion::completions(document, byte)).unwrap_or_default())
    }
}

/// What messages call a file.
fn file_name(uri: &Uri) -> &str {
    uri.as_str().rsplit('/').next().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(method: &str, params: Value) -> Said {
        Said::Message(Message::Notification(Notification { method: method.to_owned(), params }))
    }

    fn changed(uri: &str) -> Said {
        said(DidChangeTextDocument::METHOD, json!({ "textDocument": { "uri": uri } }))
    }

    fn asked() -> Said {
        let (method, params) = (HoverRequest::METHOD.to_owned(), Value::Null);
        Said::Message(Message::Request(Request { id: 1.into(), method, params }))
    }

    #[test]
    fn only_a_text_that_is_changed_again_before_a_question_is_stale() {
        let stale = |open: Vec<Said>| is_stale(&changed("a"), &open.into_iter().map(Ok).collect());
        assert!(stale(vec![changed("a")]) && stale(vec![changed("b"), changed("a")]));
        assert!(!stale(vec![]) && !stale(vec![changed("b")]));
        assert!(!stale(vec![asked(), changed("a")]));
        assert!(!stale(vec![said(DidCloseTextDocument::METHOD, json!({})), changed("a")]));
        assert!(!is_stale(&asked(), &VecDeque::from([Ok(changed("a"))])));
    }
}
