//! What may be enumerated: small sizes, and the points of sets that are small enough.
//!
//! Constants in a kernel can make a set huge even at size 1, so no set is enumerated before its box has been measured.

use systole_base::integer::{Bindings, Name, Parameters, Polyhedron, Vector};

/// How many combinations of sizes are looked at.
const COMBINATION_LIMIT: usize = 256;

/// All sizes that the parameters may have, `largest` for each from its least one on, by their sum, then lexicographically; cut off at a
/// limit.
pub(super) fn small_sizes(parameters: &Parameters, largest: i64) -> Vec<Bindings> {
    let mut all: Vec<Vec<i64>> = vec![vec![]];
    for least in parameters.iter().map(|parameter| parameters.least(parameter)) {
        let sizes = least..least.saturating_add(largest);
        let extend = |prefix: Vec<i64>| sizes.clone().map(move |size| prefix.iter().copied().chain([size]).collect());
        all = all.into_iter().flat_map(extend).collect();
    }
    all.sort_by_key(|sizes| (sizes.iter().sum::<i64>(), sizes.clone()));
    let bound = all.into_iter().map(|sizes| parameters.iter().cloned().zip(sizes).collect());
    bound.filter(|sizes| parameters.broken_at(sizes).is_none()).take(COMBINATION_LIMIT).collect()
}

/// The points of the set, `None` where it is unbounded or its box holds more than `limit` points.
pub(super) fn points_within(
    set: &Polyhedron,
    indices: &[Name],
    bindings: &Bindings,
    limit: u64,
) -> Option<Vec<Vector>> {
    let mut volume: u64 = 1;
    for index in indices {
        let others = indices.iter().filter(|other| *other != index);
        let (lower, upper) = set.eliminate_all(others).bounds(index);
        let low = lower.iter().filter_map(|bound| bound.lower_value(bindings)).max()?;
        let high = upper.iter().filter_map(|bound| bound.upper_value(bindings)).min()?;
        let length = u64::try_from(i128::from(high) - i128::from(low) + 1).unwrap_or(0);
        volume = volume.checked_mul(length)?;
    }
    if volume <= limit { set.points(indices, bindings) } else { None }
}

#[cfg(test)]
mod tests {
    use super::*;
    use systole_base::integer::{Affine, name};

    #[test]
    fn the_smallest_sizes_come_first() {
        let mut parameters: Parameters = [name("M"), name("N")].into_iter().collect();
        let sizes = small_sizes(&parameters, 3);
        assert_eq!(sizes.len(), 9);
        assert!(sizes.windows(2).all(|pair| pair[0].values().sum::<i64>() <= pair[1].values().sum::<i64>()));
        assert_eq!(small_sizes(&Parameters::default(), 3).len(), 1);
        parameters.assume(Affine::variable(&name("N")) - Affine::variable(&name("M")) - Affine::constant(2));
        let sizes: Vec<Vec<i64>> =
            small_sizes(&parameters, 3).into_iter().map(|sizes| sizes.into_values().collect()).collect();
        assert_eq!(sizes, [[1, 3], [1, 4], [1, 5], [2, 4], [2, 5], [3, 5]]);
    }
}
