//! Regions that sweep at the same time, a thread for each.
//!
//! In: regions, what all read, the ledger. Out: all of them where no PE can go on. A thread sweeps its region as long as
//! some of its PEs can go on. It begins a sweep when it has the letters that the others wrote in the sweep before, which
//! they do as early as they can, so that it seldom waits; to run further ahead would leave its PEs without words or slots.
//! Who has nothing to do comes to a meeting, and leaves it when a letter comes. When all have come no letter is under way:
//! the last looks after the limits, and ends the run where nobody can go on. A sweep takes microseconds, so who waits does
//! not sleep.

use super::Stop;
use super::ledger::Ledger;
use super::region::{Failure, Region, Shared};
use crossbeam::utils::CachePadded;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use systole_base::diagnostic::{Checked, Diagnostic};

/// A thread looks so often for the others before it lets another have its core.
const PATIENCE: u32 = 2_000;

/// After so many sweeps a thread comes to a meeting, whatever there is to do. At a meeting all that threads were ahead of
/// each other is lost, so there should be few.
const MOST_SWEEPS: u64 = 1_024;

/// Runs until no PE can go on.
///
/// # Errors
/// Where threads cannot be had; and [`Stop`], whose PE is one of those that fail, not always the first.
pub(super) fn run(regions: &mut Vec<Region>, shared: &Shared<'_>, ledger: &mut Ledger) -> Checked<Result<(), Stop>> {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(regions.len()).build();
    let pool = pool.map_err(|error| vec![Diagnostic::new(format!("threads cannot be started: {error}"))])?;
    let rounds = Rounds {
        regions: regions.drain(..).map(|region| CachePadded::new(Mutex::new(region))).collect(),
        shared,
        between: Mutex::new(Between { ledger, stopped: None }),
        come: CachePadded::new(AtomicU64::new(0)),
        ended: CachePadded::new(AtomicBool::new(false)),
    };
    pool.broadcast(|thread| rounds.run(thread.index()));
    let Rounds { regions: swept, between, .. } = rounds;
    let swept = swept.into_iter().map(CachePadded::into_inner);
    regions.extend(swept.map(|region| region.into_inner().unwrap_or_else(PoisonError::into_inner)));
    let between = between.into_inner().unwrap_or_else(PoisonError::into_inner);
    Ok(between.stopped.map_or(Ok(()), Err))
}

/// What only the last to come touches, and who fails.
struct Between<'r> {
    ledger: &'r mut Ledger,
    stopped: Option<Stop>,
}

/// Sweeps of all regions, from meeting to meeting.
struct Rounds<'r, 'a> {
    regions: Vec<CachePadded<Mutex<Region>>>,
    shared: &'r Shared<'a>,
    between: Mutex<Between<'r>>,
    /// How many threads have come to the meeting; above [`ROUND`] the number of the meeting.
    come: CachePadded<AtomicU64>,
    /// Nothing is left to do, or a thread is gone.
    ended: CachePadded<AtomicBool>,
}

/// One meeting more.
const ROUND: u64 = 1 << 32;

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Rounds<'_, '_> {
    /// What one thread does.
    fn run(&self, thread: usize) {
        let _leaving = Leaving(&self.ended);
        let inboxes = lock(&self.regions[thread]).around.mail.inboxes();
        while !self.has_ended() {
            let may_leave = match self.sweep(&mut lock(&self.regions[thread])) {
                Ok(may_leave) => may_leave,
                Err(failure) => {
                    lock(&self.between).stopped.get_or_insert(Stop::Failure(failure));
                    return;
                }
            };
            let have_met = self.meet(|| may_leave && inboxes.iter().any(|inbox| inbox.is_full()));
            let mail = &mut lock(&self.regions[thread]).around.mail;
            mail.sweeps = if have_met { 0 } else { mail.sweeps };
            mail.come_back();
        }
    }

    fn has_ended(&self) -> bool {
        self.ended.load(Ordering::Acquire)
    }

    /// Sweeps a region, level with the others, until nobody in it can go on or there is reason to meet; whether there is none.
    fn sweep(&self, region: &mut Region) -> Result<bool, Failure> {
        let mut may_go_on = true;
        while may_go_on {
            wait_until(|| region.around.mail.is_level() || self.has_ended());
            if !region.is_ready() || self.has_ended() {
                break;
            }
            region.sweep(self.shared, &mut ())?;
            may_go_on = region.around.mail.sweeps < MOST_SWEEPS && !Ledger::is_due(self.shared, region);
        }
        region.around.mail.go_away();
        Ok(may_go_on)
    }

    /// Waits until all have come, or until this thread leaves; whether all have come.
    fn meet(&self, leaves: impl Fn() -> bool) -> bool {
        let all = self.regions.len() as u64;
        let before = self.come.fetch_add(1, Ordering::AcqRel);
        let round = before / ROUND;
        if before % ROUND + 1 == all {
            if !self.go_on() {
                self.ended.store(true, Ordering::Release);
            }
            self.come.store((round + 1) * ROUND, Ordering::Release);
            return true;
        }
        let (mut is_over, mut has_left) = (false, false);
        wait_until(|| {
            let come = self.come.load(Ordering::Acquire);
            is_over = come / ROUND != round || self.has_ended();
            has_left = !is_over && come % ROUND < all && leaves() && self.leave(come);
            is_over || has_left
        });
        is_over
    }

    /// Leaves the meeting, unless somebody comes or leaves at the same time.
    fn leave(&self, come: u64) -> bool {
        self.come.compare_exchange(come, come - 1, Ordering::AcqRel, Ordering::Relaxed).is_ok()
    }

    /// At the meeting; whether there is another.
    fn go_on(&self) -> bool {
        let mut between = lock(&self.between);
        let Between { ledger, stopped } = &mut *between;
        let mut regions: Vec<MutexGuard<'_, Region>> = self.regions.iter().map(|region| lock(region)).collect();
        if let Err(stop) = ledger.check(self.shared, &mut regions) {
            stopped.get_or_insert(stop);
        }
        stopped.is_none() && regions.iter().any(|region| region.is_ready())
    }
}

/// Looks until something is so.
fn wait_until(mut is_so: impl FnMut() -> bool) {
    let mut looks = 0;
    while !is_so() {
        looks += 1;
        if looks < PATIENCE { std::hint::spin_loop() } else { std::thread::yield_now() }
    }
}

/// A thread that leaves, for whatever reason, is not waited for.
struct Leaving<'a>(&'a AtomicBool);

impl Drop for Leaving<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Release);
    }
}
