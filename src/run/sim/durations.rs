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
//! 3. A load of an array whose words are asked for ahead ([`Loads`]) passes the port without that latency, when its word is
//!    there. Load n of the array on the PE, of B that may be outstanding, asks in the cycle after load n - B took its word, or
//!    in cycle 0; its word is there one latency later.
//! 4. What is heard of a bus in the step of its drive is there when the driver has it.
//! 5. `tick n` ends the step at `s + n S`, or n cycles after the clock, where the PE has waited for others for so long that
//!    this is later. `at t` is clock `W + S t`. Both begin a step. `end-step` is `tick 1` where operations shared the step; all they do
//!    is the work of one step.
//!
//! W, the wait before step 0, is what of a latency L no step waits for. With as many loads outstanding as were proved to be enough
//! it is L, for then every word of the run is there when its step begins: that of load n was asked for L + 1 steps before, or in
//! cycle 0. With fewer a step is longer, or waits for l of these cycles itself, and `W = L - l`: where a step has at most k loads
//! of an array, B of them reach back over m = floor(B / k) steps, and one at least, so `S m >= L + 1` is enough. A load that stands
//! before the `at` of its step has no step to wait in; then l is 0. For one load a step and B = 1 that is `S = L + 1`, `W = 0`: a
//! load that asks for its word itself.
//!
//! What is prefetched or filled in is there before the run, at no cycle and through no port. A memory that PEs share would not be a Kahn network, so a port has one PE.
//!
//! Predicted cycles are W and S times those of the search, whose front stays in steps: its designs differ in what they load,
//! seldom in what they compute. A step pipelined over several would need latencies of operations in the obligations of
//! causality.

use super::steps::{Ahead, Steps, Work};
use systole_base::machine::Times;
use systole_base::scalar::Function;
use systole_program::array::{Code, Loads, Op, Program, Scalar};

/// The times of a program on a machine.
#[derive(Clone, Debug)]
pub(super) struct Durations {
    /// W: the clock of step 0.
    pub lead: u64,
    /// S: cycles of a step.
    pub step: u64,
    /// Whether that is more than its work, because fewer loads may be outstanding than are enough.
    pub is_short: bool,
    /// Cycles that each `let` of the program takes.
    pub lets: Vec<u64>,
    /// For each array how many of its words a PE may have asked for ahead; `None` where its loads ask for theirs themselves.
    pub outstanding: Vec<Option<u64>>,
    times: Times,
}

impl Durations {
    /// The times of this program, and of its code at some sizes.
    pub fn of(program: &Program, code: &Code, times: &Times) -> Durations {
        let lets = lets(code, times);
        let ahead: Vec<Option<Ahead>> = program.arrays.iter().map(|array| ahead(array.loads?, times)).collect();
        let work = Work { code, lets: &lets, times, ahead: &ahead };
        let (lead, step, is_short) = lead_and_step(&work);
        let outstanding = ahead.iter().map(|ahead| Some((*ahead)?.outstanding)).collect();
        Durations { lead, step, is_short, lets, outstanding, times: times.clone() }
    }

    /// Whether no work takes time: then a step is a cycle.
    pub fn are_none(&self) -> bool {
        (self.lead, self.step) == (0, 1) && self.lets.iter().all(|cycles| *cycles == 0) && self.times.port.is_none()
    }

    /// When the load of word `number` of a step is done, in cycles from the beginning of the step, if it asks for the word itself.
    pub fn load(&self, number: u64) -> u64 {
        self.store(number).saturating_add(self.latency())
    }

    /// When the store of word `number` of a step is done, in cycles from the beginning of the step.
    pub fn store(&self, number: u64) -> u64 {
        self.times.port_cycle(number)
    }

    /// Cycles from asking for a word until it is there.
    pub fn latency(&self) -> u64 {
        self.times.load_latency.unsigned_abs()
    }
}

/// The cycles of each `let`.
fn lets(code: &Code, times: &Times) -> Vec<u64> {
    let mut lets = vec![0; code.operations.len()];
    for (op, next) in code.classes.iter().flat_map(|class| in_pairs(&class.ops)) {
        // What is filled in before the run is computed before it.
        if let (Op::Let { value, operation, .. }, false) = (op, matches!(next, Some(Op::Fill { .. }))) {
            lets[*operation] = path(value, times).max(pause(value, times));
        }
    }
    lets
}

/// How the loads of an array are asked for ahead on a machine; not at all where memory has a word at once.
fn ahead(loads: Loads, times: &Times) -> Option<Ahead> {
    let outstanding = times.outstanding.map_or(loads.outstanding, |most| most.min(loads.outstanding));
    let latency = times.load_latency.unsigned_abs();
    let is_enough = outstanding == loads.outstanding && latency <= loads.latency;
    (latency > 0).then_some(Ahead { outstanding, is_enough })
}

/// W and S, and whether S is more than the work of a step.
fn lead_and_step(work: &Work) -> (u64, u64, bool) {
    let (latency, steps) = (work.times.load_latency.unsigned_abs(), work.steps(0));
    let Some(latest) = steps.latest else { return (0, steps.cycles, false) };
    let until_next = latest.saturating_add(latency).saturating_add(1);
    let step = reaches(work, &steps).map(|reach| until_next.div_ceil(reach)).fold(steps.cycles, u64::max);
    let waited = if steps.is_early { 0 } else { most(latency, |waited| work.steps(waited).cycles <= step) };
    (latency - waited, step, step > steps.cycles)
}

/// For each array of which fewer loads may be outstanding than are enough, over how many steps they reach back.
fn reaches(work: &Work, steps: &Steps) -> impl Iterator<Item = u64> {
    let short = work.ahead.iter().zip(&steps.loads).filter_map(|(ahead, loads)| Some(((*ahead)?, *loads)));
    let short = short.filter(|(ahead, loads)| !ahead.is_enough && *loads > 0);
    short.map(|(ahead, loads)| (ahead.outstanding / loads).max(1))
}

/// The largest number up to `last` for which something holds, where it holds for 0 and for all below one for which it holds.
fn most(last: u64, holds: impl Fn(u64) -> bool) -> u64 {
    let (mut low, mut high) = (0, last);
    while low < high {
        let middle = high - (high - low) / 2;
        if holds(middle) { low = middle } else { high = middle - 1 }
    }
    low
}

/// Each op with the next of the text.
fn in_pairs(ops: &[Op]) -> impl Iterator<Item = (&Op, Option<&Op>)> {
    ops.iter().enumerate().map(|(at, op)| (op, ops.get(at + 1)))
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
