//! Every subscript lies between 0 and its extent, at all sizes.

use crate::recurrence::conditions;
use crate::recurrence::enumeration::{points_within, small_sizes};
use crate::recurrence::gather::scattered_indices;
use crate::recurrence::sizes::show_sizes;
use crate::recurrence::table::show_element;
use crate::recurrence::{Equation, Expr, RecurrenceSystem, Tensor};
use systole_base::diagnostic::{Diagnostic, Diagnostics};
use systole_base::integer::{Affine, Bindings, Name, Polyhedron};
use systole_base::scalar::Function;
use systole_base::span::Span;

/// The largest size at which counterexamples are looked for.
const LARGEST: i64 = 4;

/// Where no inequality says that an access stays within its tensor and none of these sizes says that it does not, larger ones are tried, the
/// more the fewer parameters there are: `b[2*i]` with `i < N - 1` leaves `b[N + 1]` at `N = 5`.
fn farthest(parameters: usize) -> i64 {
    match parameters {
        0 | 1 => 64,
        2 => 16,
        3 => 8,
        _ => LARGEST,
    }
}

/// Sets with more points than this are not enumerated.
const POINT_LIMIT: u64 = 10_000;

/// The points at which something is accessed: indices in order and the constraints on them.
#[derive(Clone)]
pub struct Context {
    /// The indices in scope, outermost first.
    pub indices: Vec<Name>,
    /// The points.
    pub set: Polyhedron,
}

impl Context {
    /// The points at which an equation is defined, at all sizes.
    pub fn of(system: &RecurrenceSystem, equation: &Equation) -> Context {
        let set = Polyhedron::sizes(&system.parameters).intersect(&equation.domain.set);
        Context { indices: equation.domain.indices.clone(), set }
    }

    /// With one index more.
    pub fn within(&self, index: &Name, range: &Polyhedron) -> Context {
        let indices = self.indices.iter().cloned().chain([index.clone()]).collect();
        Context { indices, set: self.set.intersect(range) }
    }
}

/// A message for each extent that can be negative and each access that can leave its tensor.
pub(super) fn check_bounds(system: &RecurrenceSystem) -> Diagnostics {
    let sizes = Polyhedron::sizes(&system.parameters);
    let mut errors: Diagnostics =
        system.tensors.iter().filter_map(|tensor| check_extents(system, tensor, &sizes)).collect();
    for equation in &system.equations {
        let context = Context::of(system, equation);
        let mut outer = context.clone();
        for (index, range) in outer_ranges(&equation.value, scattered_indices(equation).last()) {
            outer = outer.within(index, range);
        }
        let found = check_access(system, &outer, &equation.target, &equation.subscripts, equation.span);
        errors.extend(found.map(|found| found.help("bound the index with `where`, or declare a larger tensor")));
        check_expression(system, &context, &equation.value, &mut errors);
    }
    errors
}

/// The outermost reductions up to and including the one that binds `last`.
fn outer_ranges<'a>(value: &'a Expr, last: Option<&Name>) -> Vec<(&'a Name, &'a Polyhedron)> {
    let mut ranges = vec![];
    let mut value = value;
    while let (Some(last), Expr::Reduce { index, range, body, .. }) = (last, value) {
        ranges.push((index, range));
        if index == last {
            break;
        }
        value = body;
    }
    ranges
}

fn check_extents(system: &RecurrenceSystem, tensor: &Tensor, sizes: &Polyhedron) -> Option<Diagnostic> {
    let extent = tensor.shape.iter().find(|extent| !sizes.implies(extent))?;
    let negative = |sizes: &Bindings| extent.evaluate(sizes).is_none_or(|value| value < 0);
    let smallest = small_sizes(&system.parameters, LARGEST).into_iter().find(negative)?;
    let message = format!("extent `{extent}` of `{}` can be negative", tensor.name);
    let diagnostic = Diagnostic::new(message).label(&system.source, tensor.span, "declared here");
    Some(diagnostic.note(format!("at {}", show_sizes(&smallest))))
}

fn check_expression(system: &RecurrenceSystem, context: &Context, expression: &Expr, errors: &mut Diagnostics) {
    match expression {
        Expr::Number(_) | Expr::Index(_) => {}
        Expr::Read { tensor, subscripts, span } => {
            let found = check_access(system, context, tensor, subscripts, *span);
            errors.extend(found.map(|found| found.help(help_for_read(system, (tensor, subscripts), *span))));
        }
        Expr::Apply(function, arguments) => match (function, arguments.as_slice()) {
            (Function::Select, [condition, chosen, other]) => {
                check_expression(system, context, condition, errors);
                check_guarded(system, context, (condition, true, chosen), errors);
                check_guarded(system, context, (condition, false, other), errors);
            }
            _ => arguments.iter().for_each(|argument| check_expression(system, context, argument, errors)),
        },
        Expr::Reduce { index, range, body, .. } => {
            check_expression(system, &context.within(index, range), body, errors)
        }
    }
}

/// What `select` has of a branch: only where its condition holds, or does not, has that to stay within bounds. One message is enough.
fn check_guarded(
    system: &RecurrenceSystem,
    context: &Context,
    (condition, holds, branch): (&Expr, bool, &Expr),
    errors: &mut Diagnostics,
) {
    let cases = conditions::cases(condition, holds).unwrap_or_else(|| vec![Polyhedron::default()]);
    let found = cases.iter().map(|case| {
        let guarded = Context { set: context.set.intersect(case), ..context.clone() };
        let mut errors = vec![];
        check_expression(system, &guarded, branch, &mut errors);
        errors
    });
    errors.extend(found.into_iter().find(|errors| !errors.is_empty()).into_iter().flatten());
}

/// Whether something that an expression reads can leave its tensor at these points.
pub fn can_leave(system: &RecurrenceSystem, context: &Context, expression: &Expr) -> bool {
    let mut errors = vec![];
    check_expression(system, context, expression, &mut errors);
    !errors.is_empty()
}

/// The first subscript that can leave its extent, with the smallest sizes and point at which it does.
fn check_access(
    system: &RecurrenceSystem,
    context: &Context,
    tensor: &Name,
    subscripts: &[Affine],
    span: Span,
) -> Option<Diagnostic> {
    let declared = system.tensor(tensor)?;
    let pairs = subscripts.iter().zip(&declared.shape);
    let above = |(subscript, extent): (&Affine, &Affine)| extent.clone() - subscript.clone() - Affine::constant(1);
    let inside: Vec<Affine> = pairs.flat_map(|pair| [pair.0.clone(), above(pair)]).collect();
    let unproved: Vec<&Affine> = inside.iter().filter(|form| !context.set.implies(form)).collect();
    let (sizes, point) = find_outside(system, context, &unproved)?;
    let bindings: Bindings = sizes.iter().map(|(name, value)| (name.clone(), *value)).chain(point.clone()).collect();
    let at =
        |forms: &[Affine]| forms.iter().map(|form| form.evaluate(&bindings).unwrap_or(i64::MAX)).collect::<Vec<_>>();
    let element = show_element(tensor, &at(subscripts));
    let extents: Vec<String> = at(&declared.shape).iter().map(i64::to_string).collect();
    let there = match &extents[..] {
        [] => "which is a number".to_owned(),
        [extent] => format!("whose extent is then {extent}"),
        _ => format!("whose extents are then {}", extents.join(" and ")),
    };
    let place = show_sizes(&point);
    let diagnostic = Diagnostic::new(format!("access to `{tensor}` can leave its bounds"))
        .label(&system.source, span, format!("reaches `{element}`"))
        .label(&system.source, declared.span, there)
        .note(format!("at {}{}{place}", show_sizes(&sizes), if place.is_empty() { "" } else { "; " }));
    Some(diagnostic)
}

/// What to write for a read that can leave its tensor, in the words of the kernel.
fn help_for_read(system: &RecurrenceSystem, (tensor, subscripts): (&Name, &[Affine]), span: Span) -> String {
    let is_before = |subscript: &Affine| subscript.is_constant() && subscript.constant_term() < 0;
    if subscripts.iter().any(is_before) {
        return "elements are counted from 0; the last of N is that of `N - 1`".to_owned();
    }
    let written = system.source.slice(span);
    let forms: Vec<String> = subscripts.iter().map(Affine::to_string).collect();
    let read =
        if written.contains(['\n', '#']) { format!("{tensor}[{}]", forms.join(", ")) } else { written.to_owned() };
    format!("bound the index with `where`, write `({read} else 0)` if it is 0 out there, or declare a larger tensor")
}

/// The smallest sizes, and there the first point, at which one of the forms is negative.
fn find_outside(system: &RecurrenceSystem, context: &Context, forms: &[&Affine]) -> Option<(Bindings, Bindings)> {
    if forms.is_empty() {
        return None;
    }
    let outside: Vec<Polyhedron> = forms.iter().map(|form| without(&context.set, form)).collect();
    small_sizes(&system.parameters, farthest(system.parameters.len())).into_iter().find_map(|sizes| {
        let first = |set: &Polyhedron| points_within(set, &context.indices, &sizes, POINT_LIMIT)?.into_iter().next();
        let point = outside.iter().filter_map(first).min()?;
        Some((sizes.clone(), context.indices.iter().cloned().zip(point).collect()))
    })
}

/// The points of a set at which a form is negative.
fn without(set: &Polyhedron, form: &Affine) -> Polyhedron {
    let mut outside = set.clone();
    outside.add(-form.clone() - Affine::constant(1));
    outside
}
