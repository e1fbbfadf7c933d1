//! Which subscripts and indices are divided alike.
//!
//! An index and the subscripts that it stands in have tiles of one size, and so have indices that a constraint compares.
//! In: the parts of a kernel and the sizes that a schedule gives to indices. Out: [`Sizes`], one for each class; 1 where none
//! is given, which leaves an index as it is. Where several are given, the least holds: tiles of 4 and of 3 along one subscript
//! would be cut at elements of their own, which no number of tiles lines up for all sizes; and no tile has more elements
//! than the schedule made room for.

use super::source::Contribution;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use systole_base::diagnostic::{Checked, Diagnostic};
use systole_base::integer::Name;
use systole_base::span::{Source, Span};

/// What is divided.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Slot {
    /// A dimension of a tensor.
    Dimension(Name, usize),
    /// A coordinate of a part.
    Coordinate(usize, usize),
}

/// A size that a schedule or a flag gives.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TileSize {
    /// The index.
    pub index: Name,
    /// How many elements a tile has along it, at least 1.
    pub size: i64,
    /// Where the source says so.
    pub span: Option<Span>,
}

/// The elements of a tile along everything that can be divided.
#[derive(Clone, Debug, Default)]
pub(super) struct Sizes {
    classes: BTreeMap<Slot, Slot>,
    sizes: BTreeMap<Slot, i64>,
    held: Vec<i64>,
}

impl Sizes {
    /// The sizes that a schedule asks for, or less where classes have several.
    ///
    /// # Errors
    /// An index that no equation has.
    pub fn new(
        parts: &[Contribution],
        wanted: &[TileSize],
        is_slanted: &impl Fn(&Name) -> bool,
        source: &Arc<Source>,
    ) -> Checked<Sizes> {
        let mut sizes = Sizes::default();
        for (number, part) in parts.iter().enumerate() {
            sizes.join_part(number, part);
            // In slanted tensors all tiles do the same, so what compares two subscripts divides no tiles.
            if !is_slanted(&part.tensor) {
                sizes.join_compared(number, part);
            }
        }
        let slots: Vec<Vec<Slot>> =
            wanted.iter().map(|one| slots_of(parts, one, source)).collect::<Checked<Vec<Vec<Slot>>>>()?;
        sizes.hold(&slots, &wanted.iter().map(|one| one.size).collect::<Vec<_>>());
        Ok(sizes)
    }

    /// For each size that was asked for the one that holds for its index.
    pub fn held(&self) -> &[i64] {
        &self.held
    }

    /// Takes a dimension of a tensor whole.
    pub fn take_whole(&mut self, tensor: &Name, dimension: usize, extent: i64) {
        let root = self.root(&Slot::Dimension(tensor.clone(), dimension));
        self.sizes.insert(root, extent);
    }

    /// The size along a dimension of a tensor.
    pub fn of_dimension(&self, tensor: &Name, dimension: usize) -> i64 {
        self.of(&Slot::Dimension(tensor.clone(), dimension))
    }

    /// The size along a coordinate of a part.
    pub fn of_coordinate(&self, part: usize, coordinate: usize) -> i64 {
        self.of(&Slot::Coordinate(part, coordinate))
    }

    fn of(&self, slot: &Slot) -> i64 {
        self.sizes.get(&self.root(slot)).copied().unwrap_or(1)
    }

    fn root(&self, slot: &Slot) -> Slot {
        let mut root = slot;
        while let Some(next) = self.classes.get(root) {
            root = next;
        }
        root.clone()
    }

    fn join(&mut self, one: &Slot, other: &Slot) {
        let (one, other) = (self.root(one), self.root(other));
        if one != other {
            self.classes.insert(one, other);
        }
    }

    fn join_part(&mut self, number: usize, part: &Contribution) {
        for dimension in 0..part.free {
            self.join(&Slot::Dimension(part.tensor.clone(), dimension), &Slot::Coordinate(number, dimension));
        }
        let reads = part.reads.iter().map(|read| (&read.tensor, &read.access));
        for (tensor, access) in reads.chain([(&part.output, &part.element)]) {
            for (dimension, form) in access.iter().enumerate() {
                for (coordinate, _) in mentioned(part, form) {
                    self.join(&Slot::Dimension(tensor.clone(), dimension), &Slot::Coordinate(number, coordinate));
                }
            }
        }
    }

    fn join_compared(&mut self, number: usize, part: &Contribution) {
        for form in part.set.constraints() {
            let compared: Vec<usize> = mentioned(part, form).map(|(coordinate, _)| coordinate).collect();
            for pair in compared.windows(2) {
                self.join(&Slot::Coordinate(number, pair[0]), &Slot::Coordinate(number, pair[1]));
            }
        }
    }

    /// Gives each class the least size of its indices, and so on for the other classes that these indices are in.
    fn hold(&mut self, slots: &[Vec<Slot>], wanted: &[i64]) {
        for (own, size) in slots.iter().zip(wanted) {
            for slot in own {
                let root = self.root(slot);
                let known = self.sizes.entry(root).or_insert(*size);
                *known = *size.min(known);
            }
        }
        let least = |own: &Vec<Slot>| own.iter().map(|slot| self.of(slot)).min().unwrap_or(1);
        let held: Vec<i64> = slots.iter().map(least).collect();
        if held != wanted {
            return self.hold(slots, &held);
        }
        self.held = held;
    }
}

/// The coordinates that an index is, of all parts.
fn slots_of(parts: &[Contribution], wanted: &TileSize, source: &Arc<Source>) -> Checked<Vec<Slot>> {
    let mut slots = vec![];
    for (number, part) in parts.iter().enumerate() {
        let is_meant = |name: &Name| *name == wanted.index || part.indices.get(&wanted.index) == Some(name);
        let meant = part.coordinates.iter().enumerate().filter(|(_, name)| is_meant(name));
        slots.extend(meant.map(|(coordinate, _)| Slot::Coordinate(number, coordinate)));
    }
    if !slots.is_empty() {
        return Ok(slots);
    }
    let known = parts.iter().flat_map(|part| part.coordinates.iter().chain(part.indices.keys()));
    let known: BTreeSet<&Name> = known.collect();
    let known = known.into_iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ");
    let refusal = Diagnostic::new(format!("no equation has an index `{}` to be tiled", wanted.index))
        .help(format!("the indices are {known}"));
    label(refusal, source, wanted.span, "named here".to_owned()).alone()
}

fn label(diagnostic: Diagnostic, source: &Arc<Source>, span: Option<Span>, text: String) -> Diagnostic {
    match span {
        Some(span) => diagnostic.label(source, span, text),
        // What no schedule says a flag does.
        None => diagnostic.of_command_line(),
    }
}

/// The coordinates of a part that occur in a form.
fn mentioned<'a>(
    part: &'a Contribution,
    form: &'a systole_base::integer::Affine,
) -> impl Iterator<Item = (usize, &'a Name)> {
    part.coordinates.iter().enumerate().filter(|(_, name)| form.coefficient(name) != 0)
}
