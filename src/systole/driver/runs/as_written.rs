//! How the outputs of a form compare with those of the kernel as it is written.
//!
//! In: a kernel, sizes and inputs, the run of a form that laws have led to. Out: an [`AsWritten`]: how far the two are apart, and the
//! elements of which the kernel has no number, where a form may have one. A form adds in an order of its own, so rounding differs; what is
//! finite, infinite or no number must not.

use super::agreement::{Agreement, compare, element};
use super::finished::Finished;
use ndarray::{ArrayD, Dimension};
use serde_json::{Value, json};
use std::fmt;
use systole_base::diagnostic::{Checked, Diagnostic};
use systole_base::integer::{Bindings, Name};
use systole_base::scalar::Precision;
use systole_equations::recurrence::{RecurrenceSystem, evaluate};
use systole_program::array::Tensors;

/// A form beside the kernel as it is written.
#[derive(Clone, Debug, PartialEq)]
pub struct AsWritten {
    /// How they compare where the kernel has a number.
    pub agreement: Agreement,
    /// Elements of which the form has a number and the kernel has none.
    pub gained: Vec<String>,
}

impl AsWritten {
    /// What the kernel means; `None` where the equations are the user's own.
    ///
    /// # Errors
    /// What the kernel's meaning refuses.
    pub fn expected(
        written: Option<&RecurrenceSystem>,
        sizes: &Bindings,
        inputs: &Tensors,
    ) -> Checked<Option<Tensors>> {
        written.map(|system| evaluate(system, sizes, inputs)).transpose()
    }

    /// What the run of a form is beside what the kernel means.
    pub fn of(mut expected: Tensors, outcome: &impl Finished) -> AsWritten {
        let mut gained = vec![];
        for (name, theirs) in &mut expected {
            if let Some(ours) = outcome.outputs().get(name).filter(|ours| ours.shape() == theirs.shape()) {
                gained.extend(without_number(name, theirs, ours));
            }
        }
        AsWritten { agreement: compare(&expected, outcome, Precision::Double), gained }
    }

    /// Whether no more than rounding differs where the kernel has a number.
    pub fn is_good(&self) -> bool {
        self.agreement.is_good()
    }

    /// How they differ, where more than rounding does.
    pub fn difference(&self) -> Option<String> {
        (!self.is_good()).then(|| self.to_string().replace("DIFFERS", "differs"))
    }

    /// Refuses a form that differs from its kernel.
    ///
    /// # Errors
    /// The element that differs.
    pub fn check(&self) -> Checked<()> {
        self.difference().map_or(Ok(()), |difference| Diagnostic::new(format!("the form {difference}")).alone())
    }

    /// As an object: whether they match, how far they are apart, the element that differs, how many have a number in the form alone.
    pub fn to_json(&self) -> Value {
        let mut object = json!({ "element": self.agreement.element(), "gained": self.gained });
        object["matches"] = json!(self.is_good());
        object["rounding"] = match &self.agreement {
            Agreement::Bits => json!(0.0),
            Agreement::Rounding(most) => json!(most),
            Agreement::Differs(_) => Value::Null,
        };
        object
    }
}

/// The elements of which only `ours` has a number; `theirs` has it too from then on, so that the others can be compared.
fn without_number(name: &Name, theirs: &mut ArrayD<f64>, ours: &ArrayD<f64>) -> Vec<String> {
    let mut gained = vec![];
    for ((at, wanted), found) in theirs.indexed_iter_mut().zip(ours) {
        if wanted.is_nan() && !found.is_nan() {
            gained.push(element(name, at.slice()));
            *wanted = *found;
        }
    }
    gained
}

impl fmt::Display for AsWritten {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.agreement {
            Agreement::Bits => write!(f, "has the bits of the kernel as written")?,
            Agreement::Rounding(most) => {
                write!(f, "matches the kernel as written within {most:.1e} of the largest element")?;
            }
            other => write!(f, "{}", other.to_string().replace("the reference", "the kernel as written"))?,
        }
        match &self.gained[..] {
            [] => Ok(()),
            [one] => write!(f, "; `{one}` is a number where that has none"),
            [one, others @ ..] => write!(f, "; `{one}` and {} more are numbers where that has none", others.len()),
        }
    }
}
