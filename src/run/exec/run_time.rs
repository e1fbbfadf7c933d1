//! How long a run took.
//!
//! In: a start. Out: [`RunTime`]: wall-clock time, and the time that processors worked for it, by the clock of the process. Both leave out
//! the reading and distribution of operands before a run, and the collection of results after it.

use rustix::time::{ClockId, clock_gettime};
use std::time::{Duration, Instant};

/// The time of one run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RunTime {
    /// From the start of the workers to the end of the last.
    pub wall: Duration,
    /// What processors worked, over all threads and ranks; ranks that wait for messages work.
    pub cpu: Duration,
}

/// A run that has started.
#[derive(Clone, Copy, Debug)]
pub struct Watch {
    /// The moment.
    pub start: Instant,
    cpu: Duration,
}

impl Watch {
    /// Starts now.
    pub fn start() -> Watch {
        Watch { start: Instant::now(), cpu: cpu_time() }
    }

    /// The time from the start to now, in this process.
    pub fn stop(&self) -> RunTime {
        RunTime { wall: self.start.elapsed(), cpu: cpu_time().saturating_sub(self.cpu) }
    }
}

/// How long a run takes, by those that were timed: the only one, or the median of those that found their operands where another had
/// left them.
pub fn usual(runs: &[RunTime]) -> Duration {
    let later = runs.get(1..).filter(|later| !later.is_empty()).unwrap_or(runs);
    let mut walls: Vec<Duration> = later.iter().map(|taken| taken.wall).collect();
    walls.sort_unstable();
    walls.get(walls.len().saturating_sub(1) / 2).copied().unwrap_or_default()
}

/// What processors have worked for this process.
fn cpu_time() -> Duration {
    let time = clock_gettime(ClockId::ProcessCPUTime);
    let seconds = Duration::from_secs(u64::try_from(time.tv_sec).unwrap_or(0));
    seconds + Duration::from_nanos(u64::try_from(time.tv_nsec).unwrap_or(0))
}
