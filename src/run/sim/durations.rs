//! How long the work of a step takes, and with it a step of the schedule.
//!
//! In: code, and the times of a machine. Out: the cycles of every `let`, and of a step. A schedule is proved in steps, in each
//! of which a PE receives, computes and sends. Where its work takes longer than a cycle, all steps are longer: a step has as
//! many cycles as the longest path of any class from one `tick` or `at` to the next. So what was proved of steps holds of
//! cycles: a word that leaves in the last cycle of step t, over a link of L cycles, is there in time, since
//! `S t + (S - 1) + L <= S (t + L)`; and a slot is held for no more steps than was proved.
//!
//! The rules, for a PE whose step began at clock s:
//!
//! 1. A `let` takes the sum of (latency - 1) along the longest path through its operations, and (interval - 1) of any of
//!    them at least; then the PE goes on.
//! 2. The words of a step, loaded and stored, pass the port in the order of the text, word n from 0 in cycle
//!    `s + floor(n / b)` at b words a cycle. A load is done one latency later, a store at once; the PE waits for it.
//! 3. What is heard of a bus in the step of its drive is there when the driver has it.
//! 4. `tick n` ends the step at `s + n S`, or n cycles after the clock, where the PE has waited for others for so long that
//!    this is later. `at t` is clock S t. Both begin a step.
//!
//! What is prefetched or filled in is there before the run, at no cycle and through no port. A memory that PEs share would not be a Kahn network, so a port has one PE.
//!
//! Predicted cycles are S times those of the search, whose front stays in steps: its designs differ in what they load,
//! seldom in what they compute. A step pipelined over several would need latencies of operations in the obligations of
//! causality.

use std::collections::{BTreeMap, BTreeSet};
use systole_base::machine::Times;
use systole_base::scalar::Function;
use systole_program::array::{ClassCode, Code, Op, Scalar};

/// The times of a program on a machine.
#[derive(Clone, Debug)]
pub(super) struct Durations {
    /// S: cycles of a step.
    pub step: u64,
    /// Cycles that each `let` of the program takes.
    pub lets: Vec<u64>,
    times: Times,
}

/// What has been done of a step, in which nobody waits for others.
#[derive(Clone, Copy, Debug, Default)]
struct Done {
    cycles: u64,
    /// Words through the port.
    words: u64,
}

/// For each bus the most cycles into a step at which a word is driven.
type Driven = BTreeMap<usize, u64>;

impl Durations {
    /// The times of this code.
    pub fn of(code: &Code, times: &Times) -> Durations {
        let mut durations = Durations { step: 1, lets: vec![0; code.operations.len()], times: times.clone() };
        for (op, next) in code.classes.iter().flat_map(|class| in_pairs(&class.ops)) {
            // What is filled in before the run is computed before it.
            if let (Op::Let { value, operation, .. }, false) = (op, matches!(next, Some(Op::Fill { .. }))) {
                durations.lets[*operation] = path(value, times).max(pause(value, times));
            }
        }
        let mut driven = Driven::new();
        // Who hears a word may drive another one, so each round knows one more bus.
        for _ in 0..=buses(code) {
            let before = driven.clone();
            let steps = code.classes.iter().map(|class| durations.longest_step(class, &mut driven));
            durations.step = steps.max().unwrap_or(1);
            if driven == before {
                break;
            }
        }
        durations
    }

    /// Whether no work takes time: then a step is a cycle.
    pub fn are_none(&self) -> bool {
        self.step == 1 && self.lets.iter().all(|cycles| *cycles == 0) && self.times.port.is_none()
    }

    /// When the load of word `number` of a step is done, in cycles from the beginning of the step.
    pub fn load(&self, number: u64) -> u64 {
        self.store(number).saturating_add(self.times.load_latency.unsigned_abs())
    }

    /// When the store of word `number` of a step is done, in cycles from the beginning of the step.
    pub fn store(&self, number: u64) -> u64 {
        self.times.port_cycle(number)
    }

    /// The most cycles of a step of this class. What is done in rounds of a loop that end no step counts twice.
    fn longest_step(&self, class: &ClassCode, driven: &mut Driven) -> u64 {
        let mut arrived = vec![Done::default(); class.ops.len() + 1];
        let mut longest = 0;
        for _ in 0..2 {
            for (at, op) in class.ops.iter().enumerate() {
                let after = self.after(op, arrived[at], &class.taps, driven);
                longest = longest.max(after.cycles);
                successors(op, at).for_each(|next| join(&mut arrived[next], after));
            }
        }
        longest.saturating_add(1)
    }

    /// What has been done after an op.
    fn after(&self, op: &Op, before: Done, taps: &[usize], driven: &mut Driven) -> Done {
        let Done { cycles, words } = before;
        match op {
            Op::At(_) | Op::Tick(_) => Done::default(),
            Op::Load { .. } => Done { cycles: cycles.max(self.load(words)), words: words + 1 },
            Op::Store { .. } => Done { cycles: cycles.max(self.store(words)), words: words + 1 },
            Op::Let { operation, .. } => Done { cycles: cycles.saturating_add(self.lets[*operation]), words },
            Op::Listen { tap, .. } => Done { cycles: cycles.max(driven.get(&taps[*tap]).copied().unwrap_or(0)), words },
            Op::Drive { tap, .. } => {
                let known = driven.entry(taps[*tap]).or_default();
                *known = cycles.max(*known);
                before
            }
            _ => before,
        }
    }
}

/// Each op with the next of the text.
fn in_pairs(ops: &[Op]) -> impl Iterator<Item = (&Op, Option<&Op>)> {
    ops.iter().enumerate().map(|(at, op)| (op, ops.get(at + 1)))
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

/// The later of both.
fn join(known: &mut Done, other: Done) {
    *known = Done { cycles: known.cycles.max(other.cycles), words: known.words.max(other.words) };
}

/// The function at the root of an expression, and what it is applied to.
fn parts(scalar: &Scalar) -> Option<(Function, &[Scalar])> {
    match scalar {
        Scalar::Number(_) | Scalar::Register(_) | Scalar::Index(_) | Scalar::Call(_) => None,
        Scalar::Unary(function, operand) => Some((*function, std::slice::from_ref(operand))),
        Scalar::Binary(function, operands) => Some((*function, &operands[..])),
        Scalar::Ternary(function, operands) => Some((*function, &operands[..])),
    }
}

/// Cycles from the operands to the result.
fn path(scalar: &Scalar, times: &Times) -> u64 {
    let Some((function, operands)) = parts(scalar) else { return 0 };
    let before = operands.iter().map(|operand| path(operand, times)).max().unwrap_or(0);
    before.saturating_add(times.of(function).latency.unsigned_abs().saturating_sub(1))
}

/// The longest interval of all operations, less 1; 0 where there are none.
fn pause(scalar: &Scalar, times: &Times) -> u64 {
    let Some((function, operands)) = parts(scalar) else { return 0 };
    let own = times.of(function).interval.unsigned_abs().saturating_sub(1);
    operands.iter().map(|operand| pause(operand, times)).fold(own, u64::max)
}
