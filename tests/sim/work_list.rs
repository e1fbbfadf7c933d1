//! The reference for the simulator: one PE after the other, from a work list, with nothing clever.
//!
//! Every PE is run by [`systole::array::resume`] until it waits; whoever makes the word or the slot it waits for puts it
//! back on the list. Wires keep all their times; depths and the fullest cycle are counted from these at the end.

use super::step_times::StepTimes;
use std::collections::{BTreeMap, BTreeSet, HashMap, VecDeque};
use systole::array::{self, Assignment, Code, Environment, NOWHERE, Program, State, Stop, Tensors, Trouble, Wiring};
use systole::cost::Bandwidth;
use systole::integer::{Bindings, Name};
use systole::recurrence::Role;
use systole::sim::{BusCounters, ChannelCounters, Counters, MemoryTraffic, PeCounters, Settings};

/// What a run gave: the elements of each output, whether every PE came to its end, the cycles, and all counters.
pub struct Reference {
    pub outputs: BTreeMap<Name, Vec<f64>>,
    pub is_finished: bool,
    pub cycles: u64,
    pub counters: Counters,
}

#[derive(Clone, Copy)]
struct Timing {
    capacity: usize,
    latency: u64,
    response: u64,
    bandwidth: Option<Bandwidth>,
}

/// All times of all messages of a wire.
#[derive(Clone, Default)]
struct Wire {
    entered: Vec<u64>,
    taken: Vec<u64>,
    values: Vec<f64>,
    waiting: Vec<usize>,
}

impl Wire {
    /// When a message sent at `clock` enters; `None` where that is not known.
    fn entry(&self, timing: Timing, clock: u64) -> Option<u64> {
        let number = self.entered.len();
        let mut entry = clock;
        if let Some(freed) = number.checked_sub(timing.capacity) {
            entry = entry.max(self.taken.get(freed)? + timing.response);
        }
        let (words, cycles) = match timing.bandwidth {
            None => return Some(entry),
            Some(Bandwidth::WordsACycle(words)) => (words as usize, 1),
            Some(Bandwidth::CyclesAWord(cycles)) => (1, cycles),
        };
        Some(number.checked_sub(words).map_or(entry, |before| entry.max(self.entered[before] + cycles)))
    }

    /// The most messages that hold a slot at the entry of one.
    fn depth(&self, response: u64) -> u64 {
        let freed = |number: usize| self.taken.get(number).map(|taken| taken + response);
        let held = |number: usize| {
            let now = self.entered[number];
            (0..=number).filter(|before| freed(*before).is_none_or(|freed| freed > now)).count()
        };
        (0..self.entered.len()).map(held).max().unwrap_or(0) as u64
    }
}

#[derive(Clone, Default)]
struct Pe {
    counter: usize,
    active: bool,
    finished: bool,
    began: bool,
    clock: u64,
    slots: Vec<i64>,
    registers: Vec<f64>,
    own: BTreeSet<(usize, usize)>,
    counted: PeCounters,
    /// When its step began, and words through its port since.
    stepped: u64,
    ported: u64,
    spans: Vec<(u64, u64)>,
}

struct World<'a> {
    code: &'a Code,
    wiring: Wiring,
    timings: Vec<Timing>,
    bus_latencies: Vec<u64>,
    wires: Vec<Wire>,
    lines: Vec<HashMap<Vec<i64>, (u64, f64)>>,
    unheard: Vec<Vec<usize>>,
    heard: Vec<u64>,
    arrays: Vec<Vec<f64>>,
    stored: BTreeSet<(usize, usize)>,
    traffic: Vec<MemoryTraffic>,
    computed: Vec<u64>,
    times: StepTimes,
    ready: VecDeque<usize>,
}

struct View<'w, 'a> {
    number: usize,
    pe: &'w mut Pe,
    world: &'w mut World<'a>,
}

impl Pe {
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

impl View<'_, '_> {
    /// A word goes through the port, and is done so many cycles later.
    fn pass_port(&mut self, latency: u64) {
        let done = self.pe.stepped + self.world.times.port_cycle(self.pe.ported) + latency;
        self.pe.ported += 1;
        self.pe.work(done.max(self.pe.clock));
    }
}

impl Environment for View<'_, '_> {
    type Word = f64;

    fn at(&mut self, time: i64) {
        let start = u64::try_from(time).unwrap_or(0) * self.world.times.step;
        (self.pe.stepped, self.pe.ported) = (start.max(self.pe.clock), 0);
        let waited = start.saturating_sub(self.pe.clock);
        self.pe.clock += waited;
        match self.pe.began {
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

    fn load(&mut self, array: usize, address: usize) -> Result<f64, Trouble> {
        self.pass_port(self.world.times.load);
        self.world.traffic[array].loaded += 1;
        Ok(self.world.arrays[array][address])
    }

    fn prefetch(&mut self, array: usize, address: usize) -> Result<(), Trouble> {
        self.world.traffic[array].prefetched += u64::from(self.pe.own.insert((array, address)));
        Ok(())
    }

    fn local(&mut self, array: usize, address: usize) -> Result<f64, Trouble> {
        if !self.pe.own.contains(&(array, address)) {
            return Err(Trouble::NotPrefetched { array, address });
        }
        self.world.traffic[array].local += 1;
        Ok(self.world.arrays[array][address])
    }

    fn store(&mut self, array: usize, address: usize, value: &f64) -> Result<(), Trouble> {
        if !self.world.stored.insert((array, address)) {
            return Err(Trouble::StoredTwice { array, address });
        }
        self.pass_port(0);
        self.world.traffic[array].stored += 1;
        self.world.arrays[array][address] = *value;
        Ok(())
    }

    fn receive(&mut self, port: usize) -> Result<Option<f64>, Trouble> {
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
        Ok(Some(wire.values[message]))
    }

    fn send(&mut self, port: usize, value: &f64) -> Result<bool, Trouble> {
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
        wire.values.push(*value);
        self.world.ready.extend(wire.waiting.drain(..));
        Ok(true)
    }

    fn drive(&mut self, tap: usize, tag: &[i64], value: &f64) -> Result<(), Trouble> {
        let line = self.world.wiring.taps(self.number)[tap];
        let visible = self.pe.clock + self.world.bus_latencies[self.world.wiring.lines[line]];
        if self.world.lines[line].insert(tag.to_vec(), (visible, *value)).is_some() {
            return Err(Trouble::DrivenTwice { tap, tag: tag.to_vec() });
        }
        self.world.ready.extend(self.world.unheard[line].drain(..));
        Ok(())
    }

    fn listen(&mut self, tap: usize, tag: &[i64]) -> Result<Option<f64>, Trouble> {
        let line = self.world.wiring.taps(self.number)[tap];
        let Some((visible, value)) = self.world.lines[line].get(tag).copied() else {
            self.world.unheard[line].push(self.number);
            return Ok(None);
        };
        self.world.heard[line] += 1;
        self.pe.counted.starved += self.pe.wait_until(visible);
        Ok(Some(value))
    }

    fn compute(
        &mut self,
        Assignment { value, operation, .. }: Assignment<'_>,
        slots: &[i64],
        registers: &mut [f64],
    ) -> Result<f64, Trouble> {
        self.world.computed[operation] += 1;
        self.pe.began = true;
        self.pe.work(self.pe.clock + self.world.times.lets[operation]);
        value.value(slots, registers).ok_or(Trouble::Overflow)
    }
}

/// Runs a program that is right.
pub fn run(program: &Program, sizes: &Bindings, inputs: &Tensors, settings: &Settings) -> Result<Reference, Trouble> {
    let code = array::compile(program, sizes).expect("a program that compiles");
    let mut world = World::new(program, &code, inputs, settings);
    let mut pes: Vec<Pe> = code.pes.iter().map(|placed| new_pe(&code, *placed)).collect();
    while let Some(number) = world.ready.pop_front() {
        let pe = &mut pes[number];
        let (mut counter, mut active) = (pe.counter, pe.active);
        let (mut slots, mut registers) = (std::mem::take(&mut pe.slots), std::mem::take(&mut pe.registers));
        let state = State { counter: &mut counter, active: &mut active, slots: &mut slots, registers: &mut registers };
        let stop = array::resume(&code, code.pes[number].class, state, &mut View { number, pe, world: &mut world })?;
        (pe.counter, pe.active, pe.slots, pe.registers) = (counter, active, slots, registers);
        pe.finished = stop == Stop::Finished;
    }
    Ok(world.conclude(program, pes))
}

/// Registers start as NaN.
fn new_pe(code: &Code, placed: array::Pe) -> Pe {
    let class = &code.classes[placed.class];
    let point = code.grid.point(placed.position);
    let mut slots = point.clone();
    slots.resize(class.slots, 0);
    let counted = PeCounters { point, class: placed.class, ..PeCounters::default() };
    Pe { slots, registers: vec![f64::NAN; class.registers], counted, ..Pe::default() }
}

impl<'a> World<'a> {
    fn new(program: &Program, code: &'a Code, inputs: &Tensors, settings: &Settings) -> World<'a> {
        let wiring = Wiring::of(program, code);
        let timings = program.channels.iter().map(|channel| Timing {
            capacity: settings.capacity.unwrap_or(channel.depth) as usize,
            latency: settings.latency.unwrap_or(channel.latency),
            response: settings.response,
            bandwidth: settings.bandwidth,
        });
        let latencies = program.buses.iter().map(|bus| settings.bus_latency.unwrap_or(bus.latency));
        let arrays = code.arrays.iter().map(|layout| match layout.role {
            Role::Input => layout.flatten(inputs).expect("an input that fits"),
            _ => vec![0.0; layout.length()],
        });
        World {
            code,
            timings: timings.collect(),
            bus_latencies: latencies.collect(),
            wires: vec![Wire::default(); wiring.wires.len()],
            lines: vec![HashMap::new(); wiring.lines.len()],
            unheard: vec![vec![]; wiring.lines.len()],
            heard: vec![0; wiring.lines.len()],
            arrays: arrays.collect(),
            stored: BTreeSet::new(),
            traffic: vec![MemoryTraffic::default(); code.arrays.len()],
            computed: vec![0; code.operations.len()],
            times: StepTimes::of(program, settings),
            ready: (0..code.pes.len()).collect(),
            wiring,
        }
    }

    fn conclude(self, program: &Program, pes: Vec<Pe>) -> Reference {
        let cycles = pes.iter().map(|pe| pe.clock).max().unwrap_or(0);
        let is_output = |number: &usize| self.code.arrays[*number].role == Role::Output;
        let outputs = (0..self.arrays.len()).filter(is_output);
        Reference {
            outputs: outputs.map(|n| (self.code.arrays[n].name.clone(), self.arrays[n].clone())).collect(),
            is_finished: pes.iter().all(|pe| pe.finished),
            cycles,
            counters: Counters {
                channels: self.count_channels(program),
                buses: self.count_buses(program),
                memory: program.arrays.iter().map(|array| array.name.clone()).zip(self.traffic.clone()).collect(),
                operations: self.count_operations(),
                calls: BTreeMap::new(),
                fullest: fullest(&pes),
                pes: pes.into_iter().map(|pe| count_pe(pe, cycles)).collect(),
            },
        }
    }

    fn count_channels(&self, program: &Program) -> Vec<ChannelCounters> {
        let count = |(number, channel): (usize, &array::Channel)| {
            let joined = self.wiring.wires.iter().zip(&self.wires).filter(|(joint, _)| joint.channel == number);
            let wires: Vec<&Wire> = joined.map(|(_, wire)| wire).collect();
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

    fn count_operations(&self) -> BTreeMap<systole::recurrence::Function, u64> {
        let mut counts = BTreeMap::new();
        for (functions, times) in self.code.operations.iter().zip(&self.computed) {
            functions.iter().for_each(|(function, each)| *counts.entry(*function).or_insert(0) += each * times);
        }
        counts
    }
}

fn count_pe(pe: Pe, cycles: u64) -> PeCounters {
    PeCounters { active: pe.active, idle_after: cycles - pe.clock, ..pe.counted }
}

/// The most PEs busy in one cycle: some span begins in such a cycle.
fn fullest(pes: &[Pe]) -> u64 {
    let mut changes: Vec<(u64, i64)> = vec![];
    for (from, to) in pes.iter().flat_map(|pe| &pe.spans) {
        changes.extend([(*from, 1), (*to, -1)]);
    }
    // Ends come before beginnings in the same cycle.
    changes.sort_unstable();
    let levels = changes.iter().scan(0, |level, (_, change)| {
        *level += change;
        Some(*level)
    });
    levels.max().unwrap_or(0).unsigned_abs()
}
