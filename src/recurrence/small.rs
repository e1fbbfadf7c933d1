//! Small sizes, smallest first: where counterexamples are looked for.

use crate::integer::{Bindings, Name};

/// How many combinations of sizes are looked at.
const COMBINATION_LIMIT: usize = 256;

/// All sizes from 1 to `largest` for the parameters, by their sum, then lexicographically; cut off at a limit.
pub(super) fn small_sizes(parameters: &[Name], largest: i64) -> Vec<Bindings> {
    let mut all: Vec<Vec<i64>> = vec![vec![]];
    for _ in parameters {
        let extend = |prefix: Vec<i64>| (1..=largest).map(move |size| prefix.iter().copied().chain([size]).collect());
        all = all.into_iter().flat_map(extend).collect();
    }
    all.sort_by_key(|sizes| (sizes.iter().sum::<i64>(), sizes.clone()));
    all.truncate(COMBINATION_LIMIT);
    all.into_iter().map(|sizes| parameters.iter().cloned().zip(sizes).collect()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::integer::name;

    #[test]
    fn the_smallest_sizes_come_first() {
        let sizes = small_sizes(&[name("M"), name("N")], 3);
        assert_eq!(sizes.len(), 9);
        assert!(sizes.windows(2).all(|pair| pair[0].values().sum::<i64>() <= pair[1].values().sum::<i64>()));
        assert_eq!(small_sizes(&[], 3).len(), 1);
    }
}
