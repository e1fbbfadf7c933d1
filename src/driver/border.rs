//! `io boundary`: which designs load and recover through the array, and their programs.
//!
//! Where the systolizing scheme covers a design, its processes load and store at the border by construction, and nothing
//! is left to prove of it. Where it covers none, the boundary is read strictly, as the obligation `edge-injection`.

use super::pipeline::{self, Loaded, Searched};
use crate::array::Program;
use crate::array::emit::{self, Phases};
use crate::diagnostic::{Checked, Diagnostics};
use crate::extract::{Constraint, Found};
use crate::mapping::Design;
use crate::recurrence::Space;
use crate::systolize::{Loading, Scheme, scheme_of};

/// How a program keeps to `io boundary`.
#[derive(Clone, Debug, Default)]
pub enum Border {
    /// The schedule does not ask for it.
    #[default]
    Anywhere,
    /// Processes load and recover through the array.
    Loads,
    /// Every PE that loads or stores has a free side, which is proved; with the reasons why the scheme covers no design.
    Ports(Diagnostics),
}

/// The loading directions that a schedule gives.
pub fn loading(constraint: &Constraint) -> Vec<Loading> {
    let given = constraint.loading.iter();
    given
        .map(|(tensor, along, span)| Loading { tensor: tensor.clone(), along: along.clone(), span: Some(*span) })
        .collect()
}

/// The designs of a front that the scheme covers; where there is none, why not the best of them.
pub fn covered(loaded: &Loaded, front: Vec<Found>, constraint: &Constraint) -> Result<Vec<Found>, Diagnostics> {
    let loading = loading(constraint);
    let mut reasons = vec![];
    let mut covers = |found: &Found| match scheme_of(&pipeline::design(&loaded.space, found, false), &loading) {
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

/// The program of a proved design.
pub fn program(design: &Design, searched: &Searched) -> Checked<Program> {
    let links = &searched.machine.links;
    match searched.border {
        Border::Loads => {
            let scheme: Scheme = scheme_of(design, &loading(&searched.constraint))?;
            let space: &Space = design.space;
            emit::emit_scheme(space, &scheme, links, &Phases::in_order(&scheme))
        }
        Border::Anywhere | Border::Ports(_) => emit::emit(design, links),
    }
}
