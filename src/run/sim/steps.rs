//! What a step of a program does at most: the longest way of any class from one `tick` or `at` to the next.
//!
//! In: code, the cycles of every `let`, the times of memory. Out: [`Steps`]. Nobody waits for others here but on a bus, where what
//! is heard in the step of its drive is there when the driver has it.

use std::collections::{BTreeMap, BTreeSet};
use systole_base::machine::Times;
use systole_program::array::{ClassCode, Code, Op};

/// The work of a program on a machine.
pub(super) struct Work<'a> {
    pub code: &'a Code,
    /// Cycles of each `let`.
    pub lets: &'a [u64],
    pub times: &'a Times,
    /// For each array how its loads are asked for ahead; `None` where they ask for their words themselves.
    pub ahead: &'a [Option<Ahead>],
}

/// How the loads of an array are asked for ahead.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Ahead {
    /// How many a PE may have outstanding, at least 1.
    pub outstanding: u64,
    /// Whether that is proved to be enough at this latency, so that a PE always has room in time.
    pub is_enough: bool,
}

/// The steps of a program.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Steps {
    /// Cycles of the longest.
    pub cycles: u64,
    /// For each array the most loads of a step.
    pub loads: Vec<u64>,
    /// The most cycles into a step at which a word is taken that was asked for ahead; `None` where there is none.
    pub latest: Option<u64>,
    /// Whether such a word is taken before the `at` that begins its step.
    pub is_early: bool,
}

/// What has been done of a step.
#[derive(Clone, Debug, Default)]
struct Done {
    cycles: u64,
    /// Words through the port.
    words: u64,
    /// Loads of each array since the last `tick`; of no array yet where there is no entry.
    loads: Vec<u64>,
    /// Whether no `at` may have begun the step yet.
    is_untimed: bool,
    /// Whether an operation that shares the step may be done, so that no `at` begins it again.
    is_shared: bool,
}

/// For each bus the most cycles into a step at which a word is driven.
type Driven = BTreeMap<usize, u64>;

impl Work<'_> {
    /// The steps, where each waits so many cycles for words that were asked for ahead.
    pub fn steps(&self, waited: u64) -> Steps {
        let mut driven = Driven::new();
        let mut steps = Steps::default();
        // Who hears a word may drive another one, so each round knows one more bus.
        for _ in 0..=buses(self.code) {
            let before = driven.clone();
            steps = Steps { loads: vec![0; self.ahead.len()], ..Steps::default() };
            self.code.classes.iter().for_each(|class| self.follow(class, waited, &mut driven, &mut steps));
            if driven == before {
                break;
            }
        }
        steps
    }

    /// All ways through a class. What is done in rounds of a loop that end no step counts twice.
    fn follow(&self, class: &ClassCode, waited: u64, driven: &mut Driven, steps: &mut Steps) {
        let mut arrived = vec![Done::default(); class.ops.len() + 1];
        arrived[0].is_untimed = true;
        for _ in 0..2 {
            for (at, op) in class.ops.iter().enumerate() {
                let after = match op {
                    Op::Load { array, .. } => self.load(*array, &arrived[at], waited, steps),
                    _ => self.after(op, &arrived[at], &class.taps, driven, steps),
                };
                steps.cycles = steps.cycles.max(after.cycles.saturating_add(1));
                successors(op, at).for_each(|next| join(&mut arrived[next], &after));
            }
        }
    }

    /// What has been done after a load.
    fn load(&self, array: usize, before: &Done, waited: u64, steps: &mut Steps) -> Done {
        let latency = self.times.load_latency.unsigned_abs();
        let passed = |waited: u64| before.cycles.max(self.times.port_cycle(before.words).saturating_add(waited));
        let words = before.words + 1;
        let Some(ahead) = self.ahead[array] else { return Done { cycles: passed(latency), words, ..before.clone() } };
        let mut loads = before.loads.clone();
        loads.resize(self.ahead.len(), 0);
        // A word for which the step itself has to make room is asked for when one before it has been taken.
        let has_room = ahead.is_enough || loads[array] < ahead.outstanding;
        let cycles = if has_room { passed(waited) } else { passed(waited).saturating_add(latency).saturating_add(1) };
        loads[array] += 1;
        steps.loads[array] = steps.loads[array].max(loads[array]);
        steps.latest = steps.latest.max(Some(cycles));
        Done { cycles, words, loads, ..before.clone() }
    }

    /// What has been done after an op that is no load.
    fn after(&self, op: &Op, before: &Done, taps: &[usize], driven: &mut Driven, steps: &mut Steps) -> Done {
        let at = |cycles: u64| Done { cycles, ..before.clone() };
        match op {
            Op::Share => Done { is_shared: true, ..before.clone() },
            Op::At(_) if before.is_shared => Done { is_untimed: false, ..before.clone() },
            Op::At(_) => {
                steps.is_early |= before.is_untimed && !before.loads.is_empty();
                Done { loads: before.loads.clone(), ..Done::default() }
            }
            Op::Tick(_) | Op::EndStep => Done { is_untimed: true, ..Done::default() },
            Op::Store { .. } => {
                Done { words: before.words + 1, ..at(before.cycles.max(self.times.port_cycle(before.words))) }
            }
            Op::Let { operation, .. } => at(before.cycles.saturating_add(self.lets[*operation])),
            Op::Listen { tap, .. } => at(before.cycles.max(driven.get(&taps[*tap]).copied().unwrap_or(0))),
            Op::Drive { tap, .. } => {
                let known = driven.entry(taps[*tap]).or_default();
                *known = before.cycles.max(*known);
                before.clone()
            }
            _ => before.clone(),
        }
    }
}

/// How many buses some class has a tap on.
fn buses(code: &Code) -> usize {
    code.classes.iter().flat_map(|class| &class.taps).collect::<BTreeSet<_>>().len()
}

/// Where a PE may stand after an op.
fn successors(op: &Op, at: usize) -> impl Iterator<Item = usize> {
    let (next, other) = match op {
        Op::Jump(target) => (None, Some(*target)),
        Op::Enter { exit: other, .. } | Op::Again { start: other, .. } | Op::Branch { otherwise: other, .. } => {
            (Some(at + 1), Some(*other))
        }
        _ => (Some(at + 1), None),
    };
    next.into_iter().chain(other)
}

/// The later of both, which has done more.
fn join(known: &mut Done, other: &Done) {
    known.cycles = known.cycles.max(other.cycles);
    known.words = known.words.max(other.words);
    known.is_untimed |= other.is_untimed;
    known.is_shared |= other.is_shared;
    known.loads.resize(known.loads.len().max(other.loads.len()), 0);
    known.loads.iter_mut().zip(&other.loads).for_each(|(known, other)| *known = (*known).max(*other));
}
