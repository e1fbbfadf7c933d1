//! The flags of what programs are run on, and of what is shown of a run, cycle by cycle.

use clap::Args;
use std::path::PathBuf;
use systole_base::cancel::Token;

/// How arrays come in and go out.
#[derive(Args, Debug)]
pub struct ArrayArguments {
    /// Read an input, such as A=a.npy or A=arrays.npz, or all arrays of arrays.npz by their names; the others are filled from the seed
    #[arg(long, value_name = "X=FILE.npy|FILE.npz")]
    pub input: Vec<String>,
    /// Write an output, such as C=c.npy
    #[arg(long, value_name = "X=FILE.npy")]
    pub output: Vec<String>,
    /// Fills arrays that are not given
    #[arg(long, default_value_t = 1, allow_negative_numbers = true)]
    pub seed: u64,
}

/// What is shown of a run, cycle by cycle.
#[derive(Args, Debug)]
pub struct TraceArguments {
    /// Write what each PE does in each cycle as trace events, for Perfetto or chrome://tracing
    #[arg(long, value_name = "FILE.json")]
    pub trace: Option<PathBuf>,
    /// Write it as waveforms, for GTKWave or Surfer
    #[arg(long, value_name = "FILE.vcd")]
    pub vcd: Option<PathBuf>,
    /// Only these cycles of it, TO left out [default: all]
    #[arg(long, value_name = "FROM..TO", allow_hyphen_values = true)]
    pub window: Option<String>,
}

/// A program, and what it is run on.
#[derive(Args, Debug)]
pub struct ProgramArguments {
    /// A program written by `systole emit`
    pub program: PathBuf,
    /// Sizes, such as M=8,N=8,K=8
    #[arg(long, value_name = "P=N,..", value_delimiter = ',')]
    pub size: Vec<String>,
    #[command(flatten)]
    pub arrays: ArrayArguments,
    /// Compare with this kernel's reference meaning
    #[arg(long, value_name = "FILE.rec")]
    pub reference: Option<String>,
}

/// `systole sim`.
#[derive(Args, Debug)]
pub struct SimArguments {
    #[command(flatten)]
    pub given: ProgramArguments,
    /// A machine file: its network, links and buses are taken in place of the program's; a channel of h hops takes max(1, h * latency)
    #[arg(long, value_name = "FILE.toml")]
    pub machine: Option<PathBuf>,
    /// Cycles a hop takes, in place of the program's: a channel takes them for each of its hops, and 1 on its own PE
    #[arg(long, value_name = "CYCLES")]
    pub latency: Option<u64>,
    /// Operations of a PE that share a step at most, a number or `all`, in place of those that the program or the machine says
    #[arg(long, value_name = "N|all")]
    pub cell: Option<String>,
    /// Slots of every channel, in place of the program's depths
    #[arg(long, value_name = "SLOTS")]
    pub capacity: Option<u64>,
    #[command(flatten)]
    pub traces: TraceArguments,
    /// Find the fewest slots of each channel that keep the cycles
    #[arg(long)]
    pub fit_fifos: bool,
    /// Write a page that shows it, to open in any browser
    #[arg(long, value_name = "FILE.html")]
    pub report: Option<PathBuf>,
    /// Who calls the command may end it before.
    #[arg(skip)]
    pub token: Token,
}
