//! Words that hold nothing but how many elements there would be.

use super::account::Account;
use super::cache::{IN_CACHE, IN_MEMORY, Touched};
use crate::exec::workers::packet::{Packet, Parcels};
use crate::exec::workers::word::{ELEMENT, Word};
use crate::leaf::{Face, Few, Work};
use std::marker::PhantomData;
use std::sync::{Arc, Weak};
use systole_program::array::{Assignment, Trouble};

/// What stands for a word of a real run.
pub struct Ghost<W> {
    /// None for a number, or for a tile that is the same number everywhere.
    body: Option<Body>,
    word: PhantomData<fn() -> W>,
}

/// What stands for the elements of a tile.
#[derive(Clone)]
pub struct Body {
    pub elements: u64,
    /// How long it is along each dimension; empty where nobody has said so.
    pub lengths: Few<usize>,
    /// All copies of the same tile hold the same.
    itself: Arc<()>,
    /// By the worker that has it.
    pub touched: Touched,
}

impl Body {
    /// A tile in the cache: its worker has just copied or written it.
    pub fn new(elements: u64) -> Body {
        Body { elements, lengths: Few::new(), itself: Arc::default(), touched: Arc::new(IN_CACHE.into()) }
    }

    /// The same elements, over a box of these lengths.
    pub fn over(self, lengths: &[usize]) -> Body {
        Body { lengths: Few::from_slice(lengths), ..self }
    }

    /// A tile in memory: one that was there before the run, or memory that has been given back.
    pub fn in_memory(elements: u64) -> Body {
        Body { touched: Arc::new(IN_MEMORY.into()), ..Body::new(elements) }
    }

    /// Another tile in its place: a leaf has worked onto it.
    pub fn after_leaf(self) -> Body {
        Body { itself: Arc::default(), ..self }
    }

    /// How large it is.
    pub fn bytes(&self) -> u64 {
        ELEMENT * self.elements
    }
}

impl<W> Ghost<W> {
    /// Stands for a number, or for a uniform tile.
    pub const fn number() -> Ghost<W> {
        Ghost { body: None, word: PhantomData }
    }

    /// Stands for a tile in the cache.
    pub fn tile(elements: u64) -> Ghost<W> {
        Ghost::of(Body::new(elements))
    }

    /// Stands for a tile of those elements.
    pub fn of(body: Body) -> Ghost<W> {
        Ghost { body: Some(body), word: PhantomData }
    }

    /// What stands for the elements of a tile that is not uniform.
    pub fn body(&self) -> Option<&Body> {
        self.body.as_ref()
    }
}

impl<W> Clone for Ghost<W> {
    fn clone(&self) -> Ghost<W> {
        Ghost { body: self.body.clone(), word: PhantomData }
    }
}

/// Packets have as many entries as with real words.
impl<W: Word> Word for Ghost<W> {
    /// Rates are those of double precision.
    type Element = f64;
    type Operations = Account;
    type Mark = Weak<()>;
    const IS_SHARED: bool = W::IS_SHARED;
    const UNWRITTEN: Ghost<W> = Ghost::number();
    const TURN: u32 = W::TURN;
    const SWEEP: usize = W::SWEEP;

    fn note_op(account: &Account) {
        account.note_op();
    }

    fn work(account: &Account) -> Work {
        account.work()
    }

    fn compute(
        account: &Account,
        assignment: Assignment<'_>,
        slots: &[i64],
        registers: &mut [Ghost<W>],
    ) -> Result<Ghost<W>, Trouble> {
        account.compute(assignment, slots, registers)
    }

    fn bytes(&self) -> u64 {
        self.body.as_ref().map_or(ELEMENT, Body::bytes)
    }

    fn mark(&self) -> Option<Weak<()>> {
        self.body.as_ref().map(|body| Arc::downgrade(&body.itself))
    }

    fn has(&self, mark: &Weak<()>) -> bool {
        self.body.as_ref().is_some_and(|body| std::ptr::eq(Arc::as_ptr(&body.itself), mark.as_ptr()))
    }

    fn part(&self, face: &Face) -> Option<(Few<usize>, Ghost<W>)> {
        let lengths = &self.body()?.lengths;
        face.volume(lengths).map(|volume| (lengths.clone(), Ghost::tile(volume as u64)))
    }

    fn put_back(&self, lengths: &[usize], _face: &Face) -> Ghost<W> {
        Ghost::of(Body::new(lengths.iter().product::<usize>() as u64).over(lengths))
    }

    fn pack(&self, packet: &mut Packet) {
        match self.body.as_ref().map(|body| body.elements) {
            None => {
                packet.put(0);
                if W::IS_SHARED {
                    packet.put(0);
                }
            }
            Some(elements) => {
                packet.put(2 * elements + 1);
                packet.announce(usize::try_from(elements + 1).unwrap_or(usize::MAX));
            }
        }
    }

    fn unpack(parcels: &mut Parcels<'_>) -> Option<Ghost<W>> {
        let entry = parcels.take()?;
        if entry % 2 == 1 {
            return Some(Ghost::tile(entry / 2));
        }
        if W::IS_SHARED {
            parcels.take()?;
        }
        Some(Ghost::number())
    }
}
