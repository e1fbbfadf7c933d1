//! Commands of Systole within a process of Python.
//!
//! In: the words of a command line, and who is told how far it has come. Out: the exit code that a process would have had, and what it
//! would have written to its two streams. Everything else of the package is Python (`python/systole`). While a command runs other threads
//! of Python go on, and Ctrl-C is looked for every so often.
//!
//! A command has threads of its own, which end with it: so commands do not wait for one another, and a child that was forked has
//! threads as well.

use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use rayon::ThreadPoolBuilder;
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};
use systole::driver::{Call, Progress, Ran};

/// How often it is told how far a command has come, at least: a bar that nothing moves goes on with its clock.
const NEWS: Duration = Duration::from_millis(200);

/// How often Ctrl-C is looked for.
const LOOK: Duration = Duration::from_millis(20);

/// How often it is looked, after Ctrl-C, whether a command has ended. One that has not by then ends by itself, and its answer is thrown
/// away.
const PATIENCE: usize = 5;

/// As much as a kernel may be nested.
const STACK: usize = 64 << 20;

fn begin(call: &Call, words: Vec<String>) -> Result<Mutex<Receiver<Ran>>, String> {
    let (sender, receiver) = channel();
    let pool = ThreadPoolBuilder::new().stack_size(STACK).build().map_err(|why| why.to_string())?;
    let call = call.clone();
    let work = move || {
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        // Nobody listens any more where the caller was stopped.
        let _ = sender.send(pool.install(|| call.run(&words)));
    };
    std::thread::Builder::new().spawn(work).map_err(|why| why.to_string())?;
    Ok(Mutex::new(receiver))
}

/// Runs one command: its exit code, what it printed, what it said beside that. `watch` is told what it does, how much of that is done, and of
/// how much; what it raises ends the command, as Ctrl-C does.
#[pyfunction]
#[pyo3(signature = (words, watch=None))]
fn command(python: Python<'_>, words: Vec<String>, watch: Option<Bound<'_, PyAny>>) -> PyResult<(u8, String, String)> {
    let call = Call::default();
    let receiver = begin(&call, words).map_err(PyRuntimeError::new_err)?;
    let wait = || receiver.lock().unwrap_or_else(PoisonError::into_inner).recv_timeout(LOOK);
    let mut before = (None, Instant::now());
    loop {
        match python.detach(wait) {
            Ok(ran) => return Ok((ran.code, ran.printed, ran.said)),
            Err(RecvTimeoutError::Timeout) => {
                let told = python.check_signals().and_then(|()| tell(watch.as_ref(), call.progress(), &mut before));
                if let Err(why) = told {
                    call.cancel();
                    python.detach(|| (0..PATIENCE).find(|_| wait() != Err(RecvTimeoutError::Timeout)));
                    return Err(why);
                }
            }
            Err(RecvTimeoutError::Disconnected) => {
                return Err(PyRuntimeError::new_err("a command ended without an answer: this is a defect of systole"));
            }
        }
    }
}

/// Tells how far it has come, where that is news or was told a while ago.
fn tell(
    watch: Option<&Bound<'_, PyAny>>,
    now: Option<Progress>,
    (before, at): &mut (Option<Progress>, Instant),
) -> PyResult<()> {
    let (Some(watch), Some(progress)) = (watch, &now) else { return Ok(()) };
    if now != *before || at.elapsed() >= NEWS {
        watch.call1((&progress.what, progress.done, progress.of))?;
        (*before, *at) = (now, Instant::now());
    }
    Ok(())
}

/// The border: `_systole.command`.
#[pymodule]
fn _systole(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(command, module)?)
}
