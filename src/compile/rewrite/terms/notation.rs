//! Terms in the notation of kernels.
//!
//! In: a term, and names for some of its parts. Out: text such as `sum(j) P[i, j] * V[j, d]`. For readers alone: nothing reads it back, and
//! what a text says the term says more exactly.

use super::language::Term;
use egg::{Id, Language, RecExpr};
use std::collections::BTreeMap;
use systole_base::scalar::Function;
use systole_equations::recurrence::Operator;

/// What the user's definitions call their terms, by the texts of these.
pub type TermNames = BTreeMap<String, String>;

/// A term with names for its parts.
pub struct Notation<'a> {
    pub(super) term: &'a RecExpr<Term>,
    known: &'a TermNames,
}

impl Notation<'_> {
    /// A term whose outermost operator is shown even where a definition names it; the text itself where it is no term.
    pub fn show(text: &str, known: &TermNames) -> String {
        let shown = |term: RecExpr<Term>| Notation { term: &term, known }.node(term.root());
        text.parse().map_or_else(|_| text.to_owned(), shown)
    }

    /// A part of the term, by its name where it has one.
    pub(super) fn part(&self, id: Id) -> String {
        let below = self.term[id].build_recexpr(|child| self.term[child].clone());
        self.known.get(&below.to_string()).cloned().unwrap_or_else(|| self.node(id))
    }

    /// A part in brackets unless it is an element, a number or a call.
    pub(super) fn operand(&self, id: Id) -> String {
        let text = self.part(id);
        let is_open = text.contains(' ') && !is_bracketed(&text);
        if is_open { format!("({text})") } else { text }
    }

    /// The leaf with this place.
    pub(super) fn text(&self, id: Id) -> String {
        self.term[id].to_string()
    }

    /// An element of a tensor.
    pub(super) fn element(&self, tensor: Id, access: Id) -> String {
        self.text(tensor) + &spaced(&self.text(access))
    }

    fn node(&self, id: Id) -> String {
        match &self.term[id] {
            Term::At([tensor, access]) => self.element(*tensor, *access),
            Term::Defined([tensor, access]) => format!("{} by its equation", self.element(*tensor, *access)),
            Term::Pick([_, index, form, value]) => {
                let form = self.text(*form);
                format!("{} at {} = {}", self.operand(*value), self.text(*index), form.trim_matches(['[', ']']))
            }
            Term::Where([_, operator, index, condition, body]) => {
                let (operator, index) = (self.text(*operator), self.text(*index));
                format!("{operator}({index} where {}) {}", self.part(*condition), self.operand(*body))
            }
            Term::Index(access) => self.text(*access).trim_matches(['[', ']']).to_owned(),
            Term::Count([_, index]) => format!("count({})", self.text(*index)),
            Term::Reduce([_, operator, index, body]) => self.reduction(*operator, *index, *body),
            Term::Paired([_, operator, index, body]) => {
                format!("pairwise {}", self.reduction(*operator, *index, *body))
            }
            Term::Running([_, operator, index, body]) => {
                format!("running {}", self.reduction(*operator, *index, *body))
            }
            Term::Sliding([_, index, body]) => format!("sliding sum({}) {}", self.text(*index), self.operand(*body)),
            Term::Pair([first, rest]) => {
                format!("({}, {})", self.part(*first), self.part(*rest).trim_matches(['(', ')']))
            }
            Term::Part([number, tuple]) => format!("{}.{}", self.operand(*tuple), self.text(*number)),
            Term::Other(word, children) if !children.is_empty() => self.apply(word.as_str(), children),
            node if node.is_leaf() => node.to_string(),
            node => self.moved(id).unwrap_or_else(|| {
                let children: Vec<String> = node.children().iter().map(|child| self.part(*child)).collect();
                format!("{node}({})", children.join(", "))
            }),
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

    fn reduction(&self, operator: Id, index: Id, body: Id) -> String {
        let (operator, index) = (self.text(operator), self.bound(index));
        let built_in = Operator::from_keyword(&operator).is_some();
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
pub(super) fn spaced(access: &str) -> String {
    if access == "[]" { String::new() } else { access.replace(',', ", ") }
}
