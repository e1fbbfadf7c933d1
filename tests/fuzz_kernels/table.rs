//! All kernels of a run, judged, and the table of what came of them.

use crate::judge::Kind;
use crate::refusals::why;
use crate::worker::{Answer, Request, Worker};
use std::collections::BTreeMap;
use std::fmt::{Display, Formatter, Result};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// How many kernels, and with what limits.
#[derive(Clone, Copy, Debug)]
pub struct Asked {
    pub seed: u64,
    /// The kernels are those of the numbers from the first on, so many.
    pub first: u64,
    pub cases: u64,
    /// None is begun after so long.
    pub seconds: u64,
    /// How long one may take.
    pub limit: Duration,
}

/// What came of each kernel.
pub struct Table {
    pub asked: Asked,
    pub answers: BTreeMap<u64, Answer>,
}

/// Judges them, a worker a core.
pub fn judge_all(asked: Asked, test: &'static str) -> Table {
    let (next, start) = (AtomicU64::new(0), Instant::now());
    let answers = Mutex::new(BTreeMap::new());
    let work = || {
        let mut worker = Worker::new(asked.seed, test);
        while start.elapsed().as_secs() < asked.seconds {
            let number = next.fetch_add(1, Ordering::Relaxed);
            if number >= asked.cases {
                return;
            }
            let number = asked.first + number;
            let answer = worker.ask(&Request::Judge(number), asked.limit);
            answers.lock().unwrap_or_else(PoisonError::into_inner).insert(number, answer);
        }
    };
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    std::thread::scope(|scope| (0..cores).for_each(|_| _ = scope.spawn(work)));
    Table { asked, answers: answers.into_inner().unwrap_or_else(PoisonError::into_inner) }
}

impl Table {
    pub fn count(&self, kind: Kind) -> usize {
        self.answers.values().filter(|answer| answer.judged.kind == kind).count()
    }

    /// The numbers of the kernels that came to this, by reason.
    fn by_reason(&self, kind: Kind) -> BTreeMap<&str, Vec<u64>> {
        let mut found: BTreeMap<&str, Vec<u64>> = BTreeMap::new();
        for (number, answer) in self.answers.iter().filter(|(_, answer)| answer.judged.kind == kind) {
            found.entry(&answer.judged.reason).or_default().push(*number);
        }
        found
    }

    /// Why kernels were not run in tiles, by reason; nothing for those that were.
    fn tiled(&self) -> BTreeMap<&str, Vec<u64>> {
        let mut found: BTreeMap<&str, Vec<u64>> = BTreeMap::new();
        for (number, answer) in &self.answers {
            if let Some(why) = &answer.judged.tiled {
                found.entry(why).or_default().push(*number);
            }
        }
        found
    }

    /// What must not be: wrong values, panics, and refusals that are not on the list, with their kernels.
    pub fn failures(&self) -> Vec<(Kind, String, Vec<u64>)> {
        let mut found = vec![];
        for kind in [Kind::Wrong, Kind::Panicked, Kind::Refused] {
            let all = self.by_reason(kind).into_iter().filter(|(reason, _)| kind != Kind::Refused || why(reason).is_none());
            found.extend(all.map(|(reason, numbers)| (kind, reason.to_owned(), numbers)));
        }
        let in_tiles = self.tiled().into_iter().filter(|(reason, _)| !reason.is_empty() && why(reason).is_none());
        found.extend(in_tiles.map(|(reason, numbers)| (Kind::Refused, reason.to_owned(), numbers)));
        found
    }

    /// The failures with the first kernel of each, made smaller.
    pub fn tell_failures(&self, test: &'static str) -> String {
        let mut worker = Worker::new(self.asked.seed, test);
        let mut text = String::new();
        for (kind, reason, numbers) in self.failures() {
            let seed = self.asked.seed;
            text += &format!("\n{kind:?}, {} kernels: {reason}\n  numbers {numbers:?} of seed {seed}\n", numbers.len());
            let Some(first) = numbers.first() else { continue };
            text += &format!("{}  {}\n", crate::growth::kernel(seed, *first), self.answers[first].judged.detail);
            let smaller = worker.ask(&Request::Shrink(*first), 20 * self.asked.limit);
            if smaller.judged.reason == reason {
                text += &format!("made smaller:\n{}  {}\n", smaller.text, smaller.judged.detail);
            }
        }
        text
    }
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
                let listed = if kind == Kind::Refused && why(reason).is_none() { "   NOT ON THE LIST" } else { "" };
                let some: Vec<String> = numbers.iter().take(4).map(u64::to_string).collect();
                writeln!(f, "        {:>6}  {reason}{listed}   ({} ..)", numbers.len(), some.join(", "))?;
            }
        }
        writeln!(f, "in tiles")?;
        for (reason, numbers) in self.tiled() {
            let listed = if !reason.is_empty() && why(reason).is_none() { "   NOT ON THE LIST" } else { "" };
            let reason = if reason.is_empty() { "right" } else { reason };
            writeln!(f, "{:>6}  {reason}{listed}   ({} ..)", numbers.len(), numbers[0])?;
        }
        let [compared, anything]: [usize; 2] =
            [0, 1].map(|part| self.answers.values().map(|answer| answer.judged.compared[part]).sum());
        writeln!(f, "{compared} elements compared, {anything} that another order might make anything")
    }
}
