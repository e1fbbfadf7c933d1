//! Regions that sweep at the same time, a thread for each.
//!
//! In: regions, what joins them, the ledger. Out: all of them where no PE can go on. A thread sweeps its region and waits for
//! the others; the last to come passes on what they have for each other, looks after the limits, and lets all go on. A
//! sweep takes microseconds, so who waits does not sleep.

use super::Stop;
use super::border::Border;
use super::ledger::Ledger;
use super::region::{Region, Shared};
use crate::diagnostic::{Checked, Diagnostic};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// A thread looks so often for the others before it lets another have its core.
const PATIENCE: u32 = 2_000;

/// Runs until no PE can go on.
///
/// # Errors
/// Where threads cannot be had; and [`Stop`], whose PE is one of those that fail, not always the first.
pub(super) fn run(
    regions: &mut Vec<Region>,
    shared: &Shared<'_>,
    border: &mut Border,
    ledger: &mut Ledger,
) -> Checked<Result<(), Stop>> {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(regions.len()).build();
    let pool = pool.map_err(|error| vec![Diagnostic::new(format!("threads cannot be started: {error}"))])?;
    let rounds = Rounds {
        regions: regions.drain(..).map(Mutex::new).collect(),
        shared,
        between: Mutex::new(Between { border, ledger, stopped: None }),
        come: AtomicUsize::new(0),
        round: AtomicUsize::new(0),
        ended: AtomicBool::new(false),
    };
    pool.broadcast(|thread| rounds.run(thread.index()));
    let Rounds { regions: swept, between, .. } = rounds;
    regions.extend(swept.into_iter().map(|region| region.into_inner().unwrap_or_else(PoisonError::into_inner)));
    let between = between.into_inner().unwrap_or_else(PoisonError::into_inner);
    Ok(between.stopped.map_or(Ok(()), Err))
}

/// What only the last to come touches.
struct Between<'r> {
    border: &'r mut Border,
    ledger: &'r mut Ledger,
    stopped: Option<Stop>,
}

/// Sweeps of all regions, one after the other.
struct Rounds<'r, 'a> {
    regions: Vec<Mutex<Region>>,
    shared: &'r Shared<'a>,
    between: Mutex<Between<'r>>,
    /// How many threads have swept in this round.
    come: AtomicUsize,
    /// Rounds that are over.
    round: AtomicUsize,
    /// Nothing is left to do, or a thread is gone.
    ended: AtomicBool,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Rounds<'_, '_> {
    /// What one thread does.
    fn run(&self, thread: usize) {
        let _leaving = Leaving(&self.ended);
        while !self.ended.load(Ordering::Acquire) {
            let swept = lock(&self.regions[thread]).sweep(self.shared, &mut ());
            if let Err(failure) = swept {
                lock(&self.between).stopped.get_or_insert(Stop::Failure(failure));
            }
            self.meet();
        }
    }

    /// Waits until all have swept.
    fn meet(&self) {
        let round = self.round.load(Ordering::Acquire);
        if self.come.fetch_add(1, Ordering::AcqRel) + 1 == self.regions.len() {
            if !self.go_on() {
                self.ended.store(true, Ordering::Release);
            }
            self.come.store(0, Ordering::Release);
            self.round.store(round.wrapping_add(1), Ordering::Release);
            return;
        }
        let mut looks = 0;
        while self.round.load(Ordering::Acquire) == round && !self.ended.load(Ordering::Acquire) {
            looks += 1;
            if looks < PATIENCE { std::hint::spin_loop() } else { std::thread::yield_now() }
        }
    }

    /// Between two rounds; whether there is another.
    fn go_on(&self) -> bool {
        let mut between = lock(&self.between);
        let Between { border, ledger, stopped } = &mut *between;
        let mut regions: Vec<MutexGuard<'_, Region>> = self.regions.iter().map(lock).collect();
        let passed = border.exchange(&mut regions).map_err(Stop::Failure);
        if let Err(stop) = passed.and_then(|()| ledger.check(self.shared, &mut regions)) {
            stopped.get_or_insert(stop);
        }
        stopped.is_none() && regions.iter().any(|region| region.is_ready())
    }
}

/// A thread that leaves, for whatever reason, is not waited for.
struct Leaving<'a>(&'a AtomicBool);

impl Drop for Leaving<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Release);
    }
}
