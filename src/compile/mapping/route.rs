//! Whether the words of one flow meet on the links of their routes.
//!
//! A word that moves several PEs takes the axes in order, a hop each latency. Two words of a flow meet where one leaves
//! some hops down the route of the other, as much later as those hops take: where an integer vector between two points
//! has that place and that time. [`timing`](crate::timing) states the same as an obligation.

use systole_base::integer::{Matrix, Vector, gcd};

/// Whether two words that move by `displacement` meet, for sizes large enough. `map` is the place above the step; points
/// of the flow differ by vectors on which every row of `fixed` is zero.
pub fn words_meet(map: &Matrix, fixed: &[Vector], displacement: &[i64], latency: i64) -> bool {
    let system = map.above(&Matrix::new(fixed.to_vec(), map.columns()));
    let last = map.rows().len() - 1;
    let meets = |axis: usize, hops: i64| {
        let mut target = vec![0; system.rows().len()];
        target[axis] = hops * displacement[axis].signum();
        target[last] = hops * latency;
        is_reached(&system, &target)
    };
    (0..displacement.len()).any(|axis| (1..displacement[axis].abs()).any(|hops| meets(axis, hops)))
}

/// Whether `system * x = target` has an integer solution.
fn is_reached(system: &Matrix, target: &[i64]) -> bool {
    let rows = system.rows().iter().zip(target).map(|(row, entry)| row.iter().copied().chain([-entry]).collect());
    let solutions = Matrix::new(rows.collect(), system.columns() + 1).null_lattice();
    solutions.iter().fold(0, |divisor, vector| gcd(divisor, vector[system.columns()])) == 1
}

#[cfg(test)]
mod tests {
    use super::*;

    fn meet(rows: Vec<Vector>, fixed: &[Vector], displacement: &[i64]) -> bool {
        words_meet(&Matrix::new(rows, 2), fixed, displacement, 1)
    }

    #[test]
    fn words_two_pes_apart_meet_where_the_next_pe_sends_one_step_later() {
        assert!(meet(vec![vec![1, -1], vec![2, -1]], &[], &[2]));
        assert!(!meet(vec![vec![1, -1], vec![2, -1]], &[], &[1]));
        assert!(!meet(vec![vec![1, -1], vec![2, 0]], &[], &[2]), "all PEs send at even steps");
        assert!(!meet(vec![vec![1, -1], vec![2, -1]], &[vec![0, 1]], &[2]), "the words that would meet are not sent");
    }
}
