//! Whether a derived kernel computes what the kernel does that it was derived from.
//!
//! In: the kernel, the text of a form. Out: the largest relative difference of any element of an output over random inputs at small
//! sizes, or a message; and whether inputs among which are masks, other infinities, what is not a number, both zeros, the least and large
//! numbers give the same where the kernel has a finite number. Everything here goes through the parser and the sequential meaning;
//! it knows nothing of rules.

use ndarray::{ArrayD, Dimension, IxDyn};
use systole_base::diagnostic::{Checked, Diagnostic};
use systole_base::integer::{Bindings, Name};
use systole_base::span::Source;
use systole_equations::recurrence::{RecurrenceSystem, Role, Tensors, evaluate, load, number_text};

/// The sizes that are tried: all alike, all different, and as small as can be. Where a kernel assumes otherwise, others near these.
const TRIED: [[i64; 3]; 4] = [[1, 1, 1], [2, 3, 4], [5, 4, 3], [3, 6, 2]];

/// Sizes and inputs.
pub(super) struct Tried {
    pub sizes: Bindings,
    pub inputs: Tensors,
}

/// All sizes that are tried, each with inputs of its own.
pub(super) fn tried(system: &RecurrenceSystem) -> impl Iterator<Item = Tried> {
    TRIED.iter().enumerate().map(|(round, sizes)| {
        let parameters = system.parameters.iter().enumerate();
        let size = |place: usize| sizes[place % sizes.len()] + (place / 3) as i64;
        let sizes: Bindings = parameters.map(|(place, name)| (name.clone(), size(place))).collect();
        let sizes = match system.parameters.broken_at(&sizes) {
            Some(_) => system.parameters.filled(&Bindings::new(), size(0)),
            None => sizes,
        };
        let inputs = inputs(system, &sizes, round as u64);
        Tried { sizes, inputs }
    })
}

/// `A[1, 2]`.
pub(super) fn element_text(tensor: &Name, at: &[usize]) -> String {
    let list: Vec<String> = at.iter().map(usize::to_string).collect();
    if list.is_empty() { tensor.to_string() } else { format!("{tensor}[{}]", list.join(", ")) }
}

/// More than this is another value.
const TOLERANCE: f64 = 1e-9;

/// Whether a system in other coordinates computes what it did before: the same arrays, taken row by row.
///
/// # Errors
/// An element that differs, which is a defect of ours.
pub(super) fn agree(
    before: &RecurrenceSystem,
    after: &RecurrenceSystem,
    sizes_before: &dyn Fn(&Bindings) -> Bindings,
) -> Checked<()> {
    for Tried { sizes, inputs } in tried(after) {
        let known = sizes_before(&sizes);
        let shaped = before.tensors_with(Role::Input).filter_map(|tensor| {
            let values = inputs.get(&tensor.name)?.iter().copied().collect();
            Some((tensor.name.clone(), ArrayD::from_shape_vec(IxDyn(&extents(&tensor.shape, &known)), values).ok()?))
        });
        let (expected, found) = (evaluate(before, &known, &shaped.collect())?, evaluate(after, &sizes, &inputs)?);
        if difference(&expected, &found) > TOLERANCE {
            let message = format!("`{}` is something else in other coordinates", before.name);
            return Diagnostic::new(message).help("this is a defect of systole: please report the kernel").alone();
        }
    }
    Ok(())
}

fn extents(shape: &[systole_base::integer::Affine], sizes: &Bindings) -> Vec<usize> {
    shape.iter().map(|form| form.evaluate(sizes).and_then(|extent| usize::try_from(extent).ok()).unwrap_or(0)).collect()
}

/// Whether a text is a kernel that defines all its elements.
///
/// # Errors
/// What the language refuses; elements that nobody defines.
pub(super) fn is_sound(system: &RecurrenceSystem, text: &str) -> Checked<()> {
    let derived = load(&Source::new(format!("{}, derived", system.name), text.to_owned()))?;
    let mut all = tried(system);
    all.try_for_each(|Tried { sizes, inputs }| evaluate(&derived, &sizes, &inputs).map(|_| ()))
}

/// How a form compares with its kernel.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Confirmed {
    /// The largest relative difference.
    pub difference: f64,
    /// An element that is another one where inputs are infinite, what the form makes of it, and what it should be.
    pub masked: Option<String>,
}

/// The largest relative difference, and an element that infinite inputs change.
pub(super) fn confirm(system: &RecurrenceSystem, text: &str) -> Checked<Confirmed> {
    let derived = load(&Source::new(format!("{}, derived", system.name), text.to_owned()))?;
    let (mut largest, mut without): (f64, Option<String>) = (0.0, None);
    for Tried { sizes, inputs } in tried(system) {
        let (expected, found) = (evaluate(system, &sizes, &inputs)?, evaluate(&derived, &sizes, &inputs)?);
        largest = largest.max(difference(&expected, &found));
        without = without.or_else(|| without_number(&expected));
    }
    // Where the text has no number a form may have one.
    if let Some(element) = without.filter(|_| largest > TOLERANCE) {
        return Diagnostic::new(format!(
            "`{element}` is not a number as it is written, so no form can be compared with it"
        ))
        .help("`systole run KERNEL` shows which elements have none")
        .alone();
    }
    if largest <= TOLERANCE {
        return Ok(Confirmed { difference: largest, masked: masked(system, &derived)? });
    }
    let message = format!("a form of `{}` differs from it by {largest:.1e} of the value", system.name);
    let help = "a rule is unsound, or too many digits are lost; `systole rules check` tries each rule alone";
    Diagnostic::new(message).note(text.trim_end()).help(help).alone()
}

/// An element that is not a number.
fn without_number(tensors: &Tensors) -> Option<String> {
    tensors.iter().find_map(|(name, array)| {
        let (at, _) = array.indexed_iter().find(|(_, value)| value.is_nan())?;
        Some(element_text(name, at.slice()))
    })
}

/// How often each size is tried with infinities among the inputs.
const MASKED_ROUNDS: u64 = 3;

/// An element that is finite by the kernel and another one, or none, by the form, where inputs are infinite.
fn masked(system: &RecurrenceSystem, derived: &RecurrenceSystem) -> Checked<Option<String>> {
    for Tried { sizes, inputs } in tried(system) {
        for round in 0..MASKED_ROUNDS {
            let inputs = with_masks(&inputs, round);
            let (expected, found) = (evaluate(system, &sizes, &inputs)?, evaluate(derived, &sizes, &inputs)?);
            let other = expected.iter().find_map(|(name, array)| other_element(name, [array, found.get(name)?]));
            if other.is_some() {
                return Ok(other);
            }
        }
    }
    Ok(None)
}

/// The first element of `expected` that is finite and has another value in `found`.
fn other_element(name: &Name, [expected, found]: [&ArrayD<f64>; 2]) -> Option<String> {
    let scale = expected.iter().filter(|value| value.is_finite()).fold(1.0, |most: f64, value| most.max(value.abs()));
    let is_other =
        |wanted: f64, ours: f64| wanted.is_finite() && ((wanted - ours).abs() > TOLERANCE * scale || ours.is_nan());
    let mut pairs = expected.indexed_iter().zip(found);
    let ((at, wanted), ours) = pairs.find(|((_, wanted), ours)| is_other(**wanted, **ours))?;
    let element = element_text(name, at.slice());
    Some(format!("`{element}` is {}, and should be {}", number_text(*ours), number_text(*wanted)))
}

/// The inputs with masks and other special numbers in place of some elements; every third round with masks alone.
fn with_masks(inputs: &Tensors, round: u64) -> Tensors {
    let rare = [f64::INFINITY, f64::NAN, 0.0, -0.0, 5e-324, -1e30];
    let mut next = numbers(round + 1_000);
    let mut changed = |value: f64| match (next() * 16.0) as u64 {
        0..=5 => f64::NEG_INFINITY,
        6 if !round.is_multiple_of(3) => rare[(next() * 64.0) as usize % rare.len()],
        _ => value,
    };
    inputs.iter().map(|(name, array)| (name.clone(), array.mapv(&mut changed))).collect()
}

/// Random numbers in 0 to 1.
fn numbers(seed: u64) -> impl FnMut() -> f64 {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ 0x2545_f491_4f6c_dd1d;
    move || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 11) as f64 / (1_u64 << 53) as f64
    }
}

/// Random numbers in 0.5 to 1.5 for each input; a diagonal that is well away from 0.
fn inputs(system: &RecurrenceSystem, sizes: &Bindings, seed: u64) -> Tensors {
    let mut any = numbers(seed);
    let mut next = || 0.5 + any();
    let tensors = system.tensors_with(Role::Input);
    tensors
        .map(|tensor| {
            (tensor.name.clone(), ArrayD::from_shape_simple_fn(IxDyn(&extents(&tensor.shape, sizes)), &mut next))
        })
        .collect()
}

/// The largest difference of two elements, relative to their size.
fn difference(expected: &Tensors, found: &Tensors) -> f64 {
    let pairs = expected.iter().flat_map(|(name, array)| array.iter().zip(found.get(name).into_iter().flatten()));
    pairs
        .map(|(a, b)| if a == b || (a.is_nan() && b.is_nan()) { 0.0 } else { (a - b).abs() / a.abs().max(1.0) })
        .fold(0.0, |most: f64, one| if one.is_nan() { f64::INFINITY } else { most.max(one) })
}
