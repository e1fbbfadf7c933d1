//! Calls, prepared: all that a call needs and that follows from a leaf and coordinates alone.
//!
//! In: a leaf and coordinates. Out: a [`Prepared`] call, which is made once for each [`Region`] of coordinates: a run has few kinds of tiles
//! and many calls. A call elsewhere in the region is run as if it were the one that was prepared, on its own tiles.

use super::area::Area;
use super::checked::CheckedCall;
use super::kept::Kept;
use super::pieces::Piece;
use super::region::Region;
use super::run::Run;
use super::window::{Boxes, Elements};
use crate::leaf::recognised::{Plan, Plans};
use crate::leaf::routine::{Cut, Few, Node, Routine, SlotAffine, Span};
use std::borrow::Cow;
use std::sync::Arc;
use systole_base::diagnostic::Checked;
use systole_program::array::Trouble;

/// A call that is ready for its tiles.
#[derive(Clone, Debug)]
pub struct Prepared {
    /// The boxes, at the coordinates for which it was prepared.
    pub boxes: Boxes,
    /// What it runs where a library is asked for.
    plan: Option<Arc<Plan>>,
    /// What it is made of where a library does all of it by products.
    pub pieces: Option<Vec<Piece>>,
    /// Where its accesses lie.
    pub links: Vec<Link>,
    /// For each window the argument that is all of it, if one is.
    pub whole: Few<Option<usize>>,
    /// For each window whether the arguments fill all of it; of the result's also whether they do with the tile that it works onto.
    pub covered: Few<[bool; 2]>,
    /// Whether the result is all of its window.
    pub is_result_whole: bool,
    /// What machine code is called with, where it is asked for and may run.
    pub checked: Option<CheckedCall>,
}

/// An access with its address over the indices.
#[derive(Clone, Debug)]
pub struct Link {
    pub window: usize,
    pub address: SlotAffine,
    /// Whether it stays within its window in all of the tile.
    pub is_safe: bool,
}

impl Prepared {
    fn new(leaf: usize, routine: &Routine, plans: &Plans, at: &[i64]) -> Result<Prepared, Trouble> {
        let boxes = Boxes::at(routine, at)?;
        let plan = plans.plan(leaf, routine, &boxes.indices);
        let links = (0..routine.accesses.len()).map(|access| link(routine, &boxes, access)).collect();
        let whole = (0..routine.windows.len()).map(|window| whole(routine, &boxes, window)).collect();
        let covered = (0..routine.windows.len()).map(|window| covered(routine, &boxes, window)).collect();
        let is_result_whole = boxes.windows[0] == boxes.result;
        let mut call = Prepared { boxes, plan, pieces: None, links, whole, covered, is_result_whole, checked: None };
        let windows = routine.windows.iter().map(|_| Elements::Shared(&[])).collect();
        let pieces = Run::<f64>::new(leaf, routine, &call, windows).pieces_of(call.body(routine));
        call.pieces = pieces;
        Ok(call)
    }

    /// The coordinates at which calls do the same; `None` where numbers are too large to tell.
    pub fn region(&self, routine: &Routine, at: &[i64]) -> Option<Region> {
        Region::around(routine, self.plan.as_deref(), &self.boxes, at)
    }

    /// What it runs.
    pub fn body<'a>(&'a self, routine: &'a Routine) -> &'a [Node] {
        self.plan.as_ref().map_or(&routine.body, |plan| &plan.body)
    }

    /// For each window whether it is written.
    pub fn written<'a>(&'a self, routine: &'a Routine) -> &'a [bool] {
        self.plan.as_ref().map_or(&routine.written, |plan| &plan.written)
    }

    /// How far the boxes of a call at these coordinates have moved; of interest where indices are taken for numbers.
    pub fn moved(&self, routine: &Routine, at: &[i64]) -> Few<i64> {
        let cuts = if routine.reads_indices { routine.indices.as_slice() } else { &[] };
        let moved = |(cut, held): (&Cut, &Span)| cut.span(at).map_or(0, |span| span.0 - held.0);
        cuts.iter().zip(&self.boxes.indices).map(moved).collect()
    }
}

/// Whether the arguments fill all of a window, without and with the tile that a call works onto.
fn covered(routine: &Routine, boxes: &Boxes, window: usize) -> [bool; 2] {
    let filling = routine.arguments.iter().zip(&boxes.arguments).filter(|((filled, _), _)| *filled == window);
    let mut filling: Vec<&Area> = filling.map(|(_, area)| area).collect();
    let area = &boxes.windows[window];
    let alone = area.is_covered(&filling);
    filling.extend((window == 0).then_some(&boxes.result));
    [alone, area.is_covered(&filling)]
}

/// The argument that is all of a window.
fn whole(routine: &Routine, boxes: &Boxes, window: usize) -> Option<usize> {
    let mut filling = (0..routine.arguments.len()).filter(|argument| routine.arguments[*argument].0 == window);
    let only = filling.next().filter(|_| filling.next().is_none());
    only.filter(|argument| boxes.arguments[*argument] == boxes.windows[window])
}

fn link(routine: &Routine, boxes: &Boxes, access: usize) -> Link {
    let access = &routine.accesses[access];
    let area = &boxes.windows[access.window];
    let mut address = SlotAffine::constant(0);
    let mut is_safe = true;
    for ((form, span), stride) in access.subscripts.iter().zip(&area.spans).zip(area.strides()) {
        address.constant += (form.constant - span.0) * stride;
        for (slot, coefficient) in &form.terms {
            match address.terms.iter_mut().find(|(known, _)| known == slot) {
                Some((_, sum)) => *sum += coefficient * stride,
                None => address.terms.push((*slot, coefficient * stride)),
            }
        }
        is_safe &= form.interval(&boxes.indices).is_none_or(|(low, high)| span.0 <= low && high <= span.1);
    }
    Link { window: access.window, address, is_safe }
}

/// The calls of all leaves of a program.
#[derive(Clone, Debug)]
pub struct Calls {
    routines: Vec<Routine>,
    plans: Plans,
    pub(super) kept: Arc<Vec<Kept<Prepared>>>,
    /// The sizes that machine code takes, where calls are checked for it.
    sizes: Option<Vec<i64>>,
}

impl Calls {
    /// Nothing prepared yet. What libraries know is looked for if it is asked for.
    ///
    /// # Errors
    /// Those of [`Plans::new`].
    pub fn new(routines: Vec<Routine>, has_library: bool) -> Checked<Calls> {
        let plans = if has_library { Plans::new(&routines)? } else { Plans::default() };
        let kept = Arc::new(routines.iter().map(|_| Kept::default()).collect());
        Ok(Calls { routines, plans, kept, sizes: None })
    }

    /// The same, with each call checked for machine code.
    pub fn checked(self, sizes: Vec<i64>) -> Calls {
        Calls { sizes: Some(sizes), ..self }
    }

    /// A leaf that is called at these coordinates.
    ///
    /// # Errors
    /// [`Trouble::WrongTile`] for no such leaf, or another number of coordinates.
    pub fn routine(&self, leaf: usize, at: &[i64]) -> Result<&Routine, Trouble> {
        let routine = self.routines.get(leaf).filter(|routine| routine.coordinates == at.len());
        routine.ok_or(Trouble::WrongTile { leaf })
    }

    /// The call of a leaf at these coordinates.
    ///
    /// # Errors
    /// Those of [`Calls::routine`]; [`Trouble::Overflow`] where a coordinate or a box does not fit.
    pub fn prepare(&self, leaf: usize, at: &[i64]) -> Result<Cow<'_, Prepared>, Trouble> {
        let routine = self.routine(leaf, at)?;
        if let Some(prepared) = self.kept[leaf].find(at) {
            return Ok(Cow::Borrowed(prepared));
        }
        let mut prepared = Prepared::new(leaf, routine, &self.plans, at)?;
        if let Some(sizes) = &self.sizes {
            prepared.checked = CheckedCall::of(leaf, routine, &prepared, sizes);
        }
        self.kept[leaf].keep(at, || prepared.region(routine, at), || prepared.clone());
        Ok(Cow::Owned(prepared))
    }
}
