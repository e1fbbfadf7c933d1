//! What a machine file can say: every key is documented with its default, and what is wrong with a file is said.
//!
//! Each `tests/errors/*.toml` is refused with the message in the `.expect` beside it; `BLESS=1` rewrites those.

use super::expected::{cases, hold};
use std::fs;
use std::path::Path;
use systole::diagnostic::{Checked, render};
use systole::machine::{Machine, Rate, Warmth, keys};
use systole::span::Source;

/// The lines of `ideal.toml` below `[section]`.
fn documented(section: &str) -> Vec<String> {
    let text = fs::read_to_string(Path::new(env!("SYSTOLE_ROOT")).join("machines/ideal.toml")).unwrap();
    let below = text.lines().skip_while(|line| *line != format!("[{section}]")).skip(1);
    below.take_while(|line| !line.starts_with('[')).map(str::to_owned).collect()
}

/// A key with a default is written with it; one that sets a limit is written as a comment. A comment stands above either.
#[test]
fn the_ideal_machine_documents_every_key_with_its_default() {
    let ideal = Machine::default();
    for key in keys() {
        let lines = documented(key.section);
        let wanted = key.slot.shown(&ideal).map(|value| format!("{} = {value}", key.name));
        let is_it = |line: &&String| match &wanted {
            Some(wanted) => *line == wanted,
            None => line.starts_with(&format!("# {} = ", key.name)),
        };
        let found = lines.iter().position(|line| is_it(&line));
        let found = found.unwrap_or_else(|| panic!("ideal.toml lacks `{}` of [{}]: {wanted:?}", key.name, key.section));
        assert!(lines[..found].iter().any(|line| line.starts_with('#')), "nothing is said of `{}`", key.name);
        assert!(!key.about.is_empty());
    }
}

#[test]
fn every_line_of_the_ideal_machine_is_a_key() {
    let known = keys();
    let sections: Vec<&str> = known.iter().map(|key| key.section).collect();
    for section in sections {
        for line in documented(section).iter().filter(|line| !line.starts_with('#') && !line.is_empty()) {
            let name = line.split(" = ").next().unwrap();
            assert!(known.iter().any(|key| (key.section, key.name) == (section, name)), "{line}");
        }
    }
}

fn parse(text: &str) -> Checked<Machine> {
    Machine::parse(&Source::new("machines/m.toml", text))
}

#[test]
fn every_key_sets_what_it_names_and_nothing_else() {
    let ideal = Machine { name: "m".to_owned(), ..Machine::default() };
    let all = keys();
    let values =
        ["7", "2.5", "{ 32 = 7 }", "{ 32 = 0.5 }", "false", "[3, 2]", "[\"row\"]", "\"king\"", "{ latency = 7 }"];
    for key in &all {
        let texts = values.map(|value| format!("[{}]\n{} = {value}\n", key.section, key.name));
        let machine = texts.iter().find_map(|text| parse(text).ok());
        let machine = machine.unwrap_or_else(|| panic!("`{}` takes none of these", key.name));
        assert_ne!(machine, ideal, "`{}` of [{}] changes nothing", key.name, key.section);
        let others = all.iter().filter(|other| (other.section, other.name) != (key.section, key.name));
        for other in others {
            assert_eq!(other.slot.shown(&machine), other.slot.shown(&ideal), "`{}` sets `{}`", key.name, other.name);
        }
    }
}

/// A part of an operation's time leaves the other as it was, and a section of its own says what a table says.
#[test]
fn the_parts_of_an_operation_are_set_one_by_one() {
    let both = parse("[operation]\nmul = { latency = 4, interval = 2 }\n").unwrap();
    assert_eq!(parse("[operation.mul]\nlatency = 4\ninterval = 2\n").unwrap(), both);
    let first = parse("[operation.mul]\nlatency = 4\n").unwrap();
    assert_ne!(first, both);
    assert_eq!(first.with(&Source::new("m.toml", "[operation]\nmul.interval = 2\n")).unwrap(), both);
}

fn refuse(path: &Path) -> Result<String, String> {
    let name = path.file_name().unwrap().to_string_lossy().into_owned();
    let text = fs::read_to_string(path).unwrap();
    match Machine::parse(&Source::new(&name, text)) {
        Ok(_) => Err(format!("{name} is accepted")),
        Err(errors) => Ok(render(&errors, false)),
    }
}

#[test]
fn every_refusal_says_what_is_expected() {
    let paths = cases("tests/errors", "toml");
    assert!(paths.len() >= 10, "only {} refusals are tested", paths.len());
    hold(&paths, refuse);
}

#[test]
fn numbers_are_taken_from_their_least_on() {
    assert_eq!(parse("[link]\nlatency = 1\nresponse = 0\ncapacity = 1\n").unwrap().links.response, 0);
    let least = ["latency = 0", "response = -1", "capacity = 0"];
    for text in least {
        assert!(parse(&format!("[link]\n{text}\n")).is_err(), "{text}");
    }
    assert!(parse("[memory]\nlatency = 0\n").is_ok() && parse("[memory]\nlatency = -1\n").is_err());
    for part in ["latency", "interval"] {
        assert!(parse(&format!("[operation.mul]\n{part} = 1\n")).is_ok(), "{part}");
        assert!(parse(&format!("[operation.mul]\n{part} = 0\n")).is_err(), "{part}");
    }
    assert_eq!(parse("[link]\nlatency = 1_000_000\n").unwrap().links.latency, 1_000_000);
    assert!(parse("[link]\nlatency = 1_000_001\n").is_err());
}

/// Rates are more than 0, for all tiles or by their sides, in any order, one or two for a side; seconds may be 0, shares 0 to 1.
#[test]
fn the_numbers_of_a_cluster_are_taken_from_their_least_on() {
    assert_eq!(parse("[cluster]\nalpha = 0\nbeta = 0.0\n").unwrap().cluster, Machine::default().cluster);
    assert_eq!(parse("[cluster]\nalpha = 2e-6\n").unwrap().cluster.message, 2e-6);
    let rate =
        |text: &str| parse(&format!("[loops]\ngemm = {text}\n")).map(|machine| machine.cluster.rates[0][0].clone());
    assert_eq!(rate("2").unwrap(), Rate::Constant(2.0));
    let both = |cold, warm| Warmth { cold, warm };
    assert_eq!(rate("{ 64 = 3, 8 = 1.5 }").unwrap(), Rate::BySide(vec![(8, both(1.5, 1.5)), (64, both(3.0, 3.0))]));
    assert_eq!(rate("{ 64 = [3, 7.5] }").unwrap(), Rate::BySide(vec![(64, both(3.0, 7.5))]));
    let refused = ["{ 8 = [1] }", "{ 8 = [1, 2, 3] }", "{ 8 = [0, 1] }", "{ 8 = [1, 0] }", "{ 8 = [] }", "[1, 2]"];
    assert!(refused.iter().all(|text| rate(text).is_err()));
    let shares = |text: &str| parse(&format!("[reuse]\ntrsm = {text}\n")).map(|machine| machine.cluster.reuse);
    assert_eq!(shares("{ 32 = 1, 8 = 0 }").unwrap()[2], [(8, 0.0), (32, 1.0)]);
    assert!(["{ 8 = 1.1 }", "{ 8 = -0.1 }", "{ 0 = 1 }", "{}", "0.5"].iter().all(|text| shares(text).is_err()));
    assert!(rate("{ 1000000 = 1 }").is_ok() && rate("{ 1000001 = 1 }").is_err() && rate("{ 0 = 1 }").is_err());
    assert!(rate("0").is_err() && rate("-1").is_err() && rate("{ 8 = 0 }").is_err() && rate("{}").is_err());
}

/// What is written is read back, and what is not known is not said.
#[test]
fn a_machine_that_is_written_is_read_back() {
    let text = "[cluster]\nalpha = 2e-6\nmemory = 1e-10\n[reuse]\ngemm = { 1 = 0.0, 64 = 1.0 }\n[faer]\ngemm = { 32 = 20.5, 64 = [40.0, 60.0] }\n\
         [loops]\nother = 1.5\n";
    let machine = parse(text).unwrap();
    let written = machine.written(&["cluster", "reuse", "loops", "faer"]);
    assert!(written.contains("\ngemm = { 32 = 20.5, 64 = [40.0, 60.0] }\n"), "{written}");
    assert!(written.contains("\nalpha = 2e-6\n") && written.contains("# syrk is not known"), "{written}");
    assert_eq!(parse(&written).unwrap(), machine);
    assert_ne!(parse(&machine.written(&["cluster"])).unwrap(), machine);
}
