//! `systole calibrate`: measures this machine, or the ranks of MPI, into a machine file.
//!
//! In: whose leaves, at which tiles, between whom messages go. Out: a machine file, whole or not at all, and every number with
//! its least and greatest value among the runs.

use crate::driver::commands::exec::{BACKENDS, warn};
use crate::driver::flags::cluster_arguments::CalibrateArguments;
use crate::driver::flags::way::{measured_leaves, unknown};
use crate::driver::shown::output::{Bar, Output};
use crate::driver::{Done, Verdict, files};
use serde_json::{Value, json};
use std::path::Path;
#[cfg(feature = "mpi")]
use systole_base::diagnostic::Diagnostic;
use systole_base::diagnostic::{Checked, counted};
use systole_base::machine::{Cluster, LIBRARIES, Machine};
use systole_run::exec::{At, Figure, Threads, Wanted, calibrate};
use systole_run::leaf::Effort;

/// Runs the command.
pub fn run(arguments: &CalibrateArguments, output: &Output) -> Done {
    match &*arguments.backend {
        "threads" => {
            let wanted = wanted(arguments)?;
            warn(&wanted.libraries, output);
            let mut figures = Figures::new(&wanted, output);
            let cluster = calibrate(&mut Threads, &wanted, &mut |figure| figures.tell(figure))?;
            Ok(finish(arguments, &cluster, &figures, output)?)
        }
        #[cfg(feature = "mpi")]
        "mpi" => on_ranks(arguments, output),
        #[cfg(not(feature = "mpi"))]
        "mpi" => Err(crate::driver::commands::exec::no_mpi().into()),
        other => Err(unknown("back end", other, &BACKENDS).into()),
    }
}

#[cfg(feature = "mpi")]
fn on_ranks(arguments: &CalibrateArguments, output: &Output) -> Done {
    use crate::driver::commands::exec_on_ranks::{check_alike, verdict_of};
    use systole_run::exec::{Ranks, World};
    let world = World::start()?;
    let measured = || {
        world.check(None)?;
        world.settle(check_alike(&world))?;
        world.settle(check_ranks(world.size()))?;
        let wanted = world.settle(wanted(arguments))?;
        if world.is_first() {
            warn(&wanted.libraries, output);
        }
        let mut figures = world.is_first().then(|| Figures::new(&wanted, output));
        let mut tell = |figure: &Figure| figures.iter_mut().for_each(|figures| figures.tell(figure));
        let cluster = calibrate(&mut Ranks { world: &world }, &wanted, &mut tell)?;
        let finished = figures.map(|figures| finish(arguments, &cluster, &figures, output));
        world.settle(finished.unwrap_or(Ok(Verdict::Good)))
    };
    let verdict = measured().unwrap_or_else(|stopped| {
        if !stopped.diagnostics.is_empty() {
            output.diagnostics(&stopped.diagnostics);
        }
        verdict_of(&stopped)
    });
    world.wait_for_all();
    Ok(verdict)
}

#[cfg(feature = "mpi")]
fn check_ranks(ranks: usize) -> Checked<()> {
    let wanted = systole_run::exec::WORKERS;
    if ranks == wanted {
        return Ok(());
    }
    Diagnostic::usage(format!("messages are measured between {}, but MPI has {ranks}", counted(wanted, "rank")))
        .help(format!("write `mpirun -n {wanted} systole calibrate --backend mpi ..`"))
        .alone()
}

fn wanted(arguments: &CalibrateArguments) -> Checked<Wanted> {
    files::check(&[("`--output`", arguments.output.as_deref())], &[])?;
    let libraries = arguments.leaves.iter().map(|word| measured_leaves(word)).collect::<Checked<_>>()?;
    let mut sides = arguments.tile.clone();
    sides.sort_unstable();
    sides.dedup();
    let effort = Effort { runs: arguments.runs, applications: arguments.work };
    Ok(Wanted { libraries, sides, effort })
}

/// The figures so far: each is a line when it is there, below which a bar says how long the others will take.
struct Figures<'a> {
    found: Vec<Value>,
    bar: Bar,
    output: &'a Output,
}

impl Figures<'_> {
    fn new<'a>(wanted: &Wanted, output: &'a Output) -> Figures<'a> {
        let most = wanted.most_figures();
        output.error(&format!("at most {} are measured", counted(most, "figure")));
        let bar = output.progress("calibrate");
        bar.set_length(most as u64);
        Figures { found: vec![], bar, output }
    }

    fn tell(&mut self, figure: &Figure) {
        let Figure { key, at, median, ends: [least, most] } = figure;
        let (shown, unit) = match at {
            At::Once => (key.clone(), "s"),
            At::Side(side) => (format!("{key} {side}"), "GFLOP/s"),
            At::Mib(mib) => (format!("{key} {mib} MiB"), "out of memory"),
        };
        let line = format!("{shown:<22} {median:>10.4e} {unit}, {least:.3e} to {most:.3e}");
        self.bar.suspend(|| self.output.error(&line));
        self.bar.inc(1);
        let side = if let At::Side(side) = at { Some(side) } else { None };
        let mib = if let At::Mib(mib) = at { Some(mib) } else { None };
        let figure = json!({ "key": key, "side": side, "mib": mib, "median": median, "least": least, "most": most });
        self.found.push(figure);
    }
}

/// Writes the file, or prints it.
fn finish(arguments: &CalibrateArguments, cluster: &Cluster, figures: &Figures, output: &Output) -> Checked<Verdict> {
    let machine = Machine { cluster: cluster.clone(), ..Machine::default() };
    let sections: Vec<&str> = ["cluster", "reuse"].into_iter().chain(LIBRARIES).collect();
    let head = format!(
        "# Measured by `systole calibrate`: between two {}, medians of {}.\n\n",
        if arguments.backend == "mpi" { "ranks" } else { "threads" },
        counted(arguments.runs, "run")
    );
    let text = head + &machine.written(&sections);
    match arguments.output.as_deref() {
        Some(path) => write(path, &text, output)?,
        None => output.line(text.trim_end()),
    }
    output.object(&json!({ "backend": arguments.backend, "figures": figures.found }));
    Ok(Verdict::Good)
}

fn write(path: &Path, text: &str, output: &Output) -> Checked<()> {
    files::write(path, text)?;
    output.line(&format!("{}: {}", path.display(), counted(text.lines().count(), "line")));
    Ok(())
}
