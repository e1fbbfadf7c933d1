//! The world around one PE of a worker, in which an instruction has its effect at once or has to wait.

use super::arrays::Arrays;
use super::lines::Lines;
use super::outbox::Outbox;
use super::plan::Plan;
use super::wires::Wires;
use crate::array::{Environment, NOWHERE, Trouble};
use std::collections::{HashSet, VecDeque};

/// Everything at a worker but its PEs.
pub struct Surroundings<'a, A> {
    pub plan: &'a Plan<'a>,
    pub arrays: A,
    pub wires: Wires,
    pub lines: Lines,
    pub outbox: Outbox,
    /// PEs that can go on, as positions at this worker.
    pub ready: VecDeque<usize>,
    /// How often each `let` was done.
    pub computed: Vec<u64>,
}

/// What a PE has prefetched.
#[derive(Clone, Debug, Default)]
pub struct Held {
    elements: HashSet<(usize, usize)>,
    /// The element that was found last: PEs often read one again.
    last: Option<(usize, usize)>,
}

impl Held {
    fn has(&mut self, element: (usize, usize)) -> bool {
        let is_there = self.last == Some(element) || self.elements.contains(&element);
        if is_there {
            self.last = Some(element);
        }
        is_there
    }
}

/// A PE may do so many sends and receives before others have their turn and packets leave.
pub const TURN: u32 = 4096;

/// What an instruction of one PE meets.
pub struct Around<'w, 'a, A> {
    /// The PE in the code, and its position at the worker.
    pub pe: (usize, usize),
    /// The end of the wire at each port; [`NOWHERE`] where there is no far end.
    pub ends: &'w [usize],
    pub held: &'w mut Held,
    pub world: &'w mut Surroundings<'a, A>,
    /// What is left of the PE's turn.
    pub left: u32,
}

impl<A> Around<'_, '_, A> {
    /// Whether the turn is over, so that the instruction must be done in the next one.
    fn is_over(&mut self) -> bool {
        let is_over = self.left == 0;
        self.left = self.left.saturating_sub(1);
        if is_over {
            self.world.ready.push_back(self.pe.1);
        }
        is_over
    }
}

impl<A: Arrays> Environment for Around<'_, '_, A> {
    fn at(&mut self, _time: i64) {}

    fn tick(&mut self, _cycles: u64) -> Result<(), Trouble> {
        Ok(())
    }

    fn load(&mut self, array: usize, address: usize) -> Result<f64, Trouble> {
        Ok(self.world.arrays.read(array, address))
    }

    fn prefetch(&mut self, array: usize, address: usize) -> Result<(), Trouble> {
        self.held.elements.insert((array, address));
        Ok(())
    }

    fn local(&mut self, array: usize, address: usize) -> Result<f64, Trouble> {
        match self.held.has((array, address)) {
            true => Ok(self.world.arrays.read(array, address)),
            false => Err(Trouble::NotPrefetched { array, address }),
        }
    }

    fn store(&mut self, array: usize, address: usize, value: f64) -> Result<(), Trouble> {
        match self.world.arrays.store(array, address, value) {
            true => Ok(()),
            false => Err(Trouble::StoredTwice { array, address }),
        }
    }

    fn receive(&mut self, port: usize) -> Result<Option<f64>, Trouble> {
        let end = self.ends[port];
        if end == NOWHERE || self.is_over() {
            return Ok(None);
        }
        let Some((word, freed)) = self.world.wires.receive(end, self.pe.1) else { return Ok(None) };
        self.world.ready.extend(freed);
        Ok(Some(word))
    }

    fn send(&mut self, port: usize, value: f64) -> Result<bool, Trouble> {
        let end = self.ends[port];
        if end == NOWHERE {
            return Err(Trouble::NoPeer { port });
        }
        if self.is_over() {
            return Ok(false);
        }
        let sent = self.world.wires.send(end, self.pe.1, value, &mut self.world.outbox);
        self.world.ready.extend(sent.flatten());
        Ok(sent.is_some())
    }

    fn drive(&mut self, tap: usize, tag: &[i64], value: f64) -> Result<(), Trouble> {
        let Surroundings { plan, lines, outbox, ready, .. } = &mut *self.world;
        let line = plan.wiring.taps(self.pe.0)[tap];
        match lines.drive(plan, (line, self.pe.0), tag, value, outbox) {
            Some(freed) => ready.extend(freed),
            None => return Err(Trouble::DrivenTwice { tap, tag: tag.to_vec() }),
        }
        Ok(())
    }

    fn listen(&mut self, tap: usize, tag: &[i64]) -> Result<Option<f64>, Trouble> {
        let line = self.world.plan.wiring.taps(self.pe.0)[tap];
        Ok(self.world.lines.listen(line, self.pe.1, tag))
    }

    fn compute(&mut self, operation: usize) {
        self.world.computed[operation] += 1;
    }
}
