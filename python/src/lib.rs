//! Commands of Systole within a process of Python.
//!
//! In: the words of a command line. Out: the exit code that a process would have had, and what it would have written to its two
//! streams. Everything else of the package is Python (`python/systole`). While a command runs other threads of Python go on, and
//! Ctrl-C is looked for every so often.
//!
//! A command has threads of its own, which end with it: so commands do not wait for one another, and a child that was forked has
//! threads as well.

use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use rayon::ThreadPoolBuilder;
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;
use systole::driver::{Ran, run, stop};

/// How often Ctrl-C is looked for.
const LOOK: Duration = Duration::from_millis(20);

/// How often it is looked, after Ctrl-C, whether a search has ended. What does not look for Ctrl-C itself, such as a proof, is left to
/// end by itself, and its answer is thrown away.
const PATIENCE: usize = 8;

/// As much as a kernel may be nested.
const STACK: usize = 64 << 20;

fn begin(words: Vec<String>) -> Result<Mutex<Receiver<Ran>>, String> {
    let (sender, receiver) = channel();
    let pool = ThreadPoolBuilder::new().stack_size(STACK).build().map_err(|why| why.to_string())?;
    let work = move || {
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        // Nobody listens any more where the caller was stopped.
        let _ = sender.send(pool.install(|| run(&words)));
    };
    std::thread::Builder::new().spawn(work).map_err(|why| why.to_string())?;
    Ok(Mutex::new(receiver))
}

/// Runs one command: its exit code, what it printed, what it said beside that.
#[pyfunction]
fn command(python: Python<'_>, words: Vec<String>) -> PyResult<(u8, String, String)> {
    let receiver = begin(words).map_err(PyRuntimeError::new_err)?;
    let wait = || receiver.lock().unwrap_or_else(PoisonError::into_inner).recv_timeout(LOOK);
    loop {
        match python.detach(wait) {
            Ok(ran) => return Ok((ran.code, ran.printed, ran.said)),
            Err(RecvTimeoutError::Timeout) => {
                if let Err(why) = python.check_signals() {
                    stop::ask();
                    python.detach(|| (0..PATIENCE).find(|_| wait() != Err(RecvTimeoutError::Timeout)));
                    stop::forget();
                    return Err(why);
                }
            }
            Err(RecvTimeoutError::Disconnected) => {
                return Err(PyRuntimeError::new_err("a command ended without an answer: this is a defect of systole"));
            }
        }
    }
}

/// The border: `_systole.command`.
#[pymodule]
fn _systole(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(command, module)?)
}
