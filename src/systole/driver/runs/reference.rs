//! Whether a kernel is one that a program can be held against.
//!
//! In: a program, a kernel, sizes. Out: nothing, or what the two do not have in common: each output of one must be an output of the other,
//! of the same shape, and what the kernel reads must be there.

use crate::driver::runs::inputs;
use systole_base::diagnostic::{Checked, Diagnostic};
use systole_base::integer::{Bindings, Name};
use systole_equations::recurrence::{RecurrenceSystem, Role, Tensor};
use systole_program::array::{ArrayDecl, Program};

/// The arrays of one role that somebody has, each with its sides.
type Arrays = Vec<(Name, Vec<i64>)>;

/// Refuses a kernel that is not what the program computes.
pub fn check_reference(program: &Program, kernel: &RecurrenceSystem, sizes: &Bindings) -> Checked<()> {
    let unlike = |ours: String, theirs: String| {
        Diagnostic::new(format!("`{}` is not what this program computes", kernel.source.name))
            .note(format!("the program has {ours}"))
            .note(format!("the kernel has  {theirs}"))
            .help("say `--reference` with the kernel that the program was emitted from")
            .alone()
    };
    let sorted = |names: &[Name]| {
        let mut names: Vec<&str> = names.iter().map(|name| &**name).collect();
        names.sort_unstable();
        names.join(", ")
    };
    let [ours, theirs] = [&program.parameters, &kernel.parameters].map(|names| sorted(names));
    if ours != theirs {
        return unlike(format!("the sizes {ours}"), format!("the sizes {theirs}"));
    }
    for (role, what) in [(Role::Output, "outputs"), (Role::Input, "inputs")] {
        let (ours, theirs) = (of_program(program, role, sizes)?, of_kernel(kernel, role, sizes));
        let is_missing = theirs.iter().any(|array| !ours.contains(array));
        if is_missing || (role == Role::Output && ours.len() != theirs.len()) {
            return unlike(format!("the {what} {}", shown(&ours)), format!("the {what} {}", shown(&theirs)));
        }
    }
    Ok(())
}

fn of_program(program: &Program, role: Role, sizes: &Bindings) -> Checked<Arrays> {
    let sides = |array: &ArrayDecl| {
        let shape = inputs::shape(array, sizes)?;
        Ok((array.name.clone(), shape.into_iter().map(|side| i64::try_from(side).unwrap_or(i64::MAX)).collect()))
    };
    program.arrays.iter().filter(|array| array.role == role).map(sides).collect()
}

fn of_kernel(kernel: &RecurrenceSystem, role: Role, sizes: &Bindings) -> Arrays {
    let sides =
        |shape: &[systole_base::integer::Affine]| shape.iter().filter_map(|side| side.evaluate(sizes)).collect();
    let is_needed = |tensor: &&Tensor| role != Role::Input || kernel.reads(&tensor.name);
    kernel.tensors_with(role).filter(is_needed).map(|tensor| (tensor.name.clone(), sides(&tensor.shape))).collect()
}

/// `C[8, 8], E[8]`.
fn shown(arrays: &Arrays) -> String {
    let array = |(name, sides): &(Name, Vec<i64>)| {
        format!("{name}[{}]", sides.iter().map(i64::to_string).collect::<Vec<_>>().join(", "))
    };
    let shown: Vec<String> = arrays.iter().map(array).collect();
    if shown.is_empty() { "none".to_owned() } else { shown.join(", ") }
}
