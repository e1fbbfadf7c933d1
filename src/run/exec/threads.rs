//! The workers of a run as threads of this process.
//!
//! In: a plan and the shared memory. Out: what each worker did. A worker that has nothing to do sleeps until a packet comes.
//! The run is over when all workers sleep and no packet is on its way: [`Mail`] counts workers awake and packets under way
//! together, a packet from before it is sent until whoever took it sleeps again, so the count is zero exactly then, and
//! whoever brings it to zero tells the others. Nobody waits for a program that cannot go on.
//!
//! When the count is zero either every PE has ended, or the run is deadlocked, and the code that explains it for the
//! simulator explains it here, without clocks. Which of several faults is met first depends on the threads, so a run
//! that fails is done again by one worker, whose fault is reported. Threads share whole arrays. Those of tiles are read
//! tile by tile before the run, and a stored tile is held as it was computed until the output is written, so neither is
//! copied in the run.

use super::plan::Plan;
use super::trace::{Activity, Tape};
use super::workers::outbox::Post;
use super::workers::packet::Packet;
use super::workers::word::Stored;
use super::workers::worker::{Report, Worker};
use crate::shared::{Fault, Memory};
use crossbeam::channel::{Receiver, Sender, unbounded};
use std::sync::atomic::{AtomicUsize, Ordering};
use systole_base::diagnostic::{Checked, Diagnostic};

/// What a thread finds in its mail.
enum Letter {
    Packet(Packet),
    /// The run is over, or broken off.
    Over,
}

/// What has come for a thread that has work to do.
enum Arrival {
    Packet(Packet),
    Nothing,
    Over,
}

/// The mail of one thread. A thread that leaves tells all others that the run is over, whatever the reason.
struct Mail<'a> {
    others: Vec<Sender<Letter>>,
    inbox: Receiver<Letter>,
    /// Threads awake and packets under way.
    unrest: &'a AtomicUsize,
}

impl Mail<'_> {
    /// What has come so far.
    fn look(&self) -> Arrival {
        match self.inbox.try_recv() {
            Ok(Letter::Packet(packet)) => {
                self.unrest.fetch_sub(1, Ordering::SeqCst);
                Arrival::Packet(packet)
            }
            Ok(Letter::Over) => Arrival::Over,
            Err(_) => Arrival::Nothing,
        }
    }

    /// Sleeps until a packet comes, whose part of the count goes over to this thread; `None` where the run is over.
    fn sleep(&self) -> Option<Packet> {
        if self.unrest.fetch_sub(1, Ordering::SeqCst) == 1 {
            return None;
        }
        match self.inbox.recv() {
            Ok(Letter::Packet(packet)) => Some(packet),
            Ok(Letter::Over) | Err(_) => None,
        }
    }
}

impl Post for Mail<'_> {
    fn send(&mut self, to: usize, packet: Packet) {
        self.unrest.fetch_add(1, Ordering::SeqCst);
        // Whoever has left needs nothing any more: the run is broken off.
        let _ = self.others[to].send(Letter::Packet(packet));
    }
}

impl Drop for Mail<'_> {
    fn drop(&mut self) {
        self.others.iter().for_each(|other| _ = other.send(Letter::Over));
    }
}

/// Runs the workers of a plan, each on a thread of its own.
///
/// # Errors
/// Threads that are too many, or cannot be had. What a PE does wrong is the inner error; where several do, which one is chance.
pub(super) fn run<W: Stored>(
    plan: &Plan<'_>,
    memory: &Memory<W::Element>,
    operations: &W::Operations,
    tape: &Tape,
) -> Checked<Result<Vec<Report>, Fault>> {
    check(plan.workers)?;
    let unrest = AtomicUsize::new(plan.workers);
    let (others, inboxes): (Vec<_>, Vec<_>) = (0..plan.workers).map(|_| unbounded()).unzip();
    std::thread::scope(|scope| {
        let mut threads = vec![];
        for (number, inbox) in inboxes.into_iter().enumerate() {
            let mail = Mail { others: others.clone(), inbox, unrest: &unrest };
            let thread = std::thread::Builder::new().name(format!("worker {number}"));
            threads.push(
                thread
                    .spawn_scoped(scope, move || work::<W>(plan, number, (memory, operations), mail, tape.clone()))
                    .map_err(|error| refused(&error))?,
            );
        }
        let reports = threads.into_iter().map(|thread| thread.join().map_err(|_| died()));
        Ok(reports.collect::<Checked<Vec<_>>>()?.into_iter().collect())
    })
}

/// So many threads a run has at most, since each has the addresses of all.
const MOST_THREADS: usize = 1 << 10;

fn check(threads: usize) -> Checked<()> {
    if threads <= MOST_THREADS {
        return Ok(());
    }
    Diagnostic::usage(format!("a run has at most {MOST_THREADS} threads, and {threads} are asked for"))
        .help("ask for fewer with `--threads`")
        .alone()
}

fn refused(error: &std::io::Error) -> Vec<Diagnostic> {
    vec![Diagnostic::new(format!("threads cannot be started: {error}")).help("ask for fewer with `--threads`")]
}

fn died() -> Vec<Diagnostic> {
    vec![Diagnostic::new("a thread of the run died".to_owned())]
}

/// One thread.
fn work<W: Stored>(
    plan: &Plan<'_>,
    number: usize,
    (memory, operations): (&Memory<W::Element>, &W::Operations),
    mut mail: Mail<'_>,
    tape: Tape,
) -> Result<Report, Fault> {
    let mut worker = Worker::<_, W>::new(plan, number, memory, operations, tape);
    loop {
        worker.sweep(&mut mail)?;
        loop {
            match mail.look() {
                Arrival::Packet(packet) => {
                    let from = worker.tape().now();
                    worker.deliver(&packet, from)?;
                }
                Arrival::Nothing => break,
                Arrival::Over => return Ok(worker.conclude().0),
            }
        }
        if !worker.is_ready() {
            // Taking packets in owes nobody anything: words are received, and slots freed, in sweeps alone.
            let from = worker.tape().now();
            let packet = mail.sleep();
            worker.tape().note(Activity::Wait, from);
            let from = worker.tape().now();
            match packet {
                Some(packet) => worker.deliver(&packet, from)?,
                None => return Ok(worker.conclude().0),
            }
        }
    }
}
