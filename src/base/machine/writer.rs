//! A machine as the text of a machine file.
//!
//! In: a machine, and sections. Out: these sections with every key that they know, what it means above it; a key that the
//! machine does not set stands there as a comment. Reading it back gives what was written.

use super::Machine;
use super::key::{Key, keys};

/// The sections, in the order given.
pub fn write(machine: &Machine, sections: &[&str]) -> String {
    let all = keys();
    let own = |section: &str| all.iter().filter(|key| key.section == section).copied().collect::<Vec<Key>>();
    let section = |name: &&str| format!("[{name}]\n{}", entries(machine, &own(name)));
    sections.iter().map(section).collect::<Vec<_>>().join("\n")
}

/// What several keys in a row have in common is said once.
fn entries(machine: &Machine, keys: &[Key]) -> String {
    let mut said = "";
    let mut entry = |key: &Key| {
        let about = if key.about == said { String::new() } else { format!("# {}\n", key.about) };
        said = key.about;
        match key.slot.shown(machine) {
            Some(value) => format!("{about}{} = {value}\n", key.name),
            None => format!("{about}# {} is not known\n", key.name),
        }
    };
    keys.iter().map(&mut entry).collect()
}
