//! What equations say of elements, and terms with a form in place of an index.
//!
//! In: terms that the writer of a kernel's equations notes in a [`Frame`]: what the equation of a tensor that needs itself says of the
//! elements that others read, and what an output's equation says of elements that it may meet on the way. Out: what `(defined X g)` and
//! `(pick s k g e)` fold to, and the conditions of the laws that use them. Invariant: an element is earlier than another one only
//! where the ranges of the indices imply it, in one order of the elements, so that no element is ever computed from itself. Paper: Burstall and
//! Darlington 1977, sections 2 and 3.

use super::analysis::{Graph, access_of, bound_indices, name_of};
use super::context::access_text;
use super::frame::Frame;
use super::language::{AccessText, Term};
use crate::integer::{Affine, Name, Polyhedron};
use egg::{Id, Language, RecExpr, Symbol};
use std::collections::{BTreeMap, BTreeSet};

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
pub(super) enum Order {
    /// From the least subscripts on.
    Forward,
    /// From the greatest ones on.
    Backward,
}

/// What an equation says of all elements of a tensor.
#[derive(Clone, Debug)]
pub(super) struct WholeDefinition<'a> {
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
    pub(super) fn definitions(&self) -> Vec<WholeDefinition<'_>> {
        let whole = |(tensor, access): (&Symbol, &AccessText)| {
            let order = self.definitions.results.get(tensor).map(|element| element.order);
            let indices = plain_indices(self.access(*access)?)?;
            Some(WholeDefinition { tensor: *tensor, indices, term: self.definition(*tensor, *access)?, order })
        };
        self.definitions.wholes.iter().filter_map(whole).collect()
    }

    /// Terms `(defined X g)` of elements of what is being computed that may be met on the way.
    pub(super) fn foldable(&self) -> Vec<RecExpr<Term>> {
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
    fn surroundings<'a>(&self, forms: impl Iterator<Item = &'a Affine>) -> Polyhedron {
        let forms: Vec<&Affine> = forms.collect();
        let occurs = |index: &&super::frame::FrameIndex| forms.iter().any(|form| form.mentions([&index.name]));
        let mut open: Vec<Symbol> =
            self.indices().iter().filter(occurs).map(|index| Symbol::from(&*index.name)).collect();
        let (mut met, mut set) = (BTreeSet::new(), Polyhedron::sizes(self.parameters()));
        while let Some(index) = open.pop() {
            if met.insert(index) {
                open.extend(self.range_depends(index));
                set = self.index(index.as_str()).map_or_else(|| set.clone(), |index| set.intersect(&index.range));
            }
        }
        set
    }

    /// Whether the second form is the index itself, and the first one, which does not depend on it, always one of its values.
    pub fn picks(&self, index: Symbol, value: AccessText, itself: AccessText) -> bool {
        let (Some([value]), Some([itself])) = (self.access(value), self.access(itself)) else { return false };
        let is_index = itself.as_variable().is_some_and(|name| **name == *index.as_str());
        is_index && self.is_value(index, value)
    }

    fn is_value(&self, index: Symbol, value: &Affine) -> bool {
        let Some(index) = self.index(index.as_str()).filter(|index| !value.mentions([&index.name])) else {
            return false;
        };
        let image = BTreeMap::from([(index.name.clone(), value.clone())]);
        let within = index.range.substitute(&image);
        let around = self.surroundings(within.constraints().iter().chain([value]));
        within.constraints().iter().all(|form| around.implies(form))
    }

    /// Notes each access map with each form in place of each index that has its value, as far as both stand alone somewhere.
    pub(super) fn add_picked(&mut self) {
        for (access, index, form, forms) in self.picks_of_accesses() {
            let picked = self.add_access(&forms);
            self.picked.insert((access, index, form), picked);
        }
    }

    fn picks_of_accesses(&self) -> Vec<(AccessText, Symbol, AccessText, Vec<Affine>)> {
        let alone = |(text, forms): (&AccessText, &Vec<Affine>)| match forms.as_slice() {
            [form] => Some((*text, form.clone())),
            _ => None,
        };
        let alone: Vec<(AccessText, Affine)> = self.accesses.iter().filter_map(alone).collect();
        let indices = alone.iter().filter_map(|(_, form)| form.as_variable());
        let mut found = vec![];
        for index in indices.filter(|index| self.index(index).is_some()) {
            let symbol = Symbol::from(&**index);
            for (text, value) in alone.iter().filter(|(_, value)| self.is_value(symbol, value)) {
                let image = BTreeMap::from([(index.clone(), value.clone())]);
                let mentioning =
                    self.accesses.iter().filter(|(_, forms)| forms.iter().any(|form| form.mentions([index])));
                found.extend(mentioning.map(|(access, forms)| {
                    let forms = forms.iter().map(|form| form.substitute(&image)).collect();
                    (*access, symbol, *text, forms)
                }));
            }
        }
        found
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

/// What a node `(defined X g)` or `(pick s k g e)` is; `None` where that is not known.
pub(super) fn folded_element(graph: &Graph, node: &Term) -> Option<RecExpr<Term>> {
    match node {
        Term::Defined([tensor, access]) => {
            let element = (name_of(graph, *tensor)?, access_of(graph, *access)?);
            graph.analysis.context.frame.definition(element.0, element.1).cloned()
        }
        Term::Pick([_, index, form, value]) => {
            let mut picker = Picker {
                graph,
                index: name_of(graph, *index)?,
                form: access_of(graph, *form)?,
                term: RecExpr::default(),
            };
            let root = picker.picked(*value)?;
            Some(picker.term[root].build_recexpr(|id| picker.term[id].clone()))
        }
        _ => None,
    }
}

/// Puts a form in place of an index.
struct Picker<'a> {
    graph: &'a Graph,
    index: Symbol,
    form: AccessText,
    term: RecExpr<Term>,
}

impl Picker<'_> {
    fn same(&mut self, id: Id) -> Id {
        let mut places = vec![];
        for node in self.graph.id_to_expr(id).as_ref() {
            let node = node.clone().map_children(|child| places[usize::from(child)]);
            places.push(self.term.add(node));
        }
        places.last().copied().unwrap_or_default()
    }

    /// The term that was first added as `id`, with the form in place of the index.
    fn picked(&mut self, id: Id) -> Option<Id> {
        if !self.graph[id].data.free.contains(&self.index) {
            return Some(self.same(id));
        }
        let frame = &self.graph.analysis.context.frame;
        let node = self.graph.id_to_node(id).clone();
        match &node {
            Term::Access(access) => {
                let access = *frame.picked.get(&(*access, self.index, self.form))?;
                Some(self.term.add(Term::Access(access)))
            }
            Term::Reduce([space, operator, bound, body]) => {
                // Another range would need another index, and so would a form with the index that is bound.
                let bounds = bound_indices(self.graph, *bound);
                let within = frame.access(self.form)?;
                let meets = |index: &Symbol| {
                    frame.range_depends(*index).contains(&self.index)
                        || within.iter().any(|form| form.mentions([&Name::from(index.as_str())]))
                };
                if bounds.is_empty() || bounds.iter().any(meets) {
                    return None;
                }
                let [space, operator, bound] = [space, operator, bound].map(|part| self.same(*part));
                let body = self.picked(*body)?;
                Some(self.term.add(Term::Reduce([space, operator, bound, body])))
            }
            Term::At(_) | Term::Index(_) | Term::Other(..) => {
                let children = node.children().iter().map(|child| self.picked(*child)).collect::<Option<Vec<Id>>>()?;
                let mut children = children.into_iter();
                Some(self.term.add(node.clone().map_children(|child| children.next().unwrap_or(child))))
            }
            _ => None,
        }
    }
}
