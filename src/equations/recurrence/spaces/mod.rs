//! A kernel as iteration spaces that hand values to each other.
//!
//! In: a valid system. Out: a [`SpaceSystem`]: each reduction is a space, and so is the expression around it, for each
//! equation; what a space reads of a computed tensor comes from points of other spaces, or of its own. Equations whose
//! right-hand side reads nothing need no space: their values are known wherever they are read. Paper: Cyclotron sections
//! 4.4 and 8 (OuterSend, InnerSend), Figures 6 to 8.
//!
//! `cut_spaces` makes each reduction a space and what stands around it another. Reductions with one body on
//! neighbouring sets are one space, such as both sums of Cholesky's factor (`merge`). Parts of one equation that say the
//! same of their sums read one tensor of sums (`joined`). Equations of one tensor are a *family* and share its coordinates
//! and its place.
//!
//! What is empty at all sizes is gone before (`recurrence::empties`). If a reduction alone is empty for some elements,
//! or at some sizes, these elements are known: they have the neutral value, and no point writes them. So such a kernel
//! is no single space. The array has a PE at all sizes, since one has to fill them in. Nested reductions whose ranges
//! do not depend on each other are one space. An inner one whose range names an outer index is a space of its own;
//! where it has no terms the outer one has none. For tiles (`cut_for_tiles`) a reduction that may be empty is read by
//! an expression around it, as one tile holds elements with terms and elements without.
//!
//! A reduction that is read has one upper bound: where the least of several hangs on the point, as in
//! `sum(k where k <= i, k <= j)`, the equation around it is divided before (`upper_bounds`).
//!
//! A *handoff* is a set of points that get an operand from elsewhere than the point before. It comes from the point
//! that computes it, or from a point that has it because a stream of the same tensor passes there, as on the diagonal
//! of Cholesky's array. It moves by a constant number of PEs or it is none, so every link has a fixed length.

mod strided;

mod upper_bounds;

mod cut;

pub use cut::coordinate_names;
pub use cut::{cut_for_tiles, cut_spaces, spaces_of, spaces_under};

mod joined;

mod merge;

pub use merge::convex_union;

mod solve;

pub use solve::{Division, Solution, last_point, solve, solve_by_division};

mod show;

mod sources;

mod among;

mod strips;

mod two_sided;

pub use two_sided::Side;

mod in_order;

mod depth;

pub use in_order::{Reduce, Values, evaluate_system_by, evaluate_system_in_order};

use super::{Domain, Role, Scalar, Space, Split, Tensor, TwoSided};
use std::sync::Arc;
use systole_base::integer::{Affine, Name, Parameters, Polyhedron};
use systole_base::span::{Source as Text, Span};

/// All spaces of a kernel and how values pass between them.
#[derive(Clone, Debug)]
pub struct SpaceSystem {
    /// The kernel's name.
    pub kernel: Name,
    /// The size parameters, each at least 1.
    pub parameters: Parameters,
    /// The spaces, in the order of their equations, a reduction before what stands around it.
    pub spaces: Vec<Space>,
    /// For each space its family and its place in it.
    pub members: Vec<Member>,
    /// The families.
    pub families: Vec<Family>,
    /// For each space and operand where its values come from; nothing for a tensor that the user gives. The sets of one
    /// operand are disjoint and cover the space.
    pub sources: Vec<Vec<Vec<Source>>>,
    /// Elements that are known without an operation.
    pub known: Vec<ClosedValues>,
    /// How reductions of the kernel are split.
    pub splits: Vec<Split>,
    /// All tensors of the kernel, in the order of declaration, and those that splits add.
    pub tensors: Vec<Tensor>,
    /// The tensors for whose readers spaces are cut where they are given.
    pub two_sided: Vec<TwoSided>,
    /// The text.
    pub source: Arc<Text>,
}

/// Spaces that share their coordinates, and so their place: all equations of one tensor, or the reductions that stand at
/// one position in them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Family {
    /// The tensor, or the tensor and the reduction: `X`, `X.sum`.
    pub name: Name,
    /// The coordinates: the tensor's subscripts, then the reduction indices.
    pub indices: Vec<Name>,
}

/// A space within its family.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Member {
    /// The family.
    pub family: usize,
    /// Each coordinate of the family over the indices of the space: `L[i, i]` lies at `(i, i)`.
    pub embedding: Vec<Affine>,
}

/// Where an operand's values come from at some points.
#[derive(Clone, Debug, PartialEq)]
pub struct Source {
    /// The points, over the indices of the reading space and the parameters.
    pub set: Polyhedron,
    /// Where from.
    pub origin: Origin,
    /// The quotients of the reader's indices that the element is a form of: which strip is read by an index that is not divided.
    pub quotients: Vec<Division>,
}

/// Where a value comes from.
#[derive(Clone, Debug, PartialEq)]
pub enum Origin {
    /// The space of this position computes this element of its output, given over the reader's indices.
    Space {
        /// Which space.
        space: usize,
        /// Which element; in the quotients of the source, too.
        element: Vec<Affine>,
    },
    /// It is known: an empty reduction's neutral value, or a closed form over the reader's indices.
    Known(Scalar),
}

/// Elements of a tensor that a closed form of the subscripts gives.
#[derive(Clone, Debug, PartialEq)]
pub struct ClosedValues {
    /// The tensor.
    pub tensor: Name,
    /// Its subscripts over the indices of `domain`.
    pub subscripts: Vec<Affine>,
    /// The points.
    pub domain: Domain,
    /// The value at a point.
    pub value: Scalar,
    /// The equation.
    pub span: Span,
}

impl SpaceSystem {
    /// The system of one space whose operands are all given.
    pub fn of_one(space: Space) -> SpaceSystem {
        let assumption = |tensor: &Name| space.assumed.iter().find(|(assumed, _)| assumed == tensor).map(|(_, of)| *of);
        let tensor = |(name, shape): &(Name, Vec<Affine>)| Tensor {
            name: name.clone(),
            role: if *name == space.output { Role::Output } else { Role::Input },
            shape: shape.clone(),
            assumption: assumption(name),
            span: space.span,
        };
        let indices = space.indices();
        SpaceSystem {
            kernel: space.kernel.clone(),
            parameters: space.parameters.clone(),
            members: vec![Member { family: 0, embedding: indices.iter().map(Affine::variable).collect() }],
            families: vec![Family { name: space.output.clone(), indices: indices.to_vec() }],
            sources: vec![vec![vec![]; space.operands.len()]],
            known: vec![],
            splits: vec![],
            tensors: space.shapes.iter().map(tensor).collect(),
            two_sided: vec![],
            source: space.source.clone(),
            spaces: vec![space],
        }
    }

    /// The largest number of indices of a space.
    pub fn dimension(&self) -> usize {
        self.spaces.iter().map(Space::dimension).max().unwrap_or(0)
    }

    /// The only space of the system, if it has one, nothing is handed on in it, and no element is known without a point.
    pub fn only_space(&self) -> Option<&Space> {
        match (&self.spaces[..], &self.sources[..]) {
            ([space], [sources]) if self.known.is_empty() && sources.iter().all(Vec::is_empty) => Some(space),
            _ => None,
        }
    }

    /// The space of this name.
    pub fn position(&self, name: &str) -> Option<usize> {
        self.spaces.iter().position(|space| &*space.name == name)
    }

    /// Whether a space reads, directly or through others, what another one computes.
    pub fn depends(&self, reader: usize, giver: usize) -> bool {
        let (mut seen, mut open) = (vec![], vec![reader]);
        while let Some(space) = open.pop() {
            for source in self.sources[space].iter().flatten() {
                if let Origin::Space { space: next, .. } = source.origin
                    && !seen.contains(&next)
                {
                    seen.push(next);
                    open.push(next);
                }
            }
        }
        seen.contains(&giver)
    }

    /// A number for each space, the same for those of one family and for those that depend on each other, also through others.
    pub fn connected(&self) -> Vec<usize> {
        let count = self.spaces.len();
        let mut numbers: Vec<usize> = (0..count).collect();
        for (one, other) in (0..count).flat_map(|one| (0..one).map(move |other| (one, other))) {
            let is_family = self.members[one].family == self.members[other].family;
            if is_family || self.depends(one, other) || self.depends(other, one) {
                let (kept, dropped) = (numbers[other], numbers[one]);
                numbers.iter_mut().filter(|number| **number == dropped).for_each(|number| *number = kept);
            }
        }
        numbers
    }
}
