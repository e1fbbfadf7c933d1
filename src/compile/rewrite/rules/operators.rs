//! Scalar functions that a rule file declares, written out.
//!
//! In: the operators of a file, a term of it. Out: the term with each operator replaced by what it is short for. Invariant: an operator may
//! use those declared before it and no others, so writing out ends.

use super::rule_text::{FileText, OperatorText, Tree, wrong_at};
use crate::rewrite::terms::arity;
use std::sync::Arc;
use systole_base::diagnostic::{Diagnostic, counted};
use systole_base::span::Source;

/// The file without operators: each is written out wherever it stands.
pub(super) fn written_out(source: &Arc<Source>, file: FileText) -> Result<FileText, Diagnostic> {
    let mut known: Vec<OperatorText> = vec![];
    for operator in file.operators {
        check(source, &operator, &known)?;
        let value = expand(source, &operator.value, &known)?;
        known.push(OperatorText { value, ..operator });
    }
    let (mut rules, mut monoids) = (file.rules, file.monoids);
    for rule in &mut rules {
        rule.left = expand(source, &rule.left, &known)?;
        rule.right = expand(source, &rule.right, &known)?;
    }
    for monoid in &mut monoids {
        if let Tree::List(values, _) = &mut monoid.values {
            for value in values {
                *value = expand(source, value, &known)?;
            }
        }
    }
    Ok(FileText { operators: vec![], rules, monoids })
}

fn check(source: &Arc<Source>, operator: &OperatorText, known: &[OperatorText]) -> Result<(), Diagnostic> {
    let name = &operator.name;
    let is_taken = arity(&name.text).is_some() || known.iter().any(|other| other.name.text == name.text);
    if is_taken {
        let message = format!("there is an operator `{}` already", name.text);
        return Err(wrong_at(source, name.span, message, "give this one another name"));
    }
    match &operator.operands {
        Tree::List(operands, _) if operands.iter().all(|operand| matches!(operand, Tree::Atom(_))) => Ok(()),
        other => Err(wrong_at(source, other.span(), "expected the names of operands in parentheses", "such as (a b)")),
    }
}

fn expand(source: &Arc<Source>, tree: &Tree, known: &[OperatorText]) -> Result<Tree, Diagnostic> {
    let Tree::List(children, span) = tree else { return Ok(tree.clone()) };
    let children = children.iter().map(|child| expand(source, child, known)).collect::<Result<Vec<Tree>, _>>()?;
    let head = children.first().and_then(|head| match head {
        Tree::Atom(token) => known.iter().find(|operator| operator.name.text == token.text),
        Tree::List(..) => None,
    });
    let Some(OperatorText { name, operands: Tree::List(operands, _), value }) = head else {
        return Ok(Tree::List(children, *span));
    };
    if operands.len() + 1 != children.len() {
        let message = format!(
            "operator `{}` takes {}, {} given",
            name.text,
            counted(operands.len(), "argument"),
            children.len() - 1
        );
        return Err(wrong_at(source, *span, message, "wrong number of arguments"));
    }
    Ok(substitute(value, operands, &children[1..]))
}

/// The value with arguments in place of operands.
fn substitute(value: &Tree, operands: &[Tree], arguments: &[Tree]) -> Tree {
    match value {
        Tree::Atom(token) => {
            let is_it = |operand: &Tree| matches!(operand, Tree::Atom(name) if name.text == token.text);
            operands.iter().position(is_it).map_or_else(|| value.clone(), |place| arguments[place].clone())
        }
        Tree::List(children, span) => {
            Tree::List(children.iter().map(|child| substitute(child, operands, arguments)).collect(), *span)
        }
    }
}
