//! Runs one PE's code until it waits or ends.
//!
//! In: the code of a class, the state of a PE, and an [`Environment`] that gives every instruction with an effect outside
//! the PE its meaning. Control flow, integer expressions, addresses and registers are the same for every back end and are
//! handled here, so that all back ends compute the same bits. An instruction that has to wait changes nothing and is run
//! again from its start. What a word is, a number or a tile, the environment says.

use super::code::{Code, Entry, Index, Op, Pad, Scalar};

/// A PE between two runs.
pub struct State<'a, W> {
    /// The next op.
    pub counter: &'a mut usize,
    /// Whether any op with an effect has been done.
    pub active: &'a mut bool,
    /// Integer variables, the coordinates first.
    pub slots: &'a mut [i64],
    /// Registers.
    pub registers: &'a mut [W],
}

/// A `let`.
#[derive(Clone, Copy, Debug)]
pub struct Assignment<'a> {
    /// The register that it writes.
    pub register: usize,
    /// Its expression.
    pub value: &'a Scalar,
    /// Its position in [`Code::operations`].
    pub operation: usize,
}

/// Why a PE no longer runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stop {
    /// Its body is done.
    Finished,
    /// The op at its counter has to wait.
    Waiting,
}

/// What may go wrong in a run. Arrays, ports and taps are positions, as in [`Op`].
#[allow(missing_docs)]
#[derive(Clone, Debug, PartialEq)]
pub enum Trouble {
    /// The value of an integer expression, or a clock, does not fit 64 bits.
    Overflow,
    /// No such element.
    OutOfRange { array: usize, subscripts: Vec<i64> },
    /// An element is read from the PE's own memory that was not brought there.
    NotPrefetched { array: usize, address: usize },
    /// No such entry.
    OutsideScratchpad { pad: usize, subscripts: Vec<i64> },
    /// An element is recalled that the PE has not kept.
    NotKept { pad: usize, element: usize },
    /// An element is recalled whose word holds another one by now.
    KeptOver { pad: usize, element: usize, by: usize },
    /// An operation shares a step in which its cell has no room for it; so many are one too many.
    FullCell { operations: u64 },
    /// An element is stored a second time.
    StoredTwice { array: usize, address: usize },
    /// The channel at this port has no far end.
    NoPeer { port: usize },
    /// A tag is driven a second time on a line.
    DrivenTwice { tap: usize, tag: Vec<i64> },
    /// A leaf is given a tile that does not have the elements of its box.
    WrongTile { leaf: usize },
    /// A leaf's subscripts leave their window.
    OutsideWindow { leaf: usize, window: usize },
    /// A tile of one box stands where one of another is needed; in elements.
    OtherBox { needed: usize, found: usize },
}

/// The world around a PE. `None` and `false` mean that the PE has to wait.
pub trait Environment {
    /// What a register holds, a channel carries and an array has at an address.
    type Word: Clone;
    /// Called before every op, also before one that has to wait.
    #[inline(always)]
    fn op(&mut self) {}
    /// `at`.
    fn at(&mut self, time: i64);
    /// `tick`.
    fn tick(&mut self, cycles: u64) -> Result<(), Trouble>;
    /// `share`. Where nothing is timed, nothing follows from it.
    #[inline(always)]
    fn share(&mut self) -> Result<(), Trouble> {
        Ok(())
    }
    /// `end-step`. Where nothing is timed, nothing follows from it.
    #[inline(always)]
    fn end_step(&mut self) -> Result<(), Trouble> {
        Ok(())
    }
    /// `load`; `None` where the word is not there yet.
    fn load(&mut self, array: usize, address: usize) -> Result<Option<Self::Word>, Trouble>;
    /// `prefetch`; whether the word is there.
    fn prefetch(&mut self, array: usize, address: usize) -> Result<bool, Trouble>;
    /// `local`.
    fn local(&mut self, array: usize, address: usize) -> Result<Self::Word, Trouble>;
    /// `keep`: an element into its word of the PE's own scratchpad.
    fn keep(&mut self, pad: usize, entry: Entry, value: &Self::Word) -> Result<(), Trouble>;
    /// `recall`.
    fn recall(&mut self, pad: usize, entry: Entry) -> Result<Self::Word, Trouble>;
    /// `store`.
    fn store(&mut self, array: usize, address: usize, value: &Self::Word) -> Result<(), Trouble>;
    /// `fill`. Where nothing is timed it is a store.
    #[inline(always)]
    fn fill(&mut self, array: usize, address: usize, value: &Self::Word) -> Result<(), Trouble> {
        self.store(array, address, value)
    }
    /// `recv`.
    fn receive(&mut self, port: usize) -> Result<Option<Self::Word>, Trouble>;
    /// `send`.
    fn send(&mut self, port: usize, value: &Self::Word) -> Result<bool, Trouble>;
    /// `drive`.
    fn drive(&mut self, tap: usize, tag: &[i64], value: &Self::Word) -> Result<(), Trouble>;
    /// `listen`.
    fn listen(&mut self, tap: usize, tag: &[i64]) -> Result<Option<Self::Word>, Trouble>;
    /// Before a `let`, which is the op at `counter`: whether it is computed now.
    #[inline(always)]
    fn begin(&mut self, _operation: usize, _counter: usize, _slots: &[i64], _registers: &[Self::Word]) -> bool {
        true
    }
    /// `let`: the value, which is then written to its register. What that register holds may be taken out.
    fn compute(
        &mut self,
        assignment: Assignment<'_>,
        slots: &[i64],
        registers: &mut [Self::Word],
    ) -> Result<Self::Word, Trouble>;
}

/// Goes on with a PE of the class with the position `class`.
///
/// # Errors
/// What the program does wrong, at the op that `state.counter` then stands at.
pub fn resume<E: Environment>(
    code: &Code,
    class: usize,
    state: State<'_, E::Word>,
    environment: &mut E,
) -> Result<Stop, Trouble> {
    let ops = code.classes[class].ops.as_slice();
    let State { counter, active, slots, registers } = state;
    let mut pe = Running { code, slots, registers, environment, tag: vec![] };
    while let Some(op) = ops.get(*counter) {
        match pe.step(op, *counter)? {
            Step::Next => *counter += 1,
            Step::Jump(target) => {
                *counter = target;
                continue;
            }
            Step::Wait => return Ok(Stop::Waiting),
        }
        *active |= !matches!(op, Op::Enter { .. } | Op::Again { .. } | Op::Branch { .. } | Op::Advance { .. });
    }
    Ok(Stop::Finished)
}

enum Step {
    Next,
    Jump(usize),
    Wait,
}

struct Running<'a, E: Environment> {
    code: &'a Code,
    slots: &'a mut [i64],
    registers: &'a mut [E::Word],
    environment: &'a mut E,
    tag: Vec<i64>,
}

impl<E: Environment> Running<'_, E> {
    /// One op, which stands at `counter`: a case for each kind.
    fn step(&mut self, op: &Op, counter: usize) -> Result<Step, Trouble> {
        self.environment.op();
        match op {
            Op::Enter { index, last, from, to, exit } => return self.enter(*index, *last, from, to, *exit),
            Op::Again { index, last, start } => return Ok(self.again(*index, *last, *start)),
            Op::Branch { tests, otherwise } => {
                for test in tests {
                    if !test.holds(self.slots).ok_or(Trouble::Overflow)? {
                        return Ok(Step::Jump(*otherwise));
                    }
                }
            }
            Op::Jump(target) => return Ok(Step::Jump(*target)),
            Op::At(time) => self.environment.at(self.value(time)?),
            Op::Advance { rounds, by } => {
                self.slots[*rounds] = self.slots[*rounds].checked_add(self.value(by)?).ok_or(Trouble::Overflow)?;
            }
            Op::Tick(cycles) => self.environment.tick(*cycles)?,
            Op::Share => self.environment.share()?,
            Op::EndStep => self.environment.end_step()?,
            Op::Load { register, array, at } => match self.environment.load(*array, self.address(*array, at)?)? {
                Some(value) => self.registers[*register] = value,
                None => return Ok(Step::Wait),
            },
            Op::Prefetch { array, at } => {
                if !self.environment.prefetch(*array, self.address(*array, at)?)? {
                    return Ok(Step::Wait);
                }
            }
            Op::Local { register, array, at } => {
                self.registers[*register] = self.environment.local(*array, self.address(*array, at)?)?;
            }
            Op::Keep { pad, at, register } => {
                let entry = self.entry(*pad, at)?;
                self.environment.keep(*pad, entry, &self.registers[*register])?;
            }
            Op::Recall { register, pad, at } => {
                self.registers[*register] = self.environment.recall(*pad, self.entry(*pad, at)?)?;
            }
            Op::Store { array, at, register } => {
                self.environment.store(*array, self.address(*array, at)?, &self.registers[*register])?;
            }
            Op::Fill { array, at, register } => {
                self.environment.fill(*array, self.address(*array, at)?, &self.registers[*register])?;
            }
            Op::Receive { register, port } => match self.environment.receive(*port)? {
                Some(value) => self.registers[*register] = value,
                None => return Ok(Step::Wait),
            },
            Op::Send { port, register } => {
                if !self.environment.send(*port, &self.registers[*register])? {
                    return Ok(Step::Wait);
                }
            }
            Op::Drive { tap, register, tag } => {
                self.read_tag(tag)?;
                self.environment.drive(*tap, &self.tag, &self.registers[*register])?;
            }
            Op::Listen { register, tap, tag } => {
                self.read_tag(tag)?;
                match self.environment.listen(*tap, &self.tag)? {
                    Some(value) => self.registers[*register] = value,
                    None => return Ok(Step::Wait),
                }
            }
            Op::Let { register, value, operation } => {
                return self.compute(Assignment { register: *register, value, operation: *operation }, counter);
            }
        }
        Ok(Step::Next)
    }

    fn compute(&mut self, assignment: Assignment<'_>, counter: usize) -> Result<Step, Trouble> {
        if !self.environment.begin(assignment.operation, counter, self.slots, self.registers) {
            return Ok(Step::Wait);
        }
        self.registers[assignment.register] = self.environment.compute(assignment, self.slots, self.registers)?;
        Ok(Step::Next)
    }

    fn enter(&mut self, index: usize, last: usize, from: &Index, to: &Index, exit: usize) -> Result<Step, Trouble> {
        let (from, to) = (self.value(from)?, self.value(to)?);
        self.slots[index] = from;
        self.slots[last] = to;
        Ok(if from <= to { Step::Next } else { Step::Jump(exit) })
    }

    fn again(&mut self, index: usize, last: usize, start: usize) -> Step {
        if self.slots[index] >= self.slots[last] {
            return Step::Next;
        }
        self.slots[index] += 1;
        Step::Jump(start)
    }

    fn value(&self, index: &Index) -> Result<i64, Trouble> {
        index.value(self.slots).ok_or(Trouble::Overflow)
    }

    fn read_tag(&mut self, tag: &[Index]) -> Result<(), Trouble> {
        self.tag.clear();
        for entry in tag {
            self.tag.push(entry.value(self.slots).ok_or(Trouble::Overflow)?);
        }
        Ok(())
    }

    /// The row-major address of an element; every subscript must be in range.
    fn address(&self, array: usize, at: &[Index]) -> Result<usize, Trouble> {
        let mut address = 0;
        for (subscript, extent) in at.iter().zip(&self.code.arrays[array].shape) {
            match usize::try_from(self.value(subscript)?) {
                Ok(subscript) if subscript < *extent => address = address * extent + subscript,
                _ => return Err(self.out_of_range(array, at)),
            }
        }
        Ok(address)
    }

    /// Where an element has its word in a scratchpad.
    fn entry(&self, pad: usize, at: &[Index]) -> Result<Entry, Trouble> {
        entry_of((pad, &self.code.scratchpads[pad]), at, |slot| self.slots[slot])
    }

    fn out_of_range(&self, array: usize, at: &[Index]) -> Trouble {
        match at.iter().map(|subscript| subscript.value(self.slots)).collect() {
            Some(subscripts) => Trouble::OutOfRange { array, subscripts },
            None => Trouble::Overflow,
        }
    }
}

/// Where an element has its word in a scratchpad, where `slot` gives the slots.
///
/// # Errors
/// A subscript that is out of range, or does not fit.
pub fn entry_of((number, pad): (usize, &Pad), at: &[Index], slot: impl Fn(usize) -> i64) -> Result<Entry, Trouble> {
    let subscripts: Option<Vec<i64>> = at.iter().map(|index| index.value_of(&slot)).collect();
    let subscripts = subscripts.ok_or(Trouble::Overflow)?;
    let mut entry = Entry { element: 0, word: 0 };
    for ((subscript, extent), room) in subscripts.iter().zip(&pad.shape).zip(&pad.room) {
        match usize::try_from(*subscript) {
            Ok(subscript) if subscript < *extent => {
                entry.element = entry.element * extent + subscript;
                entry.word = entry.word * room + subscript % room;
            }
            _ => return Err(Trouble::OutsideScratchpad { pad: number, subscripts }),
        }
    }
    Ok(entry)
}

/// What a word of a scratchpad holds, where that is the element.
///
/// # Errors
/// Nothing was kept in the word, or another element was.
pub fn recalled<W>(held: Option<(usize, W)>, pad: usize, element: usize) -> Result<W, Trouble> {
    match held {
        Some((by, word)) if by == element => Ok(word),
        Some((by, _)) => Err(Trouble::KeptOver { pad, element, by }),
        None => Err(Trouble::NotKept { pad, element }),
    }
}
