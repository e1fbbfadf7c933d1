//! Which elements of the inputs the PEs of a rank read.
//!
//! In: a plan and a rank. Out: for each array the runs of addresses that some PE of the rank loads or prefetches. The bodies
//! are gone through with channels and buses that never make anyone wait. Control flow and subscripts depend on sizes and
//! coordinates alone, never on words, so the answer is exact. A body that does something wrong is followed up to there.

use super::super::plan::Plan;
use crate::array::{self, Assignment, Environment, State, Trouble};

/// Addresses from `first`, `count` of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Run {
    pub first: usize,
    pub count: usize,
}

/// For each array the runs of addresses that are read, in rising order.
pub fn needs(plan: &Plan<'_>, rank: usize) -> Vec<Vec<Run>> {
    let words = |layout: &array::Layout| vec![0; layout.length().div_ceil(64)];
    let mut reads = Reads { marks: plan.code.arrays.iter().map(words).collect() };
    for pe in plan.pes_of(rank) {
        follow(plan, pe, &mut reads);
    }
    reads.marks.iter().map(|marks| runs(marks)).collect()
}

fn follow(plan: &Plan<'_>, pe: usize, reads: &mut Reads) {
    let placed = plan.code.pes[pe];
    let class = &plan.code.classes[placed.class];
    let mut slots = plan.code.grid.point(placed.position);
    slots.resize(class.slots, 0);
    let mut registers = vec![(); class.registers];
    let state = State { counter: &mut 0, active: &mut false, slots: &mut slots, registers: &mut registers };
    // What is wrong with the body is told when it runs.
    let _ = array::resume(plan.code, placed.class, state, reads);
}

/// One bit for each element.
struct Reads {
    marks: Vec<Vec<u64>>,
}

impl Reads {
    fn mark(&mut self, array: usize, address: usize) {
        self.marks[array][address / 64] |= 1 << (address % 64);
    }
}

fn runs(marks: &[u64]) -> Vec<Run> {
    let mut runs: Vec<Run> = vec![];
    let marked = |address: &usize| marks[address / 64] >> (address % 64) & 1 == 1;
    for address in (0..marks.len() * 64).filter(marked) {
        match runs.last_mut().filter(|run| run.first + run.count == address) {
            Some(run) => run.count += 1,
            None => runs.push(Run { first: address, count: 1 }),
        }
    }
    runs
}

impl Environment for Reads {
    type Word = ();

    fn at(&mut self, _time: i64) {}

    fn tick(&mut self, _cycles: u64) -> Result<(), Trouble> {
        Ok(())
    }

    fn load(&mut self, array: usize, address: usize) -> Result<(), Trouble> {
        self.mark(array, address);
        Ok(())
    }

    fn prefetch(&mut self, array: usize, address: usize) -> Result<(), Trouble> {
        self.mark(array, address);
        Ok(())
    }

    fn local(&mut self, _array: usize, _address: usize) -> Result<(), Trouble> {
        Ok(())
    }

    fn store(&mut self, _array: usize, _address: usize, _value: &()) -> Result<(), Trouble> {
        Ok(())
    }

    fn receive(&mut self, _port: usize) -> Result<Option<()>, Trouble> {
        Ok(Some(()))
    }

    fn send(&mut self, _port: usize, _value: &()) -> Result<bool, Trouble> {
        Ok(true)
    }

    fn drive(&mut self, _tap: usize, _tag: &[i64], _value: &()) -> Result<(), Trouble> {
        Ok(())
    }

    fn listen(&mut self, _tap: usize, _tag: &[i64]) -> Result<Option<()>, Trouble> {
        Ok(Some(()))
    }

    fn compute(&mut self, _assignment: Assignment<'_>, _slots: &[i64], _registers: &mut [()]) -> Result<(), Trouble> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn neighbours_are_one_run_across_the_words_of_marks() {
        let run = |first, count| Run { first, count };
        assert_eq!(runs(&[1 << 63 | 0b1011, 1]), [run(0, 2), run(3, 1), run(63, 2)]);
        assert_eq!(runs(&[0, 0]), []);
    }
}
