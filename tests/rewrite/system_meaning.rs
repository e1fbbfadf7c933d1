//! What the spaces of a system compute, by brute force over the points that write an element.

use crate::interpreter::element;
use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use systole_base::integer::{Affine, Bindings};
use systole_equations::recurrence::spaces::SpaceSystem;
use systole_equations::recurrence::{Role, Space};

/// The elements of all tensors of a system, computed when they are asked for.
pub struct Computed<'a> {
    system: &'a SpaceSystem,
    sizes: Bindings,
    inputs: BTreeSet<String>,
    found: RefCell<BTreeMap<(String, Vec<i64>), f64>>,
}

impl<'a> Computed<'a> {
    pub fn new(system: &'a SpaceSystem, sizes: &Bindings) -> Computed<'a> {
        let inputs = system.tensors.iter().filter(|tensor| tensor.role == Role::Input);
        let inputs = inputs.map(|tensor| tensor.name.to_string()).collect();
        Computed { system, sizes: sizes.clone(), inputs, found: RefCell::default() }
    }

    /// An element of any tensor; what nothing defines is not a number.
    pub fn element(&self, tensor: &str, subscripts: &[i64]) -> f64 {
        if self.inputs.contains(tensor) {
            // A heavy diagonal keeps pivots positive.
            let diagonal = subscripts.len() > 1 && subscripts.iter().all(|subscript| *subscript == subscripts[0]);
            return element(tensor, subscripts) + if diagonal { 40.0 } else { 0.0 };
        }
        let key = (tensor.to_owned(), subscripts.to_vec());
        if let Some(value) = self.found.borrow().get(&key) {
            return *value;
        }
        let value = self.compute(tensor, subscripts);
        self.found.borrow_mut().insert(key, value);
        value
    }

    fn compute(&self, tensor: &str, subscripts: &[i64]) -> f64 {
        let writers = self.system.spaces.iter().filter(|space| &*space.output == tensor);
        for space in writers.clone() {
            let points = space.domain.set.points(space.indices(), &self.sizes).unwrap();
            let writes = |point: &&Vec<i64>| self.subscripts(&space.output_access, space, point) == subscripts;
            let values: Vec<f64> = points.iter().filter(writes).map(|point| self.body(space, point)).collect();
            match space.reduction {
                Some(operator) if !values.is_empty() => {
                    return values.into_iter().fold(operator.neutral(), |a, b| operator.combine(a, b));
                }
                None if values.len() == 1 => return values[0],
                _ => assert!(values.is_empty(), "{tensor} is written twice"),
            }
        }
        let declared = self.system.tensors.iter().any(|known| &*known.name == tensor);
        let neutral = writers.filter_map(|space| space.reduction).map(|operator| operator.neutral()).next();
        if declared { self.known(tensor, subscripts) } else { neutral.unwrap_or(f64::NAN) }
    }

    fn known(&self, tensor: &str, subscripts: &[i64]) -> f64 {
        for known in self.system.known.iter().filter(|known| &*known.tensor == tensor) {
            for point in known.domain.set.points(&known.domain.indices, &self.sizes).unwrap() {
                let mut bindings = self.sizes.clone();
                bindings.extend(known.domain.indices.iter().cloned().zip(point));
                let element = known.subscripts.iter().map(|form| form.evaluate(&bindings));
                if element.eq(subscripts.iter().map(|subscript| Some(*subscript))) {
                    return known.value.evaluate(&[], &bindings);
                }
            }
        }
        f64::NAN
    }

    fn subscripts(&self, access: &[Affine], space: &Space, point: &[i64]) -> Vec<i64> {
        let bindings = space.bind(&self.sizes, point);
        access.iter().map(|form| form.evaluate(&bindings).unwrap()).collect()
    }

    fn body(&self, space: &Space, point: &[i64]) -> f64 {
        let read = |operand: &systole_equations::recurrence::Operand| {
            self.element(&operand.tensor, &self.subscripts(&operand.access, space, point))
        };
        let operands: Vec<f64> = space.operands.iter().map(read).collect();
        space.body.evaluate(&operands, &space.bind(&self.sizes, point))
    }
}
