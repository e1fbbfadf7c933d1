//! All kernels of a run, judged, and the table of what came of them.

use crate::growth;
use crate::in_place;
use crate::judge::{Judged, Kind};
use crate::process::{Asked, Process};
use crate::refusals::{known, why};
use crate::shrink::{after, shrink};
use crate::worker::{JUDGE, Request, ask};
use std::collections::BTreeMap;
use std::fmt::{Display, Formatter, Result};

/// How many smaller kernels are tried for each kind of failure.
const TRIALS: usize = 60;

/// What came of each kernel.
pub struct Table {
    pub asked: Asked,
    pub answers: BTreeMap<u64, Judged>,
}

/// Judges them, a process a core.
pub fn judge_all(asked: Asked) -> Table {
    let answers =
        asked.judge("kernels", JUDGE, |process, number| ask(process, &Request::Judge(number, vec![]), asked.limit));
    Table { asked, answers }
}

impl Table {
    pub fn count(&self, kind: Kind) -> usize {
        self.answers.values().filter(|answer| answer.kind == kind).count()
    }

    /// How many kernels that replace in place came to this.
    pub fn count_in_place(&self, kind: Kind) -> usize {
        let of_kind = self.answers.iter().filter(|(_, answer)| answer.kind == kind);
        of_kind.filter(|(number, _)| in_place::kernel(self.asked.seed, **number).is_some()).count()
    }

    /// The numbers of the kernels that came to this, by reason.
    fn by_reason(&self, kind: Kind) -> BTreeMap<&str, Vec<u64>> {
        let mut found: BTreeMap<&str, Vec<u64>> = BTreeMap::new();
        for (number, answer) in self.answers.iter().filter(|(_, answer)| answer.kind == kind) {
            found.entry(&answer.reason).or_default().push(*number);
        }
        found
    }

    /// Why kernels were not run in tiles, by reason; nothing for those that were.
    fn tiled(&self) -> BTreeMap<&str, Vec<u64>> {
        let mut found: BTreeMap<&str, Vec<u64>> = BTreeMap::new();
        for (number, answer) in &self.answers {
            if let Some(why) = &answer.tiled {
                found.entry(why).or_default().push(*number);
            }
        }
        found
    }

    /// What must not be: wrong values, panics and refusals, in tiles as well, that are neither on the list nor known, with their
    /// kernels. That there is no answer in time is counted alone.
    pub fn failures(&self) -> Vec<(Kind, String, Vec<u64>)> {
        let mut found = vec![];
        for kind in [Kind::Wrong, Kind::Panicked, Kind::Refused] {
            found.extend(self.by_reason(kind).into_iter().map(|(reason, numbers)| (kind, reason.to_owned(), numbers)));
        }
        let in_tiles = self.tiled().into_iter().filter(|(reason, _)| !reason.is_empty());
        found.extend(in_tiles.map(|(reason, numbers)| (Kind::Refused, reason.to_owned(), numbers)));
        found.retain(|(kind, reason, _)| is_failure(*kind, reason));
        found
    }

    /// Tells the failures, each with its first kernel, and that made smaller.
    pub fn tell_failures(&self, mut tell: impl FnMut(&str)) {
        for (kind, reason, numbers) in self.failures() {
            let (seed, first) = (self.asked.seed, numbers[0]);
            tell(&format!("{kind:?}, {} kernels: {reason}\n  numbers {numbers:?} of seed {seed}", numbers.len()));
            tell(&format!("{}  {}", growth::kernel(seed, first), self.answers[&first].detail));
            tell(&self.tell_smaller(first, (kind, &reason)));
        }
    }

    /// Tells the kernels that have no answer.
    pub fn tell_unanswered(&self, mut tell: impl FnMut(&str)) {
        for (number, _) in self.answers.iter().filter(|(_, judged)| judged.kind == Kind::NoAnswer) {
            let kernel = growth::kernel(self.asked.seed, *number);
            tell(&format!("no answer of number {number} within {:?}\n{kernel}", self.asked.limit));
        }
    }

    /// A smaller kernel that fails for the same reason; the reason why one is not run in tiles is no failure of its own.
    fn tell_smaller(&self, number: u64, failure: (Kind, &str)) -> String {
        let mut process = Process::new(self.asked.seed, JUDGE);
        let kernel = growth::kernel(self.asked.seed, number);
        let mut judged = |steps: &[usize]| ask(&mut process, &Request::Judge(number, steps.to_vec()), self.asked.limit);
        let is_same =
            |judged: &Judged| (judged.kind, &*judged.reason) == failure || judged.tiled.as_deref() == Some(failure.1);
        let steps = shrink(&kernel, TRIALS, |steps| is_same(&judged(steps)));
        let (smaller, judged) = (after(&kernel, &steps), judged(&steps));
        smaller.map_or_else(String::new, |smaller| format!("made smaller:\n{smaller}  {}\n", judged.detail))
    }
}

fn is_failure(kind: Kind, reason: &str) -> bool {
    let is_listed = matches!(kind, Kind::Right | Kind::NoAnswer) || (kind == Kind::Refused && why(reason).is_some());
    !is_listed && known(kind, reason).is_none()
}

/// A mark of what makes the test fail.
fn mark(kind: Kind, reason: &str) -> &'static str {
    if is_failure(kind, reason) { "NOT LISTED: " } else { "" }
}

impl Display for Table {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        let Asked { seed, first, .. } = self.asked;
        writeln!(f, "{:>6}  kernels of seed {seed}, from number {first}", self.answers.len())?;
        let words = [
            (Kind::Right, "right"),
            (Kind::Refused, "refused"),
            (Kind::NoAnswer, "no answer in time"),
            (Kind::Wrong, "wrong"),
            (Kind::Panicked, "panicked"),
        ];
        for (kind, word) in words {
            writeln!(f, "{:>6}  {word}", self.count(kind))?;
            for (reason, numbers) in self.by_reason(kind).into_iter().filter(|(reason, _)| !reason.is_empty()) {
                let some: Vec<String> = numbers.iter().take(4).map(u64::to_string).collect();
                let (count, mark) = (numbers.len(), mark(kind, reason));
                writeln!(f, "        {count:>6}  {mark}{reason}   ({} ..)", some.join(", "))?;
            }
        }
        writeln!(f, "in tiles")?;
        for (reason, numbers) in self.tiled() {
            let (kind, word) = if reason.is_empty() { (Kind::Right, "right") } else { (Kind::Refused, reason) };
            writeln!(f, "{:>6}  {}{word}   ({} ..)", numbers.len(), mark(kind, reason), numbers[0])?;
        }
        let [compared, anything]: [usize; 2] =
            [0, 1].map(|part| self.answers.values().map(|answer| answer.compared[part]).sum());
        writeln!(f, "{compared} elements compared, {anything} that another order might make anything")
    }
}
