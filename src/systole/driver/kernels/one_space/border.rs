//! `io boundary`: which designs load and recover through the array, and their programs.
//!
//! Where the systolizing scheme covers a design, its processes load and store at the border by construction, and nothing
//! is left to prove of it. Where it covers none, the boundary is read strictly, as the obligation `edge-injection`.

use super::{OneSpace, design, refusal};
use crate::driver::flags::setting::Setting;
use crate::driver::kernels::kernel::Kernel;
use crate::driver::pipeline::{Border, Searched, search_within};
use crate::driver::shown::output::Output;
use systole_base::diagnostic::{Checked, Diagnostics};
use systole_compile::emit;
use systole_compile::emit::Phases;
use systole_compile::extract::{Constraint, Found};
use systole_compile::mapping::{Design, SpaceTimeMap};
use systole_compile::systolize::{Loading, Scheme, scheme_of, systolize};
use systole_program::array::Program;

/// Runs the search. With `io boundary`, designs that the scheme covers come before all others.
pub fn search<'a>(
    kernel: &'a OneSpace,
    setting: &'a Setting<OneSpace>,
    all: bool,
    output: &Output,
) -> Checked<Searched<'a, OneSpace>> {
    let constraint = &setting.constraint;
    if !constraint.boundary_io {
        return search_within(kernel, setting, constraint.clone(), all, output);
    }
    let free = Constraint { boundary_io: false, ..constraint.clone() };
    let mut searched = search_within(kernel, setting, free, all, output)?;
    match covered(kernel, std::mem::take(&mut searched.front), constraint) {
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
fn covered(kernel: &OneSpace, front: Vec<Found>, constraint: &Constraint) -> Result<Vec<Found>, Diagnostics> {
    let loading = loading(constraint);
    let mut reasons = vec![];
    let mut covers = |found: &Found| match scheme_of(&design(kernel, found, false), &loading) {
        Ok(_) => true,
        Err(problems) => {
            if reasons.is_empty() {
                reasons = problems;
            }
            false
        }
    };
    let kept: Vec<Found> = front.into_iter().filter(|found| covers(found)).collect();
    if kept.is_empty() { Err(reasons) } else { Ok(kept) }
}

/// The scheme of the schedule's place and time, or of the best design that a search finds for it.
pub fn scheme(kernel: &OneSpace, setting: &Setting<OneSpace>, output: &Output) -> Checked<Scheme> {
    let map = match (&setting.constraint.place, &setting.constraint.step) {
        (Some(place), Some(step)) => SpaceTimeMap { place: place.clone(), step: step.clone() },
        _ => {
            let searched = kernel.search(setting, false, output)?;
            let best = searched.front.first().map(|found| found.map.clone());
            best.ok_or_else(|| vec![refusal::nothing_found(&searched)])?
        }
    };
    systolize(&kernel.space, &map, &loading(&setting.constraint))
}

/// The program of a proved design.
pub fn program(searched: &Searched<OneSpace>, design: &Design) -> Checked<Program> {
    let links = &searched.setting.machine.links;
    match searched.border {
        Border::Loads => {
            let scheme = scheme_of(design, &loading(&searched.setting.constraint))?;
            emit::emit_scheme(design.space, &scheme, links, &Phases::in_order(&scheme))
        }
        Border::Anywhere | Border::Ports(_) => emit::emit(design, links),
    }
}
