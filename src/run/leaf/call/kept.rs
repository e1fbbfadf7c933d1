//! What follows from the coordinates of a call, kept for other calls.
//!
//! In: coordinates, and what was found out for them, with the [`Region`] in which it holds. Out: the same for all coordinates of the
//! region. Threads read without waiting for each other, and nothing that is kept is taken away again.

use super::region::Region;
use std::sync::OnceLock;

/// No more kinds of calls of a leaf are kept: what others need is found out each time.
const MOST: usize = 64;

type Place<T> = OnceLock<Box<(Region, T)>>;

/// What is kept for the calls of one leaf, in the order in which it was found out.
#[derive(Debug)]
pub struct Kept<T>(Box<[Place<T>]>);

impl<T> Default for Kept<T> {
    fn default() -> Kept<T> {
        Kept((0..MOST).map(|_| OnceLock::new()).collect())
    }
}

impl<T> Kept<T> {
    /// What is kept for these coordinates.
    pub fn find(&self, at: &[i64]) -> Option<&T> {
        let mut kept = self.0.iter().map_while(OnceLock::get);
        kept.find(|kept| kept.0.has(at)).map(|kept| &kept.1)
    }

    /// Keeps what was found out for these coordinates, if there is room and it has a region.
    pub fn keep(&self, at: &[i64], region: impl FnOnce() -> Option<Region>, value: impl FnOnce() -> T) {
        let is_full = self.0.iter().all(|place| place.get().is_some());
        let Some(region) = (!is_full).then(region).flatten() else { return };
        let mut left = Box::new((region, value()));
        for place in &self.0 {
            match place.set(left) {
                Ok(()) => return,
                Err(back) => left = back,
            }
            // Another thread may have found out the same.
            if place.get().is_some_and(|kept| kept.0.has(at)) {
                return;
            }
        }
    }
}
