//! What a process is asked about kernels, and what it answers.

use crate::growth;
use crate::judge::{Judged, Kind, judge, without_names};
use crate::process::{Clock, Ended, Process, Role, caught, serve};
use crate::shrink::after;
use serde::{Deserialize, Serialize};
use std::path::Path;
use std::time::Duration;

/// A process that judges kernels.
pub const JUDGE: Role = Role { test: crate::TEST, variable: "FUZZ_KERNELS_WORKER", clock: Clock::Wall };

/// What a worker is asked for.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub enum Request {
    /// To judge the kernel of this number, made smaller by these steps.
    Judge(u64, Vec<usize>),
    /// To hang, to panic, to die: what tests of the workers plant.
    Hang,
    Panic,
    Die,
}

/// Answers requests until there are no more.
pub fn answer_all(seed: u64) {
    let folder = tempfile::tempdir().expect("a folder for files");
    serve(move |line| {
        let request = serde_json::from_str(line).expect("a request");
        let answer = caught(|| answer(&request, seed, folder.path())).unwrap_or_else(|detail| {
            let reason = without_names(&detail.lines().collect::<Vec<_>>().join(" "));
            Judged::without_run(Kind::Panicked, &reason, detail)
        });
        serde_json::to_string(&answer).expect("an answer")
    });
}

fn answer(request: &Request, seed: u64, folder: &Path) -> Judged {
    match request {
        Request::Judge(number, steps) => match after(&growth::kernel(seed, *number), steps) {
            Some(kernel) => judge(&kernel, &kernel, seed, *number, folder),
            None => Judged::without_run(Kind::Refused, "no such steps", String::new()),
        },
        Request::Hang => loop {
            std::thread::sleep(Duration::from_secs(1));
        },
        Request::Panic => panic!("planted at 3"),
        Request::Die => std::process::abort(),
    }
}

/// What a process says, or how it ended.
pub fn ask(process: &mut Process, request: &Request, limit: Duration) -> Judged {
    match process.ask(&serde_json::to_string(request).expect("a request"), limit) {
        Ok(line) => serde_json::from_str(&line).expect("an answer"),
        Err(Ended::TooSlow) => Judged::without_run(Kind::NoAnswer, "no answer in time", String::new()),
        Err(Ended::Died) => Judged::without_run(Kind::Panicked, "the process died", String::new()),
    }
}
