//! Ctrl-C: a search stops and tells the best so far; all else ends at once, and so does a search that is asked twice. A search that has
//! only so long stops then too, and the command goes on with the best so far. Who calls a command from a program cancels it by its token.
//!
//! Out: exit code 130 after Ctrl-C, as shells have it for a process that was interrupted. Under `--json` there is an object then too, which
//! says so.

use super::shown::output::Output;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::SeqCst};
use std::sync::{LazyLock, Once};
use std::time::Instant;
use systole_base::cancel::Token;
use systole_base::diagnostic::Diagnostic;

/// The exit code of what was stopped.
pub const CODE: u8 = 130;

/// What Ctrl-C cancels. Only the command's own process has it: a program that calls commands has its own way with Ctrl-C.
static PROCESS: LazyLock<Token> = LazyLock::new(Token::default);
static WATCH: Once = Once::new();
static SEARCHES: AtomicUsize = AtomicUsize::new(0);
static SAYS_OBJECTS: AtomicBool = AtomicBool::new(false);
static IS_OBJECT_CLAIMED: AtomicBool = AtomicBool::new(false);

/// The token of the command that this process is.
pub fn of_process() -> Token {
    PROCESS.clone()
}

/// When a command is to go on with the best that it has.
#[derive(Clone, Debug, Default)]
pub struct End {
    /// At this instant, if one is given.
    pub at: Option<Instant>,
    /// When this is cancelled.
    pub token: Token,
}

/// A search that goes on; while there is one, Ctrl-C asks it to stop.
pub struct Search<'a>(&'a End);

impl Search<'_> {
    /// Begins one.
    pub fn begin(end: &End) -> Search<'_> {
        if end.token == *PROCESS {
            watch();
        }
        SEARCHES.fetch_add(1, SeqCst);
        Search(end)
    }

    /// Whether it is to go on.
    pub fn goes_on(&self) -> bool {
        !self.0.token.is_cancelled() && self.0.at.is_none_or(|at| Instant::now() < at)
    }
}

impl Drop for Search<'_> {
    fn drop(&mut self) {
        SEARCHES.fetch_sub(1, SeqCst);
    }
}

fn watch() {
    // Where there can be no handler Ctrl-C ends the process, as ever.
    WATCH.call_once(|| drop(ctrlc::set_handler(interrupted)));
}

/// From now on Ctrl-C leaves an object behind.
pub fn with_object() {
    SAYS_OBJECTS.store(true, SeqCst);
    watch();
}

/// Whether an object may be written: where Ctrl-C would leave one behind it is one in all, of whoever comes first.
pub fn claim_object() -> bool {
    !SAYS_OBJECTS.load(SeqCst) || !IS_OBJECT_CLAIMED.swap(true, SeqCst)
}

fn interrupted() {
    if SEARCHES.load(SeqCst) == 0 || PROCESS.is_cancelled() {
        let is_free = claim_object();
        // An object that is being written comes to its end, unless nobody reads it.
        if !is_free && !PROCESS.is_cancelled() {
            return PROCESS.cancel();
        }
        if is_free && SAYS_OBJECTS.load(SeqCst) {
            let output = Output::new(true);
            output.diagnostics(&[Diagnostic::new("the command was interrupted, and has no result")]);
            output.take_object().iter().for_each(|object| output.print(&object.to_string()));
        }
        std::process::exit(i32::from(CODE));
    }
    PROCESS.cancel();
}
