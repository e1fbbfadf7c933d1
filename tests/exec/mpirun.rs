//! Starting the program on several ranks with a real `mpirun`.

use std::io::Write;
use std::process::Command;

/// What a run did.
pub struct Ran {
    pub code: Option<i32>,
    pub stdout: String,
    pub stderr: String,
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
/// once more, which is said; what comes twice fails the test.
pub fn mpirun(ranks: usize, arguments: &[&str]) -> Ran {
    let ran = start(ranks, arguments);
    if !ran.stderr.contains("exited on signal") {
        return ran;
    }
    let said = writeln!(std::io::stderr(), "tried again, since a process died of a signal: {}", ran.stderr);
    said.expect("standard error");
    start(ranks, arguments)
}

fn start(ranks: usize, arguments: &[&str]) -> Ran {
    let mut command = Command::new("timeout");
    command.args(["120", "mpirun"]).args(FLAGS).args(["1", "-n", &ranks.to_string()]);
    command.arg(env!("CARGO_BIN_EXE_systole")).arg("exec").args(arguments).args(["--backend", "mpi"]);
    let output = command.current_dir(env!("CARGO_MANIFEST_DIR")).env("NO_COLOR", "1").output();
    let output = output.expect("`mpirun` and `timeout` are there");
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("what it writes is text");
    Ran { code: output.status.code(), stdout: text(output.stdout), stderr: text(output.stderr) }
}
