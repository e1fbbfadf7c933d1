//! How a program is run: who runs which PE, where arrays begin and end, and what may be held.
//!
//! In: what the user asks for. Out: [`Settings`], checked before anything is read.

use super::sharing::broadcast::Broadcast;
use super::sharing::owners::Owners;
use crate::leaf::LeafBackend;
use systole_base::diagnostic::{Checked, Diagnostic};
use systole_base::scalar::Precision;
use systole_equations::recurrence::{Distribution, LeafOrder};
use systole_program::array;
use systole_program::array::{ArrayDecl, Grid, Program};

/// How a program is run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Settings {
    /// How many workers there are, at least 1.
    pub workers: usize,
    /// Whether each has a memory of its own, as ranks have: then of a tile goes what somebody reads, and none again that comes back.
    /// Predictions have to be told; who runs a program knows.
    pub apart: bool,
    /// How PEs are distributed to them. None for what the program says, and in blocks where it says nothing.
    pub distribution: Option<Distribution>,
    /// How many workers stand along each axis of the grid; their product is `workers`. None for the grid that
    /// [`Owners::new`] chooses.
    pub arrangement: Option<Vec<usize>>,
    /// How the words of all arrays are distributed before and after the run, axis by axis. None for what the program says of each; where
    /// it says nothing, a word is with the worker that loads or stores it.
    pub layout: Option<Distribution>,
    /// In which order a worker computes the tiles of its PEs. None for what the program says; where it says nothing, by steps, or where no
    /// tile that is computed goes to another PE (products whose results stay), so that nobody waits for one, in turns.
    pub order: Option<LeafOrder>,
    /// How often the program is run, at least 1, one run after the other on the same operands.
    pub repeat: usize,
    /// Slots of every channel, at least 1, in place of the declared depths.
    pub capacity: Option<u64>,
    /// How a word on a bus gets to all workers of its line.
    pub broadcast: Broadcast,
    /// How many digits numbers and the elements of tiles have.
    pub precision: Precision,
    /// What runs the leaves of a program over tiles.
    pub leaves: LeafBackend,
    /// The most bytes that this rank, or all threads together, may hold; nothing is read for a run that would hold more. `None`: as much
    /// as a simulated run.
    pub memory: Option<u64>,
    /// Whether to keep what each worker does when.
    pub trace: bool,
}

impl Default for Settings {
    fn default() -> Settings {
        Settings {
            workers: 1,
            apart: false,
            distribution: None,
            arrangement: None,
            layout: None,
            order: None,
            repeat: 1,
            capacity: None,
            broadcast: Broadcast::default(),
            precision: Precision::default(),
            leaves: LeafBackend::default(),
            memory: None,
            trace: false,
        }
    }
}

/// So many workers a run has at most: every one of them, and a prediction, knows where all are.
const MOST_OF_A_RUN: usize = 1 << 16;

impl Settings {
    /// The most bytes that the worker, or all threads together, may hold.
    pub(super) fn most_bytes(&self) -> u64 {
        self.memory.unwrap_or(array::MEMORY_LIMIT)
    }

    /// How the PEs of a program are distributed.
    pub fn distribution(&self, program: &Program) -> Distribution {
        self.distribution.or(program.fold).unwrap_or_default()
    }

    /// In which order a worker computes the tiles of a program.
    pub fn order(&self, program: &Program) -> LeafOrder {
        let usual = if program.hands_on() { LeafOrder::STEPS } else { LeafOrder::TURNS };
        self.order.or(program.order).unwrap_or(usual)
    }

    /// How the words of each array of a program are distributed, where they are.
    pub fn layouts(&self, program: &Program) -> Vec<Option<Distribution>> {
        program.arrays.iter().map(|ArrayDecl { layout, .. }| self.layout.or(*layout)).collect()
    }

    /// The worker of each PE of a program, whose grid has these sizes.
    pub(super) fn owners(&self, program: &Program, grid: &Grid, workers: usize) -> Checked<Owners> {
        let distribution = self.distribution(program);
        match &self.arrangement {
            None => Ok(Owners::new(grid, workers, distribution)),
            Some(arrangement) => Owners::arranged(grid, workers, arrangement, distribution),
        }
    }

    /// Refuses what no run can have.
    ///
    /// # Errors
    /// No worker, or too many, no run, no slots, nothing that is distributed or computed at a time.
    pub(super) fn check(&self) -> Checked<()> {
        if self.workers == 0 {
            return Diagnostic::usage("a run has at least 1 worker").help("say how many, such as 2").alone();
        }
        if self.workers > MOST_OF_A_RUN {
            return Diagnostic::usage(format!(
                "a run has at most {MOST_OF_A_RUN} workers, and {} are asked for",
                self.workers
            ))
            .help("name fewer, such as 32")
            .alone();
        }
        if self.repeat == 0 {
            return Diagnostic::usage("a program is run at least once")
                .help("leave out `--repeat`, or say 1 or more")
                .alone();
        }
        if self.capacity == Some(0) {
            return Diagnostic::usage("the capacity of a channel is 0; it must be at least 1")
                .help("leave out `--capacity` for the depths that the program states")
                .alone();
        }
        if self.distribution == Some(Distribution::BlockCyclic(0)) {
            return Diagnostic::usage("PEs are distributed 0 at a time; it must be at least 1").alone();
        }
        if self.order.is_some_and(|order| order.together == 0) {
            return Diagnostic::usage("a PE computes the tiles of 0 steps together; it must be at least 1").alone();
        }
        if self.layout == Some(Distribution::BlockCyclic(0)) {
            return Diagnostic::usage("words of arrays are distributed 0 at a time; it must be at least 1").alone();
        }
        Ok(())
    }
}
