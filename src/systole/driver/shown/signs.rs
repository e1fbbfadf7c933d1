//! Signs of life where nobody sees a progress bar, as in a pipe or a file: a line on standard error whenever nothing was said for some
//! seconds.
//!
//! `  search    34 %, 16 s so far`: how far this is, and how long the command has taken in all. How long it will take is not said: of a search
//! nobody knows.

use super::output::Output;
use indicatif::ProgressBar;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::thread;
use std::time::{Duration, Instant};

/// Nobody waits longer for a line.
const SILENCE: Duration = Duration::from_secs(8);

/// Does work beside which signs are given, where the output wants them.
pub fn beside<T>(output: &Output, work: impl FnOnce() -> T) -> T {
    if !output.wants_signs() {
        return work();
    }
    let (working, watching) = channel::<()>();
    thread::scope(|scope| {
        scope.spawn(move || {
            let (begun, mut shown) = (Instant::now(), String::new());
            let mut wait = SILENCE;
            while watching.recv_timeout(wait) == Err(RecvTimeoutError::Timeout) {
                let silent = output.silent_for();
                if silent >= SILENCE {
                    output.error(&sign(output.last_bar().as_ref(), begun.elapsed(), &mut shown));
                }
                wait = SILENCE.saturating_sub(output.silent_for());
            }
        });
        // The watcher ends with it, also when the work panics.
        let _working = working;
        work()
    })
}

/// The line; what can be done about it is said once.
fn sign(bar: Option<&ProgressBar>, since: Duration, shown: &mut String) -> String {
    let so_far = format!("{} s so far", since.as_secs());
    let Some(bar) = bar else { return format!("  working   {so_far}") };
    let what = bar.message();
    let share = bar.length().filter(|_| bar.position() > 0).map(|of| 100 * bar.position() / of.max(1));
    let mut line = match share {
        Some(share) => format!("  {what:<9} {share} %, {so_far}"),
        None => format!("  {what:<9} {so_far}"),
    };
    let way_out = bar.prefix();
    if !way_out.is_empty() && *shown != way_out {
        line += &format!("; {way_out}");
        *shown = way_out;
    }
    line
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sign_says_how_far_it_is_and_once_what_can_be_done() {
        let (bar, mut shown) = (ProgressBar::hidden(), String::new());
        let mut said = |bar, seconds| sign(bar, Duration::from_secs(seconds), &mut shown);
        assert_eq!(said(None, 8), "  working   8 s so far");
        bar.set_message("search");
        bar.set_prefix("Ctrl-C ends it");
        assert_eq!(said(Some(&bar), 16), "  search    16 s so far; Ctrl-C ends it");
        assert_eq!(said(Some(&bar), 24), "  search    24 s so far");
        bar.set_length(200);
        bar.set_position(68);
        assert_eq!(said(Some(&bar), 32), "  search    34 %, 32 s so far");
    }

    #[test]
    fn who_is_not_heard_gives_none() {
        assert!(!Output::silent().wants_signs());
        assert_eq!(beside(&Output::silent(), || 3), 3);
    }
}
