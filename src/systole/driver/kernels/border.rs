//! `io boundary`: which designs load and recover through the array, and their programs.
//!
//! Where the systolizing scheme covers a design, its processes load and store at the border by construction, and nothing
//! is left to prove of it. Where it covers none, the boundary is read strictly, as the obligation `edge-injection`.

use super::refusal;
use crate::driver::flags::setting::Setting;
use crate::driver::kernels::kernel::Kernel;
use crate::driver::kernels::searched::{Border, Searched, search_within};
use crate::driver::shown::output::Output;
use systole_base::diagnostic::{Checked, Diagnostic, Diagnostics};
use systole_compile::emit;
use systole_compile::emit::Phases;
use systole_compile::extract::{Constraint, Found};
use systole_compile::mapping::{Design, SpaceTimeMap};
use systole_compile::systolize::{Loading, Scheme, scheme_of, systolize};
use systole_program::array::Program;

/// Runs the search. With `io boundary`, designs that the scheme covers come before all others.
pub fn search<'a>(kernel: &'a Kernel, setting: &'a Setting, all: bool, output: &Output) -> Checked<Searched<'a>> {
    let constraint = &setting.constraint;
    let free = Constraint { boundary_io: false, ..constraint.clone() };
    let searched = search_within(kernel, setting, free, all, output)?;
    match covered(&searched, constraint) {
        Ok(front) => Ok(Searched { front, border: Border::Loads, ..searched }),
        // Who names a way to load asks for the scheme.
        Err(reasons) if !constraint.loading.is_empty() && !reasons.is_empty() => Err(reasons),
        Err(reasons) => {
            let strict = search_within(kernel, setting, constraint.clone(), all, output)?;
            Ok(Searched { border: Border::Ports(reasons), ..strict })
        }
    }
}

/// The loading directions that a schedule gives.
fn loading(constraint: &Constraint) -> Vec<Loading> {
    let given = constraint.loading.iter();
    given
        .map(|(tensor, along, span)| Loading { tensor: tensor.clone(), along: along.clone(), span: Some(*span) })
        .collect()
}

/// The designs of a front that the scheme covers; where there is none, why not the best of them.
fn covered(searched: &Searched, constraint: &Constraint) -> Result<Vec<Found>, Diagnostics> {
    let loading = loading(constraint);
    let mut reasons = vec![];
    let mut covers = |found: &Found| match scheme_of(&searched.design(found).alone(0), &loading) {
        Ok(_) => true,
        Err(problems) => {
            if reasons.is_empty() {
                reasons = problems;
            }
            false
        }
    };
    let kept: Vec<Found> = searched.front.iter().filter(|found| covers(found)).cloned().collect();
    if kept.is_empty() { Err(reasons) } else { Ok(kept) }
}

/// The scheme of the schedule's place and time, or of the best design that a search finds for it.
pub fn scheme(kernel: &Kernel, setting: &Setting, output: &Output) -> Checked<Scheme> {
    let Some(space) = kernel.cut.only_space().filter(|_| !is_folded(setting)) else { return no_closed_form(kernel) };
    let map = match (setting.constraint.only_place(), setting.constraint.only_step()) {
        (Some(place), Some(step)) => SpaceTimeMap { place: place.clone(), step: step.clone() },
        _ => {
            let searched = kernel.search(setting, output)?;
            let best = searched.front.first().map(|found| found.parts[0].map.clone());
            best.ok_or_else(|| vec![refusal::nothing_found(&searched)])?
        }
    };
    systolize(space, &map, &loading(&setting.constraint))
}

fn is_folded(setting: &Setting) -> bool {
    setting.fold > 1 || setting.constraint.fold.is_some()
}

fn no_closed_form<T>(kernel: &Kernel) -> Checked<T> {
    Diagnostic::new(format!("`{}` has no closed forms: it has several spaces, or is folded", kernel.system().name))
        .note("the systolizing scheme is for one space, each point of which is a process or a step of one")
        .help("`systole emit` without --closed-form writes the program")
        .alone()
}

/// The program of a proved design.
pub fn program(searched: &Searched, design: &Design) -> Checked<Program> {
    let links = &searched.setting.machine.links;
    match searched.border {
        Border::Loads => {
            let alone = design.alone(0);
            let scheme = scheme_of(&alone, &loading(&searched.setting.constraint))?;
            emit::emit_scheme(alone.space, &scheme, links, &Phases::in_order(&scheme))
        }
        Border::Anywhere | Border::Ports(_) => emit::emit(design, links),
    }
}
