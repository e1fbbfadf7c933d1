//! The first test of the contract, and the same array against a recurrence that knows it in advance.

use super::common::{linked, matrix, product, program, run, sizes, tensors};
use systole_base::integer::name;
use systole_program::array::Program;
use systole_run::sim::{Order, Outcome, Settings};

/// Capacity, latency and response.
#[derive(Clone, Copy, Debug)]
struct Links {
    capacity: u64,
    latency: u64,
    response: u64,
}

fn feeders() -> Program {
    program(include_str!("os-feeders.pe"))
}

fn simulate_feeders(n: usize, k: usize, links: Links, order: Order) -> Outcome {
    let inputs = tensors(vec![("A", matrix(n, k, 1)), ("B", matrix(k, n, 2))]);
    let settings = Settings { capacity: Some(links.capacity), response: links.response, order, ..Settings::default() };
    let outcome =
        run(&linked(feeders(), links.latency, 0), &sizes(&[("N", n as i64), ("K", k as i64)]), &inputs, &settings);
    assert!(outcome.deadlock.is_none());
    assert_eq!(outcome.outputs[&name("C")], product(&inputs));
    outcome
}

#[test]
fn the_nine_counts_of_the_contract() {
    let table = [
        (1, 1, 1, 90),
        (1, 2, 1, 140),
        (2, 2, 1, 81),
        (2, 1, 2, 70),
        (3, 3, 1, 86),
        (1, 1, 4, 207),
        (4, 5, 3, 131),
        (8, 3, 2, 73),
        (2, 7, 1, 231),
    ];
    for (capacity, latency, response, cycles) in table {
        let outcome = simulate_feeders(6, 40, Links { capacity, latency, response }, Order::FirstIn);
        assert_eq!(outcome.cycles, cycles, "capacity {capacity}, latency {latency}, response {response}");
    }
}

#[test]
fn two_slots_give_the_textbook_count_and_the_feeders_hop() {
    for (n, k) in [(1, 1), (2, 5), (6, 40), (9, 3)] {
        let links = Links { capacity: 2, latency: 1, response: 1 };
        assert_eq!(simulate_feeders(n, k, links, Order::FirstIn).cycles, (k + 2 * n - 1) as u64);
    }
}

/// Max-plus recurrences on the times of sends and receives, step by step of k; a slot that message k needs was freed by
/// message k - C, so every value is there when it is used.
struct Reference {
    n: usize,
    links: Links,
    clock: Vec<u64>,
    /// Times of sends east and south, and of the receives at their ends, for each PE and each k.
    sent: [Vec<Vec<u64>>; 2],
    taken: [Vec<Vec<u64>>; 2],
}

impl Reference {
    fn new(n: usize, links: Links) -> Reference {
        let cells = (n + 1) * (n + 1);
        let times = || [vec![vec![]; cells], vec![vec![]; cells]];
        let clock = (0..cells).map(|cell| (cell / (n + 1)).max(cell % (n + 1)).saturating_sub(1) as u64);
        let mut reference = Reference { n, links, clock: clock.collect(), sent: times(), taken: times() };
        for row in 1..=n {
            for column in 1..=n {
                reference.clock[row * (n + 1) + column] = 0;
            }
        }
        reference
    }

    fn receive(&mut self, cell: usize, from: usize, way: usize, k: usize) {
        self.clock[cell] = self.clock[cell].max(self.sent[way][from][k] + self.links.latency);
        self.taken[way][from].push(self.clock[cell]);
    }

    fn send(&mut self, cell: usize, way: usize, k: usize) {
        if let Some(freed) = k.checked_sub(self.links.capacity as usize) {
            self.clock[cell] = self.clock[cell].max(self.taken[way][cell][freed] + self.links.response);
        }
        self.sent[way][cell].push(self.clock[cell]);
    }

    fn step(&mut self, row: usize, column: usize, k: usize) {
        let width = self.n + 1;
        let cell = row * width + column;
        if row >= 1 && column >= 1 {
            self.receive(cell, cell - 1, 0, k);
            self.receive(cell, cell - width, 1, k);
        }
        if row >= 1 && column < self.n {
            self.send(cell, 0, k);
        }
        if column >= 1 && row < self.n {
            self.send(cell, 1, k);
        }
        self.clock[cell] += 1;
    }

    fn cycles(mut self, steps: usize) -> u64 {
        for k in 0..steps {
            for cell in 1..(self.n + 1) * (self.n + 1) {
                self.step(cell / (self.n + 1), cell % (self.n + 1), k);
            }
        }
        *self.clock.iter().skip(1).max().unwrap()
    }

    /// The most messages of one wire that hold a slot at one time, by looking at every send.
    fn depth(&self, way: usize) -> u64 {
        let wires = self.sent[way].iter().zip(&self.taken[way]);
        let depth = |(sent, taken): (&Vec<u64>, &Vec<u64>)| {
            let held = |now: u64| {
                let slots = sent.iter().zip(taken);
                slots.filter(|(e, d)| **e <= now && now < **d + self.links.response).count()
            };
            sent.iter().map(|now| held(*now)).max().unwrap_or(0)
        };
        wires.map(depth).max().unwrap_or(0) as u64
    }
}

/// A small generator of its own, so that the cases are the same on every machine.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, from: u64, to: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        from + (self.0 >> 33) % (to - from + 1)
    }
}

#[test]
fn two_hundred_random_arrays_agree_with_the_recurrence() {
    let mut dice = Dice(7);
    for _ in 0..200 {
        let (n, k) = (dice.roll(1, 6) as usize, dice.roll(1, 25) as usize);
        let links = Links { capacity: dice.roll(1, 9), latency: dice.roll(1, 7), response: dice.roll(0, 5) };
        let outcome = simulate_feeders(n, k, links, Order::FirstIn);
        let mut reference = Reference::new(n, links);
        for step in 0..k {
            for cell in 1..(n + 1) * (n + 1) {
                reference.step(cell / (n + 1), cell % (n + 1), step);
            }
        }
        for way in 0..2 {
            assert_eq!(outcome.counters.channels[way].max_depth, reference.depth(way), "n {n}, k {k}, {links:?}");
        }
        assert_eq!(outcome.cycles, Reference::new(n, links).cycles(k), "n {n}, k {k}, {links:?}");
    }
}

#[test]
fn the_order_of_the_work_list_changes_nothing() {
    let mut dice = Dice(11);
    for _ in 0..30 {
        let (n, k) = (dice.roll(1, 5) as usize, dice.roll(1, 20) as usize);
        let links = Links { capacity: dice.roll(1, 30), latency: dice.roll(1, 4), response: dice.roll(0, 3) };
        let first = simulate_feeders(n, k, links, Order::FirstIn);
        let last = simulate_feeders(n, k, links, Order::LastIn);
        assert_eq!(first.counters, last.counters, "n {n}, k {k}, {links:?}");
        assert_eq!((first.cycles, first.pes), (last.cycles, last.pes));
        assert_eq!(first.outputs, last.outputs);
    }
}
