//! `--report`: what a command has done as a page.

use crate::driver::kernels::searched::Searched;
use crate::driver::kernels::shape;
use crate::driver::pipeline::{Winner, prove};
use crate::driver::runs::agreement::Agreement;
use crate::driver::runs::as_written::AsWritten;
use crate::driver::shown::bound::Bound;
use crate::driver::shown::show;
use crate::driver::{Failure, files};
use crate::report;
use crate::report::{Clash, Fact, Front, FrontRow, MachineKey, Recorder, Report, Run, SourceText, Work, page};
use std::path::Path;
use systole_base::diagnostic::{Checked, counted};
use systole_base::integer::{Bindings, Name};
use systole_base::machine::{Key, Machine, keys};
use systole_compile::extract::Found;
use systole_compile::mapping::Design;
use systole_compile::rewrite::Step;
use systole_compile::smt::{Discharged, Verdict};
use systole_equations::recurrence::RecurrenceSystem;
use systole_program::array::Program;
use systole_run::sim::Outcome;

/// The report of a design and its proofs.
fn of_design(searched: &Searched, design: &Design, proofs: &[Discharged]) -> Report {
    let system = searched.kernel.system();
    let laid_out = shape::laid_out(design);
    Report {
        title: system.name.to_string(),
        equations: show::equations(system),
        schedule: laid_out.iter().map(Into::into).collect(),
        proofs: proofs.iter().map(Into::into).collect(),
        clashes: proofs.iter().filter_map(|proof| Clash::of(&laid_out, proof)).collect(),
        source: source_text(system),
        machine: machine_keys(&searched.setting.machine),
        ..Report::default()
    }
}

/// The lines of the kernel up to its first schedule, and its comment above them; nothing of an einsum, which has no file.
fn source_text(system: &RecurrenceSystem) -> Option<SourceText> {
    let lines: Vec<&str> = system.source.text.lines().collect();
    let first = lines.iter().position(|line| line.starts_with("kernel "))?;
    let comment = |line: &&&str| line.strip_prefix('#').map(|rest| rest.strip_prefix(' ').unwrap_or(rest).to_owned());
    let about = lines[..first].iter().filter_map(|line| comment(&line)).collect();
    let end = lines[first..].iter().position(|line| line.starts_with("schedule ")).map_or(lines.len(), |at| first + at);
    // A comment right above the schedule speaks of it.
    let is_of_schedule = |line: &&&str| line.trim().is_empty() || line.starts_with('#');
    let after = lines[first..end].iter().rev().take_while(is_of_schedule).count();
    let shown = lines[first..end - after].iter().map(|line| (*line).to_owned()).collect();
    Some(SourceText { name: system.source.name.clone(), about, first: first + 1, lines: shown })
}

/// The sections of a machine file that a run on an array heeds.
const SECTIONS: [&str; 6] = ["grid", "link", "bus", "pe", "cell", "memory"];

/// What a machine says of its array; a limit that it does not set is none.
fn machine_keys(machine: &Machine) -> Vec<MachineKey> {
    let said = |key: Key| MachineKey {
        key: format!("{}.{}", key.section, key.name),
        value: key.slot.shown(machine).unwrap_or_else(|| "no limit".to_owned()),
        about: key.about,
    };
    let name = MachineKey { key: "name".to_owned(), value: machine.name.clone(), about: "the machine" };
    let keys = keys().into_iter().filter(|key| SECTIONS.contains(&key.section)).map(said);
    std::iter::once(name).chain(keys).collect()
}

/// The report of a proved design that was run; the run itself is added by [`write_run`].
pub fn of_winner(
    searched: &Searched,
    winner: &Winner,
    steps: &[Step],
    (outcome, (agreement, as_written)): (&Outcome, (&Agreement, Option<&AsWritten>)),
) -> Report {
    let mut report = of_design(searched, &winner.design, &winner.proofs);
    report.command = "run".to_owned();
    report.sizes = sizes(&searched.kernel.system().parameters, &searched.setting.sizes);
    report.rules = steps.iter().map(Into::into).collect();
    report.facts = vec![proved(&winner.proofs)];
    report.facts.extend(facts(outcome, Some(agreement)));
    report.work = Work::of(&shape::laid_out(&winner.design), &searched.setting.sizes);
    report.bound = bound(searched, outcome.cycles);
    report.facts.extend(as_written.map(|form| Fact::judged("as written", judged(&form.agreement), form.is_good())));
    report
}

/// The bound on the cycles of a run, in words.
fn bound(searched: &Searched, cycles: u64) -> Option<report::Bound> {
    let bound = Bound::at(searched, &searched.setting.sizes)?;
    Some(report::Bound { cycles: bound.cycles(), text: bound.line(cycles) })
}

/// The front of a search; of these designs one is shown.
pub fn front(searched: &Searched, shown: usize) -> Front {
    let row = |found: &Found| FrontRow::of(&found.cost, show::design_line(searched, found));
    Front {
        rows: searched.front.iter().take(report::MOST_OF_FRONT).map(row).collect(),
        shown: Some(shown),
        counted: show::sizes_text(searched.counted().unwrap_or(&searched.setting.sizes)),
        more: searched.front.len().saturating_sub(report::MOST_OF_FRONT),
    }
}

/// The report of a program that was run; the run itself is added by [`write_run`].
pub fn of_program(
    program: &Program,
    sizes_of_run: &Bindings,
    outcome: &Outcome,
    agreement: Option<&Agreement>,
) -> Report {
    Report {
        title: program.kernel.to_string(),
        command: "sim".to_owned(),
        sizes: sizes(&program.parameters, sizes_of_run),
        facts: facts(outcome, agreement),
        ..Report::default()
    }
}

/// Writes the page of a run.
pub fn write_run(
    path: &Path,
    mut report: Report,
    program: &Program,
    (outcome, recorder): (&Outcome, Recorder),
) -> Checked<()> {
    report.run = Some(Run::new(program, outcome, recorder));
    files::write(path, &page(&report)?)
}

/// Writes the page of a design that was proved, or refuted.
pub fn write_proofs(
    (path, command): (&Path, &str),
    searched: &Searched,
    design: &Design,
    proofs: &[Discharged],
) -> Checked<()> {
    let mut report = of_design(searched, design, proofs);
    report.command = command.to_owned();
    report.facts = vec![proved(proofs)];
    let milliseconds: f64 = proofs.iter().map(|proof| proof.milliseconds).sum();
    report.facts.push(Fact::plain("solver time", format!("{milliseconds:.0} ms")));
    files::write(path, &page(&report)?)
}

/// Writes the page of a command that stops since its schedule is refuted: of the best design that the schedule allows, or else of the one that
/// comes nearest to it. Passes the messages on, with a word where there is no page.
pub fn write_refused((path, command): (&Path, &str), searched: &Searched, limit: u64, mut failure: Failure) -> Failure {
    let best = searched.front.first().map(|found| searched.design(found));
    let design = best.or_else(|| searched.forced().ok()).or_else(|| searched.nearest(limit));
    let written = design.map(|design| {
        let proofs = prove(searched, &design, limit)?;
        write_proofs((path, command), searched, &design, &proofs)
    });
    match written {
        Some(page) => failure.diagnostics.extend(page.err().into_iter().flatten()),
        None => {
            let why = format!("no page is written to `{}`: there is no design to show", path.display());
            let last = failure.diagnostics.pop().map(|last| last.note(why));
            failure.diagnostics.extend(last);
        }
    }
    failure
}

/// The sizes in the order of the parameters.
fn sizes(parameters: &[Name], sizes: &Bindings) -> Vec<(String, i64)> {
    parameters.iter().filter_map(|name| Some((name.to_string(), *sizes.get(name)?))).collect()
}

fn proved(proofs: &[Discharged]) -> Fact {
    let count = proofs.iter().filter(|proof| proof.verdict == Verdict::Proved).count();
    Fact::judged("proved for all sizes", format!("{count} of {}", proofs.len()), count == proofs.len())
}

fn facts(outcome: &Outcome, agreement: Option<&Agreement>) -> Vec<Fact> {
    let mut facts = vec![
        Fact::plain("cycles", show::grouped(outcome.cycles)),
        Fact::plain("PEs", show::grouped(outcome.pes)),
        Fact::plain("busy", format!("{:.0}%", outcome.utilisation() * 100.0)),
        Fact::plain("words sent", show::grouped(outcome.counters.messages())),
    ];
    if let Some(deadlock) = &outcome.deadlock {
        let count = deadlock.blocked.len();
        let waiting = format!("{} {}", counted(count, "PE"), if count == 1 { "waits" } else { "wait" });
        facts.push(Fact::judged("deadlock", waiting, false));
    }
    if let Some(agreement) = agreement {
        facts.push(Fact::judged("reference", judged(agreement), agreement.is_good()));
    }
    facts
}

fn judged(agreement: &Agreement) -> String {
    match agreement {
        Agreement::Bits => "bit for bit".to_owned(),
        Agreement::Rounding(most) => format!("within {most:.1e}"),
        Agreement::Differs(_) => "differs".to_owned(),
    }
}
