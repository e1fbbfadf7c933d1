//! How the outputs of a run compare with those of the equations.
//!
//! In: what the reference computes, and a run. Out: an [`Agreement`], with the element that differs most. A program may add in an
//! order of its own, as a library does, or tiles of a sum over two indices, or a schedule that runs a sum backwards; then only
//! rounding differs.

use super::finished::Finished;
use ndarray::{ArrayD, Dimension};
use serde_json::{Value, json};
use std::fmt;
use systole_base::diagnostic::{Checked, Diagnostic};
use systole_base::integer::Name;
use systole_base::scalar::Precision;
use systole_equations::recurrence::number_text;
use systole_program::array::Tensors;

/// How far rounding may be off, relative to the largest magnitude of an array.
fn most_rounding(precision: Precision) -> f64 {
    match precision {
        Precision::Double => 1e-10,
        Precision::Single => 1e-4,
    }
}

/// How outputs compare with those of a reference.
#[derive(Clone, Debug, PartialEq)]
pub enum Agreement {
    /// They have the same bits.
    Bits,
    /// They differ by rounding: at most by so much, relative to the largest magnitude of an array.
    Rounding(f64),
    /// An element is another one; none where a run ended without outputs of these shapes.
    Differs(Option<Difference>),
}

/// An element with two values.
#[derive(Clone, Debug, PartialEq)]
pub struct Difference {
    element: String,
    ours: f64,
    theirs: f64,
}

impl Agreement {
    /// Whether no more than rounding differs.
    pub fn is_good(&self) -> bool {
        !matches!(self, Agreement::Differs(_))
    }

    /// How they differ, where more than rounding does.
    pub fn difference(&self) -> Option<String> {
        (!self.is_good()).then(|| self.to_string().replace("DIFFERS", "differs"))
    }

    /// The same for a run whose order the reference follows: there rounding is a difference.
    pub fn strictly(self) -> Agreement {
        if self.is_good() && self != Agreement::Bits { Agreement::Differs(None) } else { self }
    }

    /// Says how far the outputs are off, beside whether they match.
    pub fn write_to(this: Option<&Agreement>, object: &mut Value) {
        object["matches_reference"] = json!(this.map(Agreement::is_good));
        object["rounding"] = match this {
            Some(Agreement::Bits) => json!(0.0),
            Some(Agreement::Rounding(most)) => json!(most),
            Some(Agreement::Differs(_)) | None => Value::Null,
        };
    }

    /// The element that is another one.
    pub fn element(&self) -> Option<&str> {
        match self {
            Agreement::Differs(difference) => difference.as_ref().map(|difference| &*difference.element),
            Agreement::Bits | Agreement::Rounding(_) => None,
        }
    }

    /// The worse of two.
    fn and(self, other: Agreement) -> Agreement {
        match (self, other) {
            (Agreement::Rounding(one), Agreement::Rounding(other)) => Agreement::Rounding(one.max(other)),
            (Agreement::Bits, other) | (other @ Agreement::Differs(_), _) => other,
            (one, Agreement::Bits) => one,
            (_, other) => other,
        }
    }
}

impl fmt::Display for Agreement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Agreement::Bits => write!(f, "matches the reference bit for bit"),
            Agreement::Rounding(most) => {
                write!(f, "matches the reference within {most:.1e} of the largest element: sums run in another order")
            }
            Agreement::Differs(None) => write!(f, "DIFFERS from the reference"),
            Agreement::Differs(Some(Difference { element, ours, theirs })) => {
                let [ours, theirs] = [ours, theirs].map(|number| number_text(*number));
                write!(f, "DIFFERS from the reference: `{element}` is {ours}, and should be {theirs}")
            }
        }
    }
}

/// Compares a run with what was expected of it, in the same precision.
pub fn compare(expected: &Tensors, outcome: &impl Finished, precision: Precision) -> Agreement {
    if outcome.deadlock().is_some() {
        return Agreement::Differs(None);
    }
    let of_output = |(name, theirs): (&Name, &ArrayD<f64>)| match outcome.outputs().get(name) {
        Some(ours) if ours.shape() == theirs.shape() => compare_arrays(name, [ours, theirs], most_rounding(precision)),
        _ => Agreement::Differs(None),
    };
    expected.iter().map(of_output).fold(Agreement::Bits, Agreement::and)
}

/// Compares arrays of one shape. What is not a number in both is the same, whatever its bits; in one alone it is as far off as can be.
fn compare_arrays(name: &str, [ours, theirs]: [&ArrayD<f64>; 2], rounding: f64) -> Agreement {
    let scale =
        theirs.iter().filter(|value| value.is_finite()).fold(0.0_f64, |largest, value| largest.max(value.abs()));
    let is_same = |ours: f64, theirs: f64| ours.to_bits() == theirs.to_bits() || (ours.is_nan() && theirs.is_nan());
    let others = theirs.indexed_iter().zip(ours).filter(|((_, theirs), ours)| !is_same(**ours, **theirs));
    let distance = |ours: f64, theirs: f64| if ours == theirs { 0.0 } else { (ours - theirs).abs() / scale };
    let far = |distance: f64| if distance.is_nan() { f64::INFINITY } else { distance };
    let others = others.map(|((at, theirs), ours)| (far(distance(*ours, *theirs)), at, *ours, *theirs));
    match others.max_by(|(one, ..), (other, ..)| one.total_cmp(other)) {
        None => Agreement::Bits,
        Some((most, ..)) if most <= rounding => Agreement::Rounding(most),
        Some((_, at, ours, theirs)) => {
            Agreement::Differs(Some(Difference { element: element(name, at.slice()), ours, theirs }))
        }
    }
}

/// An element as a kernel writes it.
pub fn element(name: &str, at: &[usize]) -> String {
    format!("{name}[{}]", at.iter().map(usize::to_string).collect::<Vec<_>>().join(", "))
}

/// Refuses a reference to inputs that nobody gave which holds what is not a number: of numbers nothing is left to compare.
pub fn check_numbers(expected: &Tensors) -> Checked<()> {
    let odd = |(name, array): (&Name, &ArrayD<f64>)| {
        array.indexed_iter().find(|(_, value)| value.is_nan()).map(|(at, _)| element(name, at.slice()))
    };
    let Some(element) = expected.iter().find_map(odd) else { return Ok(()) };
    Diagnostic::new(format!("`{element}` is not a number for these inputs, so nothing can be compared with it"))
        .help("give other inputs, or say what they are, as in `in A[N, N] is positive_definite`")
        .alone()
}

#[cfg(test)]
mod tests {
    use super::*;
    use ndarray::arr1;
    use systole_base::integer::name;
    use systole_run::shared::Deadlock;

    struct Ended(Tensors);

    impl Finished for Ended {
        fn outputs(&self) -> &Tensors {
            &self.0
        }

        fn deadlock(&self) -> Option<&Deadlock> {
            None
        }
    }

    fn compared(ours: &[f64], theirs: &[f64]) -> Agreement {
        compared_in(Precision::Double, ours, theirs)
    }

    fn compared_in(precision: Precision, ours: &[f64], theirs: &[f64]) -> Agreement {
        let tensors = |values: &[f64]| Tensors::from([(name("y"), arr1(values).into_dyn())]);
        compare(&tensors(theirs), &Ended(tensors(ours)), precision)
    }

    #[test]
    fn rounding_is_told_from_another_value() {
        assert_eq!(compared(&[1.0, 2.0], &[1.0, 2.0]), Agreement::Bits);
        assert_eq!(compared(&[1.0, 2.0 + 4e-15], &[1.0, 2.0]), Agreement::Rounding((2.0 + 4e-15 - 2.0) / 2.0));
        assert!(compared(&[1.0, 2.0 + 1.9e-10], &[1.0, 2.0]).is_good());
        let other = compared(&[1.5, 2.0 + 2.1e-10], &[1.0, 2.0]);
        assert_eq!(other.to_string(), "DIFFERS from the reference: `y[0]` is 1.5, and should be 1");
        assert!(!compared(&[1.0, 2.0 + 2.1e-10], &[1.0, 2.0]).is_good());
        let single = |off| compared_in(Precision::Single, &[1.0, 2.0 + off], &[1.0, 2.0]).is_good();
        assert!(single(1.9e-4) && !single(2.1e-4));
    }

    #[test]
    fn rounding_is_a_difference_where_the_order_is_known() {
        assert_eq!(Agreement::Rounding(1e-16).strictly(), Agreement::Differs(None));
        assert_eq!(Agreement::Bits.strictly(), Agreement::Bits);
    }

    #[test]
    fn what_has_no_distance_is_another_value() {
        let infinite = f64::INFINITY;
        assert!(!compared(&[f64::NAN], &[1.0]).is_good());
        assert!(!compared(&[1.0, 1.0], &[f64::NAN, 1.0]).is_good());
        assert_eq!(compared(&[-f64::NAN, 1.0], &[f64::NAN, 1.0]), Agreement::Bits);
        assert!(!compared(&[1.0], &[infinite]).is_good());
        assert!(!compared(&[2.0, infinite], &[1.0, infinite]).is_good());
        assert!(!compared(&[1e-300], &[0.0]).is_good());
        assert!(!compared(&[1.0], &[1.0, 2.0]).is_good());
        assert_eq!(compared(&[-0.0], &[0.0]), Agreement::Rounding(0.0));
        assert_eq!(compared(&[infinite], &[infinite]), Agreement::Bits);
    }
}
