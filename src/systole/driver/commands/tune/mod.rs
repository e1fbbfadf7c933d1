//! `systole tune`: which schedule, tiles, grid, distribution, order, slots and broadcasts are the fastest on a cluster.
//!
//! In: a kernel, sizes, the machine file of a cluster, and what may be chosen. Out: all that was weighed, best first, and the program
//! of the best, proved. The time of each is that of `systole predict`; a schedule whose leaves alone take longer than what is known
//! already is passed over, so the best of all is found. Paper: Cyclotron sections 9.1 and 9.2.
//!
//! Every schedule of a file is drafted, and the best designs of a free search, with every tiling that is asked for.
//! Each is predicted on every grid, distribution and number of slots (`exec::predict::ways`). Nothing is sampled. What
//! is best is then proved, and so is its run: with its slots, for any owners of PEs. What is not is left out with the
//! reason. Tests go through all ways one by one.

mod draft;

mod table;

use crate::driver::flags::cluster_arguments::TuneArguments;
use crate::driver::flags::way;
use crate::driver::flags::way::{arrangement, broadcast, layout, measured_leaves, order};
use crate::driver::runs::{inputs, memory};
use crate::driver::shown::output::Output;
use crate::driver::{Done, Failure, Verdict, files};
use draft::{Draft, Drafted};
use systole_base::diagnostic::{Checked, Diagnostic, counted};
use systole_base::machine::Cluster;
use systole_run::exec::{Choices, Prediction, Settings, least_seconds, weigh};

/// A way to run a program of a draft.
pub struct Weighed {
    /// The draft, by its position.
    pub draft: usize,
    /// The design, by its position on the front of the draft.
    pub design: usize,
    pub way: Settings,
    pub prediction: Prediction,
}

/// Why a draft was not weighed.
pub enum LeftOut {
    /// Its leaves alone take so many seconds.
    Slower(f64),
    /// It has no design, or one that is not proved, or that no way to run it fits.
    Nothing(Why),
}

/// What a command that failed said.
pub struct Why {
    /// In one line.
    pub text: String,
    /// What to type next.
    help: Option<String>,
    /// Whether a flag asks for what there is not.
    is_usage: bool,
}

impl LeftOut {
    fn of(failure: &Failure) -> LeftOut {
        let texts: Vec<&str> = failure.diagnostics.iter().map(Diagnostic::message).collect();
        let help = failure.diagnostics.first().and_then(Diagnostic::help_text).map(str::to_owned);
        LeftOut::Nothing(Why { text: texts.join("; "), help, is_usage: failure.verdict == Verdict::Misused })
    }

    /// Why there is nothing, where there is nothing.
    fn why(&self) -> Option<&Why> {
        if let LeftOut::Nothing(why) = self { Some(why) } else { None }
    }
}

/// What has been weighed.
#[derive(Default)]
pub struct Tuning {
    pub drafts: Vec<Draft>,
    /// Best first.
    pub weighed: Vec<Weighed>,
    /// Drafts by their positions, once for each of their designs.
    pub left_out: Vec<(usize, LeftOut)>,
}

/// Runs the command.
pub fn run(arguments: &TuneArguments, output: &Output) -> Done {
    files::check(&[("`--output`", arguments.output.as_deref())], &arguments.sought.read())?;
    let cluster = cluster(arguments)?;
    let choices = choices(arguments)?;
    let mut tuning = Tuning { drafts: Draft::all(&arguments.sought)?, ..Tuning::default() };
    let bar = output.progress("tune");
    bar.set_length(tuning.drafts.len() as u64);
    for draft in 0..tuning.drafts.len() {
        if let Err(failure) = tuning.add(draft, arguments, (&choices, &cluster)) {
            tuning.left_out.push((draft, LeftOut::of(&failure)));
        }
        bar.inc(1);
    }
    drop(bar);
    let proved = tuning.prove_best(arguments.limit);
    table::print(&tuning, arguments.most, output);
    let (Some(best), Some(proved)) = (tuning.weighed.first(), proved) else { return Err(none(&tuning).into()) };
    conclude(arguments, (&tuning.drafts[best.draft], best, &proved), output)?;
    output.object(&table::to_json(&tuning, &proved, arguments.output.is_none()));
    Ok(Verdict::Good)
}

impl Tuning {
    /// Weighs all ways to run the programs of a draft.
    fn add(
        &mut self,
        draft: usize,
        arguments: &TuneArguments,
        (choices, cluster): (&Choices, &Cluster),
    ) -> Result<(), Failure> {
        for (design, program) in self.drafts[draft].programs(arguments.designs.max(1))?.iter().enumerate() {
            let sizes = inputs::sizes(&arguments.sought.space.size, &program.parameters, None)?;
            let least = least_seconds(program, &sizes, choices, cluster)?;
            if self.weighed.first().is_some_and(|best| best.prediction.seconds < least) {
                self.left_out.push((draft, LeftOut::Slower(least)));
                continue;
            }
            let weighed = match weigh(program, &sizes, choices, cluster) {
                Ok(weighed) => weighed,
                Err(diagnostics) => {
                    self.left_out.push((draft, LeftOut::of(&diagnostics.into())));
                    continue;
                }
            };
            self.weighed.extend(weighed.into_iter().map(|(way, prediction)| Weighed {
                draft,
                design,
                way,
                prediction,
            }));
            // Of ways that take equally long the first stays first.
            self.weighed.sort_by(|one, other| one.prediction.seconds.total_cmp(&other.prediction.seconds));
        }
        Ok(())
    }

    /// Proves the best; what is not proved is left out, with all its ways of as many slots.
    fn prove_best(&mut self, limit: u64) -> Option<Drafted> {
        loop {
            let Weighed { draft, design, way, .. } = self.weighed.first()?;
            let (draft, design, slots) = (*draft, *design, way.capacity);
            match self.drafts[draft].proved(design, way, limit) {
                Ok(proved) => return Some(proved),
                Err(failure) => self.left_out.push((draft, LeftOut::of(&failure))),
            }
            self.weighed.retain(|other| (other.draft, other.design, other.way.capacity) != (draft, design, slots));
        }
    }
}

fn cluster(arguments: &TuneArguments) -> Checked<Cluster> {
    let Some(machine) = &arguments.sought.space.machine else {
        let fault = Diagnostic::usage("the fastest depends on the cluster, and none is given");
        return fault.help("say --machine FILE.toml; `systole calibrate -o FILE.toml` measures this one").alone();
    };
    files::cluster(machine)
}

fn choices(arguments: &TuneArguments) -> Checked<Choices> {
    let TuneArguments { ranks, distribution, order, grid, capacity, layout, broadcast, leaves, memory, .. } = arguments;
    if *ranks == 0 {
        return Diagnostic::usage("a run has at least 1 worker").help("say --ranks 2").alone();
    }
    if capacity.contains(&0) {
        return Diagnostic::usage("the capacity of a channel is 0; it must be at least 1").alone();
    }
    Ok(Choices {
        workers: *ranks,
        arrangements: grid.iter().map(|grid| arrangement(grid)).collect::<Checked<_>>()?,
        distributions: distribution.iter().map(|word| way::distribution(word)).collect::<Checked<_>>()?,
        orders: order.iter().map(|order| self::order(order)).collect::<Checked<_>>()?,
        capacities: std::iter::once(None).chain(capacity.iter().copied().map(Some)).collect(),
        broadcasts: broadcast.iter().map(|shape| self::broadcast(shape)).collect::<Checked<_>>()?,
        layout: layout.as_deref().map(self::layout).transpose()?,
        leaves: measured_leaves(leaves)?,
        memory: memory.as_deref().map(memory::parse).transpose()?,
    })
}

/// The message where nothing was weighed: each reason once. Where all are for a flag, the flags are what is wrong.
fn none(tuning: &Tuning) -> Vec<Diagnostic> {
    let reasons: Vec<(usize, &Why)> =
        tuning.left_out.iter().filter_map(|(draft, left)| Some((*draft, left.why()?))).collect();
    let message = "no schedule has a program that can be weighed";
    let is_misused = !reasons.is_empty() && reasons.iter().all(|(_, why)| why.is_usage);
    let mut fault = if is_misused { Diagnostic::usage(message) } else { Diagnostic::new(message) };
    let mut told: Vec<&str> = vec![];
    for (draft, why) in &reasons {
        if !told.contains(&why.text.as_str()) {
            fault = fault.note(format!("{}: {}", tuning.drafts[*draft].name, why.text));
            told.push(&why.text);
        }
    }
    let helps: Vec<&str> = reasons.iter().filter_map(|(_, why)| why.help.as_deref()).collect();
    let count = |help: &&&str| helps.iter().filter(|other| other == help).count();
    // What helps most of them; of several that help as many, the first.
    let most = helps.iter().rev().max_by_key(count);
    vec![fault.help(*most.unwrap_or(&"see `systole search` for the designs of one of them"))]
}

/// Writes the program, and says how to run it.
fn conclude(arguments: &TuneArguments, best: (&Draft, &Weighed, &Drafted), output: &Output) -> Checked<()> {
    let (draft, weighed, proved) = best;
    let (name, way) = (&draft.name, table::way(&weighed.way));
    let proofs = counted(proved.proofs, "proof");
    output.line(&format!("best      {:.6} s: {name} on {way}, {proofs}", weighed.prediction.seconds));
    if let Some(path) = &arguments.output {
        files::write(path, &proved.text)?;
        output.line(&format!("{}: {}", path.display(), counted(proved.text.lines().count(), "line")));
    }
    output.line(&table::next(arguments, proved, &weighed.way));
    Ok(())
}
