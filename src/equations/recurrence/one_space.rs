//! Systems that are one iteration space: one equation, one reduction around a pointwise body.
//!
//! In: a valid system. Out: its [`Space`], or a message that says which spaces the kernel would need. Every element has a point:
//! a reduction that may be empty is none of these, since no point would write its neutral value. What scatters may leave elements
//! without points ([`leaves_elements`]): a systolic scheme recovers these as well, and who has none takes [`super::spaces::cut_spaces`]. Paper: Cyclotron
//! sections 4.1, 4.2 and, for what is refused here, 4.4.

use super::empties::{depends, lines, settle, without_terms};
use super::gather::{gather, scattered_indices};
use super::{Domain, Equation, Expr, Operand, Operator, RecurrenceSystem, Scalar, Space};
use systole_base::diagnostic::{Checked, Diagnostic};
use systole_base::integer::{Affine, Name, Polyhedron};
use systole_base::span::Span;

/// The one space of the system.
pub fn one_space(system: &RecurrenceSystem) -> Checked<Space> {
    let system = &settle(system).system;
    let [equation] = system.equations.as_slice() else {
        return Err(refuse(system, system.equations.last().map(|equation| equation.span)).into());
    };
    let (levels, body) = peel(&equation.value);
    let mut operators: Vec<Operator> = levels.iter().map(|level| level.operator).collect();
    operators.dedup();
    if operators.len() > 1 {
        return Err(
            refuse(system, levels.iter().find(|level| level.operator != operators[0]).map(|level| level.span)).into()
        );
    }
    if let Some(span) = find_inner_reduction(body) {
        return Err(refuse(system, Some(span)).into());
    }
    if let Some(level) = find_dependent(equation, &levels) {
        return Err(refuse(system, Some(level.span)).into());
    }
    if scattered_indices(equation).is_empty() && may_be_empty(system, equation) {
        return Err(refuse(system, levels.first().map(|level| level.span)).into());
    }
    let mut operands = vec![];
    let body = lower_body(body, &mut operands);
    if let Some(own) = operands.iter().find(|operand| operand.tensor == equation.target) {
        return Err(refuse(system, Some(own.span)).into());
    }
    Ok(build_space(system, equation, &levels, body, operands))
}

/// Whether a system of one equation may have elements without terms, at some sizes, which are no points of its space.
pub fn leaves_elements(system: &RecurrenceSystem) -> bool {
    matches!(system.equations.as_slice(), [equation] if may_be_empty(system, equation))
}

/// Whether some element may have no terms at some sizes; what scatters where that cannot be said in linear constraints is taken to have some.
fn may_be_empty(system: &RecurrenceSystem, equation: &Equation) -> bool {
    let Some(target) = system.tensor(&equation.target) else { return false };
    let gathered = gather(equation, target);
    let (set, reduced) = lines(&gathered);
    match without_terms(&gathered.domain, &set, &reduced, &system.parameters) {
        Some(empty) => !empty.is_empty(),
        None => scattered_indices(equation).is_empty(),
    }
}

/// A level whose range depends on one around it, unless the reduction runs over the fibres of its target.
fn find_dependent<'a, 'b>(equation: &Equation, levels: &'a [Level<'b>]) -> Option<&'a Level<'b>> {
    let names: Vec<Name> = levels.iter().map(|level| level.index.clone()).collect();
    let found = levels.iter().enumerate().find(|(depth, level)| depends(level.range, &names[..*depth]));
    found.map(|(_, level)| level).filter(|_| scattered_indices(equation).is_empty())
}

/// One level of the reductions around the right-hand side.
struct Level<'a> {
    operator: Operator,
    index: &'a Name,
    range: &'a Polyhedron,
    span: Span,
}

/// The reductions around the expression, outermost first, and what they enclose.
fn peel(value: &Expr) -> (Vec<Level<'_>>, &Expr) {
    let mut levels = vec![];
    let mut value = value;
    while let Expr::Reduce { operator, index, range, body, span } = value {
        levels.push(Level { operator: *operator, index, range, span: *span });
        value = body;
    }
    (levels, value)
}

fn find_inner_reduction(expression: &Expr) -> Option<Span> {
    match expression {
        Expr::Reduce { span, .. } => Some(*span),
        Expr::Apply(_, arguments) => arguments.iter().find_map(find_inner_reduction),
        Expr::Number(_) | Expr::Index(_) | Expr::Read { .. } => None,
    }
}

/// The body with its reads numbered in the order they first stand; the same element is read once.
pub(super) fn lower_body(body: &Expr, operands: &mut Vec<Operand>) -> Scalar {
    match body {
        Expr::Number(value) => Scalar::Number(*value),
        Expr::Index(form) => Scalar::Index(form.clone()),
        Expr::Read { tensor, subscripts, span } => {
            let known = operands.iter().position(|known| known.tensor == *tensor && known.access == *subscripts);
            Scalar::Operand(known.unwrap_or_else(|| {
                operands.push(Operand { tensor: tensor.clone(), access: subscripts.clone(), span: *span });
                operands.len() - 1
            }))
        }
        Expr::Apply(function, arguments) => {
            Scalar::Apply(*function, arguments.iter().map(|argument| lower_body(argument, operands)).collect())
        }
        // The caller has made sure that no reduction is left.
        Expr::Reduce { .. } => Scalar::Number(f64::NAN),
    }
}

fn build_space(
    system: &RecurrenceSystem,
    equation: &Equation,
    levels: &[Level],
    body: Scalar,
    operands: Vec<Operand>,
) -> Space {
    let reduced: Vec<Name> = levels.iter().map(|level| level.index.clone()).collect();
    let indices = equation.domain.indices.iter().chain(&reduced).cloned().collect();
    let set = levels.iter().fold(equation.domain.set.clone(), |set, level| set.intersect(level.range));
    let used = |name: &Name| *name == equation.target || operands.iter().any(|operand| operand.tensor == *name);
    let shapes: Vec<(Name, Vec<Affine>)> = system
        .tensors
        .iter()
        .filter(|tensor| used(&tensor.name))
        .map(|tensor| (tensor.name.clone(), tensor.shape.clone()))
        .collect();
    let assumed = system.assumed(used);
    Space {
        kernel: system.name.clone(),
        name: system.name.clone(),
        parameters: system.parameters.clone(),
        domain: Domain { indices, set },
        output: equation.target.clone(),
        output_access: equation.subscripts.clone(),
        operands,
        body,
        reduction: levels.first().map(|level| level.operator),
        reduced,
        strips: vec![],
        shapes,
        assumed,
        span: equation.span,
        source: system.source.clone(),
    }
}

/// The refusal, with every space that the kernel would need.
fn refuse(system: &RecurrenceSystem, span: Option<Span>) -> Diagnostic {
    let mut spaces = vec![];
    system.equations.iter().for_each(|equation| list_spaces(equation, &mut spaces));
    let message = format!("kernel `{}` needs {} iteration spaces, not one", system.name, spaces.len().max(2));
    let diagnostic =
        Diagnostic::new(message).help("this version maps kernels of one space; `check` accepts all kernels");
    let diagnostic = match span {
        Some(span) => diagnostic.label(&system.source, span, "this begins another space"),
        None => diagnostic,
    };
    spaces.into_iter().fold(diagnostic, |diagnostic, space| diagnostic.note(space))
}

/// Each reduction has a space of its own, and so has what surrounds it.
fn list_spaces(equation: &Equation, spaces: &mut Vec<String>) {
    let free: Vec<Name> = equation.domain.indices.clone();
    if !matches!(equation.value, Expr::Reduce { .. }) {
        spaces.push(format!("`{}` over ({}): pointwise", equation.target, free.join(", ")));
    }
    list_reductions(&equation.value, &equation.target, &free, spaces);
}

fn list_reductions(expression: &Expr, target: &Name, outer: &[Name], spaces: &mut Vec<String>) {
    match expression {
        Expr::Number(_) | Expr::Index(_) | Expr::Read { .. } => {}
        Expr::Apply(_, arguments) => {
            arguments.iter().for_each(|argument| list_reductions(argument, target, outer, spaces));
        }
        Expr::Reduce { operator, .. } => {
            let (levels, body) = peel(expression);
            let same: Vec<&Level> = levels.iter().take_while(|level| level.operator == *operator).collect();
            let indices: Vec<Name> =
                outer.iter().cloned().chain(same.iter().map(|level| level.index.clone())).collect();
            spaces.push(format!("`{target}` over ({}): {}", indices.join(", "), operator.keyword()));
            match levels.get(same.len()) {
                Some(next) => {
                    spaces.push(format!("`{target}` inside it, from {} on: {}", next.index, next.operator.keyword()))
                }
                None => list_reductions(body, target, &indices, spaces),
            }
        }
    }
}
