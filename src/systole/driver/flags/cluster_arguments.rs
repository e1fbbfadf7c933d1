//! The flags of commands that run programs for real, or say how long that takes.

use crate::driver::flags::arguments::SoughtArguments;
use crate::driver::flags::program_arguments::ProgramArguments;
use clap::Args;
use std::path::PathBuf;

/// `systole exec`.
#[derive(Args, Debug)]
pub struct ExecArguments {
    #[command(flatten)]
    pub given: ProgramArguments,
    /// What the PEs run on: threads of this process, or the ranks that `mpirun` started
    #[arg(long, default_value = "threads")]
    pub backend: String,
    /// How many threads [default: one a core]
    #[arg(long)]
    pub threads: Option<usize>,
    /// How many ranks there must be; another number is refused
    #[arg(long)]
    pub ranks: Option<usize>,
    #[command(flatten)]
    pub way: WayArguments,
    /// How many digits elements have: double or single
    #[arg(long, default_value = "double")]
    pub precision: String,
    /// How often the program is run on the same operands, one time after the other; the time of each is told
    #[arg(long, default_value_t = 1)]
    pub repeat: usize,
    /// The most bytes that a rank may hold, or all threads together, such as 512MB or 2GiB; a run that would hold more is
    /// refused before anything is read [default: what the machine and the control groups of
    /// the process leave, shared by its ranks]
    #[arg(long, value_name = "BYTES")]
    pub memory: Option<String>,
    /// Write what each thread or rank does when, by real clocks, as trace events for Perfetto or chrome://tracing
    #[arg(long, value_name = "FILE.json")]
    pub trace: Option<PathBuf>,
    /// The machine file of a cluster: what it predicts is said beside what was measured
    #[arg(long, value_name = "FILE.toml")]
    pub machine: Option<PathBuf>,
}

/// `systole predict`.
#[derive(Args, Debug)]
pub struct PredictArguments {
    /// A program written by `systole emit`
    pub program: PathBuf,
    /// The machine file of a cluster, as `systole calibrate` writes it
    #[arg(long, value_name = "FILE.toml")]
    pub machine: PathBuf,
    /// Sizes, such as M=512,N=512,K=512
    #[arg(long, value_name = "P=N,..", value_delimiter = ',')]
    pub size: Vec<String>,
    /// How many ranks; several give a row each
    #[arg(long, value_name = "P,..", value_delimiter = ',', default_value = "1")]
    pub ranks: Vec<usize>,
    /// Sizes that grow with the ranks, as a power of their number: with M=0.5 four ranks have twice the M
    #[arg(long, value_name = "P=POWER,..", value_delimiter = ',')]
    pub grow: Vec<String>,
    #[command(flatten)]
    pub way: WayArguments,
    /// Where a table and plots go
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
}

/// `systole tune`.
#[derive(Args, Debug)]
#[command(mut_arg("tile", |tile| tile.help("Tiles to choose from, several sides of an index with `:`, such as i=64:128,j=64")))]
#[command(mut_arg("schedule", |schedule| schedule.help("The schedule, others are not tried [default: all of the file, and none]")))]
pub struct TuneArguments {
    #[command(flatten)]
    pub sought: SoughtArguments,
    /// How many ranks, or threads; what is predicted is for ranks
    #[arg(long, value_name = "P", default_value_t = 1)]
    pub ranks: usize,
    /// How PEs may be distributed, axis by axis: block, cyclic, or block-cyclic:B with B at a time [default: as the schedule folds them, or
    /// else block,cyclic,block-cyclic:2]
    #[arg(long, value_delimiter = ',', alias = "deal")]
    pub distribution: Vec<String>,
    /// In which order a worker may compute the tiles of its PEs: steps, of the program, or turns, counted from each PE's first tile; with
    /// :B the tiles of B steps of a PE together [default: as the schedule says, or else steps,turns,turns:4]
    #[arg(long, value_delimiter = ',')]
    pub order: Vec<String>,
    /// How threads or ranks may stand along the axes of the array, such as 2x1,1x2 [default: in all grids of so many]
    #[arg(long, value_name = "GRID,..", value_delimiter = ',')]
    pub grid: Vec<String>,
    /// Slots that every channel may have besides the depths that the program states
    #[arg(long, value_name = "SLOTS,..", value_delimiter = ',', default_value = "4")]
    pub capacity: Vec<u64>,
    /// How a word on a bus may get to all who listen: star, tree, chain
    #[arg(long, value_name = "SHAPE,..", value_delimiter = ',', default_value = "tree,chain,star")]
    pub broadcast: Vec<String>,
    /// How the words of operands and results are distributed before and after the run: block, cyclic, or block-cyclic:B [default: as the
    /// schedule lays them out, or else each is with who loads or stores it]
    #[arg(long)]
    pub layout: Option<String>,
    /// What works on tiles: `loops`, `faer`, or `openblas` in builds with that feature
    #[arg(long, default_value = "loops")]
    pub leaves: String,
    /// The most bytes that a rank may hold, such as 512MB or 2GiB; ways that hold more are left out
    #[arg(long, value_name = "BYTES")]
    pub memory: Option<String>,
    /// How many designs of each front are tried
    #[arg(long, default_value_t = 3)]
    pub designs: usize,
    /// How many ways are shown
    #[arg(long, default_value_t = 10)]
    pub most: usize,
    /// Where the program that was chosen goes, whole or not at all
    #[arg(short, long, value_name = "FILE.pe")]
    pub output: Option<PathBuf>,
    /// Milliseconds for each obligation; past that it is unknown
    #[arg(long, value_name = "MS", default_value_t = 10_000)]
    pub limit: u64,
}

/// How a program is run, whoever runs it.
#[derive(Args, Debug)]
pub struct WayArguments {
    /// How PEs are distributed, axis by axis: block, cyclic, or block-cyclic:B with B at a time [default: as the program says, or else
    /// block]
    #[arg(long, alias = "deal")]
    pub distribution: Option<String>,
    /// How the words of operands and results, numbers or tiles, are distributed before and after the run: block, cyclic, or
    /// block-cyclic:B [default: as the program says, or else each is with who loads or stores it]
    #[arg(long)]
    pub layout: Option<String>,
    /// In which order a worker computes the tiles of its PEs: steps, of the program, or turns, counted from each PE's first tile; with :B
    /// the tiles of B steps of a PE together [default: as the program says, or else steps, or turns where no PE waits for another's tile]
    #[arg(long)]
    pub order: Option<String>,
    /// How many threads or ranks stand along each axis of the array, such as 2x1 [default: the grid that is balanced best]
    #[arg(long, value_name = "GRID")]
    pub grid: Option<String>,
    /// Slots of every channel, in place of the program's depths
    #[arg(long, value_name = "SLOTS")]
    pub capacity: Option<u64>,
    /// How a word on a bus gets to all who listen: star, from who drives it; tree, handed on in rounds; chain, from one to the next
    #[arg(long, default_value = "tree")]
    pub broadcast: String,
    /// What works on tiles: `loops` with the bits of the equations, the same loops `native`, compiled by the system's C
    /// compiler, or a library for what it knows: `faer`, or `openblas` in builds with that feature
    #[arg(long, default_value = "loops")]
    pub leaves: String,
}

/// `systole calibrate`.
#[derive(Args, Debug)]
pub struct CalibrateArguments {
    /// Where to write, whole or not at all [default: standard output]
    #[arg(short, long, value_name = "FILE.toml")]
    pub output: Option<PathBuf>,
    /// Whose leaves are measured: loops, faer, openblas
    #[arg(long, value_name = "LIBRARY,..", value_delimiter = ',', default_value = "loops,faer")]
    pub leaves: Vec<String>,
    /// The sides of the tiles that are measured; those of loops up to 128, beyond which they are no faster
    #[arg(long, value_name = "SIDE,..", value_delimiter = ',', default_value = "32,64,128,256")]
    pub tile: Vec<u64>,
    /// Between whom messages are measured: two threads of this process, or the two ranks that `mpirun` started
    #[arg(long, default_value = "threads")]
    pub backend: String,
    /// Of how many runs each number is the median
    #[arg(long, default_value_t = 9)]
    pub runs: usize,
    /// How many operations of a leaf one run has, at least; an eighth of it for loops
    #[arg(long, value_name = "OPERATIONS", default_value_t = 1 << 25)]
    pub work: u64,
}
