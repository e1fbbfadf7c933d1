//! Runs all PEs of a program, each with its own clock, until every one is done or none can go on.
//!
//! A work list holds the PEs that may run. One is taken and run until it waits for a channel or a bus; whoever makes the
//! word or the slot it waits for puts it back. Since every wait is for one definite event, neither the result nor any
//! count depends on the order of the list. Contract: a Kahn network with time stamps, Cyclotron section 9.1.

use super::line::Line;
use super::memory::Memory;
use super::observe::{Event, Observer};
use super::wire::{Timing, Wire};
use super::{Order, Settings};
use crate::array::{Code, Environment, NOWHERE, Program, State, Stop, Tensors, Trouble, Wiring, resume};
use crate::diagnostic::Checked;
use std::collections::VecDeque;

/// Where the cycles of one PE went.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Meter {
    pub clock: u64,
    pub busy: u64,
    pub stalled: u64,
    pub starved: u64,
    pub idle_before: u64,
    pub idle_between: u64,
    began: bool,
}

impl Meter {
    /// The clock becomes at least `time`; gives by how much it rose.
    fn wait_until(&mut self, time: u64) -> u64 {
        let waited = time.saturating_sub(self.clock);
        self.began |= waited > 0;
        self.clock += waited;
        waited
    }
}

/// One PE of a run.
#[derive(Clone, Debug, Default)]
pub(super) struct Runner {
    pub counter: usize,
    pub active: bool,
    pub finished: bool,
    pub meter: Meter,
    first_slot: usize,
    first_register: usize,
}

/// A whole run.
pub(super) struct Engine<'a> {
    pub code: &'a Code,
    pub runners: Vec<Runner>,
    pub world: World,
    slots: Vec<i64>,
    registers: Vec<f64>,
    ready: VecDeque<usize>,
    order: Order,
}

/// What the PEs share.
pub(super) struct World {
    pub wiring: Wiring,
    pub timings: Vec<Timing>,
    pub wires: Vec<Wire>,
    pub lines: Vec<Line>,
    pub memory: Memory,
    /// How often each `let` was done.
    pub computed: Vec<u64>,
    bus_latencies: Vec<u64>,
    woken: Vec<usize>,
}

/// One PE at the end of a run.
#[derive(Clone, Debug)]
pub(super) struct Standing {
    /// The op it stands at.
    pub counter: usize,
    pub finished: bool,
    pub clock: u64,
    /// Its integer variables.
    pub slots: Vec<i64>,
}

/// What the program did wrong, and which PE did it.
pub(super) struct Failure {
    pub pe: usize,
    pub trouble: Trouble,
}

impl<'a> Engine<'a> {
    /// All PEs before their first instruction.
    ///
    /// # Errors
    /// Inputs that do not fit the program.
    pub fn new(program: &Program, code: &'a Code, inputs: &Tensors, settings: &Settings) -> Checked<Engine<'a>> {
        let world = World::new(program, code, inputs, settings)?;
        let count = code.pes.len();
        let mut engine = Engine {
            code,
            runners: Vec::with_capacity(count),
            world,
            slots: vec![],
            registers: vec![],
            ready: (0..count).collect(),
            order: settings.order,
        };
        (0..count).for_each(|pe| engine.add_runner(pe));
        Ok(engine)
    }

    /// Registers start as NaN, so that a program that reads one too early cannot look right.
    fn add_runner(&mut self, pe: usize) {
        let placed = self.code.pes[pe];
        let class = &self.code.classes[placed.class];
        let (first_slot, first_register) = (self.slots.len(), self.registers.len());
        self.runners.push(Runner { first_slot, first_register, ..Runner::default() });
        self.slots.extend(self.code.grid.point(placed.position));
        self.slots.resize(first_slot + class.slots, 0);
        self.registers.resize(first_register + class.registers, f64::NAN);
    }

    /// Runs until no PE can go on.
    pub fn run(&mut self, observer: &mut impl Observer) -> Result<(), Failure> {
        observer.begin(self.code, &self.world.wiring);
        while let Some(pe) = self.next_ready() {
            self.run_pe(pe, observer).map_err(|trouble| Failure { pe, trouble })?;
            self.ready.extend(self.world.woken.drain(..));
        }
        Ok(())
    }

    fn next_ready(&mut self) -> Option<usize> {
        match self.order {
            Order::FirstIn => self.ready.pop_front(),
            Order::LastIn => self.ready.pop_back(),
        }
    }

    fn run_pe(&mut self, pe: usize, observer: &mut impl Observer) -> Result<(), Trouble> {
        let class = self.code.pes[pe].class;
        let shape = &self.code.classes[class];
        let Runner { counter, active, finished, meter, first_slot, first_register } = &mut self.runners[pe];
        let state = State {
            counter,
            active,
            slots: &mut self.slots[*first_slot..*first_slot + shape.slots],
            registers: &mut self.registers[*first_register..*first_register + shape.registers],
        };
        let mut view = View { pe, meter, world: &mut self.world, observer };
        *finished = resume(self.code, class, state, &mut view)? == Stop::Finished;
        Ok(())
    }

    /// Where every PE stands.
    pub fn standings(&self) -> Vec<Standing> {
        let standing = |(pe, runner): (usize, &Runner)| Standing {
            counter: runner.counter,
            finished: runner.finished,
            clock: runner.meter.clock,
            slots: self.slots_of(pe).to_vec(),
        };
        self.runners.iter().enumerate().map(standing).collect()
    }

    fn slots_of(&self, pe: usize) -> &[i64] {
        let first = self.runners[pe].first_slot;
        &self.slots[first..first + self.code.classes[self.code.pes[pe].class].slots]
    }

    /// Whether every PE is done.
    pub fn is_finished(&self) -> bool {
        self.runners.iter().all(|runner| runner.finished)
    }

    /// The largest clock.
    pub fn cycles(&self) -> u64 {
        self.runners.iter().map(|runner| runner.meter.clock).max().unwrap_or(0)
    }
}

impl World {
    fn new(program: &Program, code: &Code, inputs: &Tensors, settings: &Settings) -> Checked<World> {
        let memory = Memory::new(code, inputs)?;
        let wiring = Wiring::of(program, code);
        let timings = program.channels.iter().map(|channel| Timing {
            capacity: settings.capacity_of(channel),
            latency: settings.latency.unwrap_or(channel.latency),
            response: settings.response,
        });
        let latencies = program.buses.iter().map(|bus| settings.bus_latency.unwrap_or(bus.latency));
        Ok(World {
            timings: timings.collect(),
            wires: vec![Wire::default(); wiring.wires.len()],
            lines: vec![Line::default(); wiring.lines.len()],
            memory,
            computed: vec![0; code.operations.len()],
            bus_latencies: latencies.collect(),
            woken: vec![],
            wiring,
        })
    }
}

/// The world as one PE sees it while it runs.
struct View<'a, O> {
    pe: usize,
    meter: &'a mut Meter,
    world: &'a mut World,
    observer: &'a mut O,
}

impl<O: Observer> View<'_, O> {
    fn wire_at(&self, port: usize) -> Result<usize, Trouble> {
        match self.world.wiring.ports(self.pe)[port] {
            NOWHERE => Err(Trouble::NoPeer { port }),
            wire => Ok(wire),
        }
    }

    fn timing_of(&self, wire: usize) -> Timing {
        self.world.timings[self.world.wiring.wires[wire].channel]
    }
}

impl<O: Observer> Environment for View<'_, O> {
    fn at(&mut self, time: i64) {
        let waited = u64::try_from(time).unwrap_or(0).saturating_sub(self.meter.clock);
        self.meter.clock += waited;
        match self.meter.began {
            true => self.meter.idle_between += waited,
            false => self.meter.idle_before += waited,
        }
    }

    fn tick(&mut self, cycles: u64) -> Result<(), Trouble> {
        let from = self.meter.clock;
        self.meter.clock = from.checked_add(cycles).ok_or(Trouble::Overflow)?;
        self.observer.see(Event::Busy { pe: self.pe, from, to: self.meter.clock });
        self.meter.busy += cycles;
        self.meter.began = true;
        Ok(())
    }

    fn load(&mut self, array: usize, address: usize) -> Result<f64, Trouble> {
        let value = self.world.memory.load(array, address);
        self.observer.see(Event::Loaded { pe: self.pe, array, address, clock: self.meter.clock, value });
        Ok(value)
    }

    fn prefetch(&mut self, array: usize, address: usize) -> Result<(), Trouble> {
        self.world.memory.prefetch(self.pe, array, address);
        Ok(())
    }

    fn local(&mut self, array: usize, address: usize) -> Result<f64, Trouble> {
        self.world.memory.read_own(self.pe, array, address)
    }

    fn store(&mut self, array: usize, address: usize, value: f64) -> Result<(), Trouble> {
        self.observer.see(Event::Stored { pe: self.pe, array, address, clock: self.meter.clock, value });
        self.world.memory.store(array, address, value)
    }

    fn receive(&mut self, port: usize) -> Result<Option<f64>, Trouble> {
        // Nobody sends here: the PE waits for ever, and the report of waits says for whom.
        let Ok(index) = self.wire_at(port) else { return Ok(None) };
        let timing = self.timing_of(index);
        let wire = &mut self.world.wires[index];
        let Some((clock, value)) = wire.receive(timing, self.meter.clock)? else {
            wire.receiver_waits = true;
            return Ok(None);
        };
        if std::mem::take(&mut wire.sender_waits) {
            self.world.woken.push(self.world.wiring.wires[index].sender);
        }
        let from = self.meter.clock;
        let waited = self.meter.wait_until(clock);
        self.meter.starved += waited;
        if waited > 0 {
            self.observer.see(Event::Starved { pe: self.pe, wire: index, from, to: clock });
        }
        self.observer.see(Event::Received { wire: index, clock, value });
        Ok(Some(value))
    }

    fn send(&mut self, port: usize, value: f64) -> Result<bool, Trouble> {
        let index = self.wire_at(port)?;
        let timing = self.timing_of(index);
        let wire = &mut self.world.wires[index];
        let Some(clock) = wire.send(timing, self.meter.clock, value)? else {
            wire.sender_waits = true;
            return Ok(false);
        };
        if std::mem::take(&mut wire.receiver_waits) {
            self.world.woken.push(self.world.wiring.wires[index].receiver);
        }
        let from = self.meter.clock;
        let waited = self.meter.wait_until(clock);
        self.meter.stalled += waited;
        if waited > 0 {
            self.observer.see(Event::Stalled { pe: self.pe, wire: index, from, to: clock });
        }
        self.observer.see(Event::Sent { wire: index, clock, value });
        Ok(true)
    }

    fn drive(&mut self, tap: usize, tag: &[i64], value: f64) -> Result<(), Trouble> {
        let line = self.world.wiring.taps(self.pe)[tap];
        let latency = self.world.bus_latencies[self.world.wiring.lines[line]];
        let woken = self.world.lines[line].drive(tag, self.meter.clock, latency, value)?;
        self.world.woken.extend(woken.ok_or_else(|| Trouble::DrivenTwice { tap, tag: tag.to_vec() })?);
        self.observer.see(Event::Driven { pe: self.pe, line, clock: self.meter.clock, value });
        Ok(())
    }

    fn listen(&mut self, tap: usize, tag: &[i64]) -> Result<Option<f64>, Trouble> {
        let line = self.world.wiring.taps(self.pe)[tap];
        let heard = self.world.lines[line].listen(tag, self.meter.clock, self.pe);
        let Some((clock, value)) = heard else { return Ok(None) };
        let from = self.meter.clock;
        let waited = self.meter.wait_until(clock);
        self.meter.starved += waited;
        if waited > 0 {
            self.observer.see(Event::Unheard { pe: self.pe, line, from, to: clock });
        }
        self.observer.see(Event::Heard { pe: self.pe, line, clock, value });
        Ok(Some(value))
    }

    fn compute(&mut self, operation: usize) {
        self.world.computed[operation] += 1;
        self.observer.see(Event::Computed { pe: self.pe, operation, clock: self.meter.clock });
        self.meter.began = true;
    }
}
