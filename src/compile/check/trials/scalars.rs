//! Rules of scalar functions alone, as the solver takes them.
//!
//! In: a [`Rule`]. Out: both sides over numbered operands, one for each variable; `None` where a side speaks of more than functions and
//! numbers.

use crate::rewrite::rules::Rule;
use crate::rewrite::terms::Term;
use egg::{ENodeOrVar, Id, PatternAst};
use systole_base::scalar::Function;
use systole_equations::recurrence::Scalar;

/// The sides of a rule that holds at each point by itself.
pub fn scalar_sides(rule: &Rule) -> Option<[Scalar; 2]> {
    let mut names = vec![];
    let left = scalar(&rule.left, rule.left.root(), &mut names)?;
    Some([left, scalar(&rule.right, rule.right.root(), &mut names)?])
}

fn scalar(pattern: &PatternAst<Term>, id: Id, names: &mut Vec<String>) -> Option<Scalar> {
    match &pattern[id] {
        ENodeOrVar::Var(variable) => {
            let name = variable.to_string();
            let position = names.iter().position(|known| *known == name).unwrap_or(names.len());
            if position == names.len() {
                names.push(name);
            }
            Some(Scalar::Operand(position))
        }
        ENodeOrVar::ENode(Term::Number(literal)) => Some(Scalar::Number(literal.value())),
        ENodeOrVar::ENode(Term::Other(word, children)) if !children.is_empty() => {
            let parts = children.iter().map(|child| scalar(pattern, *child, names)).collect::<Option<_>>()?;
            Some(Scalar::Apply(Function::from_keyword(word.as_str())?, parts))
        }
        ENodeOrVar::ENode(_) => None,
    }
}
