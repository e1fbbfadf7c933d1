//! Processes that judge systems: one that hangs or dies is ended, counted and replaced by another.
//!
//! A worker is this program once more. It reads numbers from its standard input and answers each by one line.

use crate::judge::{Judged, Kind, judge, without_names};
use std::io::{BufRead, BufReader, Write};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// The variable that makes a worker of this program, and says its seed.
const WORKER: &str = "ORDERS_WORKER";

/// What an answer begins with; the test harness writes lines of its own.
const MARK: &str = "@@ ";

/// How deep the stack of a worker is, as that of a command.
const STACK: usize = 8 << 20;

/// What the last panic said.
static PANIC: Mutex<String> = Mutex::new(String::new());

/// The seed, if this process is a worker.
pub fn seed_of_worker() -> Option<u64> {
    std::env::var(WORKER).ok()?.parse().ok()
}

/// Answers until there are no more numbers.
pub fn serve(seed: u64) {
    let serving = std::thread::Builder::new().stack_size(STACK).spawn(move || {
        std::panic::set_hook(Box::new(|info| {
            *PANIC.lock().unwrap_or_else(PoisonError::into_inner) = info.to_string();
        }));
        for line in std::io::stdin().lock().lines().map_while(Result::ok) {
            let number = line.parse().expect("a number");
            let judged = catch_unwind(AssertUnwindSafe(|| judge(seed, number))).unwrap_or_else(|_| panicked());
            let answer = serde_json::to_string(&judged).expect("an answer");
            let mut out = std::io::stdout().lock();
            writeln!(out, "{MARK}{answer}").and_then(|()| out.flush()).expect("a reader");
        }
    });
    serving.expect("a thread").join().expect("numbers that are answered");
}

/// A panic is an answer too.
fn panicked() -> Judged {
    let detail = PANIC.lock().unwrap_or_else(PoisonError::into_inner).clone();
    Judged::new(Kind::Panicked, &without_names(&detail.lines().collect::<Vec<_>>().join(" ")), &detail)
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
        let mut child = Command::new(std::env::current_exe().expect("this program"))
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
    pub fn ask(&mut self, number: u64, limit: Duration) -> Judged {
        if self.process.is_none() {
            self.process = Some(self.start());
        }
        let (child, input, answers) = self.process.as_mut().expect("a process");
        let asked = writeln!(input, "{number}").map_err(|_| RecvTimeoutError::Disconnected);
        let id = child.id();
        match asked.and_then(|()| wait(answers, id, limit)) {
            Ok(line) => serde_json::from_str(&line).expect("an answer"),
            Err(why) => {
                self.end();
                match why {
                    RecvTimeoutError::Timeout => Judged::new(Kind::NoAnswer, "no answer in time", ""),
                    RecvTimeoutError::Disconnected => Judged::new(Kind::Panicked, "the process died", ""),
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

/// How often it is looked how long a process has worked.
const LOOK: Duration = Duration::from_millis(100);

/// How many times its limit a process may take by the clock on the wall, if it has little of a processor.
const PATIENCE: u32 = 10;

/// Waits for an answer until the process has worked so long: what else a machine does changes no result.
fn wait(answers: &Receiver<String>, id: u32, limit: Duration) -> Result<String, RecvTimeoutError> {
    let (start, before) = (Instant::now(), worked(id));
    loop {
        match answers.recv_timeout(LOOK) {
            Err(RecvTimeoutError::Timeout) => {}
            answer => return answer,
        }
        let by_the_wall = start.elapsed();
        let taken = worked(id).zip(before).map_or(by_the_wall, |(now, before)| now.saturating_sub(before));
        if taken > limit || by_the_wall > PATIENCE * limit {
            return Err(RecvTimeoutError::Timeout);
        }
    }
}

/// How long a process has worked, where the system says so: the fourteenth and fifteenth word of a line, in hundredths of a second. Its
/// name, the second, stands in brackets and may have blanks.
fn worked(id: u32) -> Option<Duration> {
    let line = std::fs::read_to_string(format!("/proc/{id}/stat")).ok()?;
    let words: Vec<&str> = line.rsplit_once(')')?.1.split_whitespace().collect();
    let hundredths = |place: usize| words.get(place)?.parse::<u64>().ok();
    Some(Duration::from_millis(10 * (hundredths(11)? + hundredths(12)?)))
}

impl Drop for Worker {
    fn drop(&mut self) {
        self.end();
    }
}
