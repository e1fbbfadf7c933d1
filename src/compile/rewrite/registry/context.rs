//! What the names in a term stand for: the registry that the analysis and the predicates look into.
//!
//! In: the [`Equations`] of one e-graph. Out: a [`Context`], never changed afterwards: roles of tensors and, for each
//! space, the null directions of each access map, the directions of each index, the vector behind each direction's text,
//! and how far from a point its own output is read. Everything is found by its printed text, so that two equal maps are one
//! leaf; what a text means depends on the space, since index names may repeat. Paper: Cyclotron section 8
//! (`st in i, st not in indices(X)` is the null lattice).

use super::equations::Equations;
use super::frame::Frame;
use crate::rewrite::rules::Monoid;
use crate::rewrite::terms::{AccessText, DirectionText};
use egg::Symbol;
use std::collections::{BTreeMap, BTreeSet};
use systole_base::integer::{Affine, Matrix, Name, Vector, dot, lexicographic_sign};
use systole_equations::recurrence::spaces::solve;
use systole_equations::recurrence::{Operand, Space, Strip};

/// The facts behind the leaves of the terms of one e-graph.
#[derive(Clone, Debug, Default)]
pub struct Context {
    inputs: BTreeSet<Symbol>,
    produced: BTreeSet<Symbol>,
    indices: BTreeMap<AccessText, BTreeSet<Symbol>>,
    spaces: BTreeMap<Symbol, SpaceFacts>,
    /// What stands for a space in terms over whole equations.
    pub frame: Frame,
    /// The monoids that rule files declare.
    pub monoids: Vec<Monoid>,
}

/// What is known of a space.
#[derive(Clone, Debug, Default)]
struct SpaceFacts {
    reduced: BTreeSet<Symbol>,
    nulls: BTreeMap<AccessText, Vec<DirectionText>>,
    offsets: BTreeMap<(Symbol, AccessText), DirectionText>,
    signs: BTreeMap<Symbol, Vec<DirectionText>>,
    axes: Vec<[DirectionText; 2]>,
    vectors: BTreeMap<DirectionText, Vector>,
    coupled: BTreeSet<(Symbol, Symbol)>,
    /// For each index those that stand in a constraint with it: its range may depend on them.
    beside: BTreeMap<Symbol, BTreeSet<Symbol>>,
    /// For each constraint of the domain how it grows along each index.
    slopes: Vec<Vector>,
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
/// never changes, which goes along the axes one after the other. Of those that lead from strip to strip the axis itself is one: others
/// lead to another position as well, as `<i div 16 - 16 i mod 16>` does, where no point is or no PE keeps the value.
pub fn null_directions(space: &Space, access: &[Affine]) -> Vec<Vector> {
    let mut all = all_null_directions(space, &space.in_halves(access));
    if !space.strips.is_empty() {
        let numbers: Vec<Name> = space.strips.iter().map(Strip::number).collect();
        let is_number: Vec<bool> = space.indices().iter().map(|index| numbers.contains(index)).collect();
        let leaves = |along: &Vector| along.iter().zip(&is_number).any(|(entry, is_number)| *entry != 0 && *is_number);
        let is_axis = |along: &Vector| along.iter().filter(|entry| **entry != 0).count() == 1;
        all.retain(|along| !leaves(along) || is_axis(along));
    }
    all
}

fn all_null_directions(space: &Space, access: &[Affine]) -> Vec<Vector> {
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
    /// The registry of all spaces of `equations`.
    pub fn new(equations: &Equations) -> Context {
        let mut context = Context {
            inputs: equations.inputs.iter().map(symbol).collect(),
            produced: equations.spaces.iter().map(|space| symbol(&space.output)).collect(),
            ..Context::default()
        };
        context.produced.extend(equations.known.iter().map(symbol));
        equations.spaces.iter().for_each(|space| context.add_space(space));
        context
    }

    /// The registry of terms over whole equations.
    pub fn of_frame(frame: Frame, monoids: &[Monoid]) -> Context {
        let frame = frame.settled();
        Context { indices: frame.accesses().collect(), frame, monoids: monoids.to_vec(), ..Context::default() }
    }

    /// The declared monoid of this name.
    pub fn monoid(&self, name: Symbol) -> Option<&Monoid> {
        self.monoids.iter().find(|monoid| monoid.symbol == name)
    }

    fn add_space(&mut self, space: &Space) {
        let accesses = space.operands.iter().map(|operand| &operand.access).chain([&space.output_access]);
        for access in accesses.clone() {
            let used = space.indices().iter().filter(|index| access.iter().any(|form| form.mentions([*index])));
            self.indices.entry(access_text(access)).or_default().extend(used.map(symbol));
        }
        let mut facts = SpaceFacts {
            reduced: space.reduced.iter().map(symbol).collect(),
            coupled: coupled_pairs(space),
            beside: space.indices().iter().map(|index| (symbol(index), beside(space, index))).collect(),
            slopes: space.domain.set.constraints().iter().map(|form| form.row(space.indices())).collect(),
            ..SpaceFacts::default()
        };
        accesses.for_each(|access| facts.add_nulls(space, access));
        space.operands.iter().for_each(|operand| facts.add_offset(space, operand));
        (0..space.dimension()).for_each(|position| facts.add_signs(space, position));
        facts.add_axes(space);
        self.spaces.insert(symbol(&space.name), facts);
    }

    /// Whether `tensor` is given by the user.
    pub fn is_input(&self, tensor: Symbol) -> bool {
        self.inputs.contains(&tensor)
    }

    /// Whether `tensor` is computed by one of the spaces, or known by a closed form.
    pub fn is_produced(&self, tensor: Symbol) -> bool {
        self.produced.contains(&tensor)
    }

    /// Whether the access is known to be the same at all points.
    pub fn is_nullary(&self, access: AccessText) -> bool {
        self.indices.get(&access).is_some_and(BTreeSet::is_empty)
    }

    /// The indices that occur in an access, of whichever space; `None` for an unknown one.
    pub fn indices(&self, access: AccessText) -> Option<&BTreeSet<Symbol>> {
        self.indices.get(&access)
    }

    /// The indices on which the range of an index of a space may depend; all of them where nothing is known.
    pub fn beside(&self, space: Symbol, index: Symbol) -> BTreeSet<Symbol> {
        let known = self.spaces.get(&space).and_then(|facts| facts.beside.get(&index)).cloned();
        known.unwrap_or_else(|| self.indices_of(space).collect())
    }

    /// The indices of a space; none for an unknown one.
    pub fn indices_of(&self, space: Symbol) -> impl Iterator<Item = Symbol> + '_ {
        self.spaces.get(&space).into_iter().flat_map(|facts| facts.signs.keys().copied())
    }

    /// The null directions of an access on what is left of a space by taking heads along some directions, one after the
    /// other; `None` for an unknown one.
    pub fn nulls(&self, space: Symbol, heads: &[DirectionText], access: AccessText) -> Option<Vec<DirectionText>> {
        let facts = self.spaces.get(&space)?;
        let nulls = facts.nulls.get(&access)?.iter();
        Some(nulls.filter(|direction| facts.is_within_faces(heads, **direction)).copied().collect())
    }

    /// The next index of the one order in which a number is passed on, forwards and backwards, as far as what is left of the
    /// space by taking heads runs along it.
    pub fn axes(&self, space: Symbol, heads: &[DirectionText]) -> Option<Vec<DirectionText>> {
        let facts = self.spaces.get(&space)?;
        let next = facts.axes.get(heads.len()).into_iter().flatten();
        Some(next.filter(|along| facts.is_within_faces(heads, **along)).copied().collect())
    }

    /// The direction `d` for which a point `x` of `space` reads what the point `x - d` of the same space writes.
    pub fn offset(&self, space: Symbol, tensor: Symbol, access: AccessText) -> Option<DirectionText> {
        self.spaces.get(&space)?.offsets.get(&(tensor, access)).copied()
    }

    /// An index of a space forwards and backwards; `None` for an unknown one.
    pub fn signs(&self, space: Symbol, index: Symbol) -> Option<&[DirectionText]> {
        self.spaces.get(&space)?.signs.get(&index).map(Vec::as_slice)
    }

    /// The vector over the indices of a space behind a direction's text.
    pub fn vector(&self, space: Symbol, direction: DirectionText) -> Option<&Vector> {
        self.spaces.get(&space)?.vectors.get(&direction)
    }

    /// Whether the range of neither reduction index depends on the other; nothing is known of unknown spaces.
    pub fn is_independent(&self, space: Symbol, one: Symbol, other: Symbol) -> bool {
        self.spaces.get(&space).is_some_and(|facts| !facts.coupled.contains(&(one, other)))
    }

    /// Whether the range of `index` depends on no other reduction index, nor theirs on it.
    pub fn is_boxed(&self, space: Symbol, index: Symbol) -> bool {
        let Some(facts) = self.spaces.get(&space) else { return false };
        facts.reduced.iter().all(|other| *other == index || self.is_independent(space, index, *other))
    }
}

impl SpaceFacts {
    fn add_nulls(&mut self, space: &Space, access: &[Affine]) {
        let nulls = null_directions(space, access).iter().map(|vector| self.add_direction(space, vector)).collect();
        self.nulls.insert(access_text(access), nulls);
    }

    /// Orders the indices so that each runs within the heads along those before it, as far as that goes.
    fn add_axes(&mut self, space: &Space) {
        let unit = |index: usize| Matrix::identity(space.dimension()).column(index);
        let mut left: Vec<usize> = (0..space.dimension()).collect();
        while !left.is_empty() {
            let others = |index: usize| left.iter().filter(move |other| **other != index);
            let leads =
                |index: &usize| others(*index).all(|o| runs_within_heads(&self.slopes, &unit(*index), &unit(*o)));
            let next = left.iter().position(leads).unwrap_or(0);
            let axis = both_signs(unit(left.remove(next)));
            let texts = axis.map(|vector| self.add_direction(space, &vector));
            self.axes.push(texts);
        }
    }

    /// Whether the heads along each of `heads` lie on faces along which `along` runs.
    fn is_within_faces(&self, heads: &[DirectionText], along: DirectionText) -> bool {
        let Some(along) = self.vectors.get(&along) else { return false };
        let mut faces = heads.iter().filter_map(|head| self.vectors.get(head));
        faces.all(|head| runs_within_heads(&self.slopes, head, along))
    }

    fn add_offset(&mut self, space: &Space, operand: &Operand) {
        let Some(offset) = own_offset(space, operand) else { return };
        let direction = self.add_direction(space, &offset);
        self.offsets.insert((symbol(&operand.tensor), access_text(&operand.access)), direction);
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
}

/// Whether lines along `along` stay on the faces where lines along `head` begin, given the slopes of all constraints.
fn runs_within_heads(slopes: &[Vector], head: &[i64], along: &[i64]) -> bool {
    slopes.iter().all(|row| dot(row, head) <= 0 || dot(row, along) == 0)
}

/// How far back a point reads what its own space writes, where that is the same at all points.
///
/// `P[i]` reads `P[i-1]` at `<i>`. `None` for other tensors, for reductions (every point of a line works on the element),
/// and where the distance depends on the point or on a size.
pub fn own_offset(space: &Space, operand: &Operand) -> Option<Vector> {
    if operand.tensor != space.output || space.reduction.is_some() {
        return None;
    }
    let (written, read) = (space.element(), space.in_halves(&operand.access));
    let writer = if written.len() == read.len() { solve(&written, space.indices(), &read)? } else { return None };
    let forms = writer.coordinates(space.indices()).into_iter().zip(space.indices());
    let offset = forms.map(|(form, index)| {
        let distance = Affine::variable(index) - form;
        distance.is_constant().then(|| distance.constant_term())
    });
    let offset: Vector = offset.collect::<Option<_>>()?;
    let met = writer.residues.iter().all(|form| *form == Affine::default());
    (met && offset.iter().any(|entry| *entry != 0)).then_some(offset)
}

/// The other indices in the constraints in which `index` stands.
fn beside(space: &Space, index: &Name) -> BTreeSet<Symbol> {
    let bounds = space.domain.set.constraints().iter().filter(|form| form.coefficient(index) != 0);
    let others = space.indices().iter().filter(|other| *other != index);
    others.filter(|other| bounds.clone().any(|form| form.coefficient(other) != 0)).map(symbol).collect()
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
