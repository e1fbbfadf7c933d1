//! The table of keys on the page of machine files is that of the sources.

use super::{read, root};
use systole::machine::{Key, Machine, keys};

const PAGE: &str = "book/src/machine-files.md";
const BEGIN: &str = "<!-- keys: begin -->\n";
const END: &str = "<!-- keys: end -->";

/// What a row says beside the names of its keys.
#[derive(PartialEq, Eq)]
struct Row {
    section: &'static str,
    default: String,
    wanted: String,
    about: &'static str,
}

fn row(key: &Key) -> Row {
    let default = key.slot.shown(&Machine::default()).map_or("-".to_owned(), |value| format!("`{value}`"));
    Row { section: key.section, default, wanted: key.slot.wanted(), about: key.about }
}

/// Keys that follow each other and differ in their names alone share a row.
fn table() -> String {
    let mut rows: Vec<(Row, Vec<String>)> = vec![];
    for key in keys() {
        let (row, name) = (row(&key), format!("`{}`", key.name));
        match rows.last_mut() {
            Some((last, names)) if *last == row => names.push(name),
            _ => rows.push((row, vec![name])),
        }
    }
    let line = |(row, names): &(Row, Vec<String>)| {
        let Row { section, default, wanted, about } = row;
        format!("| `[{section}]` | {} | {default} | {about} | {wanted} |\n", names.join(" "))
    };
    let head = "| section | keys | default | meaning | takes |\n|---|---|---|---|---|\n";
    head.to_owned() + &rows.iter().map(line).collect::<String>()
}

#[test]
fn the_table_of_keys_is_that_of_the_sources() {
    let text = read(&root().join(PAGE));
    let (before, rest) = text.split_once(BEGIN).expect("the page has the mark of the begin");
    let (found, after) = rest.split_once(END).expect("the page has the mark of the end");
    let wanted = table();
    if std::env::var_os("BLESS").is_some() {
        let page = format!("{before}{BEGIN}{wanted}{END}{after}");
        return std::fs::write(root().join(PAGE), page).expect("the page is written");
    }
    assert_eq!(found, wanted, "BLESS=1 writes it anew");
}

#[test]
fn every_key_is_in_the_table_once() {
    let table = table();
    for key in keys() {
        let is_of = |line: &&str| {
            line.starts_with(&format!("| `[{}]` |", key.section)) && line.contains(&format!(" `{}` ", key.name))
        };
        assert_eq!(table.lines().filter(is_of).count(), 1, "{}.{}", key.section, key.name);
    }
}
