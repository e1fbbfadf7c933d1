//! An axis in other coordinates: cut into blocks, or gone through from another element on at each place.
//!
//! In: a system, and what is asked for. Out: a [`Recast`]: a system that computes the same, and which of its reductions are over the
//! elements of one axis. These are written as one reduction there; that it may be done block by block, or begin elsewhere, is a law of
//! `rules/algebra/orders.rules`, and without the law there is no form. Invariant: both systems are evaluated side by side before anybody
//! sees the new one. Paper: Cyclotron section 4.4 has blocks; a fold that begins with another element at each place is Cannon's.
//!
//! **Blocks.** `--split k=PxW` makes of `K[M, D]` the same array as `K[P, W, D]`, and of `k` two indices. A reduction
//! over the whole axis is one term still, `(reduce s o (both p q) a)`, of which nothing says how to compute it. That
//! blocks may be reduced first is a law (`split`, and for the softmax `block-by-parts`). So the merge of two partial
//! results is written nowhere: `split` applied to the online softmax reduces, over blocks, by the same monoid the
//! tuples that it has of each block. Merged one after the other these are a *chain*. Cut as `2x2xW` they are a *tree*,
//! since two elements are one operation (`pair-up`).
//!
//! **Rings.** `--rotate k=i` stores what depends on both by place `i` and step `t`, with `k = i + t` modulo the size. The
//! inputs are copied by two equations, which stream along `<t - i>`, one PE a step. The term is `(reduce s o (turned t
//! i) a)`, and the law `turn` says that it may begin anywhere. Keys and values then go round in a ring, with all PEs
//! busy from the first step. A line of PEs has no link from its end to its start, so the last PE loads again what has
//! left at the first: 2N - 1 words for N.
//!
//! **Blocks by parts.** What rescales the results of blocks may have the maximum and the sum of each block by
//! themselves (`block-by-parts`). Then keys are read twice within a block and once over all, in about as many
//! operations as the text has. The values of a block are a product of matrices, which is FlashAttention-2. Tiled, as in
//! `kernels/blocks/attention.rec`, nothing is kept for each key.
//!
//! Blocks are of one width. A size that they do not make is refused by the command, since `p W + w < M` is not affine.
//! With queries, keys in blocks and width, spaces have four dimensions and need an array of rank three (`--rank 3`): a
//! free search takes minutes there, a place in a schedule leaves seconds.

mod split;

mod rotate;

use super::axes::Axes;
use super::confirm::agree;
use super::written::written;
use crate::rewrite::Symbol;
use std::collections::{BTreeMap, BTreeSet};
use systole_base::diagnostic::{Checked, Diagnostic, nearest};
use systole_base::integer::{Affine, Bindings, Name, Polyhedron};
use systole_equations::recurrence::RecurrenceSystem;

/// One coordinate of an axis that is cut: how many values it has.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CoordinateCount {
    /// As many as this.
    Number(i64),
    /// As many as a new size says.
    Size(Name),
}

impl CoordinateCount {
    fn form(&self) -> Affine {
        match self {
            CoordinateCount::Number(count) => Affine::constant(*count),
            CoordinateCount::Size(size) => Affine::variable(size),
        }
    }
}

/// What is asked of an axis. Indices are called as `systole derive` shows them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Coordinates {
    /// The axis of `index` has one index for each part, the outermost first: `2x2xW` has four blocks of `W` elements, in pairs.
    Split {
        /// An index of the axis.
        index: Name,
        /// How many values each new index has.
        parts: Vec<CoordinateCount>,
    },
    /// At place `i` along the axis of `with`, the axis of `index` begins with element `i` and ends with the one before. Both are of one
    /// size from then on.
    Rotate {
        /// An index of the axis that is turned.
        index: Name,
        /// An index of the axis along which it turns.
        with: Name,
    },
}

/// Which reductions of a recast system are over all elements of one axis.
#[derive(Clone, Debug, Default)]
pub(super) struct Compounds {
    /// Indices of nested reductions, outermost first.
    pub blocks: Vec<Vec<Name>>,
    /// For each index that goes on from another element the indices that say from which.
    pub turns: BTreeMap<Name, BTreeSet<Name>>,
}

/// A system in the coordinates that were asked for.
#[derive(Clone, Debug)]
pub struct Recast {
    /// The system, with plain reductions.
    pub system: RecurrenceSystem,
    pub(super) compounds: Compounds,
}

impl Recast {
    /// A system as it is.
    pub fn plain(system: &RecurrenceSystem) -> Recast {
        Recast { system: system.clone(), compounds: Compounds::default() }
    }
}

/// `system` in other coordinates, one change after the other.
///
/// # Errors
/// An index that is not known; equations that use the axis in another way than element by element; sizes that are not one parameter.
pub fn recast(system: &RecurrenceSystem, wanted: &[Coordinates]) -> Checked<Recast> {
    let mut recast = Recast::plain(system);
    for change in wanted {
        let before = recast.system.clone();
        recast = match change {
            Coordinates::Split { index, parts } => split::split(recast, index, parts)?,
            Coordinates::Rotate { index, with } => rotate::rotate(recast, index, with)?,
        };
        let sizes = |after: &Bindings| change.sizes_before(&before, after);
        agree(&before, &recast.system, &sizes)?;
    }
    Ok(recast)
}

impl Coordinates {
    /// The size that an axis of the system has before it is cut; `None` where nothing is cut, or there is no such axis.
    pub fn cut_size(&self, system: &RecurrenceSystem) -> Option<Name> {
        let Coordinates::Split { index, .. } = self else { return None };
        Axis::find(system, index).ok().map(|axis| axis.size)
    }

    /// The sizes of the system before the change, from those after it.
    fn sizes_before(&self, before: &RecurrenceSystem, after: &Bindings) -> Bindings {
        let gone = before.parameters.iter().filter(|size| !after.contains_key(*size));
        let value = match self {
            Coordinates::Split { parts, .. } => {
                parts.iter().map(|part| part.form().evaluate(after).unwrap_or(1)).product()
            }
            Coordinates::Rotate { with, .. } => {
                let size = Axis::find(before, with).ok().and_then(|axis| after.get(&axis.size).copied());
                size.unwrap_or(1)
            }
        };
        let kept = after.iter().filter(|(size, _)| before.parameters.contains(size));
        kept.map(|(size, value)| (size.clone(), *value)).chain(gone.map(|size| (size.clone(), value))).collect()
    }
}

/// An axis of a system whose elements are numbered from 0 to below one parameter.
struct Axis {
    /// An index that runs along it.
    index: Name,
    /// Its number.
    number: usize,
    /// Its size.
    size: Name,
}

impl Axis {
    /// The axis of an index, by the name that the index has in forms.
    fn find(system: &RecurrenceSystem, index: &Name) -> Checked<Axis> {
        let frame = written(system, &Compounds::default()).frame;
        let Some(found) = frame.index(index) else {
            let names = frame.indices().iter().map(|known| &*known.name);
            let diagnostic = Diagnostic::usage(format!("`{}` has no index `{index}`", system.name));
            return match nearest(index, names.clone()) {
                Some(close) => diagnostic.help(format!("did you mean `{close}`?")).alone(),
                None => diagnostic.help(format!("it has {}", names.collect::<Vec<_>>().join(", "))).alone(),
            };
        };
        let ends = frame.ends(Symbol::from(&**index)).filter(|(low, _)| *low == Affine::default());
        let extent = ends.map(|(_, high)| high + Affine::constant(1));
        match extent.as_ref().and_then(Affine::as_variable) {
            Some(size) => Ok(Axis { index: index.clone(), number: found.axis, size: size.clone() }),
            None => refuse(system, index, "does not run from 0 to below one parameter"),
        }
    }

    /// Whether a dimension of a tensor lies along it.
    fn has_dimension(&self, axes: &Axes, tensor: &Name, dimension: usize) -> bool {
        axes.of_dimension(tensor, dimension) == Some(self.number)
    }

    fn has_index(&self, axes: &Axes, equation: usize, index: &Name) -> bool {
        axes.of_index(equation, index) == self.number
    }

    /// What a set says beside `0 <= index < size`; `None` where it says something else of the index.
    fn others(&self, set: &Polyhedron, index: &Name) -> Option<Polyhedron> {
        let variable = Affine::variable(index);
        let last = Affine::variable(&self.size) - variable.clone() - Affine::constant(1);
        let own = [variable, last];
        let rest = set.constraints().iter().filter(|form| !own.contains(form));
        let rest = Polyhedron::new(rest.cloned());
        (!rest.variables().contains(index)).then_some(rest)
    }
}

impl Axis {
    /// Whether a range is that of the whole axis.
    fn is_all_of(&self, range: &Polyhedron, index: &Name) -> bool {
        self.others(range, index).is_some_and(|rest| rest.constraints().is_empty())
    }
}

fn refuse<T>(system: &RecurrenceSystem, index: &Name, why: &str) -> Checked<T> {
    Diagnostic::usage(format!("`{index}` of `{}` {why}", system.name))
        .label(&system.source, system.equations.first().map_or_else(Default::default, |equation| equation.span), "here")
        .help("coordinates change along axes whose elements are all treated alike: each index alone in its subscript, from 0 to a size")
        .alone()
}
