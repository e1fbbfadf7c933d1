//! Why a run took longer than its schedule: what was waited for, by whom and how long, on the way to the last clock.
//!
//! In: the events of a run, the settings, and the cycles of a step. Out: the waits that make up how late the run is. Every point
//! of a schedule begins at a clock of the text (`at`), so a PE knows how late it is when it begins one. What makes it late it
//! keeps as a debt: its own waits for slots, for the pace of a link, for its port; or, where it waited for a word, the debt with
//! which the word was sent. Who begins a point in time owes nothing any more. The debt of the PE that ends last is the answer;
//! invariant: it is never more than how late the run is.
//!
//! A `capacity` below the proved depth is contention and left to the run, and so is bandwidth. A run that is later than
//! predicted is done once more before this observer.

use super::Settings;
use super::observe::{Event, Observer};
use std::collections::{BTreeMap, VecDeque};
use std::rc::Rc;
use systole_program::array::{Code, Program, Wiring};

/// What a PE waits for that no proof speaks of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Resource {
    /// Its memory port: more words in a step than pass in one.
    Port,
    /// Its own operations: more in a step than one has time for.
    Work,
    /// A slot of this channel, by its position in the program.
    Slot(usize),
    /// Its turn on a link of this channel: words enter one after the other.
    Pace(usize),
}

/// How long one PE waited for one resource, as far as the run became late by it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Wait {
    /// The coordinates of the PE.
    pub pe: Vec<i64>,
    /// What it waited for.
    pub resource: Resource,
    /// How long.
    pub cycles: u64,
}

/// Cycles by PE and resource, shared by the words that were sent with it.
type Debt = Rc<BTreeMap<(usize, Resource), u64>>;

#[derive(Clone, Debug, Default)]
struct Pe {
    point: Vec<i64>,
    debt: Debt,
    /// When its step began.
    began: u64,
    /// Cycles it has waited for others since.
    waited: u64,
    /// Cycles of this step in which words passed its port.
    ported: u64,
    /// The last slot it waited for in this step.
    slot: Option<Resource>,
    /// Its last span of work.
    busy: (u64, u64),
    clock: u64,
}

/// The words and slots of one wire.
#[derive(Clone, Debug, Default)]
struct Traffic {
    channel: usize,
    sender: usize,
    receiver: usize,
    sent: usize,
    /// The debts of words on their way.
    words: VecDeque<Debt>,
    /// When slots became free, and the debts of those who freed them; of messages from `first` on.
    freed: VecDeque<(u64, Debt)>,
    first: usize,
}

/// Watches a run.
#[derive(Clone, Debug)]
pub struct Lateness {
    step: u64,
    response: u64,
    /// For each channel its capacity, and whether that is less than the proved depth.
    channels: Vec<(usize, bool)>,
    pes: Vec<Pe>,
    wires: Vec<Traffic>,
    /// The debt of the last word on each line.
    lines: Vec<Debt>,
}

impl Lateness {
    /// Before a run with these settings, in which a step takes so many cycles.
    pub fn new(program: &Program, settings: &Settings, step: u64) -> Lateness {
        let channel = |channel| {
            let capacity = settings.capacity_of(channel);
            (usize::try_from(capacity).unwrap_or(usize::MAX), capacity < channel.depth)
        };
        let channels = program.channels.iter().map(channel).collect();
        Lateness { step, response: settings.response, channels, pes: vec![], wires: vec![], lines: vec![] }
    }

    /// The waits by which a run that is over took `late` cycles more than predicted, the longest first.
    pub fn waits(&mut self, late: u64) -> Vec<Wait> {
        let latest = self.pes.iter().map(|pe| pe.clock).max().unwrap_or(0);
        let Some(last) = self.pes.iter().position(|pe| pe.clock == latest) else { return vec![] };
        self.settle(last, late);
        let debt = self.pes[last].debt.iter();
        let wait = |((pe, resource), cycles): (&(usize, Resource), &u64)| Wait {
            pe: self.pes[*pe].point.clone(),
            resource: *resource,
            cycles: *cycles,
        };
        let mut waits: Vec<Wait> = debt.map(wait).collect();
        waits.sort_by_key(|wait| std::cmp::Reverse(wait.cycles));
        waits
    }

    /// A PE is so late: what it did not wait for others is its own, and what it has made up for is no debt.
    fn settle(&mut self, pe: usize, late: u64) {
        let known: u64 = self.pes[pe].debt.values().sum();
        if late == 0 {
            self.pes[pe].debt = Debt::default();
        } else if known < late {
            self.owe(pe, self.own(pe), late - known);
        } else {
            reduce(Rc::make_mut(&mut self.pes[pe].debt), known - late);
        }
    }

    fn owe(&mut self, pe: usize, resource: Resource, cycles: u64) {
        if cycles > 0 {
            *Rc::make_mut(&mut self.pes[pe].debt).entry((pe, resource)).or_default() += cycles;
        }
    }

    /// What keeps a PE for which no other wait accounts.
    fn own(&self, pe: usize) -> Resource {
        match &self.pes[pe] {
            Pe { ported: 1.., .. } => Resource::Port,
            Pe { slot, .. } => slot.unwrap_or(Resource::Work),
        }
    }

    /// What a PE owes at a clock, with what it has been longer at this step than a step takes.
    fn debt(&mut self, pe: usize, clock: u64) -> Debt {
        let Pe { began, waited, .. } = self.pes[pe];
        let over = clock.saturating_sub(began.saturating_add(self.step - 1).saturating_add(waited));
        if over == 0 {
            return Rc::clone(&self.pes[pe].debt);
        }
        let mut debt = (*self.pes[pe].debt).clone();
        *debt.entry((pe, self.own(pe))).or_default() += over;
        Rc::new(debt)
    }

    fn begin_step(&mut self, pe: usize, due: u64, clock: u64) {
        self.settle(pe, clock.saturating_sub(due));
        let began = due.max(clock);
        self.pes[pe] =
            Pe { began, clock: began, waited: 0, ported: 0, slot: None, ..std::mem::take(&mut self.pes[pe]) };
    }

    /// Who waits for a slot owes the wait where there are fewer than were proved, or what the receiver owes.
    fn stall(&mut self, pe: usize, wire: usize, (from, to): (u64, u64)) {
        let traffic = &self.wires[wire];
        let (capacity, is_short) = self.channels[traffic.channel];
        let channel = traffic.channel;
        let freed = traffic.sent.checked_sub(capacity.saturating_add(traffic.first));
        let freed = freed.and_then(|position| traffic.freed.get(position)).filter(|(clock, _)| *clock == to).cloned();
        match freed {
            Some((_, debt)) if !is_short && !debt.is_empty() => {
                (self.pes[pe].debt, self.pes[pe].slot) = (debt, Some(Resource::Slot(channel)));
            }
            Some(_) => self.owe(pe, Resource::Slot(channel), to - from),
            None => self.owe(pe, Resource::Pace(channel), to - from),
        }
        self.wait(pe, (from, to));
    }

    fn wait(&mut self, pe: usize, (from, to): (u64, u64)) {
        self.pes[pe].waited += to - from;
        self.pes[pe].clock = to;
    }

    fn send(&mut self, wire: usize, clock: u64) {
        let debt = self.debt(self.wires[wire].sender, clock);
        let traffic = &mut self.wires[wire];
        traffic.words.push_back(debt);
        traffic.sent += 1;
        // No later message waits for the slots of these.
        let capacity = self.channels[traffic.channel].0;
        while traffic.first.saturating_add(capacity) < traffic.sent && traffic.freed.pop_front().is_some() {
            traffic.first += 1;
        }
    }

    fn receive(&mut self, wire: usize, clock: u64) {
        let debt = self.debt(self.wires[wire].receiver, clock);
        let traffic = &mut self.wires[wire];
        traffic.words.pop_front();
        traffic.freed.push_back((clock.saturating_add(self.response), debt));
    }

    /// A word has passed the port at the end of a span of work.
    fn pass_port(&mut self, pe: usize, clock: u64) {
        let Pe { busy: (from, to), ported, .. } = &mut self.pes[pe];
        if *to == clock {
            *ported += *to - std::mem::replace(from, *to);
        }
    }
}

/// Takes so many cycles off, the shortest waits first.
fn reduce(debt: &mut BTreeMap<(usize, Resource), u64>, mut by: u64) {
    while let Some((shortest, cycles)) = debt.iter().min_by_key(|(_, cycles)| **cycles).map(|(key, n)| (*key, *n)) {
        if by < cycles {
            debt.insert(shortest, cycles - by);
            return;
        }
        by -= cycles;
        debt.remove(&shortest);
    }
}

impl Observer for Lateness {
    fn begin(&mut self, code: &Code, wiring: &Wiring) {
        let pe = |placed: &systole_program::array::Pe| Pe { point: code.grid.point(placed.position), ..Pe::default() };
        let wire = |wire: &systole_program::array::Wire| Traffic {
            channel: wire.channel,
            sender: wire.sender,
            receiver: wire.receiver,
            ..Traffic::default()
        };
        self.pes = code.pes.iter().map(pe).collect();
        self.wires = wiring.wires.iter().map(wire).collect();
        self.lines = vec![Debt::default(); wiring.lines.len()];
    }

    fn see(&mut self, event: Event) {
        match event {
            Event::Began { pe, due, clock } => self.begin_step(pe, due, clock),
            Event::Busy { pe, from, to } => {
                (self.pes[pe].busy, self.pes[pe].clock) = ((from, to), to);
            }
            Event::Stalled { pe, wire, from, to } => self.stall(pe, wire, (from, to)),
            Event::Starved { pe, wire, from, to } => {
                self.pes[pe].debt = self.wires[wire].words.front().cloned().unwrap_or_default();
                self.wait(pe, (from, to));
            }
            Event::Unheard { pe, line, from, to } => {
                self.pes[pe].debt = Rc::clone(&self.lines[line]);
                self.wait(pe, (from, to));
            }
            Event::Sent { wire, clock, .. } => self.send(wire, clock),
            Event::Received { wire, clock, .. } => self.receive(wire, clock),
            Event::Driven { pe, line, clock, .. } => self.lines[line] = self.debt(pe, clock),
            Event::Loaded { pe, clock, .. } | Event::Stored { pe, clock, .. } => self.pass_port(pe, clock),
            Event::Computed { .. } | Event::BusRead { .. } => {}
        }
    }
}
