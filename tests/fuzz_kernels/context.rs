//! The points at which an expression stands, at all small sizes: what is read there must lie within its tensor.
//!
//! The language's own check looks for counterexamples at sizes up to 4 where it has no proof, so what fits at these fits.

use crate::kernel::{Form, Range, Scope};
use crate::meaning::points;

/// The largest size that is looked at.
const LARGEST: i64 = 4;

/// Ranges, outermost first, with the points that they have.
#[derive(Clone)]
pub struct Context {
    pub ranges: Vec<Range>,
    points: Vec<Scope>,
}

impl Context {
    /// The points of free indices, as far as each first form is at most its second.
    pub fn new(parameters: &[String], ranges: Vec<Range>, conditions: &[(Form, Form)]) -> Context {
        let sizes: Vec<Range> = parameters
            .iter()
            .map(|name| Range { index: name.clone(), low: Form::number(1), high: Form::number(LARGEST + 1) })
            .collect();
        let holds = |scope: &Scope| conditions.iter().all(|(low, high)| low.at(scope) <= high.at(scope));
        let sizes = points(&sizes, &vec![]);
        let points = sizes.iter().flat_map(|sizes| points(&ranges, sizes)).filter(holds).collect();
        Context { ranges, points }
    }

    /// The points within a reduction.
    pub fn within(&self, inner: &[Range]) -> Context {
        let ranges = self.ranges.iter().chain(inner).cloned().collect();
        Context { ranges, points: self.points.iter().flat_map(|scope| points(inner, scope)).collect() }
    }

    /// Whether the form is a subscript of this extent at all points.
    pub fn fits(&self, form: &Form, extent: &Form) -> bool {
        self.points.iter().all(|scope| (0..extent.at(scope)).contains(&form.at(scope)))
    }
}
