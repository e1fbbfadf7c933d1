//! What a PE that waits would still do, were everything to come that it waits for.
//!
//! In: a run that has come to rest. Out: whether a PE has a send, a receive or a drive of a tag before it. The body is gone
//! through from where the PE stands, with channels and buses that never make it wait. Control flow depends on sizes and
//! coordinates alone, never on words, so the answer is exact. Where the way is longer than the budget, which all questions
//! of one report share, the answer is yes: the PE may still do its part.

use super::waits::Scene;
use systole_program::array::{Assignment, Entry, Environment, State, Stop, Trouble, resume};

/// How many effects are gone through in one report.
const BUDGET: u64 = 10_000_000;

/// The part that others wait for. Ports and taps are positions in the PE's class.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Needed<'a> {
    /// A send.
    Send { port: usize },
    /// A receive.
    Receive { port: usize },
    /// A drive of this tag.
    Drive { tap: usize, tag: &'a [i64] },
}

/// Goes ahead of the PEs of a run at rest.
pub(super) struct Scout<'a> {
    scene: &'a Scene<'a>,
    left: u64,
}

impl<'a> Scout<'a> {
    /// A scout with its whole budget.
    pub fn new(scene: &'a Scene<'a>) -> Scout<'a> {
        Scout { scene, left: BUDGET }
    }

    /// Whether a PE would still do its part.
    pub fn finds(&mut self, pe: usize, part: Needed<'_>) -> bool {
        let class = self.scene.code.pes[pe].class;
        let mut standing = self.scene.standings[pe].clone();
        let mut registers = vec![(); self.scene.code.classes[class].registers];
        let state = State {
            counter: &mut standing.counter,
            active: &mut true,
            slots: &mut standing.slots,
            registers: &mut registers,
        };
        let mut path = Path { part, left: self.left, found: false };
        let stop = resume(self.scene.code, class, state, &mut path);
        self.left = path.left;
        path.found || stop == Ok(Stop::Waiting)
    }
}

/// A world in which nothing has to wait but the part that is looked for, and a budget that has run out.
struct Path<'a> {
    part: Needed<'a>,
    left: u64,
    found: bool,
}

impl Path<'_> {
    /// Whether the part was met, or the budget has run out.
    fn ends_at(&mut self, part: Needed<'_>) -> bool {
        self.left = self.left.saturating_sub(1);
        self.found |= self.part == part || self.left == 0;
        self.found
    }

    /// The run breaks off once the way is over; which trouble ends it, nobody reads.
    fn go_on(&mut self) -> Result<(), Trouble> {
        self.left = self.left.saturating_sub(1);
        self.found |= self.left == 0;
        if self.found { Err(Trouble::Overflow) } else { Ok(()) }
    }
}

impl Environment for Path<'_> {
    type Word = ();

    fn at(&mut self, _time: i64) {}

    fn tick(&mut self, _cycles: u64) -> Result<(), Trouble> {
        self.go_on()
    }

    fn load(&mut self, _array: usize, _address: usize) -> Result<Option<()>, Trouble> {
        self.go_on().map(Some)
    }

    fn prefetch(&mut self, _array: usize, _address: usize) -> Result<bool, Trouble> {
        self.go_on().map(|()| true)
    }

    fn local(&mut self, _array: usize, _address: usize) -> Result<(), Trouble> {
        self.go_on()
    }

    fn keep(&mut self, _pad: usize, _entry: Entry, _value: &()) -> Result<(), Trouble> {
        self.go_on()
    }

    fn recall(&mut self, _pad: usize, _entry: Entry) -> Result<(), Trouble> {
        self.go_on()
    }

    fn store(&mut self, _array: usize, _address: usize, _value: &()) -> Result<(), Trouble> {
        self.go_on()
    }

    fn receive(&mut self, port: usize) -> Result<Option<()>, Trouble> {
        Ok((!self.ends_at(Needed::Receive { port })).then_some(()))
    }

    fn send(&mut self, port: usize, _value: &()) -> Result<bool, Trouble> {
        Ok(!self.ends_at(Needed::Send { port }))
    }

    fn drive(&mut self, tap: usize, tag: &[i64], _value: &()) -> Result<(), Trouble> {
        self.found |= self.part == (Needed::Drive { tap, tag });
        self.go_on()
    }

    fn listen(&mut self, _tap: usize, _tag: &[i64]) -> Result<Option<()>, Trouble> {
        self.go_on().map(Some)
    }

    fn compute(&mut self, _assignment: Assignment<'_>, _slots: &[i64], _registers: &mut [()]) -> Result<(), Trouble> {
        Ok(())
    }
}
