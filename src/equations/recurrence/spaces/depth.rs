//! The longest chain of dependences: so many operations wait for each other, whatever array they run on.
//!
//! In: the spaces of a kernel, sizes. Out: a number of steps that no design can do without. A point is one operation, and waits for all
//! that it reads. A sum over one index takes in one term a step, in any order; of a sum over several indices the lines may be
//! summed side by side, so only its last term counts. It is found by evaluating the kernel with depths in place of values.

use super::in_order::{Values, evaluate_elements};
use super::{ClosedValues, Origin, SpaceSystem};
use crate::recurrence::{Operator, Scalar, Space};
use systole_base::integer::Bindings;
use systole_base::scalar::Function;

/// Kernels with more points than this are not walked through.
const MOST_POINTS: u64 = 200_000;

impl SpaceSystem {
    /// The longest chain at these sizes; nothing where there are too many points to look at, or no order of them.
    pub fn longest_chain(&self, sizes: &Bindings) -> Option<u64> {
        let count = |space: &Space| space.domain.set.count(space.indices(), sizes);
        let points = self.spaces.iter().try_fold(0u64, |sum, space| sum.checked_add(count(space)?))?;
        if points > MOST_POINTS {
            return None;
        }
        let (depths, reduced) = (self.in_depths(), |space: usize, terms: Values| self.all_taken_in(space, terms));
        let elements = evaluate_elements(&depths, &reduced, sizes).ok()?;
        // Depths are whole numbers below the limit above.
        Some(elements.into_iter().fold(0.0, f64::max) as u64)
    }

    /// The same spaces, with depths for values: a term of a reduction is as deep as what it reads, any other point one deeper.
    fn in_depths(&self) -> SpaceSystem {
        let deep = |(position, space): (usize, &Space)| {
            let computed = |operand: &usize| {
                let given = |origin: &Origin| matches!(origin, Origin::Space { .. });
                self.sources[position][*operand].iter().any(|source| given(&source.origin))
            };
            let read: Vec<usize> = (0..space.operands.len()).filter(computed).collect();
            let operands = read.iter().map(|operand| space.operands[*operand].clone()).collect();
            let deepest = (0..read.len())
                .map(Scalar::Operand)
                .fold(Scalar::Number(0.0), |one, other| Scalar::Apply(Function::Maximum, vec![one, other]));
            let body = match space.reduction {
                Some(_) => deepest,
                None => Scalar::Apply(Function::Add, vec![deepest, Scalar::Number(1.0)]),
            };
            // What has no term is there from the beginning.
            Space { operands, body, reduction: space.reduction.map(|_| Operator::Sum), ..space.clone() }
        };
        let known = self.known.iter().map(|known| ClosedValues { value: Scalar::Number(0.0), ..known.clone() });
        SpaceSystem {
            spaces: self.spaces.iter().enumerate().map(deep).collect(),
            known: known.collect(),
            ..self.clone()
        }
    }

    /// When all terms of an element have been taken in, each not before it is there.
    fn all_taken_in(&self, space: usize, mut terms: Values) -> Values {
        terms.sort_by(|(_, one), (_, other)| one.total_cmp(other));
        let one_by_one = self.spaces[space].reduced.len() <= 1;
        let take = |done: f64, ready: f64| if one_by_one { done.max(ready) + 1.0 } else { ready + 1.0 };
        let done = terms.iter().fold(0.0, |done, (_, ready)| take(done, *ready));
        terms.pop().map(|(point, _)| vec![(point, done)]).unwrap_or_default()
    }
}
