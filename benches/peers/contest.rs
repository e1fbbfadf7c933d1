//! Who is measured, and how each is started.
//!
//! Every side gets the same ranks, one thread each, and the same kernels of OpenBLAS: its own choice, whatever the environment says, or
//! wider ones where that choice is not the processor's (`OPENBLAS_CORETYPE`). Ranks are bound to no core, so that each side may use what is
//! free.

use super::figures::{Sample, of_exec, of_peer};
use super::operands::{Routine, residual};
use std::error::Error;
use std::path::{Path, PathBuf};
use std::process::Command;
use systole::recurrence::LeafOrder;

/// What is measured.
#[derive(Clone, Copy, Debug)]
pub struct Problem<'a> {
    pub routine: Routine,
    pub n: usize,
    /// Right-hand sides of a solve.
    pub columns: usize,
    pub ranks: usize,
    /// Runs of a process that count.
    pub repeat: usize,
    /// Where operands and results are.
    pub folder: &'a Path,
    /// The kernels of OpenBLAS, where they are not its own choice.
    pub kernels: Option<&'a str>,
}

/// One side.
#[derive(Clone, Debug)]
pub enum Side {
    /// A program of ours: its file, the grid of ranks, how PEs are distributed, where operands begin and results end, where no layout
    /// is said with the ranks that load and store them, and the order of tiles, where no order is said that of the program.
    Ours {
        name: String,
        program: PathBuf,
        ranks: usize,
        grid: String,
        distribution: String,
        layout: Option<String>,
        order: Option<String>,
        leaves: String,
    },
    /// The program that calls ScaLAPACK: its grid, block size and panel, 0 for the library's own.
    Theirs { name: String, program: PathBuf, grid: [usize; 2], block: usize, panel: usize },
}

impl Side {
    /// What the table calls it.
    pub fn name(&self) -> &str {
        match self {
            Side::Ours { name, .. } | Side::Theirs { name, .. } => name,
        }
    }

    /// A program of ours on one rank.
    pub fn alone(&self) -> Option<Side> {
        let Side::Ours { name, grid, .. } = self else { return None };
        let mut alone = self.clone();
        if let Side::Ours { name: of_one, ranks: one, grid: of_ones, .. } = &mut alone {
            (*of_one, *one) = (format!("{name}, on one rank"), 1);
            *of_ones = vec!["1"; grid.split('x').count()].join("x");
        }
        Some(alone)
    }

    /// How many ranks it runs on.
    pub fn ranks(&self, problem: &Problem<'_>) -> usize {
        match self {
            Side::Ours { ranks, .. } => *ranks,
            Side::Theirs { .. } => problem.ranks,
        }
    }

    /// Runs it once.
    ///
    /// # Errors
    /// A process that fails, tells no figures, or whose result is wrong.
    pub fn run(&self, problem: &Problem<'_>) -> Result<Sample, Box<dyn Error>> {
        let mut command = start(problem, self.ranks(problem));
        match self {
            Side::Ours { .. } => self.add_ours(&mut command, problem),
            Side::Theirs { program, grid, block, panel, .. } => {
                let numbers = [problem.n, problem.columns, *block, grid[0], grid[1], *panel, problem.repeat + 1];
                command.arg(program).arg(problem.routine.name()).args(numbers.map(|number| number.to_string()));
            }
        }
        let output = command.output()?;
        let text = String::from_utf8_lossy(&output.stdout);
        if !output.status.success() {
            return Err(format!("{}: {}", self.name(), String::from_utf8_lossy(&output.stderr)).into());
        }
        let broken = || format!("{} has written no figures", self.name());
        let sample = match self {
            Side::Theirs { .. } => of_peer(&text).ok_or_else(broken)?,
            Side::Ours { .. } => {
                let sample = of_exec(&text).ok_or_else(broken)?;
                Sample { residual: Some(residual(problem.routine, problem.folder)?), ..sample }
            }
        };
        Ok(sample.checked(self.name())?)
    }

    fn add_ours(&self, command: &mut Command, problem: &Problem<'_>) {
        let Side::Ours { program, grid, distribution, layout, order, leaves, .. } = self else { return };
        let Problem { routine, n, columns, folder, .. } = *problem;
        let inputs: &[&str] = match routine {
            Routine::Gemm => &["A", "B"],
            Routine::Trsm => &["L", "B"],
            Routine::Potrf => &["A"],
        };
        command.arg(env!("CARGO_BIN_EXE_systole")).arg("exec").arg(program).args(["--json", "--backend", "mpi"]);
        command.args([
            "--size",
            &routine.sizes(n, columns),
            "--leaves",
            leaves,
            "--grid",
            grid,
            "--distribution",
            distribution,
        ]);
        layout.iter().for_each(|layout| _ = command.args(["--layout", layout]));
        order.iter().for_each(|order| _ = command.args(["--order", order]));
        command.args(["--repeat", &(problem.repeat + 1).to_string()]);
        let file = |name: &str| format!("{name}={}", folder.join(format!("{name}.npy")).display());
        inputs.iter().for_each(|name| _ = command.args(["--input", &file(name)]));
        command.args(["--output", &file(routine.output())]);
    }
}

fn start(problem: &Problem<'_>, ranks: usize) -> Command {
    let mut command = Command::new("mpirun");
    command.args(["-n", &ranks.to_string(), "--oversubscribe", "--bind-to", "none"]);
    for name in ["OMPI_ALLOW_RUN_AS_ROOT", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM"] {
        command.env(name, "1");
    }
    for name in ["OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"] {
        command.env(name, "1");
    }
    match problem.kernels {
        Some(kernels) => command.env("OPENBLAS_CORETYPE", kernels),
        None => command.env_remove("OPENBLAS_CORETYPE"),
    };
    command
}

/// All of ScaLAPACK's grids, blocks and panels, with the program at this path; panels are tried where the library asks for them.
pub fn theirs(title: &str, program: &Path, ranks: usize, blocks: &[usize], panel: usize) -> Vec<Side> {
    let grids = (1..=ranks).filter(|rows| ranks.is_multiple_of(*rows)).map(|rows| [rows, ranks / rows]);
    let side = |grid: [usize; 2], block: usize| Side::Theirs {
        name: format!("{title}, {}x{}, NB {block}", grid[0], grid[1]),
        program: program.to_owned(),
        grid,
        block,
        panel,
    };
    grids.flat_map(|grid| blocks.iter().map(move |block| side(grid, *block))).collect()
}

/// The program of a schedule, such as `cannon/i=512,j=512,k=512/1x2/block`: schedule, tiles, grid of ranks, distribution, and a layout and an
/// order of tiles where they are asked for.
pub fn ours(text: &str, leaves: &str, problem: &Problem<'_>) -> Result<Side, Box<dyn Error>> {
    let [schedule, tiles, grid, distribution, ref rest @ ..] = text.split('/').collect::<Vec<_>>()[..] else {
        return Err(format!("`{text}` is not SCHEDULE/TILES/GRID/DEAL or that with /LAYOUT, /ORDER").into());
    };
    let program = emit(text, (schedule, tiles), problem)?;
    let [grid, distribution, leaves] = [grid, distribution, leaves].map(str::to_owned);
    let is_order = |word: &&&str| LeafOrder::from_keyword(word).is_some();
    let layout = rest.iter().find(|word| !is_order(word)).map(|layout| (*layout).to_owned());
    let order = rest.iter().find(is_order).map(|order| (*order).to_owned());
    let name = format!("ours with {leaves}, {text}");
    Ok(Side::Ours { name, program, ranks: problem.ranks, grid, distribution, layout, order, leaves })
}

/// Writes the program of a schedule.
fn emit(name: &str, (schedule, tiles): (&str, &str), problem: &Problem<'_>) -> Result<PathBuf, Box<dyn Error>> {
    let program = problem.folder.join(format!("{}.pe", name.replace('/', "_")));
    let mut command = Command::new(env!("CARGO_BIN_EXE_systole"));
    command.arg("emit").arg(problem.routine.kernel()).args(["--schedule", schedule, "--tile", tiles]);
    command.args(["--size", &problem.routine.sizes(problem.n, problem.columns), "-o"]).arg(&program);
    let output = command.output()?;
    match output.status.success() {
        true => Ok(program),
        false => Err(String::from_utf8_lossy(&output.stderr).into_owned().into()),
    }
}
