//! A configuration as a machine.
//!
//! In: the text of a `.cfg` file. Out: an array with an end whose PEs pass words to their neighbours, the dataflow that is meant for it,
//! and the keys that say nothing of such a machine. Invariant: no key is left out without being named.

use super::lines::{MOST, line_at, number, refusal};
use super::portions::Dataflow;
use configparser::ini::Ini;
use std::path::Path;
use std::sync::Arc;
use systole_base::diagnostic::{Checked, Diagnostic, Diagnostics, MessageCode, nearest};
use systole_base::machine::{Buses, Machine};
use systole_base::network::Network;
use systole_base::span::{Source, Span};

/// The section that says what the array is.
const SECTION: &str = "architecture_presets";

/// The sides of the array: rows and columns.
const SIDES: [&str; 2] = ["ArrayHeight", "ArrayWidth"];

const DATAFLOW: &str = "Dataflow";

/// Keys that are numbers, though nothing is made of them here.
const NUMBERS: [&str; 6] =
    ["IfmapSramSzkB", "FilterSramSzkB", "OfmapSramSzkB", "IfmapOffset", "FilterOffset", "OfmapOffset"];

/// What a file says.
#[derive(Clone, Debug, PartialEq)]
pub struct Configuration {
    /// The rows and the columns of the array.
    pub array: [i64; 2],
    /// What stays in its PEs.
    pub dataflow: Dataflow,
    /// Keys that say nothing of a machine here, in their order.
    pub unused: Vec<String>,
}

impl Configuration {
    /// Whether a file is one, by its name.
    pub fn is_one(path: &Path) -> bool {
        path.extension().is_some_and(|extension| extension == "cfg")
    }

    /// Reads a file.
    ///
    /// # Errors
    /// That it is no configuration; every key that is missing, and every value that is not what its key takes.
    pub fn parse(source: &Arc<Source>) -> Checked<Configuration> {
        let mut values = Ini::new();
        values.read(source.text.clone()).map_err(|why| {
            let message = format!("`{}` is not a configuration of SCALE-Sim: {why}", source.name);
            vec![Diagnostic::new(message).help("a line is `[section]` or `Key: value`").about(MessageCode::MachineFile)]
        })?;
        let mut reader = Reader { source, values, problems: vec![] };
        let array = SIDES.map(|side| reader.side(side));
        let dataflow = reader.dataflow();
        NUMBERS.iter().for_each(|key| reader.check_number(key));
        let Reader { problems, .. } = reader;
        match (array, dataflow) {
            ([Some(rows), Some(columns)], Some(dataflow)) if problems.is_empty() => {
                Ok(Configuration { array: [rows, columns], dataflow, unused: unused(source) })
            }
            _ => Err(problems),
        }
    }

    /// The machine: an array of these sides without buses, on a base that says the rest.
    pub fn machine(&self, base: Machine) -> Machine {
        let mut machine = base;
        machine.links.network = Network::Wire;
        machine.extent = Some(self.array.map(i64::unsigned_abs).to_vec());
        machine.buses = Buses { row: false, column: false, all: false, ..machine.buses };
        machine
    }

    /// That some keys say nothing here, if there are any.
    pub fn warning(&self, source: &Source) -> Option<Diagnostic> {
        let keys = self.unused.join(", ");
        let said = || {
            let message = format!("`{}` has keys without a counterpart here: {keys}", source.name);
            Diagnostic::new(message)
                .help("memories are as large and as fast as a design needs; `systole layers` heeds Dataflow")
        };
        (!self.unused.is_empty()).then(said)
    }
}

struct Reader<'a> {
    source: &'a Arc<Source>,
    values: Ini,
    problems: Diagnostics,
}

impl Reader<'_> {
    /// The value of a key; a message where there is none.
    fn value(&mut self, key: &str) -> Option<String> {
        let value = self.values.get(SECTION, key);
        if value.is_none() {
            let message = format!("`{key}` of `[{SECTION}]` is missing");
            let section = section(self.source).unwrap_or_default();
            self.refuse(refusal(self.source, section, message, "in this section"), "add the line");
        }
        value
    }

    fn side(&mut self, key: &str) -> Option<i64> {
        let value = self.value(key)?;
        let side = number(&value, 1);
        if side.is_none() {
            self.refuse_value(key, &value, "a whole number of PEs", &format!("from 1 to {MOST}"));
        }
        side
    }

    fn dataflow(&mut self) -> Option<Dataflow> {
        let value = self.value(DATAFLOW)?;
        let dataflow = Dataflow::from_keyword(&value);
        if dataflow.is_none() {
            let known = Dataflow::ALL.map(Dataflow::keyword);
            let near = nearest(&value, known).map(|near| format!("did you mean `{near}`?"));
            self.refuse_value(DATAFLOW, &value, "a dataflow", &near.unwrap_or(format!("known: {}", known.join(", "))));
        }
        dataflow
    }

    fn check_number(&mut self, key: &str) {
        let value = self.values.get(SECTION, key).filter(|value| value.parse::<u64>().is_err());
        if let Some(value) = value {
            self.refuse_value(key, &value, "a whole number", "0 or more");
        }
    }

    fn refuse_value(&mut self, key: &str, value: &str, wanted: &str, help: &str) {
        let message = format!("`{key}` is {wanted}, and `{value}` is none");
        let at = key_line(self.source, key).unwrap_or_default();
        self.refuse(refusal(self.source, at, message, "not such a value"), help);
    }

    fn refuse(&mut self, said: Diagnostic, help: &str) {
        self.problems.push(said.help(help).about(MessageCode::MachineFile));
    }
}

/// The lines with a key and a value: the key, and the byte at which the line begins.
fn keys(source: &Source) -> impl Iterator<Item = (&str, usize)> {
    let mut end = 0;
    let starts = source.text.split_inclusive('\n').map(move |line| {
        end += line.len();
        (line, end - line.len())
    });
    let is_comment = |line: &str| line.trim_start().starts_with(['#', ';', '[']);
    starts.filter(move |(line, _)| !is_comment(line)).filter_map(|(line, start)| {
        let (key, _) = line.split_once([':', '='])?;
        Some((key.trim(), start))
    })
}

/// The line of a key, whose case is not heeded.
fn key_line(source: &Source, key: &str) -> Option<Span> {
    let found = keys(source).find(|(name, _)| name.eq_ignore_ascii_case(key));
    found.map(|(_, start)| line_at(source, start))
}

/// The line of the section.
fn section(source: &Source) -> Option<Span> {
    source.text.find(&format!("[{SECTION}]")).map(|start| line_at(source, start))
}

/// The keys of which nothing is made, but for the name of a run.
fn unused(source: &Source) -> Vec<String> {
    let used = [SIDES[0], SIDES[1], DATAFLOW, "run_name"];
    let is_used = |key: &str| used.iter().any(|used| used.eq_ignore_ascii_case(key));
    keys(source).map(|(key, _)| key).filter(|key| !is_used(key)).map(str::to_owned).collect()
}
