//! Elements of tensors that equations define, over a frame.
//!
//! In: the definitions that a frame knows. Out: the value of an element, computed from its definition however deep that goes. An element of
//! what is being computed is undefined unless it comes before the one at the point, since there is nothing to read yet: so a law
//! that would compute an element from itself, or from a later one, is found out.

use super::evaluation::Evaluation;
use super::meaning::{Meaning, meaning};
use super::numbers::Value;
use super::world::World;
use crate::rewrite::registry::{Order, WholeDefinition};
use std::collections::BTreeMap;

/// What an equation says of all elements of a tensor.
#[derive(Clone, Debug)]
pub(in crate::check) struct Definition {
    tensor: String,
    /// The position of the index of each subscript.
    places: Vec<usize>,
    value: Meaning,
    /// The order in which elements come, where it is what is being computed.
    order: Option<Order>,
}

/// Elements that have been computed, with their values.
pub(super) type Computed = BTreeMap<(String, Vec<i64>), Value>;

/// The definitions of a frame, read in its world.
pub(in crate::check) fn definitions(world: &World) -> Vec<Definition> {
    let place = |index: &str| world.indices(0).iter().position(|known| **known == *index);
    let read = |definition: &WholeDefinition| {
        let places = definition.indices.iter().map(|index| place(index)).collect::<Option<Vec<usize>>>()?;
        let value = meaning(world, definition.term, 0).ok()?;
        Some(Definition { tensor: definition.tensor.to_string(), places, value, order: definition.order })
    };
    world.context.frame.definitions().iter().filter_map(read).collect()
}

impl World {
    /// Whether an equation says what the elements of a tensor are.
    pub fn is_defined(&self, tensor: &str) -> bool {
        self.definitions.iter().any(|known| known.tensor == tensor)
    }
}

impl Evaluation<'_> {
    /// The definition of a tensor, where there is one.
    pub fn known(&self, tensor: &str) -> Option<&Definition> {
        self.world.definitions.iter().find(|known| known.tensor == tensor)
    }

    /// An element that is read at a point.
    pub fn stored(&self, known: &Definition, subscripts: &[i64], x: &[i64]) -> Value {
        let own: Vec<i64> = known.places.iter().map(|place| x[*place]).collect();
        let is_there = match known.order {
            None => true,
            Some(Order::Forward) => subscripts < own.as_slice(),
            Some(Order::Backward) => subscripts > own.as_slice(),
        };
        if is_there { self.defined(known, subscripts) } else { Value::Undefined }
    }

    /// What the equation of a tensor says of an element; undefined where there is no such element.
    pub fn defined(&self, known: &Definition, subscripts: &[i64]) -> Value {
        let mut point = vec![0; self.world.indices(0).len()];
        known.places.iter().zip(subscripts).for_each(|(place, value)| point[*place] = *value);
        let ranges = self.world.ranges();
        let is_value =
            |place: &usize| ranges.is_some_and(|ranges| ranges.values(*place, &point).contains(&point[*place]));
        if known.places.len() != subscripts.len() || !known.places.iter().all(is_value) {
            return Value::Undefined;
        }
        let key = (known.tensor.clone(), subscripts.to_vec());
        if let Some(value) = self.computed.borrow().get(&key) {
            return value.clone();
        }
        let value = self.number(&known.value, &point).map_or(Value::Undefined, Value::Number);
        self.computed.borrow_mut().insert(key, value.clone());
        value
    }
}
