//! The world around one PE of a worker, in which an instruction has its effect at once or has to wait.

use super::agenda::Agenda;
use super::ahead::{coming_sends, early_sends, not_given};
use super::lines::Lines;
use super::outbox::Outbox;
use super::packet::Parcel;
use super::supplies::Supplies;
use super::wires::Wires;
use super::word::Word;
use crate::exec::arrays::Arrays;
use crate::exec::plan::Plan;
use crate::exec::trace::{Activity, Tape};
use std::collections::{HashMap, HashSet};
use systole_program::array::{Assignment, Entry, Environment, NOWHERE, Trouble, recalled};

/// Everything at a worker but its PEs.
pub struct Surroundings<'a, A, W: Word> {
    pub plan: &'a Plan<'a>,
    pub operations: &'a W::Operations,
    pub arrays: A,
    pub wires: Wires<W>,
    pub lines: Lines<W>,
    pub supplies: Supplies<W>,
    pub outbox: Outbox,
    /// PEs that can go on.
    pub ready: Agenda,
    /// How often each `let` was done.
    pub computed: Vec<u64>,
    /// What was done when.
    pub tape: Tape,
}

/// What a PE has in its own memory: what it has prefetched, and what it keeps.
#[derive(Clone, Debug)]
pub struct OwnMemory<W> {
    elements: HashSet<(usize, usize)>,
    /// Words from the homes of other workers.
    brought: HashMap<(usize, usize), W>,
    /// What was read last: PEs often read one again.
    last: Option<((usize, usize), W)>,
    /// What the words of its scratchpads hold, by scratchpad and word: which element, and its value.
    kept: HashMap<(usize, usize), (usize, W)>,
}

impl<W: Clone> OwnMemory<W> {
    /// Nothing yet.
    pub fn new() -> OwnMemory<W> {
        OwnMemory { elements: HashSet::new(), brought: HashMap::new(), last: None, kept: HashMap::new() }
    }

    /// A word, where it was prefetched.
    fn read(&mut self, element: (usize, usize), arrays: &impl Arrays<W>) -> Option<W> {
        if let Some((_, word)) = self.last.as_ref().filter(|(last, _)| *last == element) {
            return Some(word.clone());
        }
        let own = || self.elements.contains(&element).then(|| arrays.read(element.0, element.1));
        let word = self.brought.get(&element).cloned().or_else(own)?;
        self.last = Some((element, word.clone()));
        Some(word)
    }
}

/// How a PE stands to the tile that it computes next.
#[derive(Clone, Debug, Default)]
pub struct Outlook {
    /// The step of the program, where it says so.
    step: i64,
    /// That of the first tile.
    first: Option<i64>,
    /// Whether the tile is to be computed in this turn.
    pub is_due: bool,
    /// Whether all that can ever be sent ahead of the tile has been sent.
    is_settled: bool,
    /// The ports of the sends that have been done ahead.
    given: Vec<usize>,
}

/// What an instruction of one PE meets.
pub struct Around<'w, 'a, A, W: Word> {
    /// The PE in the code, and its position at the worker.
    pub pe: (usize, usize),
    /// The end of the wire at each port; [`NOWHERE`] where there is no far end.
    pub ends: &'w [usize],
    pub memory: &'w mut OwnMemory<W>,
    pub outlook: &'w mut Outlook,
    pub world: &'w mut Surroundings<'a, A, W>,
    /// What is left of the PE's turn.
    pub left: u32,
}

impl<A, W: Word> Around<'_, '_, A, W> {
    /// Whether the turn is over, so that the instruction must be done in the next one.
    fn is_over(&mut self) -> bool {
        let is_over = self.left == 0;
        self.left = self.left.saturating_sub(1);
        if is_over {
            self.world.ready.push(self.pe.1);
        }
        is_over
    }

    /// The other worker that has a word of an array, if any.
    #[inline(always)]
    fn home(&self, array: usize, address: usize) -> Option<usize> {
        let homes = self.world.plan.homes.as_ref()?;
        homes.of(array, address).filter(|home| *home != self.world.plan.owner(self.pe.0))
    }

    /// When the tile is to be computed (`agenda.rs`), by its step and that of the PE's first.
    fn turn(&mut self) -> i64 {
        let Outlook { step, ref mut first, .. } = *self.outlook;
        let first = *first.get_or_insert(step);
        self.world.plan.order.turn(step, first)
    }

    /// Sends what the PE holds already, of what it is to send after the `let` at `counter`; whether it has sent anything.
    fn send_ahead(&mut self, counter: usize, slots: &[i64], registers: &[W]) -> bool {
        let class = self.world.plan.code.pes[self.pe.0].class;
        let coming = coming_sends(&self.world.plan.code.classes[class].ops, counter, slots);
        let room = |port: usize| if self.ends[port] == NOWHERE { 0 } else { self.world.wires.room(self.ends[port]) };
        let coming = not_given(coming, &self.outlook.given);
        let early = early_sends(&coming, room);
        self.outlook.is_settled = coming.iter().filter(|send| send.is_there).count() == early.len();
        for send in &early {
            let Surroundings { wires, outbox, ready, .. } = &mut *self.world;
            ready.extend(wires.send(self.ends[send.port], self.pe.1, &registers[send.register], outbox).flatten());
            self.outlook.given.push(send.port);
        }
        !early.is_empty()
    }

    /// Whether the next send of a port has been done ahead.
    fn was_given(&mut self, port: usize) -> bool {
        let given = self.outlook.given.iter().position(|given| *given == port);
        given.inspect(|position| _ = self.outlook.given.remove(*position)).is_some()
    }
}

impl<A: Arrays<W>, W: Word> Environment for Around<'_, '_, A, W> {
    type Word = W;

    #[inline(always)]
    fn op(&mut self) {
        W::note_op(self.world.operations);
    }

    fn at(&mut self, time: i64) {
        self.outlook.step = time;
    }

    fn tick(&mut self, _cycles: u64) -> Result<(), Trouble> {
        Ok(())
    }

    fn load(&mut self, array: usize, address: usize) -> Result<Option<W>, Trouble> {
        match self.home(array, address) {
            None => Ok(Some(self.world.arrays.read(array, address))),
            Some(_) => Ok(self.world.supplies.take(self.world.plan, self.pe.1, &mut self.world.outbox)),
        }
    }

    fn prefetch(&mut self, array: usize, address: usize) -> Result<bool, Trouble> {
        if self.home(array, address).is_none() {
            self.memory.elements.insert((array, address));
            return Ok(true);
        }
        let word = self.world.supplies.take(self.world.plan, self.pe.1, &mut self.world.outbox);
        Ok(word.map(|word| self.memory.brought.insert((array, address), word)).is_some())
    }

    fn local(&mut self, array: usize, address: usize) -> Result<W, Trouble> {
        self.memory.read((array, address), &self.world.arrays).ok_or(Trouble::NotPrefetched { array, address })
    }

    fn keep(&mut self, pad: usize, Entry { element, word }: Entry, value: &W) -> Result<(), Trouble> {
        self.memory.kept.insert((pad, word), (element, value.clone()));
        Ok(())
    }

    fn recall(&mut self, pad: usize, Entry { element, word }: Entry) -> Result<W, Trouble> {
        recalled(self.memory.kept.get(&(pad, word)).cloned(), pad, element)
    }

    fn store(&mut self, array: usize, address: usize, value: &W) -> Result<(), Trouble> {
        if let Some(home) = self.home(array, address) {
            let parcel = Parcel::Result { array, address, pe: self.pe.0, value: value.clone() };
            self.world.outbox.put(home, &parcel);
            return Ok(());
        }
        match self.world.arrays.store(array, address, value)? {
            true => Ok(()),
            false => Err(Trouble::StoredTwice { array, address }),
        }
    }

    fn receive(&mut self, port: usize) -> Result<Option<W>, Trouble> {
        let end = self.ends[port];
        if end == NOWHERE || self.is_over() {
            return Ok(None);
        }
        let Some((word, freed)) = self.world.wires.receive(end, self.pe.1) else { return Ok(None) };
        self.world.ready.extend(freed);
        Ok(Some(word))
    }

    fn send(&mut self, port: usize, value: &W) -> Result<bool, Trouble> {
        if W::IS_SHARED && self.was_given(port) {
            return Ok(true);
        }
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

    fn drive(&mut self, tap: usize, tag: &[i64], value: &W) -> Result<(), Trouble> {
        let Surroundings { plan, lines, outbox, ready, .. } = &mut *self.world;
        let line = plan.wiring.taps(self.pe.0)[tap];
        match lines.drive(plan, (line, self.pe.0), tag, value, outbox) {
            Some(freed) => ready.extend(freed),
            None => return Err(Trouble::DrivenTwice { tap, tag: tag.to_vec() }),
        }
        Ok(())
    }

    fn listen(&mut self, tap: usize, tag: &[i64]) -> Result<Option<W>, Trouble> {
        let line = self.world.plan.wiring.taps(self.pe.0)[tap];
        Ok(self.world.lines.listen(line, self.pe.1, tag))
    }

    #[inline(always)]
    fn begin(&mut self, operation: usize, counter: usize, slots: &[i64], registers: &[W]) -> bool {
        if !W::IS_SHARED || !self.world.plan.calls[operation] {
            return true;
        }
        // What can be sent since it was last tried is sent first: it leaves when this turn is over.
        let has_sent = !self.outlook.is_settled && self.send_ahead(counter, slots, registers);
        let is_now = !has_sent && std::mem::take(&mut self.outlook.is_due);
        match is_now {
            true => self.outlook.is_settled = false,
            false => {
                let turn = self.turn();
                self.world.ready.push_tile(turn, self.pe.1);
            }
        }
        is_now
    }

    fn compute(&mut self, assignment: Assignment<'_>, slots: &[i64], registers: &mut [W]) -> Result<W, Trouble> {
        let operation = assignment.operation;
        self.world.computed[operation] += 1;
        if W::IS_SHARED && self.world.plan.calls[operation] {
            // A tile takes so long that others are to be heard before anything else is sent.
            self.left = 0;
        }
        // An operation on numbers is shorter than looking at a clock.
        if !W::IS_SHARED || !self.world.tape.keeps() {
            return W::compute(self.world.operations, assignment, slots, registers);
        }
        let from = self.world.tape.now();
        let word = W::compute(self.world.operations, assignment, slots, registers);
        self.world.tape.note(Activity::Leaf { operation, pe: self.pe.0 }, from);
        word
    }
}
