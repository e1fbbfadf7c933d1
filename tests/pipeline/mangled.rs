//! Kernels, rules, recurrences and programs with a few characters wrong: the readers answer, and never panic.
//!
//! The longer ways are `make test-long`, and `make fuzz` through the same entries.

#[path = "../fuzz/entries.rs"]
mod entries;

use super::common::few_or;
use std::path::{Path, PathBuf};

/// How many damaged copies of each seed are read.
const COPIES: u64 = few_or(150, 2_000) as u64;

/// Pieces of text that readers have opinions on.
const PIECES: [&str; 24] = [
    "(",
    ")",
    "[",
    "]",
    ",",
    "..",
    "=",
    "-",
    "*",
    "/",
    "\n",
    " ",
    "i",
    "N",
    "sum(k) ",
    "0",
    "9223372036854775807",
    "-9223372036854775808",
    "1e999",
    "99999999999999999999",
    "where ",
    "?x",
    "λ",
    "\"",
];

/// A sequence of numbers without a pattern (SplitMix64).
struct Dice(u64);

impl Dice {
    fn roll(&mut self, count: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        ((z ^ (z >> 31)) % count.max(1) as u64) as usize
    }
}

/// The seed with one to four things wrong.
fn damage(seed: &str, dice: &mut Dice) -> String {
    let mut letters: Vec<char> = seed.chars().collect();
    for _ in 0..=dice.roll(4) {
        let at = dice.roll(letters.len());
        let end = (at + 1 + dice.roll(12)).min(letters.len());
        let piece = PIECES[dice.roll(PIECES.len())].chars();
        match dice.roll(5) {
            0 => drop(letters.drain(at..end)),
            1 => drop(letters.splice(at..at, piece)),
            2 => drop(letters.splice(at..end, piece)),
            3 => {
                let copied = letters[at..end].to_vec();
                let to = dice.roll(letters.len());
                letters.splice(to..to, copied);
            }
            _ => letters.truncate(if dice.roll(8) == 0 { at } else { letters.len() }),
        }
    }
    letters.into_iter().collect()
}

/// All files of a folder with this ending, by name.
fn seeds(folder: &str, ending: &str) -> Vec<PathBuf> {
    let folder = Path::new(env!("SYSTOLE_ROOT")).join(folder);
    let all = std::fs::read_dir(folder).expect("the folder is there").map(|entry| entry.expect("an entry").path());
    let mut files: Vec<PathBuf> = all.filter(|path| path.extension().is_some_and(|found| found == ending)).collect();
    files.sort();
    files
}

fn read_all(folder: &str, ending: &str, read: fn(&str)) {
    let files = seeds(folder, ending);
    assert!(files.len() > 1, "{folder} has seeds");
    for (number, path) in files.iter().enumerate() {
        let seed = std::fs::read_to_string(path).expect("a seed");
        read(&seed);
        let mut dice = Dice(number as u64);
        (0..COPIES).for_each(|_| read(&damage(&seed, &mut dice)));
    }
}

#[test]
fn kernels() {
    read_all("kernels", "rec", entries::parser);
}

#[test]
fn rules() {
    read_all("rules", "rules", entries::rules);
}

#[test]
fn recurrences() {
    read_all("tests/fuzz/seeds/spaces", "spaces", entries::spaces);
}

#[test]
fn programs() {
    read_all("tests/fuzz/seeds/program", "pe", entries::program);
}
