//! What the PEs of a worker read, store and put on buses.
//!
//! In: a plan and a worker. Out: for each array the runs of addresses that some PE of the worker loads or prefetches, and
//! those that one stores, or those that have their home there; for each bus line how many words they drive, and how often they listen
//! for each. The bodies are gone through with channels and buses that never make anyone wait. Control flow and subscripts depend on sizes
//! and coordinates alone, never on words, so the answer is exact, before anything is read or computed. A body that does something wrong
//! is followed up to there.

use super::marks::Marks;
use crate::exec::plan::Plan;
use crate::exec::workers::supplies::AHEAD;
use std::collections::HashMap;
use std::ops::Range;
use systole_program::array;
use systole_program::array::{Assignment, Entry, Environment, Layout, State, Trouble};

/// What some PEs do to arrays and buses.
#[derive(Clone, Debug, Default)]
pub struct Needs {
    /// For each array the addresses that are read, or have their home here, in rising order.
    pub read: Vec<Vec<Range<usize>>>,
    /// For each array the addresses that are stored, or have their home here, in rising order.
    pub stored: Vec<Vec<Range<usize>>>,
    /// For each bus line of the array how many words are driven.
    pub driven: Vec<u64>,
    /// How many words are prefetched, counted at each PE.
    pub prefetched: u64,
    /// How many words from other homes are there at a time: those asked for ahead, and those prefetched, which stay.
    pub supplied: u64,
    /// How many words are stored that have their home elsewhere.
    pub given: u64,
}

impl Needs {
    /// The needs of one worker.
    pub fn of(plan: &Plan<'_>, worker: usize) -> Needs {
        let mut walk = Walk::new(plan);
        let mut supplied = 0;
        for pe in plan.pes_of(worker) {
            walk.follow(pe);
            supplied += walk.loads.drain(..).count().min(AHEAD) as u64;
        }
        let Walk { read, stored, driven, prefetched, kept, given, .. } = walk;
        let (read, stored) = (there(plan, worker, &read, false), there(plan, worker, &stored, true));
        Needs { read, stored, driven, prefetched, supplied: supplied + kept, given }
    }
}

/// The words of inputs, or of outputs, that have their home at a worker; of an array without a layout those that its PEs handle.
fn there(plan: &Plan<'_>, worker: usize, handled: &[Marks], is_output: bool) -> Vec<Vec<Range<usize>>> {
    let arrays = plan.code.arrays.iter().zip(handled).enumerate();
    let runs = |(array, (layout, handled)): (usize, (&Layout, &Marks))| {
        let homes = plan.homes.as_ref().and_then(|homes| homes.runs(array, layout, worker));
        match homes {
            Some(_) if layout.is_output() != is_output => vec![],
            Some(homes) => homes,
            None => handled.runs(),
        }
    };
    arrays.map(runs).collect()
}

/// What each PE of a worker loads and prefetches from the homes of others, as arrays and addresses in its order.
pub fn loads_of(plan: &Plan<'_>, worker: usize) -> Vec<Vec<(usize, usize)>> {
    let mut walk = Walk::new(plan);
    plan.of_pes(worker, |pe| {
        walk.follow(pe);
        std::mem::take(&mut walk.loads)
    })
}

/// How often the PEs of a worker listen for each tag of a line.
pub type BusReads = HashMap<Vec<i64>, u64>;

/// What the PEs of a worker hear on each line of the array.
pub fn heard_by(plan: &Plan<'_>, worker: usize) -> Vec<BusReads> {
    let mut walk = Walk { heard: Some(vec![BusReads::new(); plan.wiring.lines.len()]), ..Walk::new(plan) };
    plan.pes_of(worker).for_each(|pe| walk.follow(pe));
    walk.heard.unwrap_or_default()
}

/// How many words these runs have.
pub fn words_of(runs: &[Range<usize>]) -> usize {
    runs.iter().map(Range::len).sum()
}

/// How many elements stand at these addresses.
pub fn elements_of(layout: &Layout, runs: &[Range<usize>]) -> usize {
    match layout.boxes.is_empty() {
        true => words_of(runs),
        false => runs.iter().flat_map(Range::clone).map(|address| layout.size_at(address)).sum(),
    }
}

/// The bodies of PEs, one after the other.
struct Walk<'a> {
    plan: &'a Plan<'a>,
    /// The PE whose body it is.
    pe: usize,
    read: Vec<Marks>,
    stored: Vec<Marks>,
    driven: Vec<u64>,
    /// Where it is asked for.
    heard: Option<Vec<BusReads>>,
    prefetched: u64,
    /// What is loaded from other homes.
    loads: Vec<(usize, usize)>,
    /// How much of it is prefetched.
    kept: u64,
    given: u64,
}

impl<'a> Walk<'a> {
    fn new(plan: &'a Plan<'a>) -> Walk<'a> {
        let blank = vec![Marks::default(); plan.code.arrays.len()];
        let driven = vec![0; plan.wiring.lines.len()];
        Walk {
            plan,
            pe: 0,
            read: blank.clone(),
            stored: blank,
            driven,
            heard: None,
            prefetched: 0,
            loads: vec![],
            kept: 0,
            given: 0,
        }
    }

    fn follow(&mut self, pe: usize) {
        self.pe = pe;
        let code = self.plan.code;
        let placed = code.pes[pe];
        let class = &code.classes[placed.class];
        let mut slots = code.grid.point(placed.position);
        slots.resize(class.slots, 0);
        let mut registers = vec![(); class.registers];
        let state = State { counter: &mut 0, active: &mut false, slots: &mut slots, registers: &mut registers };
        // What is wrong with the body is told when it runs.
        let _ = array::resume(code, placed.class, state, self);
    }
}

impl Environment for Walk<'_> {
    type Word = ();

    fn at(&mut self, _time: i64) {}

    fn tick(&mut self, _cycles: u64) -> Result<(), Trouble> {
        Ok(())
    }

    fn load(&mut self, array: usize, address: usize) -> Result<Option<()>, Trouble> {
        let owner = self.plan.owner(self.pe);
        if self.plan.home(array, address, owner) == owner {
            self.read[array].mark(address);
        } else {
            self.loads.push((array, address));
        }
        Ok(Some(()))
    }

    fn prefetch(&mut self, array: usize, address: usize) -> Result<bool, Trouble> {
        let before = self.loads.len();
        self.load(array, address)?;
        self.prefetched += 1;
        self.kept += (self.loads.len() - before) as u64;
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

    fn store(&mut self, array: usize, address: usize, _value: &()) -> Result<(), Trouble> {
        let owner = self.plan.owner(self.pe);
        self.given += u64::from(self.plan.home(array, address, owner) != owner);
        self.stored[array].mark(address);
        Ok(())
    }

    fn receive(&mut self, _port: usize) -> Result<Option<()>, Trouble> {
        Ok(Some(()))
    }

    fn send(&mut self, _port: usize, _value: &()) -> Result<bool, Trouble> {
        Ok(true)
    }

    fn drive(&mut self, tap: usize, _tag: &[i64], _value: &()) -> Result<(), Trouble> {
        self.driven[self.plan.wiring.taps(self.pe)[tap]] += 1;
        Ok(())
    }

    fn listen(&mut self, tap: usize, tag: &[i64]) -> Result<Option<()>, Trouble> {
        if let Some(heard) = &mut self.heard {
            *heard[self.plan.wiring.taps(self.pe)[tap]].entry(tag.to_vec()).or_default() += 1;
        }
        Ok(Some(()))
    }

    fn compute(&mut self, _assignment: Assignment<'_>, _slots: &[i64], _registers: &mut [()]) -> Result<(), Trouble> {
        Ok(())
    }
}
