//! The flags.

use crate::driver::flags::cluster_arguments::{CalibrateArguments, ExecArguments, PredictArguments, TuneArguments};
use crate::driver::flags::law_arguments::{CoordinateArguments, DeriveArguments, EqualArguments};
use crate::driver::flags::limit_arguments::LimitArguments;
use crate::driver::flags::program_arguments::{ArrayArguments, SimArguments, TraceArguments};
use crate::driver::flags::time_arguments::TimeArguments;
use crate::driver::kernels::designed;
use crate::driver::kernels::stages::Stage;
use clap::{Args, Parser, Subcommand, ValueEnum};
use std::path::PathBuf;
use systole_base::cancel::Token;

/// Recurrence equations in, a distributed program out that is proved right for every problem size.
#[derive(Parser, Debug)]
#[command(name = "systole", version, about)]
pub struct Arguments {
    /// One JSON object on standard output; messages and progress go to standard error
    #[arg(long, global = true)]
    pub json: bool,
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
}

/// The commands.
#[derive(Subcommand, Debug)]
pub enum Command {
    /// Write a kernel to begin with, with comments that say what its lines mean
    ///
    /// Example: systole new product.rec
    #[command(verbatim_doc_comment)]
    New(NewArguments),
    /// List what ships, by kind, each with a command that runs in any folder
    ///
    /// Example: systole examples attention
    #[command(verbatim_doc_comment)]
    Examples(ExamplesArguments),
    /// Parse and validate a kernel; print its normal form and its dependences; hold the recurrences of a .spaces file against it
    ///
    /// Example: systole check kernels/matmul.rec
    #[command(verbatim_doc_comment)]
    Check(CheckArguments),
    /// Search for the best schedules
    ///
    /// Example: systole search kernels/matmul.rec --size M=8,N=8,K=8
    #[command(verbatim_doc_comment)]
    Search(SearchArguments),
    /// Prove a schedule for all sizes, or refute it with the smallest counterexample
    ///
    /// Example: systole prove kernels/matmul.rec --schedule cannon
    #[command(verbatim_doc_comment)]
    Prove(ProveArguments),
    /// Find the forms of a kernel's equations that the laws of algebra lead to, fewest passes first
    ///
    /// Example: systole derive kernels/naive/attention.rec -o online.rec
    #[command(verbatim_doc_comment)]
    Derive(DeriveArguments),
    /// Say whether two tensors of a kernel are equal by the laws of algebra, and why; or show where they differ
    ///
    /// Example: systole equal pair.rec X Y
    #[command(verbatim_doc_comment)]
    Equal(EqualArguments),
    /// Print the chain of rules from the equations to the schedule
    ///
    /// Example: systole explain kernels/matmul.rec --schedule cannon
    #[command(verbatim_doc_comment)]
    Explain(ExplainArguments),
    /// Write the program of the best schedule, or of a named one
    ///
    /// Example: systole emit kernels/matmul.rec --schedule weight-stationary -o ws.pe
    #[command(verbatim_doc_comment)]
    Emit(EmitArguments),
    /// Run a program cycle by cycle
    ///
    /// Example: systole sim ws.pe --size M=8,N=8,K=8
    #[command(verbatim_doc_comment)]
    Sim(SimArguments),
    /// Run a program for real
    ///
    /// Example: systole exec ws.pe --size M=8,N=8,K=8 --threads 2
    #[command(verbatim_doc_comment)]
    Exec(ExecArguments),
    /// Say how long a program would run, on as many ranks as you like, by the machine file of a cluster
    ///
    /// Example: systole predict ws.pe --machine cluster.toml --size M=512,N=512,K=512 --ranks 1,4,16 --grow M=0.5,N=0.5
    #[command(verbatim_doc_comment)]
    Predict(PredictArguments),
    /// Choose schedule, tiles, grid, distribution, order, slots and broadcasts for a cluster, by prediction, and prove the program that is chosen
    ///
    /// Example: systole tune kernels/matmul.rec --machine cluster.toml --size M=512,N=512,K=512 --tile i=64:128,j=64:128,k=64 --ranks 2 -o best.pe
    #[command(verbatim_doc_comment)]
    Tune(TuneArguments),
    /// Search, prove, emit, simulate, and check against the reference
    ///
    /// Example: systole run kernels/matmul.rec --size M=8,N=8,K=8
    #[command(verbatim_doc_comment)]
    Run(RunArguments),
    /// Sweep over sizes and keys of a machine: tables, plots, and a journal from which a broken-off sweep goes on
    ///
    /// Example: systole explore kernels/matmul.rec --sweep link.latency=1..3 --sweep size.N=4,8 --out sweep
    #[command(verbatim_doc_comment)]
    Explore(ExploreArguments),
    /// Count the cycles of a network's layers on an array, beside what SCALE-Sim counts, from its configuration and its topology
    ///
    /// Example: systole layers kernels/layers/resnet18.csv --machine machines/scalesim.cfg
    #[command(verbatim_doc_comment)]
    Layers(LayersArguments),
    /// Measure this machine, or the ranks of MPI, into a machine file for predictions
    ///
    /// Example: systole calibrate --output cluster.toml
    #[command(verbatim_doc_comment)]
    Calibrate(CalibrateArguments),
    /// Look after the rewrite rules: the ones that ship and your own
    ///
    /// Example: systole rules check
    #[command(verbatim_doc_comment)]
    Rules(RulesArguments),
    /// Answer an editor on standard input and output: messages, hovers, definitions and completions for .rec, .rules and .pe
    ///
    /// Example: systole language-server
    #[command(verbatim_doc_comment)]
    LanguageServer,
    /// Print what a shell needs to complete commands and flags
    ///
    /// Example: systole completions bash
    #[command(verbatim_doc_comment)]
    Completions(CompletionsArguments),
    /// Write the manual pages, one for each command
    ///
    /// Example: systole manual man1
    #[command(verbatim_doc_comment)]
    Manual(ManualArguments),
    /// Say what this machine has, and what to install for what it lacks
    ///
    /// Example: systole doctor
    #[command(verbatim_doc_comment)]
    Doctor,
}

impl Command {
    /// Where a file holds a whole design and no schedule is named, the design is meant.
    pub fn mean_designs(&mut self) {
        if let Some(sought) = self.sought() {
            designed::mean(&sought.kernel.kernel, &mut sought.space);
        }
    }

    /// Whether the solver is asked, or may be.
    pub fn asks_solver(&self) -> bool {
        match self {
            Command::Search(_) | Command::Prove(_) | Command::Derive(_) | Command::Equal(_) | Command::Explain(_) => {
                true
            }
            Command::Emit(_) | Command::Tune(_) | Command::Run(_) | Command::Explore(_) => true,
            Command::Layers(_) | Command::Rules(_) => true,
            Command::New(_) | Command::Examples(_) | Command::Check(_) | Command::Sim(_) | Command::Exec(_) => false,
            Command::Predict(_) | Command::Calibrate(_) | Command::LanguageServer | Command::Completions(_) => false,
            Command::Manual(_) | Command::Doctor => false,
        }
    }

    /// What it is called where it goes on until somebody ends it.
    pub fn without_end(&self) -> Option<&'static str> {
        match self {
            Command::Check(arguments) if arguments.watch => Some("check --watch"),
            Command::LanguageServer => Some("language-server"),
            _ => None,
        }
    }

    /// Whoever has the token may end the command.
    pub fn end_by(&mut self, token: &Token) {
        match self {
            Command::Sim(arguments) => arguments.token = token.clone(),
            _ => self.sought().into_iter().for_each(|sought| sought.space.time.token = token.clone()),
        }
    }

    /// What a command that searches is asked.
    fn sought(&mut self) -> Option<&mut SoughtArguments> {
        match self {
            Command::Search(arguments) => Some(&mut arguments.sought),
            Command::Prove(arguments) => Some(&mut arguments.sought),
            Command::Explain(arguments) => Some(&mut arguments.sought),
            Command::Emit(arguments) => Some(&mut arguments.sought),
            Command::Run(arguments) => Some(&mut arguments.sought),
            Command::Explore(arguments) => Some(&mut arguments.sought),
            Command::Tune(arguments) => Some(&mut arguments.sought),
            _ => None,
        }
    }
}

/// Where the kernel comes from.
#[derive(Args, Clone, Debug)]
pub struct KernelArguments {
    /// A .rec file, or an einsum such as `ik,kj->ij`
    pub kernel: String,
    /// Rules of your own, read after the ones that ship
    #[arg(long, value_name = "DIR")]
    pub rules: Option<PathBuf>,
}

/// What the search looks at.
#[derive(Args, Clone, Debug)]
pub struct SpaceArguments {
    /// Take what this schedule of the file fixes, search the rest
    #[arg(long, value_name = "NAME")]
    pub schedule: Option<String>,
    /// Sizes, such as M=8,N=8,K=8 (8 each where a command can do without, or two tiles if that is more; `run` takes those of its arrays)
    #[arg(long, value_name = "P=N,..", value_delimiter = ',')]
    pub size: Vec<String>,
    /// A machine file, or a configuration of SCALE-Sim (.cfg)
    #[arg(long, value_name = "FILE.toml")]
    pub machine: Option<PathBuf>,
    /// The network: line, wire, mesh, hex, king or torus
    #[arg(long)]
    pub network: Option<String>,
    /// Cycles a link takes, in place of the machine's
    #[arg(long, value_name = "CYCLES")]
    pub latency: Option<i64>,
    /// Operations of a PE that share a step at most, a number or `all`, in place of the machine's
    #[arg(long, value_name = "N|all")]
    pub cell: Option<String>,
    /// What is best: systolic, cycles, pes, words or buffers. `systolic` is for the shortest wires, then for the least product of the
    /// cycles and the square of the words from memory, then for the fewest cycles, then for the fewest PEs
    #[arg(long, default_value = "systolic")]
    pub objective: String,
    /// Go on with this design of the front in place of the best; they count from 0, in the order of `systole search`
    #[arg(long, value_name = "N", conflicts_with = "forms")]
    pub design: Option<usize>,
    /// Ranks of the array, such as 2 or 0,1,2 [default: 0 to 2, and 3 where the largest of several spaces has four indices; always less than the indices of a space]
    #[arg(long, value_name = "R,..", value_delimiter = ',')]
    pub rank: Vec<usize>,
    /// The largest entry of a place, in magnitude
    #[arg(long, default_value_t = 1)]
    pub bound: i64,
    /// The least and greatest entry of a step; where a link takes L cycles, entries L times as long are looked at too
    #[arg(long, value_name = "LO..HI", default_value = "-2..2", allow_hyphen_values = true)]
    pub steps: String,
    /// The elements of a tile along indices, such as i=64,j=64: what moves and what is worked on are tiles then
    #[arg(long, value_name = "I=N,..", value_delimiter = ',')]
    pub tile: Vec<String>,
    /// Search all forms of the equations that the laws of algebra lead to, and go on with the one of the best design
    #[arg(long, conflicts_with_all = ["schedule", "tile"])]
    pub forms: bool,
    #[command(flatten)]
    pub coordinates: CoordinateArguments,
    /// Up to this many neighbouring PEs that are busy by turns may become one PE
    #[arg(long, value_name = "PES", default_value_t = 1)]
    pub fold: i64,
    /// How many maps to look at [default: 6000000], the plainest first and those of one place at least; the same budget gives the same designs on
    /// every machine. Where a kernel has several spaces, each way to move their values counts as 1000 maps. Such a kernel is searched with 93750
    /// maps first, whatever is said here, then with 6000000, then with twice as many again and again, as far as the budget goes. So 93751 to 5999999
    /// count as 93750, and a larger budget keeps the arrays of a smaller one. The ways to divide a kernel for the machine's array share all of these
    #[arg(long, value_name = "MAPS", conflicts_with = "exact")]
    pub budget: Option<u64>,
    /// Look at all maps within the bounds, however long that takes; Ctrl-C tells the best so far
    #[arg(long)]
    pub exact: bool,
    #[arg(long, hide = true)]
    pub beam: Option<String>,
    #[command(flatten)]
    pub time: TimeArguments,
    /// Which transports: stream, broadcast, prefetch, feed, local, memory [default: all]
    #[arg(long, value_delimiter = ',')]
    pub transports: Vec<String>,
    /// Directions of reuse: `both`, or `forward` for non-negative ones only
    #[arg(long, default_value = "both")]
    pub reuse: String,
    /// Worker threads [default: one a core]
    #[arg(long)]
    pub threads: Option<usize>,
}

impl SpaceArguments {
    /// Whether other forms of the equations are looked for.
    pub fn has_forms(&self) -> bool {
        self.forms || self.coordinates.are_given()
    }
}

/// A kernel, and what the search for its designs looks at.
#[derive(Args, Clone, Debug)]
pub struct SoughtArguments {
    #[command(flatten)]
    pub kernel: KernelArguments,
    #[command(flatten)]
    pub limits: LimitArguments,
    #[command(flatten)]
    pub space: SpaceArguments,
}

/// `systole new`.
#[derive(Args, Debug)]
pub struct NewArguments {
    /// The file to write, such as product.rec; one that is there already is left as it is
    #[arg(value_name = "FILE.rec")]
    pub file: PathBuf,
    /// Begin with a kernel that ships, such as kernels/matmul.rec
    #[arg(long, value_name = "FILE.rec")]
    pub from: Option<PathBuf>,
}

/// `systole examples`.
#[derive(Args, Debug)]
pub struct ExamplesArguments {
    /// Only those with this word in their path, their title or a schedule; their schedules are listed too
    #[arg(value_name = "WORD")]
    pub about: Option<String>,
}

/// `systole completions`.
#[derive(Args, Debug)]
pub struct CompletionsArguments {
    /// The shell
    pub shell: clap_complete::Shell,
}

/// `systole manual`.
#[derive(Args, Debug)]
pub struct ManualArguments {
    /// Where the pages go; it is made where it is not there
    pub folder: PathBuf,
}

/// `systole check`.
#[derive(Args, Debug)]
pub struct CheckArguments {
    #[command(flatten)]
    pub kernel: KernelArguments,
    /// Check again whenever the file changes, until Ctrl-C; with --json one object a time
    #[arg(long)]
    pub watch: bool,
}

/// `systole search`.
#[derive(Args, Debug)]
pub struct SearchArguments {
    #[command(flatten)]
    pub sought: SoughtArguments,
    /// List every legal design among those that are looked at, in place of the front
    #[arg(long)]
    pub all: bool,
    /// How many designs the table shows
    #[arg(long, default_value_t = 16)]
    pub most: usize,
    /// Write the designs of the table, all of them, as comma-separated values
    #[arg(long, value_name = "FILE.csv")]
    pub csv: Option<PathBuf>,
}

/// `systole layers`.
#[derive(Args, Debug)]
pub struct LayersArguments {
    /// A topology of SCALE-Sim: convolutions, or products by M, N and K
    #[arg(value_name = "FILE.csv")]
    pub topology: PathBuf,
    /// A configuration of SCALE-Sim
    #[arg(long, value_name = "FILE.cfg")]
    pub machine: PathBuf,
    /// Write the table as comma-separated values
    #[arg(long, value_name = "FILE.csv")]
    pub csv: Option<PathBuf>,
}

/// `systole prove`.
#[derive(Args, Debug)]
pub struct ProveArguments {
    #[command(flatten)]
    pub sought: SoughtArguments,
    /// Claim this FIFO depth on every channel in place of the one that is needed
    #[arg(long)]
    pub depth: Option<u64>,
    /// Claim that this many loads of every operand are outstanding on a PE at most in place of those that are needed; for machines whose
    /// memory has a latency
    #[arg(long, value_name = "LOADS", value_parser = clap::value_parser!(u64).range(1..))]
    pub outstanding: Option<u64>,
    /// Also prove that no run deadlocks, whoever owns which PE, that each element is computed once, and that each PE has one of the
    /// workers that they are distributed to: block, cyclic, or block-cyclic:B, as for `exec`
    #[arg(long, alias = "deal")]
    pub distribution: Option<String>,
    /// Also prove that each word of an array has one home before the run and after it: block, cyclic, or block-cyclic:B, as for `exec`
    #[arg(long)]
    pub layout: Option<String>,
    /// Write the obligations as SMT-LIB, for any solver
    #[arg(long, value_name = "FILE")]
    pub dump_smt: Option<PathBuf>,
    /// Write a page that shows it, to open in any browser
    #[arg(long, value_name = "FILE.html")]
    pub report: Option<PathBuf>,
    /// Milliseconds for each obligation; past that it is unknown
    #[arg(long, value_name = "MS", default_value_t = 10_000)]
    pub limit: u64,
}

/// `systole explain`.
#[derive(Args, Debug)]
pub struct ExplainArguments {
    #[command(flatten)]
    pub sought: SoughtArguments,
    /// Also write the chain as a graph, for Graphviz
    #[arg(long, value_name = "FILE.dot")]
    pub dot: Option<PathBuf>,
}

/// What `systole emit` writes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum Target {
    /// The program.
    #[default]
    Program,
    /// A folder of C11.
    C,
}

/// `systole emit`.
#[derive(Args, Debug)]
pub struct EmitArguments {
    #[command(flatten)]
    pub sought: SoughtArguments,
    /// Where to write: a file, or a folder for C [default: standard output]
    #[arg(short, long, value_name = "FILE.pe|FOLDER")]
    pub output: Option<PathBuf>,
    /// What to write: the program, or a folder of C11 that computes the same and is built without systole; a program (FILE.pe) may stand in
    /// place of the kernel then
    #[arg(long, value_enum, default_value_t, conflicts_with_all = ["stop_after", "closed_form"])]
    pub target: Target,
    /// What works on tiles in C: loops, with the bits of `exec`; or blas, for products of matrices, with bits of its own [default: loops]
    #[arg(long, value_name = "loops|blas")]
    pub leaves: Option<String>,
    /// Who the workers of the C are: threads; or mpi, ranks that each have their own rows of the arrays [default: threads]
    #[arg(long, value_name = "threads|mpi")]
    pub backend: Option<String>,
    /// Stop after a stage, and write what it prints in place of the program; all but `equations` are stages of a design, which is
    /// searched for where the kernel comes without one
    #[arg(long, value_name = "STAGE", conflicts_with = "closed_form")]
    pub stop_after: Option<Stage>,
    /// Also print what these stages print, to standard error
    #[arg(long, value_name = "STAGE,..", value_delimiter = ',')]
    pub dump_after: Vec<Stage>,
    /// Write what each process does as closed forms of its coordinates and the sizes, in place of a program
    #[arg(long)]
    pub closed_form: bool,
    /// Milliseconds for each obligation; past that it is unknown
    #[arg(long, value_name = "MS", default_value_t = 10_000)]
    pub limit: u64,
}

/// `systole run`.
#[derive(Args, Debug)]
pub struct RunArguments {
    #[command(flatten)]
    pub sought: SoughtArguments,
    #[command(flatten)]
    pub arrays: ArrayArguments,
    #[command(flatten)]
    pub traces: TraceArguments,
    /// Find the fewest slots of each channel that keep the cycles
    #[arg(long)]
    pub fit_fifos: bool,
    /// Also keep the program
    #[arg(long, value_name = "FILE.pe")]
    pub program: Option<PathBuf>,
    /// Write a page that shows it, to open in any browser
    #[arg(long, value_name = "FILE.html")]
    pub report: Option<PathBuf>,
    /// Beside the page write one for each other design of the front that is proved, and open them from its plot
    #[arg(long, requires = "report")]
    pub pages: bool,
    /// Milliseconds for each obligation; past that it is unknown
    #[arg(long, value_name = "MS", default_value_t = 10_000)]
    pub limit: u64,
}

/// `systole explore`.
#[derive(Args, Debug)]
pub struct ExploreArguments {
    #[command(flatten)]
    pub sought: SoughtArguments,
    /// A key of a machine file or a size with its values, such as link.latency=1..8, size.N=8..64:8, grid.network=mesh,hex;
    /// several sweeps give all combinations, the last one fastest
    #[arg(long, value_name = "KEY=VALUES", required = true)]
    pub sweep: Vec<String>,
    /// Keep the design of the first point in place of a search at each
    #[arg(long)]
    pub keep: bool,
    /// Where tables, plots and the journal go; a sweep that was broken off goes on from there
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// Fills the inputs
    #[arg(long, default_value_t = 1, allow_negative_numbers = true)]
    pub seed: u64,
    /// Milliseconds for each obligation; past that it is unknown
    #[arg(long, value_name = "MS", default_value_t = 10_000)]
    pub limit: u64,
}

/// `systole rules`.
#[derive(Args, Debug)]
pub struct RulesArguments {
    /// What to do with them.
    #[command(subcommand)]
    pub action: RulesAction,
}

/// What is done with rules.
#[derive(Subcommand, Debug)]
pub enum RulesAction {
    /// Try every rule on random instances, and refuse it where its sides differ
    ///
    /// Example: systole rules check rules/examples/logaddexp --cases 1000
    #[command(verbatim_doc_comment)]
    Check(RulesCheckArguments),
}

/// `systole rules check`.
#[derive(Args, Debug)]
pub struct RulesCheckArguments {
    /// Rules of your own, read after the ones that ship
    #[arg(value_name = "DIR")]
    pub rules: Option<PathBuf>,
    /// Random instances on which both sides of a rule have to be equal
    #[arg(long, value_name = "N", default_value_t = 10_000, value_parser = clap::value_parser!(u64).range(1..))]
    pub cases: u64,
    /// Where the random numbers start
    #[arg(long, default_value_t = 1, allow_negative_numbers = true)]
    pub seed: u64,
    /// Worker threads [default: one a core]
    #[arg(long)]
    pub threads: Option<usize>,
}
