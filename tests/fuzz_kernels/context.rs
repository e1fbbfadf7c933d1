//! The points at which an expression stands, at some small sizes: what is read there must lie within its tensor.

use crate::kernel::{Form, Range, Scope};
use crate::meaning::points;

/// The sizes that are looked at. Forms are linear, so what leaves its tensor at any size does so at a small one, or at a large one.
const SIZES: [i64; 4] = [1, 2, 3, 7];

/// Ranges, outermost first, with the points that they have.
#[derive(Clone)]
pub struct Context {
    pub ranges: Vec<Range>,
    points: Vec<Scope>,
}

impl Context {
    /// The points of free indices, as far as each first form is at most its second.
    pub fn new(parameters: &[String], ranges: Vec<Range>, conditions: &[(Form, Form)]) -> Context {
        let holds = |scope: &Scope| conditions.iter().all(|(low, high)| low.at(scope) <= high.at(scope));
        let mut sizes: Vec<Scope> = vec![vec![]];
        for name in parameters {
            let with = |scope: &Scope, size| scope.iter().cloned().chain([(name.clone(), size)]).collect();
            sizes = sizes.iter().flat_map(|scope| SIZES.map(|size| with(scope, size))).collect();
        }
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
