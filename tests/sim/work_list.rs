//! The reference for the simulator: one PE after the other, from a work list, with nothing clever.
//!
//! Every PE is run by [`systole_program::array::resume`] until it waits; whoever makes the word or the slot it waits for puts it
//! back on the list. Wires keep all their times; depths and the fullest cycle are counted from these at the end. Words are
//! numbers, or tiles.

use super::step_times::{StepTimes, fullest};
use super::tile_boxes::{cut, paste, words};
use super::work_wire::{Timing, Wire};
use std::collections::{BTreeMap, BTreeSet, HashMap, VecDeque};
use systole_base::cell::Cell;
use systole_base::integer::{Bindings, Name};
use systole_equations::recurrence::Role;
use systole_program::array;
use systole_program::array::{
    Assignment, Code, Entry, Environment, Layout, NOWHERE, Program, State, Stop, Tensors, Trouble, Wiring, recalled,
};
use systole_run::leaf::{Leaves, Tile, assign};
use systole_run::shared::MemoryTraffic;
use systole_run::sim::{BusCounters, ChannelCounters, Counters, PeCounters, Settings};

/// What a run gave: the elements of each output, whether every PE came to its end, the cycles, and all counters.
pub struct Reference {
    pub outputs: BTreeMap<Name, Vec<f64>>,
    pub is_finished: bool,
    pub cycles: u64,
    pub counters: Counters,
}

struct Pe<W> {
    counter: usize,
    active: bool,
    finished: bool,
    began: bool,
    clock: u64,
    /// How many operations share its step so far.
    sharing: u64,
    slots: Vec<i64>,
    registers: Vec<W>,
    own: BTreeSet<(usize, usize)>,
    kept: HashMap<(usize, usize), (usize, W)>,
    counted: PeCounters,
    /// When its step began, and words through its port since.
    stepped: u64,
    ported: u64,
    /// When its loads of each array took their words.
    taken: BTreeMap<usize, Vec<u64>>,
    spans: Vec<(u64, u64)>,
}

/// What a `let` gives.
type Compute<W> = dyn Fn(Assignment<'_>, &[i64], &mut [W]) -> Result<W, Trouble>;

struct World<'a, W> {
    code: &'a Code,
    compute: &'a Compute<W>,
    cell: Cell,
    wiring: Wiring,
    timings: Vec<Timing>,
    bus_latencies: Vec<u64>,
    wires: Vec<Wire<W>>,
    lines: Vec<HashMap<Vec<i64>, (u64, W)>>,
    unheard: Vec<Vec<usize>>,
    heard: Vec<u64>,
    arrays: Vec<Vec<W>>,
    stored: BTreeSet<(usize, usize)>,
    traffic: Vec<MemoryTraffic>,
    computed: Vec<u64>,
    times: StepTimes,
    ready: VecDeque<usize>,
}

struct View<'w, 'a, W> {
    number: usize,
    pe: &'w mut Pe<W>,
    world: &'w mut World<'a, W>,
}

impl<W> Pe<W> {
    /// Lets time pass; gives by how much the clock rose.
    fn wait_until(&mut self, clock: u64) -> u64 {
        let waited = clock.saturating_sub(self.clock);
        self.began |= waited > 0;
        self.clock += waited;
        waited
    }

    /// Is busy until a clock.
    fn work(&mut self, clock: u64) {
        if clock > self.clock {
            self.spans.push((self.clock, clock));
        }
        self.counted.busy += clock - self.clock;
        self.clock = clock;
    }
}

impl<W> View<'_, '_, W> {
    /// A word goes through the port, and is done so many cycles later.
    fn pass_port(&mut self, latency: u64) {
        let done = self.pe.stepped + self.world.times.port_cycle(self.pe.ported) + latency;
        self.pe.ported += 1;
        self.pe.work(done.max(self.pe.clock));
    }

    /// A word that was asked for ahead: in the cycle after that many loads before took theirs, or at the beginning.
    fn take_asked(&mut self, array: usize, outstanding: usize) {
        let taken = self.pe.taken.entry(array).or_default();
        let before = taken.len().checked_sub(outstanding).map(|before| taken[before]);
        let there = before.map_or(0, |taken| taken + 1) + self.world.times.load;
        if !self.pe.began && self.pe.clock == self.pe.counted.idle_before {
            self.pe.clock = self.pe.clock.max(there);
            self.pe.counted.idle_before = self.pe.clock;
        }
        self.pass_port(0);
        self.pe.work(there.max(self.pe.clock));
        let clock = self.pe.clock;
        self.pe.taken.entry(array).or_default().push(clock);
    }
}

impl<W: Clone> Environment for View<'_, '_, W> {
    type Word = W;

    fn at(&mut self, time: i64) {
        if self.pe.sharing > 0 {
            return;
        }
        let start = u64::try_from(time * self.world.times.step as i64 + self.world.times.lead as i64).unwrap_or(0);
        (self.pe.stepped, self.pe.ported) = (start.max(self.pe.clock), 0);
        let waited = start.saturating_sub(self.pe.clock);
        self.pe.clock += waited;
        match self.pe.began || self.pe.clock != self.pe.counted.idle_before + waited {
            true => self.pe.counted.idle_between += waited,
            false => self.pe.counted.idle_before += waited,
        }
    }

    fn tick(&mut self, cycles: u64) -> Result<(), Trouble> {
        let due = self.pe.stepped + cycles * self.world.times.step;
        self.pe.work(due.max(self.pe.clock + cycles));
        (self.pe.stepped, self.pe.ported) = (self.pe.clock, 0);
        self.pe.began = true;
        Ok(())
    }

    fn share(&mut self) -> Result<(), Trouble> {
        self.pe.sharing += 1;
        let operations = self.pe.sharing;
        if self.world.cell.has_room_for(operations) { Ok(()) } else { Err(Trouble::FullCell { operations }) }
    }

    fn end_step(&mut self) -> Result<(), Trouble> {
        if std::mem::take(&mut self.pe.sharing) == 0 { Ok(()) } else { self.tick(1) }
    }

    fn load(&mut self, array: usize, address: usize) -> Result<Option<W>, Trouble> {
        let name = &self.world.code.arrays[array].name;
        match self.world.times.ahead.get(name).map(|(outstanding, _)| *outstanding as usize) {
            None => self.pass_port(self.world.times.load),
            Some(outstanding) => self.take_asked(array, outstanding),
        }
        self.world.traffic[array].loaded += 1;
        Ok(Some(self.world.arrays[array][address].clone()))
    }

    fn prefetch(&mut self, array: usize, address: usize) -> Result<bool, Trouble> {
        self.world.traffic[array].prefetched += u64::from(self.pe.own.insert((array, address)));
        Ok(true)
    }

    fn local(&mut self, array: usize, address: usize) -> Result<W, Trouble> {
        if !self.pe.own.contains(&(array, address)) {
            return Err(Trouble::NotPrefetched { array, address });
        }
        self.world.traffic[array].local += 1;
        Ok(self.world.arrays[array][address].clone())
    }

    fn keep(&mut self, pad: usize, Entry { element, word }: Entry, value: &W) -> Result<(), Trouble> {
        self.pe.kept.insert((pad, word), (element, value.clone()));
        Ok(())
    }

    fn recall(&mut self, pad: usize, Entry { element, word }: Entry) -> Result<W, Trouble> {
        recalled(self.pe.kept.get(&(pad, word)).cloned(), pad, element)
    }

    fn store(&mut self, array: usize, address: usize, value: &W) -> Result<(), Trouble> {
        self.fill(array, address, value)?;
        self.pass_port(0);
        Ok(())
    }

    fn fill(&mut self, array: usize, address: usize, value: &W) -> Result<(), Trouble> {
        if !self.world.stored.insert((array, address)) {
            return Err(Trouble::StoredTwice { array, address });
        }
        self.world.traffic[array].stored += 1;
        self.world.arrays[array][address] = value.clone();
        Ok(())
    }

    fn receive(&mut self, port: usize) -> Result<Option<W>, Trouble> {
        let number = self.world.wiring.ports(self.number)[port];
        if number == NOWHERE {
            return Ok(None);
        }
        let latency = self.world.timings[self.world.wiring.wires[number].channel].latency;
        let wire = &mut self.world.wires[number];
        let message = wire.taken.len();
        let Some(entered) = wire.entered.get(message) else {
            wire.waiting.push(self.number);
            return Ok(None);
        };
        self.pe.counted.starved += self.pe.wait_until(entered + latency);
        wire.taken.push(self.pe.clock);
        self.world.ready.extend(wire.waiting.drain(..));
        Ok(Some(wire.values[message].clone()))
    }

    fn send(&mut self, port: usize, value: &W) -> Result<bool, Trouble> {
        let number = self.world.wiring.ports(self.number)[port];
        if number == NOWHERE {
            return Err(Trouble::NoPeer { port });
        }
        let timing = self.world.timings[self.world.wiring.wires[number].channel];
        let wire = &mut self.world.wires[number];
        let Some(entry) = wire.entry(timing, self.pe.clock) else {
            wire.waiting.push(self.number);
            return Ok(false);
        };
        self.pe.counted.stalled += self.pe.wait_until(entry);
        wire.entered.push(entry);
        wire.values.push(value.clone());
        self.world.ready.extend(wire.waiting.drain(..));
        Ok(true)
    }

    fn drive(&mut self, tap: usize, tag: &[i64], value: &W) -> Result<(), Trouble> {
        let line = self.world.wiring.taps(self.number)[tap];
        let visible = self.pe.clock + self.world.bus_latencies[self.world.wiring.lines[line]];
        if self.world.lines[line].insert(tag.to_vec(), (visible, value.clone())).is_some() {
            return Err(Trouble::DrivenTwice { tap, tag: tag.to_vec() });
        }
        self.world.ready.extend(self.world.unheard[line].drain(..));
        Ok(())
    }

    fn listen(&mut self, tap: usize, tag: &[i64]) -> Result<Option<W>, Trouble> {
        let line = self.world.wiring.taps(self.number)[tap];
        let Some((visible, value)) = self.world.lines[line].get(tag).cloned() else {
            self.world.unheard[line].push(self.number);
            return Ok(None);
        };
        self.world.heard[line] += 1;
        self.pe.counted.starved += self.pe.wait_until(visible);
        Ok(Some(value))
    }

    fn compute(&mut self, assignment: Assignment<'_>, slots: &[i64], registers: &mut [W]) -> Result<W, Trouble> {
        self.world.computed[assignment.operation] += 1;
        self.pe.began = true;
        self.pe.work(self.pe.clock + self.world.times.lets[assignment.operation]);
        (self.world.compute)(assignment, slots, registers)
    }
}

/// Runs a program that is right.
pub fn run(program: &Program, sizes: &Bindings, inputs: &Tensors, settings: &Settings) -> Result<Reference, Trouble> {
    let code = array::compile(program, sizes).expect("a program that compiles");
    let layouts = code.arrays.iter();
    if !program.is_over_tiles() {
        let input = |layout: &Layout| inputs[&layout.name].iter().copied().collect();
        let arrays = layouts.map(|layout| words(layout, input, f64::NAN)).collect();
        let compute = |assignment: Assignment<'_>, slots: &[i64], registers: &mut [f64]| {
            assignment.value.value(slots, registers).ok_or(Trouble::Overflow)
        };
        let world = World::new((program, &code), &compute, arrays, settings);
        return world.run(program, f64::NAN, |_, words| words);
    }
    let leaves = Leaves::new(program, sizes).expect("leaves that compile");
    let arrays = layouts.map(|layout| words(layout, |layout| cut(layout, inputs), Tile::Uniform(0.0))).collect();
    let compute = move |assignment: Assignment<'_>, slots: &[i64], registers: &mut [Tile]| {
        assign(&leaves, assignment, slots, registers)
    };
    let world = World::new((program, &code), &compute, arrays, settings);
    world.run(program, Tile::Uniform(f64::NAN), |layout, tiles| paste(layout, &tiles))
}

fn new_pe<W: Clone>(code: &Code, placed: array::Pe, unwritten: W) -> Pe<W> {
    let class = &code.classes[placed.class];
    let point = code.grid.point(placed.position);
    let mut slots = point.clone();
    slots.resize(class.slots, 0);
    let counted = PeCounters { point, class: placed.class, ..PeCounters::default() };
    Pe {
        counter: 0,
        active: false,
        finished: false,
        began: false,
        sharing: 0,
        clock: 0,
        slots,
        registers: vec![unwritten; class.registers],
        own: BTreeSet::new(),
        kept: HashMap::new(),
        counted,
        stepped: 0,
        ported: 0,
        taken: BTreeMap::new(),
        spans: vec![],
    }
}

impl<'a, W: Clone> World<'a, W> {
    fn new(
        (program, code): (&Program, &'a Code),
        compute: &'a Compute<W>,
        arrays: Vec<Vec<W>>,
        settings: &Settings,
    ) -> World<'a, W> {
        let wiring = Wiring::of(program, code);
        let timings = program.channels.iter().map(|channel| Timing {
            capacity: settings.capacity.unwrap_or(channel.depth) as usize,
            latency: channel.latency,
            response: settings.response,
            bandwidth: settings.bandwidth,
        });
        let wire = Wire { entered: vec![], taken: vec![], values: vec![], waiting: vec![] };
        World {
            code,
            compute,
            cell: settings.cell.unwrap_or(program.cell),
            timings: timings.collect(),
            bus_latencies: program.buses.iter().map(|bus| bus.latency).collect(),
            wires: vec![wire; wiring.wires.len()],
            lines: vec![HashMap::new(); wiring.lines.len()],
            unheard: vec![vec![]; wiring.lines.len()],
            heard: vec![0; wiring.lines.len()],
            arrays,
            stored: BTreeSet::new(),
            traffic: vec![MemoryTraffic::default(); code.arrays.len()],
            computed: vec![0; code.operations.len()],
            times: StepTimes::of(program, settings),
            ready: (0..code.pes.len()).collect(),
            wiring,
        }
    }

    /// Runs all PEs; `elements` gives the elements of an output for its words.
    fn run(
        mut self,
        program: &Program,
        unwritten: W,
        elements: impl Fn(&Layout, Vec<W>) -> Vec<f64>,
    ) -> Result<Reference, Trouble> {
        let code = self.code;
        let mut pes: Vec<Pe<W>> = code.pes.iter().map(|placed| new_pe(code, *placed, unwritten.clone())).collect();
        while let Some(number) = self.ready.pop_front() {
            let pe = &mut pes[number];
            let (mut counter, mut active) = (pe.counter, pe.active);
            let (mut slots, mut registers) = (std::mem::take(&mut pe.slots), std::mem::take(&mut pe.registers));
            let state =
                State { counter: &mut counter, active: &mut active, slots: &mut slots, registers: &mut registers };
            let stop = array::resume(code, code.pes[number].class, state, &mut View { number, pe, world: &mut self })?;
            (pe.counter, pe.active, pe.slots, pe.registers) = (counter, active, slots, registers);
            pe.finished = stop == Stop::Finished;
        }
        Ok(self.conclude(program, pes, elements))
    }

    fn conclude(
        mut self,
        program: &Program,
        pes: Vec<Pe<W>>,
        elements: impl Fn(&Layout, Vec<W>) -> Vec<f64>,
    ) -> Reference {
        let cycles = pes.iter().map(|pe| pe.clock).max().unwrap_or(0);
        let arrays = self.code.arrays.iter().zip(std::mem::take(&mut self.arrays));
        let outputs = arrays.filter(|(layout, _)| layout.role == Role::Output);
        Reference {
            outputs: outputs.map(|(layout, words)| (layout.name.clone(), elements(layout, words))).collect(),
            is_finished: pes.iter().all(|pe| pe.finished),
            cycles,
            counters: Counters {
                channels: self.count_channels(program),
                buses: self.count_buses(program),
                memory: program.arrays.iter().map(|array| array.name.clone()).zip(self.traffic.clone()).collect(),
                operations: self.count_operations(),
                calls: self.count_calls(program),
                fullest: fullest(pes.iter().flat_map(|pe| &pe.spans)),
                pes: pes.into_iter().map(|pe| count_pe(pe, cycles)).collect(),
            },
        }
    }

    fn count_channels(&self, program: &Program) -> Vec<ChannelCounters> {
        let count = |(number, channel): (usize, &array::Channel)| {
            let joined = self.wiring.wires.iter().zip(&self.wires).filter(|(joint, _)| joint.channel == number);
            let wires: Vec<&Wire<W>> = joined.map(|(_, wire)| wire).collect();
            let words: usize = wires.iter().map(|wire| wire.entered.len()).sum();
            let received: usize = wires.iter().map(|wire| wire.taken.len()).sum();
            ChannelCounters {
                name: channel.name.clone(),
                wires: wires.len() as u64,
                words: words as u64,
                undelivered: (words - received) as u64,
                max_depth: wires.iter().map(|wire| wire.depth(self.timings[number].response)).max().unwrap_or(0),
                declared_depth: channel.depth,
            }
        };
        program.channels.iter().enumerate().map(count).collect()
    }

    fn count_buses(&self, program: &Program) -> Vec<BusCounters> {
        let count = |(number, bus): (usize, &array::Bus)| {
            let lines = || (0..self.lines.len()).filter(move |line| self.wiring.lines[*line] == number);
            BusCounters {
                name: bus.name.clone(),
                driven: lines().map(|line| self.lines[line].len() as u64).sum(),
                heard: lines().map(|line| self.heard[line]).sum(),
            }
        };
        program.buses.iter().enumerate().map(count).collect()
    }

    fn count_calls(&self, program: &Program) -> BTreeMap<Name, u64> {
        let mut counts = BTreeMap::new();
        for (calls, times) in self.code.calls().iter().zip(&self.computed) {
            calls.iter().for_each(|(leaf, each)| {
                *counts.entry(program.leaves[*leaf].name.clone()).or_insert(0) += each * times;
            });
        }
        counts
    }

    fn count_operations(&self) -> BTreeMap<systole_base::scalar::Function, u64> {
        let mut counts = BTreeMap::new();
        for (functions, times) in self.code.operations.iter().zip(&self.computed) {
            functions.iter().for_each(|(function, each)| *counts.entry(*function).or_insert(0) += each * times);
        }
        counts
    }
}

fn count_pe<W>(pe: Pe<W>, cycles: u64) -> PeCounters {
    PeCounters { active: pe.active, idle_after: cycles - pe.clock, ..pe.counted }
}
