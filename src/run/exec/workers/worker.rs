//! A worker: the PEs it owns, run as coroutines until each has ended or waits.
//!
//! In: a [`Plan`], the number of the worker, its arrays; then the packets of the others as they come. Out: packets for the
//! others, elements in the arrays, and at the end where each PE stands. PEs that can go on stand in a queue; who waits is
//! parked at the wire or the tag it waits for, and whoever brings the word or the slot puts it back.

use super::agenda::Agenda;
use super::lines::Lines;
use super::outbox::{Outbox, Post};
use super::packet::{Packet, Parcel};
use super::supplies::Supplies;
use super::surroundings::{Around, Outlook, OwnMemory, Surroundings};
use super::wires::Wires;
use super::word::Word;
use crate::exec::arrays::{Arrays, Share};
use crate::exec::footprint::Held;
use crate::exec::plan::Plan;
use crate::exec::trace::{Activity, Lane, Tape};
use crate::shared::{Fault, Standing};
use systole_program::array;
use systole_program::array::{NOWHERE, Op, State, Stop, Trouble};

/// One PE between two runs.
struct Coroutine<W> {
    /// Its position in the code.
    pe: usize,
    class: usize,
    counter: usize,
    finished: bool,
    slots: Box<[i64]>,
    registers: Box<[W]>,
    /// The end of the wire at each port.
    ends: Box<[usize]>,
    memory: OwnMemory<W>,
    outlook: Outlook,
}

/// Some of the PEs of a run.
pub struct Worker<'a, A, W: Word> {
    pes: Vec<Coroutine<W>>,
    world: Surroundings<'a, A, W>,
}

/// What one worker did.
pub struct Report {
    /// Each of its PEs, as a position in the code, and where it stands.
    pub standings: Vec<(usize, Standing)>,
    /// How often each `let` was done.
    pub computed: Vec<u64>,
    /// How many words and drives it sent to other workers.
    pub words: u64,
    /// How many of the words were named, since they came from where they go.
    pub returned: u64,
    /// How many elements went with the others.
    pub elements: u64,
    /// In how many packets, those with credits alone included.
    pub packets: u64,
    /// What it held at most.
    pub held: Held,
    /// What it did when.
    pub lane: Lane,
}

impl Report {
    /// Whether all PEs have come to their ends.
    pub fn has_ended(&self) -> bool {
        self.standings.iter().all(|(_, standing)| standing.finished)
    }
}

impl<'a, A: Arrays<W>, W: Word> Worker<'a, A, W> {
    /// The PEs of a worker, before their first instruction.
    pub fn new(
        plan: &'a Plan<'a>,
        number: usize,
        arrays: A,
        operations: &'a W::Operations,
        tape: Tape,
    ) -> Worker<'a, A, W> {
        let wires = Wires::of(plan, number);
        let pes = plan.of_pes(number, |pe| Coroutine::new(plan, pe, &wires));
        let mut ready = Agenda::new(plan.order);
        ready.extend(0..pes.len());
        let mut outbox = Outbox::default();
        let supplies = Supplies::of(plan, number, &mut outbox);
        let world = Surroundings {
            plan,
            operations,
            arrays,
            lines: Lines::of(plan, number),
            supplies,
            outbox,
            ready,
            computed: vec![0; plan.code.operations.len()],
            wires,
            tape,
        };
        Worker { pes, world }
    }

    /// Whether there is something to do: some PE can go on, or someone waits for what is not sent yet.
    pub fn is_ready(&self) -> bool {
        !self.world.ready.is_empty() || self.world.outbox.owes()
    }

    /// Gives PEs that can go on one turn each. Where none can go on after that, or others are to be heard first, everything that
    /// is for others is sent.
    ///
    /// # Errors
    /// What a PE does wrong.
    pub fn sweep(&mut self, post: &mut impl Post) -> Result<(), Fault> {
        // Turns are shorter than looking at a clock, unless they are to be shown.
        let (keeps, turns) = (self.world.tape.keeps(), self.world.ready.len().min(W::SWEEP));
        let from = if keeps { self.world.tape.now() } else { 0 };
        for _ in 0..turns {
            let Some((number, is_due)) = self.world.ready.pop() else { break };
            self.pes[number].outlook.is_due = is_due;
            self.pes[number].run(number, &mut self.world)?;
            self.world.outbox.send_full(post, &mut self.world.tape);
        }
        if keeps && turns > 0 {
            self.world.tape.note(Activity::Turns, from);
        }
        if self.world.ready.is_empty() || turns == W::SWEEP {
            self.world.outbox.flush(&mut self.world.wires, post, &mut self.world.tape);
        }
        Ok(())
    }

    /// What it does when.
    pub fn tape(&mut self) -> &mut Tape {
        &mut self.world.tape
    }

    /// Takes in what another worker sent, and has since a time been received.
    ///
    /// # Errors
    /// A tag that was driven before, an element that was stored before, a tile of another box.
    pub fn deliver(&mut self, packet: &Packet, from: u64) -> Result<(), Fault> {
        packet.parcels().try_for_each(|parcel| self.unpack(parcel))?;
        self.world.tape.note(Activity::Deliver { size: packet.size() }, from);
        Ok(())
    }

    fn unpack(&mut self, parcel: Parcel<W>) -> Result<(), Fault> {
        let world = &mut self.world;
        match parcel {
            Parcel::Word { wire, value } => world.ready.extend(world.wires.arrive(wire, value)),
            Parcel::Part { wire, lengths, value } => {
                world.ready.extend(world.wires.arrive_in_part(wire, &lengths, value))
            }
            Parcel::Return { wire, origin, number } => {
                world.ready.extend(world.wires.arrive_back(wire, origin, number))
            }
            Parcel::Credit { wire, slots } => world.ready.extend(world.wires.refill(wire, slots)),
            Parcel::Drive { line, pe, value, tag } => {
                match world.lines.drive(world.plan, (line, pe), &tag, &value, &mut world.outbox) {
                    Some(freed) => world.ready.extend(freed),
                    None => return Err(driven_twice(world.plan, pe, line, tag)),
                }
            }
            Parcel::Ask { array, address, worker, pe, turn } => {
                let value = world.arrays.read(array, address);
                world.outbox.put(worker, &Parcel::Supply { pe, turn, value });
            }
            Parcel::Supply { pe, turn, value } => world.ready.extend(world.supplies.arrive(pe, turn, value)),
            Parcel::Result { array, address, pe, value } => {
                let is_first = world.arrays.store(array, address, &value);
                let once = is_first.and_then(|is_first| match is_first {
                    true => Ok(()),
                    false => Err(Trouble::StoredTwice { array, address }),
                });
                once.map_err(|trouble| stored_wrongly(world.plan, pe, array, trouble))?;
            }
        }
        Ok(())
    }

    /// Reads off what was done, and gives the arrays back.
    pub fn conclude(self) -> (Report, A) {
        let Worker { pes, world } = self;
        let standing = |pe: Coroutine<W>| {
            let slots = pe.slots.into_vec();
            (pe.pe, Standing { counter: pe.counter, finished: pe.finished, clock: None, slots })
        };
        let standings = pes.into_iter().map(standing).collect();
        let Outbox { words, returned, elements, packets, .. } = world.outbox;
        let Share { inputs, outputs } = world.arrays.held();
        let channels = world.wires.most_bytes() + world.lines.most_bytes() + world.supplies.most_bytes();
        let held = Held { inputs, outputs, channels };
        let lane = world.tape.into_lane();
        let computed = world.computed;
        (Report { standings, computed, words, returned, elements, packets, held, lane }, world.arrays)
    }
}

impl<W: Word> Coroutine<W> {
    fn new(plan: &Plan<'_>, pe: usize, wires: &Wires<W>) -> Coroutine<W> {
        let placed = plan.code.pes[pe];
        let class = &plan.code.classes[placed.class];
        let mut slots = plan.code.grid.point(placed.position);
        slots.resize(class.slots, 0);
        let end = |wire: &usize| if *wire == NOWHERE { NOWHERE } else { wires.end(*wire) };
        Coroutine {
            pe,
            class: placed.class,
            counter: 0,
            finished: false,
            slots: slots.into(),
            registers: vec![W::UNWRITTEN; class.registers].into(),
            ends: plan.wiring.ports(pe).iter().map(end).collect(),
            memory: OwnMemory::new(),
            outlook: Outlook::default(),
        }
    }

    /// Goes on until it has ended, waits, or its turn is over.
    fn run<A: Arrays<W>>(&mut self, number: usize, world: &mut Surroundings<'_, A, W>) -> Result<(), Fault> {
        let code = world.plan.code;
        let state = State {
            counter: &mut self.counter,
            active: &mut false,
            slots: &mut self.slots,
            registers: &mut self.registers,
        };
        let pe = (self.pe, number);
        let (memory, outlook) = (&mut self.memory, &mut self.outlook);
        let mut around = Around { pe, ends: &self.ends, memory, outlook, world, left: W::TURN };
        let stop = array::resume(code, self.class, state, &mut around);
        let fault = |trouble| Fault { pe: self.pe, counter: self.counter, clock: None, trouble };
        self.finished = stop.map_err(fault)? == Stop::Finished;
        Ok(())
    }
}

/// The fault of a PE of another worker; its place is its first instruction that stores to the array or fills it.
fn stored_wrongly(plan: &Plan<'_>, pe: usize, array: usize, trouble: Trouble) -> Fault {
    let ops = &plan.code.classes[plan.code.pes[pe].class].ops;
    let stores =
        |op: &Op| matches!(op, Op::Store { array: stored, .. } | Op::Fill { array: stored, .. } if *stored == array);
    Fault { pe, counter: ops.iter().position(stores).unwrap_or(0), clock: None, trouble }
}

/// The fault of a PE of another worker; its place is its first instruction that drives the line.
fn driven_twice(plan: &Plan<'_>, pe: usize, line: usize, tag: Vec<i64>) -> Fault {
    let ops = &plan.code.classes[plan.code.pes[pe].class].ops;
    let lines = plan.wiring.taps(pe);
    let drives = |op: &Op| matches!(op, Op::Drive { tap, .. } if lines[*tap] == line);
    let tap = lines.iter().position(|own| *own == line).unwrap_or(0);
    let counter = ops.iter().position(drives).unwrap_or(0);
    Fault { pe, counter, clock: None, trouble: Trouble::DrivenTwice { tap, tag } }
}
