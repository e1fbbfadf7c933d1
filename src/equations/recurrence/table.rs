//! Tensors during evaluation: flat values with the state of each element.

use super::sizes::extents_at;
use super::{RecurrenceSystem, Role};
use std::collections::BTreeMap;
use systole_base::diagnostic::{Checked, Diagnostic, Diagnostics, MessageCode, nearest};
use systole_base::integer::{Affine, Bindings, Name};

/// Arrays by tensor name; row-major, indices from 0.
pub type Tensors = BTreeMap<Name, ndarray::ArrayD<f64>>;

/// How far an element is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum State {
    Unknown,
    Busy,
    Ready,
}

/// One tensor at fixed sizes.
pub(super) struct Table {
    pub(super) name: Name,
    pub(super) extents: Vec<usize>,
    pub(super) values: Vec<f64>,
    pub(super) states: Vec<State>,
}

impl Table {
    /// An input, all of it known.
    fn given(name: &Name, extents: Vec<usize>, array: &ndarray::ArrayD<f64>) -> Table {
        let values: Vec<f64> = array.iter().copied().collect();
        let states = vec![State::Ready; values.len()];
        Table { name: name.clone(), extents, values, states }
    }

    /// A tensor to be computed.
    fn blank(name: &Name, extents: Vec<usize>) -> Table {
        let size = extents.iter().product();
        Table { name: name.clone(), extents, values: vec![0.0; size], states: vec![State::Unknown; size] }
    }

    /// The element's subscripts as text, `L[1,0]`.
    pub(super) fn show_element(&self, flat: usize) -> String {
        show_element(&self.name, &self.subscripts(flat))
    }

    fn subscripts(&self, flat: usize) -> Vec<i64> {
        let mut rest = flat;
        let mut subscripts = vec![0; self.extents.len()];
        for (subscript, extent) in subscripts.iter_mut().zip(&self.extents).rev() {
            *subscript = (rest % extent) as i64;
            rest /= extent;
        }
        subscripts
    }

    /// The values as an array.
    pub(super) fn into_array(self) -> Checked<ndarray::ArrayD<f64>> {
        let shape = ndarray::IxDyn(&self.extents);
        ndarray::ArrayD::from_shape_vec(shape, self.values)
            .map_err(|error| Diagnostic::new(format!("`{}` does not fit its shape: {error}", self.name)).into())
    }
}

/// `L[1,0]`, or `total` for a scalar.
pub(super) fn show_element(tensor: &str, subscripts: &[i64]) -> String {
    let list: Vec<String> = subscripts.iter().map(i64::to_string).collect();
    if list.is_empty() { tensor.to_owned() } else { format!("{tensor}[{}]", list.join(",")) }
}

/// A table for each tensor of the system, in its order; inputs are filled. One that no equation reads need not be given.
pub(super) fn build_tables(system: &RecurrenceSystem, sizes: &Bindings, inputs: &Tensors) -> Checked<Vec<Table>> {
    let given: Vec<Name> = system.tensors_with(Role::Input).map(|tensor| tensor.name.clone()).collect();
    let mut errors: Diagnostics = unknown_inputs(inputs, &given);
    let mut tables = vec![];
    for tensor in &system.tensors {
        if tensor.role == Role::Input && !inputs.contains_key(&tensor.name) && !system.reads(&tensor.name) {
            tables.push(Table::blank(&tensor.name, vec![0]));
            continue;
        }
        match build_table(&tensor.name, &tensor.shape, tensor.role, sizes, inputs) {
            Ok(table) => tables.push(table),
            Err(more) => errors.extend(more),
        }
    }
    if errors.is_empty() { Ok(tables) } else { Err(errors) }
}

/// One tensor: an input from its array, anything else blank.
pub(super) fn build_table(
    name: &Name,
    shape: &[Affine],
    role: Role,
    sizes: &Bindings,
    inputs: &Tensors,
) -> Checked<Table> {
    let extents = extents_at(name, shape, sizes)?;
    if role != Role::Input {
        return Ok(Table::blank(name, extents));
    }
    let Some(array) = inputs.get(name) else {
        return Diagnostic::new(format!("input `{name}` is missing"))
            .help(format!("give an array of shape {extents:?}"))
            .about(MessageCode::Array)
            .alone();
    };
    if array.shape() != extents.as_slice() {
        return other_shape(name, array.shape(), &extents).alone();
    }
    Ok(Table::given(name, extents, array))
}

/// The message for an input of another shape than is expected.
pub fn other_shape(name: &str, found: &[usize], expected: &[usize]) -> Diagnostic {
    Diagnostic::new(format!("input `{name}` has shape {found:?}, expected {expected:?}"))
        .help("check the sizes, and the order of the dimensions")
        .about(MessageCode::Array)
}

/// A message for each array that no input wants.
pub(super) fn unknown_inputs(inputs: &Tensors, wanted: &[Name]) -> Diagnostics {
    let extra = inputs.keys().filter(|name| !wanted.contains(name));
    extra
        .map(|name| {
            let diagnostic = Diagnostic::new(format!("`{name}` is not an input of this kernel"));
            match nearest(name, wanted.iter().map(|name| &**name)) {
                Some(close) => diagnostic.help(format!("did you mean `{close}`?")),
                None => diagnostic,
            }
        })
        .collect()
}
