//! The waits of a program at given sizes, instruction by instruction, as a graph.
//!
//! Each PE's body is gone through by itself, with channels and buses that never make it wait: control flow knows sizes and
//! coordinates only, so that is all that the PE will do, in its order. A run without clocks ends if and only if no waits
//! go round in a circle.

use petgraph::algo::is_cyclic_directed;
use petgraph::graph::{DiGraph, NodeIndex};
use std::collections::BTreeMap;
use systole::array::{Assignment, Entry, Environment, Pe, Program, State, Stop, Trouble, Wiring, compile, resume};
use systole::exec::Owners;
use systole::integer::Bindings;

/// What may wait, or be waited for. Wires and lines are those of the wiring.
enum Act {
    Receive(usize),
    Send(usize),
    Drive(usize, Vec<i64>),
    Listen(usize, Vec<i64>),
}

/// Writes down what one PE does.
struct Walk<'a> {
    ports: &'a [usize],
    taps: &'a [usize],
    acts: Vec<Act>,
}

impl Environment for Walk<'_> {
    type Word = ();

    fn at(&mut self, _time: i64) {}

    fn tick(&mut self, _cycles: u64) -> Result<(), Trouble> {
        Ok(())
    }

    fn load(&mut self, _array: usize, _address: usize) -> Result<Option<()>, Trouble> {
        Ok(Some(()))
    }

    fn prefetch(&mut self, _array: usize, _address: usize) -> Result<bool, Trouble> {
        Ok(true)
    }

    fn local(&mut self, _array: usize, _address: usize) -> Result<(), Trouble> {
        Ok(())
    }

    fn keep(&mut self, _pad: usize, _entry: Entry, _value: &()) -> Result<(), Trouble> {
        Ok(())
    }

    fn recall(&mut self, _pad: usize, _entry: Entry) -> Result<(), Trouble> {
        Ok(())
    }

    fn store(&mut self, _array: usize, _address: usize, _value: &()) -> Result<(), Trouble> {
        Ok(())
    }

    fn receive(&mut self, port: usize) -> Result<Option<()>, Trouble> {
        self.acts.push(Act::Receive(self.ports[port]));
        Ok(Some(()))
    }

    fn send(&mut self, port: usize, _value: &()) -> Result<bool, Trouble> {
        self.acts.push(Act::Send(self.ports[port]));
        Ok(true)
    }

    fn drive(&mut self, tap: usize, tag: &[i64], _value: &()) -> Result<(), Trouble> {
        self.acts.push(Act::Drive(self.taps[tap], tag.to_vec()));
        Ok(())
    }

    fn listen(&mut self, tap: usize, tag: &[i64]) -> Result<Option<()>, Trouble> {
        self.acts.push(Act::Listen(self.taps[tap], tag.to_vec()));
        Ok(Some(()))
    }

    fn compute(&mut self, _assignment: Assignment<'_>, _slots: &[i64], _registers: &mut [()]) -> Result<(), Trouble> {
        Ok(())
    }
}

/// Acts with what joins them. An edge goes from what waits to what it waits for.
#[derive(Default)]
struct Waits {
    graph: DiGraph<(), ()>,
    sends: BTreeMap<usize, Vec<NodeIndex>>,
    receives: BTreeMap<usize, Vec<NodeIndex>>,
    drives: BTreeMap<(usize, Vec<i64>), NodeIndex>,
    listens: Vec<(NodeIndex, (usize, Vec<i64>))>,
}

impl Waits {
    /// One act after another.
    fn add(&mut self, act: Act, before: Option<NodeIndex>) -> NodeIndex {
        let node = self.graph.add_node(());
        before.iter().for_each(|before| _ = self.graph.add_edge(node, *before, ()));
        match act {
            Act::Receive(wire) => self.receives.entry(wire).or_default().push(node),
            Act::Send(wire) => self.sends.entry(wire).or_default().push(node),
            Act::Drive(line, tag) => _ = self.drives.insert((line, tag), node),
            Act::Listen(line, tag) => self.listens.push((node, (line, tag))),
        }
        node
    }

    fn join(&mut self, depth: impl Fn(usize) -> u64) {
        for (wire, receives) in &self.receives {
            let sends = &self.sends[wire];
            assert_eq!(sends.len(), receives.len(), "what is sent is received");
            for (send, receive) in sends.iter().zip(receives) {
                self.graph.add_edge(*receive, *send, ());
            }
            for (send, receive) in sends.iter().skip(depth(*wire) as usize).zip(receives) {
                self.graph.add_edge(*send, *receive, ());
            }
        }
        for (listen, word) in &self.listens {
            self.graph.add_edge(*listen, self.drives[word], ());
        }
    }
}

/// Whether a run stands still, with so many slots in every channel in place of the program's. With owners a worker runs its PEs
/// one after the other, each to its end.
pub fn stands_still(program: &Program, sizes: &Bindings, slots: Option<u64>, owners: Option<&Owners>) -> bool {
    let code = compile(program, sizes).expect("a program that compiles");
    let wiring = Wiring::of(program, &code);
    let (mut waits, mut last) = (Waits::default(), BTreeMap::new());
    for (number, Pe { position, class }) in code.pes.iter().copied().enumerate() {
        let mut walk = Walk { ports: wiring.ports(number), taps: wiring.taps(number), acts: vec![] };
        let mut integers = code.grid.point(position);
        integers.resize(code.classes[class].slots, 0);
        let mut registers = vec![(); code.classes[class].registers];
        let (mut counter, mut active) = (0, false);
        let state =
            State { counter: &mut counter, active: &mut active, slots: &mut integers, registers: &mut registers };
        assert_eq!(resume(&code, class, state, &mut walk).ok(), Some(Stop::Finished));
        let mut before = owners.and_then(|owners| last.get(&owners.of(position)).copied());
        for act in walk.acts {
            before = Some(waits.add(act, before));
        }
        if let (Some(owners), Some(before)) = (owners, before) {
            last.insert(owners.of(position), before);
        }
    }
    waits.join(|wire| slots.unwrap_or(program.channels[wiring.wires[wire].channel].depth));
    is_cyclic_directed(&waits.graph)
}
