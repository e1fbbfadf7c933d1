//! A line about work that takes long where nobody sees its progress bar, as in a pipe or a file.

use super::output::Output;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::{Duration, Instant};

/// Work that takes longer is spoken of.
const PATIENCE: Duration = Duration::from_secs(20);

/// Work that began some time ago.
pub struct Waiting<'a> {
    output: &'a Output,
    begun: Instant,
    is_told: AtomicBool,
}

impl<'a> Waiting<'a> {
    /// Work that begins now.
    pub fn begin(output: &'a Output) -> Waiting<'a> {
        Waiting { output, begun: Instant::now(), is_told: AtomicBool::new(!output.is_silent_while_it_waits()) }
    }

    /// Says once that it takes long, and what can be done.
    pub fn look(&self, what_can_be_done: &str) {
        if self.is_due(Instant::now()) {
            self.output.error(what_can_be_done);
        }
    }

    fn is_due(&self, now: Instant) -> bool {
        now.duration_since(self.begun) >= PATIENCE && !self.is_told.swap(true, Relaxed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_said_once_and_late() {
        let output = Output::silent();
        let waiting = Waiting { output: &output, begun: Instant::now(), is_told: AtomicBool::new(false) };
        let after = |seconds: u64| waiting.is_due(waiting.begun + Duration::from_secs(seconds));
        assert_eq!([19, 20, 21].map(after), [false, true, false]);
        assert!(!Waiting::begin(&output).is_due(Instant::now() + PATIENCE), "nobody listens");
    }
}
