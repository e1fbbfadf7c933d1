//! Terms in the notation of kernels.
//!
//! In: a term, the definitions of the user. Out: text such as `sum(j) P[i, j] * V[j, d]`, in which what a definition of the user says
//! stands as its tensor. For readers alone: nothing reads it back.

use super::written::Root;
use crate::integer::{Affine, Name};
use crate::recurrence::{Function, Operator};
use crate::rewrite::{Id, Language, RecExpr, Step, Term};
use std::collections::BTreeMap;

/// What the user's definitions call their terms.
pub(super) type Known = BTreeMap<String, String>;

/// The texts of all terms that a definition names.
pub(super) fn known(definitions: &[Root]) -> Known {
    let named = |definition: &Root| (definition.term.to_string(), element(&definition.target, &definition.subscripts));
    definitions.iter().map(named).collect()
}

fn element(tensor: &Name, subscripts: &[Affine]) -> String {
    let list: Vec<String> = subscripts.iter().map(Affine::to_string).collect();
    if list.is_empty() { tensor.to_string() } else { format!("{tensor}[{}]", list.join(", ")) }
}

/// The step with its terms in the notation of kernels; as it is where they are none.
pub(super) fn in_mathematics(step: &Step, known: &Known) -> Step {
    let text = |term: &str| term.parse().map_or_else(|_| term.to_owned(), |term: RecExpr<Term>| show(&term, known));
    Step { before: text(&step.before), after: text(&step.after), ..step.clone() }
}

/// A term whose outermost operator is shown even where a definition names it.
fn show(term: &RecExpr<Term>, known: &Known) -> String {
    Notation { term, known }.node(term.root())
}

struct Notation<'a> {
    term: &'a RecExpr<Term>,
    known: &'a Known,
}

impl Notation<'_> {
    fn part(&self, id: Id) -> String {
        let below = Language::build_recexpr(&self.term[id], |child| self.term[child].clone());
        self.known.get(&below.to_string()).cloned().unwrap_or_else(|| self.node(id))
    }

    /// A part in brackets unless it is an element, a number or a call.
    fn operand(&self, id: Id) -> String {
        let text = self.part(id);
        let is_open = text.contains(' ') && !is_bracketed(&text);
        if is_open { format!("({text})") } else { text }
    }

    fn node(&self, id: Id) -> String {
        let text = |id: Id| self.term[id].to_string();
        match &self.term[id] {
            Term::At([tensor, access]) => text(*tensor) + &spaced(&text(*access)),
            Term::Index(access) => text(*access).trim_matches(['[', ']']).to_owned(),
            Term::Count([_, index]) => format!("count({})", text(*index)),
            Term::Reduce([_, operator, index, body]) => self.reduction(&text(*operator), &self.bound(*index), *body),
            Term::Paired([_, operator, index, body]) => {
                format!("pairwise {}", self.reduction(&text(*operator), &text(*index), *body))
            }
            Term::Running([_, operator, index, body]) => {
                format!("running {}", self.reduction(&text(*operator), &text(*index), *body))
            }
            Term::Sliding([_, index, body]) => format!("sliding {}", self.reduction("sum", &text(*index), *body)),
            Term::Pair([first, rest]) => {
                format!("({}, {})", self.part(*first), self.part(*rest).trim_matches(['(', ')']))
            }
            Term::Part([number, tuple]) => format!("{}.{}", self.operand(*tuple), text(*number)),
            Term::Other(word, children) if !children.is_empty() => self.apply(word.as_str(), children),
            node if Language::is_leaf(node) => node.to_string(),
            node => {
                let children: Vec<String> = Language::children(node).iter().map(|child| self.part(*child)).collect();
                format!("{node}({})", children.join(", "))
            }
        }
    }

    /// What a reduction binds: an index, or those in place of one.
    fn bound(&self, id: Id) -> String {
        match &self.term[id] {
            Term::Both([outer, inner]) => format!("{}, {}", self.bound(*outer), self.bound(*inner)),
            Term::Turned([index, first]) => format!("{} from {}", self.bound(*index), self.bound(*first)),
            leaf => leaf.to_string(),
        }
    }

    fn reduction(&self, operator: &str, index: &str, body: Id) -> String {
        let built_in = Operator::from_keyword(operator).is_some();
        let body = if built_in { self.operand(body) } else { self.part(body) };
        format!("{operator}({index}) {body}")
    }

    fn apply(&self, word: &str, children: &[Id]) -> String {
        let sign = match Function::from_keyword(word) {
            Some(Function::Add) => "+",
            Some(Function::Subtract) => "-",
            Some(Function::Multiply) => "*",
            Some(Function::Divide) => "/",
            _ => "",
        };
        match children {
            [left, right] if !sign.is_empty() => format!("{} {sign} {}", self.operand(*left), self.operand(*right)),
            _ => {
                let list: Vec<String> = children.iter().map(|child| self.part(*child)).collect();
                format!("{word}({})", list.join(", "))
            }
        }
    }
}

/// Whether the text is one pair of brackets, or a name before one.
fn is_bracketed(text: &str) -> bool {
    let mut depth = 0;
    for (place, letter) in text.char_indices() {
        match letter {
            '(' | '[' => depth += 1,
            ')' | ']' => depth -= 1,
            ' ' if depth == 0 => return false,
            _ => {}
        }
        if depth == 0 && matches!(letter, ')' | ']') && place + 1 < text.len() {
            return false;
        }
    }
    true
}

/// `[i,j-1]` as `[i, j-1]`; nothing for a scalar.
fn spaced(access: &str) -> String {
    if access == "[]" { String::new() } else { access.replace(',', ", ") }
}
