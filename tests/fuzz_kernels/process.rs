//! Processes that answer questions about random cases: one that hangs or dies is ended, counted and replaced by another.
//!
//! A worker is this program once more. It reads lines from its standard input and answers each by one line, so what it was at
//! when it ended is known, and so is that nothing of it is left.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Write};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// What an answer begins with; the test harness writes lines of its own.
const MARK: &str = "@@ ";

/// How deep the stack of a worker is, as that of a command.
const STACK: usize = 8 << 20;

/// How many cases are judged between two lines on how far it is.
const PROGRESS: usize = 250;

/// How often it is looked how long a process has worked.
const LOOK: Duration = Duration::from_millis(100);

/// How many times its limit a process may take by the clock on the wall, if it has little of a processor.
const PATIENCE: u32 = 10;

/// What the last panic said.
static PANIC: Mutex<String> = Mutex::new(String::new());

/// Which test a worker runs, the variable that makes it one and says its seed, and the clock of its limit.
#[derive(Clone, Copy)]
pub struct Role {
    pub test: &'static str,
    pub variable: &'static str,
    pub clock: Clock,
}

/// What a limit of time is held against.
#[derive(Clone, Copy, PartialEq, Eq)]
#[allow(dead_code, reason = "each test has one of them")]
pub enum Clock {
    Wall,
    /// How long the process has worked: what else a machine does changes no result.
    Processor,
}

/// How a process ended that gave no answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ended {
    /// It was too slow.
    TooSlow,
    Died,
}

impl Role {
    /// The seed, if this process is a worker.
    pub fn seed(self) -> Option<u64> {
        std::env::var(self.variable).ok()?.parse().ok()
    }
}

/// Answers lines until there are no more.
pub fn serve(mut answer: impl FnMut(&str) -> String + Send + 'static) {
    let serving = std::thread::Builder::new().stack_size(STACK).spawn(move || {
        std::panic::set_hook(Box::new(|info| {
            *PANIC.lock().unwrap_or_else(PoisonError::into_inner) = info.to_string();
        }));
        for line in std::io::stdin().lock().lines().map_while(Result::ok) {
            let answer = answer(&line);
            let mut out = std::io::stdout().lock();
            writeln!(out, "{MARK}{answer}").and_then(|()| out.flush()).expect("a reader");
        }
    });
    serving.expect("a thread").join().expect("lines that are answered");
}

/// The result, or what was said in a panic, which is an answer too.
pub fn caught<T>(work: impl FnOnce() -> T) -> Result<T, String> {
    let said = |_| PANIC.lock().unwrap_or_else(PoisonError::into_inner).clone();
    catch_unwind(AssertUnwindSafe(work)).map_err(said)
}

/// A worker as its employer sees it; started when it is first asked.
pub struct Process {
    seed: u64,
    role: Role,
    running: Option<(Child, ChildStdin, Receiver<String>)>,
}

impl Process {
    /// A worker, which is a process of this program that runs the test of its role alone.
    pub fn new(seed: u64, role: Role) -> Process {
        Process { seed, role, running: None }
    }

    fn start(&self) -> (Child, ChildStdin, Receiver<String>) {
        let mut child = Command::new(std::env::current_exe().expect("this program"))
            .args(["--exact", self.role.test, "--nocapture", "--test-threads", "1"])
            .env(self.role.variable, self.seed.to_string())
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
    pub fn ask(&mut self, line: &str, limit: Duration) -> Result<String, Ended> {
        let (child, input, answers) = match self.running.take() {
            Some(running) => self.running.insert(running),
            None => {
                let started = self.start();
                self.running.insert(started)
            }
        };
        let asked = writeln!(input, "{line}").map_err(|_| RecvTimeoutError::Disconnected);
        let answer = asked.and_then(|()| match self.role.clock {
            Clock::Wall => answers.recv_timeout(limit),
            Clock::Processor => wait(answers, child.id(), limit),
        });
        answer.map_err(|why| {
            self.end();
            if why == RecvTimeoutError::Timeout { Ended::TooSlow } else { Ended::Died }
        })
    }

    fn end(&mut self) {
        if let Some((mut child, ..)) = self.running.take() {
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        self.end();
    }
}

/// Waits for an answer until the process has worked so long.
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

/// How many cases, and with what limits.
#[derive(Clone, Copy, Debug)]
pub struct Asked {
    pub seed: u64,
    /// The cases are those of the numbers from the first on, so many.
    pub first: u64,
    pub cases: u64,
    /// None is begun after so long.
    pub seconds: u64,
    /// How long one may take.
    pub limit: Duration,
}

impl Asked {
    /// What the environment asks for: variables that begin so, and what stands in for those that are not set.
    pub fn of(prefix: &str, cases: u64, limit: u64) -> Asked {
        let number = |name: &str, default: u64| {
            std::env::var(format!("{prefix}_{name}")).ok().and_then(|text| text.parse().ok()).unwrap_or(default)
        };
        Asked {
            seed: number("SEED", 1),
            first: number("FIRST", 0),
            cases: number("CASES", cases),
            seconds: number("SECONDS", 100_000),
            limit: Duration::from_millis(number("LIMIT", limit)),
        }
    }

    /// Judges the cases, which are called so, a process a core.
    pub fn judge<Judged: Send>(
        self,
        called: &str,
        role: Role,
        judge: impl Fn(&mut Process, u64) -> Judged + Sync,
    ) -> BTreeMap<u64, Judged> {
        let (next, start) = (AtomicU64::new(0), Instant::now());
        let answers = Mutex::new(BTreeMap::new());
        let work = || {
            let mut process = Process::new(self.seed, role);
            while start.elapsed().as_secs() < self.seconds {
                let number = next.fetch_add(1, Ordering::Relaxed);
                if number >= self.cases {
                    return;
                }
                let answer = judge(&mut process, self.first + number);
                let mut answers = answers.lock().unwrap_or_else(PoisonError::into_inner);
                answers.insert(self.first + number, answer);
                if answers.len() % PROGRESS == 0 {
                    let seconds = start.elapsed().as_secs();
                    // Past the capture of test output: a long search is watched.
                    _ = writeln!(std::io::stderr(), "{} of {} {called} in {seconds} s", answers.len(), self.cases);
                }
            }
        };
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        std::thread::scope(|scope| (0..cores).for_each(|_| _ = scope.spawn(work)));
        answers.into_inner().unwrap_or_else(PoisonError::into_inner)
    }
}
