//! The cycles that a trace keeps.
//!
//! In: the text `FROM..TO`. Out: cycles from FROM up to TO, TO not among them; never empty. What lasts is cut to the
//! window, what happens at a clock is in it or not.

use systole_base::diagnostic::{Checked, Diagnostic};

/// A range of cycles.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Window {
    /// The first cycle.
    from: u64,
    /// The first cycle after it.
    to: u64,
}

impl Window {
    /// All cycles of a run.
    pub const WHOLE: Window = Window { from: 0, to: u64::MAX };

    /// Reads `FROM..TO`, such as `0..200`.
    ///
    /// # Errors
    /// Another form, what is no number of cycles, a range that is reversed or empty.
    pub fn parse(text: &str) -> Checked<Window> {
        let help = "write FROM..TO, such as 0..200; TO is the first cycle that is left out";
        let Some((from, to)) = text.split_once("..") else {
            return Diagnostic::usage(format!("`{text}` is no window of cycles")).help(help).alone();
        };
        let read = |word: &str| {
            let fault = || Diagnostic::usage(format!("`{word}` in the window `{text}` is no number of cycles"));
            word.parse::<u64>().map_err(|_| vec![fault().help(help)])
        };
        let (from, to) = (read(from)?, read(to)?);
        match from < to {
            true => Ok(Window { from, to }),
            false if from == to => Diagnostic::usage(format!("the window {text} holds no cycle")).help(help).alone(),
            false => Diagnostic::usage(format!("the window {text} ends before it begins")).help(help).alone(),
        }
    }

    /// The first cycle.
    pub fn from(self) -> u64 {
        self.from
    }

    /// The first cycle after the window.
    pub fn to(self) -> u64 {
        self.to
    }

    /// Whether a clock lies in it.
    pub fn holds(self, clock: u64) -> bool {
        self.from <= clock && clock < self.to
    }

    /// What of the cycles `from..to` lies in it.
    pub fn cut(self, from: u64, to: u64) -> Option<(u64, u64)> {
        let (from, to) = (from.max(self.from), to.min(self.to));
        (from < to).then_some((from, to))
    }

    /// The window that ends at a clock if it would end later, but not before its first cycle is over.
    pub(super) fn ended_at(self, clock: u64) -> Window {
        Window { from: self.from, to: self.to.min(clock.max(self.from.saturating_add(1))) }
    }
}
