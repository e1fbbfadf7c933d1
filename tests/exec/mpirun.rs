//! Starting the program on several ranks with a real `mpirun`.

use serde_json::Value;
use std::io::Write;
use std::process::{Command, Output};
use std::sync::{PoisonError, RwLock};

/// What a run did.
pub struct Ran {
    pub code: Option<i32>,
    pub stdout: String,
    pub stderr: String,
}

impl Ran {
    /// What a run with `--json` said.
    pub fn object(&self) -> Value {
        serde_json::from_str(&self.stdout).expect("one object, from one rank")
    }
}

/// Flags of Open MPI for a small machine: more ranks than cores, over shared memory.
const FLAGS: [&str; 12] = [
    "--oversubscribe",
    "--allow-run-as-root",
    "--bind-to",
    "none",
    "--mca",
    "pml",
    "ob1",
    "--mca",
    "btl",
    "self,vader",
    "--mca",
    "mpi_yield_when_idle",
];

/// Runs `systole exec --backend mpi` on so many ranks. A run that hangs is ended by `timeout`, with a code of its own.
///
/// In some 1,500 starts one process died of a signal, on a thread that was not ours, in code that was no longer mapped. That
/// looks like a component of Open MPI 4.1 that `MPI_Finalize` unloads too early, which is not proved. So such a run is tried
/// once more, which is said; what comes twice fails the test. So is one that did not begin because two `mpirun` made the folder of their
/// sessions at one time.
pub fn mpirun(ranks: usize, arguments: &[&str]) -> Ran {
    mpirun_of("exec", ranks, arguments)
}

/// The same for another of systole's commands.
pub fn mpirun_of(name: &str, ranks: usize, arguments: &[&str]) -> Ran {
    let ran = start(name, ranks, arguments);
    if !["exited on signal", "orte_session_dir failed"].iter().any(|chance| ran.stderr.contains(chance)) {
        return ran;
    }
    let said = writeln!(std::io::stderr(), "tried again, since that was chance: {}", ran.stderr);
    said.expect("standard error");
    start(name, ranks, arguments)
}

/// The layout of operands and results that goes with a distribution of PEs in these tests: another one, or none.
pub fn layout(ranks: usize, distribution: &str) -> &'static [&'static str] {
    match distribution {
        "cyclic" if ranks.is_multiple_of(2) => &["--layout", "block-cyclic:2"],
        "cyclic" => &["--layout", "block"],
        "block-cyclic:2" => &["--layout", "cyclic"],
        _ => &[],
    }
}

/// Held by all that run beside each other, and by one that runs alone.
static BESIDE: RwLock<()> = RwLock::new(());

/// A calibration sends thousands of messages to and fro, one after the other. Beside ranks of other tests, which never sleep while they wait,
/// each message takes a slice of the scheduler: on two cores with four more ranks it took more than 120 s in place of 6.
fn start(name: &str, ranks: usize, arguments: &[&str]) -> Ran {
    let is_alone = name == CALIBRATE;
    let _alone = is_alone.then(|| BESIDE.write().unwrap_or_else(PoisonError::into_inner));
    let _beside = (!is_alone).then(|| BESIDE.read().unwrap_or_else(PoisonError::into_inner));
    let output = command_of(name, ranks, &[], arguments).output();
    ran(&output.expect("`mpirun` and `timeout` are there"))
}

const CALIBRATE: &str = "calibrate";

/// After so many seconds a run hangs. What else the machine does is not known to these tests, and a calibration feels it most.
fn patience(name: &str) -> &'static str {
    if name == CALIBRATE { "600" } else { "120" }
}

/// What is to be started; each process is started by `wrapper` where there is one.
pub fn command(ranks: usize, wrapper: &[&str], arguments: &[&str]) -> Command {
    command_of("exec", ranks, wrapper, arguments)
}

fn command_of(name: &str, ranks: usize, wrapper: &[&str], arguments: &[&str]) -> Command {
    let mut command = Command::new("timeout");
    command.args([patience(name), "mpirun"]).args(FLAGS).args(["1", "-n", &ranks.to_string()]).args(wrapper);
    command.arg(env!("CARGO_BIN_EXE_systole")).arg(name).args(arguments).args(["--backend", "mpi"]);
    command.current_dir(env!("SYSTOLE_ROOT")).env("NO_COLOR", "1");
    command
}

/// What a process that has ended did.
pub fn ran(output: &Output) -> Ran {
    let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).expect("what it writes is text");
    Ran { code: output.status.code(), stdout: text(&output.stdout), stderr: text(&output.stderr) }
}

/// The most elements of inputs that one rank holds, by the object of a run.
pub fn held(object: &Value) -> u64 {
    let ranks = object["memory"].as_array().expect("a list of ranks").iter();
    ranks.map(|rank| rank["held"]["inputs"].as_u64().expect("bytes") / 8).max().expect("a rank")
}
