//! Reductions over the values of an index at which a condition holds.
//!
//! In: a [`Frame`] that knows indices for parts of others' ranges, terms over it. Out: what `(where s o k c e)` folds to: the reduction over the
//! index that has just these values, with it in place of `k`. Where no index has them, the node stays as it is.

use super::context::access_text;
use super::frame::Frame;
use super::picks::picked;
use crate::rewrite::saturation::{Graph, access_of, name_of};
use crate::rewrite::terms::Term;
use egg::{Id, Language, RecExpr, Symbol};
use systole_base::integer::{Affine, Name};

impl Frame {
    /// Notes an index whose values are those of another one at which `form` is not below 0.
    pub fn note_within(&mut self, index: &Name, form: &Affine, part: &Name) {
        let key = (Symbol::from(&**index), self.add_access(std::slice::from_ref(form)));
        self.add_access(&[Affine::variable(part)]);
        self.within.insert(key, Symbol::from(&**part));
    }

    fn within(&self, index: Symbol, form: &Affine) -> Option<Symbol> {
        self.within.get(&(index, access_text(std::slice::from_ref(form)))).copied()
    }
}

/// The form that is not below 0 where a comparison of two forms of indices holds.
pub(crate) fn compared(word: &str, left: &Affine, right: &Affine) -> Option<Affine> {
    match word {
        "le" => Some(right.clone() - left.clone()),
        "lt" => Some(right.clone() - left.clone() - Affine::constant(1)),
        _ => None,
    }
}

/// The reduction over the index that has the values at which the condition holds, where the node is `(where s o k c e)` and there is one.
pub(crate) fn folded_where(graph: &Graph, node: &Term) -> Option<RecExpr<Term>> {
    let Term::Where([space, operator, index, condition, body]) = node else { return None };
    let [space, operator, index] = [space, operator, index].map(|leaf| name_of(graph, *leaf));
    let index = index?;
    let part = conditions(graph, *condition).find_map(|form| graph.analysis.context.frame.within(index, &form))?;
    let body = if part == index {
        graph.id_to_expr(*body)
    } else {
        picked(graph, index, access_text(&[Affine::variable(&Name::from(part.as_str()))]), *body)?
    };
    let mut term = body;
    let body = term.root();
    let [space, operator, part] = [space?, operator?, part].map(|leaf| term.add(Term::name(leaf.as_str())));
    term.add(Term::Reduce([space, operator, part, body]));
    Some(term)
}

/// What the comparisons of forms in a class say.
fn conditions(graph: &Graph, class: Id) -> impl Iterator<Item = Affine> + '_ {
    graph[class].nodes.iter().filter_map(|node| match node {
        Term::Other(word, _) => {
            let [left, right] = node.children() else { return None };
            compared(word.as_str(), &form(graph, *left)?, &form(graph, *right)?)
        }
        _ => None,
    })
}

/// The form of the indices in a class.
fn form(graph: &Graph, class: Id) -> Option<Affine> {
    graph[class].nodes.iter().find_map(|node| match node {
        Term::Index(access) => match graph.analysis.context.frame.access(access_of(graph, *access)?)? {
            [form] => Some(form.clone()),
            _ => None,
        },
        Term::Number(number) if number.value().fract() == 0.0 && number.value().abs() < 1e9 => {
            Some(Affine::constant(number.value() as i64))
        }
        _ => None,
    })
}
