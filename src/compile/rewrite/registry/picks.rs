//! Terms with a form in place of an index.
//!
//! In: a [`Frame`], terms over it. Out: what `(pick s k g e)` folds to, and the condition of the laws that make it. Invariant: a form stands
//! in place of an index only where it is one of its values at every point; where a term has no name for what comes out, nothing does.

use super::frame::Frame;
use crate::rewrite::saturation::{Graph, access_of, bound_indices, name_of};
use crate::rewrite::terms::{AccessText, Term};
use egg::{Id, Language, RecExpr, Symbol};
use std::collections::BTreeMap;
use systole_base::integer::{Affine, Name};

impl Frame {
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

/// The term with the form in place of the index, where the node is `(pick s k g e)` and what comes out can be written.
pub(crate) fn folded_pick(graph: &Graph, node: &Term) -> Option<RecExpr<Term>> {
    let Term::Pick([_, index, form, value]) = node else { return None };
    let index = name_of(graph, *index)?;
    let form = access_of(graph, *form)?;
    picked(graph, index, form, *value)
}

/// The term first added as `value` with the form in place of the index; `None` where there are no names for what comes out.
pub(crate) fn picked(graph: &Graph, index: Symbol, form: AccessText, value: Id) -> Option<RecExpr<Term>> {
    let mut picker = Picker { graph, index, form, term: RecExpr::default() };
    let root = picker.picked(value)?;
    Some(picker.term[root].build_recexpr(|id| picker.term[id].clone()))
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
