//! What the flags say about a search: machine, sizes, bounds, choices, objective, and what a schedule fixes.

use crate::driver::files;
use crate::driver::flags::arguments::SpaceArguments;
use crate::driver::kernels::kernel::Kernel;
use crate::driver::runs::inputs;
use crate::driver::stop::End;
use systole_base::cell::Cell;
use systole_base::diagnostic::{Checked, Diagnostic, Diagnostics, counted, nearest};
use systole_base::integer::{Bindings, lexicographic_sign};
use systole_base::machine::Machine;
use systole_base::network::Network;
use systole_compile::cost::Objective;
use systole_compile::extract::{Constraint, Limits, Partition};
use systole_compile::mapping::Fold;
use systole_compile::mapping::candidates::Bounds;
use systole_compile::rewrite::Choices;
use systole_compile::rewrite::Transport;
use systole_equations::recurrence::spaces::SpaceSystem;
use systole_equations::recurrence::{Schedule, check_assumed};

/// The largest bound on the entries of places.
pub const LARGEST_BOUND: i64 = 3;

/// The largest entry of a step, in magnitude.
pub const LONGEST_STEP: i64 = 9;

/// Everything the flags say about a search.
pub struct Setting {
    /// The machine with the command line's changes.
    pub machine: Machine,
    /// The sizes asked for.
    pub given: Bindings,
    /// The sizes of the equations that are searched: the same, or numbers of tiles.
    pub sizes: Bindings,
    /// The schedule, if there is one.
    pub schedule: Option<Schedule>,
    /// What the schedule fixes.
    pub constraint: Constraint,
    /// The network, where no schedule says one.
    pub unscheduled: Network,
    /// What the e-graph offers, less what the flags rule out.
    pub choices: Vec<Choices>,
    /// The bounds on maps.
    pub bounds: Bounds,
    /// How many PEs may be folded onto one.
    pub fold: i64,
    /// How many maps are looked at.
    pub budget: u64,
    /// So many searches share them.
    pub shares: u64,
    /// When to go on with the best there is.
    pub end: End,
    /// Whether times are plain and PEs keep nothing, whatever that leaves without a design, and the budget is searched with once.
    pub is_plain: bool,
    /// What is best.
    pub objective: Objective,
    /// The design of the front that is meant, where that is not the best.
    pub design: Option<usize>,
    /// Worker threads; one a core where nothing is said.
    pub threads: Option<usize>,
}

impl Setting {
    /// Reads the flags.
    pub fn new(kernel: &Kernel, arguments: &SpaceArguments) -> Checked<Setting> {
        Setting::with(kernel, arguments, &arguments.size, Ok)
    }

    /// Reads the flags, with these sizes and with a change to the machine in place of their own.
    pub fn with(
        kernel: &Kernel,
        arguments: &SpaceArguments,
        sizes: &[String],
        change: impl FnOnce(Machine) -> Checked<Machine>,
    ) -> Checked<Setting> {
        let system = kernel.system();
        let schedule = arguments.schedule.as_deref().map(|name| system.asked_schedule(name)).transpose()?;
        let (constraint, refused) = match kernel.constrain(schedule) {
            Ok(constraint) => (constraint, None),
            Err(why) => (kernel.constrain(None)?, Some(why)),
        };
        let given = inputs::sizes(sizes, &kernel.origin.system.parameters, Some(kernel.origin.usual_size()))?;
        check_assumed(&kernel.origin.system, &given)?;
        let setting = Setting {
            is_plain: false,
            machine: change(machine(arguments, constraint.network)?)?,
            unscheduled: machine(arguments, None)?.links.network,
            schedule: schedule.cloned(),
            sizes: kernel.origin.sizes(&given),
            given,
            choices: kernel.left_by(&Moves::new(arguments)?, &constraint),
            constraint,
            bounds: divided_bounds(kernel, bounds(&kernel.cut, arguments)?),
            fold: fold(arguments.fold)?,
            budget: budget(arguments)?,
            shares: 1,
            end: arguments.time.end(),
            objective: objective(arguments)?,
            design: arguments.design,
            threads: arguments.threads,
        };
        match refused {
            None => Ok(setting),
            Some(why) => Err(kernel.inquire(&setting, setting.constraint.clone(), |inquiry| inquiry.blame(why))),
        }
    }
}

/// Refuses flags that say nothing of any kernel, before one is read.
///
/// # Errors
/// Unknown words, numbers out of range; all of them at once.
pub fn check_flags(arguments: &SpaceArguments) -> Checked<()> {
    let objective = || objective(arguments).map(|_| ());
    let checks: [&dyn Fn() -> Checked<()>; 9] = [
        &objective,
        &|| links(arguments, Machine::default()).map(|_| ()),
        &|| bounded(arguments),
        &|| steps(&arguments.steps).map(|_| ()),
        &|| fold(arguments.fold).map(|_| ()),
        &|| budget(arguments).map(|_| ()),
        &|| no_beam(arguments.beam.as_deref()),
        &|| Moves::new(arguments).map(|_| ()),
        &|| arguments.threads.map_or(Ok(()), check_threads),
    ];
    let problems: Diagnostics = checks.iter().filter_map(|check| check().err()).flatten().collect();
    if problems.is_empty() { Ok(()) } else { Err(problems) }
}

fn objective(arguments: &SpaceArguments) -> Checked<Objective> {
    keyword(&arguments.objective, "objective", Objective::from_keyword, &Objective::ALL.map(|o| o.1))
}

/// Refuses no threads at all.
///
/// # Errors
/// Their number is 0.
pub fn check_threads(threads: usize) -> Checked<()> {
    match threads {
        0 => Diagnostic::usage("with no threads nothing is done")
            .help("--threads is 1 or more; leave it out for one a core")
            .alone(),
        _ => Ok(()),
    }
}

/// The machine of the flags; where neither they nor its file name a network, on that of the schedule.
fn machine(arguments: &SpaceArguments, scheduled: Option<Network>) -> Checked<Machine> {
    let mut machine = Machine::default();
    machine.links.network = scheduled.unwrap_or(machine.links.network);
    links(arguments, files::machine_from(machine, arguments.machine.as_deref())?)
}

/// The machine with the links of the flags.
fn links(arguments: &SpaceArguments, mut machine: Machine) -> Checked<Machine> {
    if let Some(network) = &arguments.network {
        machine.links.network = keyword(network, "network", Network::from_keyword, &Network::ALL.map(|n| n.1))?;
    }
    match arguments.latency {
        Some(latency @ 1..=1_000_000) => machine.links.latency = latency,
        Some(latency) => {
            return Diagnostic::usage(format!("a link cannot take {}", counted(latency, "cycle")))
                .help("from 1 to 1000000")
                .alone();
        }
        None => {}
    }
    machine.links.cell = cell(arguments.cell.as_deref())?.unwrap_or(machine.links.cell);
    Ok(machine)
}

/// What a step of a PE holds, where the command line says it.
///
/// # Errors
/// Words that are neither a number of operations nor `all`.
pub fn cell(word: Option<&str>) -> Checked<Option<Cell>> {
    let Some(word) = word else { return Ok(None) };
    let cell = Cell::from_word(word, 1_000_000);
    let unknown = || {
        let message = format!("a step cannot hold `{word}` operations");
        vec![Diagnostic::usage(message).help(format!("--cell is a number from 1 to 1000000, or `{}`", Cell::ALL))]
    };
    cell.map(Some).ok_or_else(unknown)
}

fn keyword<T>(word: &str, what: &str, find: impl Fn(&str) -> Option<T>, known: &[&str]) -> Checked<T> {
    find(word).ok_or_else(|| {
        let near = nearest(word, known.iter().copied()).map(|near| format!("did you mean `{near}`?"));
        let help = near.unwrap_or_else(|| format!("known: {}", known.join(", ")));
        vec![Diagnostic::usage(format!("`{word}` is not a known {what}")).help(help)]
    })
}

/// The bounds for a kernel that may be divided.
fn divided_bounds(kernel: &Kernel, mut bounds: Bounds) -> Bounds {
    if kernel.partition.is_some() {
        bounds.steps = Partition::steps(bounds.steps);
    }
    bounds
}

/// The bounds on maps of these spaces.
fn bounds(cut: &SpaceSystem, arguments: &SpaceArguments) -> Checked<Bounds> {
    let mut bounds = Bounds::for_system(cut);
    let dimension = cut.dimension();
    if !arguments.rank.is_empty() {
        bounds.ranks = arguments.rank.clone();
    }
    if let Some(rank) = bounds.ranks.iter().find(|rank| **rank >= dimension.max(1)) {
        let most = dimension.saturating_sub(1);
        let message = format!("an array of rank {rank} leaves no dimension of `{}` for time", cut.kernel);
        return Diagnostic::usage(message).help(format!("ranks are 0 to {most}")).alone();
    }
    bounded(arguments)?;
    bounds.bound = arguments.bound;
    bounds.steps = steps(&arguments.steps)?;
    Ok(bounds)
}

fn bounded(arguments: &SpaceArguments) -> Checked<()> {
    match arguments.bound {
        1..=LARGEST_BOUND => Ok(()),
        _ => Diagnostic::usage("the bound on places is out of range").help("--bound is 1, 2 or 3").alone(),
    }
}

fn fold(most: i64) -> Checked<i64> {
    match most {
        1..=Fold::MOST => Ok(most),
        _ => Diagnostic::usage(format!("{} cannot be folded onto one", counted(most, "PE")))
            .help(format!("--fold is 1 to {}; 1 folds nothing", Fold::MOST))
            .alone(),
    }
}

fn budget(arguments: &SpaceArguments) -> Checked<u64> {
    match arguments.budget {
        Some(0) => Diagnostic::usage("with no budget nothing is looked at").help("--budget is 1 or more").alone(),
        Some(maps) => Ok(maps),
        None if arguments.exact => Ok(u64::MAX),
        None => Ok(Limits::default().budget),
    }
}

/// Points to what took the place of a flag that there was.
fn no_beam(designs: Option<&str>) -> Checked<()> {
    match designs {
        Some(_) => Diagnostic::usage("`--beam` is no longer a flag: how wide a search goes follows from its budget")
            .help("--budget 1000000 for an answer sooner, --budget 100000000 for a wider search, --exact for all of it")
            .alone(),
        None => Ok(()),
    }
}

fn steps(text: &str) -> Checked<(i64, i64)> {
    let parts = text.split_once("..").and_then(|(low, high)| Some((low.parse().ok()?, high.parse().ok()?)));
    match parts {
        Some((low, high)) if low <= high && low >= -LONGEST_STEP && high <= LONGEST_STEP => Ok((low, high)),
        _ => Diagnostic::usage(format!("`{text}` is not a range of steps"))
            .help("write --steps -2..2, within -9..9")
            .alone(),
    }
}

/// Which moves `--transports` and `--reuse` leave.
pub struct Moves<'a> {
    /// The transports asked for; none where all are.
    transports: &'a [String],
    forward: bool,
}

impl Moves<'_> {
    fn new(arguments: &SpaceArguments) -> Checked<Moves<'_>> {
        let words = ["stream", "broadcast", "prefetch", "feed", "local", "memory"];
        for word in &arguments.transports {
            keyword(word, "transport", |word| words.contains(&word).then_some(()), &words)?;
        }
        let kinds = ["both", "forward"];
        let reuse = |word: &str| kinds.iter().position(|kind| *kind == word);
        let forward = keyword(&arguments.reuse, "kind of reuse", reuse, &kinds)? == 1;
        Ok(Moves { transports: &arguments.transports, forward })
    }

    /// Whether an operand may move so; what is handed over goes where it must.
    pub fn allow(&self, transport: &Transport) -> bool {
        match transport {
            Transport::Stream(_) | Transport::Tree(_) => {
                transport.streams().iter().all(|along| self.allow_along(along)) && self.has("stream")
            }
            Transport::Broadcast(_) | Transport::Bus => self.has("broadcast"),
            Transport::Prefetch => self.has("prefetch"),
            Transport::Feed => self.has("feed"),
            Transport::Handoff => true,
            Transport::Local => self.has("local"),
            Transport::Memory => self.has("memory"),
        }
    }

    /// Whether values may be reused along this direction.
    pub fn allow_along(&self, along: &[i64]) -> bool {
        !self.forward || lexicographic_sign(along) > 0
    }

    fn has(&self, word: &str) -> bool {
        self.transports.is_empty() || self.transports.iter().any(|asked| asked == word)
    }
}
