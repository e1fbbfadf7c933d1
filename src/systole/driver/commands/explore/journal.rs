//! The journal of an exploration: one line for each point that is done, in the order in which they end.
//!
//! In: a folder and a digest of everything that decides the rows. Out: the rows that an earlier run has left, and a place
//! for more. A line counts once its end is written, so whatever breaks a run off, at most the points under way are lost. A
//! line that is torn is cut off before the next one is written.

use super::measure::{Measured, Row};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fs::{File, OpenOptions};
use std::io;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use systole_base::diagnostic::{Checked, Diagnostic};

/// The first line.
#[derive(PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Head {
    digest: String,
    points: usize,
}

/// Any other line.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Entry {
    point: usize,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    measured: Option<Measured>,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    reason: Option<String>,
}

/// A journal that is being written.
pub struct Journal {
    path: PathBuf,
    file: Mutex<File>,
}

impl Journal {
    /// Opens the journal of a folder, which is made where it is not there, with the rows that it holds.
    ///
    /// # Errors
    /// A journal of other flags, another kernel or another version; a folder that cannot be written.
    pub fn open(folder: &Path, digest: String, points: usize) -> Checked<(Journal, BTreeMap<usize, Row>)> {
        if folder.exists() && !folder.is_dir() {
            return Diagnostic::new(format!("cannot write the folder `{}`: it is a file", folder.display()))
                .help("name a folder with `--out`: what is measured goes into several files")
                .alone();
        }
        let path = folder.join("journal.jsonl");
        let head = Head { digest, points };
        let fault = |error: io::Error| unwritable(&path, &error);
        std::fs::create_dir_all(folder).map_err(fault)?;
        let text = if path.exists() { std::fs::read_to_string(&path).map_err(fault)? } else { String::new() };
        let (whole, rows) = read(&text, &head, &path)?;
        let file = OpenOptions::new().create(true).append(true).open(&path).map_err(fault)?;
        file.set_len(whole as u64).map_err(fault)?;
        let journal = Journal { path, file: Mutex::new(file) };
        if whole == 0 {
            journal.write(&head)?;
        }
        Ok((journal, rows))
    }

    /// Enters the row of a point.
    ///
    /// # Errors
    /// A file that cannot be written.
    pub fn enter(&self, point: usize, row: &Row) -> Checked<()> {
        let (measured, reason) = (row.as_ref().ok().cloned(), row.as_ref().err().cloned());
        self.write(&Entry { point, measured, reason })
    }

    fn write(&self, line: &impl Serialize) -> Checked<()> {
        let attempt = || -> io::Result<()> {
            let text = format!("{}\n", serde_json::to_string(line)?);
            let mut file = self.file.lock().unwrap_or_else(PoisonError::into_inner);
            file.write_all(text.as_bytes())?;
            file.sync_data()
        };
        attempt().map_err(|error| unwritable(&self.path, &error))
    }
}

/// How many bytes of a journal are whole lines, and the rows in them.
fn read(text: &str, head: &Head, path: &Path) -> Checked<(usize, BTreeMap<usize, Row>)> {
    let mut lines = text.split_inclusive('\n').take_while(|line| line.ends_with('\n'));
    let Some(first) = lines.next() else { return Ok((0, BTreeMap::new())) };
    if serde_json::from_str::<Head>(first).ok().as_ref() != Some(head) {
        return Diagnostic::new(format!("`{}` is the journal of another exploration", path.display()))
            .help("choose another --out, or remove the folder")
            .alone();
    }
    let (mut whole, mut rows) = (first.len(), BTreeMap::new());
    for line in lines {
        let Some((point, row)) = read_entry(line, head.points) else { break };
        rows.insert(point, row);
        whole += line.len();
    }
    Ok((whole, rows))
}

fn read_entry(line: &str, points: usize) -> Option<(usize, Row)> {
    let entry: Entry = serde_json::from_str(line).ok()?;
    let row = match (entry.measured, entry.reason) {
        (Some(measured), None) => Ok(measured),
        (None, Some(reason)) => Err(reason),
        _ => return None,
    };
    (entry.point < points).then_some((entry.point, row))
}

fn unwritable(path: &Path, error: &io::Error) -> Vec<Diagnostic> {
    vec![Diagnostic::new(format!("cannot keep the journal `{}`: {error}", path.display()))]
}
