//! Ours beside ScaLAPACK's pdgemm, pdtrsm and pdpotrf, interleaved in one run: `make peers`.
//!
//! In: a routine, sizes, schedules of ours, block sizes of theirs. Out: a table. First every configuration of each side has three turns; the best
//! of ours with each library, of ScaLAPACK with its own panel, of ScaLAPACK with a wider panel, and of MKL go on. These then run in turns,
//! A B C A B C, and the ratios are those of neighbours, so what the machine does in the meantime meets all alike. Ours runs on one rank as well. Time is that of
//! the operation alone: operands are where they belong before it starts, and results are collected after it, on all sides.
//!
//! The residuals of both sides are checked: a result that is wrong ends the bench. `peer.c` defines `pilaenv_`, which
//! PBLAS asks for the width of its panels; that of the library always says 32. Ours runs with each of the two
//! libraries, as a side of its own: with OpenBLAS the leaf is theirs, and with faer the program is what a user without
//! a BLAS gets. All sides run the same kernels of OpenBLAS (`OPENBLAS_CORETYPE`): its own choice, or wider ones if it
//! does not know the processor. `make figures` has what else is measured of runs.

use clap::Parser;
use contest::{Problem, Side, ours, theirs};
use figures::{Sample, line, median, ratios, spread};
use operands::Routine;
use std::error::Error;
use std::io::Write;
use std::path::{Path, PathBuf};
use systole::leaf::LeafBackend;

mod contest;

mod figures;

mod operands;

/// How many turns each configuration has before the best of a side is chosen.
const LOOKS: usize = 3;

/// Ours beside ScaLAPACK.
#[derive(Parser, Debug)]
struct Arguments {
    /// What `cargo bench` gives every bench
    #[arg(long, hide = true)]
    bench: bool,
    /// What is measured
    #[arg(long, value_enum, default_value = "gemm")]
    routine: Routine,
    /// Rows and columns of the matrices
    #[arg(long, value_delimiter = ',', default_value = "1024,2048")]
    sizes: Vec<usize>,
    /// A solve has so many times fewer right-hand sides than unknowns
    #[arg(long, default_value_t = 1)]
    fewer: usize,
    /// Our programs, SCHEDULE/TILES/GRID/DEAL, and behind it where they are wanted /LAYOUT and /ORDER
    #[arg(long, required = true)]
    ours: Vec<String>,
    /// What runs our leaves; each is a side of its own
    #[arg(long, value_delimiter = ',', default_value = "openblas,faer")]
    leaves: Vec<String>,
    /// Block sizes of ScaLAPACK
    #[arg(long, value_delimiter = ',', default_value = "64,128,256")]
    blocks: Vec<usize>,
    /// The wider panel of PBLAS
    #[arg(long, default_value_t = 128)]
    panel: usize,
    /// How many ranks
    #[arg(long, default_value_t = 2)]
    ranks: usize,
    /// How many turns each side has
    #[arg(long, default_value_t = 7)]
    rounds: usize,
    /// How many runs of a turn count
    #[arg(long, default_value_t = 3)]
    repeat: usize,
    /// The kernels of OpenBLAS on all sides, such as SkylakeX; its own choice otherwise, if that is as wide as the processor
    #[arg(long)]
    kernels: Option<String>,
    /// The program that calls ScaLAPACK
    #[arg(long)]
    peer: PathBuf,
    /// The same with MKL
    #[arg(long)]
    mkl: Option<PathBuf>,
}

fn main() -> Result<(), Box<dyn Error>> {
    let arguments = Arguments::parse();
    arguments.sizes.iter().try_for_each(|n| measure(&arguments, *n))
}

fn measure(arguments: &Arguments, n: usize) -> Result<(), Box<dyn Error>> {
    let folder = tempfile::tempdir()?;
    let Arguments { routine, ranks, repeat, .. } = *arguments;
    let columns = (n / arguments.fewer.max(1)).max(1);
    let kernels = arguments.kernels.as_deref().or_else(|| LeafBackend::OpenBlas.wider_kernels());
    let problem = Problem { routine, n, columns, ranks, repeat, folder: folder.path(), kernels };
    operands::write(routine, n, columns, folder.path())?;
    let mut sides = vec![];
    for group in groups(arguments, &problem)? {
        sides.push(best(group, &problem)?);
    }
    // What one core does alone says how much of two is lost.
    let (ours, others) = (arguments.leaves.len(), sides.len());
    sides.extend(sides[..ours].iter().filter_map(Side::alone).collect::<Vec<_>>());
    let title = format!("{} n = {n}, {columns} columns, {ranks} ranks, {repeat} runs a turn", routine.name());
    say(&format!("{title}; seconds of the operation alone, without distribution and collection; load {}", load()))?;
    say(&format!("  kernels of OpenBLAS: {}", kernels.unwrap_or("its own choice")))?;
    let samples = take_turns(&sides, arguments.rounds, &problem)?;
    for (side, samples) in sides.iter().zip(&samples) {
        say(&line(side.name(), samples, routine.flops(n, columns), side.ranks(&problem)))?;
    }
    compare(&sides[..others], &samples, ours)?;
    compare_alone(&sides[..ours], &samples[..ours], &samples[others..], ranks)?;
    say(&format!("  load afterwards {}", load()))
}

/// Writes the ratios of the first sides, which are ours, to the others.
fn compare(sides: &[Side], samples: &[Vec<Sample>], ours: usize) -> Result<(), Box<dyn Error>> {
    for (our, theirs) in (0..ours).flat_map(|our| (ours..sides.len()).map(move |theirs| (our, theirs))) {
        let found = ratios(&samples[our], &samples[theirs]);
        let ([least, most], middle) = (spread(&found), median(&found).unwrap_or(0.0));
        let [our, theirs] = [our, theirs].map(|side| sides[side].name());
        say(&format!("  {our} is {middle:.2} [{least:.2} {most:.2}] times as fast as {theirs}"))?;
    }
    Ok(())
}

/// Writes how many times as fast each of ours is as on one rank.
fn compare_alone(
    ours: &[Side],
    samples: &[Vec<Sample>],
    alone: &[Vec<Sample>],
    ranks: usize,
) -> Result<(), Box<dyn Error>> {
    for ((side, samples), alone) in ours.iter().zip(samples).zip(alone) {
        let found = ratios(samples, alone);
        let ([least, most], middle) = (spread(&found), median(&found).unwrap_or(0.0));
        let share = 100.0 * middle / ranks as f64;
        let name = side.name();
        say(&format!(
            "  {name} is {middle:.2} [{least:.2} {most:.2}] times as fast as on one rank, {share:.0}% of {ranks}"
        ))?;
    }
    Ok(())
}

/// The configurations of each side, ours first.
fn groups(arguments: &Arguments, problem: &Problem<'_>) -> Result<Vec<Vec<Side>>, Box<dyn Error>> {
    let programs = |leaves: &String| arguments.ours.iter().map(|text| ours(text, leaves, problem)).collect();
    let with = |title: &str, program: &Path, panel| theirs(title, program, problem.ranks, &arguments.blocks, panel);
    let mut groups = arguments.leaves.iter().map(programs).collect::<Result<Vec<_>, _>>()?;
    groups.push(with("ScaLAPACK", &arguments.peer, 0));
    groups.push(with(&format!("ScaLAPACK, panel {}", arguments.panel), &arguments.peer, arguments.panel));
    groups.extend(arguments.mkl.as_deref().map(|program| with("MKL", program, 0)));
    Ok(groups)
}

/// The configuration with the shortest median; each has several turns, one after the others, since a machine has slow moments.
fn best(group: Vec<Side>, problem: &Problem<'_>) -> Result<Side, Box<dyn Error>> {
    let (looked, mut timed) = (take_turns(&group, LOOKS, problem)?, vec![]);
    for (side, samples) in group.into_iter().zip(looked) {
        let runs: Vec<f64> = samples.into_iter().flat_map(|sample| sample.wall).collect();
        let middle = median(&runs).ok_or("a run without figures")?;
        say(&format!("    {:<44} {middle:.4} s", side.name()))?;
        timed.push((middle, side));
    }
    let best = timed.into_iter().min_by(|(a, _), (b, _)| a.total_cmp(b));
    Ok(best.ok_or("a side without configurations")?.1)
}

/// The samples of each side, round by round.
fn take_turns(sides: &[Side], rounds: usize, problem: &Problem<'_>) -> Result<Vec<Vec<Sample>>, Box<dyn Error>> {
    let mut samples = vec![vec![]; sides.len()];
    for _ in 0..rounds {
        for (side, samples) in sides.iter().zip(&mut samples) {
            samples.push(side.run(problem)?);
        }
    }
    Ok(samples)
}

/// What else the machine was doing.
fn load() -> String {
    let text = std::fs::read_to_string("/proc/loadavg").unwrap_or_default();
    text.split_whitespace().take(2).collect::<Vec<_>>().join(" ")
}

fn say(line: &str) -> Result<(), Box<dyn Error>> {
    Ok(writeln!(std::io::stdout(), "{line}")?)
}
