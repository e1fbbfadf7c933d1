//! `systole explore`: a design, a proof and a run at every point of a sweep.
//!
//! In: a kernel and keys with values. Out: a row for each point, in the order of the points, as a table, CSV and JSON, and
//! plots of them. Points are measured side by side; each is entered into a journal when it is done, from which a run that
//! was broken off goes on. What is written does not depend on where it was. Paper: Cyclotron section 9.1.

mod journal;

mod measure;

mod plot;

mod sweep;

mod table;

use crate::driver::flags::arguments::{ExploreArguments, SoughtArguments};
use crate::driver::flags::limit_arguments::told;
use crate::driver::kernels::kernel::Loaded;
use crate::driver::pipeline::{KernelCommand, with_threads};
use crate::driver::shown::output::Output;
use crate::driver::shown::show;
use crate::driver::{Done, Failure, Verdict, files, pipeline};
use journal::Journal;
use measure::{Exploration, Kept, Row};
use rayon::prelude::*;
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;
use std::path::Path;
use sweep::{Point, Sweep};
use systole_base::diagnostic::{Checked, Diagnostic};
use table::Table;

impl KernelCommand for ExploreArguments {
    fn sought(&self) -> &SoughtArguments {
        &self.sought
    }

    fn divides(&self) -> bool {
        false
    }

    fn run(&self, Loaded { kernel, lowered }: Loaded, output: &Output) -> Done {
        let sweeps = sweep::read(&self.sweep, &kernel.system().parameters)?;
        refuse_two_masters(self, &sweeps)?;
        let points = sweep::points(&sweeps);
        let exploration = Exploration { kernel: &kernel, arguments: self, sweeps: &sweeps };
        points.first().map(|first| exploration.setting(first)).transpose()?;
        let rows = measure_all(&exploration, &points, output)?;
        let report = &lowered.report;
        let table = Table {
            kernel: &kernel.system().name,
            sweeps: &sweeps,
            points: &points,
            rows: &rows,
            saturation: show::saturation_json(&kernel, report),
        };
        output.line(&format!("rewrite   {}", told(report)));
        output.line(table.to_text().trim_end());
        if let Some(folder) = &self.out {
            write(folder, &table, output)?;
        }
        output.object(&table.to_json());
        Ok(Verdict::Good)
    }
}

/// A key that is swept must not be fixed by a flag as well.
fn refuse_two_masters(arguments: &ExploreArguments, sweeps: &[Sweep]) -> Checked<()> {
    let flags = [
        ("link.latency", "--latency", arguments.sought.space.latency.is_some()),
        ("grid.network", "--network", arguments.sought.space.network.is_some()),
        ("cell.operations", "--cell", arguments.sought.space.cell.is_some()),
    ];
    let clash = |(key, _, given): &&(&str, &str, bool)| *given && sweeps.iter().any(|sweep| sweep.key == *key);
    match flags.iter().find(clash) {
        Some((key, flag, _)) => {
            Diagnostic::usage(format!("`{key}` is swept and fixed by {flag}")).help(format!("leave out {flag}")).alone()
        }
        None => Ok(()),
    }
}

/// The rows of all points, those of the journal first.
fn measure_all(exploration: &Exploration<'_>, points: &[Point], output: &Output) -> Result<Vec<Row>, Failure> {
    let arguments = exploration.arguments;
    let opened = arguments.out.as_deref().map(|folder| Journal::open(folder, digest(exploration)?, points.len()));
    let (journal, mut rows) =
        opened.transpose()?.map_or((None, BTreeMap::new()), |(journal, rows)| (Some(journal), rows));
    let missing: Vec<usize> = (0..points.len()).filter(|number| !rows.contains_key(number)).collect();
    let kept = match points.first().filter(|_| arguments.keep && !missing.is_empty()) {
        Some(first) => Some(exploration.keep(first)?),
        None => None,
    };
    let bar = output.progress("explore");
    bar.set_length(points.len() as u64);
    bar.set_position(rows.len() as u64);
    let token = &arguments.sought.space.time.token;
    let measure = |number: &usize| -> Checked<(usize, Row)> {
        if token.is_cancelled() {
            return Ok((*number, Err("it was stopped before its turn".to_owned())));
        }
        let row = measure_one(exploration, kept.as_ref(), &points[*number], *number + 1 == points.len());
        // What was stopped is not done: the next run looks at it again.
        if !(row.is_err() && token.is_cancelled()) {
            journal.as_ref().map(|journal| journal.enter(*number, &row)).transpose()?;
        }
        bar.inc(1);
        Ok((*number, row))
    };
    let threads = arguments.sought.space.threads;
    rows.extend(with_threads(threads, || missing.par_iter().map(measure).collect::<Checked<Vec<_>>>())??);
    drop(bar);
    Ok(rows.into_values().collect())
}

/// The row of one point; the counts of each PE are kept for the last one only.
fn measure_one(exploration: &Exploration<'_>, kept: Option<&Kept>, point: &Point, is_last: bool) -> Row {
    let mut row = kept.map_or_else(|| exploration.measure(point), |kept| exploration.measure_kept(kept, point));
    if let (Ok(measured), false) = (&mut row, is_last) {
        measured.array.clear();
    }
    row
}

/// A digest of everything that decides the rows.
fn digest(exploration: &Exploration<'_>) -> Checked<String> {
    let ExploreArguments { sought: SoughtArguments { kernel, limits, space }, sweep, keep, seed, limit, .. } =
        exploration.arguments;
    let source = pipeline::source(&kernel.kernel)?;
    let machine = space.machine.as_deref().map(|path| files::read_as(path, "toml")).transpose()?;
    let machine = machine.map(|source| source.text.clone());
    let version = env!("CARGO_PKG_VERSION");
    let flags = (limits, space, (sweep, keep, seed, limit));
    let text = format!("{version}\n{}\n{machine:?}\n{kernel:?}\n{flags:?}", source.text);
    Ok(Sha256::digest(text.as_bytes()).iter().map(|byte| format!("{byte:02x}")).collect())
}

/// The files of a folder.
fn write(folder: &Path, table: &Table<'_>, output: &Output) -> Checked<()> {
    let json = format!("{:#}\n", table.to_json());
    let tables = [("points.csv", Some(table.to_csv())), ("points.json", Some(json))];
    let written = tables.into_iter().chain(plot::all(table)?).filter_map(|(name, text)| Some((name, text?)));
    let mut names = vec![];
    for (name, text) in written {
        files::write(&folder.join(name), &text)?;
        names.push(name);
    }
    output.line(&format!("{}: {}", folder.display(), names.join(", ")));
    Ok(())
}
