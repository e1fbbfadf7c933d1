//! Every element that is not an input is defined exactly once.

use crate::recurrence::enumeration::{points_within, small_sizes};
use crate::recurrence::gather::gather;
use crate::recurrence::sizes::show_sizes;
use crate::recurrence::table::show_element;
use crate::recurrence::{Equation, RecurrenceSystem, Role, Tensor};
use std::collections::BTreeMap;
use systole_base::diagnostic::{Diagnostic, Diagnostics};
use systole_base::integer::{Bindings, Vector};

/// The largest size that is tried.
const LARGEST: i64 = 3;

/// Sets with more points than this are not enumerated.
const POINT_LIMIT: u64 = 10_000;

/// A message for each tensor with an element defined twice or never, at the smallest sizes where that happens.
pub(super) fn check_definitions(system: &RecurrenceSystem) -> Diagnostics {
    let computed = system.tensors.iter().filter(|tensor| tensor.role != Role::Input);
    computed.filter_map(|tensor| check_tensor(system, tensor)).collect()
}

fn check_tensor(system: &RecurrenceSystem, tensor: &Tensor) -> Option<Diagnostic> {
    let defining = system.equations.iter().filter(|equation| equation.target == tensor.name);
    let equations: Vec<Equation> = defining.map(|equation| gather(equation, tensor)).collect();
    small_sizes(&system.parameters, LARGEST).into_iter().find_map(|sizes| check_at(system, tensor, &equations, &sizes))
}

fn check_at(
    system: &RecurrenceSystem,
    tensor: &Tensor,
    equations: &[Equation],
    sizes: &Bindings,
) -> Option<Diagnostic> {
    let mut owners: BTreeMap<Vector, usize> = BTreeMap::new();
    for (position, equation) in equations.iter().enumerate() {
        for point in points_within(&equation.domain.set, &equation.domain.indices, sizes, POINT_LIMIT)? {
            let element = element_at(equation, &point, sizes)?;
            if let Some(first) = owners.insert(element.clone(), position) {
                return Some(defined_twice(system, tensor, &element, [&equations[first], equation], sizes));
            }
        }
    }
    let missing = elements(tensor, sizes)?.into_iter().find(|element| !owners.contains_key(element))?;
    let message = format!("element `{}` is never defined", show_element(&tensor.name, &missing));
    let diagnostic = Diagnostic::new(message).label(&system.source, tensor.span, "declared here");
    let help =
        format!("add an equation for it, widen the `where` of one, or say `{} = 0 elsewhere`", any_element(tensor));
    Some(diagnostic.note(format!("at {}", show_sizes(sizes))).help(help))
}

/// `L[i, j]`, as an equation of all elements names them.
fn any_element(tensor: &Tensor) -> String {
    let indices: Vec<String> = ["i", "j", "k", "l"].iter().map(|index| index.to_string()).collect();
    let rank = tensor.shape.len();
    let indices = if rank <= indices.len() { indices[..rank].join(", ") } else { "..".to_owned() };
    if rank == 0 { tensor.name.to_string() } else { format!("{}[{indices}]", tensor.name) }
}

fn defined_twice(
    system: &RecurrenceSystem,
    tensor: &Tensor,
    element: &[i64],
    [first, second]: [&Equation; 2],
    sizes: &Bindings,
) -> Diagnostic {
    let message = format!("element `{}` is defined twice", show_element(&tensor.name, element));
    let diagnostic = Diagnostic::new(message).label(&system.source, first.span, "defined here");
    let diagnostic = match first.span == second.span {
        true => diagnostic.help("two points of this equation define it"),
        false => diagnostic.label(&system.source, second.span, "and here").help("separate the two with `where`"),
    };
    diagnostic.note(format!("at {}", show_sizes(sizes)))
}

/// The element that an equation without scattered indices defines at a point.
pub(super) fn element_at(equation: &Equation, point: &[i64], sizes: &Bindings) -> Option<Vector> {
    let mut bindings = sizes.clone();
    bindings.extend(equation.domain.indices.iter().cloned().zip(point.iter().copied()));
    equation.subscripts.iter().map(|form| form.evaluate(&bindings)).collect()
}

/// All elements of a tensor in lexicographic order.
fn elements(tensor: &Tensor, sizes: &Bindings) -> Option<Vec<Vector>> {
    let mut all: Vec<Vector> = vec![vec![]];
    for extent in &tensor.shape {
        let extent = extent.evaluate(sizes)?;
        if extent.saturating_mul(all.len() as i64) > POINT_LIMIT as i64 {
            return None;
        }
        let extend = |prefix: Vector| (0..extent).map(move |entry| prefix.iter().copied().chain([entry]).collect());
        all = all.into_iter().flat_map(extend).collect();
    }
    Some(all)
}
