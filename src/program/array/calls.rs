//! How often the `let`s of a program call each leaf.
//!
//! In: flat code. Out: for each position of [`Code::operations`] the calls of one run of that `let`.

use super::{Code, Op, Scalar};
use std::collections::BTreeMap;

impl Code {
    /// For each `let` how often it calls each leaf, by the leaf's position in the program.
    pub fn calls(&self) -> Vec<BTreeMap<usize, u64>> {
        let mut calls = vec![BTreeMap::new(); self.operations.len()];
        for op in self.classes.iter().flat_map(|class| &class.ops) {
            if let Op::Let { value, operation, .. } = op {
                let mut counts = BTreeMap::new();
                count(value, &mut counts);
                calls[*operation] = counts;
            }
        }
        calls
    }
}

fn count(value: &Scalar, counts: &mut BTreeMap<usize, u64>) {
    match value {
        Scalar::Number(_) | Scalar::Register(_) | Scalar::Index(_) => {}
        Scalar::Unary(_, part) => count(part, counts),
        Scalar::Binary(_, parts) => parts.iter().for_each(|part| count(part, counts)),
        Scalar::Ternary(_, parts) => parts.iter().for_each(|part| count(part, counts)),
        Scalar::Call(call) => {
            *counts.entry(call.leaf).or_insert(0) += 1;
            call.onto.iter().chain(&call.arguments).for_each(|part| count(part, counts));
        }
    }
}
