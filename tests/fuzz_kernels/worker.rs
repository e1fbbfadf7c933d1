//! Processes that judge kernels: one that hangs or dies is ended, counted and replaced by another.
//!
//! A worker is this program once more. It reads requests from its standard input and answers each by one line, so what it was at
//! when it ended is known, and so is that nothing of it is left.

use crate::growth;
use crate::judge::{Judged, Kind, judge, without_names};
use crate::shrink::after;
use serde::{Deserialize, Serialize};
use std::io::{BufRead, BufReader, Write};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

/// The variable that makes a worker of this program, and says its seed.
const WORKER: &str = "FUZZ_KERNELS_WORKER";

/// What an answer begins with; the test harness writes lines of its own.
const MARK: &str = "@@ ";

/// How deep the stack of a worker is, as that of a command.
const STACK: usize = 8 << 20;

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

/// The seed, if this process is a worker.
pub fn seed_of_worker() -> Option<u64> {
    std::env::var(WORKER).ok()?.parse().ok()
}

/// Answers requests until there are no more.
pub fn serve(seed: u64) {
    let serving = std::thread::Builder::new().stack_size(STACK).spawn(move || {
        let folder = tempfile::tempdir().expect("a folder for files");
        std::panic::set_hook(Box::new(|info| {
            *PANIC.lock().unwrap_or_else(PoisonError::into_inner) = info.to_string();
        }));
        for line in std::io::stdin().lock().lines().map_while(Result::ok) {
            let request = serde_json::from_str(&line).expect("a request");
            let answer = serde_json::to_string(&answer(&request, seed, folder.path())).expect("an answer");
            let mut out = std::io::stdout().lock();
            writeln!(out, "{MARK}{answer}").and_then(|()| out.flush()).expect("a reader");
        }
    });
    serving.expect("a thread").join().expect("requests that are answered");
}

/// What the last panic said.
static PANIC: Mutex<String> = Mutex::new(String::new());

fn answer(request: &Request, seed: u64, folder: &Path) -> Judged {
    match request {
        Request::Judge(number, steps) => caught(|| match after(&growth::kernel(seed, *number), steps) {
            Some(kernel) => judge(&kernel, &kernel, seed, *number, folder),
            None => Judged::without_run(Kind::Refused, "no such steps", String::new()),
        }),
        Request::Hang => loop {
            std::thread::sleep(Duration::from_secs(1));
        },
        Request::Panic => caught(|| panic!("planted at 3")),
        Request::Die => std::process::abort(),
    }
}

/// A panic is an answer too.
fn caught(work: impl FnOnce() -> Judged) -> Judged {
    catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|_| {
        let detail = PANIC.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let reason = without_names(&detail.lines().collect::<Vec<_>>().join(" "));
        Judged::without_run(Kind::Panicked, &reason, detail)
    })
}

/// A worker as its employer sees it; started when it is first asked.
pub struct Worker {
    seed: u64,
    test: &'static str,
    process: Option<(Child, ChildStdin, Receiver<String>)>,
}

impl Worker {
    /// A worker, which is a process of this program that runs the test of this name alone.
    pub fn new(seed: u64, test: &'static str) -> Worker {
        Worker { seed, test, process: None }
    }

    fn start(&self) -> (Child, ChildStdin, Receiver<String>) {
        let program = std::env::current_exe().expect("this program");
        let mut child = Command::new(program)
            .args(["--exact", self.test, "--nocapture", "--test-threads", "1"])
            .env(WORKER, self.seed.to_string())
            .env("RAYON_NUM_THREADS", "1")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("a process");
        let (input, output) = (child.stdin.take().expect("a pipe"), child.stdout.take().expect("a pipe"));
        let (sender, receiver) = channel();
        std::thread::spawn(move || {
            for line in BufReader::new(output).lines().map_while(Result::ok) {
                let Some((_, answer)) = line.split_once(MARK) else { continue };
                if sender.send(answer.to_owned()).is_err() {
                    return;
                }
            }
        });
        (child, input, receiver)
    }

    /// The answer, if it comes in time; a worker that gave none is ended.
    pub fn ask(&mut self, request: &Request, limit: Duration) -> Judged {
        if self.process.is_none() {
            self.process = Some(self.start());
        }
        let Some((_, input, answers)) = &mut self.process else {
            return Judged::without_run(Kind::Panicked, "no process", String::new());
        };
        let line = serde_json::to_string(request).expect("a request");
        let answer = writeln!(input, "{line}").map_err(|_| RecvTimeoutError::Disconnected);
        match answer.and_then(|()| answers.recv_timeout(limit)) {
            Ok(line) => serde_json::from_str(&line).expect("an answer"),
            Err(why) => {
                self.end();
                match why {
                    RecvTimeoutError::Timeout => {
                        Judged::without_run(Kind::NoAnswer, "no answer in time", String::new())
                    }
                    RecvTimeoutError::Disconnected => {
                        Judged::without_run(Kind::Panicked, "the process died", String::new())
                    }
                }
            }
        }
    }

    fn end(&mut self) {
        if let Some((mut child, ..)) = self.process.take() {
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        self.end();
    }
}
