//! The rows of conditions that come again and again: the same dependence under many places, the same span under all.
//!
//! In: a dependence, or the points of a space. Out: its rows, computed once for all threads of a search.

use crate::mapping::{Dependence, Row, Unknowns};
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use systole_base::integer::Polyhedron;

/// The labels of the span start here; no system has so many laws.
pub(super) const SPAN_LABELS: usize = 1 << 20;

/// The rows of dependences that were met before: the same dependence comes under many places.
#[derive(Debug, Default)]
pub struct RowCache {
    rows: Mutex<HashMap<Dependence, Option<Arc<Vec<Row>>>>>,
    spans: Mutex<HashMap<usize, Option<Arc<Vec<Row>>>>>,
}

impl RowCache {
    /// What keeps the steps of a space between the first and the last; `None` where a number does not fit.
    pub(super) fn span(&self, unknowns: &Unknowns, space: usize, set: &Polyhedron) -> Option<Arc<Vec<Row>>> {
        let mut spans = self.spans.lock().unwrap_or_else(PoisonError::into_inner);
        let rows = || unknowns.span_rows(space, set, SPAN_LABELS + space).map(Arc::new);
        spans.entry(space).or_insert_with(rows).clone()
    }

    /// What a dependence asks of the steps; `None` where a number does not fit.
    pub(super) fn of(&self, unknowns: &Unknowns, dependence: &Dependence) -> Option<Arc<Vec<Row>>> {
        if let Some(known) = self.rows.lock().unwrap_or_else(PoisonError::into_inner).get(dependence) {
            return known.clone();
        }
        let rows = unknowns.dependence_rows(dependence).map(Arc::new);
        self.rows.lock().unwrap_or_else(PoisonError::into_inner).insert(dependence.clone(), rows.clone());
        rows
    }
}
