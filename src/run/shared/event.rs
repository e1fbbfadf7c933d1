//! Trace events in JSON, the object form of the Trace Event Format, which Perfetto and chrome://tracing read: the events, and the
//! file of them, one a line.

use serde::Serialize;
use serde_json::{Map, Value};
use std::io;
use std::io::Write;

/// One trace event; times are in microseconds.
#[derive(Serialize)]
pub(crate) struct Entry<'a, T> {
    pub name: &'a str,
    pub cat: &'static str,
    pub ph: &'static str,
    pub ts: T,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub dur: Option<T>,
    pub pid: usize,
    pub tid: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub id: Option<u64>,
    /// Where an arrow ends: `e`, at the span around its clock.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bp: Option<&'static str>,
    /// How far an instant reaches: `t`, its thread.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub s: Option<&'static str>,
    #[serde(skip_serializing_if = "Map::is_empty")]
    pub args: Map<String, Value>,
}

impl<'a, T> Entry<'a, T> {
    /// An event of a phase and a category, on a track (process and thread), at a time.
    pub fn new(ph: &'static str, cat: &'static str, name: &'a str, (pid, tid): (usize, usize), ts: T) -> Entry<'a, T> {
        Entry { name, cat, ph, ts, dur: None, pid, tid, id: None, bp: None, s: None, args: Map::new() }
    }

    /// The event with one more argument.
    pub fn argument(mut self, key: &str, value: impl Into<Value>) -> Entry<'a, T> {
        self.args.insert(key.to_owned(), value.into());
        self
    }
}

/// A file of events that is being written.
pub(crate) struct EventFile<'w, W> {
    to: &'w mut W,
    is_empty: bool,
}

impl<'w, W: Write> EventFile<'w, W> {
    /// Opens the list.
    pub fn begin(to: &'w mut W) -> io::Result<EventFile<'w, W>> {
        to.write_all(b"{\"traceEvents\":[\n")?;
        Ok(EventFile { to, is_empty: true })
    }

    /// Adds an event.
    pub fn push<T: Serialize>(&mut self, entry: &Entry<'_, T>) -> io::Result<()> {
        if !std::mem::take(&mut self.is_empty) {
            self.to.write_all(b",\n")?;
        }
        serde_json::to_writer(&mut *self.to, entry)?;
        Ok(())
    }

    /// Closes the list, and says what it is about.
    pub fn end(self, about: &Value) -> io::Result<()> {
        writeln!(self.to, "\n],\n\"displayTimeUnit\":\"ns\",\n\"otherData\":{about}}}")
    }
}
