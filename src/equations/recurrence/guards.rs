//! Reads that a guard keeps within bounds, as in `select(i + k < N, x[i + k], 0)`.
//!
//! In: a valid system. Out: one of the same meaning in which every read lies within its tensor wherever its equation has a
//! point. Such a `select` is cut where its condition is: outside of reductions its equation is one for each case; within one
//! it is a local tensor over all indices there, with an equation for each case. What stays within bounds without its guard is
//! left as it is, and both branches are computed.

use super::conditions::cases;
use super::validate::{Context, can_leave};
use super::{Domain, Equation, Expr, RecurrenceSystem, Role, Tensor};
use systole_base::diagnostic::{Checked, Diagnostic, Diagnostics};
use systole_base::integer::{Affine, Bindings, Bound, Name, Parameters, Polyhedron, unused};
use systole_base::scalar::Function;
use systole_base::span::Span;

/// An equation is cut into no more than this.
const MOST_EQUATIONS: usize = 64;

/// The system without reads that only a guard keeps within bounds.
///
/// # Errors
/// A guard within a reduction whose indices have no bounds of sizes alone; a guard with many cases.
pub(super) fn without_guards(system: &RecurrenceSystem) -> Checked<RecurrenceSystem> {
    let mut plain = RecurrenceSystem { equations: vec![], ..system.clone() };
    let mut problems: Diagnostics = vec![];
    for equation in &system.equations {
        match cut_all(&mut plain, equation) {
            Ok(parts) => plain.equations.extend(parts),
            Err(problem) => problems.push(*problem),
        }
    }
    if problems.is_empty() { Ok(plain) } else { Err(problems) }
}

/// The equations that one becomes without its guards.
fn cut_all(plain: &mut RecurrenceSystem, equation: &Equation) -> Result<Vec<Equation>, Box<Diagnostic>> {
    let (mut open, mut done) = (vec![equation.clone()], vec![]);
    while let Some(part) = open.pop() {
        match cut(plain, &part)? {
            Some(parts) => open.extend(parts.into_iter().rev()),
            None => done.push(part),
        }
        if open.len() + done.len() > MOST_EQUATIONS {
            let why = format!("the guards of this equation have more than {MOST_EQUATIONS} cases");
            return Err(Box::new(refuse(plain, equation.span, &why)));
        }
    }
    Ok(done)
}

/// A `select` with a read that only its condition keeps within bounds.
struct Guarded<'a> {
    select: &'a Expr,
    /// Where it stands.
    context: Context,
    is_reduced: bool,
}

impl Guarded<'_> {
    /// The branches with the points at which each is meant.
    fn branches(&self) -> Vec<(Polyhedron, &Expr)> {
        let Expr::Apply(_, arguments) = self.select else { return vec![] };
        let [condition, chosen, other] = arguments.as_slice() else { return vec![] };
        let sets = |holds| cases(condition, holds).unwrap_or_default();
        let chosen = sets(true).into_iter().map(|case| (case, chosen));
        let all = chosen.chain(sets(false).into_iter().map(|case| (case, other)));
        all.filter(|(case, _)| !self.context.set.intersect(case).is_empty()).collect()
    }
}

/// The equations that one becomes when its first guard is cut; `None` where it has none.
fn cut(plain: &mut RecurrenceSystem, equation: &Equation) -> Result<Option<Vec<Equation>>, Box<Diagnostic>> {
    let context = Context::of(plain, equation);
    let Some(guarded) = find(plain, (context, false), &equation.value) else { return Ok(None) };
    if guarded.is_reduced {
        return name_apart(plain, equation, &guarded).map(Some);
    }
    let part = |(case, branch): (Polyhedron, &Expr)| Equation {
        domain: Domain { set: equation.domain.set.intersect(&case), ..equation.domain.clone() },
        value: replaced(&equation.value, guarded.select, branch),
        ..equation.clone()
    };
    Ok(Some(guarded.branches().into_iter().map(part).collect()))
}

/// The first `select` of which a read can leave its tensor where the condition says otherwise, the innermost first.
fn find<'a>(system: &RecurrenceSystem, (context, is_reduced): (Context, bool), value: &'a Expr) -> Option<Guarded<'a>> {
    match value {
        Expr::Number(_) | Expr::Index(_) | Expr::Read { .. } => None,
        Expr::Reduce { index, range, body, .. } => find(system, (context.within(index, range), true), body),
        Expr::Apply(function, arguments) => {
            let needs = |branch: &Expr| can_leave(system, &context, branch);
            match (function, arguments.as_slice()) {
                (Function::Select, [_, chosen, other]) if needs(chosen) || needs(other) => {
                    Some(Guarded { select: value, context, is_reduced })
                }
                _ => arguments.iter().find_map(|argument| find(system, (context.clone(), is_reduced), argument)),
            }
        }
    }
}

/// The equation with a new tensor read in place of what is guarded, and the equations of that.
fn name_apart(
    plain: &mut RecurrenceSystem,
    equation: &Equation,
    guarded: &Guarded,
) -> Result<Vec<Equation>, Box<Diagnostic>> {
    let Context { indices, set } = &guarded.context;
    let reaches: Option<Vec<(Affine, Affine)>> =
        indices.iter().map(|index| reach(set, index, &plain.parameters)).collect();
    let why = "within a reduction, and not all indices there have bounds of sizes alone";
    let reaches = reaches.ok_or_else(|| Box::new(refuse(plain, equation.span, why)))?;
    let taken = plain.tensors.iter().map(|tensor| &tensor.name).chain(&plain.parameters).chain(indices);
    let tensor = unused(&format!("{}_select", equation.target), taken);
    let from_zero = |(index, (low, _)): (&Name, &(Affine, Affine))| Affine::variable(index) - low.clone();
    let subscripts: Vec<Affine> = indices.iter().zip(&reaches).map(from_zero).collect();
    let extent = |(low, high): (Affine, Affine)| never_negative(high - low + Affine::constant(1), &plain.parameters);
    let shape = reaches.into_iter().map(extent).collect();
    let span = equation.span;
    plain.tensors.push(Tensor { name: tensor.clone(), role: Role::Local, shape, assumption: None, span });
    let part = |(case, branch): (Polyhedron, &Expr)| Equation {
        target: tensor.clone(),
        subscripts: subscripts.clone(),
        domain: Domain { indices: indices.clone(), set: set.intersect(&case) },
        value: branch.clone(),
        span,
    };
    let parts = guarded.branches().into_iter().map(part).collect::<Vec<Equation>>();
    let read = Expr::Read { tensor, subscripts, span: span_of(guarded.select).unwrap_or(span) };
    let whole = Equation { value: replaced_beside(&equation.value, guarded.select, &read), ..equation.clone() };
    Ok(parts.into_iter().chain([whole]).collect())
}

/// An extent, with places more where it may be negative because there are no points.
fn never_negative(extent: Affine, parameters: &Parameters) -> Affine {
    if Polyhedron::sizes(parameters).implies(&extent) { extent } else { extent.rising_from(0) }
}

/// From where to where an index runs at most: forms over the sizes.
fn reach(set: &Polyhedron, index: &Name, sizes: &[Name]) -> Option<(Affine, Affine)> {
    let others: Vec<Name> = set.variables().into_iter().filter(|name| name != index && !sizes.contains(name)).collect();
    let (low, high) = set.eliminate_all(&others).bounds(index);
    let plainest = |forms: Vec<Affine>| forms.into_iter().min_by_key(Affine::plainness);
    Some((plainest(low.iter().filter_map(least).collect())?, plainest(high.iter().map(greatest).collect())?))
}

/// A form that a lower bound is at least; none where that takes a quotient.
fn least(bound: &Bound) -> Option<Affine> {
    match (bound.coefficient, bound.form.is_constant()) {
        (1, _) => Some(bound.form.clone()),
        (_, true) => bound.lower_value(&Bindings::new()).map(Affine::constant),
        _ => None,
    }
}

/// A form that an upper bound is at most, where there are points: a quotient of what is 0 or more is no more than that.
fn greatest(bound: &Bound) -> Affine {
    match bound.form.is_constant() {
        true => Affine::constant(bound.upper_value(&Bindings::new()).unwrap_or(bound.form.constant_term())),
        false => bound.form.clone(),
    }
}

/// The expression with one part of it replaced wherever it stands in the same reduction. Another one may have the same guard over another
/// range, where the new tensor has no elements.
fn replaced_beside(value: &Expr, part: &Expr, by: &Expr) -> Expr {
    match value {
        Expr::Reduce { body, .. } if has_itself(body, part) => replaced(value, part, by),
        _ => value.with_parts(&|inner| replaced_beside(inner, part, by)),
    }
}

/// Whether this very part stands in an expression, outside of the reductions in it.
fn has_itself(value: &Expr, part: &Expr) -> bool {
    let is_in_arguments = || match value {
        Expr::Apply(_, arguments) => arguments.iter().any(|argument| has_itself(argument, part)),
        Expr::Number(_) | Expr::Index(_) | Expr::Read { .. } | Expr::Reduce { .. } => false,
    };
    std::ptr::eq(value, part) || is_in_arguments()
}

/// The expression with one part of it replaced wherever it stands.
fn replaced(value: &Expr, part: &Expr, by: &Expr) -> Expr {
    if value == part { by.clone() } else { value.with_parts(&|inner| replaced(inner, part, by)) }
}

/// From the first read of an expression to the last.
fn span_of(value: &Expr) -> Option<Span> {
    match value {
        Expr::Number(_) | Expr::Index(_) => None,
        Expr::Read { span, .. } | Expr::Reduce { span, .. } => Some(*span),
        Expr::Apply(_, arguments) => arguments.iter().filter_map(span_of).reduce(|first, last| first.to(last)),
    }
}

fn refuse(system: &RecurrenceSystem, span: Span, why: &str) -> Diagnostic {
    Diagnostic::new(format!("a guard cannot be cut: {why}"))
        .label(&system.source, span, "in this equation")
        .help("divide the equation with `where`, or give the reduction a range within bounds")
}
