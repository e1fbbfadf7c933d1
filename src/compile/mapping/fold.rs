//! Folds: blocks of neighbouring PEs of a map's array that are one PE of the machine.
//!
//! PE `p` of the map lies on PE `floor((p - phase) / factor)`, axis by axis; what is left of the division is its *residue*.
//! A value that moves by `d` in the map moves, for a given residue, by a constant number of PEs of the machine too, which
//! may be none. A map that keeps its PEs busy every second step loses nothing by a fold of two. Papers: Cyclotron section
//! 6 (virtual PEs on fewer processors); Moldovan and Fortes' partitioning.
//!
//! A fold belongs to a system design, after its maps; a kernel of one space that is to be folded is a system of one.
//! The program has a body and channels of its own for each residue (`Scan::at_residue`), merged by the clock like
//! spaces that share a PE. A handoff of which no word gets to a residue has no channel there; giver and readers have
//! that from one answer (`Passage::is_idle`). All proofs of the map stay: words have fewer hops and the same time, and
//! each pair of PEs keeps its channel. What is new is that no two points of a block run at one time (`timing::fold`).
//! Folds that would move words by several blocks, or run a bus along the folded axis, are refused; a bus from memory
//! runs along all.

use super::candidates::combined;
use super::{Design, Handoff};
use crate::rewrite::Transport;
use systole_base::diagnostic::{Checked, Diagnostic};
use systole_base::integer::{Affine, Vector};

/// Which PEs of a map's array are one PE: a factor and a phase for each axis; none where nothing is folded.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Fold {
    axes: Vec<Axis>,
}

/// The fold along one axis.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Axis {
    /// How many PEs are one; at least 1.
    pub factor: i64,
    /// A PE with which a block begins; 0 to `factor - 1`.
    pub phase: i64,
}

/// What a fold does to words that move alike, by the residue of the PE that gets them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FoldedMove {
    /// The residue of the PE that sends them.
    pub from: Vector,
    /// That of the PE that gets them.
    pub to: Vector,
    /// By how many PEs of the machine they move.
    pub displacement: Vector,
}

impl Default for Axis {
    /// Nothing is folded.
    fn default() -> Axis {
        Axis { factor: 1, phase: 0 }
    }
}

impl Axis {
    /// The block of a coordinate.
    pub fn pe(self, place: i64) -> i64 {
        (place - self.phase).div_euclid(self.factor)
    }

    /// What says that coordinate `place` lies in block `pe`: forms that are at least 0.
    pub fn within(self, place: &Affine, pe: &Affine) -> [Affine; 2] {
        let from_start = place.clone() - Affine::constant(self.phase) - pe.clone() * self.factor;
        [from_start.clone(), Affine::constant(self.factor - 1) - from_start]
    }
}

impl Fold {
    /// The most PEs that are folded onto one: a program has a body for each of them.
    pub const MOST: i64 = 8;

    /// The fold with these axes.
    pub fn new(axes: Vec<Axis>) -> Fold {
        if axes.iter().all(|axis| axis.factor == 1) { Fold::default() } else { Fold { axes } }
    }

    /// Every fold of an array of this rank in blocks of at most `most` PEs, the one without any first.
    pub fn all(rank: usize, most: i64) -> Vec<Fold> {
        let longer = |factors: &Vec<i64>| -> Vec<Vec<i64>> {
            let room = most / factors.iter().product::<i64>();
            (1..=room.max(1)).map(|factor| [factors.clone(), vec![factor]].concat()).collect()
        };
        let factors = (0..rank).fold(vec![vec![]], |all, _| all.iter().flat_map(longer).collect::<Vec<Vec<i64>>>());
        factors.iter().flat_map(|factors| Fold::by(factors)).collect()
    }

    /// Every fold of so many PEs along each axis.
    pub fn by(factors: &[i64]) -> Vec<Fold> {
        let phases = |factor: &i64| (0..*factor).map(|phase| Axis { factor: *factor, phase }).collect();
        let axes: Vec<Vec<Axis>> = factors.iter().map(phases).collect();
        combined(&axes).into_iter().map(Fold::new).collect()
    }

    /// Whether nothing is folded.
    pub fn is_none(&self) -> bool {
        self.axes.is_empty()
    }

    /// The fold along one axis of the array.
    pub fn axis(&self, axis: usize) -> Axis {
        self.axes.get(axis).copied().unwrap_or_default()
    }

    /// The PE that a PE of the map lies on.
    pub fn pe(&self, place: Vector) -> Vector {
        match self.is_none() {
            true => place,
            false => place.into_iter().zip(&self.axes).map(|(place, axis)| axis.pe(place)).collect(),
        }
    }

    /// The PE of a place as text: `floor((i - j)/2)`, one entry for each axis.
    pub fn show(&self, place: &[Affine]) -> Vec<String> {
        let text = |(position, form): (usize, &Affine)| match self.axis(position) {
            Axis { factor: 1, .. } => form.to_string(),
            Axis { factor, phase } if form.is_constant() => {
                (form.constant_term() - phase).div_euclid(factor).to_string()
            }
            Axis { factor, phase } => format!("floor(({})/{factor})", form.clone() - Affine::constant(phase)),
        };
        place.iter().enumerate().map(text).collect()
    }

    /// Where in its block a PE of the map lies.
    pub fn residue(&self, place: &[i64]) -> Vector {
        place.iter().zip(&self.axes).map(|(p, axis)| (p - axis.phase).rem_euclid(axis.factor)).collect()
    }

    /// The residues of a block in row-major order; one without entries where nothing is folded.
    pub fn residues(&self) -> Vec<Vector> {
        combined(&self.axes.iter().map(|axis| (0..axis.factor).collect()).collect::<Vec<Vector>>())
    }

    /// The PE of the map at a residue of PE `p`: `factor * p + phase + residue`, one form for each axis.
    pub fn unfolded(&self, residue: &[i64], pe: &[Affine]) -> Vec<Affine> {
        let axes = self.axes.iter().zip(residue).zip(pe);
        axes.map(|((axis, residue), p)| p.clone() * axis.factor + Affine::constant(axis.phase + residue)).collect()
    }

    /// How words that move by `displacement` in the map get to a PE with this residue.
    pub fn turn(&self, displacement: &[i64], to: &[i64]) -> FoldedMove {
        if self.is_none() {
            return FoldedMove { from: vec![], to: vec![], displacement: displacement.to_vec() };
        }
        let axes = || self.axes.iter().zip(displacement).zip(to);
        FoldedMove {
            from: axes().map(|((axis, by), to)| (to - by).rem_euclid(axis.factor)).collect(),
            to: to.to_vec(),
            displacement: axes().map(|((axis, by), to)| -(to - by).div_euclid(axis.factor)).collect(),
        }
    }

    /// All turns of words that move by `displacement`.
    pub fn turns(&self, displacement: &[i64]) -> Vec<FoldedMove> {
        self.residues().iter().map(|to| self.turn(displacement, to)).collect()
    }

    /// Whether words that move by `displacement` in the map move by a PE along each axis at most, so that those of one
    /// channel have links of their own.
    fn carries(&self, displacement: &[i64]) -> bool {
        self.turns(displacement).iter().all(|turn| turn.displacement.iter().all(|entry| entry.abs() <= 1))
    }

    /// Whether words that move by `displacement` keep to PEs with one residue.
    fn keeps_residue(&self, displacement: &[i64]) -> bool {
        self.axes.iter().zip(displacement).all(|(axis, by)| axis.factor == 1 || *by == 0)
    }
}

impl Design<'_> {
    /// That an array folded as the design's is has the links that the design needs.
    ///
    /// # Errors
    /// A tensor whose words would move by several PEs at once, or whose bus would run along a folded axis; one from memory runs
    /// along all of them.
    pub fn check_fold(&self, handoffs: &[Handoff]) -> Checked<()> {
        let kernel = &self.system.kernel;
        match self.too_far(handoffs).or_else(|| self.bus_across_blocks()) {
            Some(why) if !self.fold.is_none() => Diagnostic::new(format!("`{kernel}` cannot be folded so: {why}"))
                .help("fold another axis, or fewer PEs")
                .alone(),
            _ => Ok(()),
        }
    }

    fn too_far(&self, handoffs: &[Handoff]) -> Option<String> {
        let far = self.ways(handoffs).into_iter().find(|(_, moved)| !self.fold.carries(moved));
        far.map(|(of, _)| format!("`{of}` would move by several PEs at once"))
    }

    fn bus_across_blocks(&self) -> Option<String> {
        let parts = self.system.spaces.iter().zip(&self.parts);
        let mut moves = parts.flat_map(|(space, part)| {
            let operands = space.operands.iter().zip(&part.dataflow.transports);
            operands.map(|(operand, way)| (&operand.tensor, way, &part.map))
        });
        let across = moves.find(|(_, way, map)| match way {
            Transport::Broadcast(along) => !self.fold.keeps_residue(&map.displacement(along)),
            Transport::Bus => map.place.rows().iter().flatten().any(|entry| *entry != 0),
            _ => false,
        });
        across.map(|(of, ..)| format!("the bus of `{of}` runs along a folded axis"))
    }
}
