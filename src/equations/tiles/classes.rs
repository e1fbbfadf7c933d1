//! Which subscripts and indices are divided alike.
//!
//! An index and the subscripts that it stands in have tiles of one size, and so have indices that a constraint compares.
//! In: the parts of a kernel and the sizes that a schedule gives to indices. Out: [`Sizes`], one for each class; 1 where none
//! is given, which leaves an index as it is.

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
    sizes: BTreeMap<Slot, (i64, Option<Span>)>,
}

impl Sizes {
    /// The sizes that a schedule asks for.
    ///
    /// # Errors
    /// An index that no equation has; two sizes for one class.
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
        for one in wanted {
            sizes.want(parts, one, source)?;
        }
        Ok(sizes)
    }

    /// Takes a dimension of a tensor whole.
    pub fn take_whole(&mut self, tensor: &Name, dimension: usize, extent: i64) {
        let root = self.root(&Slot::Dimension(tensor.clone(), dimension));
        self.sizes.insert(root, (extent, None));
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
        self.sizes.get(&self.root(slot)).map_or(1, |(size, _)| *size)
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

    fn want(&mut self, parts: &[Contribution], wanted: &TileSize, source: &Arc<Source>) -> Checked<()> {
        let mut is_known = false;
        for (number, part) in parts.iter().enumerate() {
            let is_meant = |name: &Name| *name == wanted.index || part.indices.get(&wanted.index) == Some(name);
            for (coordinate, _) in part.coordinates.iter().enumerate().filter(|(_, name)| is_meant(name)) {
                is_known = true;
                let root = self.root(&Slot::Coordinate(number, coordinate));
                let (size, span) = *self.sizes.entry(root).or_insert((wanted.size, wanted.span));
                if size != wanted.size {
                    return Err(vec![two_sizes((size, span), wanted, source)]);
                }
            }
        }
        if is_known {
            return Ok(());
        }
        let known = parts.iter().flat_map(|part| part.coordinates.iter().chain(part.indices.keys()));
        let known: BTreeSet<&Name> = known.collect();
        let known = known.into_iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ");
        let refusal = Diagnostic::new(format!("no equation has an index `{}` to be tiled", wanted.index))
            .help(format!("the indices are {known}"));
        label(refusal, source, wanted.span, "named here".to_owned()).alone()
    }
}

fn two_sizes((size, span): (i64, Option<Span>), wanted: &TileSize, source: &Arc<Source>) -> Diagnostic {
    let other = wanted.size;
    let refusal = Diagnostic::new(format!("tiles of {size} and of {other} along what is divided alike"))
        .note("indices that meet in one subscript, or that a range compares, have tiles of one size");
    let refusal = label(refusal, source, span, format!("tiles of {size}"));
    label(refusal, source, wanted.span, format!("`{}` in tiles of {other}", wanted.index))
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
