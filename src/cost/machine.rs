//! Machine files (`machines/*.toml`): the array a design is held against.

use crate::diagnostic::{Checked, Diagnostic, nearest};
use crate::mapping::{Links, Network};
use crate::span::{Source, Span};
use std::sync::Arc;

/// A machine. Every key of its file has a default; unknown keys are refused.
#[derive(Clone, Debug, PartialEq)]
pub struct Machine {
    /// What messages call it.
    pub name: String,
    /// Network and link timing.
    pub links: Links,
    /// The most PEs along each axis; `None` for an array as large as the design wants.
    pub extent: Option<Vec<u64>>,
    /// Slots of every channel, in place of the proved depth; `None` for the proved depth.
    pub capacity: Option<u64>,
    /// Whether rows and columns have buses.
    pub buses: bool,
}

impl Default for Machine {
    fn default() -> Machine {
        Machine { name: "ideal".to_owned(), links: Links::default(), extent: None, capacity: None, buses: true }
    }
}

/// The sections of a machine file with their keys.
const KEYS: [(&str, &[&str]); 3] =
    [("grid", &["network", "extent"]), ("link", &["latency", "response", "capacity"]), ("bus", &["available"])];

impl Machine {
    /// Reads a machine file.
    ///
    /// # Errors
    /// Every unknown key with the nearest known one, and every value of the wrong type or out of range.
    pub fn parse(source: &Arc<Source>) -> Checked<Machine> {
        let table: toml::Table = toml::from_str(&source.text).map_err(|error| {
            let span = error.span().map_or(Span::default(), Span::from);
            vec![Diagnostic::new("this is not a TOML file").label(source, span, error.message().to_owned())]
        })?;
        let mut reader = Reader { source, problems: vec![] };
        let mut machine = Machine { name: stem(&source.name), ..Machine::default() };
        for (section, value) in &table {
            reader.section(&mut machine, section, value);
        }
        if reader.problems.is_empty() { Ok(machine) } else { Err(reader.problems) }
    }
}

fn stem(path: &str) -> String {
    std::path::Path::new(path).file_stem().map_or_else(|| path.to_owned(), |stem| stem.to_string_lossy().into_owned())
}

struct Reader<'a> {
    source: &'a Arc<Source>,
    problems: Vec<Diagnostic>,
}

impl Reader<'_> {
    fn section(&mut self, machine: &mut Machine, section: &str, value: &toml::Value) {
        let Some((_, keys)) = KEYS.iter().find(|(known, _)| *known == section) else {
            return self.unknown(section, "section", KEYS.iter().map(|(known, _)| *known));
        };
        let Some(entries) = value.as_table() else {
            return self.refuse(section, format!("`{section}` is a section: write `[{section}]` on a line of its own"));
        };
        for (key, value) in entries {
            if keys.contains(&key.as_str()) {
                self.entry(machine, section, key, value);
            } else {
                self.unknown(key, "key", keys.iter().copied());
            }
        }
    }

    fn entry(&mut self, machine: &mut Machine, section: &str, key: &str, value: &toml::Value) {
        match (section, key) {
            ("grid", "network") => match value.as_str().and_then(Network::from_keyword) {
                Some(network) => machine.links.network = network,
                None => self.refuse(key, format!("`network` is one of {}", Network::ALL.map(|n| n.1).join(", "))),
            },
            ("grid", "extent") => machine.extent = self.extent(key, value),
            ("link", "latency") => self.number(key, value, 1, &mut machine.links.latency),
            ("link", "response") => self.number(key, value, 0, &mut machine.links.response),
            ("link", "capacity") => {
                let mut capacity = 0;
                self.number(key, value, 1, &mut capacity);
                machine.capacity = u64::try_from(capacity).ok();
            }
            _ => match value.as_bool() {
                Some(flag) => machine.buses = flag,
                None => self.refuse(key, format!("`{key}` is true or false")),
            },
        }
    }

    fn extent(&mut self, key: &str, value: &toml::Value) -> Option<Vec<u64>> {
        let side = |entry: &toml::Value| entry.as_integer().filter(|side| *side >= 1).map(i64::unsigned_abs);
        let extent = value.as_array().and_then(|sides| sides.iter().map(side).collect::<Option<Vec<u64>>>());
        if extent.is_none() {
            self.refuse(key, "`extent` is a list of positive numbers, such as [16, 16]".to_owned());
        }
        extent
    }

    fn number(&mut self, key: &str, value: &toml::Value, least: i64, target: &mut i64) {
        match value.as_integer() {
            Some(number) if (least..=1_000_000).contains(&number) => *target = number,
            _ => self.refuse(key, format!("`{key}` is a whole number from {least} to 1000000, found `{value}`")),
        }
    }

    fn unknown<'k>(&mut self, key: &str, what: &str, known: impl Iterator<Item = &'k str> + Clone) {
        let help = match nearest(key, known.clone()) {
            Some(near) => format!("did you mean `{near}`?"),
            None => format!("known here: {}", known.collect::<Vec<_>>().join(", ")),
        };
        let message = Diagnostic::new(format!("unknown {what} `{key}` in a machine file"));
        self.problems.push(message.label(self.source, self.find(key), "not known").help(help));
    }

    fn refuse(&mut self, key: &str, text: String) {
        let span = self.find(key);
        self.problems.push(Diagnostic::new(text).label(self.source, span, "this one"));
    }

    fn find(&self, key: &str) -> Span {
        let start = self.source.text.find(key).unwrap_or(0);
        Span { start, end: start + key.len() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_machine_file_sets_what_it_names() {
        let text = "[grid]\nnetwork = \"hex\"\nextent = [4, 4]\n[link]\nlatency = 3\n[bus]\navailable = false\n";
        let machine = Machine::parse(&Source::new("machines/hex4.toml", text)).expect("a good file");
        assert_eq!((machine.name.as_str(), machine.links.latency, machine.links.response), ("hex4", 3, 1));
        assert_eq!((machine.links.network, machine.extent, machine.buses), (Network::Hex, Some(vec![4, 4]), false));
    }

    #[test]
    fn every_mistake_is_named_at_once() {
        let text = "[grid]\nnetwrk = \"hex\"\n[link]\nlatency = 0\n[buss]\n";
        let problems = Machine::parse(&Source::new("m.toml", text)).expect_err("three mistakes");
        assert_eq!(problems.len(), 3);
        assert!(problems.iter().any(|p| p.help_text() == Some("did you mean `network`?")));
    }
}
