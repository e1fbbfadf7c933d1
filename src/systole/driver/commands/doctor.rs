//! `systole doctor`: what this machine has, what each thing is for, and what to install where it is not there.

use crate::driver::shown::output::Output;
use crate::driver::{Done, Verdict, shipped};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use systole_base::diagnostic::{Checked, WIDEST, counted};
use systole_compile::rewrite::{Phase, load_phase};
use systole_compile::smt;
use systole_run::leaf;

/// Something that was looked for.
struct Finding {
    name: &'static str,
    found: Option<String>,
    /// What it is needed for.
    purpose: &'static str,
    /// What to do where it is not there.
    remedy: &'static str,
}

/// Runs the command.
pub fn run(output: &Output) -> Done {
    let findings = findings()?;
    let width = findings.iter().filter_map(|one| one.found.as_ref()).map(String::len).max().unwrap_or(0).min(WIDEST);
    findings.iter().for_each(|one| one.print(width, output));
    let cores = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    output.object(&json!({
        "solver": smt::version(),
        "cores": cores,
        "mpirun": on_path(&["mpirun"]),
        "findings": findings.iter().map(Finding::json).collect::<Vec<_>>(),
    }));
    Ok(Verdict::Good)
}

impl Finding {
    fn new(name: &'static str, purpose: &'static str, found: Option<String>, remedy: &'static str) -> Finding {
        Finding { name, found, purpose, remedy }
    }

    fn print(&self, width: usize, output: &Output) {
        let found = self.found.as_deref().unwrap_or("not found");
        output.line(&format!("  {:<10}  {found:<width$}  {}", self.name, self.purpose));
        if self.found.is_none() {
            output.line(&format!("  {:<10}  help: {}", "", self.remedy));
        }
    }

    fn json(&self) -> Value {
        let remedy = self.found.is_none().then_some(self.remedy);
        json!({ "name": self.name, "found": self.found, "purpose": self.purpose, "remedy": remedy })
    }
}

fn findings() -> Checked<Vec<Finding>> {
    let cores = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    let always = |name, purpose, found: String| Finding::new(name, purpose, Some(found), "");
    let [dataflow, algebra] = [Phase::Dataflow, Phase::Algebra].map(|phase| load_phase(phase, None));
    let rules = dataflow?.rules().len() + algebra?.rules().len();
    let in_build = |is_there: bool| is_there.then(|| "in this build".to_owned());
    Ok(vec![
        Finding::new("solver", "proofs and searches", smt::version(), "pip install z3-solver"),
        always("cores", "threads of `search` and `exec`", cores.to_string()),
        always("rules", "dataflows and forms; `systole rules check` tries them", counted(rules, "rule")),
        always("kernels", "`systole examples` lists them", counted(shipped::paths("rec").len(), "kernel")),
        always("machines", "`--machine machines/NAME.toml`", counted(shipped::paths("toml").len(), "machine file")),
        Finding::new(
            "C compiler",
            "`exec --leaves native`; programs as C: `emit --target c`",
            leaf::c_compiler(),
            "apt-get install gcc",
        ),
        Finding::new("make", "building programs as C", on_path(&["make"]), "apt-get install make"),
        Finding::new(
            "BLAS",
            "`emit --target c --leaves blas`",
            library("libopenblas.so"),
            "apt-get install libopenblas-dev",
        ),
        Finding::new(
            "mpirun",
            "`exec --backend mpi`",
            on_path(&["mpirun"]),
            "apt-get install openmpi-bin libopenmpi-dev",
        ),
        Finding::new(
            "ranks",
            "`exec --backend mpi`, `calibrate --backend mpi`",
            in_build(cfg!(feature = "mpi")),
            "in a checkout: apt-get install libclang-dev, then make install FEATURES=mpi",
        ),
        Finding::new(
            "OpenBLAS",
            "`exec --leaves openblas`; `--leaves faer` needs nothing",
            in_build(cfg!(feature = "openblas")),
            "in a checkout: make install FEATURES=openblas",
        ),
    ])
}

/// The first of these programs that is on the path.
fn on_path(programs: &[&str]) -> Option<String> {
    let folders: Vec<PathBuf> = std::env::split_paths(&std::env::var_os("PATH")?).collect();
    let places = programs.iter().flat_map(|program| folders.iter().map(move |folder| folder.join(program)));
    first_file(places)
}

/// Where a linker finds a library.
fn library(name: &str) -> Option<String> {
    let named = ["LD_LIBRARY_PATH", "LIBRARY_PATH"].into_iter().filter_map(std::env::var_os);
    let named: Vec<PathBuf> = named.flat_map(|folders| std::env::split_paths(&folders).collect::<Vec<_>>()).collect();
    let of_this_kind = format!("/usr/lib/{}-linux-gnu", std::env::consts::ARCH);
    let usual = ["/usr/local/lib", &of_this_kind, "/usr/lib64", "/usr/lib"];
    first_file(named.iter().map(PathBuf::as_path).chain(usual.iter().map(Path::new)).map(|folder| folder.join(name)))
}

fn first_file(mut places: impl Iterator<Item = PathBuf>) -> Option<String> {
    places.find(|path| path.is_file()).map(|path| path.display().to_string())
}
