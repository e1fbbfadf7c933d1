//! What the calls of leaves come to.
//!
//! Arithmetic is counted as the loops do it: one for each application of a scalar function. A library that does the same
//! operation in another way counts as the loops that it stands for, so counts do not depend on who runs a leaf.

use crossbeam::utils::CachePadded;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

/// What a library does in one call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Service {
    Product,
    Triangle,
    Solve,
    Factor,
    Invert,
    FactorBoth,
}

/// The names of what libraries do, for people: as the libraries' routines are called.
pub const SERVICES: [&str; 6] = ["gemm", "syrk", "trsm", "potrf", "trtri", "getrf"];

/// What was done by the leaves of a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Work {
    /// Applications of scalar functions to elements.
    pub applied: u64,
    /// Calls of a library, in the order of [`SERVICES`].
    pub served: [u64; SERVICES.len()],
    /// Calls of a library that it could not do, as for a pivot that is not positive or what is not finite, so that loops did; in the same
    /// order.
    pub handed_back: [u64; SERVICES.len()],
}

impl Work {
    /// Notes a call of a library in place of so many applications.
    pub(super) fn serve(&mut self, service: Service, applied: u64) {
        self.applied += applied;
        self.served[service as usize] += 1;
    }

    /// Notes a call that a library could not do.
    pub(super) fn hand_back(&mut self, service: Service) {
        self.handed_back[service as usize] += 1;
    }

    /// The sum of what two workers did.
    #[must_use]
    pub fn plus(mut self, other: &Work) -> Work {
        self.applied += other.applied;
        self.served.iter_mut().zip(other.served).for_each(|(sum, count)| *sum += count);
        self.handed_back.iter_mut().zip(other.handed_back).for_each(|(sum, count)| *sum += count);
        self
    }

    /// What was done since this much was done.
    #[must_use]
    pub fn since(mut self, before: &Work) -> Work {
        self.applied = self.applied.saturating_sub(before.applied);
        self.served.iter_mut().zip(before.served).for_each(|(now, then)| *now = now.saturating_sub(then));
        self.handed_back.iter_mut().zip(before.handed_back).for_each(|(now, then)| *now = now.saturating_sub(then));
        self
    }

    /// As a list of numbers, to be sent.
    pub fn to_entries(self) -> Vec<u64> {
        self.entries().collect()
    }

    fn entries(&self) -> impl Iterator<Item = u64> + use<> {
        std::iter::once(self.applied).chain(self.served).chain(self.handed_back)
    }

    /// From such a list; what it lacks is 0.
    pub fn from_entries(entries: &[u64]) -> Work {
        let at = |position: usize| entries.get(position).copied().unwrap_or(0);
        let from = |first: usize| std::array::from_fn(|service| at(first + service));
        Work { applied: at(0), served: from(1), handed_back: from(1 + SERVICES.len()) }
    }
}

/// So many threads count apart from each other.
const SHARES: usize = 16;

/// The number of the next thread that counts.
static NEXT: AtomicUsize = AtomicUsize::new(0);

thread_local! {
    static SHARE: usize = NEXT.fetch_add(1, Ordering::Relaxed) % SHARES;
}

type Share = [AtomicU64; 1 + 2 * SERVICES.len()];

/// The sum over all calls, by whatever thread. Threads count in shares of their own, so that they do not wait for a line of memory.
#[derive(Clone, Debug, Default)]
pub(super) struct Tally(Arc<[CachePadded<Share>; SHARES]>);

impl Tally {
    /// Adds what a call did.
    pub fn add(&self, work: &Work) {
        let share = &self.0[SHARE.with(|share| *share)];
        share.iter().zip(work.entries()).filter(|(_, count)| *count > 0).for_each(|(sum, count)| {
            sum.fetch_add(count, Ordering::Relaxed);
        });
    }

    /// The sum so far.
    pub fn total(&self) -> Work {
        let entries = |share: &CachePadded<Share>| share.each_ref().map(|sum| sum.load(Ordering::Relaxed));
        self.0.iter().fold(Work::default(), |sum, share| sum.plus(&Work::from_entries(&entries(share))))
    }
}
