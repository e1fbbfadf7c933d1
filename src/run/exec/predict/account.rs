//! What the work of one worker takes.
//!
//! In: what it does. Out: its clock, and what was counted. Nothing here depends on the host's time.

use super::cache::Cache;
use super::ghost::{Body, Ghost};
use super::unknown_rates;
use crate::leaf::{Forecast, Forecasts, LeafBackend, Work};
use std::cell::{Cell, RefCell};
use std::collections::BTreeSet;
use std::rc::Rc;
use systole_base::diagnostic::Checked;
use systole_base::integer::Bindings;
use systole_base::machine::{Cluster, OTHER, Warmth, library};
use systole_program::array::{Assignment, Call, Program, Scalar, Trouble};

/// Loops, as a position among the libraries.
const LOOPS: usize = 0;

/// What all workers look up.
pub struct Book {
    forecasts: Option<Forecasts>,
    /// The library of the leaves, as a position.
    library: usize,
    pub cluster: Cluster,
    /// Rates that were needed and are not known.
    missing: RefCell<BTreeSet<(usize, usize)>>,
}

impl Book {
    /// The times of a program's leaves on a cluster.
    pub fn new(program: &Program, sizes: &Bindings, leaves: LeafBackend, cluster: &Cluster) -> Checked<Book> {
        let forecasts = program.is_over_tiles().then(|| Forecasts::new(program, sizes, leaves)).transpose()?;
        Ok(Book {
            forecasts,
            library: library(leaves.keyword()),
            cluster: cluster.clone(),
            missing: RefCell::default(),
        })
    }

    /// Refuses a run for which rates were missing.
    pub fn check_rates(&self) -> Checked<()> {
        let missing = self.missing.borrow();
        if missing.is_empty() { Ok(()) } else { Err(unknown_rates(&missing, self.library, &self.cluster)) }
    }

    /// What a library takes for a task whose tiles were touched last as long ago as said.
    fn seconds(&self, library: usize, task: usize, applied: u64, tiles: &[Touch]) -> f64 {
        let seconds = self.cluster.seconds(library, task, applied).unwrap_or_else(|| {
            self.missing.borrow_mut().insert((library, task));
            Warmth::default()
        });
        seconds.seconds(self.cold_share(task, tiles))
    }

    /// The share of some tiles that comes out of memory for a task.
    fn cold_share(&self, task: usize, tiles: &[Touch]) -> f64 {
        let cold = |tile: &Touch| self.cluster.cold(task, tile.distance) * tile.moved as f64;
        let all: u64 = tiles.iter().map(|tile| tile.moved).sum();
        if all == 0 { 0.0 } else { tiles.iter().map(cold).sum::<f64>() / all as f64 }
    }

    fn seconds_of(&self, forecast: &Forecast, tiles: &[Touch]) -> f64 {
        let library = |by_library: bool| if by_library { self.library } else { LOOPS };
        let chores = forecast.chores.iter();
        chores.map(|chore| self.seconds(library(chore.by_library), chore.task, chore.applied, tiles)).sum()
    }
}

/// A tile that is touched.
struct Touch {
    /// How many bytes go to and fro where it is in memory: those of a tile that is worked onto go both ways.
    moved: u64,
    /// How many bytes were touched since it was touched last.
    distance: u64,
}

/// The time of one worker.
pub struct Account {
    book: Rc<Book>,
    clock: Cell<f64>,
    busy: Cell<f64>,
    /// When all bytes that it sent so far have left.
    left: Cell<f64>,
    ops: Cell<u64>,
    work: Cell<Work>,
    cache: RefCell<Cache>,
}

impl Account {
    /// At time 0.
    pub fn new(book: Rc<Book>) -> Account {
        let [clock, busy, left] = [0.0; 3].map(Cell::new);
        Account { book, clock, busy, left, ops: Cell::new(0), work: Cell::default(), cache: RefCell::default() }
    }

    /// At time 0 of another run on the same operands.
    pub fn again(&self) -> Account {
        let cache = Cache::after(self.cache.borrow().bytes());
        Account { cache: cache.into(), ..Account::new(Rc::clone(&self.book)) }
    }

    /// The worker's clock, in seconds.
    pub fn now(&self) -> f64 {
        self.clock.get()
    }

    /// Seconds in which it did something.
    pub fn busy(&self) -> f64 {
        self.busy.get()
    }

    /// How many ops it did.
    pub fn ops(&self) -> u64 {
        self.ops.get()
    }

    /// What its leaves did.
    pub fn work(&self) -> Work {
        self.work.get()
    }

    /// Does nothing until then.
    pub fn wait_until(&self, time: f64) {
        self.clock.set(self.now().max(time));
    }

    /// Sends so many bytes; when they are there.
    pub fn send(&self, bytes: u64) -> f64 {
        let Cluster { message, byte, .. } = &self.book.cluster;
        let left = self.now().max(self.left.get()) + byte * bytes as f64;
        self.left.set(left);
        left + message
    }

    /// Takes in so many bytes.
    pub fn take(&self, bytes: u64) {
        self.spend(self.book.cluster.taken * bytes as f64);
    }

    /// Loads, stores or begins a tile of so many bytes.
    pub fn handle(&self, bytes: u64) {
        self.spend(self.book.cluster.memory * bytes as f64);
    }

    /// Touches tiles that are read.
    fn touch_all<W>(&self, tiles: &[Ghost<W>]) -> Vec<Touch> {
        tiles.iter().filter_map(Ghost::body).map(|tile| self.touch(tile)).collect()
    }

    fn touch(&self, tile: &Body) -> Touch {
        let moved = tile.bytes();
        Touch { moved, distance: self.cache.borrow_mut().touch(&tile.touched, moved) }
    }

    /// Does an op.
    pub fn note_op(&self) {
        self.ops.set(self.ops() + 1);
        self.spend(self.book.cluster.operation);
    }

    fn spend(&self, seconds: f64) {
        self.clock.set(self.now() + seconds);
        self.busy.set(self.busy() + seconds);
    }

    /// Computes a `let`.
    pub fn compute<W>(
        &self,
        assignment: Assignment<'_>,
        slots: &[i64],
        registers: &[Ghost<W>],
    ) -> Result<Ghost<W>, Trouble> {
        self.evaluate(assignment.value, slots, registers)
    }

    fn evaluate<W>(&self, value: &Scalar, slots: &[i64], registers: &[Ghost<W>]) -> Result<Ghost<W>, Trouble> {
        let part = |part: &Scalar| self.evaluate(part, slots, registers);
        match value {
            Scalar::Number(_) | Scalar::Index(_) => Ok(Ghost::number()),
            Scalar::Register(number) => Ok(registers[*number].clone()),
            Scalar::Unary(_, operand) => self.apply(&[part(operand)?]),
            Scalar::Binary(_, parts) => self.apply(&[part(&parts[0])?, part(&parts[1])?]),
            Scalar::Ternary(_, parts) => self.apply(&[part(&parts[0])?, part(&parts[1])?, part(&parts[2])?]),
            Scalar::Call(call) => {
                let arguments: Vec<Ghost<W>> = call.arguments.iter().map(part).collect::<Result<_, _>>()?;
                self.call(call, &arguments, call.onto.as_ref().map(part).transpose()?.as_ref(), slots)
            }
        }
    }

    /// A function of tiles, element by element; one of numbers is an op like any other.
    fn apply<W>(&self, tiles: &[Ghost<W>]) -> Result<Ghost<W>, Trouble> {
        let Some(Body { elements, lengths, .. }) = tiles.iter().find_map(Ghost::body) else {
            return Ok(Ghost::number());
        };
        self.spend(self.book.seconds(LOOPS, OTHER, *elements, &self.touch_all(tiles)));
        Ok(Ghost::of(Body::new(*elements).over(lengths)))
    }

    /// A leaf, which works onto a tile or begins one.
    fn call<W>(
        &self,
        call: &Call,
        tiles: &[Ghost<W>],
        onto: Option<&Ghost<W>>,
        slots: &[i64],
    ) -> Result<Ghost<W>, Trouble> {
        let at: Option<Vec<i64>> = call.at.iter().map(|entry| entry.value(slots)).collect();
        let at = at.ok_or(Trouble::Overflow)?;
        let forecasts = self.book.forecasts.as_ref().ok_or(Trouble::WrongTile { leaf: call.leaf })?;
        let forecast = forecasts.of(call.leaf, &at)?;
        let elements = forecast.lengths.iter().product::<usize>() as u64;
        let result = onto.and_then(Ghost::body).cloned().unwrap_or_else(|| self.begun(elements));
        let mut touched = self.touch_all(tiles);
        let worked_onto = self.touch(&result);
        touched.push(Touch { moved: 2 * worked_onto.moved, ..worked_onto });
        self.spend(self.book.seconds_of(&forecast, &touched));
        self.work.set(self.work().plus(&forecast.work()));
        Ok(Ghost::of(result.after_leaf().over(&forecast.lengths)))
    }

    /// A tile that a leaf begins, in memory that was given back some time ago.
    fn begun(&self, elements: u64) -> Body {
        let tile = Body::in_memory(elements);
        self.handle(tile.bytes());
        tile
    }
}
