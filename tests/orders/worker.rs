//! What a process answers about the system of a number.

use crate::judge::{Judged, Kind, judge, without_names};
use crate::process::{Clock, Ended, Process, Role, caught, serve};
use std::time::Duration;

/// A process that judges systems.
pub const JUDGE: Role = Role { test: crate::TEST, variable: "ORDERS_WORKER", clock: Clock::Processor };

/// Answers until there are no more numbers.
pub fn answer_all(seed: u64) {
    serve(move |line| {
        let number = line.parse().expect("a number");
        let judged = caught(|| judge(seed, number)).unwrap_or_else(|detail| {
            let reason = without_names(&detail.lines().collect::<Vec<_>>().join(" "));
            Judged::new(Kind::Panicked, &reason, &detail)
        });
        serde_json::to_string(&judged).expect("an answer")
    });
}

/// What a process says of a system, or how it ended.
pub fn ask(process: &mut Process, number: u64, limit: Duration) -> Judged {
    match process.ask(&number.to_string(), limit) {
        Ok(line) => serde_json::from_str(&line).expect("an answer"),
        Err(Ended::TooSlow) => Judged::new(Kind::NoAnswer, "no answer in time", ""),
        Err(Ended::Died) => Judged::new(Kind::Panicked, "the process died", ""),
    }
}
