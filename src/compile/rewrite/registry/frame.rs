//! The indices of terms over whole equations, and what laws of algebra may ask about them.
//!
//! In: indices with their ranges, and the access maps of a term. Out: a [`Frame`], which stands where a space does in terms that say
//! what a kernel computes and nothing of how. Invariant: an index has one range wherever it is bound, so that two terms that reduce
//! over it speak of the same elements.

use super::context::access_text;
use super::definitions::Definitions;
use crate::rewrite::terms::AccessText;
use egg::Symbol;
use std::collections::{BTreeMap, BTreeSet};
use systole_base::integer::{Affine, Name, Polyhedron, name};

/// An index of a [`Frame`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FrameIndex {
    /// Its name.
    pub name: Name,
    /// The axis it runs along: indices that stand at one dimension of a tensor share it.
    pub axis: usize,
    /// Its values, by constraints that may mention parameters and other indices.
    pub range: Polyhedron,
}

/// The indices of a kernel.
#[derive(Clone, Debug, Default)]
pub struct Frame {
    /// What stands for it in terms.
    pub name: Option<Name>,
    /// The sizes, each at least 1.
    parameters: Vec<Name>,
    indices: Vec<FrameIndex>,
    /// What equations say of elements.
    pub(crate) definitions: Definitions,
    /// Access maps with a form in place of an index, by these three, once the frame is settled.
    pub(super) picked: BTreeMap<(AccessText, Symbol, AccessText), AccessText>,
    pub(super) accesses: BTreeMap<AccessText, Vec<Affine>>,
    /// Indices with the values of another one at which a form is not below 0, by both.
    pub(super) within: BTreeMap<(Symbol, AccessText), Symbol>,
    /// What is asked again and again, once the frame is settled.
    facts: BTreeMap<Symbol, IndexFacts>,
    /// Pairs of indices that stand in one form with the same coefficient, once the frame is settled.
    together: Option<BTreeSet<(Symbol, Symbol)>>,
}

/// What is known of an index.
#[derive(Clone, Debug)]
struct IndexFacts {
    depends: BTreeSet<Symbol>,
    ends: Option<(Affine, Affine)>,
    count: Option<Affine>,
    is_filled: bool,
}

impl Frame {
    /// A frame without indices.
    pub fn new(name: &Name, parameters: &[Name]) -> Frame {
        Frame { name: Some(name.clone()), parameters: parameters.to_vec(), ..Frame::default() }
    }

    /// The indices, in the order in which they were met.
    pub fn indices(&self) -> &[FrameIndex] {
        &self.indices
    }

    /// The frame to which nothing will be added, so that no answer has to be found twice.
    pub fn settled(mut self) -> Frame {
        let symbols: Vec<Symbol> = self.indices.iter().map(|index| symbol(&index.name)).collect();
        let facts = |index: Symbol| IndexFacts {
            depends: self.range_depends(index),
            ends: self.ends(index),
            count: self.count(index),
            is_filled: self.is_filled(index),
        };
        let facts = symbols.into_iter().map(|index| (index, facts(index))).collect();
        let forms = || self.accesses.values().flatten();
        let alike = |form: &Affine, one: &Name, other: &Name| {
            form.coefficient(one) != 0 && form.coefficient(one) == form.coefficient(other)
        };
        let pairs = self.pairs().filter(|(one, other)| forms().any(|form| alike(form, one, other)));
        let together = pairs.map(|(one, other)| (symbol(one), symbol(other))).collect();
        self.facts = facts;
        self.together = Some(together);
        self.add_picked();
        self.choose_orders();
        self
    }

    /// The sizes, each at least 1.
    pub fn parameters(&self) -> &[Name] {
        &self.parameters
    }

    /// The index of this name.
    pub fn index(&self, name: &str) -> Option<&FrameIndex> {
        self.indices.iter().find(|index| &*index.name == name)
    }

    /// Notes an index.
    pub fn add_index(&mut self, index: FrameIndex) {
        let name = Symbol::from(&*index.name);
        self.indices.push(index);
        if let Some(count) = self.count(name) {
            self.add_access(&[count]);
        }
    }

    /// Notes an access map; what stands for it in terms.
    pub fn add_access(&mut self, forms: &[Affine]) -> AccessText {
        let text = access_text(forms);
        self.accesses.entry(text).or_insert_with(|| forms.to_vec());
        text
    }

    /// The forms of an access map; `None` for an unknown one.
    pub fn access(&self, text: AccessText) -> Option<&[Affine]> {
        self.accesses.get(&text).map(Vec::as_slice)
    }

    /// All access maps with the indices that occur in them.
    pub fn accesses(&self) -> impl Iterator<Item = (AccessText, BTreeSet<Symbol>)> {
        self.accesses.iter().map(|(text, forms)| (*text, self.indices_in(forms)))
    }

    fn indices_in(&self, forms: &[Affine]) -> BTreeSet<Symbol> {
        let occurs = |index: &&FrameIndex| forms.iter().any(|form| form.mentions([&index.name]));
        self.indices.iter().filter(occurs).map(|index| Symbol::from(&*index.name)).collect()
    }

    /// The other indices on which the range of `index` depends.
    pub fn range_depends(&self, index: Symbol) -> BTreeSet<Symbol> {
        if let Some(facts) = self.facts.get(&index) {
            return facts.depends.clone();
        }
        let range = self.index(index.as_str()).map(|index| index.range.constraints()).unwrap_or_default();
        let mut found = self.indices_in(range);
        found.remove(&index);
        found
    }

    /// Whether the range of an index depends on another one.
    pub fn depends(&self, index: Symbol, other: Symbol) -> bool {
        match self.facts.get(&index) {
            Some(facts) => facts.depends.contains(&other),
            None => self.range_depends(index).contains(&other),
        }
    }

    /// The first and the last value of an index, where each is one form.
    pub fn ends(&self, index: Symbol) -> Option<(Affine, Affine)> {
        if let Some(facts) = self.facts.get(&index) {
            return facts.ends.clone();
        }
        let index = self.index(index.as_str())?;
        let (lower, upper) = index.range.bounds(&index.name);
        let ([low], [high]) = (lower.as_slice(), upper.as_slice()) else { return None };
        (low.coefficient == 1 && high.coefficient == 1).then(|| (low.form.clone(), high.form.clone()))
    }

    /// How many values an index takes, where it is one form that is never below 0.
    pub fn count(&self, index: Symbol) -> Option<Affine> {
        if let Some(facts) = self.facts.get(&index) {
            return facts.count.clone();
        }
        let (low, high) = self.ends(index)?;
        Some(high - low + Affine::constant(1)).filter(|count| self.is_never_negative(count))
    }

    /// Whether the index starts from 0, and ends where a form of the sizes says.
    pub fn is_whole(&self, index: Symbol) -> bool {
        let from_zero = self.ends(index).is_some_and(|(low, _)| low == Affine::default());
        from_zero && self.range_depends(index).is_empty()
    }

    /// Whether the index has a value whatever the sizes and the other indices are, and the same ones whatever these are.
    pub fn is_never_empty(&self, index: Symbol) -> bool {
        self.is_filled(index) && self.range_depends(index).is_empty()
    }

    /// Whether the index has a value whatever the sizes and the other indices are.
    pub fn is_filled(&self, index: Symbol) -> bool {
        if let Some(facts) = self.facts.get(&index) {
            return facts.is_filled;
        }
        let more = self.count(index).map(|count| count - Affine::constant(1));
        more.is_some_and(|more| self.is_never_negative(&more))
    }

    /// Whether a form is at least 0 for all sizes, and for all values of the indices in it.
    fn is_never_negative(&self, form: &Affine) -> bool {
        let mentioned = self.indices.iter().filter(|index| form.mentions([&index.name]));
        let values = mentioned.fold(Polyhedron::default(), |set, index| set.intersect(&index.range));
        values.intersect(&self.sizes_in(&values.constraints().iter().chain([form]))).implies(form)
    }

    /// The sizes that occur in some forms are at least 1; what does not occur says nothing of them.
    fn sizes_in<'a>(&self, forms: &(impl Iterator<Item = &'a Affine> + Clone)) -> Polyhedron {
        let occurs = |size: &&Name| forms.clone().any(|form| form.mentions([*size]));
        let occurring: Vec<Name> = self.parameters.iter().filter(occurs).cloned().collect();
        Polyhedron::at_least_one(&occurring)
    }

    /// The access map by which [`Frame::count`] is known in terms.
    pub fn count_access(&self, index: Symbol) -> Option<AccessText> {
        let text = access_text(&[self.count(index)?]);
        self.accesses.contains_key(&text).then_some(text)
    }

    /// Whether the access is the index itself, and the index starts from 0.
    pub fn counts(&self, index: Symbol, access: AccessText) -> bool {
        let from_zero = self.ends(index).is_some_and(|(low, _)| low == Affine::default());
        let itself = |form: &Affine| form.as_variable().is_some_and(|name| **name == *index.as_str());
        from_zero && matches!(self.access(access), Some([form]) if itself(form))
    }

    /// The index with which the range of `index` grows by one value at its end, and on which `free` does not depend.
    pub fn grows_with(&self, index: Symbol, free: &BTreeSet<Symbol>) -> Option<Name> {
        let (low, high) = self.ends(index)?;
        let fits = |other: &&FrameIndex| {
            let grows = high.coefficient(&other.name) == 1 && low.coefficient(&other.name) == 0;
            grows && self.starts_whole(&(high.clone() - low.clone() + Affine::constant(1)), other)
        };
        let mut others = self.indices.iter().filter(fits);
        let found = others.find(|other| !free.contains(&Symbol::from(&*other.name)))?;
        Some(found.name.clone())
    }

    /// Whether `count` is not below 0 at the first value of an index, so that each further one adds one term.
    fn starts_whole(&self, count: &Affine, with: &FrameIndex) -> bool {
        let first = self.ends(symbol(&with.name)).map(|(low, _)| BTreeMap::from([(with.name.clone(), low)]));
        first.is_some_and(|first| self.is_never_negative(&count.substitute(&first)))
    }

    /// Pairs of indices `(i, k)` such that the access is the same at `i + 1, k - 1`; of those that stand in one form with the same
    /// coefficient somewhere, since no term that slides depends on two others.
    pub fn sliding(&self, access: AccessText) -> BTreeSet<(Symbol, Symbol)> {
        let forms = self.access(access).unwrap_or_default();
        let row = |index: Symbol| -> Vec<i64> {
            let index = name(index.as_str());
            forms.iter().map(|form| form.coefficient(&index)).collect()
        };
        self.all_sliding().into_iter().filter(|(one, other)| row(*one) == row(*other)).collect()
    }

    /// All pairs of different indices that stand in one form with the same coefficient somewhere.
    pub fn all_sliding(&self) -> BTreeSet<(Symbol, Symbol)> {
        self.together.clone().unwrap_or_default()
    }

    fn pairs(&self) -> impl Iterator<Item = (&Name, &Name)> {
        let names = || self.indices.iter().map(|index| &index.name);
        names().flat_map(move |one| names().filter(move |other| *other != one).map(move |other| (one, other)))
    }

    /// The two indices of one axis whose exchange makes one access of the other.
    pub fn swapped(&self, one: AccessText, other: AccessText) -> Option<(Name, Name)> {
        let (one, other) = (self.access(one)?, self.access(other)?);
        let same_axis = |i: &Name, k: &Name| {
            let (i, k) = (self.index(i), self.index(k));
            i.zip(k).is_some_and(|(i, k)| i.axis == k.axis && i.range.substitute(&image(&i.name, &k.name)) == k.range)
        };
        let exchanged = |i: &Name, k: &Name| {
            let both = BTreeMap::from([(i.clone(), Affine::variable(k)), (k.clone(), Affine::variable(i))]);
            one.iter().map(|form| form.substitute(&both)).eq(other.iter().cloned())
        };
        let used = |i: &Name, k: &Name| {
            one.iter().any(|form| form.mentions([i])) && other.iter().any(|form| form.mentions([k]))
        };
        let mut found = self.pairs().filter(|(i, k)| used(i, k) && same_axis(i, k) && exchanged(i, k));
        found.next().map(|(i, k)| (i.clone(), k.clone()))
    }
}

fn image(from: &Name, to: &Name) -> BTreeMap<Name, Affine> {
    BTreeMap::from([(from.clone(), Affine::variable(to))])
}

fn symbol(name: &Name) -> Symbol {
    Symbol::from(&**name)
}
