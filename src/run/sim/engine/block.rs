//! Up to 64 PEs of one class, with all that is theirs alone, lane by lane.
//!
//! A PE stands at one op of its class. Either it can try the op, then its bit is set among those `standing` there; or it
//! waits for a word, a slot or a tag, then it is `parked` and whoever makes that puts it back; or it has finished.
//! Busy cycles are not kept: they are what the other counts leave of the clock.

use super::asked::Asked;
use super::lanes::{LANES, Lanes, each_lane, holding};
use super::own::Own;
use super::ports::Ports;
use super::profile::Profile;
use super::progress::Progress;
use std::collections::HashMap;
use systole_program::array::{ClassCode, Code, Op, Test};

/// Up to 64 PEs of one class.
#[derive(Clone, Debug)]
pub(super) struct Block {
    pub class: usize,
    /// Their positions in [`Code::pes`], which ascend.
    pub pes: Box<[u32]>,
    /// For each op: who can try it. One more entry for those who have come to the end.
    pub standing: Vec<u64>,
    /// At which op a PE waits; of no meaning for those that do not.
    pub parked: Lanes<u32>,
    /// Who has done an op with an effect.
    pub active: u64,
    /// Who has computed or ticked.
    pub began: u64,
    pub clock: Lanes<u64>,
    /// How many operations share the step so far.
    pub sharing: Lanes<u64>,
    pub stalled: Lanes<u64>,
    pub starved: Lanes<u64>,
    pub idle_before: Lanes<u64>,
    /// Cycles it let pass after it began.
    pub idle_between: Lanes<u64>,
    /// Who is not in a span of work; the others have been busy up to their clocks.
    pub resting: u64,
    pub slots: Vec<Lanes<i64>>,
    pub registers: Vec<Lanes<f64>>,
    /// The wires at each port.
    pub ports: Vec<Ports>,
    /// The bus line at each tap.
    pub taps: Vec<Lanes<u32>>,
    pub own: Own,
    /// What the words of the PEs' scratchpads hold, by lane, scratchpad and word: which element, and its value.
    pub kept: HashMap<(usize, usize, usize), (usize, f64)>,
    /// The words that the PEs have asked for ahead, by lane and array.
    pub asked: HashMap<(usize, usize), Asked>,
    /// Where each PE is in its step, where work takes time.
    pub progress: Vec<Progress>,
    /// For each op that is a branch on coordinates alone: who goes on.
    pub settled: Vec<Option<u64>>,
}

impl Block {
    /// PEs of a class before their first instruction. Registers start as NaN, so that a program that reads one too early
    /// cannot look right.
    pub fn new(code: &Code, class: usize, pes: &[u32]) -> Block {
        let shape = &code.classes[class];
        let everyone = u64::MAX >> (LANES - pes.len());
        let mut slots = vec![[0; LANES]; shape.slots];
        let mut point = code.grid.first.clone();
        for (lane, pe) in pes.iter().enumerate() {
            code.grid.write_point(code.pes[*pe as usize].position, &mut point);
            slots.iter_mut().zip(&point).for_each(|(slot, entry)| slot[lane] = *entry);
        }
        let mut standing = vec![0; shape.ops.len() + 1];
        standing[0] = everyone;
        let none = [0; LANES];
        Block {
            class,
            pes: pes.into(),
            standing,
            parked: [0; LANES],
            active: 0,
            began: 0,
            clock: none,
            sharing: none,
            stalled: none,
            starved: none,
            idle_before: none,
            idle_between: none,
            resting: everyone,
            settled: settle_branches(shape, &slots, code.grid.first.len(), everyone),
            slots,
            registers: vec![[f64::NAN; LANES]; shape.registers],
            ports: vec![Ports::of(&[]); shape.ports.len()],
            taps: vec![[0; LANES]; shape.taps.len()],
            own: Own::default(),
            kept: HashMap::new(),
            asked: HashMap::new(),
            progress: vec![],
        }
    }

    /// Whether some PE can try an op.
    pub fn is_ready(&self) -> bool {
        let ops = self.standing.len() - 1;
        self.standing[..ops].iter().any(|standing| *standing != 0)
    }

    /// Who has come to the end.
    pub fn finished(&self) -> u64 {
        self.standing.last().copied().unwrap_or(0)
    }

    /// Puts waiting PEs aside.
    pub fn park(&mut self, op: usize, mask: u64) {
        each_lane(mask, |lane| self.parked[lane] = op as u32);
    }

    /// Lets a waiting PE try again.
    pub fn wake(&mut self, lane: usize) {
        self.standing[self.parked[lane] as usize] |= 1 << lane;
    }

    /// Lets `cycles` pass in which PEs are busy; no clock may overflow. Who rested begins a span.
    pub fn work(&mut self, mask: u64, cycles: u64, profile: &mut Profile) {
        let begin = if cycles == 0 { 0 } else { self.resting & mask };
        each_lane(begin, |lane| profile.change(self.clock[lane], 1));
        self.resting &= !begin;
        let clock = &mut self.clock;
        each_lane(mask, |lane| clock[lane] = clock[lane].wrapping_add(cycles));
    }

    /// One PE is busy up to a clock.
    pub fn work_until(&mut self, lane: usize, clock: u64, profile: &mut Profile) {
        if clock > self.clock[lane] && self.resting >> lane & 1 == 1 {
            profile.change(self.clock[lane], 1);
            self.resting &= !(1 << lane);
        }
        self.clock[lane] = clock;
    }

    /// Notes that PEs have let cycles pass since the clocks of `before`: a span of work ends there.
    pub fn rest(&mut self, mask: u64, before: &Lanes<u64>, profile: &mut Profile) {
        each_lane(mask & !self.resting, |lane| profile.change(before[lane], -1));
        self.resting |= mask;
    }

    /// Ends all spans: what follows is work of its own.
    pub fn close_spans(&mut self, profile: &mut Profile) {
        let clock = self.clock;
        self.rest(self.everyone(), &clock, profile);
    }

    /// Cycles in which a PE was busy: those in which it did not wait or idle.
    pub fn busy(&self, lane: usize) -> u64 {
        let waited = self.stalled[lane] + self.starved[lane];
        self.clock[lane] - waited - self.idle_before[lane] - self.idle_between[lane]
    }

    /// All lanes that hold a PE.
    pub fn everyone(&self) -> u64 {
        u64::MAX >> (LANES - self.pes.len())
    }

    /// The smallest clock of those who have not finished.
    pub fn earliest(&self) -> Option<u64> {
        let going = self.everyone() & !self.finished();
        (0..LANES).filter(|lane| going >> lane & 1 == 1).map(|lane| self.clock[lane]).min()
    }

    /// At which op a PE stands, for messages.
    pub fn counter(&self, lane: usize) -> usize {
        let standing = self.standing.iter().position(|standing| standing >> lane & 1 == 1);
        standing.unwrap_or(self.parked[lane] as usize)
    }
}

/// Answers the branches that ask for coordinates only; one that overflows is left to the run.
fn settle_branches(shape: &ClassCode, slots: &[Lanes<i64>], rank: usize, everyone: u64) -> Vec<Option<u64>> {
    let is_fixed = |test: &Test| test.left.reads_below(rank) && test.right.reads_below(rank);
    let settle = |op: &Op| match op {
        Op::Branch { tests, .. } if tests.iter().all(is_fixed) => holding(tests, slots, everyone).ok(),
        _ => None,
    };
    shape.ops.iter().map(settle).collect()
}
