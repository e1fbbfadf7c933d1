//! `systole doctor`: what this machine has.

use crate::driver::shown::output::Output;
use crate::driver::{Done, Verdict};
use serde_json::json;
use systole_compile::smt;

/// Runs the command.
pub fn run(output: &Output) -> Done {
    let solver = smt::version();
    let cores = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    let mpi = on_path("mpirun");
    output.line(&format!("  solver    {solver}"));
    output.line(&format!("  cores     {cores}"));
    output.line(&format!("  mpirun    {}", mpi.as_deref().unwrap_or("not found; `exec --backend mpi` needs it")));
    output.object(&json!({ "solver": solver, "cores": cores, "mpirun": mpi }));
    Ok(Verdict::Good)
}

fn on_path(program: &str) -> Option<String> {
    let folders = std::env::var_os("PATH")?;
    let found = std::env::split_paths(&folders).map(|folder| folder.join(program)).find(|path| path.is_file())?;
    Some(found.display().to_string())
}
