//! One op, done by all PEs of a block that stand at it.
//!
//! In: a block, an op, who tries it. Out: who has done it stands at the next op or where a jump leads; who has to wait is
//! parked, and nothing of it has changed; or the lane in which the program is wrong. What an op does to one PE is what
//! [`systole_program::array::resume`] does.

use super::block::Block;
use super::lanes::{Fault, LANES, Lanes, each_lane, evaluate, holding, lanes_where, try_each_lane};
use super::region::{Shared, Surroundings};
use super::scalars::assign;
use crate::sim::observe::{Event, Observer};
use systole_program::array::{Index, Op, Scalar, Test, Trouble};

/// An op that some PEs of a block try.
pub(super) struct Step<'a, O> {
    pub block: &'a mut Block,
    /// The block's position in its region.
    pub number: usize,
    /// The op's position in the class.
    pub at: usize,
    /// Who tries.
    pub mask: u64,
    pub around: &'a mut Surroundings,
    pub shared: &'a Shared<'a>,
    pub observer: &'a mut O,
}

impl<O: Observer> Step<'_, O> {
    /// Does the op.
    pub fn run(mut self) -> Result<(), Fault> {
        self.around.tally.instructions += u64::from(self.mask.count_ones());
        let op = &self.shared.code.classes[self.block.class].ops[self.at];
        let done = match op {
            Op::Enter { index, last, from, to, exit } => return self.enter((*index, *last), (from, to), *exit),
            Op::Again { index, last, start } => return self.again(*index, *last, *start),
            Op::Branch { tests, otherwise } => return self.branch(tests, *otherwise),
            Op::Jump(target) => return self.jump(*target),
            Op::At(time) if self.shared.cell.is_shared() => self.begin_shared_step(time)?,
            Op::At(time) => self.wait_until(time)?,
            Op::Advance { rounds, by } => self.end_round(*rounds, by)?,
            Op::Tick(cycles) => self.tick(*cycles)?,
            Op::Share => self.share()?,
            Op::EndStep => self.end_shared_step()?,
            Op::Load { register, array, at } => self.load(*register, *array, at)?,
            Op::Prefetch { array, at } => self.prefetch(*array, at)?,
            Op::Local { register, array, at } => self.local(*register, *array, at)?,
            Op::Keep { pad, at, register } => self.keep(*pad, at, *register)?,
            Op::Recall { register, pad, at } => self.recall(*register, *pad, at)?,
            Op::Store { array, at, register } => self.store(*array, at, *register)?,
            Op::Fill { array, at, register } => self.fill(*array, at, *register)?,
            Op::Receive { register, port } => self.receive(*register, *port)?,
            Op::Send { port, register } => self.send(*port, *register)?,
            Op::Drive { tap, register, tag } => self.drive(*tap, *register, tag)?,
            Op::Listen { register, tap, tag } => self.listen(*register, *tap, tag)?,
            Op::Let { register, value, operation } => self.compute(*register, value, *operation)?,
        };
        if !matches!(op, Op::Advance { .. }) {
            self.block.active |= done;
        }
        // The clock of a PE that ends its step is that of the next.
        if O::WATCHES && !matches!(op, Op::Advance { .. } | Op::Tick(_) | Op::EndStep) {
            self.see_done(done);
        }
        self.block.standing[self.at + 1] |= done;
        self.wait(self.mask & !done);
        Ok(())
    }

    fn see_done(&mut self, done: u64) {
        let instruction = self.shared.code.classes[self.block.class].origins[self.at];
        each_lane(done, |lane| self.observer.see_done(self.pe(lane), instruction, self.block.clock[lane]));
    }

    /// An op that waits is not done.
    fn wait(&mut self, mask: u64) {
        if mask != 0 {
            self.around.tally.instructions -= u64::from(mask.count_ones());
            self.block.park(self.at, mask);
        }
    }

    /// Where a lane's PE is in its region.
    pub fn seat(&self, lane: usize) -> u32 {
        (self.number * LANES + lane) as u32
    }

    /// The position of a lane's PE in the code.
    #[inline(always)]
    pub fn pe(&self, lane: usize) -> usize {
        self.block.pes.get(lane).map_or(0, |pe| *pe as usize)
    }

    fn enter(self, (index, last): (usize, usize), (from, to): (&Index, &Index), exit: usize) -> Result<(), Fault> {
        let slots = &mut self.block.slots;
        let (from, to) = (evaluate(from, slots, self.mask)?, evaluate(to, slots, self.mask)?);
        each_lane(self.mask, |lane| {
            slots[index][lane] = from[lane];
            slots[last][lane] = to[lane];
        });
        let rounds = lanes_where(self.mask, |lane| from[lane] <= to[lane]);
        self.block.standing[self.at + 1] |= rounds;
        self.block.standing[exit] |= self.mask & !rounds;
        Ok(())
    }

    fn again(self, index: usize, last: usize, start: usize) -> Result<(), Fault> {
        let Ok([index, last]) = self.block.slots.get_disjoint_mut([index, last]) else { return Ok(()) };
        // In a loop no index is beyond the last, so that only equality needs to be looked for.
        let ended = match self.mask == u64::MAX && (0..LANES).fold(true, |all, lane| all & (index[lane] != last[lane]))
        {
            true => 0,
            false => lanes_where(self.mask, |lane| index[lane] >= last[lane]),
        };
        each_lane(self.mask & !ended, |lane| index[lane] = index[lane].wrapping_add(1));
        self.block.standing[self.at + 1] |= ended;
        self.block.standing[start] |= self.mask & !ended;
        Ok(())
    }

    fn branch(self, tests: &[Test], otherwise: usize) -> Result<(), Fault> {
        let holding = match self.block.settled[self.at] {
            Some(settled) => settled & self.mask,
            None => holding(tests, &self.block.slots, self.mask)?,
        };
        self.block.standing[self.at + 1] |= holding;
        self.block.standing[otherwise] |= self.mask & !holding;
        Ok(())
    }

    fn jump(self, target: usize) -> Result<(), Fault> {
        self.block.standing[target] |= self.mask;
        Ok(())
    }

    /// Cycles that pass before a PE has computed, ticked or waited are counted apart.
    fn wait_until(&mut self, time: &Index) -> Result<u64, Fault> {
        let times = self.begin_steps(evaluate(time, &self.block.slots, self.mask)?)?;
        let before = self.block.clock;
        if O::WATCHES {
            self.see_began(&times, &before);
        }
        let Block { clock, idle_before, idle_between, began, .. } = &mut *self.block;
        let late = lanes_where(self.mask, |lane| times[lane] > 0 && times[lane] as u64 > before[lane]);
        let fresh = lanes_where(late & !*began, |lane| before[lane] == idle_before[lane]);
        each_lane(late, |lane| clock[lane] = times[lane] as u64);
        each_lane(fresh, |lane| idle_before[lane] = clock[lane]);
        each_lane(late & !fresh, |lane| idle_between[lane] += clock[lane] - before[lane]);
        self.block.rest(late, &before, &mut self.around.profile);
        Ok(self.mask)
    }

    /// A round is over: what `at` says is counted from later on.
    fn end_round(&mut self, rounds: usize, by: &Index) -> Result<u64, Fault> {
        let by = evaluate(by, &self.block.slots, self.mask)?;
        let slot = &mut self.block.slots[rounds];
        try_each_lane(self.mask, |lane| {
            slot[lane] = slot[lane].checked_add(by[lane]).ok_or(Trouble::Overflow)?;
            Ok(())
        })?;
        Ok(self.mask)
    }

    fn see_began(&mut self, times: &Lanes<i64>, clocks: &Lanes<u64>) {
        each_lane(self.mask, |lane| {
            let due = u64::try_from(times[lane]).unwrap_or(0);
            self.observer.see(Event::Began { pe: self.pe(lane), due, clock: clocks[lane] });
        });
    }

    fn tick(&mut self, cycles: u64) -> Result<u64, Fault> {
        if self.shared.durations.is_some() {
            return self.end_step(cycles);
        }
        let clock = &self.block.clock;
        let latest = (0..LANES).fold(0, |latest, lane| latest | clock[lane]);
        if latest.checked_add(cycles).is_none() {
            try_each_lane(self.mask, |lane| clock[lane].checked_add(cycles).map(|_| ()).ok_or(Trouble::Overflow))?;
        }
        self.see_each(|clock, pe| Event::Busy { pe, from: clock, to: clock.wrapping_add(cycles) });
        self.block.work(self.mask, cycles, &mut self.around.profile);
        self.block.began |= self.mask;
        Ok(self.mask)
    }

    /// An operation is over and its step is not, if the cell had room for it.
    fn share(&mut self) -> Result<u64, Fault> {
        let (cell, sharing) = (self.shared.cell, &mut self.block.sharing);
        try_each_lane(self.mask, |lane| {
            sharing[lane] += 1;
            let operations = sharing[lane];
            if cell.has_room_for(operations) { Ok(()) } else { Err(Trouble::FullCell { operations }) }
        })?;
        Ok(self.mask)
    }

    /// The step in which operations are shared has begun for the PEs that did one of them.
    fn begin_shared_step(&mut self, time: &Index) -> Result<u64, Fault> {
        let sharing = &self.block.sharing;
        let open = lanes_where(self.mask, |lane| sharing[lane] == 0);
        let all = std::mem::replace(&mut self.mask, open);
        self.wait_until(time)?;
        self.mask = all;
        Ok(all)
    }

    /// A step is over for the PEs that did some operation in it.
    fn end_shared_step(&mut self) -> Result<u64, Fault> {
        let sharing = &mut self.block.sharing;
        let busy = lanes_where(self.mask, |lane| sharing[lane] > 0);
        each_lane(busy, |lane| sharing[lane] = 0);
        let all = std::mem::replace(&mut self.mask, busy);
        self.tick(1)?;
        self.mask = all;
        Ok(all)
    }

    fn compute(&mut self, register: usize, value: &Scalar, operation: usize) -> Result<u64, Fault> {
        let Block { slots, registers, .. } = &mut *self.block;
        match &self.shared.tiles {
            None => assign(value, slots, registers, register, self.mask)?,
            Some(tiles) => tiles.assign(value, slots, registers, register, self.mask)?,
        }
        self.around.tally.computed[operation] += u64::from(self.mask.count_ones());
        self.block.began |= self.mask;
        self.spend(operation)?;
        self.see_each(|clock, pe| Event::Computed { pe, operation, clock });
        Ok(self.mask)
    }

    /// Shows an event of each PE, given its clock and its position.
    #[inline(always)]
    fn see_each(&mut self, event: impl Fn(u64, usize) -> Event) {
        if O::WATCHES {
            each_lane(self.mask, |lane| self.observer.see(event(self.block.clock[lane], self.pe(lane))));
        }
    }
}
