//! Sizes: values for the parameters, and the extents they give.
//!
//! Everything that allocates or loops is preceded by [`check_sizes`], so later stages may trust that each parameter has
//! a value of at least 1 and that all tensors together fit in memory.

use super::RecurrenceSystem;
use systole_base::diagnostic::{Checked, Diagnostic, Diagnostics, nearest};
use systole_base::integer::{Affine, Bindings, Name, Parameters};

/// The most elements that all tensors of a system may have together: 8 GiB of doubles.
const ELEMENT_LIMIT: usize = 1 << 30;

/// The largest value of a parameter.
const SIZE_LIMIT: i64 = 1 << 31;

/// Whether every parameter has a sensible value and nothing else has one.
pub fn check_sizes(system: &RecurrenceSystem, sizes: &Bindings) -> Checked<()> {
    check_parameters(&system.parameters, sizes)?;
    check_assumed(system, sizes)?;
    check_elements(system.tensors.iter().map(|tensor| (&tensor.name, tensor.shape.as_slice())), sizes)
}

/// Whether sizes are as the kernel assumes.
///
/// # Errors
/// What is assumed and does not hold, with the line.
pub fn check_assumed(system: &RecurrenceSystem, sizes: &Bindings) -> Checked<()> {
    let breach = breach(&system.parameters, sizes).map(|error| in_header(system, error));
    breach.map_or(Ok(()), Diagnostic::alone)
}

/// What is assumed of parameters and does not hold.
pub(super) fn breach(parameters: &Parameters, sizes: &Bindings) -> Option<Diagnostic> {
    let help = "choose other sizes, or take back what the kernel assumes";
    Some(Diagnostic::new(format!("the kernel assumes {}", parameters.breach(sizes)?)).help(help))
}

fn in_header(system: &RecurrenceSystem, error: Diagnostic) -> Diagnostic {
    error.label(&system.source, system.header, "the sizes of this kernel")
}

/// The part of [`check_sizes`] that looks at the parameters alone.
pub(super) fn check_parameters(parameters: &[Name], sizes: &Bindings) -> Checked<()> {
    let given = parameters.iter().filter_map(|parameter| check_parameter(parameter, sizes));
    let extra = sizes.keys().filter(|name| !parameters.contains(name)).map(|name| unknown_size(name, parameters));
    let errors: Diagnostics = given.chain(extra).collect();
    if errors.is_empty() { Ok(()) } else { Err(errors) }
}

fn check_parameter(parameter: &Name, sizes: &Bindings) -> Option<Diagnostic> {
    match sizes.get(parameter) {
        None => {
            let help = format!("give it with `--size {parameter}=8`");
            Some(Diagnostic::new(format!("parameter `{parameter}` has no size")).help(help))
        }
        Some(size @ ..=0) => {
            let message = format!("parameter `{parameter}` is {size}, a size is at least 1");
            Some(Diagnostic::new(message).help("an empty problem has nothing to map; leave it out instead"))
        }
        Some(size) if *size > SIZE_LIMIT => {
            Some(Diagnostic::new(format!("parameter `{parameter}` is {size}, the limit is {SIZE_LIMIT}")))
        }
        Some(_) => None,
    }
}

fn unknown_size(name: &Name, parameters: &[Name]) -> Diagnostic {
    let diagnostic = Diagnostic::new(format!("unknown parameter `{name}`"));
    match nearest(name, parameters.iter().map(|parameter| &**parameter)) {
        Some(close) => diagnostic.help(format!("did you mean `{close}`?")),
        None if parameters.is_empty() => diagnostic.help("this kernel has no parameters"),
        None => diagnostic.help(format!("this kernel has `{}`", parameters.join("`, `"))),
    }
}

/// Whether each tensor has extents, none negative, and all together fit.
pub(super) fn check_elements<'a>(
    shapes: impl Iterator<Item = (&'a Name, &'a [Affine])>,
    sizes: &Bindings,
) -> Checked<()> {
    let mut total: usize = 0;
    for (tensor, shape) in shapes {
        let extents = extents_at(tensor, shape, sizes)?;
        let elements = extents.iter().try_fold(1usize, |product, extent| product.checked_mul(*extent));
        total = elements.and_then(|elements| total.checked_add(elements)).unwrap_or(usize::MAX);
        if total > ELEMENT_LIMIT {
            return Diagnostic::new(format!("the tensors have more than {ELEMENT_LIMIT} elements at these sizes"))
                .help("choose smaller sizes")
                .alone();
        }
    }
    Ok(())
}

/// The extents of one tensor at these sizes.
pub(super) fn extents_at(tensor: &Name, shape: &[Affine], sizes: &Bindings) -> Checked<Vec<usize>> {
    let extent = |form: &Affine| form.evaluate(sizes).and_then(|value| usize::try_from(value).ok());
    let wrong = |form: &Affine| Diagnostic::new(format!("extent `{form}` of `{tensor}` is not a size at these sizes"));
    shape.iter().map(|form| extent(form).ok_or_else(|| vec![wrong(form)])).collect()
}

/// Sizes as text, such as `M = 1, N = 2`.
pub(super) fn show_sizes(bindings: &Bindings) -> String {
    bindings.iter().map(|(name, value)| format!("{name} = {value}")).collect::<Vec<_>>().join(", ")
}
