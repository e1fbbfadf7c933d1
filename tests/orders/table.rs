//! All systems of a run, judged, and the table of what came of them.

use crate::growth::grow;
use crate::judge::{Judged, Kind};
use crate::limits::known;
use crate::process::Asked;
use crate::worker::{JUDGE, ask};
use std::collections::BTreeMap;
use std::fmt::{Display, Formatter, Result};
use std::path::Path;

/// What came of each system.
pub struct Table {
    pub asked: Asked,
    pub answers: BTreeMap<u64, Judged>,
}

/// Judges them, a process a core.
pub fn judge_all(asked: Asked) -> Table {
    let answers = asked.judge("systems", JUDGE, |process, number| ask(process, number, asked.limit));
    Table { asked, answers }
}

impl Table {
    pub fn count(&self, kind: Kind) -> usize {
        self.answers.values().filter(|answer| answer.kind == kind).count()
    }

    /// The numbers of the systems that came to this, by reason, those with the shortest text first.
    fn by_reason(&self, kind: Kind) -> BTreeMap<&str, Vec<u64>> {
        let mut found: BTreeMap<&str, Vec<u64>> = BTreeMap::new();
        for (number, answer) in self.answers.iter().filter(|(_, answer)| answer.kind == kind) {
            found.entry(&answer.reason).or_default().push(*number);
        }
        for numbers in found.values_mut() {
            numbers.sort_by_cached_key(|number| grow(self.asked.seed, *number).system.to_string().len());
        }
        found
    }

    /// What must not be: wrong values, panics, and refusals that are not known.
    pub fn failures(&self) -> usize {
        let is_failure = |answer: &&Judged| is_failure(answer.kind, &answer.reason);
        self.answers.values().filter(is_failure).count()
    }

    /// Writes each system that is not right into a folder, with what came of it behind `#`.
    pub fn write(&self, folder: &Path) {
        std::fs::create_dir_all(folder).expect("a folder");
        for kind in [Kind::Wrong, Kind::Panicked, Kind::Refused, Kind::NoAnswer, Kind::WithoutOrder] {
            for (number, judged) in self.answers.iter().filter(|(_, judged)| judged.kind == kind) {
                let grown = grow(self.asked.seed, *number);
                let head = format!("# {kind:?}: {}\n# {}\n", judged.reason, grown.kind);
                let detail: String = judged.detail.lines().map(|line| format!("# {line}\n")).collect();
                let file = folder.join(format!("{}-{number}.rec", self.asked.seed));
                std::fs::write(file, format!("{head}{}{detail}", grown.system)).expect("a file");
            }
        }
    }

    /// Tells one system of each kind that is not right, the smallest.
    pub fn tell(&self, mut tell: impl FnMut(&str)) {
        for kind in [Kind::Wrong, Kind::Panicked, Kind::Refused, Kind::NoAnswer] {
            for (reason, numbers) in self.by_reason(kind) {
                let (first, count) = (numbers[0], numbers.len());
                let (grown, detail) = (grow(self.asked.seed, first), &self.answers[&first].detail);
                tell(&format!(
                    "{kind:?}, {count} systems: {reason}\nnumber {first}, {}\n{}{detail}",
                    grown.kind, grown.system
                ));
            }
        }
    }
}

fn is_failure(kind: Kind, reason: &str) -> bool {
    match kind {
        Kind::Wrong | Kind::Panicked => true,
        Kind::Refused => known(reason).is_none(),
        Kind::Right | Kind::Cycle | Kind::RightWithoutOrder | Kind::WithoutOrder | Kind::NoAnswer => false,
    }
}

impl Display for Table {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        let Asked { seed, first, .. } = self.asked;
        writeln!(f, "{:>6}  systems of seed {seed}, from number {first}", self.answers.len())?;
        let words = [
            (Kind::Right, "have an order, and are right"),
            (Kind::Cycle, "have a cycle, and are refused with it"),
            (Kind::RightWithoutOrder, "have no affine order, and are right"),
            (Kind::WithoutOrder, "have no affine order, and are refused"),
            (Kind::Refused, "are refused"),
            (Kind::NoAnswer, "have no answer in time"),
            (Kind::Wrong, "are wrong"),
            (Kind::Panicked, "panicked"),
        ];
        for (kind, word) in words {
            writeln!(f, "{:>6}  {word}", self.count(kind))?;
            for (reason, numbers) in self.by_reason(kind).into_iter().filter(|(reason, _)| !reason.is_empty()) {
                let some: Vec<String> = numbers.iter().take(4).map(u64::to_string).collect();
                let mark = if is_failure(kind, reason) { "NOT KNOWN: " } else { "" };
                writeln!(f, "        {:>6}  {mark}{reason}   ({} ..)", numbers.len(), some.join(", "))?;
            }
        }
        for rows in 0..=4 {
            let has = |answer: &&Judged| answer.rows == Some(rows);
            writeln!(f, "{:>6}  have an order of {rows} rows", self.answers.values().filter(has).count())?;
        }
        Ok(())
    }
}
