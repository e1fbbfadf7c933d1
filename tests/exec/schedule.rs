//! What a run would take, by a plain model of its own: unit steps of time, and PEs that are lists of acts.
//!
//! The acts of each PE are those that the simulator shows. Each worker has a queue of its PEs; a turn of one is up to 4 sends and
//! receives; what was sent in it leaves at its end, and is there `ALPHA` later. Whoever waits goes back to the queue's end when its
//! word, or its slot, is there. Who comes to a leaf hands on what it only passes on, as far as there is room, and calls the leaf
//! when nobody else is in the queue, in the order of the steps, or by their numbers among the PE's; so is the default where the text sends
//! no register that it computes. Where several steps count as one, the PE that comes first in the text goes first. It is over when nothing is under way.

use std::collections::{BTreeSet, VecDeque};
use systole::array::{Class, Code, Instruction, Program, Tensors, Wiring};
use systole::exec::{Owners, Settings};
use systole::integer::Bindings;
use systole::sim;
use systole::sim::observe::{Event, Observer};
use systole::sim::simulate_observed;

/// How long every message takes.
pub const ALPHA: u64 = 3;

/// So many sends and receives are a turn.
const TURN: usize = 4;

#[derive(Clone, Copy, Debug)]
enum Act {
    /// A word on this wire, in this step; whether a leaf of the step computes it.
    Send {
        wire: usize,
        step: u64,
        is_new: bool,
    },
    Receive(usize),
    Leaf {
        duration: u64,
        step: u64,
    },
}

/// How long a leaf takes, by its name and the PE that calls it.
pub type Durations<'d> = dyn Fn(&str, &[i64]) -> u64 + 'd;

/// What a run shows.
struct Seen<'a> {
    durations: &'a Durations<'a>,
    program: &'a Program,
    /// The leaves that each `let` calls.
    lets: Vec<Vec<String>>,
    points: Vec<Vec<i64>>,
    acts: Vec<Vec<Act>>,
    /// For each PE the words that came to it, by the first of their bits.
    known: Vec<BTreeSet<u64>>,
    /// Sender, receiver and channel of each wire.
    wires: Vec<[usize; 3]>,
    positions: Vec<usize>,
}

impl Observer for Seen<'_> {
    fn begin(&mut self, code: &Code, wiring: &Wiring) {
        let leaf = |leaf: &usize| self.program.leaves[*leaf].name.to_string();
        self.lets = code.calls().iter().map(|calls| calls.keys().map(leaf).collect()).collect();
        self.points = code.pes.iter().map(|pe| code.grid.point(pe.position)).collect();
        self.acts = vec![vec![]; code.pes.len()];
        self.known = vec![BTreeSet::new(); code.pes.len()];
        self.wires = wiring.wires.iter().map(|wire| [wire.sender, wire.receiver, wire.channel]).collect();
        self.positions = code.pes.iter().map(|pe| pe.position).collect();
    }

    fn see(&mut self, event: Event) {
        match event {
            Event::Sent { wire, clock, value } => {
                let sender = self.wires[wire][0];
                let is_new = self.known[sender].insert(value.to_bits());
                self.acts[sender].push(Act::Send { wire, step: clock, is_new });
            }
            Event::Received { wire, value, .. } => {
                let receiver = self.wires[wire][1];
                self.known[receiver].insert(value.to_bits());
                self.acts[receiver].push(Act::Receive(wire));
            }
            Event::Loaded { pe, value, .. } => _ = self.known[pe].insert(value.to_bits()),
            Event::Computed { pe, operation, clock } if !self.lets[operation].is_empty() => {
                let duration = |leaf: &String| (self.durations)(leaf, &self.points[pe]);
                let duration = self.lets[operation].iter().map(duration).sum();
                self.acts[pe].push(Act::Leaf { duration, step: clock });
            }
            _ => {}
        }
    }
}

/// A word, or a slot, on its way over a wire.
#[derive(Clone, Copy, Debug)]
struct Message {
    there: u64,
    to: usize,
    wire: usize,
    is_slot: bool,
}

struct Model {
    acts: Vec<Vec<Act>>,
    wires: Vec<[usize; 3]>,
    owner: Vec<usize>,
    /// The act that each PE is at.
    at: Vec<usize>,
    queues: Vec<VecDeque<usize>>,
    /// For each worker the PEs at a leaf, by when it is to be called, and by when they came.
    tiles: Vec<BTreeSet<(u64, usize, usize)>>,
    /// For each PE the step from which its leaves are counted.
    since: Vec<u64>,
    /// So many steps count as one.
    together: u64,
    /// How many PEs have come to a leaf.
    entries: usize,
    /// For each PE the wires on which it has sent ahead.
    given: Vec<BTreeSet<usize>>,
    /// For each wire its words, its free slots, and who waits for the one and for the other.
    words: Vec<u64>,
    free: Vec<u64>,
    parked: Vec<[Option<usize>; 2]>,
    /// What was sent in the turn.
    leaving: Vec<(usize, usize, bool)>,
    under_way: Vec<Message>,
    clocks: Vec<u64>,
}

/// When the last worker ends, where a leaf takes what `durations` says of its name.
pub fn makespan(
    program: &Program,
    sizes: &Bindings,
    inputs: &Tensors,
    settings: &Settings,
    durations: &Durations<'_>,
) -> u64 {
    let mut seen = Seen {
        durations,
        program,
        lets: vec![],
        points: vec![],
        acts: vec![],
        known: vec![],
        wires: vec![],
        positions: vec![],
    };
    simulate_observed(program, sizes, inputs, &sim::Settings::default(), &mut seen).expect("a run");
    let code = systole::array::compile(program, sizes).expect("sizes that fit");
    let owners = Owners::new(&code.grid, settings.workers, settings.distribution.unwrap_or_default());
    let owner: Vec<usize> = seen.positions.iter().map(|position| owners.of(*position)).collect();
    let of = |worker| (0..owner.len()).filter(|pe| owner[*pe] == worker).collect();
    let waits = program.classes.iter().any(|class| sends_a_result(program, class));
    let order = settings.order.or(program.order);
    let by_steps = order.map_or(waits, |order| !order.by_turns);
    let capacity = |wire: &[usize; 3]| settings.capacity.unwrap_or(program.channels[wire[2]].depth);
    let mut model = Model {
        queues: (0..settings.workers).map(of).collect(),
        tiles: vec![BTreeSet::new(); settings.workers],
        since: seen.acts.iter().map(|acts| if by_steps { 0 } else { first_leaf(acts) }).collect(),
        together: order.map_or(1, |order| u64::from(order.together)),
        entries: 0,
        given: vec![BTreeSet::new(); seen.acts.len()],
        words: vec![0; seen.wires.len()],
        free: seen.wires.iter().map(capacity).collect(),
        parked: vec![[None; 2]; seen.wires.len()],
        at: vec![0; seen.acts.len()],
        leaving: vec![],
        under_way: vec![],
        clocks: vec![0; settings.workers],
        acts: seen.acts,
        wires: seen.wires,
        owner,
    };
    model.run()
}

/// The step of a PE's first leaf.
fn first_leaf(acts: &[Act]) -> u64 {
    let steps = acts.iter().filter_map(|act| if let Act::Leaf { step, .. } = act { Some(*step) } else { None });
    steps.min().unwrap_or(0)
}

/// Whether a class sends a register that it computes to another PE, or drives it.
fn sends_a_result(program: &Program, class: &Class) -> bool {
    let (mut computed, mut sent) = (BTreeSet::new(), BTreeSet::new());
    let mut blocks = vec![&class.body[..]];
    while let Some(block) = blocks.pop() {
        for instruction in block {
            match instruction {
                Instruction::Loop { body, .. } => blocks.push(body),
                Instruction::If { then, otherwise, .. } => blocks.extend([&then[..], otherwise]),
                Instruction::Let(register, _) => _ = computed.insert(register),
                Instruction::Send(channel, register) => {
                    let channel = program.channels.iter().find(|known| known.name == *channel).expect("a channel");
                    sent.extend(Some(register).filter(|_| channel.offset.iter().any(|along| *along != 0)));
                }
                Instruction::Drive(_, register, _) => _ = sent.insert(register),
                _ => {}
            }
        }
    }
    !computed.is_disjoint(&sent)
}

impl Model {
    fn run(&mut self) -> u64 {
        let mut now = 0;
        let is_over = |model: &Model| {
            let is_idle = model.queues.iter().all(VecDeque::is_empty) && model.tiles.iter().all(BTreeSet::is_empty);
            is_idle && model.under_way.is_empty()
        };
        while !is_over(self) {
            for worker in 0..self.queues.len() {
                while self.clocks[worker] <= now && self.go_on(worker, now) {}
            }
            now += 1;
        }
        assert!((0..self.at.len()).all(|pe| self.at[pe] == self.acts[pe].len()), "the model stands still");
        self.clocks.iter().copied().max().unwrap_or(0)
    }

    /// A worker takes in what is there and gives a PE a turn; whether there was one.
    fn go_on(&mut self, worker: usize, now: u64) -> bool {
        let (mut here, later): (Vec<Message>, Vec<Message>) =
            self.under_way.iter().partition(|message| message.to == worker && message.there <= now);
        self.under_way = later;
        here.sort_by_key(|message| message.there);
        here.iter().for_each(|message| self.arrive(message.wire, message.is_slot));
        if !here.is_empty() {
            self.clocks[worker] = now;
        }
        let ready = self.queues[worker].pop_front().map(|pe| (pe, false));
        let Some((pe, is_due)) = ready.or_else(|| self.tiles[worker].pop_first().map(|(_, _, pe)| (pe, true))) else {
            return false;
        };
        self.clocks[worker] = now;
        self.turn(worker, pe, is_due);
        let there = self.clocks[worker] + ALPHA;
        // The slots that are free again are said after all words.
        self.leaving.sort_by_key(|(_, _, is_slot)| *is_slot);
        let sent = self.leaving.drain(..).map(|(to, wire, is_slot)| Message { there, to, wire, is_slot });
        self.under_way.extend(sent);
        true
    }

    fn arrive(&mut self, wire: usize, is_slot: bool) {
        if is_slot {
            self.free[wire] += 1;
        } else {
            self.words[wire] += 1;
        }
        if let Some(pe) = self.parked[wire][usize::from(is_slot)].take() {
            self.queues[self.owner[pe]].push_back(pe);
        }
    }

    fn turn(&mut self, worker: usize, pe: usize, mut is_due: bool) {
        let mut left = TURN;
        while let Some(act) = self.acts[pe].get(self.at[pe]).copied() {
            let (wire, is_send) = match act {
                Act::Leaf { step, .. } if !std::mem::take(&mut is_due) => {
                    self.send_ahead(worker, pe, step);
                    self.entries += 1;
                    let (turn, entry) = ((step - self.since[pe]) / self.together, self.entries);
                    self.tiles[worker].insert((turn, if self.together == 1 { entry } else { 0 }, pe));
                    return;
                }
                Act::Leaf { duration, .. } => {
                    self.clocks[worker] += duration;
                    self.at[pe] += 1;
                    continue;
                }
                Act::Send { wire, .. } if self.given[pe].remove(&wire) => {
                    self.at[pe] += 1;
                    continue;
                }
                Act::Send { wire, .. } => (wire, true),
                Act::Receive(wire) => (wire, false),
            };
            if left == 0 {
                return self.queues[worker].push_back(pe);
            }
            left -= 1;
            let there = if is_send { &mut self.free[wire] } else { &mut self.words[wire] };
            if *there == 0 {
                self.parked[wire][usize::from(is_send)] = Some(pe);
                return;
            }
            *there -= 1;
            self.at[pe] += 1;
            self.pass(worker, wire, is_send);
        }
    }

    /// A word, or the slot that it leaves, goes to the other end of its wire.
    fn pass(&mut self, worker: usize, wire: usize, is_send: bool) {
        let far = self.owner[self.wires[wire][usize::from(is_send)]];
        if far == worker { self.arrive(wire, !is_send) } else { self.leaving.push((far, wire, !is_send)) }
    }

    /// The sends of this step that follow, up to one for which there is no room; each wire has one of them.
    fn send_ahead(&mut self, worker: usize, pe: usize, now: u64) {
        for at in self.at[pe] + 1.. {
            match self.acts[pe].get(at).copied() {
                Some(Act::Send { wire, step, is_new }) if step == now && self.free[wire] > 0 => {
                    if !is_new {
                        self.free[wire] -= 1;
                        self.given[pe].insert(wire);
                        self.pass(worker, wire, true);
                    }
                }
                _ => return,
            }
        }
    }
}
