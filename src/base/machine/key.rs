//! What a machine file can say: one row for each key, with where its value goes and what it means.

use super::rate::shown;
use super::{Bandwidth, Buses, LIBRARIES, Machine, OperationTime, TASKS};
use crate::cell::Cell;
use crate::network::Network;
use crate::scalar::Function;

/// The largest number that a key takes.
pub const MOST: i64 = 1_000_000;

/// A part of the time of an operation, with the word for it.
type TimeEntry = (&'static str, fn(&mut OperationTime) -> &mut i64);

/// What is said of an operation; each part is 1 at least.
pub const TIMES: [TimeEntry; 2] = [("latency", |time| &mut time.latency), ("interval", |time| &mut time.interval)];

/// One key of a machine file.
#[derive(Clone, Copy, Debug)]
pub struct Key {
    /// The section it stands in.
    pub section: &'static str,
    /// Its name.
    pub name: &'static str,
    /// What it takes, and which part of the machine it sets.
    pub slot: Slot,
    /// What it means, with the unit.
    pub about: &'static str,
}

/// A part of a machine that a key sets.
#[derive(Clone, Copy, Debug)]
pub enum Slot {
    /// A whole number, this at least.
    Whole(i64, fn(&mut Machine) -> &mut i64),
    /// A whole number, at least 1; no limit where the key is not there.
    Limit(fn(&mut Machine) -> &mut Option<u64>),
    /// Words a cycle; no limit where the key is not there.
    Bandwidth(fn(&mut Machine) -> &mut Option<Bandwidth>),
    /// Picojoules, 0 at least.
    Picojoules(fn(&mut Machine) -> &mut f64),
    /// Picojoules of an operation.
    Operation(Function),
    /// The time of an operation: a table with one or more of `latency` and `interval`.
    Time(Function),
    /// Seconds, 0 at least.
    Seconds(fn(&mut Machine) -> &mut f64),
    /// The rate of a library at a task, by their positions in [`LIBRARIES`] and [`TASKS`]: a number more than 0, or a table of
    /// them by the side of a tile, each for tiles that come out of memory and those in the cache where that differs; not known
    /// where the key is not there.
    Rate([usize; 2]),
    /// The shares of tiles that come out of memory for a task, by its position in [`TASKS`]: from 0 to 1, by a number of MiB; an empty
    /// list where the key is not there.
    Shares(usize),
    /// A list of kinds of buses.
    Kinds(fn(&mut Machine) -> &mut Buses),
    /// The word for a network.
    Network(fn(&mut Machine) -> &mut Network),
    /// A list of numbers, each at least 1; no limit where the key is not there.
    Sides(fn(&mut Machine) -> &mut Option<Vec<u64>>),
    /// A number of operations, at least 1, or the word for as many as there are.
    Cell(fn(&mut Machine) -> &mut Cell),
}

/// All keys, section by section.
pub fn keys() -> Vec<Key> {
    let time = |function: &Function| {
        let about = "cycles until the result is there, and until the next operands are taken";
        key("operation", function.keyword(), Slot::Time(*function), about)
    };
    let energy = |function: &Function| {
        key("energy", function.keyword(), Slot::Operation(*function), "picojoules of one such operation")
    };
    let mut all = Vec::from(keys_of_networks());
    all.extend(keys_of_pes());
    all.extend(Function::ALL.iter().map(time));
    all.extend(keys_of_energy());
    all.extend(Function::ALL.iter().map(energy));
    all.extend(keys_of_clusters());
    all
}

fn key(section: &'static str, name: &'static str, slot: Slot, about: &'static str) -> Key {
    Key { section, name, slot, about }
}

fn keys_of_networks() -> [Key; 8] {
    let latency = "cycles from a send until the word can be received, for each hop";
    let response = "cycles from a receive until the sender may use the slot again";
    let bus_latency = "cycles from a drive until the word can be heard";
    [
        key("grid", "network", Slot::Network(|machine| &mut machine.links.network), "how PEs are joined"),
        key("grid", "extent", Slot::Sides(|machine| &mut machine.extent), "the most PEs along each axis"),
        key("link", "latency", Slot::Whole(1, |machine| &mut machine.links.latency), latency),
        key("link", "response", Slot::Whole(0, |machine| &mut machine.links.response), response),
        key("link", "capacity", Slot::Limit(|machine| &mut machine.capacity), "slots of every channel"),
        key(
            "link",
            "bandwidth",
            Slot::Bandwidth(|machine| &mut machine.bandwidth),
            "words that enter a link in a cycle at most",
        ),
        key("bus", "kinds", Slot::Kinds(|machine| &mut machine.buses), "which buses there are"),
        key("bus", "latency", Slot::Whole(0, |machine| &mut machine.buses.latency), bus_latency),
    ]
}

fn keys_of_pes() -> [Key; 6] {
    let latency = "cycles from asking for a word until it is there";
    let outstanding = "loads of an array that a PE may have outstanding";
    let port = "words that pass the memory port of a PE in a cycle at most";
    [
        key("pe", "registers", Slot::Limit(|machine| &mut machine.registers), "registers of a PE"),
        key("pe", "words", Slot::Limit(|machine| &mut machine.words), "words of a PE's own memory"),
        key(
            "cell",
            "operations",
            Slot::Cell(|machine| &mut machine.links.cell),
            "operations of a PE that share a step at most",
        ),
        key("memory", "latency", Slot::Whole(0, |machine| &mut machine.times.load_latency), latency),
        key("memory", "outstanding", Slot::Limit(|machine| &mut machine.times.outstanding), outstanding),
        key("memory", "words", Slot::Bandwidth(|machine| &mut machine.times.port), port),
    ]
}

fn keys_of_energy() -> [Key; 3] {
    let hop = "picojoules of a word over a link, or from a bus to one listener";
    let register = "picojoules of a register read or written";
    let memory = "picojoules of a word loaded, prefetched or stored";
    [
        key("energy", "hop", Slot::Picojoules(|machine| &mut machine.energy.hop), hop),
        key("energy", "register", Slot::Picojoules(|machine| &mut machine.energy.register), register),
        key("energy", "memory", Slot::Picojoules(|machine| &mut machine.energy.memory), memory),
    ]
}

/// What `systole calibrate` measures.
fn keys_of_clusters() -> Vec<Key> {
    let alpha = "seconds from a send until an empty message is there";
    let beta = "seconds that a byte of a message takes more";
    let gamma = "seconds that a byte of a message holds up the worker it comes to";
    let memory = "seconds of a byte of a tile that a PE loads, stores or begins";
    let operation = "seconds of one op of the interpreter";
    let reuse = "which share of a tile comes out of memory, by the MiB that were touched since it was touched last";
    let rate = "10^9 applications of scalar functions a second, by the side of a tile: out of memory, in the cache";
    let mut keys = vec![
        key("cluster", "alpha", Slot::Seconds(|machine| &mut machine.cluster.message), alpha),
        key("cluster", "beta", Slot::Seconds(|machine| &mut machine.cluster.byte), beta),
        key("cluster", "gamma", Slot::Seconds(|machine| &mut machine.cluster.taken), gamma),
        key("cluster", "memory", Slot::Seconds(|machine| &mut machine.cluster.memory), memory),
        key("cluster", "operation", Slot::Seconds(|machine| &mut machine.cluster.operation), operation),
    ];
    keys.extend(TASKS.into_iter().enumerate().map(|(task, name)| key("reuse", name, Slot::Shares(task), reuse)));
    for (library, section) in LIBRARIES.into_iter().enumerate() {
        let of_task = |(task, name)| key(section, name, Slot::Rate([library, task]), rate);
        keys.extend(TASKS.into_iter().enumerate().map(of_task).filter(|key| is_done(section, key.name)));
    }
    keys
}

/// What no library knows, loops do.
fn is_done(library: &str, task: &str) -> bool {
    library == "loops" || task != "other"
}

impl Slot {
    /// What a value must be.
    pub fn wanted(self) -> String {
        match self {
            Slot::Whole(least, _) => format!("a whole number from {least} to {MOST}"),
            Slot::Limit(_) => format!("a whole number from 1 to {MOST}"),
            Slot::Bandwidth(_) => "a number of words a cycle, such as 2 or 0.5".to_owned(),
            Slot::Picojoules(_) | Slot::Operation(_) => "a number, at least 0".to_owned(),
            Slot::Seconds(_) => "a number of seconds, at least 0, such as 2e-6".to_owned(),
            Slot::Rate(_) => {
                "a rate, more than 0 or a leaf never ends; or rates by the side of a tile, such as { 64 = 30.5 }, with \
                 two numbers where tiles out of memory take longer, such as { 64 = [30.5, 41.0] }"
                    .to_owned()
            }
            Slot::Shares(_) => "a table of shares from 0 to 1 by MiB, such as { 8 = 0.0, 32 = 1.0 }".to_owned(),
            Slot::Time(_) => {
                format!("a table such as {{ latency = 4, interval = 2 }}, with whole numbers from 1 to {MOST}")
            }
            Slot::Kinds(_) => format!("a list of kinds: {}", Buses::KINDS.join(", ")),
            Slot::Network(_) => format!("one of {}", Network::ALL.map(|network| network.1).join(", ")),
            Slot::Sides(_) => "a list of positive numbers, such as [16, 16]".to_owned(),
            Slot::Cell(_) => format!("a whole number from 1 to {MOST}, or \"{}\"", Cell::ALL),
        }
    }

    /// The value that a machine has there, as a file would say it; `None` where it sets no limit.
    pub fn shown(self, machine: &Machine) -> Option<String> {
        let machine = &mut machine.clone();
        match self {
            Slot::Whole(_, of) => Some(of(machine).to_string()),
            Slot::Limit(of) => of(machine).map(|limit| limit.to_string()),
            Slot::Bandwidth(of) => of(machine).map(|rate| rate.to_string()),
            Slot::Picojoules(of) | Slot::Seconds(of) => Some(format!("{:?}", of(machine))),
            Slot::Rate([library, task]) => machine.cluster.rates[library][task].shown(),
            Slot::Shares(task) => Some(&machine.cluster.reuse[task])
                .filter(|table| !table.is_empty())
                .map(|table| shown(table, |share| format!("{share:?}"))),
            Slot::Operation(function) => {
                Some(format!("{:?}", machine.energy.operations.get(&function).unwrap_or(&0.0)))
            }
            Slot::Time(function) => {
                let mut time = machine.times.of(function);
                Some(format!("{{ {} }}", TIMES.map(|(part, of)| format!("{part} = {}", of(&mut time))).join(", ")))
            }
            Slot::Kinds(of) => Some(shown_kinds(of(machine))),
            Slot::Network(of) => Some(format!("\"{}\"", of(machine))),
            Slot::Sides(of) => of(machine).as_ref().map(|sides| format!("{sides:?}")),
            Slot::Cell(of) => Some(match of(machine) {
                Cell::Holds(operations) => operations.to_string(),
                Cell::All => format!("\"{}\"", Cell::ALL),
            }),
        }
    }
}

fn shown_kinds(buses: &Buses) -> String {
    let kinds = Buses::KINDS.into_iter().zip(buses.kinds()).filter(|(_, there)| *there);
    format!("{:?}", kinds.map(|(kind, _)| kind).collect::<Vec<_>>())
}
