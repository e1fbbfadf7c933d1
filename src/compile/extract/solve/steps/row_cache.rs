//! The rows of conditions that come again and again: the same dependence under many places, the same span under all.
//!
//! In: a dependence, or the points of a space. Out: its rows, computed once for all threads of a search.

use crate::mapping::{Dependence, Row, Unknowns};
use crate::memo::Memo;
use std::sync::Arc;
use systole_base::integer::{Affine, Polyhedron};

/// The labels of the span start here; no system has so many laws.
pub(super) const SPAN_LABELS: usize = 1 << 20;

/// The rows of dependences that were met before: the same dependence comes under many places.
#[derive(Debug, Default)]
pub struct RowCache {
    rows: Memo<Dependence, Option<Arc<Vec<Row>>>>,
    spans: Memo<usize, Option<Arc<Vec<Row>>>>,
    equations: Memo<usize, Arc<Vec<Affine>>>,
}

impl RowCache {
    /// What keeps the steps of a space between the first and the last; `None` where a number does not fit.
    pub(super) fn span(&self, unknowns: &Unknowns, space: usize, set: &Polyhedron) -> Option<Arc<Vec<Row>>> {
        self.spans.of(space, |_| unknowns.span_rows(space, set, SPAN_LABELS + space).map(Arc::new))
    }

    /// What all points of a space have in common: of `i = N - 1` the form that is 0.
    pub(super) fn equations(&self, space: usize, set: &Polyhedron) -> Arc<Vec<Affine>> {
        self.equations.of(space, |_| Arc::new(set.equations().cloned().collect()))
    }

    /// What a dependence asks of the steps; `None` where a number does not fit.
    pub(super) fn of(&self, unknowns: &Unknowns, dependence: Dependence) -> Option<Arc<Vec<Row>>> {
        self.rows.of(dependence, |dependence| unknowns.dependence_rows(dependence).map(Arc::new))
    }
}
