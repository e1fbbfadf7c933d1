//! What equations say of elements.
//!
//! In: terms that the writer of a kernel's equations notes in a [`Frame`]: what the equation of a tensor that needs itself says of the
//! elements that others read, and what an output's equation says of elements that it may meet on the way. Out: what `(defined X g)`
//! folds to, and the conditions of the laws that use it. Invariant: an element is earlier than another one only
//! where the ranges of the indices imply it, in one order of the elements, so that no element is ever computed from itself. Paper: Burstall and
//! Darlington 1977, sections 2 and 3.

use super::context::access_text;
use super::frame::Frame;
use crate::rewrite::saturation::{Graph, access_of, name_of};
use crate::rewrite::terms::{AccessText, Term};
use egg::{RecExpr, Symbol};
use std::collections::{BTreeMap, BTreeSet};
use systole_base::integer::{Affine, Name, Polyhedron};

/// What equations say of elements.
#[derive(Clone, Debug, Default)]
pub struct Definitions {
    terms: BTreeMap<(Symbol, AccessText), RecExpr<Term>>,
    /// Tensors whose own equation is being rewritten.
    results: BTreeMap<Symbol, Element>,
    /// The element by whose term those of a tensor are known: an index for each subscript.
    wholes: BTreeMap<Symbol, AccessText>,
}

/// The element that an equation is about: an index for each subscript, its points, and the order in which elements are computed.
#[derive(Clone, Debug)]
struct Element {
    subscripts: Vec<Affine>,
    domain: Polyhedron,
    order: Order,
}

/// The lexicographic order of subscripts, or the reverse of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Order {
    /// From the least subscripts on.
    Forward,
    /// From the greatest ones on.
    Backward,
}

/// What an equation says of all elements of a tensor.
#[derive(Clone, Debug)]
pub(crate) struct WholeDefinition<'a> {
    /// The tensor.
    pub tensor: Symbol,
    /// The index of each subscript.
    pub indices: Vec<Name>,
    /// What the element is.
    pub term: &'a RecExpr<Term>,
    /// The order in which elements come, where it is what is being computed: there are but those before.
    pub order: Option<Order>,
}

impl Frame {
    /// Notes what the equation of a tensor says of the element with these subscripts. The first one with an index for each tells all of them.
    pub fn define(&mut self, tensor: &Name, subscripts: &[Affine], term: RecExpr<Term>) {
        let (tensor, access) = (Symbol::from(&**tensor), self.add_access(subscripts));
        if plain_indices(subscripts).is_some() {
            self.definitions.wholes.entry(tensor).or_insert(access);
        }
        self.definitions.terms.insert((tensor, access), term);
    }

    /// Notes that a tensor is what is being computed, element by element.
    pub fn compute(&mut self, tensor: &Name, subscripts: &[Affine], domain: &Polyhedron) {
        let (subscripts, domain) = (subscripts.to_vec(), domain.clone());
        let element = Element { subscripts, domain, order: Order::Forward };
        self.definitions.results.insert(Symbol::from(&**tensor), element);
    }

    /// Whether a tensor is what is being computed, element by element.
    pub fn is_computed(&self, tensor: &Name) -> bool {
        self.definitions.results.contains_key(&Symbol::from(&**tensor))
    }

    /// What the equation of a tensor says of the element with these subscripts, where that is written out.
    pub fn definition_of(&self, tensor: &Name, subscripts: &[Affine]) -> Option<&RecExpr<Term>> {
        self.definition(Symbol::from(&**tensor), access_text(subscripts))
    }

    /// What the equation of a tensor says of an element, where that is written out.
    pub fn definition(&self, tensor: Symbol, access: AccessText) -> Option<&RecExpr<Term>> {
        self.definitions.terms.get(&(tensor, access))
    }

    /// The definitions of all tensors that have one.
    pub(crate) fn definitions(&self) -> Vec<WholeDefinition<'_>> {
        let whole = |(tensor, access): (&Symbol, &AccessText)| {
            let order = self.definitions.results.get(tensor).map(|element| element.order);
            let indices = plain_indices(self.access(*access)?)?;
            Some(WholeDefinition { tensor: *tensor, indices, term: self.definition(*tensor, *access)?, order })
        };
        self.definitions.wholes.iter().filter_map(whole).collect()
    }

    /// Terms `(defined X g)` of elements of what is being computed that may be met on the way.
    pub(crate) fn foldable(&self) -> Vec<RecExpr<Term>> {
        let is_result = |(tensor, _): &&(Symbol, AccessText)| self.definitions.results.contains_key(tensor);
        let term = |(tensor, access): &(Symbol, AccessText)| {
            let mut term = RecExpr::default();
            let children = [term.add(Term::name(tensor.as_str())), term.add(Term::Access(*access))];
            term.add(Term::Defined(children));
            term
        };
        self.definitions.terms.keys().filter(is_result).map(term).collect()
    }

    /// Whether the tensor needs itself, and what its equation says of the element is written out.
    pub fn recurs(&self, tensor: Symbol, access: AccessText) -> bool {
        self.definition(tensor, access).is_some() && !self.definitions.results.contains_key(&tensor)
    }

    /// Computes each tensor backward where that alone brings some of the elements before that its equation may meet.
    pub(super) fn choose_orders(&mut self) {
        let results: Vec<Symbol> = self.definitions.results.keys().copied().collect();
        for tensor in results {
            let accesses = self.definitions.terms.keys().filter(|(known, _)| *known == tensor);
            let meets = |order: Order| accesses.clone().any(|(_, access)| self.precedes(tensor, *access, order));
            let is_backward = !meets(Order::Forward) && meets(Order::Backward);
            if let Some(element) = self.definitions.results.get_mut(&tensor).filter(|_| is_backward) {
                element.order = Order::Backward;
            }
        }
    }

    /// Whether the element with this access comes before the one that the tensor's equation is about.
    pub fn is_earlier(&self, tensor: Symbol, access: AccessText) -> bool {
        let order = self.definitions.results.get(&tensor).map(|element| element.order);
        order.is_some_and(|order| self.precedes(tensor, access, order))
    }

    fn precedes(&self, tensor: Symbol, access: AccessText, order: Order) -> bool {
        let known = self.definitions.results.get(&tensor).zip(self.access(access));
        let Some((own, forms)) = known.filter(|(own, forms)| own.subscripts.len() == forms.len()) else { return false };
        let Some(indices) = plain_indices(&own.subscripts) else { return false };
        let image: BTreeMap<Name, Affine> = indices.into_iter().zip(forms.iter().cloned()).collect();
        let around = self.surroundings(own.subscripts.iter().chain(forms));
        let is_there = own.domain.substitute(&image).constraints().iter().all(|form| around.implies(form));
        is_there
            && match order {
                Order::Forward => precedes(forms, &own.subscripts, &around),
                Order::Backward => precedes(&own.subscripts, forms, &around),
            }
    }

    /// What the ranges of all indices say that these forms depend on, with those on which these ranges depend.
    pub(crate) fn surroundings<'a>(&self, forms: impl Iterator<Item = &'a Affine>) -> Polyhedron {
        let forms: Vec<&Affine> = forms.collect();
        let occurs = |index: &&super::frame::FrameIndex| forms.iter().any(|form| form.mentions([&index.name]));
        let mut open: Vec<Symbol> =
            self.indices().iter().filter(occurs).map(|index| Symbol::from(&*index.name)).collect();
        let (mut met, mut set) = (BTreeSet::new(), Polyhedron::at_least_one(self.parameters()));
        while let Some(index) = open.pop() {
            if met.insert(index) {
                open.extend(self.range_depends(index));
                set = self.index(index.as_str()).map_or_else(|| set.clone(), |index| set.intersect(&index.range));
            }
        }
        set
    }
}

/// The indices of an access map with another one for each subscript.
fn plain_indices(subscripts: &[Affine]) -> Option<Vec<Name>> {
    let indices: Vec<Name> = subscripts.iter().map(|form| form.as_variable().cloned()).collect::<Option<_>>()?;
    let distinct: BTreeSet<&Name> = indices.iter().collect();
    (distinct.len() == indices.len()).then_some(indices)
}

/// Whether one list of forms comes before another one in lexicographic order: the first that differs is less, at all points.
fn precedes(one: &[Affine], other: &[Affine], around: &Polyhedron) -> bool {
    let mut pairs = one.iter().zip(other).skip_while(|(one, other)| one == other);
    pairs.next().is_some_and(|(one, other)| around.implies(&(other.clone() - one.clone() - Affine::constant(1))))
}

/// What the equation of the tensor says, where the node is `(defined X g)` of an element for which it is written out.
pub(crate) fn folded_definition(graph: &Graph, node: &Term) -> Option<RecExpr<Term>> {
    let Term::Defined([tensor, access]) = node else { return None };
    let element = (name_of(graph, *tensor)?, access_of(graph, *access)?);
    graph.analysis.context.frame.definition(element.0, element.1).cloned()
}
