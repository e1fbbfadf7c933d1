//! How long a command looks for more: one flag, with one meaning, for laws of algebra and for searches alike.
//!
//! In: a flag. Out: the instant after which a command goes on with the best that it has. Invariant: where the flag is not given nothing
//! depends on time.

use crate::driver::stop::End;
use clap::Args;
use std::fmt;
use std::time::{Duration, Instant};
use systole_base::cancel::Token;

/// How long to look.
#[derive(Args, Clone, Debug, Default)]
pub struct TimeArguments {
    /// After so many seconds go on with the best found by then, which depends on the machine [default: as long as it takes]
    #[arg(long)]
    pub seconds: Option<u64>,
    #[arg(skip)]
    start: Start,
    /// Who calls the command may end it before.
    #[arg(skip)]
    pub token: Token,
}

/// When the command began.
#[derive(Clone, Copy)]
struct Start(Instant);

impl Default for Start {
    fn default() -> Start {
        Start(Instant::now())
    }
}

impl fmt::Debug for Start {
    fn fmt(&self, formatter: &mut fmt::Formatter) -> fmt::Result {
        formatter.write_str("start")
    }
}

impl TimeArguments {
    /// When to go on with the best there is.
    pub fn end(&self) -> End {
        End { at: self.at(), token: self.token.clone() }
    }

    fn at(&self) -> Option<Instant> {
        self.start.0.checked_add(Duration::from_secs(self.seconds?))
    }

    /// What is left until then.
    pub fn left(&self) -> Option<Duration> {
        Some(self.at()?.saturating_duration_since(Instant::now()))
    }

    /// Half of what is left, where something else follows that is to have the other half.
    pub fn half(&self) -> Option<Duration> {
        Some(self.left()? / 2)
    }
}
