//! `systole prove`: the obligations of a schedule, one line each.

use super::arguments::ProveArguments;
use super::border::Border;
use super::output::Output;
use super::pipeline::{self, Loaded};
use super::setting::Setting;
use super::{Done, files, show};
use crate::cost::Machine;
use crate::diagnostic::{Checked, render};
use crate::mapping::Design;
use crate::smt::{self, Discharged, Verdict};
use crate::timing::{self, Kind, Obligation};
use std::time::Duration;

/// Runs the command.
pub fn run(arguments: &ProveArguments, output: &Output) -> Done {
    let loaded = pipeline::load(&arguments.kernel)?;
    let setting = Setting::new(&loaded, &arguments.space)?;
    let (design, border) = chosen(&loaded, &setting, arguments, output)?;
    let obligations = obligations(&design, &setting.machine, arguments.depth)?;
    if let Some(path) = &arguments.dump_smt {
        files::write(path, &smt::dump(&obligations))?;
    }
    let proofs = smt::discharge_all(&obligations, Duration::from_millis(arguments.limit));
    output.line(&format!("{}   {}", loaded.space.kernel, show::map(&loaded.space, &design.map)));
    output.line(&format!("  {}", show::dataflow(&loaded.space, &design.map, &design.dataflow)));
    proofs.iter().for_each(|proof| output.line(&line(proof)));
    if let Border::Loads = border {
        output.line("  edge-injection           by construction: what stays is loaded and recovered through the array");
    }
    output.object(&show::proofs_json(&proofs));
    let messages = pipeline::messages(&loaded.space, setting.constraint.span, &proofs);
    if !messages.is_empty() {
        output.error(&render(&messages, output.has_colour()));
    }
    Ok(pipeline::verdict(&proofs))
}

/// The best design the schedule allows; where it allows none, the wrong one it describes.
fn chosen<'a>(
    loaded: &'a Loaded,
    setting: &Setting,
    arguments: &ProveArguments,
    output: &Output,
) -> Checked<(Design<'a>, Border)> {
    let searched = pipeline::search(loaded, &arguments.space, false, output)?;
    if let Some(found) = searched.front.first() {
        let design = pipeline::design(&loaded.space, found, searched.constraint.boundary_io);
        return Ok((design, searched.border));
    }
    let forced = setting.forced(&loaded.space)?.ok_or_else(|| vec![show::nothing_found(loaded, &searched)])?;
    Ok((forced, searched.border))
}

fn obligations(design: &Design, machine: &Machine, depth: Option<u64>) -> Checked<Vec<Obligation>> {
    let mut obligations = timing::obligations(design, &machine.links)?;
    let Some(depth) = depth else { return Ok(obligations) };
    obligations.retain(|obligation| obligation.kind != Kind::FifoDepth);
    let flows = design.flows().unwrap_or_default();
    for flow in flows.iter().filter(|flow| !flow.is_stationary()) {
        let claim = timing::fifo_depth_obligation(design, flow, depth, machine.links.response);
        obligations.push(claim.map_err(|problem| vec![problem])?);
    }
    Ok(obligations)
}

/// One obligation with its verdict.
pub fn line(proof: &Discharged) -> String {
    let kind = proof.obligation.kind.keyword();
    let head = format!(
        "  {kind:<15} {:<8} {:<8} {:>7.1} ms",
        proof.obligation.of,
        proof.verdict.keyword(),
        proof.milliseconds
    );
    match &proof.verdict {
        Verdict::Proved => head,
        Verdict::Refuted(example) => format!("{head}   {example}"),
        Verdict::Unknown(why) => format!("{head}   {why}"),
    }
}
