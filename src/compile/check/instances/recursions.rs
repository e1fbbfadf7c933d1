//! Random frames with tensors that equations define, for instances of laws that speak of them.
//!
//! In: a random space. Out: the same with two more indices, `w` before the first index and `v` not behind it, or the other way round, and the definitions over its
//! frame of a tensor `Y` that needs its elements before, and of what is computed from it, `X`. Of `Y` only the equation at the first index
//! is written out; of `X` those at all three, of which one alone is earlier at every point.

use crate::rewrite::registry::Frame;
use crate::rewrite::terms::Term;
use egg::RecExpr;
use std::collections::BTreeMap;
use systole_base::integer::{Affine, Name, Polyhedron, name};
use systole_equations::recurrence::{Operand, Space};

const RECURSIVE: &str = "Y";

const RESULT: &str = "X";

/// The indices that are added, and how far from the first one each stays.
const ADDED: [(&str, i64); 2] = [("w", 1), ("v", 0)];

/// A space with the indices of the recursion, and with the elements that laws may speak of.
pub(super) fn with_recursion(mut space: Space) -> Space {
    let Some(first) = space.domain.indices.first().cloned() else { return space };
    let others: Vec<Name> = space.domain.indices[1..].to_vec();
    let sides: Vec<Affine> = space.domain.set.constraints().to_vec();
    let sides = sides.into_iter().filter(|form| form.mentions([&first]) && !form.mentions(&others));
    let range = Polyhedron::new(sides);
    let known = [RECURSIVE, RESULT].map(name);
    space.operands.retain(|operand| !known.contains(&operand.tensor));
    let is_backward = space.operands.len() % 2 == 1;
    for (text, back) in ADDED {
        let index = name(text);
        let image = BTreeMap::from([(first.clone(), Affine::variable(&index))]);
        let before = Affine::variable(&first) - Affine::variable(&index);
        let before = if is_backward { -before } else { before } - Affine::constant(back);
        range
            .substitute(&image)
            .constraints()
            .iter()
            .cloned()
            .chain([before])
            .for_each(|form| space.domain.set.add(form));
        if !space.domain.indices.contains(&index) {
            space.domain.indices.push(index);
        }
    }
    let read = |tensor: &str, index: &Name| Operand {
        tensor: name(tensor),
        access: vec![Affine::variable(index)],
        span: space.span,
    };
    let indices: Vec<Name> = std::iter::once(first).chain(ADDED.map(|(text, _)| name(text))).collect();
    let all = indices.iter().flat_map(|index| [RECURSIVE, RESULT].map(|tensor| read(tensor, index)));
    let all: Vec<Operand> = all.collect();
    space.operands.extend(all);
    space
}

/// Notes the definitions in the frame of a space that has the indices of the recursion.
pub(super) fn define_recursion(frame: &mut Frame, space: &Space) {
    let indices = space.indices();
    let (Some(first), true) = (indices.first(), indices.contains(&name(ADDED[0].0))) else { return };
    let own = [Affine::variable(first)];
    let term = recursion(&space.name, first, ADDED[0].0);
    frame.define(&name(RECURSIVE), &own, term);
    let domain = frame.index(first).map(|index| index.range.clone()).unwrap_or_default();
    frame.compute(&name(RESULT), &own, &domain);
    let is_free = |index: &&Name| {
        let depends = frame.range_depends(egg::Symbol::from(&***index));
        **index != *first && depends.is_empty() && !ADDED.iter().any(|(text, _)| ***index == **text)
    };
    let over = indices.iter().find(is_free).cloned();
    for index in std::iter::once(first.clone()).chain(ADDED.map(|(text, _)| name(text))) {
        let term = result(&space.name, &index, over.as_ref());
        frame.define(&name(RESULT), &[Affine::variable(&index)], term);
    }
}

fn parsed(text: &str) -> RecExpr<Term> {
    text.parse().unwrap_or_else(|_| RecExpr::from(vec![Term::End]))
}

/// `Y[i] = A[i] - sum(w) B[w] * Y[w]`.
fn recursion(frame: &str, first: &str, before: &str) -> RecExpr<Term> {
    parsed(&format!("(sub (at A [{first}]) (reduce {frame} sum {before} (mul (at B [{before}]) (at Y [{before}]))))"))
}

/// `X[i] = B[i] + Y[i]`, or `sum(k) A[k, i] * Y[i]` where there is another index.
fn result(frame: &str, index: &str, over: Option<&Name>) -> RecExpr<Term> {
    match over {
        Some(over) => parsed(&format!("(reduce {frame} sum {over} (mul (at A [{over},{index}]) (at Y [{index}])))")),
        None => parsed(&format!("(add (at B [{index}]) (at Y [{index}]))")),
    }
}
