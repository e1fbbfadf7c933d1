//! The lattice of a place: which processes can have points, and one point of each.
//!
//! In column Hermite form the place is `P V = [H 0]`. A process `y` has integer points on its chord just where `H z = y` has an
//! integer solution; then `V z` is one of them, and the others follow at multiples of the increment. The report asks for
//! places that are onto without saying so (its sections 7.2.2 and 7.4); here the divisibility is part of every guard.

use super::context::Context;
use systole_base::integer::{Affine, Matrix, Vector, dot};

/// A place of full row rank, one less than the dimension.
pub(super) struct Lattice {
    hermite: Matrix,
    /// The columns of `V` that belong to `H`.
    columns: Vec<Vector>,
    /// The primitive vector that the place sends to zero, with a positive step (report, 7.2.1, specification 3).
    pub increment: Vector,
}

/// One point of a process, and what makes it integral.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Chart {
    /// The point, a form for each index.
    pub base: Vec<Affine>,
    /// Zero just where the process is on the lattice.
    pub lattice: Vec<Affine>,
}

impl Lattice {
    /// The lattice of `place`; the increment is turned so that `step` is positive along it.
    pub fn new(place: &Matrix, step: &[i64]) -> Lattice {
        let (hermite, v) = place.hermite();
        let rank = place.rows().len();
        let null = v.column(rank);
        let sign = dot(step, &null).signum();
        let increment = null.iter().map(|entry| entry * sign).collect();
        Lattice { hermite, columns: (0..rank).map(|axis| v.column(axis)).collect(), increment }
    }

    /// A point of the process whose coordinates are the forms `process`.
    pub fn chart(&self, process: &[Affine], context: &mut Context) -> Chart {
        let (mut solution, mut lattice): (Vec<Affine>, Vec<Affine>) = (vec![], vec![]);
        for (row, coordinate) in self.hermite.rows().iter().zip(process) {
            let pivot = row[solution.len()];
            let rest = solution.iter().zip(row).fold(coordinate.clone(), |rest, (z, entry)| rest - z.clone() * *entry);
            let quotient = context.floor(&rest, pivot);
            if pivot > 1 {
                lattice.push(rest - quotient.clone() * pivot);
            }
            solution.push(quotient);
        }
        let entry = |index: usize| {
            let terms = self.columns.iter().zip(&solution).map(|(column, z)| z.clone() * column[index]);
            terms.fold(Affine::default(), |sum, term| sum + term)
        };
        Chart { base: (0..self.increment.len()).map(entry).collect(), lattice }
    }

    /// One in how many processes is on the lattice.
    pub fn volume(&self) -> i64 {
        let pivots = self.hermite.rows().iter().enumerate().map(|(axis, row)| row[axis]);
        pivots.fold(1, i64::saturating_mul)
    }

    /// The least `g >= 1` for which `g * h` is on the lattice, and a vector whose place is `g * h`.
    pub fn reach(&self, h: &[i64]) -> (i64, Vector) {
        let (rank, volume) = (self.columns.len(), self.volume());
        let found = (1..=volume).find_map(|multiple| {
            let target: Vector = h.iter().map(|entry| entry * multiple).collect();
            Some((multiple, self.solve(&target)?))
        });
        // The volume of the lattice is itself such a multiple.
        let (multiple, solution) = found.unwrap_or((volume, vec![0; rank]));
        let entry = |index: usize| self.columns.iter().zip(&solution).map(|(column, z)| column[index] * z).sum();
        (multiple, (0..self.increment.len()).map(entry).collect())
    }

    /// The integer solution of `H z = target`.
    fn solve(&self, target: &[i64]) -> Option<Vector> {
        let mut solution: Vector = vec![];
        for (row, entry) in self.hermite.rows().iter().zip(target) {
            let (rest, pivot) = (entry - dot(row, &solution), row[solution.len()]);
            solution.push((rest % pivot == 0).then(|| rest / pivot)?);
        }
        Some(solution)
    }
}
