//! The arrays of a run and the PEs' own memories.

use crate::array::{Code, Layout, Tensors, Trouble, show_point};
use crate::diagnostic::{Checked, Diagnostic, Diagnostics, nearest};
use crate::recurrence::Role;
use ndarray::ArrayD;
use std::collections::BTreeSet;

/// How many words of an array went which way.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MemoryTraffic {
    /// Words read through a memory port at the time of use.
    pub loaded: u64,
    /// Words brought into PEs' own memories before the run.
    pub prefetched: u64,
    /// Words read from PEs' own memories.
    pub local: u64,
    /// Words written.
    pub stored: u64,
}

/// All arrays, flat and row-major.
pub(super) struct Memory {
    layouts: Vec<Layout>,
    values: Vec<Vec<f64>>,
    /// For an output: which elements have been stored.
    stored: Vec<Vec<bool>>,
    /// For each PE: the elements (array, address) in its own memory. Inputs do not change, so their values need no copy.
    own: Vec<BTreeSet<(usize, usize)>>,
    /// For each array.
    pub traffic: Vec<MemoryTraffic>,
}

impl Memory {
    /// The inputs as given, the outputs not stored yet.
    ///
    /// # Errors
    /// An input that is missing, unknown, or of another shape than the program's.
    pub fn new(code: &Code, inputs: &Tensors) -> Checked<Memory> {
        check_inputs(&code.arrays, inputs)?;
        let of_output = |layout: &Layout| if layout.role == Role::Output { layout.length() } else { 0 };
        let values = code.arrays.iter().map(|layout| match layout.role {
            Role::Input => layout.flatten(inputs).unwrap_or_default(),
            _ => vec![0.0; layout.length()],
        });
        Ok(Memory {
            values: values.collect(),
            stored: code.arrays.iter().map(|layout| vec![false; of_output(layout)]).collect(),
            own: vec![BTreeSet::new(); code.pes.len()],
            traffic: vec![MemoryTraffic::default(); code.arrays.len()],
            layouts: code.arrays.clone(),
        })
    }

    pub fn load(&mut self, array: usize, address: usize) -> f64 {
        self.traffic[array].loaded += 1;
        self.values[array][address]
    }

    pub fn prefetch(&mut self, pe: usize, array: usize, address: usize) {
        if self.own[pe].insert((array, address)) {
            self.traffic[array].prefetched += 1;
        }
    }

    pub fn read_own(&mut self, pe: usize, array: usize, address: usize) -> Result<f64, Trouble> {
        if !self.own[pe].contains(&(array, address)) {
            return Err(Trouble::NotPrefetched { array, address });
        }
        self.traffic[array].local += 1;
        Ok(self.values[array][address])
    }

    pub fn store(&mut self, array: usize, address: usize, value: f64) -> Result<(), Trouble> {
        if std::mem::replace(&mut self.stored[array][address], true) {
            return Err(Trouble::StoredTwice { array, address });
        }
        self.traffic[array].stored += 1;
        self.values[array][address] = value;
        Ok(())
    }

    /// Refuses outputs of which some element was never stored.
    pub fn check_stored(&self) -> Checked<()> {
        let faults: Diagnostics =
            self.layouts.iter().zip(&self.stored).filter_map(|(layout, stored)| missing(layout, stored)).collect();
        if faults.is_empty() { Ok(()) } else { Err(faults) }
    }

    /// The output arrays.
    pub fn into_outputs(self) -> Tensors {
        let outputs = self.layouts.into_iter().zip(self.values).filter(|(layout, _)| layout.role == Role::Output);
        let tensor = |layout: &Layout, values| ArrayD::from_shape_vec(layout.shape.clone(), values).unwrap_or_default();
        outputs.map(|(layout, values)| (layout.name.clone(), tensor(&layout, values))).collect()
    }
}

fn missing(layout: &Layout, stored: &[bool]) -> Option<Diagnostic> {
    let first = stored.iter().position(|stored| !stored)?;
    let count = stored.iter().filter(|stored| !**stored).count();
    let (name, element) = (&layout.name, show_element(layout, first));
    let fault = Diagnostic::new(format!("element {element} of output `{name}` is never stored"));
    Some(fault.note(format!("{count} of {} elements are not stored", stored.len())))
}

/// An element as messages show it: `C(1, 2)`.
pub(super) fn show_element(layout: &Layout, address: usize) -> String {
    let subscripts: Vec<i64> = layout.subscripts(address).into_iter().map(|entry| entry as i64).collect();
    format!("`{}{}`", layout.name, show_point(&subscripts))
}

fn check_inputs(layouts: &[Layout], inputs: &Tensors) -> Checked<()> {
    let expected: Vec<&Layout> = layouts.iter().filter(|layout| layout.role == Role::Input).collect();
    let mut faults: Diagnostics = expected.iter().filter_map(|layout| check_input(layout, inputs)).collect();
    for name in inputs.keys().filter(|name| expected.iter().all(|layout| layout.name != **name)) {
        let fault = Diagnostic::new(format!("the program has no input `{name}`"));
        let meant = nearest(name, expected.iter().map(|layout| &*layout.name));
        faults.push(meant.into_iter().fold(fault, |fault, meant| fault.help(format!("did you mean `{meant}`?"))));
    }
    if faults.is_empty() { Ok(()) } else { Err(faults) }
}

fn check_input(layout: &Layout, inputs: &Tensors) -> Option<Diagnostic> {
    let name = &layout.name;
    match inputs.get(name) {
        None => {
            Some(Diagnostic::new(format!("input `{name}` is missing")).note(format!("its shape is {:?}", layout.shape)))
        }
        Some(tensor) if tensor.shape() != layout.shape => {
            let message = format!("input `{name}` has shape {:?}, expected {:?}", tensor.shape(), layout.shape);
            Some(Diagnostic::new(message).help("check the sizes, and the order of the dimensions"))
        }
        Some(_) => None,
    }
}
