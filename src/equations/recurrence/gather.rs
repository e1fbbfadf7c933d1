//! Equations whose target mentions reduced indices, such as `c[i + j] = sum(i, j) a[i] * b[j]`, in ordinary form.
//!
//! In: any equation. Out: one with the same meaning in which only free indices occur in the target. A subscript that
//! mentions a reduced index becomes a fresh free index over the whole extent, and the innermost reduced index in it is
//! bound to the fibre: `c[@0] = sum(i) sum(j in @0-i..@0-i+1) a[i] * b[j]`. Elements with an empty fibre get the neutral
//! value.

use super::{Domain, Equation, Expr, Tensor};
use std::collections::BTreeMap;
use systole_base::integer::{Affine, Name, Polyhedron, name};

/// The reduction indices around the whole right-hand side that the target mentions, outermost first.
pub fn scattered_indices(equation: &Equation) -> Vec<Name> {
    let outer = outer_reductions(&equation.value);
    outer.into_iter().filter(|index| equation.subscripts.iter().any(|form| form.mentions([index]))).collect()
}

/// The indices that the reductions around the whole expression bind, outermost first.
pub fn outer_reductions(value: &Expr) -> Vec<Name> {
    let mut indices = vec![];
    let mut value = value;
    while let Expr::Reduce { index, body, .. } = value {
        indices.push(index.clone());
        value = body;
    }
    indices
}

/// The equation with a target of free indices only; `target` is the tensor it defines.
pub fn gather(equation: &Equation, target: &Tensor) -> Equation {
    let scattered = scattered_indices(equation);
    if scattered.is_empty() {
        return equation.clone();
    }
    let mut gathered = equation.clone();
    let mut fibres: BTreeMap<Name, Vec<Affine>> = BTreeMap::new();
    for (position, subscript) in equation.subscripts.iter().enumerate() {
        let Some(innermost) = scattered.iter().rfind(|index| subscript.mentions([*index])) else { continue };
        let element = name(&format!("@{position}"));
        let variable = Affine::variable(&element);
        let distance = subscript.clone() - variable.clone();
        fibres.entry(innermost.clone()).or_default().extend([distance.clone(), -distance]);
        let extent = target.shape.get(position).cloned().unwrap_or_default();
        gathered.domain = extend(&gathered.domain, element, extent);
        gathered.subscripts[position] = variable;
    }
    gathered.value = restrict(&equation.value, &fibres);
    gathered
}

/// The domain with one more index over `0 <= index < extent`.
fn extend(domain: &Domain, index: Name, extent: Affine) -> Domain {
    let variable = Affine::variable(&index);
    let range = Polyhedron::new([variable.clone(), extent - variable - Affine::constant(1)]);
    let indices = domain.indices.iter().cloned().chain([index]).collect();
    Domain { indices, set: domain.set.intersect(&range) }
}

/// The reductions with the fibres' constraints added to their ranges.
fn restrict(value: &Expr, fibres: &BTreeMap<Name, Vec<Affine>>) -> Expr {
    let Expr::Reduce { operator, index, range, body, span } = value else { return value.clone() };
    let extra = Polyhedron::new(fibres.get(index).into_iter().flatten().cloned());
    Expr::Reduce {
        operator: *operator,
        index: index.clone(),
        range: range.intersect(&extra),
        body: Box::new(restrict(body, fibres)),
        span: *span,
    }
}
