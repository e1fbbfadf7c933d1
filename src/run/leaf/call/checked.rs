//! Calls of machine code, which checks no subscript: what is checked before.
//!
//! In: a prepared call. Out: the numbers that its function takes, and how many scalar functions it applies; nothing where an
//! access would leave its window, so that loops run, and say which. All rounds are gone through as loops do it, with the
//! subscripts at both ends of each innermost range, and without elements. That is done once for each kind of call, and of a loop
//! whose rounds are all alike for one round.

use super::prepare::Prepared;
use super::run::Run;
use super::window::{Boxes, Elements};
use crate::leaf::Element;
use crate::leaf::compiled::CompiledLeaves;
use crate::leaf::routine::{Few, Routine};
use shared_object::Window;
use std::borrow::Cow;

/// A call whose accesses stay within their windows.
#[derive(Clone, Debug)]
pub struct CheckedCall {
    /// How many scalar functions it applies.
    applied: u64,
    /// What the function takes.
    numbers: Vec<i64>,
}

impl CheckedCall {
    /// Goes through the rounds of a call.
    pub fn of(leaf: usize, routine: &Routine, call: &Prepared, sizes: &[i64]) -> Option<CheckedCall> {
        let windows = call.boxes.windows.iter().map(|_| Elements::Shared(&[])).collect();
        let mut run = Run::<f64>::new(leaf, routine, call, windows);
        run.is_dry = true;
        run.block(&routine.body).ok()?;
        Some(CheckedCall { applied: run.work.applied, numbers: numbers(sizes, &call.boxes) })
    }
}

/// Sizes, the box of each index, how each window lies, as [`LeafText`](crate::native::LeafText) has them.
fn numbers(sizes: &[i64], boxes: &Boxes) -> Vec<i64> {
    let ends = boxes.indices.iter().flat_map(|(first, last)| [*first, *last]);
    let mut numbers: Vec<i64> = sizes.iter().copied().chain(ends).collect();
    for area in &boxes.windows {
        let strides = area.strides();
        let origin = strides.iter().zip(&area.spans).map(|(stride, (first, _))| stride * first).sum();
        numbers.extend(strides.iter().take(strides.len().saturating_sub(1)).copied().chain([origin]));
    }
    numbers
}

impl<E: Element> Run<'_, E> {
    /// Has machine code run the whole body, if it has been checked and is of this leaf and these elements; says whether.
    pub fn compiled(&mut self, compiled: &CompiledLeaves, call: &Prepared, at: &[i64]) -> bool {
        let Some(checked) = call.checked.as_ref().filter(|_| compiled.has(self.leaf)) else { return false };
        let mut numbers = Cow::Borrowed(&checked.numbers);
        if self.routine.reads_indices {
            // Indices for numbers are those of this call, not of the one that was prepared.
            let Ok(boxes) = Boxes::at(self.routine, at) else { return false };
            numbers = Cow::Owned(self::numbers(&compiled.sizes, &boxes));
        }
        let windows = self.windows.iter_mut().map(|window| match window {
            Elements::Shared(values) => E::doubles(values).map(Window::Read),
            Elements::Owned(values) => E::doubles_mut(values).map(Window::Written),
        });
        let Some(mut windows) = windows.collect::<Option<Few<_>>>() else { return false };
        let is_done = compiled.call(self.leaf, &numbers, &mut windows);
        self.work.applied += if is_done { checked.applied } else { 0 };
        is_done
    }
}
