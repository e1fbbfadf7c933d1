//! Ctrl-C: a search stops and tells the best so far; all else ends at once, and so does a search that is asked twice. A search that has
//! only so long stops then too, and the command goes on with the best so far.
//!
//! Out: exit code 130 after Ctrl-C, as shells have it for a process that was interrupted.

use std::sync::Once;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::SeqCst};
use std::time::Instant;

/// The exit code of what was stopped.
pub const CODE: u8 = 130;

/// Only the command's own process is watched: a program that calls commands has its own way with Ctrl-C.
static IS_COMMAND: AtomicBool = AtomicBool::new(false);
static WATCH: Once = Once::new();
static SEARCHES: AtomicUsize = AtomicUsize::new(0);
static IS_ASKED: AtomicBool = AtomicBool::new(false);

/// A search that goes on; while there is one, Ctrl-C asks it to stop.
pub struct Search {
    end: Option<Instant>,
}

impl Search {
    /// Begins one, which is to stop at an instant if one is given.
    pub fn begin(end: Option<Instant>) -> Search {
        if IS_COMMAND.load(SeqCst) {
            // Where there can be no handler Ctrl-C ends the process, as ever.
            WATCH.call_once(|| drop(ctrlc::set_handler(asked)));
        }
        SEARCHES.fetch_add(1, SeqCst);
        Search { end }
    }

    /// Whether it is to go on.
    pub fn goes_on(&self) -> bool {
        !is_asked() && self.end.is_none_or(|end| Instant::now() < end)
    }
}

impl Drop for Search {
    fn drop(&mut self) {
        SEARCHES.fetch_sub(1, SeqCst);
    }
}

/// Lets searches of this process be stopped.
pub fn allow() {
    IS_COMMAND.store(true, SeqCst);
}

fn asked() {
    if SEARCHES.load(SeqCst) == 0 || IS_ASKED.swap(true, SeqCst) {
        std::process::exit(i32::from(CODE));
    }
}

/// Asks all that goes on in this process to stop, for a program that calls commands; [`forget`] takes that back.
pub fn ask() {
    IS_ASKED.store(true, SeqCst);
}

/// From here on commands run to their end again.
pub fn forget() {
    IS_ASKED.store(false, SeqCst);
}

/// Whether a search was asked to stop.
pub fn is_asked() -> bool {
    IS_ASKED.load(SeqCst)
}
