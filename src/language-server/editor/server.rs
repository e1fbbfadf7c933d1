//! The exchange with an editor: it says what is written, and asks what to show.

use super::document::Document;
use super::{completion, definition, hover, messages, place};
use lsp_server::{Connection, ErrorCode, Message, Notification, Request, Response};
use lsp_types::notification::{
    DidChangeTextDocument, DidCloseTextDocument, DidOpenTextDocument, Exit, Notification as _, PublishDiagnostics,
};
use lsp_types::request::{Completion, GotoDefinition, HoverRequest, Request as _};
use lsp_types::{
    CompletionOptions, CompletionParams, DidChangeTextDocumentParams, DidCloseTextDocumentParams,
    DidOpenTextDocumentParams, GotoDefinitionParams, GotoDefinitionResponse, Hover, HoverContents, HoverParams,
    HoverProviderCapability, Location, MarkupContent, MarkupKind, OneOf, PublishDiagnosticsParams, ServerCapabilities,
    TextDocumentPositionParams, TextDocumentSyncCapability, TextDocumentSyncKind, Uri,
};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::error::Error;

/// Why an exchange broke off.
type Broken = Box<dyn Error + Send + Sync>;

/// Serves an editor on the streams of this process, until it says that it is done.
///
/// # Errors
/// The editor has gone away, or does not speak the protocol.
pub fn serve_stdio() -> Result<(), Broken> {
    let (connection, threads) = Connection::stdio();
    serve(&connection)?;
    drop(connection);
    Ok(threads.join()?)
}

/// Serves an editor, until it says that it is done.
///
/// # Errors
/// The editor has gone away, or does not speak the protocol.
pub fn serve(connection: &Connection) -> Result<(), Broken> {
    connection.initialize(serde_json::to_value(capabilities())?)?;
    let mut server = Server { connection, documents: BTreeMap::new() };
    for message in &connection.receiver {
        match message {
            Message::Request(request) if connection.handle_shutdown(&request)? => return Ok(()),
            Message::Request(request) => server.answer(request)?,
            Message::Notification(said) if said.method == Exit::METHOD => {
                return Err("it said `exit` before `shutdown`".into());
            }
            Message::Notification(notification) => server.note(notification)?,
            Message::Response(_) => {}
        }
    }
    Ok(())
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

struct Server<'c> {
    connection: &'c Connection,
    documents: BTreeMap<String, Document>,
}

impl Server<'_> {
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

    fn publish(&self, uri: Uri, diagnostics: Vec<lsp_types::Diagnostic>, version: Option<i32>) -> Result<(), Broken> {
        let params = serde_json::to_value(PublishDiagnosticsParams { uri, diagnostics, version })?;
        let said = Notification { method: PublishDiagnostics::METHOD.to_owned(), params };
        Ok(self.connection.sender.send(said.into())?)
    }

    /// What the editor asks.
    fn answer(&self, request: Request) -> Result<(), Broken> {
        let Request { id, method, params } = request;
        let found = match method.as_str() {
            HoverRequest::METHOD => serde_json::from_value(params).map(|asked| self.hover(&asked)),
            GotoDefinition::METHOD => serde_json::from_value(params).map(|asked| self.definition(asked)),
            Completion::METHOD => serde_json::from_value(params).map(|asked| self.completion(&asked)),
            _ => {
                let why = format!("`{method}` is not answered here");
                let refused = Response::new_err(id, ErrorCode::MethodNotFound as i32, why);
                return Ok(self.connection.sender.send(refused.into())?);
            }
        };
        let answer = match found {
            Ok(value) => Response::new_ok(id, value),
            Err(why) => Response::new_err(id, ErrorCode::InvalidParams as i32, why.to_string()),
        };
        Ok(self.connection.sender.send(answer.into())?)
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
