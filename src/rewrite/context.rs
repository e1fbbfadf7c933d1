//! What the names in a term stand for: the registry that the analysis and the predicates look into.
//!
//! In: a [`Space`]. Out: a [`Context`], never changed afterwards: roles of tensors, the null directions of each access
//! map, the directions of each index, the vector behind each direction's text. Everything is found by its printed text,
//! so that two equal maps are one leaf. Paper: Cyclotron section 8 (`st in i, st not in indices(X)` is the null lattice).

use super::language::{AccessText, DirectionText};
use crate::integer::{Affine, Matrix, Name, Vector, lexicographic_sign};
use crate::recurrence::Space;
use egg::Symbol;
use std::collections::{BTreeMap, BTreeSet};

/// The facts behind the leaves of the terms of one space.
#[derive(Clone, Debug)]
pub struct Context {
    output: Symbol,
    inputs: BTreeSet<Symbol>,
    reduced: BTreeSet<Symbol>,
    accesses: BTreeMap<AccessText, AccessFacts>,
    signs: BTreeMap<Symbol, Vec<DirectionText>>,
    vectors: BTreeMap<DirectionText, Vector>,
    coupled: BTreeSet<(Symbol, Symbol)>,
}

/// What is known of an access map.
#[derive(Clone, Debug)]
struct AccessFacts {
    indices: BTreeSet<Symbol>,
    nulls: Vec<DirectionText>,
    nullary: bool,
}

/// The text that stands for an access map in terms: `[i,2*j+1]`.
pub fn access_text(access: &[Affine]) -> AccessText {
    let forms: Vec<String> = access.iter().map(|form| form.to_string().replace(' ', "")).collect();
    AccessText(Symbol::from(format!("[{}]", forms.join(","))))
}

/// The text that stands for a direction in terms: `<i-k>`.
pub fn direction_text(space: &Space, direction: &[i64]) -> DirectionText {
    DirectionText(Symbol::from(space.show_direction(direction)))
}

/// How many null basis vectors are still combined with each other; five of them make 242 directions.
pub const MAX_COMBINED: usize = 5;

/// The directions along which an access does not change, in the order in which rules try them.
///
/// For one null direction `b` these are `b` and `-b`; for more, all combinations of the basis with coefficients -1, 0
/// and 1: fewer basis vectors first, each followed by its opposite. They are primitive because the basis spans all of
/// the null lattice. Beyond [`MAX_COMBINED`] basis vectors only these themselves are tried. Empty for an access that
/// never changes, which is not worth moving at all.
pub fn null_directions(space: &Space, access: &[Affine]) -> Vec<Vector> {
    let rows = access.iter().map(|form| form.row(space.indices())).collect();
    let basis = Matrix::new(rows, space.dimension()).null_lattice();
    if basis.len() == space.dimension() {
        return vec![];
    }
    if basis.len() > MAX_COMBINED {
        return basis.into_iter().flat_map(both_signs).collect();
    }
    let mut choices = coefficient_choices(basis.len());
    choices.sort_by_key(|choice| choice.iter().filter(|coefficient| **coefficient != 0).count());
    choices.iter().flat_map(|choice| both_signs(combine(&basis, choice))).collect()
}

/// All vectors over -1, 0 and 1 whose first non-zero entry is 1, those with early entries first.
fn coefficient_choices(length: usize) -> Vec<Vector> {
    let mut all: Vec<Vector> = vec![vec![]];
    for _ in 0..length {
        all = all.iter().flat_map(|prefix| [1, 0, -1].map(|entry| [prefix.as_slice(), &[entry]].concat())).collect();
    }
    all.retain(|choice| lexicographic_sign(choice) > 0);
    all
}

fn combine(basis: &[Vector], coefficients: &[i64]) -> Vector {
    let length = basis.first().map_or(0, Vec::len);
    let entry = |index: usize| basis.iter().zip(coefficients).map(|(vector, factor)| factor * vector[index]).sum();
    (0..length).map(entry).collect()
}

/// The vector whose first non-zero entry is positive, then its opposite.
fn both_signs(vector: Vector) -> [Vector; 2] {
    let opposite = vector.iter().map(|entry| -entry).collect();
    if lexicographic_sign(&vector) < 0 { [opposite, vector] } else { [vector, opposite] }
}

fn symbol(name: &Name) -> Symbol {
    Symbol::from(&**name)
}

impl Context {
    /// The registry of `space`.
    pub fn new(space: &Space) -> Context {
        let output = symbol(&space.output);
        let mut context = Context {
            output,
            inputs: space
                .operands
                .iter()
                .map(|operand| symbol(&operand.tensor))
                .filter(|name| *name != output)
                .collect(),
            reduced: space.reduced.iter().map(symbol).collect(),
            accesses: BTreeMap::new(),
            signs: BTreeMap::new(),
            vectors: BTreeMap::new(),
            coupled: coupled_pairs(space),
        };
        space.operands.iter().for_each(|operand| context.add_access(space, &operand.access));
        context.add_access(space, &space.output_access);
        (0..space.dimension()).for_each(|position| context.add_signs(space, position));
        context
    }

    fn add_access(&mut self, space: &Space, access: &[Affine]) {
        let used = space.indices().iter().filter(|index| access.iter().any(|form| form.coefficient(index) != 0));
        let indices: BTreeSet<Symbol> = used.map(symbol).collect();
        let nulls = null_directions(space, access).iter().map(|vector| self.add_direction(space, vector)).collect();
        let facts = AccessFacts { nullary: indices.is_empty(), indices, nulls };
        self.accesses.insert(access_text(access), facts);
    }

    fn add_signs(&mut self, space: &Space, position: usize) {
        let unit = Matrix::identity(space.dimension()).column(position);
        let texts = both_signs(unit).iter().map(|vector| self.add_direction(space, vector)).collect();
        self.signs.insert(symbol(&space.indices()[position]), texts);
    }

    fn add_direction(&mut self, space: &Space, vector: &[i64]) -> DirectionText {
        let text = direction_text(space, vector);
        self.vectors.insert(text, vector.to_vec());
        text
    }

    /// Whether `tensor` is given by the user.
    pub fn is_input(&self, tensor: Symbol) -> bool {
        self.inputs.contains(&tensor)
    }

    /// Whether `tensor` is computed by the space itself.
    pub fn is_produced(&self, tensor: Symbol) -> bool {
        self.output == tensor
    }

    /// Whether the access is known to be the same at all points.
    pub fn is_nullary(&self, access: AccessText) -> bool {
        self.accesses.get(&access).is_some_and(|facts| facts.nullary)
    }

    /// The null directions of an access; `None` for an unknown one.
    pub fn nulls(&self, access: AccessText) -> Option<&[DirectionText]> {
        self.accesses.get(&access).map(|facts| facts.nulls.as_slice())
    }

    /// The indices that occur in an access; `None` for an unknown one.
    pub fn indices(&self, access: AccessText) -> Option<&BTreeSet<Symbol>> {
        self.accesses.get(&access).map(|facts| &facts.indices)
    }

    /// An index forwards and backwards; `None` for an unknown one.
    pub fn signs(&self, index: Symbol) -> Option<&[DirectionText]> {
        self.signs.get(&index).map(Vec::as_slice)
    }

    /// The vector behind a direction's text.
    pub fn vector(&self, direction: DirectionText) -> Option<&Vector> {
        self.vectors.get(&direction)
    }

    /// Whether the range of neither reduction index depends on the other.
    pub fn is_independent(&self, one: Symbol, other: Symbol) -> bool {
        !self.coupled.contains(&(one, other))
    }

    /// Whether the range of `index` depends on no other reduction index, nor theirs on it.
    pub fn is_boxed(&self, index: Symbol) -> bool {
        self.reduced.iter().all(|other| *other == index || self.is_independent(index, *other))
    }
}

/// Pairs of reduction indices that occur in one constraint of the domain, both ways round.
fn coupled_pairs(space: &Space) -> BTreeSet<(Symbol, Symbol)> {
    let mut pairs = BTreeSet::new();
    for constraint in space.domain.set.constraints() {
        let bound: Vec<Symbol> =
            space.reduced.iter().filter(|index| constraint.coefficient(index) != 0).map(symbol).collect();
        let squares = bound.iter().flat_map(|one| bound.iter().map(move |other| (*one, *other)));
        pairs.extend(squares.filter(|(one, other)| one != other));
    }
    pairs
}
