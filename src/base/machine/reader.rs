//! The text of a machine file against the table of keys.
//!
//! In: a text. Out: a machine with the values of its keys, and a message for every section, key and value that is not as
//! the table has it.

use super::key::{Key, MOST, Slot, TIMES, keys};
use super::{Bandwidth, Machine, OperationTime, Rate, Warmth};
use crate::cell::Cell;
use crate::diagnostic::{Checked, Diagnostic, Diagnostics, nearest};
use crate::network::Network;
use crate::span::{Source, Span};
use std::ops::Range;
use std::sync::Arc;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// Sets what the text says.
///
/// # Errors
/// All that is wrong with it, in its order; that the text is not TOML by itself.
pub fn read(source: &Arc<Source>, machine: &mut Machine) -> Checked<()> {
    let table = DeTable::parse(&source.text).map_err(|error| {
        let span = error.span().map_or(Span::default(), Span::from);
        vec![Diagnostic::new("this is not a TOML file").label(source, span, error.message().to_owned())]
    })?;
    let mut reader = Reader { source, keys: keys(), problems: vec![] };
    for (section, entries) in table.get_ref() {
        reader.section(machine, section.get_ref(), section.span(), entries);
    }
    reader.problems.sort_by_key(|problem| problem.labels().first().map(|(span, _)| *span));
    if reader.problems.is_empty() { Ok(()) } else { Err(reader.problems) }
}

struct Reader<'a> {
    source: &'a Arc<Source>,
    keys: Vec<Key>,
    problems: Diagnostics,
}

impl Reader<'_> {
    fn section(&mut self, machine: &mut Machine, name: &str, at: Range<usize>, entries: &Spanned<DeValue>) {
        let own: Vec<Key> = self.keys.iter().filter(|key| key.section == name).copied().collect();
        if own.is_empty() {
            let mut sections: Vec<&str> = self.keys.iter().map(|key| key.section).collect();
            sections.dedup();
            return self.unknown(name, "section", at, &sections);
        }
        let Some(entries) = entries.get_ref().as_table() else {
            let text = format!("`{name}` is a section: write `[{name}]` on a line of its own");
            return self.refuse(Diagnostic::new(text), at, "not a section");
        };
        let names: Vec<&str> = own.iter().map(|key| key.name).collect();
        for (entry, value) in entries {
            match own.iter().find(|key| key.name == entry.get_ref()) {
                Some(key) => self.entry(machine, key, value),
                None => self.unknown(entry.get_ref(), "key", entry.span(), &names),
            }
        }
    }

    fn entry(&mut self, machine: &mut Machine, key: &Key, value: &Spanned<DeValue>) {
        if set(key.slot, machine, value.get_ref()).is_some() {
            return;
        }
        let (section, name, wanted) = (key.section, key.name, key.slot.wanted());
        let message = Diagnostic::new(format!("`{name}` of `[{section}]` is {wanted}"));
        self.refuse(message.note(format!("`{name}`: {}", key.about)), value.span(), "not such a value");
    }

    fn unknown(&mut self, word: &str, what: &str, at: Range<usize>, known: &[&str]) {
        let help = match nearest(word, known.iter().copied()) {
            Some(near) => format!("did you mean `{near}`?"),
            None => format!("known here: {}", known.join(", ")),
        };
        self.refuse(Diagnostic::new(format!("unknown {what} `{word}` in a machine file")).help(help), at, "not known");
    }

    fn refuse(&mut self, message: Diagnostic, at: Range<usize>, label: &str) {
        self.problems.push(message.label(self.source, Span::from(at), label));
    }
}

/// Sets a part of a machine; `None` where the value is not what it takes.
fn set(slot: Slot, machine: &mut Machine, value: &DeValue) -> Option<()> {
    match slot {
        Slot::Whole(least, of) => *of(machine) = whole(value, least)?,
        Slot::Limit(of) => *of(machine) = Some(whole(value, 1)?.unsigned_abs()),
        Slot::Bandwidth(of) => *of(machine) = Some(Bandwidth::of(amount(value)?)?),
        Slot::Picojoules(of) | Slot::Seconds(of) => *of(machine) = amount(value)?,
        Slot::Rate([library, task]) => machine.cluster.rates[library][task] = rate(value)?,
        Slot::Shares(task) => {
            machine.cluster.reuse[task] =
                entries(value.as_table()?, |share| amount(share).filter(|share| *share <= 1.0))?;
        }
        Slot::Operation(function) => {
            machine.energy.operations.insert(function, amount(value)?);
            machine.energy.operations.retain(|_, amount| *amount > 0.0);
        }
        Slot::Time(function) => {
            let time = times(value, machine.times.of(function))?;
            machine.times.set(function, time);
        }
        Slot::Kinds(of) => of(machine).set_kinds(words(value)?)?,
        Slot::Network(of) => *of(machine) = Network::from_keyword(value.as_str()?)?,
        Slot::Sides(of) => *of(machine) = Some(sides(value)?),
        Slot::Cell(of) => *of(machine) = cell(value)?,
    }
    Some(())
}

/// A number of operations, or the word for as many as there are.
fn cell(value: &DeValue) -> Option<Cell> {
    match value.as_str() {
        Some(word) => (word == Cell::ALL).then_some(Cell::All),
        None => Some(Cell::Holds(whole(value, 1)?.unsigned_abs())),
    }
}

fn whole(value: &DeValue, least: i64) -> Option<i64> {
    let number = value.as_integer()?;
    let number = i64::from_str_radix(number.as_str(), number.radix()).ok()?;
    (least..=MOST).contains(&number).then_some(number)
}

/// A time with what the table says; `None` where something in it is not known, or nothing is in it.
fn times(value: &DeValue, mut time: OperationTime) -> Option<OperationTime> {
    let table = value.as_table().filter(|table| !table.is_empty())?;
    for (word, value) in table {
        let (_, part) = TIMES.iter().find(|(part, _)| part == word.get_ref())?;
        *part(&mut time) = whole(value.get_ref(), 1)?;
    }
    Some(time)
}

/// A rate, or rates by the side of a tile; a table without entries is none.
fn rate(value: &DeValue) -> Option<Rate> {
    match value.as_table() {
        None => positive(value).map(Rate::Constant),
        Some(table) => entries(table, warmth).map(Rate::BySide),
    }
}

/// A rate wherever tiles are, or a list of that out of memory and that in the cache.
fn warmth(value: &DeValue) -> Option<Warmth> {
    let Some(both) = value.as_array() else { return positive(value).map(Warmth::from) };
    let [cold, warm] =
        <[Option<f64>; 2]>::try_from(both.iter().map(|rate| positive(rate.get_ref())).collect::<Vec<_>>()).ok()?;
    Some(Warmth { cold: cold?, warm: warm? })
}

fn positive(value: &DeValue) -> Option<f64> {
    amount(value).filter(|rate| *rate > 0.0)
}

/// A table by whole numbers, in rising order; `None` where it has no entries, or two of one number.
fn entries<T>(table: &DeTable, entry: impl Fn(&DeValue) -> Option<T>) -> Option<Vec<(u64, T)>> {
    let key = |word: &str| word.parse().ok().filter(|key| (1..=MOST.unsigned_abs()).contains(key));
    let entries = table.iter().map(|(word, value)| Some((key(word.get_ref())?, entry(value.get_ref())?)));
    let mut entries = entries.collect::<Option<Vec<(u64, T)>>>()?;
    entries.sort_by_key(|(key, _)| *key);
    let is_twice = entries.windows(2).any(|pair| pair[0].0 == pair[1].0);
    (!is_twice && !entries.is_empty()).then_some(entries)
}

fn sides(value: &DeValue) -> Option<Vec<u64>> {
    let side = |entry: &Spanned<DeValue>| Some(whole(entry.get_ref(), 1)?.unsigned_abs());
    let sides: Vec<u64> = value.as_array()?.iter().map(side).collect::<Option<_>>()?;
    (!sides.is_empty()).then_some(sides)
}

fn words<'v>(value: &'v DeValue) -> Option<Vec<&'v str>> {
    value.as_array()?.iter().map(|entry| entry.get_ref().as_str()).collect()
}

fn amount(value: &DeValue) -> Option<f64> {
    let text = value.as_float().map(|number| number.as_str()).or(value.as_integer().map(|number| number.as_str()))?;
    text.parse().ok().filter(|number: &f64| number.is_finite() && *number >= 0.0)
}
