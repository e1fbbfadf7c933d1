//! What the PEs of a worker read, store and put on buses.
//!
//! In: a plan and a worker. Out: for each array the runs of addresses that some PE of the worker loads or prefetches, and
//! those that one stores; for each bus line how many words they drive. The bodies are gone through with channels and buses
//! that never make anyone wait. Control flow and subscripts depend on sizes and coordinates alone, never on words, so the
//! answer is exact, before anything is read or computed. A body that does something wrong is followed up to there.

use super::marks::Marks;
use super::plan::Plan;
use crate::array::{self, Assignment, Environment, State, Trouble};
use std::ops::Range;

/// What some PEs do to arrays and buses.
#[derive(Clone, Debug, Default)]
pub struct Needs {
    /// For each array the addresses that are read, in rising order.
    pub read: Vec<Vec<Range<usize>>>,
    /// For each array the addresses that are stored, in rising order.
    pub stored: Vec<Vec<Range<usize>>>,
    /// For each bus line of the array how many words are driven.
    pub driven: Vec<u64>,
    /// How many words are prefetched, counted at each PE.
    pub prefetched: u64,
}

impl Needs {
    /// The needs of one worker.
    pub fn of(plan: &Plan<'_>, worker: usize) -> Needs {
        let blank = vec![Marks::default(); plan.code.arrays.len()];
        let driven = vec![0; plan.wiring.lines.len()];
        let mut walk = Walk { plan, pe: 0, read: blank.clone(), stored: blank, driven, prefetched: 0 };
        plan.pes_of(worker).for_each(|pe| walk.follow(pe));
        let runs = |marks: Vec<Marks>| marks.iter().map(Marks::runs).collect();
        Needs { read: runs(walk.read), stored: runs(walk.stored), driven: walk.driven, prefetched: walk.prefetched }
    }
}

/// How many words these runs have.
pub fn words_of(runs: &[Range<usize>]) -> usize {
    runs.iter().map(Range::len).sum()
}

/// How many elements stand at these addresses.
#[cfg(feature = "mpi")]
pub fn elements_of(layout: &array::Layout, runs: &[Range<usize>]) -> usize {
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
    prefetched: u64,
}

impl Walk<'_> {
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

    fn load(&mut self, array: usize, address: usize) -> Result<(), Trouble> {
        self.read[array].mark(address);
        Ok(())
    }

    fn prefetch(&mut self, array: usize, address: usize) -> Result<(), Trouble> {
        self.prefetched += 1;
        self.load(array, address)
    }

    fn local(&mut self, _array: usize, _address: usize) -> Result<(), Trouble> {
        Ok(())
    }

    fn store(&mut self, array: usize, address: usize, _value: &()) -> Result<(), Trouble> {
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

    fn listen(&mut self, _tap: usize, _tag: &[i64]) -> Result<Option<()>, Trouble> {
        Ok(Some(()))
    }

    fn compute(&mut self, _assignment: Assignment<'_>, _slots: &[i64], _registers: &mut [()]) -> Result<(), Trouble> {
        Ok(())
    }
}
