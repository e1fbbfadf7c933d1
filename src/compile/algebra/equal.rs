//! Whether two tensors of a kernel are equal by the laws of algebra.
//!
//! In: a system, the names of two tensors of one shape that are each defined by one equation. Out: the chain of laws that makes them equal;
//! or inputs for which they differ; or that neither was found within the limits. Inputs are tried before laws are, since a law that
//! made two equal that differ would be unsound.

use super::chain::{Law, chain};
use super::confirm::{Tried, element_text, tried};
use super::written::written_pair;
use crate::check::ChainReport;
use crate::rewrite::{Limits, Report, RuleSet, saturate_forms};
use systole_base::diagnostic::{Checked, Diagnostic, nearest};
use systole_base::integer::{Bindings, Name};
use systole_equations::recurrence::{RecurrenceSystem, Role, Tensor, evaluate};

/// The answer to whether two tensors are equal.
#[derive(Clone, Debug)]
pub enum Equality {
    /// They are, by these laws, each of which was put to the test.
    Equal(Vec<Law>, Report, ChainReport),
    /// They are not: an element, the sizes, and both values.
    Different(String),
    /// No law leads from one to the other within the limits, and no input was found for which they differ.
    Unknown(Report),
}

/// Whether the tensors `one` and `other` are equal for all sizes and inputs.
///
/// # Errors
/// Unknown tensors, inputs, other shapes, definitions of several equations; unsound rules.
pub fn equal(
    system: &RecurrenceSystem,
    (one, other): (&str, &str),
    rules: &RuleSet,
    limits: &Limits,
) -> Checked<Equality> {
    let (one, other) = (find(system, one)?, find(system, other)?);
    if one.shape != other.shape {
        let message = format!("`{}` and `{}` have different shapes", one.name, other.name);
        return Diagnostic::new(message)
            .label(&system.source, one.span, "one")
            .label(&system.source, other.span, "the other")
            .help("only tensors of the same shape can be equal")
            .alone();
    }
    if let Some(difference) = difference(system, &one.name, &other.name)? {
        return Ok(Equality::Different(difference));
    }
    let Some((frame, known, [first, second])) = written_pair(system, &one.name, &other.name) else {
        let message = format!("`{}` or `{}` has several equations, or needs itself", one.name, other.name);
        return Diagnostic::new(message).help("laws are tried on tensors that one equation defines as a whole").alone();
    };
    let forms = saturate_forms(frame, vec![first.clone(), second.clone()], rules, limits)?;
    let report = forms.report.clone();
    if forms.root(0) != forms.root(1) {
        return Ok(Equality::Unknown(report));
    }
    let steps = forms.explain_briefly(&first, &second, rules);
    let checked = forms.check_steps(&steps, rules)?;
    Ok(Equality::Equal(chain(steps, rules, &known), report, checked))
}

fn find<'s>(system: &'s RecurrenceSystem, tensor: &str) -> Checked<&'s Tensor> {
    let computed = || system.tensors.iter().filter(|tensor| tensor.role != Role::Input);
    if let Some(found) = computed().find(|known| &*known.name == tensor) {
        return Ok(found);
    }
    let diagnostic = Diagnostic::usage(format!("`{tensor}` is no computed tensor of `{}`", system.name));
    match nearest(tensor, computed().map(|known| &*known.name)) {
        Some(name) => diagnostic.help(format!("did you mean `{name}`?")).alone(),
        None => diagnostic.help("name two tensors that the file defines").alone(),
    }
}

/// An element that differs for some inputs. One that has a value for no input that was tried differs from one that has.
fn difference(system: &RecurrenceSystem, one: &Name, other: &Name) -> Checked<Option<String>> {
    let mut shown = system.clone();
    for tensor in &mut shown.tensors {
        if tensor.name == *one || tensor.name == *other {
            tensor.role = Role::Output;
        }
    }
    let (mut has_both, mut only_one_has) = (false, None);
    for Tried { sizes, inputs } in tried(system) {
        let found = evaluate(&shown, &sizes, &inputs)?;
        let (Some(first), Some(second)) = (found.get(one), found.get(other)) else { continue };
        for ((at, a), b) in first.indexed_iter().zip(second.iter()) {
            let text = || difference_text((one, *a), (other, *b), ndarray::Dimension::slice(&at), &sizes);
            if (a - b).abs() > 1e-9 * a.abs().max(b.abs()).max(1.0) {
                return Ok(Some(text()));
            }
            has_both |= !a.is_nan() && !b.is_nan();
            if a.is_nan() != b.is_nan() {
                only_one_has.get_or_insert_with(text);
            }
        }
    }
    Ok(only_one_has.filter(|_| !has_both))
}

/// `y[0] = 1, z[0] = 2 at N=1`.
fn difference_text((one, a): (&Name, f64), (other, b): (&Name, f64), at: &[usize], sizes: &Bindings) -> String {
    let sizes: Vec<String> = sizes.iter().map(|(size, value)| format!("{size}={value}")).collect();
    format!("{} = {a}, {} = {b} at {}", element_text(one, at), element_text(other, at), sizes.join(","))
}
