//! The messages of an editor, from its bytes and back.
//!
//! In: bytes. Out: a [`Said`] for each message. A body that is no message is told, and what follows is read; where a head says no length, or one
//! beyond [`LONGEST`], nobody knows where the next message begins, and the exchange ends.

use lsp_server::{ErrorCode, Message};
use serde_json::{Value, json};
use std::io::{self, BufRead, Read, Write};

/// No body is longer, in bytes.
const LONGEST: u64 = 1 << 28;

/// No line of a head is longer, in bytes.
const LONGEST_LINE: u64 = 1 << 12;

/// What an editor has said.
#[derive(Debug)]
pub enum Said {
    /// A message.
    Message(Message),
    /// What is none, with the number by which it asks, if it has one.
    Faulty {
        /// The number, or nothing.
        id: Value,
        /// What the protocol calls it.
        code: ErrorCode,
        /// What is wrong.
        why: String,
    },
}

/// The next message; nothing where the editor has gone away.
///
/// # Errors
/// A head that is none.
pub fn read(from: &mut impl BufRead) -> io::Result<Option<Said>> {
    let Some(length) = read_head(from)? else { return Ok(None) };
    // What comes is stored, not what is promised.
    let mut body = vec![];
    from.take(length).read_to_end(&mut body)?;
    Ok((body.len() as u64 == length).then(|| said(&body)))
}

/// The length that the lines before an empty one say.
fn read_head(from: &mut impl BufRead) -> io::Result<Option<u64>> {
    let mut length = None;
    loop {
        let mut line = String::new();
        if from.take(LONGEST_LINE).read_line(&mut line)? == 0 {
            return Ok(None);
        }
        let line = line.trim_end_matches(['\r', '\n']);
        if line.is_empty() {
            return length.map(Some).ok_or_else(|| wrong("a message has no `Content-Length`".to_owned()));
        }
        let Some((name, value)) = line.split_once(':') else {
            return Err(wrong(format!("`{}` is no line of a head", line.escape_debug())));
        };
        if name.eq_ignore_ascii_case("Content-Length") {
            let length_said = value.trim().parse().ok().filter(|length| *length <= LONGEST);
            length = Some(length_said.ok_or_else(|| {
                wrong(format!("`{}` is no length: a message has at most {LONGEST} bytes", line.escape_debug()))
            })?);
        }
    }
}

fn said(body: &[u8]) -> Said {
    let value: Value = match serde_json::from_slice(body) {
        Ok(value) => value,
        Err(why) => {
            return Said::Faulty { id: Value::Null, code: ErrorCode::ParseError, why: format!("no JSON: {why}") };
        }
    };
    let id = value.get("id").filter(|id| id.is_number() || id.is_string()).cloned().unwrap_or_default();
    serde_json::from_value(value).map_or_else(
        |_| Said::Faulty {
            id,
            code: ErrorCode::InvalidRequest,
            why: "neither a request, nor a notification, nor an answer".to_owned(),
        },
        Said::Message,
    )
}

fn wrong(why: String) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, why)
}

/// Writes a message.
///
/// # Errors
/// The editor has gone away.
pub fn write(to: &mut impl Write, mut message: Value) -> io::Result<()> {
    message["jsonrpc"] = json!("2.0");
    let text = message.to_string();
    write!(to, "Content-Length: {}\r\n\r\n{text}", text.len())?;
    to.flush()
}
